//! What a column probably holds: read off its name, its type, its place in keys, and what queries do with it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use twinql_sql::{Column, ColumnRef, ForeignKey, Schema, Value};

use super::by_column::ByColumn;
use super::content::{Content, is_own_name, is_whole, names_category};
use super::form::{Form, Moment};
use super::implied;
use crate::database::keys;
use crate::facts::{Atom, Comparison, Facts, Slot};
use crate::profile::Bound;

/// A column, as far as its values go.
#[derive(Debug, Clone)]
pub(super) struct Portrait {
    pub(super) content: Content,
    pub(super) affinity: twinql_sql::Affinity,
    /// Values are whole where they are numbers.
    pub(super) whole: bool,
    /// Constants that it is equal to: those of the gold first.
    pub(super) members: Vec<Value>,
    /// Those of them whose case no query tells.
    folded: Vec<Value>,
    /// Numbers that it is compared with by order.
    pub(super) bounds: Vec<f64>,
    /// Moments that it is compared with.
    pub(super) moments: Vec<Moment>,
    /// Those of them that are a day or more exact.
    pub(super) days: Vec<Moment>,
    /// Its type says which values there are.
    pub(super) enumerated: bool,
    /// A list of several values that it is one of: there may be no others.
    pub(super) listed: bool,
    /// A category for want of a better word: nothing in its name says so.
    unnamed: bool,
    /// A part of a moment was cut out of it: there is more.
    cut: bool,
    /// The form of moments was read off a constant.
    pub(super) formed: bool,
    /// Moments have no time of day but midnight.
    pub(super) midnight: bool,
    /// Patterns of LIKE.
    pub(super) patterns: Vec<String>,
    /// Alone a key.
    pub(super) unique: bool,
    /// The name that the rows of a table go by that another refers to.
    pub(super) own_name: bool,
    /// Of a table that another refers to.
    pub(super) of_parent: bool,
    pub(super) ranked: bool,
    /// The gold asks where it is NULL.
    pub(super) asked_null: bool,
    /// The prediction alone asks where it is NULL.
    pub(super) doubted_null: bool,
    pub(super) not_null: bool,
    /// Refers to a table that no query reads, or is another number that rows share: few values, each many times.
    pub(super) shared: bool,
    /// Repeats a column of another table.
    pub(super) copied: Option<ColumnRef>,
    /// Mostly repeats this column of its own table.
    pub(super) twin: Option<usize>,
}

/// All portraits of a pair's tables, and the references between them.
#[derive(Debug, Default)]
pub(super) struct Portraits {
    pub(super) columns: ByColumn<Portrait>,
    /// By table: those that the schema declares, and those that the gold joins along.
    pub(super) references: BTreeMap<usize, Vec<ForeignKey>>,
    /// What is known of the real database.
    pub(super) profile: Option<Arc<Bound>>,
}

/// True of a text of three words or more.
fn is_long(value: &Value) -> bool {
    matches!(value, Value::Text(t) if t.split_whitespace().count() >= 3)
}

impl Portrait {
    fn of(column: &Column, table: &str, key: bool) -> Portrait {
        let whole = is_whole(column);
        let content = Content::of(column, table, key);
        let unnamed = content == Content::Category && column.values.is_empty() && !names_category(column);
        Portrait {
            content,
            affinity: column.affinity,
            whole,
            members: column.values.iter().map(|v| Value::Text(v.clone())).collect(),
            bounds: Vec::new(),
            folded: Vec::new(),
            moments: Vec::new(),
            days: Vec::new(),
            enumerated: !column.values.is_empty(),
            listed: false,
            unnamed,
            cut: false,
            formed: false,
            midnight: false,
            patterns: Vec::new(),
            unique: false,
            own_name: is_own_name(column, table),
            of_parent: false,
            ranked: false,
            asked_null: false,
            doubted_null: false,
            not_null: column.not_null,
            shared: false,
            copied: None,
            twin: None,
        }
    }

