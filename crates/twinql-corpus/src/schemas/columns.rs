//! Columns in another order, more of them, fewer of them.
//!
//! To a query that names what it reads these make no difference. `*` and NATURAL JOIN read what is there, so
//! a pair with either is left alone.

use std::collections::HashSet;

use rand::RngExt as _;
use rand::seq::{IndexedRandom as _, SliceRandom as _};
use rand_chacha::ChaCha8Rng;
use twinql_sql::{Column, Dialect, Schema};

use super::queries::{fresh, reads_unnamed, tables_read, taken, words};
use super::{Change, Given, Label};

pub(super) const CHANGES: &[Change] = &[
    Change {
        name: "shuffle-columns",
        origin: "MT-TEQL, 3.1.2, column shuffle",
        precondition: "no query selects *, or joins by the names that tables share",
        schema: "columns of the tables that are read stand in another order",
        queries: "stay",
        label: Label::Kept,
        weight: 1,
        apply: shuffle,
    },
    Change {
        name: "insert-columns",
        origin: "MT-TEQL, 3.1.2, column insertion, with words of our own in place of a knowledge graph",
        precondition: "no query selects *",
        schema: "one to three columns with new names in a table that is read",
        queries: "stay",
        label: Label::Kept,
        weight: 1,
        apply: insert,
    },
    Change {
        name: "remove-columns",
        origin: "MT-TEQL, 3.1.2, column removal",
        precondition: "no query selects * or names the column, no key holds it, and another stays",
        schema: "one or more columns go from the tables that are read",
        queries: "stay",
        label: Label::Kept,
        weight: 1,
        apply: remove,
    },
];

/// Every table that is read has its columns in a random order.
fn shuffle(given: &Given, rng: &mut ChaCha8Rng) -> Option<Given> {
    if reads_unnamed(given) {
        return None;
    }
    let mut schema = given.schema.clone();
    for table in tables_read(given) {
        let mut order: Vec<usize> = (0..schema.tables.get(table)?.columns.len()).collect();
        order.shuffle(rng);
        schema = with_columns(&schema, table, &order)?;
    }
    (schema != given.schema).then(|| Given { schema, ..given.clone() })
}

/// The new names stand nowhere in the schema or the queries, where they could be taken for others.
fn insert(given: &Given, rng: &mut ChaCha8Rng) -> Option<Given> {
    if reads_unnamed(given) {
        return None;
    }
    let mut taken = taken(given);
    let mut schema = given.schema.clone();
    let at = *tables_read(given).choose(rng)?;
    let table = schema.tables.get_mut(at)?;
    for _ in 0..rng.random_range(1..=3) {
        let (name, declared) = COLUMNS.choose(rng)?;
        table.columns.push(Column {
            not_null: rng.random_bool(0.3),
            ..Column::new(fresh(&mut taken, name), *declared, Dialect::Sqlite)
        });
    }
    Some(Given { schema, ..given.clone() })
}

/// Of each table that is read, some columns that nothing needs; one at least stays.
fn remove(given: &Given, rng: &mut ChaCha8Rng) -> Option<Given> {
    let mut schema = given.schema.clone();
    for at in tables_read(given) {
        let free = unused(given, at);
        let count = schema.tables.get(at)?.columns.len();
        if free.is_empty() || free.len() == count {
            continue;
        }
        let gone: HashSet<usize> = free.into_iter().filter(|_| rng.random_bool(0.6)).collect();
        let kept: Vec<usize> = (0..count).filter(|c| !gone.contains(c)).collect();
        schema = with_columns(&schema, at, &kept)?;
    }
    (schema != given.schema).then(|| Given { schema, ..given.clone() })
}

/// Columns of a table that no query names and no key holds; none at all where a query reads what
/// it does not name.
pub(super) fn unused(given: &Given, at: usize) -> Vec<usize> {
    if reads_unnamed(given) {
        return Vec::new();
    }
    let words = words(given);
    let Some(table) = given.schema.tables.get(at) else {
        return Vec::new();
    };
    let targets = given.schema.tables.iter().flat_map(|t| &t.foreign_keys);
    let targets = targets.filter(|k| k.target == at).flat_map(|k| &k.target_columns);
    let own = table.foreign_keys.iter().flat_map(|k| &k.columns);
    let keys: HashSet<usize> = (table.primary_key.iter())
        .chain(table.unique.iter().flatten())
        .chain(own)
        .chain(targets)
        .copied()
        .collect();
    let columns = table.columns.iter().enumerate();
    columns
        .filter(|(i, c)| !keys.contains(i) && !words.contains(&c.name.to_ascii_lowercase()))
        .map(|(i, _)| i)
        .collect()
}

/// The schema with the columns `order` of one table, in this order; none where a key holds a
/// column that is not among them.
pub fn with_columns(schema: &Schema, at: usize, order: &[usize]) -> Option<Schema> {
    let mut schema = schema.clone();
    let place = |c: usize| order.iter().position(|&o| o == c);
    let moved = |key: &[usize]| key.iter().map(|&c| place(c)).collect::<Option<Vec<usize>>>();
    for (i, table) in schema.tables.iter_mut().enumerate() {
        for key in &mut table.foreign_keys {
            if i == at {
                key.columns = moved(&key.columns)?;
            }
            if key.target == at {
                key.target_columns = moved(&key.target_columns)?;
            }
        }
    }
    let table = schema.tables.get_mut(at)?;
    table.primary_key = moved(&table.primary_key)?;
    for key in &mut table.unique {
        *key = moved(key)?;
    }
    table.columns = order.iter().map(|&c| table.columns.get(c).cloned()).collect::<Option<_>>()?;
    Some(schema)
}

/// What tables of any domain may have besides.
const COLUMNS: &[(&str, &str)] = &[
    ("note", "TEXT"),
    ("remark", "VARCHAR(120)"),
    ("created_on", "DATE"),
    ("changed_at", "DATETIME"),
    ("version", "INTEGER"),
    ("is_active", "BOOLEAN"),
    ("external_code", "VARCHAR(12)"),
    ("rating", "REAL"),
    ("budget", "DECIMAL(10,2)"),
    ("sort_number", "INTEGER"),
    ("colour", "TEXT"),
    ("source", "TEXT"),
    ("priority", "SMALLINT"),
    ("contact", "TEXT"),
];
