//! How often the regularities hold in real databases.
//!
//! Each is counted where it could be broken: a unique name over columns of names, a clear maximum over columns of
//! numbers, an orphan over references. The counts over Spider's training databases stand in the
//! registry, and give its probabilities. What the queries of a pair decide has nothing to count
//! ([`Regularity::CoherentTests`]).

use std::collections::BTreeMap;
use std::path::Path;

use rusqlite::{Connection, OpenFlags};
use twinql_sql::{ColumnRef, Schema, Table};

use super::content::{Content, is_own_name};
use super::regularity::{Count, Regularity};
use crate::database::{keys, quoted};
use crate::profile::ProfileError;

/// Rows below which a table says nothing.
const FEWEST: u64 = 8;

/// Counts by regularity.
pub type Counts = BTreeMap<Regularity, Count>;

/// Counts the regularities of a SQLite file. A table that cannot be read is passed over.
///
/// # Errors
/// The file cannot be opened, or its schema not read.
pub fn measure(path: &Path) -> Result<Counts, ProfileError> {
    let schema = Schema::from_sqlite(path).map_err(ProfileError::whole)?;
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags).map_err(ProfileError::whole)?;
    let mut measuring = Measuring { schema: &schema, connection, counts: Counts::new() };
    for (index, table) in schema.tables.iter().enumerate() {
        if measuring.number(&format!("SELECT COUNT(*) FROM {}", quoted(&table.name))).unwrap_or(0) >= FEWEST {
            measuring.columns(index, table);
            measuring.references(index, table);
        }
    }
    Ok(measuring.counts)
}

struct Measuring<'a> {
    schema: &'a Schema,
    connection: Connection,
    counts: Counts,
}