    /// Takes in what a query compares the column with.
    fn learn(&mut self, atom: &Atom) {
        self.listed |= atom.comparison == Comparison::In && atom.values.len() > 2;
        for value in &atom.values {
            if let Some((form, moment)) = Form::of(value)
                && matches!(self.content, Content::Moment(_) | Content::Year)
            {
                self.midnight |= matches!(form, Form::Moment { .. }) && moment.3 == 0;
                self.moments.push(moment);
                // The ends of a year bound a range; that something happened on them is another matter.
                let ends = matches!((moment.1, moment.2), (1, 1) | (12, 31));
                if !form.is_part() && !ends {
                    self.days.push(moment);
                }
                // What is cut off a moment, or found by a pattern, has more behind it.
                let cut = atom.derived || matches!(value, Value::Text(t) if t.ends_with('%'));
                let form = match form {
                    Form::Day if cut && !self.formed => Form::Moment { fraction: false },
                    form => form,
                };
                match self.content {
                    // A part of a moment, as SUBSTR or LIKE compare it, says nothing of its form.
                    _ if form.is_part()
                        && (self.cut || atom.derived || atom.comparison == Comparison::Like) =>
                    {
                        self.cut = true;
                    }
                    Content::Moment(old) if form.detail() > old.detail() || !self.formed => {
                        self.content = Content::Moment(form);
                        self.formed = true;
                    }
                    Content::Year if form != Form::Year => {
                        self.content = Content::Moment(form);
                        self.formed = true;
                    }
                    _ => {}
                }
                continue;
            }
            match (atom.comparison, value) {
                (Comparison::Like | Comparison::NotLike, Value::Text(pattern)) => {
                    self.patterns.push(pattern.clone());
                }
                (Comparison::Eq | Comparison::In | Comparison::NotEq | Comparison::NotIn, value) => {
                    self.add_member(value, atom.folded);
                }
                (_, value) => self.bounds.extend(match value {
                    Value::Text(t) => t.trim().parse().ok().filter(|n: &f64| n.is_finite()),
                    value => value.as_f64(),
                }),
            }
        }
    }

    /// One more value that the column holds. What is compared whatever its case is spelled as another query spells it:
    /// `LOWER(name) = 'stealth'` speaks of `Stealth`.
    fn add_member(&mut self, value: &Value, folded: bool) {
        if self.enumerated || self.members.contains(value) {
            return;
        }
        let alike = |m: &&mut Value| same_letters(m, value);
        match self.members.iter_mut().find(alike) {
            Some(_) if folded => return,
            Some(spelled) if self.folded.contains(spelled) => {
                *spelled = value.clone();
                return;
            }
            _ => {}
        }
        if self.members.len() < 12 {
            self.members.push(value.clone());
            self.folded.extend(folded.then(|| value.clone()));
        }
    }

    /// How the column spells a value that was compared whatever its case.
    pub(super) fn spelled(&self, value: &Value) -> Value {
        self.members.iter().find(|m| same_letters(m, value)).unwrap_or(value).clone()
    }

    /// Settles what the constants say against what the name does.
    fn conclude(&mut self) {
        let textual =
            self.members.iter().any(|m| matches!(m, Value::Text(t) if t.trim().parse::<f64>().is_err()));
        let numeric = !self.members.is_empty() && !textual;
        match self.content {
            Content::Moment(_) | Content::Year if textual && self.moments.is_empty() => {
                self.content = Content::Category
            }
            Content::Year if textual => self.content = Content::Category,
            Content::Count | Content::Measure | Content::Level if textual => self.content = Content::Category,
            Content::Count if numeric && !self.unique && self.bounds.is_empty() => {
                self.content = Content::Level
            }
            // Of a few words none is as long as that.
            Content::Category if self.unnamed && self.members.iter().any(is_long) => {
                self.content = Content::Name
            }
            Content::Category if numeric || !self.bounds.is_empty() => {
                self.content = if self.bounds.is_empty() { Content::Level } else { Content::Count };
            }
            _ => {}
        }
    }
}

/// True of two texts that differ in case at the most.
pub(super) fn same_letters(a: &Value, b: &Value) -> bool {
    matches!((a, b), (Value::Text(a), Value::Text(b)) if a.eq_ignore_ascii_case(b))
}

impl Portraits {
    /// Portraits of all columns of the tables that are read: first by names and types, then by what the gold compares
    /// them with, then by the prediction. The gold is heard first, since it was written for the data and the prediction
    /// may be wrong.
    pub(super) fn of(schema: &Schema, gold: &Facts, pred: &Facts, read: &[usize]) -> Portraits {
        let mut portraits = Portraits::default();
        let referred = implied::referred(schema);
        for &t in read {
            let Some(table) = schema.tables.get(t) else { continue };
            for (c, column) in table.columns.iter().enumerate() {
                let at = ColumnRef { table: t, column: c };
                let key = keys(table).any(|k| *k == [c]) || referred.contains(&at);
                let mut portrait = Portrait::of(column, &table.name, key);
                portrait.unique = key;
                portrait.of_parent = referred.iter().any(|r| r.table == t);
                portrait.own_name &= portrait.of_parent;
                if portrait.content == Content::Place && !key {
                    portrait.twin = implied::twin(table, c);
                }
                let out = |f: &ForeignKey| f.columns == [c] && !read.contains(&f.target);
                portrait.shared = !key
                    && (table.foreign_keys.iter().any(out)
                        || portrait.content == Content::Id && !keys(table).any(|k| k.contains(&c)));
                portraits.columns.insert(at, portrait);
            }
            let references = table.foreign_keys.iter().filter(|f| read.contains(&f.target));
            portraits.references.insert(t, references.cloned().collect());
        }
        for (facts, own) in [(gold, true), (pred, false)] {
            for atom in &facts.atoms {
                portraits.change(facts, atom.slot, |p| p.learn(atom));
            }
            for &slot in &facts.ranked {
                portraits.change(facts, slot, |p| p.ranked = true);
            }
            for &slot in &facts.nulls {
                portraits.change(facts, slot, |p| match own {
                    true => p.asked_null = true,
                    false => p.doubted_null = true,
                });
            }
        }
        for (_, portrait) in portraits.columns.iter_mut() {
            portrait.conclude();
        }
        portraits.imply(schema, gold);
        portraits.by_name(schema, gold, read);
        portraits
    }

