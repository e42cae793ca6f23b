//! What a column probably holds: read off its name, its type, its place in keys, and what queries do with it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use twinql_sql::{Column, ColumnRef, ForeignKey, Schema, Value};

use super::by_column::ByColumn;
use super::content::{Content, is_own_name, is_whole, names_category, years};
use super::form::{Form, Moment};
use super::implied;
use super::words::words;
use crate::database::keys;
use crate::facts::{Atom, Comparison, Facts, Link, Slot, Treatment};
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
    /// The years in which it lies where no constant says so.
    pub(super) years: Option<[f64; 2]>,
    /// Queries read its texts as numbers.
    numeric: bool,
    /// The date of which it is the year.
    pub(super) part_of: Option<usize>,
    /// What one query has for a constant where the other asks for the largest.
    pub(super) top: Option<f64>,
    /// Patterns of LIKE.
    pub(super) patterns: Vec<String>,
    /// Lengths of texts that queries ask for.
    pub(super) lengths: Vec<i64>,
    /// What stands for a missing value, where a query guards against it: `name <> ''`, `price > 0`. The gold knows that
    /// there are such.
    pub(super) blanks: Vec<Value>,
    /// The gold guards against them.
    pub(super) asked_blank: bool,
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
}

/// All portraits of a pair's tables, and the references between them.
#[derive(Debug, Default)]
pub(super) struct Portraits {
    pub(super) columns: ByColumn<Portrait>,
    /// By table: those that the schema declares, and those that the gold joins along.
    pub(super) references: BTreeMap<usize, Vec<ForeignKey>>,
    /// By table: sets of columns that describe one row.
    pub(super) described: BTreeMap<usize, Vec<Vec<usize>>>,
    /// What is known of the real database.
    pub(super) profile: Option<Arc<Bound>>,
}

/// True of a text of three words or more.
fn is_long(value: &Value) -> bool {
    matches!(value, Value::Text(t) if t.split_whitespace().count() >= 3)
}

/// Texts that people write where there is no value.
const NO_VALUE: [&str; 6] = ["", "null", "none", "n/a", "na", "-"];

/// What stands for a missing value in a column, if a test guards against that and asks for nothing else.
fn guarded(atom: &Atom) -> Option<Value> {
    let [value] = atom.values.as_slice() else { return None };
    let none = match value {
        Value::Text(text) => NO_VALUE.contains(&text.trim().to_ascii_lowercase().as_str()),
        value => value.as_f64() == Some(0.0),
    };
    let guards = matches!(atom.comparison, Comparison::NotEq | Comparison::Gt);
    (none && guards && !atom.computed).then(|| value.clone())
}

