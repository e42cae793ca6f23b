//! Columns that a question is not about go, come, or are called otherwise (MT-TEQL, 3.1.2, column removal, column
//! renaming, column insertion).

use std::collections::BTreeSet;

use rand::seq::SliceRandom as _;
use rand_chacha::ChaCha8Rng;
use twinql_corpus::schemas::{parts, with_columns};
use twinql_sql::{Column, ColumnRef, Dialect, Schema, Table};

use super::{Change, Given, all_columns, without_keys_of};
use crate::mapping::{MappedTable, Source};
use crate::relation::{Relation, Target};

/// Column removal.
pub const REMOVAL: Relation = Relation {
    name: "column-removal",
    short: "CRm",
    section: "3.1.2, column removal",
    precondition: "the gold reads the column neither by name nor by a star; its table has another",
    question: "stays",
    schema: "the column goes, and with it the keys that hold it",
    gold: "stays; label kept, or judged where a key goes of a table that the gold reads",
    paper: 8707,
    target: Target::Schema(remove),
};

/// Column renaming.
pub const RENAMING: Relation = Relation {
    name: "column-renaming",
    short: "CRn",
    section: "3.1.2, column renaming",
    precondition: "the gold reads the column neither by name nor by a star; WordNet has another word for one of its words; the new name stands nowhere",
    question: "stays",
    schema: "one word of the column's name becomes a synonym or a broader word",
    gold: "stays, label kept",
    paper: 11_775,
    target: Target::Schema(rename),
};

/// Column insertion.
pub const INSERTION: Relation = Relation {
    name: "column-insertion",
    short: "CI",
    section: "3.1.2, column insertion",
    precondition: "the gold selects no star of the table; the new name stands nowhere",
    question: "stays",
    schema: "a table has one more column: a part of what the table's name says, or what things of that class have",
    gold: "stays, label kept",
    paper: 2802,
    target: Target::Schema(insert),
};

/// The schema's table at `at` as a query over the old one, where its columns are old ones but for one.
pub(super) fn mapped(old: &Table, new: &Table, renamed: Option<(&str, &str)>) -> MappedTable {
    let source = |column: &Column| {
        let name = match renamed {
            Some((name, before)) if name == column.name => before,
            _ => column.name.as_str(),
        };
        match old.column_index(name).and_then(|i| old.columns.get(i)) {
            Some(column) => Source::Old(column),
            None => Source::Computed("NULL".to_owned()),
        }
    };
    let sources: Vec<Source<'_>> = new.columns.iter().map(source).collect();
    MappedTable::new(new, &old.name, &sources, None)
}

/// Fills in what a change of one table's columns has in common with others.
fn change_of(given: &Given<'_>, schema: Schema, at: usize, renamed: Option<(&str, &str)>) -> Option<Change> {
    let mut change = Change::new(given.schema, schema);
    let table = mapped(given.schema.tables.get(at)?, change.schema.tables.get(at)?, renamed);
    change.mapping.tables.push(table);
    change.near = BTreeSet::from([at]);
    Some(change)
}

/// `car(car_id, price, shop_id)` ⇒ `car(car_id, shop_id)`
fn remove(given: &Given<'_>, _: &mut ChaCha8Rng) -> Vec<Change> {
    all_columns(given.schema).filter_map(|at| removed(given, at)).collect()
}

fn removed(given: &Given<'_>, at: ColumnRef) -> Option<Change> {
    let (keyless_schema, keyless) = without_keys_of(given.schema, at);
    let count = keyless_schema.tables.get(at.table)?.columns.len();
    if count < 2 {
        return None;
    }
    let kept: Vec<usize> = (0..count).filter(|&c| c != at.column).collect();
    let schema = with_columns(&keyless_schema, at.table, &kept)?;
    let mut change = change_of(given, schema, at.table, None)?;
    change.bars.columns.insert(at);
    change.keyless = keyless;
    Some(change)
}