    /// References that names alone tell, and columns that repeat one of another table.
    fn by_name(&mut self, schema: &Schema, gold: &Facts, read: &[usize]) {
        let apart = |t: usize, reference: &ForeignKey| {
            let from = reference.columns.first().map(|&column| ColumnRef { table: t, column });
            let to = reference.target_columns.first();
            let to = to.map(|&column| ColumnRef { table: reference.target, column });
            let links = gold.links.iter().filter(|link| link.apart);
            links.into_iter().any(|l| gold.column(l.left) == from && gold.column(l.right) == to)
        };
        for &t in read {
            let unique = |at: ColumnRef| self.columns.get(at).is_some_and(|p| p.unique);
            for reference in implied::references(schema, read, t, self.references(t), &unique) {
                if !self.reaches(reference.target, t) && !apart(t, &reference) {
                    self.references.entry(t).or_default().push(reference);
                }
            }
            let Portraits { columns, references, profile: _ } = self;
            let references = references.get(&t).map_or(&[][..], Vec::as_slice);
            for (at, portrait) in columns.iter_mut().filter(|(at, _)| at.table == t) {
                portrait.copied = implied::copied(schema, references, at, portrait.content);
            }
        }
    }

    /// Changes the portrait of the column that a query names.
    fn change(&mut self, facts: &Facts, slot: Slot, change: impl FnOnce(&mut Portrait)) {
        if let Some(portrait) = facts.column(slot).and_then(|c| self.columns.get_mut(c)) {
            change(portrait);
        }
    }

    /// References that the schema does not declare, but the gold joins along.
    fn imply(&mut self, schema: &Schema, gold: &Facts) {
        for link in &gold.links {
            let (Some(a), Some(b)) = (gold.column(link.left), gold.column(link.right)) else { continue };
            if a.table == b.table {
                continue;
            }
            let declared = |from: ColumnRef, to: ColumnRef| {
                schema.tables.get(from.table).is_some_and(|t| {
                    t.foreign_keys.iter().any(|f| {
                        f.columns
                            .iter()
                            .zip(&f.target_columns)
                            .any(|(&c, &d)| c == from.column && f.target == to.table && d == to.column)
                    })
                })
            };
            // Two children of one parent, joined by their references to it.
            let refers = |at: ColumnRef| {
                self.references
                    .get(&at.table)
                    .is_some_and(|r| r.iter().any(|r| r.columns.contains(&at.column)))
            };
            if declared(a, b) || declared(b, a) || refers(a) && refers(b) {
                continue;
            }
            let unique = |at| self.columns.get(at).is_some_and(|p| p.unique);
            let (child, parent) = match (unique(a), unique(b)) {
                // Who asks for rows whose value another table lacks knows that there are some.
                (false, true) if link.apart => continue,
                _ if link.apart => (b, a),
                (true, false) => (b, a),
                (false, true) => (a, b),
                _ if refers(a) => (b, a),
                _ => (a, b),
            };
            if self.reaches(parent.table, child.table) {
                continue;
            }
            let reference = ForeignKey {
                columns: vec![child.column],
                target: parent.table,
                target_columns: vec![parent.column],
            };
            let references = self.references.entry(child.table).or_default();
            if !references.iter().any(|r| r.columns.contains(&child.column)) {
                references.push(reference);
            }
        }
    }

    /// True if a table refers to another, over any number of steps.
    pub(super) fn reaches(&self, from: usize, to: usize) -> bool {
        let mut seen = BTreeSet::new();
        let mut queue = vec![from];
        while let Some(t) = queue.pop() {
            if t == to {
                return true;
            }
            if seen.insert(t) {
                queue.extend(self.references(t).iter().map(|r| r.target));
            }
        }
        false
    }

    pub(super) fn get(&self, column: ColumnRef) -> Option<&Portrait> {
        self.columns.get(column)
    }

    pub(super) fn references(&self, table: usize) -> &[ForeignKey] {
        self.references.get(&table).map_or(&[], Vec::as_slice)
    }
}
