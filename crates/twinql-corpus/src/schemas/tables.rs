//! Tables in another order, taken apart, put together.
//!
//! `t(id, a, b)` comes apart into `t(id, a)` and `t_b(id, b)`, whose key refers to t; a table and the one
//! that its foreign key refers to become one. A query that reads what moved reads a derived table in its
//! place, which joins the two again.

use rand::seq::{IndexedRandom as _, SliceRandom as _};
use rand_chacha::ChaCha8Rng;
use twinql_sql::{ForeignKey, Schema, Table};

use super::columns::{unused, with_columns};
use super::queries::{fresh, replaced, tables_read, taken};
use super::{Change, Given, Label};
use crate::rewrites::ast::{parse_select, plain};

pub(super) const CHANGES: &[Change] = &[
    Change {
        name: "shuffle-tables",
        origin: "MT-TEQL, 3.1.2, table shuffle",
        precondition: "two tables or more",
        schema: "tables stand in another order",
        queries: "stay",
        label: Label::Kept,
        weight: 1,
        apply: shuffle,
    },
    Change {
        name: "normalise-unused",
        origin: "MT-TEQL, 3.1.2, normalization",
        precondition: "a table that is read has a primary key of one column, and a column that no query names and no key holds",
        schema: "the column moves into a new table of its own, beside the key, which refers to the old one",
        queries: "stay",
        label: Label::Kept,
        weight: 1,
        apply: |given, rng| {
            let (at, column) = splittable(given, true, rng)?;
            let (schema, _) = split(given, at, column)?;
            Some(Given { schema, ..given.clone() })
        },
    },
    Change {
        name: "normalise-used",
        origin: "MT-TEQL, 3.1.2, normalization, for columns that are read too",
        precondition: "a table that is read by a plain name has a primary key of one column, and a column that no key holds",
        schema: "the column moves into a new table of its own, beside the key, which refers to the old one",
        queries: "read both tables, joined on the key, where they read the old one",
        // The join loses rows without a partner where foreign keys need not hold the other way.
        label: Label::Judged,
        weight: 3,
        apply: |given, rng| {
            let (at, column) = splittable(given, false, rng)?;
            let (schema, name) = split(given, at, column)?;
            let view = view(given.schema.tables.get(at)?, &name, column)?;
            let table = &given.schema.tables.get(at)?.name;
            given.map(schema, |query| {
                replaced(query, table, &|alias| {
                    let made = parse_select(&format!("SELECT * FROM ({view}) AS {}", plain(alias)))?;
                    Some(made.from.into_iter().next()?.relation)
                })
            })
        },
    },
    Change {
        name: "flatten-unused",
        origin: "MT-TEQL, 3.1.2, flattening",
        precondition: "no query reads or names the referenced table, one foreign key of one column refers to it, and that column is in no key of its table; no query selects *",
        schema: "the referenced table goes, and its columns but for the key stand in the one that refers to it",
        queries: "stay",
        // What the foreign key said of its column is said no more.
        label: Label::Judged,
        weight: 1,
        apply: flatten,
    },
];

/// Foreign keys name their tables by position, so they move along.
fn shuffle(given: &Given, rng: &mut ChaCha8Rng) -> Option<Given> {
    let mut order: Vec<usize> = (0..given.schema.tables.len()).collect();
    order.shuffle(rng);
    let schema = with_tables(&given.schema, &order)?;
    (schema != given.schema).then(|| Given { schema, ..given.clone() })
}

/// The tables `order`, in this order; none where a foreign key refers to one that is not among
/// them.
pub fn with_tables(schema: &Schema, order: &[usize]) -> Option<Schema> {
    let mut tables = Vec::with_capacity(order.len());
    for &from in order {
        let mut table = schema.tables.get(from)?.clone();
        for key in &mut table.foreign_keys {
            key.target = order.iter().position(|&o| o == key.target)?;
        }
        tables.push(table);
    }
    Some(Schema { tables, db_id: schema.db_id.clone(), typing: schema.typing, ..Schema::default() })
}

/// A table that is read, and one of its columns that may move into another.
fn splittable(given: &Given, unread: bool, rng: &mut ChaCha8Rng) -> Option<(usize, usize)> {
    let mut able = Vec::new();
    for at in tables_read(given) {
        let table = given.schema.tables.get(at)?;
        if table.primary_key.len() != 1 || table.columns.len() < 3 {
            continue;
        }
        let columns = if unread { unused(given, at) } else { free(&given.schema, at) };
        able.extend(columns.into_iter().map(|c| (at, c)));
    }
    able.choose(rng).copied()
}

