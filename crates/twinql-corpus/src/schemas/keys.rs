//! Keys that are not declared, and types that are declared in other words.
//!
//! A key says what a database cannot hold, and an affinity how values compare. Without them there are more
//! databases, and two queries that agreed may differ on one: the label is judged anew. Another word for a
//! type changes neither.

use std::collections::BTreeSet;

use rand::RngExt as _;
use rand::seq::IndexedRandom as _;
use rand_chacha::ChaCha8Rng;
use twinql_sql::{Affinity, Schema, TypeClass};

use super::queries::tables_read;
use super::{Change, Given, Label};

pub(super) const CHANGES: &[Change] = &[
    Change {
        name: "drop-foreign-keys",
        origin: "MT-TEQL, 3.1.2, opaque key",
        precondition: "a table that is read has a foreign key, or is what one refers to",
        schema: "one or all of these foreign keys are not declared",
        queries: "stay",
        label: Label::Judged,
        weight: 2,
        apply: drop_foreign_keys,
    },
    Change {
        name: "drop-primary-key",
        origin: "MT-TEQL, 3.1.2, opaque key",
        precondition: "a table that is read has a primary key",
        schema: "the key is not declared, nor are foreign keys that refer to it; its columns stay NOT NULL",
        queries: "stay",
        label: Label::Judged,
        weight: 2,
        apply: drop_primary_key,
    },
    Change {
        name: "text-keys",
        origin: "keys as they are often stored: codes, UUIDs",
        precondition: "a table that is read has a numeric primary key of one column",
        schema: "the key, and every column that is joined to it by foreign keys, is declared TEXT",
        queries: "stay: numbers that are compared with the key become its text",
        label: Label::Judged,
        weight: 2,
        apply: text_keys,
    },
    Change {
        name: "type-words",
        origin: "SQLite's types: what counts is the affinity (datatype3, section 3.1)",
        precondition: "a table that is read has a column of type INTEGER, TEXT or REAL, outside its primary key",
        schema: "columns are declared by another word of the same affinity and class: INT, VARCHAR(80), DOUBLE",
        queries: "stay",
        label: Label::Kept,
        weight: 1,
        apply: type_words,
    },
];

/// One foreign key of the tables that are read, or to one of them; or all of these.
fn drop_foreign_keys(given: &Given, rng: &mut ChaCha8Rng) -> Option<Given> {
    let read = tables_read(given);
    let mut able = Vec::new();
    for (i, table) in given.schema.tables.iter().enumerate() {
        let keys = table.foreign_keys.iter().enumerate();
        able.extend(keys.filter(|(_, k)| read.contains(&i) || read.contains(&k.target)).map(|(k, _)| (i, k)));
    }
    let one = *able.choose(rng)?;
    let all = rng.random_bool(0.5);
    let mut schema = given.schema.clone();
    for (i, table) in schema.tables.iter_mut().enumerate() {
        let mut at = 0;
        table.foreign_keys.retain(|_| {
            let this = (i, at);
            at += 1;
            !(this == one || all && able.contains(&this))
        });
    }
    Some(Given { schema, ..given.clone() })
}

/// The foreign keys that refer to it go as well, since they have to refer to a key
/// (<https://sqlite.org/foreignkeys.html#fk_indexes>).
fn drop_primary_key(given: &Given, rng: &mut ChaCha8Rng) -> Option<Given> {
    let keyed = |&&t: &&usize| given.schema.tables.get(t).is_some_and(|t| !t.primary_key.is_empty());
    let read = tables_read(given);
    let able: Vec<&usize> = read.iter().filter(keyed).collect();
    let at = **able.choose(rng)?;
    let mut schema = given.schema.clone();
    let key = std::mem::take(&mut schema.tables.get_mut(at)?.primary_key);
    for table in &mut schema.tables {
        table.foreign_keys.retain(|k| k.target != at || !k.target_columns.iter().all(|c| key.contains(c)));
    }
    Some(Given { schema, ..given.clone() })
}

/// Every column that foreign keys join to `from`, it included.
fn joined(schema: &Schema, from: (usize, usize)) -> BTreeSet<(usize, usize)> {
    let mut all = BTreeSet::from([from]);
    loop {
        let before = all.len();
        for (i, table) in schema.tables.iter().enumerate() {
            for key in &table.foreign_keys {
                for (&a, &b) in key.columns.iter().zip(&key.target_columns) {
                    let (a, b) = ((i, a), (key.target, b));
                    if all.contains(&a) || all.contains(&b) {
                        all.extend([a, b]);
                    }
                }
            }
        }
        if all.len() == before {
            return all;
        }
    }
}

/// All columns that foreign keys connect change together, or a join would compare text with numbers.
fn text_keys(given: &Given, rng: &mut ChaCha8Rng) -> Option<Given> {
    let mut able = Vec::new();
    for at in tables_read(given) {
        let table = given.schema.tables.get(at)?;
        if let &[key] = table.primary_key.as_slice()
            && matches!(table.columns.get(key)?.class, TypeClass::Integer | TypeClass::Number)
        {
            able.push((at, key));
        }
    }
    let mut schema = given.schema.clone();
    for (table, column) in joined(&given.schema, *able.choose(rng)?) {
        let column = schema.tables.get_mut(table)?.columns.get_mut(column)?;
        column.declared = "TEXT".to_owned();
        column.class = TypeClass::Text;
        column.affinity = Affinity::Text;
    }
    Some(Given { schema, ..given.clone() })
}

/// Words that mean the same to SQLite and to people.
const WORDS: &[&[&str]] = &[
    &["INTEGER", "INT", "BIGINT", "MEDIUMINT"],
    &["TEXT", "VARCHAR(80)", "NVARCHAR(100)", "CLOB"],
    &["REAL", "DOUBLE", "FLOAT", "DOUBLE PRECISION"],
];

/// Each column of the tables that are read takes a word at random, its own included.
fn type_words(given: &Given, rng: &mut ChaCha8Rng) -> Option<Given> {
    let mut schema = given.schema.clone();
    for at in tables_read(given) {
        let table = schema.tables.get_mut(at)?;
        let key = table.primary_key.clone();
        for (i, column) in table.columns.iter_mut().enumerate() {
            let known = |w: &&&[&str]| w.iter().any(|t| column.declared.eq_ignore_ascii_case(t));
            let Some(words) = WORDS.iter().find(known) else {
                continue;
            };
            let word = *words.choose(rng)?;
            let same = Affinity::of_declared(word) == column.affinity
                && TypeClass::of_declared(word) == column.class;
            // INTEGER PRIMARY KEY is a row's number, and no other word for it is.
            if same && !key.contains(&i) {
                column.declared = word.to_owned();
            }
        }
    }
    (schema != given.schema).then(|| Given { schema, ..given.clone() })
}