impl Measuring<'_> {
    fn number(&self, sql: &str) -> Option<u64> {
        self.connection.query_row(sql, [], |row| row.get::<_, i64>(0)).ok().and_then(|n| n.try_into().ok())
    }

    /// Counts a place of which it is known whether the regularity holds.
    fn note(&mut self, regularity: Regularity, holds: Option<bool>) {
        if let Some(holds) = holds {
            let count = self.counts.entry(regularity).or_default();
            count.of += 1;
            count.holds += u64::from(holds);
        }
    }

    /// Counts a place, if the condition, a query that gives 0 or more than 0, can be evaluated.
    fn count(&mut self, regularity: Regularity, sql: &str) {
        let holds = self.number(sql).map(|n| n > 0);
        self.note(regularity, holds);
    }

    /// Counts the regularities of a table's single columns. Keys are left out of those of values, and what refers to a
    /// key as well: that they repeat or not, and are NULL or not, the schema says already.
    fn columns(&mut self, index: usize, table: &Table) {
        let owner = quoted(&table.name);
        let mut without_nulls: Option<bool> = None;
        let referred = self.schema.tables.iter().any(|t| t.foreign_keys.iter().any(|f| f.target == index));
        for (position, column) in table.columns.iter().enumerate() {
            let alone = keys(table).any(|k| *k == [position]);
            let refers = table.foreign_keys.iter().any(|f| f.columns.contains(&position));
            let name = quoted(&column.name);
            let content = Content::of(column, &table.name, alone);
            if !alone && !refers {
                let none =
                    self.number(&format!("SELECT NOT EXISTS (SELECT 1 FROM {owner} WHERE {name} IS NULL)"));
                without_nulls = none.map(|n| n > 0 && without_nulls != Some(false)).or(without_nulls);
            }
            if !alone
                && !refers
                && matches!(content, Content::Name | Content::Category | Content::Place | Content::Person)
            {
                self.texts(&owner, &name);
            }
            match content {
                Content::Id if alone && !refers => self.count(
                    Regularity::DenseIds,
                    &format!("SELECT MIN({name}) = 1 AND MAX({name}) = COUNT(*) FROM {owner}"),
                ),
                _ if content.is_told_by_name() && !alone && !refers => {
                    let own = referred && is_own_name(column, &table.name);
                    let regularity = if own { Regularity::UniqueNames } else { Regularity::UniqueEntries };
                    self.count(
                        regularity,
                        &format!(
                            "SELECT COUNT(DISTINCT {name}) = COUNT({name}) AND COUNT({name}) > 0 FROM {owner}"
                        ),
                    );
                }
                Content::Money
                | Content::Count
                | Content::Measure
                | Content::Score
                | Content::Age
                | Content::Percent
                    if !alone && !refers =>
                {
                    let narrow = format!(
                        "SELECT (MAX({name}) - MIN({name})) * 2 < COUNT({name}) AND MAX({name} <> CAST({name} AS INTEGER)) = 0 FROM {owner}"
                    );
                    let narrow = self.number(&narrow) == Some(1);
                    let regularity =
                        if narrow { Regularity::NarrowExtremes } else { Regularity::ClearExtremes };
                    for extreme in ["MAX", "MIN"] {
                        self.count(
                            regularity,
                            &format!(
                                "SELECT COUNT(*) = 1 FROM {owner} WHERE {name} = (SELECT {extreme}({name}) FROM {owner})"
                            ),
                        );
                    }
                    self.count(
                        Regularity::NoBlanks,
                        &format!("SELECT NOT EXISTS (SELECT 1 FROM {owner} WHERE {name} = 0)"),
                    );
                }
                _ => {}
            }
        }
        self.note(Regularity::FewNulls, without_nulls);
        let person = |c: &usize| {
            let column = &table.columns[*c];
            !keys(table).any(|k| k.contains(c)) && Content::of(column, &table.name, false) == Content::Person
        };
        let persons: Vec<String> =
            (0..table.columns.len()).filter(person).map(|c| quoted(&table.columns[c].name)).collect();
        if let [first, last] = persons.as_slice() {
            self.count(
                Regularity::FullDescriptions,
                &format!(
                    "SELECT NOT EXISTS (SELECT 1 FROM {owner} GROUP BY {first}, {last} HAVING COUNT(*) > 1)"
                ),
            );
        }
    }

    /// Counts what texts are like: whether one stands within another, and whether one stands for none.
    fn texts(&mut self, owner: &str, name: &str) {
        let values =
            format!("(SELECT DISTINCT LOWER({name}) AS v FROM {owner} WHERE LENGTH({name}) > 1 LIMIT 400)");
        self.count(
            Regularity::BareValues,
            &format!(
                "SELECT NOT EXISTS (SELECT 1 FROM {values} AS a JOIN {values} AS b ON a.v <> b.v AND INSTR(b.v, a.v) > 0)"
            ),
        );
        self.count(
            Regularity::NoBlanks,
            &format!(
                "SELECT NOT EXISTS (SELECT 1 FROM {owner} WHERE LOWER(TRIM({name})) IN ('', 'null', 'none', 'n/a', 'na', '-'))"
            ),
        );
    }

    fn references(&mut self, index: usize, table: &Table) {
        let owner = quoted(&table.name);
        // References of one column, which nearly all are.
        let simple: Vec<(usize, ColumnRef)> = (0..table.columns.len())
            .flat_map(|column| {
                self.schema.sole_references(ColumnRef { table: index, column }).map(move |to| (column, to))
            })
            .collect();
        for &(column, to) in &simple {
            let (Some(target), Some(key)) = (self.schema.tables.get(to.table), self.schema.column(to)) else {
                continue;
            };
            let name = quoted(&table.columns[column].name);
            let (parent, key) = (quoted(&target.name), quoted(&key.name));
            self.count(
                Regularity::CompleteReferences,
                &format!("SELECT NOT EXISTS (SELECT 1 FROM {owner} WHERE {name} IS NULL)"),
            );
            self.count(
                Regularity::NoOrphans,
                &format!(
                    "SELECT NOT EXISTS (SELECT 1 FROM {parent} WHERE {key} NOT IN (SELECT {name} FROM {owner} WHERE {name} IS NOT NULL))"
                ),
            );
            let sizes = format!("SELECT COUNT(*) AS n FROM {owner} WHERE {name} IS NOT NULL GROUP BY {name}");
            // Where each parent has one child there is no favourite to find.
            if self.number(&format!("SELECT MAX(n) > 1 FROM ({sizes})")) == Some(1) {
                self.count(
                    Regularity::ClearFavourites,
                    &format!("SELECT COUNT(*) = 1 FROM ({sizes}) WHERE n = (SELECT MAX(n) FROM ({sizes}))"),
                );
                self.children(table, column, &owner, &name);
            }
        }
        for (i, (a, to)) in simple.iter().enumerate() {
            for (b, other) in &simple[i + 1..] {
                if to == other {
                    let (a, b) = (quoted(&table.columns[*a].name), quoted(&table.columns[*b].name));
                    self.count(
                        Regularity::DistinctTwins,
                        &format!("SELECT NOT EXISTS (SELECT 1 FROM {owner} WHERE {a} = {b})"),
                    );
                }
            }
        }
        self.diamonds(table, &simple, &owner);
    }

    /// Whether some column tells the children of one parent apart, and which they share.
    fn children(&mut self, table: &Table, reference: usize, owner: &str, name: &str) {
        let (mut told_apart, mut sticky): (Option<bool>, Option<bool>) = (None, None);
        for (position, column) in table.columns.iter().enumerate() {
            let refers = table.foreign_keys.iter().any(|f| f.columns.contains(&position));
            if position == reference || keys(table).any(|k| k.contains(&position)) {
                continue;
            }
            let other = quoted(&column.name);
            let content = Content::of(column, &table.name, false);
            if refers
                || matches!(content, Content::Moment(_) | Content::Year | Content::Category | Content::Level)
            {
                let apart = self.number(&format!(
                    "SELECT NOT EXISTS (SELECT 1 FROM {owner} WHERE {name} IS NOT NULL GROUP BY {name}, {other} HAVING COUNT(*) > 1)"
                ));
                told_apart = told_apart.max(apart.map(|n| n > 0));
            }
            if !refers {
                let same = self.number(&format!(
                    "SELECT NOT EXISTS (SELECT 1 FROM {owner} WHERE {name} IS NOT NULL GROUP BY {name} HAVING COUNT(DISTINCT {other}) > 1) AND (SELECT COUNT(DISTINCT {other}) > 1 FROM {owner})"
                ));
                sticky = sticky.max(same.map(|n| n > 0));
            }
        }
        self.note(Regularity::NaturalKeys, told_apart);
        self.note(Regularity::StickyValues, sticky);
    }

    /// Two ways to one table: by a reference of its own, and by a parent's.
    fn diamonds(&mut self, table: &Table, simple: &[(usize, ColumnRef)], owner: &str) {
        for &(direct, top) in simple {
            for &(by, middle) in simple.iter().filter(|(_, m)| m.table != top.table) {
                let Some(between) = self.schema.tables.get(middle.table) else { continue };
                let up = between.foreign_keys.iter().find(|f| f.target == top.table && f.columns.len() == 1);
                let Some(&up) = up.and_then(|f| f.columns.first()) else { continue };
                let (Some(key), Some(up)) = (between.columns.get(middle.column), between.columns.get(up))
                else {
                    continue;
                };
                let column = |c: usize| quoted(&table.columns[c].name);
                let sql = format!(
                    "SELECT NOT EXISTS (SELECT 1 FROM {owner} AS c JOIN {} AS m ON c.{} = m.{} WHERE c.{} <> m.{})",
                    quoted(&between.name),
                    column(by),
                    quoted(&key.name),
                    column(direct),
                    quoted(&up.name)
                );
                self.count(Regularity::ClosedDiamonds, &sql);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_holds_and_what_does_not_is_counted() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("shop.sqlite");
        let connection = Connection::open(&path).unwrap();
        connection
            .execute_batch(
                "CREATE TABLE town (id INTEGER PRIMARY KEY, name TEXT);
                 CREATE TABLE visit (id INTEGER PRIMARY KEY, town_id INTEGER REFERENCES town (id), price INTEGER);",
            )
            .unwrap();
        for i in 1..=10 {
            connection.execute("INSERT INTO town VALUES (?1, 'T' || ?1)", [i]).unwrap();
            // Town 1 has two visits; the dearest price is paid twice.
            connection.execute("INSERT INTO visit VALUES (?1 * 2, MAX(1, ?1 - 1), MIN(?1, 9))", [i]).unwrap();
        }
        drop(connection);
        let counts = measure(&path).unwrap();
        let count = |holds, of| Some(Count { holds, of });
        assert_eq!(counts.get(&Regularity::UniqueNames).copied(), count(1, 1));
        assert_eq!(counts.get(&Regularity::DenseIds).copied(), count(1, 2));
        assert_eq!(counts.get(&Regularity::ClearExtremes).copied(), count(1, 2));
        assert_eq!(counts.get(&Regularity::NoOrphans).copied(), count(0, 1));
        assert_eq!(counts.get(&Regularity::ClearFavourites).copied(), count(1, 1));
        assert!(measure(&folder.path().join("none.sqlite")).is_err());
    }

    /// The registry's counts are those of the databases that they are said to be from.
    #[test]
    fn the_registry_holds_what_is_counted() {
        let Some(data) = std::env::var_os("TWINQL_DATA") else {
            eprintln!("skipped: TWINQL_DATA is not set");
            return;
        };
        let folder = Path::new(&data).join("spider/database_train");
        let mut total = Counts::new();
        for entry in std::fs::read_dir(&folder).unwrap() {
            let entry = entry.unwrap();
            let file = entry.path().join(entry.file_name()).with_extension("sqlite");
            for (regularity, count) in measure(&file).unwrap_or_default() {
                let sum = total.entry(regularity).or_default();
                sum.holds += count.holds;
                sum.of += count.of;
            }
        }
        for entry in super::super::REGULARITIES {
            if entry.counted.is_some() {
                assert_eq!(entry.counted.as_ref(), total.get(&entry.regularity), "{}", entry.name);
            }
        }
    }
}
