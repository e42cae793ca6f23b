//! What is known before any database is made: the tables, the domains of their columns, and the values that each
//! domain is filled from.

use std::collections::{BTreeSet, HashSet};

use serde::Serialize;
use twinql_sql::schema::Typing;
use twinql_sql::{ColumnRef, Schema, Semantics, TypeClass, Value};

use super::draft::{self, Draft, Pool};
use super::nearby;
use super::shapes::{self, Filling, Subject};
use super::structured;
use super::typed;
use super::values::{
    Style, between_whole, digits_variant, form, fractional, fresh, moment, near_date, style, undeclared,
    variant, well_formed,
};
use crate::constraints::Constraints;
use crate::database::Database;
use crate::database::parents_first;
use crate::dice::Dice;
use crate::facts::{Comparison, Facts, Slot, Treatment};

/// Columns of a schema up to which values are drawn for all its tables.
const MAX_DRAWN: usize = 2_048;

/// Makes the databases of one pair of queries.
#[derive(Debug)]
pub struct Generator<'a> {
    pub(super) schema: &'a Schema,
    pub(super) semantics: &'a Semantics,
    pub(super) facts: &'a [Facts],
    pub(super) seed: u64,
    /// The tables that the queries mention.
    pub(super) read: Vec<usize>,
    /// These, and all that they refer to.
    pub(super) needed: Vec<usize>,
    /// The domain of each column, by table.
    pub(super) domains: Vec<Vec<usize>>,
    profiles: Vec<Profile>,
    /// Numbers that the queries compare counts with, those that a table's rows can reach.
    pub(super) counts: Vec<i64>,
    /// The needed tables, each after those that it refers to.
    pub(super) order: Vec<usize>,
    pub(super) constraints: Constraints,
    /// Columns that some foreign key refers to.
    pub(super) referred: HashSet<ColumnRef>,
    /// Kinds of databases that are worth their cost only where no other helped.
    pub(super) thorough: bool,
    /// Rows as they come, aimed at nothing.
    pub(super) plain: bool,
    /// Values of a user's own database, by table and column.
    pub(super) values: Option<&'a Values>,
}

/// Values of real columns, by table and column of a schema.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Values(pub Vec<Vec<Vec<Value>>>);

/// What is known of a domain before any database is made.
#[derive(Debug, Clone, Default)]
struct Profile {
    /// A column that stands for the domain.
    column: Option<ColumnRef>,
    /// Constants that columns of the domain are compared with.
    literals: Vec<Value>,
    computed: bool,
    numeric: bool,
    /// A column of the domain is equal, as it stands, to a constant that is no date.
    other_form: bool,
    /// What the queries make of the values.
    treatments: Vec<Treatment>,
    /// A column of the domain has no declared type.
    undeclared: bool,
    /// Domains of numbers that columns of this one, of texts, are compared with.
    partners: Vec<usize>,
}

impl Profile {
    /// The paths of documents that the queries read.
    fn paths(&self) -> Vec<&str> {
        let path = |t| match t {
            &Treatment::Document(Some(ref path)) => Some(path.as_str()),
            _ => None,
        };
        self.treatments.iter().filter_map(path).collect()
    }
}

/// The root of a set of the union-find, halving the path to it.
fn find(parent: &mut [usize], mut x: usize) -> usize {
    while parent[x] != x {
        parent[x] = parent[parent[x]];
        x = parent[x];
    }
    x
}

