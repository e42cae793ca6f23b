//! A column in a table of its own (MT-TEQL, 3.1.2, normalization).

use std::collections::BTreeSet;

use rand_chacha::ChaCha8Rng;
use twinql_corpus::schemas::{fresh, with_columns};
use twinql_sql::{Column, ColumnRef, Dialect, ForeignKey, Table};

use super::{Change, Given, all_columns};
use crate::mapping::{MappedTable, Source};
use crate::relation::{Relation, Target};

/// Normalization.
pub const NORMALIZATION: Relation = Relation {
    name: "normalization",
    short: "NO",
    section: "3.1.2, normalization",
    precondition: "the gold reads the column neither by name nor by a star, no foreign key refers to it, it is in no key of its table, and the table has another",
    question: "stays",
    schema: "the column moves into a new table, beside a linking column that refers to the old one: its key, or a number where it has no key of one column; a foreign key moves along",
    gold: "stays, label kept",
    paper: 8707,
    target: Target::Schema(normalize),
};

/// `car(car_id, price, shop_id)` ⇒ `car(car_id, shop_id), car_price(car_id, price)`
fn normalize(given: &Given<'_>, _: &mut ChaCha8Rng) -> Vec<Change> {
    all_columns(given.schema).filter_map(|at| split(given, at)).collect()
}

fn split(given: &Given<'_>, at: ColumnRef) -> Option<Change> {
    let old = given.schema.tables.get(at.table)?;
    let moved = old.columns.get(at.column)?.clone();
    let keyed = old.primary_key.contains(&at.column) || old.unique.iter().any(|u| u.contains(&at.column));
    let mut keys = given.schema.tables.iter().flat_map(|t| &t.foreign_keys);
    let target = keys.any(|k| k.target == at.table && k.target_columns.contains(&at.column));
    let shared = old.foreign_keys.iter().any(|k| k.columns.len() > 1 && k.columns.contains(&at.column));
    if keyed
        || target
        || shared
        || old.columns.len() < 2
        || !moved.values.is_empty()
        || moved.generated.is_some()
    {
        return None;
    }
    let mut taken = given.taken();
    let name = fresh(&mut taken, &format!("{}_{}", old.name, moved.name));
    let mut change = Change::new(given.schema, given.schema.clone());
    change.bars.words.push(name.to_ascii_lowercase());
    // The foreign key goes with its column.
    let table = change.schema.tables.get_mut(at.table)?;
    let mut own: Vec<ForeignKey> = Vec::new();
    table.foreign_keys.retain(|k| {
        let moves = k.columns == [at.column];
        if moves {
            own.push(ForeignKey { columns: vec![1], ..k.clone() });
        }
        !moves
    });
    let kept: Vec<usize> = (0..old.columns.len()).filter(|&c| c != at.column).collect();
    change.schema = with_columns(&change.schema, at.table, &kept)?;
    let table = change.schema.tables.get_mut(at.table)?;
    // What links the two tables: the key, or a number of the rows where there is none of one column.
    let number = "ROW_NUMBER() OVER ()".to_owned();
    let (link, source) = match old.primary_key.as_slice() {
        &[key] => {
            let link = old.columns.get(key)?.clone();
            (link.clone(), None)
        }
        _ => {
            let link = Column {
                not_null: true,
                ..Column::new(
                    fresh(&mut taken, &format!("{}_number", old.name)),
                    number_type(old),
                    Dialect::Sqlite,
                )
            };
            change.bars.words.push(link.name.to_ascii_lowercase());
            table.columns.push(link.clone());
            // The number is no key beside another: it is one where there is none.
            if table.primary_key.is_empty() {
                table.primary_key = vec![table.columns.len() - 1];
            } else {
                table.unique.push(vec![table.columns.len() - 1]);
            }
            change.bars.starred.insert(at.table);
            (link, Some(number))
        }
    };
    let linked = table.columns.iter().position(|c| c.name == link.name)?;
    let sources: Vec<Source<'_>> = table
        .columns
        .iter()
        .map(|c| match old.column_index(&c.name).and_then(|i| old.columns.get(i)) {
            Some(column) => Source::Old(column),
            None => Source::Computed(source.clone().unwrap_or_default()),
        })
        .collect();
    let rest = MappedTable::new(table, &old.name, &sources, None);
    own.push(ForeignKey { columns: vec![0], target: at.table, target_columns: vec![linked] });
    let part = Table {
        name,
        columns: vec![link.clone(), moved],
        primary_key: vec![0],
        foreign_keys: own,
        ..Table::default()
    };
    let first = match &source {
        None => Source::Old(old.columns.get(*old.primary_key.first()?)?),
        Some(number) => Source::Computed(number.clone()),
    };
    let second = Source::Old(old.columns.get(at.column)?);
    let part_mapped = MappedTable::new(&part, &old.name, &[first, second], None);
    change.schema.tables.push(part);
    change.mapping.tables = vec![rest, part_mapped];
    change.bars.columns.insert(at);
    change.near = BTreeSet::from([at.table]);
    Some(change)
}