/// `shop(name, country_id)` ⇒ `shop(name, nation_id)`
fn rename(given: &Given<'_>, _: &mut ChaCha8Rng) -> Vec<Change> {
    let taken = given.taken();
    let mut made = Vec::new();
    for at in all_columns(given.schema) {
        let Some(old) = given.schema.column(at) else { continue };
        let mut used = BTreeSet::new();
        for name in other_names(given, &old.name) {
            if taken.contains(&name.to_ascii_lowercase()) || !used.insert(name.to_ascii_lowercase()) {
                continue;
            }
            let mut schema = given.schema.clone();
            let column = schema.tables.get_mut(at.table).and_then(|t| t.columns.get_mut(at.column));
            let Some(column) = column else { continue };
            column.name.clone_from(&name);
            let Some(mut change) = change_of(given, schema, at.table, Some((&name, &old.name))) else {
                continue;
            };
            change.bars.columns.insert(at);
            change.bars.words.push(name.to_ascii_lowercase());
            made.push(change);
        }
    }
    made
}

/// The name with one of its words in other words, in the way in which it is written.
fn other_names(given: &Given<'_>, name: &str) -> Vec<String> {
    let words = parts(name);
    let mut made = Vec::new();
    for (at, word) in words.iter().enumerate() {
        for other in given.lexicon.others(word) {
            let mut new: Vec<&str> = words.iter().map(String::as_str).collect();
            if let Some(place) = new.get_mut(at) {
                *place = &other;
            }
            made.push(written_like(name, &new.join("_")));
        }
    }
    made
}

/// Words joined by `_`, written as `like` is: `like_this`, `Like_This`, `Like This`, `likeThis`, `LikeThis`.
fn written_like(like: &str, words: &str) -> String {
    let separator = like.chars().find(|c| matches!(c, '_' | ' ' | '-'));
    let capitals = like.chars().filter(|c| c.is_alphabetic()).all(char::is_uppercase);
    let many = parts(like).len() > 1;
    // A capital starts the first word, and further ones or not.
    let first = like.starts_with(char::is_uppercase);
    let camel = many && separator.is_none();
    let later = camel || like.split(['_', ' ', '-']).skip(1).any(|w| w.starts_with(char::is_uppercase));
    let shaped = words.split('_').enumerate().map(|(i, word)| {
        let mut letters = word.chars();
        match letters.next() {
            Some(_) if capitals && like.chars().count() > 1 => word.to_uppercase(),
            Some(c) if i == 0 && first || i > 0 && later => c.to_uppercase().chain(letters).collect(),
            _ => word.to_owned(),
        }
    });
    let joint = if camel { String::new() } else { separator.unwrap_or('_').to_string() };
    shaped.collect::<Vec<String>>().join(&joint)
}

/// Attributes that are tried for a table.
const TRIED: usize = 16;

/// `car(car_id, price)` ⇒ `car(car_id, price, bumper)`
fn insert(given: &Given<'_>, rng: &mut ChaCha8Rng) -> Vec<Change> {
    let taken = given.taken();
    let mut made = Vec::new();
    for (at, table) in given.schema.tables.iter().enumerate() {
        let Some(last) = table.columns.last() else { continue };
        let mut used = BTreeSet::new();
        let mut of_table = Vec::new();
        for attribute in given.lexicon.attributes(&parts(&table.name)) {
            // As the table's other columns are written, by the longest name among them.
            let like = table.columns.iter().max_by_key(|c| c.name.len()).unwrap_or(last);
            let name = written_like(&like.name, attribute.name);
            let lower = name.to_ascii_lowercase();
            if taken.contains(&lower) || !used.insert(lower.clone()) || used.len() > TRIED {
                continue;
            }
            let mut schema = given.schema.clone();
            let Some(new) = schema.tables.get_mut(at) else { continue };
            new.columns.push(Column::new(name, attribute.kind, Dialect::Sqlite));
            let Some(mut change) = change_of(given, schema, at, None) else { continue };
            change.bars.starred.insert(at);
            change.bars.words.push(lower);
            of_table.push(change);
        }
        of_table.shuffle(rng);
        made.extend(of_table);
    }
    made
}