impl<'a> Generator<'a> {
    /// A generator for queries with these facts; `tables` are further tables to fill.
    pub fn new(
        schema: &'a Schema,
        semantics: &'a Semantics,
        facts: &'a [Facts],
        tables: &[usize],
        seed: u64,
    ) -> Generator<'a> {
        let mut wanted: BTreeSet<usize> = facts.iter().flat_map(Facts::tables).collect();
        wanted.extend(tables.iter().filter(|&&t| t < schema.tables.len()));
        let read: Vec<usize> = wanted.iter().copied().collect();
        let mut queue = read.clone();
        while let Some(table) = queue.pop() {
            for fk in &schema.tables[table].foreign_keys {
                if wanted.insert(fk.target) {
                    queue.push(fk.target);
                }
            }
        }
        let needed: Vec<usize> = wanted.into_iter().collect();
        // Values are drawn for all tables in turn, so that a table's do not depend on which
        // others a query names; but not for thousands that nobody asked for.
        let width: usize = schema.tables.iter().map(|t| t.columns.len()).sum();
        let all: Vec<usize> = (0..schema.tables.len()).collect();
        let drawn = if width > MAX_DRAWN { &needed } else { &all };
        let (domains, profiles) = profile(schema, facts, drawn);
        let mut counts: Vec<i64> = facts.iter().flat_map(|f| f.counts.iter().copied()).collect();
        counts.sort_unstable();
        counts.dedup();
        counts.retain(|&n| (0..=20).contains(&n));
        let order =
            parents_first(&needed, |t| schema.tables[t].foreign_keys.iter().map(|f| f.target).collect());
        let owners = schema.tables.iter().flat_map(|t| &t.foreign_keys);
        let referred = owners
            .flat_map(|fk| {
                let table = fk.target;
                fk.target_columns.iter().map(move |&column| ColumnRef { table, column })
            })
            .collect();
        let released = |at: ColumnRef| {
            let domain = domains.get(at.table).and_then(|d| d.get(at.column));
            domain.and_then(|&d| profiles.get(d)).is_some_and(|p| p.other_form)
        };
        let constraints = Constraints::of(schema, semantics, &needed, released);
        Generator {
            schema,
            semantics,
            facts,
            seed,
            read,
            needed,
            domains,
            profiles,
            counts,
            order,
            constraints,
            referred,
            thorough: false,
            plain: false,
            values: None,
        }
    }

    /// Adds strategies that are slow, or rarely of use: tiny tables, large groups, columns of
    /// a single value.
    pub fn thorough(self) -> Self {
        Generator { thorough: true, ..self }
    }

    /// Only independent rows of random values and the queries' constants, in tables of some size: the
    /// databases of test-suite accuracy (Zhong, Yu and Klein, 2020), on which rare differences do not
    /// show.
    pub fn plain(self) -> Self {
        Generator { plain: true, ..self }
    }

    /// Mixes values of real columns into the pools.
    pub fn with_values(self, values: Option<&'a Values>) -> Self {
        Generator { values, ..self }
    }

    /// The tables that are filled: those of the queries, and all that these refer to.
    pub fn tables(&self) -> &[usize] {
        &self.needed
    }

    /// The schema.
    pub(crate) fn schema(&self) -> &'a Schema {
        self.schema
    }

    /// Computes generated columns anew, and says whether the database meets all that those made here do.
    pub(crate) fn admits(&self, database: &mut Database) -> bool {
        let session = self.constraints.open();
        for (table, rows) in database.tables.iter_mut().enumerate() {
            if session.bind(table) && !rows.iter_mut().flatten().all(|row| session.meets(table, row)) {
                return false;
            }
        }
        database.check_under(self.schema, self.semantics, &self.constraints).is_ok()
    }

    /// The tables that the queries mention.
    pub(crate) fn read(&self) -> &[usize] {
        &self.read
    }

    /// Whether a column may hold NULL.
    pub(crate) fn may_be_null(&self, at: ColumnRef) -> bool {
        draft::may_be_null(self.schema, self.semantics, at)
    }

    /// The domain of a column: joined columns have the same.
    pub(crate) fn domain(&self, column: ColumnRef) -> Option<usize> {
        self.domains.get(column.table)?.get(column.column).copied()
    }

    /// Constants that columns of a domain are compared with.
    pub(crate) fn literals(&self, domain: usize) -> &[Value] {
        self.profiles.get(domain).map_or(&[], |p| &p.literals)
    }

    /// A row for each table that has none.
    pub(super) fn fill_empty(&self, draft: &mut Draft<'_>, dice: &mut Dice) {
        for &table in &self.order {
            if draft.tables[table].is_empty() {
                draft.add(table, &[], dice);
            }
        }
    }

    /// Empties tables; with foreign keys, only those that nothing refers to any more.
    pub(super) fn empty_some(&self, database: &mut Database, dice: &mut Dice) {
        for &table in self.order.iter().rev() {
            let referred = self.semantics.foreign_keys_hold
                && self.needed.iter().any(|&child| {
                    child != table
                        && !database.rows(child).is_empty()
                        && self.schema.tables[child].foreign_keys.iter().any(|f| f.target == table)
                });
            if !referred
                && dice.chance(0.4)
                && let Some(Some(rows)) = database.tables.get_mut(table)
            {
                rows.clear();
            }
        }
    }

    /// The values that each domain is filled from on one database: constants of the queries, their
    /// neighbours, values of a real database, and invented ones in a style of the column's. Long, since each
    /// source is a step that draws from the same dice, in an order that suites depend on.
    pub(super) fn pools(&self, index: u64, dice: &mut Dice) -> Vec<Pool> {
        let strangers: Vec<&Value> = self.facts.iter().flat_map(|f| &f.literals).collect();
        let mut pools: Vec<Pool> = self
            .profiles
            .iter()
            .map(|profile| {
                let column = profile.column.and_then(|c| self.schema.column(c));
                let mixed = !self.semantics.typed && dice.chance(0.3);
                let filling = column.and_then(|c| shapes::filling(c, &profile.treatments, dice));
                let style = match column {
                    _ if mixed => Style::Mixed,
                    None => Style::Integers,
                    Some(c) if self.schema.typing == Typing::Enforced && form(c).is_some() => {
                        form(c).unwrap_or(Style::Dates)
                    }
                    Some(c) => match (filling, moment(c)) {
                        (Some(Filling::Style(style)), _) => style,
                        // A constant of another form says that the column is used for more.
                        (_, Some(style)) if self.semantics.typed && !profile.other_form => style,
                        _ => style(c, profile.computed, profile.numeric, dice),
                    },
                };
                let dated = matches!(style, Style::Days | Style::Moments);
                let fractional = column.is_some_and(fractional) || !self.semantics.typed;
                let textual = !matches!(style, Style::Integers | Style::Numbers | Style::Flags);
                // A number as text has neighbours that only text has: '201', '2014x'.
                let near = |v: &Value, dice: &mut Dice| match v {
                    v if dated => near_date(style, v, false, dice),
                    Value::Integer(_) if fractional && dice.chance(0.5) => between_whole(v, dice),
                    Value::Integer(n) if textual && dice.chance(0.4) => digits_variant(&n.to_string(), dice),
                    Value::Text(s) if s.parse::<f64>().is_ok() && dice.chance(0.3) => digits_variant(s, dice),
                    v => variant(v, dice),
                };
                let mut values = Vec::new();
                for literal in &profile.literals {
                    if dice.chance(0.75) {
                        values.push(match literal {
                            literal if dated => near_date(style, literal, true, dice),
                            Value::Text(s) if s.contains('%') => near(literal, dice),
                            other => other.clone(),
                        });
                    }
                    for _ in 0..dice.below(3) {
                        values.push(near(literal, dice));
                    }
                }
                let few = 1 + dice.below(if index < 8 { 4 } else { 7 });
                // Values of a plain database hardly ever coincide, except in some columns.
                let wide = dice.chance(if self.plain { 0.65 } else { 0.4 });
                let size = if self.plain && wide { 0 } else { few };
                let own = if profile.literals.is_empty() || size == 0 { size } else { dice.below(size) };
                for _ in 0..own {
                    values.push(fresh(style, wide, dice));
                }
                if dice.chance(0.1)
                    && let Some(value) = dice.pick(&strangers)
                {
                    values.push((*value).clone());
                }
                if let Some(column) = profile.column
                    && let Some(real) = self.values.and_then(|v| v.0.get(column.table)?.get(column.column))
                    && dice.chance(0.7)
                {
                    for _ in 0..dice.below(6) {
                        values.extend(dice.pick(real).cloned());
                    }
                }
                if self.semantics.typed {
                    values.retain(|v| well_formed(style, v));
                    let class = column.map(|c| c.class);
                    if !textual && matches!(class, Some(TypeClass::Integer | TypeClass::Number)) {
                        values.retain(|v| match v {
                            Value::Text(s) => s.trim().parse::<f64>().is_ok(),
                            Value::Real(_) => class == Some(TypeClass::Number),
                            _ => true,
                        });
                    }
                }
                // Spans between moments are short now and then.
                let close = dated && profile.computed && dice.chance(0.6);
                if close {
                    let base = nearby::day(index, &strangers);
                    values = (0..10).map(|_| nearby::moment(style, base, dice)).collect();
                }
                // An array that is read as JSON is still an array.
                let document = (filling == Some(Filling::Documents)).then_some(structured::Shape::Document);
                let shape = column.and_then(structured::shape).or(document);
                if let Some(shape) = shape {
                    let paths = profile.paths();
                    let declared = column.map_or("", |c| c.declared.as_str());
                    values = match shape {
                        structured::Shape::Elements | structured::Shape::Fields => {
                            typed::values(declared, &profile.literals, &strangers, dice)
                        }
                        _ if paths.is_empty() => {
                            structured::values(shape, &profile.literals, &strangers, dice)
                        }
                        _ => structured::documents(&paths, &profile.literals, dice),
                    };
                }
                let geographies = filling == Some(Filling::Geographies);
                if geographies {
                    values = structured::geographies(dice);
                }
                dice.shuffle(&mut values);
                Pool {
                    style,
                    values,
                    shape,
                    fresh: match self.plain {
                        _ if geographies => 0.0,
                        _ if close => 0.05,
                        true if wide => 0.5,
                        true => 0.05,
                        false => [0.0, 0.05, 0.2, 0.5][dice.below(4)],
                    },
                    skew: [1.0, 1.0, 2.0][dice.below(3)],
                }
            })
            .collect();
        if !self.plain {
            self.shape(&mut pools, dice);
        }
        pools
    }

    /// Adds values of the [shapes](super::shapes::SHAPES) that the queries make matter. Databases of other queries
    /// draw nothing here.
    fn shape(&self, pools: &mut [Pool], dice: &mut Dice) {
        for (domain, profile) in self.profiles.iter().enumerate() {
            let Some(column) = profile.column.and_then(|c| self.schema.column(c)) else { continue };
            let asked = !profile.treatments.is_empty() || !profile.partners.is_empty() || profile.undeclared;
            let partners = profile.partners.iter().filter_map(|&p| pools.get(p));
            let partners: Vec<Value> = partners.flat_map(|p| p.values.iter().take(8)).cloned().collect();
            let Some(pool) = pools.get_mut(domain).filter(|pool| asked && pool.shape.is_none()) else {
                continue;
            };
            let subject = Subject {
                column,
                style: pool.style,
                treatments: &profile.treatments,
                literals: &profile.literals,
                pool: &pool.values,
                partners: &partners,
                undeclared: profile.undeclared,
                typed: self.semantics.typed,
            };
            for value in subject.shaped(dice) {
                pool.values.insert(dice.below(pool.values.len() + 1), value);
            }
        }
    }

    /// The domain of a column of a query.
    pub(super) fn pool_of(&self, facts: &Facts, slot: Slot) -> Option<usize> {
        self.domain(facts.column(slot)?)
    }
}