/// Whole numbers, in the words of the table's other columns.
fn number_type(table: &Table) -> &'static str {
    let spider =
        |c: &Column| matches!(c.declared.as_str(), "number" | "text" | "time" | "boolean" | "others");
    if table.columns.iter().all(spider) { "number" } else { "INTEGER" }
}

#[cfg(test)]
mod tests {
    use twinql_sql::Schema;

    use super::super::tests::{changes, fitting, shop};
    use super::*;

    #[test]
    fn a_column_moves_beside_the_key() {
        let found = fitting(normalize, &shop(), "SELECT name FROM shop");
        let change = found.iter().find(|c| c.schema.table("car_price").is_some()).unwrap();
        let part = change.schema.table("car_price").unwrap();
        assert_eq!(part.columns.iter().map(|c| c.name.as_str()).collect::<Vec<_>>(), ["car_id", "price"]);
        assert_eq!(part.primary_key, [0]);
        assert_eq!(change.schema.tables[part.foreign_keys[0].target].name, "car");
        assert!(change.schema.table("car").unwrap().column_index("price").is_none());
        assert_eq!(
            change.mapping.tables[1].query,
            r#"SELECT "car"."car_id" AS "car_id", "car"."price" AS "price" FROM "car""#
        );
        // A foreign key moves along.
        let change = found.iter().find(|c| c.schema.table("car_shop_id").is_some()).unwrap();
        let part = change.schema.table("car_shop_id").unwrap();
        let targets: Vec<&str> =
            part.foreign_keys.iter().map(|k| change.schema.tables[k.target].name.as_str()).collect();
        assert_eq!(targets, ["shop", "car"]);
    }

    #[test]
    fn without_a_key_rows_are_numbered() {
        let found = fitting(normalize, &shop(), "SELECT name FROM shop");
        let change = found.iter().find(|c| c.schema.table("note_day").is_some()).unwrap();
        assert_eq!(change.schema.table("note").unwrap().columns[1].name, "note_number");
        assert!(change.mapping.tables.iter().all(|t| t.query.contains("ROW_NUMBER() OVER ()")));
        assert!(
            fitting(normalize, &shop(), "SELECT * FROM note")
                .iter()
                .all(|c| c.schema.table("note_day").is_none())
        );
    }

    #[test]
    fn left_alone() {
        // Keys, what is read, and the only column of a table.
        let found = fitting(normalize, &shop(), "SELECT price FROM car");
        assert!(
            found
                .iter()
                .all(|c| c.schema.table("car_price").is_none() && c.schema.table("car_car_id").is_none())
        );
        let one = Schema::from_ddl("one", "CREATE TABLE t (a)").unwrap();
        assert!(changes(normalize, &one).is_empty());
    }
}