/// Columns that no key holds.
fn free(schema: &Schema, at: usize) -> Vec<usize> {
    let Some(table) = schema.tables.get(at) else {
        return Vec::new();
    };
    let refers = |c: usize| {
        let mut keys = schema.tables.iter().flat_map(|t| &t.foreign_keys);
        keys.any(|k| k.target == at && k.target_columns.contains(&c))
    };
    (0..table.columns.len())
        .filter(|c| {
            !table.primary_key.contains(c)
                && !table.unique.iter().any(|u| u.contains(c))
                && !table.foreign_keys.iter().any(|k| k.columns.contains(c))
                && !refers(*c)
        })
        .collect()
}

/// The schema with a column in a table of its own, and that table's name.
fn split(given: &Given, at: usize, column: usize) -> Option<(Schema, String)> {
    let table = given.schema.tables.get(at)?;
    let &[key] = table.primary_key.as_slice() else {
        return None;
    };
    let moved = table.columns.get(column)?.clone();
    let name = fresh(&mut taken(given), &format!("{}_{}", table.name, moved.name));
    let link = table.columns.get(key)?.clone();
    let kept: Vec<usize> = (0..table.columns.len()).filter(|&c| c != column).collect();
    let mut schema = with_columns(&given.schema, at, &kept)?;
    let target = schema.tables.get(at)?.primary_key.clone();
    schema.tables.push(Table {
        name: name.clone(),
        columns: vec![link, moved],
        primary_key: vec![0],
        foreign_keys: vec![ForeignKey { columns: vec![0], target: at, target_columns: target }],
        ..Table::default()
    });
    Some((schema, name))
}

/// The old table as a query over the two: its columns in their order.
fn view(table: &Table, other: &str, column: usize) -> Option<String> {
    let &[key] = table.primary_key.as_slice() else {
        return None;
    };
    let (left, right) = (plain(&table.name), plain(other));
    let columns: Vec<String> = table
        .columns
        .iter()
        .enumerate()
        .map(|(i, c)| format!("{}.{}", if i == column { &right } else { &left }, plain(&c.name)))
        .collect();
    let key = plain(&table.columns.get(key)?.name);
    Some(format!("SELECT {} FROM {left} JOIN {right} ON {left}.{key} = {right}.{key}", columns.join(", ")))
}

/// `child(x, p → parent(id, a))` becomes `child(x, p, parent_a)`. Only one foreign key may refer to the
/// parent: its columns can move to one place. The parent's own foreign keys become the child's.
fn flatten(given: &Given, rng: &mut ChaCha8Rng) -> Option<Given> {
    let schema = &given.schema;
    let read = tables_read(given);
    let referring = |to: usize| {
        let tables = schema.tables.iter().enumerate();
        tables
            .flat_map(|(i, t)| t.foreign_keys.iter().map(move |k| (i, k)))
            .filter(|(_, k)| k.target == to)
            .collect::<Vec<_>>()
    };
    let mut able = Vec::new();
    for &child in &read {
        let table = schema.tables.get(child)?;
        let keyed = |c: usize| table.primary_key.contains(&c) || table.unique.iter().any(|u| u.contains(&c));
        for key in &table.foreign_keys {
            if let [column] = key.columns.as_slice()
                && !keyed(*column)
                && key.target != child
                && !read.contains(&key.target)
                && referring(key.target).len() == 1
            {
                able.push((child, key.clone()));
            }
        }
    }
    let (child, key) = able.choose(rng)?.clone();
    if super::queries::reads_unnamed(given) {
        return None;
    }
    let parent = schema.tables.get(key.target)?.clone();
    let mut taken = taken(given);
    let mut new = schema.clone();
    let table = new.tables.get_mut(child)?;
    table.foreign_keys.retain(|k| *k != key);
    // Where each of the parent's columns stands now: its key is what referred to it.
    let mut places = Vec::with_capacity(parent.columns.len());
    for (i, column) in parent.columns.iter().enumerate() {
        if key.target_columns.first() == Some(&i) {
            places.push(*key.columns.first()?);
            continue;
        }
        places.push(table.columns.len());
        let mut column = column.clone();
        column.name = fresh(&mut taken, &format!("{}_{}", parent.name, column.name));
        table.columns.push(column);
    }
    for own in &parent.foreign_keys {
        let columns = own.columns.iter().map(|&c| places.get(c).copied());
        table.foreign_keys.push(ForeignKey { columns: columns.collect::<Option<_>>()?, ..own.clone() });
    }
    let order: Vec<usize> = (0..new.tables.len()).filter(|&t| t != key.target).collect();
    let schema = with_tables(&new, &order)?;
    Some(Given { schema, ..given.clone() })
}