/// Columns of the tables `drawn` that are joined by foreign keys or by the queries form a domain: they draw
/// from one pool of values, or a join would hardly ever find a row. Gives each column's domain by table, and
/// the domains.
///
/// The links of the queries are followed after the foreign keys, and only where both sides are numbers or
/// neither is: `WHERE t.year = u.name` must not give years to the names.
fn profile(schema: &Schema, facts: &[Facts], drawn: &[usize]) -> (Vec<Vec<usize>>, Vec<Profile>) {
    let mut base = vec![usize::MAX; schema.tables.len()];
    let mut columns = Vec::new();
    for &table in drawn {
        base[table] = columns.len();
        for column in 0..schema.tables[table].columns.len() {
            columns.push(ColumnRef { table, column });
        }
    }
    let id = |c: ColumnRef| -> Option<usize> {
        schema.column(c)?;
        base.get(c.table)?.checked_add(c.column)
    };
    let mut parent: Vec<usize> = (0..columns.len()).collect();
    for &table in drawn {
        for fk in &schema.tables[table].foreign_keys {
            for (&column, &target) in fk.columns.iter().zip(&fk.target_columns) {
                let a = id(ColumnRef { table, column });
                let b = id(ColumnRef { table: fk.target, column: target });
                if let (Some(a), Some(b)) = (a, b) {
                    let (a, b) = (find(&mut parent, a), find(&mut parent, b));
                    parent[a] = b;
                }
            }
        }
    }
    // Numbers and text share no domain, or one of them would lose its own constants.
    let mut numeric = vec![false; columns.len()];
    for (i, at) in columns.iter().enumerate() {
        let class = schema.column(*at).map(|c| c.class);
        if matches!(class, Some(TypeClass::Integer | TypeClass::Number)) {
            let root = find(&mut parent, i);
            numeric[root] = true;
        }
    }
    for f in facts {
        for link in &f.links {
            let a = f.column(link.left).and_then(id);
            let b = f.column(link.right).and_then(id);
            if let (Some(a), Some(b)) = (a, b) {
                let (a, b) = (find(&mut parent, a), find(&mut parent, b));
                if numeric[a] == numeric[b] {
                    parent[a] = b;
                }
            }
        }
    }
    let mut numbers = vec![usize::MAX; columns.len()];
    let mut profiles: Vec<Profile> = Vec::new();
    let mut domains: Vec<Vec<usize>> = vec![Vec::new(); schema.tables.len()];
    for &table in drawn {
        domains[table] = vec![0; schema.tables[table].columns.len()];
    }
    for (i, &at) in columns.iter().enumerate() {
        let root = find(&mut parent, i);
        if numbers[root] == usize::MAX {
            numbers[root] = profiles.len();
            profiles.push(Profile::default());
        }
        domains[at.table][at.column] = numbers[root];
        let profile = &mut profiles[numbers[root]];
        profile.undeclared |= schema.column(at).is_some_and(undeclared);
        // The narrowest type of a domain decides: whole numbers fit text columns too.
        let narrow = |c: Option<ColumnRef>| {
            c.and_then(|c| schema.column(c)).map_or(9, |c| match c.class {
                TypeClass::Integer => 0,
                TypeClass::Number => 1,
                TypeClass::Boolean => 2,
                TypeClass::Time => 3,
                TypeClass::Text => 4,
                TypeClass::Other => 5,
            })
        };
        if narrow(Some(at)) < narrow(profile.column) {
            profile.column = Some(at);
        }
    }
    learn(schema, &mut profiles, &domains, facts);
    (domains, profiles)
}

