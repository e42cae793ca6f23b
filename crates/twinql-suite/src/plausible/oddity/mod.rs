//! What is odd about a witness: what it holds that plausible databases hardly ever do.
//!
//! A check looks for one kind of oddity and offers the database without it. An oddity is the reason why two
//! answers differ if they agree on the database without it, which the judge tries: a witness holds odd things by
//! chance, too.

mod links;
mod rows;
mod values;

use twinql_sql::{ColumnRef, ForeignKey, Schema, Value};

use super::portrait::{Portrait, Portraits};
use super::regularity::Regularity;
use crate::database::{Database, Row, project};
use crate::facts::Facts;

/// Something odd about a database.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Oddity {
    /// The name of the check that found it.
    pub(crate) kind: &'static str,
    /// What is odd, with the names of tables and columns.
    pub(crate) says: String,
    /// The database without it.
    pub(crate) without: Database,
}

/// A kind of oddity.
pub struct Check {
    /// Its name: that of the regularity that it breaks, where there is one.
    pub name: &'static str,
    /// What plausible databases have instead.
    pub summary: &'static str,
    /// The regularity; none of what all plausible databases have.
    pub regularity: Option<Regularity>,
    find: fn(&Scene<'_>, &mut Found),
}

/// All checks. The first that explains a witness is named first.
pub const CHECKS: [Check; 14] = [
    always("rows", "each table holds rows", rows::empty_tables),
    always("kept-references", "references lead to a row", links::dangling),
    kept(Regularity::CompleteReferences, "complete-references", "no reference is NULL", links::missing),
    kept(
        Regularity::DistinctTwins,
        "distinct-twins",
        "two references of one row to one table lead to different rows",
        links::twins,
    ),
    kept(
        Regularity::ClosedDiamonds,
        "closed-diamonds",
        "two ways to one table lead to the same row",
        links::diamonds,
    ),
    always("real-dates", "columns of dates hold dates", values::no_dates),
    always("one-spelling", "a value is spelled in one way", values::spellings),
    always("no-margins", "texts have no spaces around them", values::margins),
    always("amounts", "amounts are seldom zero, and not below", values::amounts),
    kept(Regularity::UniqueNames, "unique-names", "names and codes belong to one row", rows::shared_names),
    kept(Regularity::ClearExtremes, "clear-extremes", "rows do not tie where they are ranked", rows::ties),
    kept(
        Regularity::ClearFavourites,
        "clear-favourites",
        "one parent alone has the most children",
        rows::favourites,
    ),
    kept(
        Regularity::NaturalKeys,
        "natural-keys",
        "a parent has one child for each day, other parent, or kind",
        rows::natural_keys,
    ),
    kept(
        Regularity::FewNulls,
        "few-nulls",
        "columns that the gold does not test for NULL hold none",
        values::nulls,
    ),
];

const fn kept(
    regularity: Regularity,
    name: &'static str,
    summary: &'static str,
    find: fn(&Scene<'_>, &mut Found),
) -> Check {
    Check { name, summary, regularity: Some(regularity), find }
}

const fn always(name: &'static str, summary: &'static str, find: fn(&Scene<'_>, &mut Found)) -> Check {
    Check { name, summary, regularity: None, find }
}

/// Oddities of one kind that are tried.
const MOST: usize = 12;

/// A database and what its columns probably hold.
pub(crate) struct Scene<'a> {
    schema: &'a Schema,
    portraits: Portraits,
    database: &'a Database,
    /// Databases with rows for tables that have none.
    filled: Database,
}

/// What a check has found.
pub(crate) struct Found {
    kind: &'static str,
    oddities: Vec<Oddity>,
}

impl Found {
    fn add(&mut self, says: String, without: Database) {
        if self.oddities.len() < MOST {
            self.oddities.push(Oddity { kind: self.kind, says, without });
        }
    }
}

/// The oddities of a database for a pair with these facts, in the order of the checks. `filled` is a plausible
/// database of the pair.
pub(crate) fn oddities(
    schema: &Schema,
    [gold, pred]: [&Facts; 2],
    database: &Database,
    filled: Database,
) -> Vec<Oddity> {
    let present: Vec<usize> =
        (0..database.tables.len()).filter(|&t| database.tables.get(t).is_some_and(Option::is_some)).collect();
    let scene = Scene { schema, portraits: Portraits::of(schema, gold, pred, &present), database, filled };
    let mut all = Vec::new();
    for check in &CHECKS {
        let mut found = Found { kind: check.name, oddities: Vec::new() };
        (check.find)(&scene, &mut found);
        all.append(&mut found.oddities);
    }
    all
}

impl<'a> Scene<'a> {
    fn rows(&self, table: usize) -> &'a [Row] {
        self.database.rows(table)
    }

    /// Columns of tables with rows that are neither keys nor references.
    fn plain(&self) -> impl Iterator<Item = (ColumnRef, &Portrait)> {
        self.portraits
            .columns
            .iter()
            .filter(|(at, portrait)| !portrait.unique && !self.rows(at.table).is_empty() && !self.refers(*at))
    }

    fn refers(&self, at: ColumnRef) -> bool {
        self.portraits.references(at.table).iter().any(|r| r.columns.contains(&at.column))
    }

    /// All references between tables that have rows, with the table that refers.
    fn references(&self) -> impl Iterator<Item = (usize, &ForeignKey)> {
        self.portraits
            .references
            .iter()
            .flat_map(|(t, references)| references.iter().map(move |r| (*t, r)))
            .filter(|(t, r)| !self.rows(*t).is_empty() && !self.rows(r.target).is_empty())
    }

    /// The row that a reference leads to.
    fn parent(&self, reference: &ForeignKey, row: &Row) -> Option<&'a Row> {
        let named = project(row, &reference.columns);
        self.rows(reference.target).iter().find(|r| project(r, &reference.target_columns) == named)
    }