#[cfg(test)]
mod tests {
    use super::super::tests::{changes, fitting, shop};
    use super::*;
    use crate::reads::Reads;
    use crate::schema::Label;

    #[test]
    fn unread_columns_go() {
        let schema = shop();
        let gold = "SELECT name FROM shop WHERE rating > 2";
        let found = fitting(remove, &schema, gold);
        // All columns but the two that are read: 3 + 4 + 3 + 2 - 2.
        assert_eq!(found.len(), 10);
        let reads = Reads::of(&schema, gold).unwrap();
        for change in &found {
            let shop = change.schema.table("shop").unwrap();
            assert!(shop.column_index("name").is_some() && shop.column_index("rating").is_some());
        }
        // Without shop.id car refers to nothing, and the gold's table has lost a key.
        let change =
            found.iter().find(|c| c.schema.table("shop").unwrap().column_index("id").is_none()).unwrap();
        assert!(change.schema.table("car").unwrap().foreign_keys.is_empty());
        assert_eq!(change.label(&reads), Label::Judged);
        let note = found.iter().find(|c| c.mapping.tables[0].name == "note").unwrap();
        assert_eq!(note.label(&reads), Label::Kept);
        // A star reads all columns.
        assert_eq!(fitting(remove, &schema, "SELECT * FROM shop").len(), 3 + 3 + 2);
        let one = Schema::from_ddl("one", "CREATE TABLE t (a)").unwrap();
        assert!(changes(remove, &one).is_empty());
    }

    #[test]
    fn other_words() {
        let schema = shop();
        let found = fitting(rename, &schema, "SELECT price FROM car");
        let names: BTreeSet<&str> = found
            .iter()
            .flat_map(|c| &c.schema.tables)
            .flat_map(|t| &t.columns)
            .map(|c| c.name.as_str())
            .collect();
        assert!(names.contains("nation_id"), "{names:?}");
        // No table or column has the name already.
        assert!(found.iter().all(|c| c.mapping.renamed().len() == 1));
        assert!(!names.contains("cost"), "price is read: {names:?}");
        assert!(
            fitting(rename, &schema, "SELECT * FROM note").iter().all(|c| c.mapping.tables[0].name != "note")
        );
        let unknown = Schema::from_ddl("x", "CREATE TABLE t (qwertz TEXT, \"ü\" TEXT)").unwrap();
        assert!(changes(rename, &unknown).is_empty());
    }

    #[test]
    fn names_are_written_alike() {
        for (like, words, expect) in [
            ("shop_id", "store_key", "store_key"),
            ("Shop_ID", "store_key", "Store_Key"),
            ("Shop_name", "store_name", "Store_name"),
            ("shopName", "store_name", "storeName"),
            ("ShopName", "body_politic", "BodyPolitic"),
            ("NAME", "gens", "GENS"),
            ("line code", "row_code", "row code"),
            ("country", "body_politic", "body_politic"),
        ] {
            assert_eq!(written_like(like, words), expect, "{like}");
        }
    }

    #[test]
    fn attributes_come() {
        let schema = shop();
        let found = fitting(insert, &schema, "SELECT price FROM car");
        let new = |c: &Change| c.mapping.tables[0].computed[0].clone();
        assert!(found.iter().any(|c| c.mapping.tables[0].name == "car" && new(c) == "bumper"));
        assert!(found.iter().all(|c| c.mapping.tables[0].query.contains("NULL AS")));
        assert!(
            fitting(insert, &schema, "SELECT * FROM car").iter().all(|c| c.mapping.tables[0].name != "car")
        );
        let empty =
            Schema { tables: vec![Table { name: "t".into(), ..Table::default() }], ..Schema::default() };
        assert!(changes(insert, &empty).is_empty());
    }
}