impl Portrait {
    /// A query compares it with a constant.
    pub(super) fn is_tested(&self) -> bool {
        !(self.members.is_empty() && self.bounds.is_empty())
    }

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
            years: years(column),
            numeric: false,
            part_of: None,
            top: None,
            patterns: Vec::new(),
            lengths: Vec::new(),
            blanks: Vec::new(),
            asked_blank: false,
            unique: false,
            own_name: is_own_name(column, table),
            of_parent: false,
            ranked: false,
            asked_null: false,
            doubted_null: false,
            not_null: column.not_null,
            shared: false,
            copied: None,
        }
    }

    /// Takes in what a query compares the column with.
    fn learn(&mut self, atom: &Atom, of_gold: bool) {
        if atom.measured {
            let whole = |v: &Value| if let Value::Integer(n) = v { Some(*n) } else { None };
            self.lengths.extend(atom.values.iter().filter_map(whole));
            return;
        }
        // A difference of moments is none.
        if atom.computed && matches!(self.content, Content::Moment(_) | Content::Year) {
            return;
        }
        if let Some(blank) = guarded(atom) {
            self.asked_blank |= of_gold;
            if !self.blanks.contains(&blank) {
                self.blanks.push(blank);
            }
            return;
        }
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
            // A flag is 0 or 1.
            Content::Flag
                if self
                    .members
                    .iter()
                    .filter_map(Value::as_f64)
                    .chain(self.bounds.iter().copied())
                    .any(|n| n > 1.0) =>
            {
                self.content = Content::Count;
            }
            Content::Count if numeric && !self.unique && self.bounds.is_empty() => {
                self.content = Content::Level
            }
            // Of a few words none is as long as that.
            Content::Category if self.unnamed && self.members.iter().any(is_long) => {
                self.content = Content::Name
            }
            // Numbers as texts, of all lengths: '98' is more than '210'.
            Content::Category | Content::Name | Content::Code
                if self.numeric && self.members.is_empty() && !self.unique =>
            {
                self.content = Content::Count;
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

/// The prediction's joins from a column for which the gold has a constant to a table that the gold does not read: it
/// asks for the row of a key by name.
fn looked_up(gold: &Facts, pred: &Facts) -> Facts {
    let constant = |slot: Slot| {
        let at = pred.column(slot);
        gold.atoms.iter().any(|a| a.comparison == Comparison::Eq && gold.column(a.slot) == at)
    };
    let unread = |slot: Slot| pred.column(slot).is_some_and(|at| !gold.instances.contains(&at.table));
    let looks_up = |l: &&Link| constant(l.left) && unread(l.right) || constant(l.right) && unread(l.left);
    let links = pred.links.iter().filter(looks_up).copied().collect();
    Facts { instances: pred.instances.clone(), links, ..Facts::default() }
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
                portraits.change(facts, atom.slot, |p| p.learn(atom, own));
            }
            for (slot, how) in &facts.treated {
                portraits.change(facts, *slot, |p| p.numeric |= *how == Treatment::Number);
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
        portraits.cap(gold, pred);
        portraits.cap(pred, gold);
        portraits.describe(gold);
        portraits.date(schema);
        portraits.imply(schema, gold);
        portraits.imply(schema, &looked_up(gold, pred));
        portraits.by_name(schema, gold, read);
        portraits.name(gold);
        portraits
    }

    /// Columns of text by which the gold finds the rows of a parent that it joins: what these go by, whatever it is called.
    /// Of Spider's training golds that ask so for what is no category by its name, 51 of 75 find one row.
    fn name(&mut self, gold: &Facts) {
        let joined = |instance: usize| {
            let ends = |l: &Link| [l.left.instance, l.right.instance];
            gold.links.iter().map(ends).any(|ends| ends.contains(&instance) && ends[0] != ends[1])
        };
        for atom in &gold.atoms {
            let worded =
                |v: &Value| matches!(v, Value::Text(t) if t.bytes().any(|b| b.is_ascii_alphabetic()));
            let asks = atom.comparison == Comparison::Eq && !atom.weak && atom.values.iter().all(worded);
            let Some(at) = gold.column(atom.slot).filter(|_| asks && joined(atom.slot.instance)) else {
                continue;
            };
            let parent = self.references.values().flatten().any(|r| r.target == at.table);
            let Some(portrait) = self.columns.get_mut(at).filter(|p| parent && !p.unique) else { continue };
            match portrait.content {
                Content::Category if portrait.unnamed => {
                    portrait.content = Content::Name;
                    portrait.own_name = true;
                }
                Content::Name | Content::Person | Content::Code => portrait.own_name = true,
                _ => {}
            }
        }
    }

    /// Constants of one query for a column of which the other asks for the largest: who wrote it knew which one that is.
    fn cap(&mut self, one: &Facts, other: &Facts) {
        for atom in one.atoms.iter().filter(|a| a.comparison == Comparison::Eq && !a.derived) {
            let Some(at) = one.column(atom.slot) else { continue };
            let ranked = other.ranked.iter().any(|&s| other.column(s) == Some(at));
            let tested = other.atoms.iter().any(|a| other.column(a.slot) == Some(at));
            if let (true, Some(portrait)) = (ranked && !tested, self.columns.get_mut(at)) {
                portrait.top = atom.values.first().and_then(Value::as_f64);
            }
        }
    }

    /// What tells one row: the first and the last name of a person, or a name with what else the gold asks for by name.
    fn describe(&mut self, gold: &Facts) {
        let kind =
            |at: ColumnRef| self.columns.get(at).filter(|p| !p.unique && !p.enumerated).map(|p| p.content);
        let named = |at: ColumnRef| matches!(kind(at), Some(Content::Person | Content::Name));
        let mut described: BTreeMap<usize, BTreeSet<Vec<usize>>> = BTreeMap::new();
        for (instance, &table) in gold.instances.iter().enumerate() {
            let equal = |a: &&Atom| {
                a.slot.instance == instance && a.comparison == Comparison::Eq && !a.weak && !a.derived
            };
            let tells = |column: &usize| {
                let kind = kind(ColumnRef { table, column: *column });
                matches!(kind, Some(Content::Person | Content::Name | Content::Year | Content::Moment(_)))
            };
            let told: BTreeSet<usize> =
                gold.atoms.iter().filter(equal).map(|a| a.slot.column).filter(tells).collect();
            if told.len() > 1 && told.iter().any(|&column| named(ColumnRef { table, column })) {
                described.entry(table).or_default().insert(told.into_iter().collect());
            }
        }
        let mut persons: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (at, _) in self.columns.iter().filter(|(at, _)| kind(*at) == Some(Content::Person)) {
            persons.entry(at.table).or_default().push(at.column);
        }
        for (table, columns) in persons.into_iter().filter(|(_, columns)| columns.len() == 2) {
            described.entry(table).or_default().insert(columns);
        }
        self.described =
            described.into_iter().map(|(table, keys)| (table, keys.into_iter().collect())).collect();
    }

    /// Years that stand beside the date that they are of: alone with it, or called after it.
    fn date(&mut self, schema: &Schema) {
        let called = |at: ColumnRef| schema.column(at).map(|c| words(&c.name)).unwrap_or_default();
        let dates: Vec<ColumnRef> = self
            .columns
            .iter()
            .filter(|(_, p)| matches!(p.content, Content::Moment(form) if form.is_dated()))
            .map(|(at, _)| at)
            .collect();
        for (at, portrait) in self.columns.iter_mut().filter(|(_, p)| p.content == Content::Year) {
            let own = called(at);
            let bare = own.iter().all(|w| matches!(w.as_str(), "year" | "yr" | "season"));
            let beside: Vec<&ColumnRef> = dates.iter().filter(|d| d.table == at.table).collect();
            let after = beside.iter().find(|d| called(***d).iter().any(|w| w != "date" && own.contains(w)));
            portrait.part_of = match beside.as_slice() {
                [date] if bare => Some(date.column),
                _ => after.map(|date| date.column),
            };
        }
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
            let Portraits { columns, references, described: _, profile: _ } = self;
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