    fn table(&self, table: usize) -> &str {
        self.schema.tables.get(table).map_or("?", |t| &t.name)
    }

    fn column(&self, at: ColumnRef) -> &str {
        self.schema.column(at).map_or("?", |c| &c.name)
    }

    fn value(&self, at: ColumnRef, row: usize) -> &'a Value {
        self.rows(at.table).get(row).and_then(|r| r.get(at.column)).unwrap_or(&Value::Null)
    }

    /// The database with another value.
    fn with(&self, at: ColumnRef, row: usize, value: Value) -> Database {
        let mut database = self.database.clone();
        set(&mut database, at, row, value);
        database
    }

    /// Pairs of rows with the same value, not NULL, the second being the next one after the first.
    fn repeated(&self, at: ColumnRef) -> Vec<(usize, usize)> {
        let rows = 0..self.rows(at.table).len();
        let same = |i: usize, j: &usize| {
            self.value(at, i) == self.value(at, *j) && *self.value(at, i) != Value::Null
        };
        rows.clone().filter_map(|j| Some(((0..j).rev().find(|i| same(*i, &j))?, j))).collect()
    }

    /// A value that the column does not hold, like the one given.
    fn fresh(&self, at: ColumnRef, like: &Value) -> Value {
        let held: Vec<&Value> = (0..self.rows(at.table).len()).map(|i| self.value(at, i)).collect();
        let largest = held.iter().filter_map(|v| v.as_f64()).fold(0.0, f64::max);
        match like {
            Value::Integer(_) => Value::Integer((largest as i64).saturating_add(1)),
            Value::Real(_) => Value::Real((largest + 1.0).into()),
            Value::Text(text) => (2..)
                .map(|n| Value::Text(format!("{text} {n}")))
                .find(|v| !held.contains(&v))
                .unwrap_or_else(|| like.clone()),
            other => other.clone(),
        }
    }
}

fn set(database: &mut Database, at: ColumnRef, row: usize, value: Value) {
    let cell = database.tables.get_mut(at.table).and_then(Option::as_mut);
    if let Some(cell) = cell.and_then(|rows| rows.get_mut(row)).and_then(|row| row.get_mut(at.column)) {
        *cell = value;
    }
}

#[cfg(test)]
mod tests;