/// Constants that a domain keeps: more would crowd out values that no query names.
const MAX_LITERALS: usize = 12;

/// Treatments that a domain keeps.
const MAX_TREATMENTS: usize = 16;

/// Adds to the domains what the queries compare their columns with, and what they make of them.
fn learn(schema: &Schema, profiles: &mut [Profile], domains: &[Vec<usize>], facts: &[Facts]) {
    let domain = |c: ColumnRef| domains.get(c.table).and_then(|t| t.get(c.column)).copied();
    let numeric = |c: ColumnRef| {
        let class = schema.column(c).map(|c| c.class);
        matches!(class, Some(TypeClass::Integer | TypeClass::Number))
    };
    for f in facts {
        for (slot, how) in &f.treated {
            if let Some(profile) = f.column(*slot).and_then(domain).and_then(|d| profiles.get_mut(d))
                && !profile.treatments.contains(how)
                && profile.treatments.len() < MAX_TREATMENTS
            {
                profile.treatments.push(how.clone());
            }
        }
        for link in &f.links {
            for (text, number) in [(link.left, link.right), (link.right, link.left)] {
                if let (Some(text), Some(number)) = (f.column(text), f.column(number))
                    && !numeric(text)
                    && numeric(number)
                    && let (Some(own), Some(partner)) = (domain(text), domain(number))
                    && own != partner
                    && let Some(profile) = profiles.get_mut(own)
                    && !profile.partners.contains(&partner)
                {
                    profile.partners.push(partner);
                }
            }
        }
        for atom in &f.atoms {
            if let Some(c) = f.column(atom.slot)
                && let Some(&d) = domains.get(c.table).and_then(|t| t.get(c.column))
                && let Some(profile) = profiles.get_mut(d)
            {
                let equal = matches!(atom.comparison, Comparison::Eq | Comparison::In);
                for value in &atom.values {
                    profile.other_form |= equal
                        && !atom.weak
                        && !well_formed(Style::Days, value)
                        && !well_formed(Style::Moments, value);
                    profile.numeric |= matches!(value, Value::Integer(_) | Value::Real(_))
                        || matches!(value, Value::Text(s) if s.parse::<f64>().is_ok());
                    if !profile.literals.contains(value) && profile.literals.len() < MAX_LITERALS {
                        profile.literals.push(value.clone());
                    }
                }
            }
        }
        for slot in &f.computed {
            if let Some(c) = f.column(*slot)
                && let Some(&d) = domains.get(c.table).and_then(|t| t.get(c.column))
                && let Some(profile) = profiles.get_mut(d)
            {
                profile.computed = true;
            }
        }
    }
}
