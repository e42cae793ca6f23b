//! Keys that are not declared (MT-TEQL, 3.1.2, opaque key).

use std::collections::BTreeSet;

use rand_chacha::ChaCha8Rng;
use twinql_sql::Schema;

use super::{Change, Given};
use crate::relation::{Relation, Target};

/// Opaque key.
pub const OPAQUE_KEY: Relation = Relation {
    name: "opaque-key",
    short: "OK",
    section: "3.1.2, opaque key",
    precondition: "a primary or foreign key is declared",
    question: "stays",
    schema: "one key is not declared, or none of a kind; with a primary key go the foreign keys that refer to it, and its columns stay NOT NULL",
    gold: "stays; label kept where the gold reads neither table, else judged: what keys promise is promised no more",
    paper: 3697,
    target: Target::Schema(opaque),
};

/// `car(…, FOREIGN KEY (shop_id) REFERENCES shop)` ⇒ `car(…)`
fn opaque(given: &Given<'_>, _: &mut ChaCha8Rng) -> Vec<Change> {
    let schema = given.schema;
    let mut made = Vec::new();
    for (at, table) in schema.tables.iter().enumerate() {
        for (number, _) in table.foreign_keys.iter().enumerate() {
            made.extend(without(schema, &|i, key| (i, key) == (at, number), &|_| false));
        }
    }
    for (at, table) in schema.tables.iter().enumerate() {
        if !table.primary_key.is_empty() {
            made.extend(without(schema, &|_, _| false, &|i| i == at));
        }
    }
    let foreign = schema.tables.iter().map(|t| t.foreign_keys.len()).sum::<usize>();
    let primary = schema.tables.iter().filter(|t| !t.primary_key.is_empty()).count();
    if foreign > 1 {
        made.extend(without(schema, &|_, _| true, &|_| false));
    }
    if primary > 1 || primary == 1 && foreign > 0 {
        made.extend(without(schema, &|_, _| true, &|_| true));
    }
    // Dropping the one primary key that anything refers to is dropping all keys.
    let mut seen: Vec<Schema> = Vec::new();
    made.retain(|change| {
        let new = !seen.contains(&change.schema);
        if new {
            seen.push(change.schema.clone());
        }
        new
    });
    made
}

/// The schema without the foreign keys (by table and number) and the primary keys (by table) that are named.
fn without(
    schema: &Schema,
    foreign: &dyn Fn(usize, usize) -> bool,
    primary: &dyn Fn(usize) -> bool,
) -> Option<Change> {
    let mut new = schema.clone();
    let mut lost = BTreeSet::new();
    for (i, table) in new.tables.iter_mut().enumerate() {
        let mut number = 0;
        table.foreign_keys.retain(|key| {
            let named = foreign(i, number);
            number += 1;
            let keyless = primary(key.target)
                && schema.tables.get(key.target).is_some_and(|t| t.primary_key == key.target_columns);
            if named || keyless {
                lost.extend([i, key.target]);
            }
            !(named || keyless)
        });
        if primary(i) && !table.primary_key.is_empty() {
            table.primary_key.clear();
            lost.insert(i);
        }
    }
    (new != *schema).then(|| Change { near: lost.clone(), keyless: lost, ..Change::new(schema, new) })
}

#[cfg(test)]
mod tests {
    use super::super::tests::{changes, fitting, shop};
    use super::*;
    use crate::reads::Reads;
    use crate::schema::Label;

    #[test]
    fn keys_go_one_by_one_and_together() {
        let schema = shop();
        let found = changes(opaque, &schema);
        // Two foreign keys, three primary keys, all of one kind, all.
        assert_eq!(found.len(), 2 + 3 + 2);
        assert!(found.last().unwrap().schema.tables.iter().all(|t| t.primary_key.is_empty()));
        // Without shop's key nothing refers to it.
        let shopless = &found[3].schema;
        assert!(shopless.table("car").unwrap().foreign_keys.is_empty());
        assert!(shopless.table("shop").unwrap().columns[0].not_null);
    }

    #[test]
    fn labels_say_whether_the_gold_reads_the_tables() {
        let schema = shop();
        let reads = Reads::of(&schema, "SELECT price FROM car").unwrap();
        let labels: Vec<Label> =
            fitting(opaque, &schema, "SELECT price FROM car").iter().map(|c| c.label(&reads)).collect();
        use Label::{Judged, Kept};
        // shop → country; car → shop; country, shop, car; all foreign keys; all.
        assert_eq!(labels, [Kept, Judged, Kept, Judged, Judged, Judged, Judged]);
    }

    #[test]
    fn nothing_to_drop() {
        let bare = Schema::from_ddl("bare", "CREATE TABLE t (a, b)").unwrap();
        assert!(changes(opaque, &bare).is_empty());
        assert!(changes(opaque, &Schema::default()).is_empty());
    }
}
