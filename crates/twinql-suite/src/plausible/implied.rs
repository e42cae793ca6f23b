//! References and copies of columns that no schema declares, read off the names of columns.
//!
//! Many schemas declare no foreign key at all, or only some: `match.league_id` refers to `league.id` without a
//! word of it. And many keep a column twice: a table of `school_grants` repeats the `district` of its school.

use std::collections::BTreeSet;

use twinql_sql::{Column, ColumnRef, ForeignKey, Schema, Table};

use super::content::Content;
use super::words::words;
use crate::database::keys;

/// The words of a table's name, each in the singular where an `s` alone makes the plural.
fn singular(table: &Table) -> BTreeSet<String> {
    words(&table.name).into_iter().map(|w| w.strip_suffix('s').map_or(w.clone(), str::to_owned)).collect()
}

fn is_of(word: &str, table: &BTreeSet<String>) -> bool {
    table.contains(word.strip_suffix('s').unwrap_or(word))
}

/// Whether a column is called after the key of another table: `league_id` after `league.id`, `isbn` after
/// `book.isbn`. A key that is called `id` or `name` and no more says nothing by itself.
fn called_after(column: &Column, target: &Table, key: &Column) -> bool {
    let (own, key) = (words(&column.name), words(&key.name));
    let table = singular(target);
    let telling =
        !matches!(key.as_slice(), [one] if matches!(one.as_str(), "id" | "name" | "code" | "no" | "number"));
    if telling && own == key {
        return true;
    }
    // The table's name, then the key's.
    let Some(rest) = own.len().checked_sub(key.len()).filter(|n| *n > 0) else { return false };
    let (prefix, suffix) = own.split_at(rest);
    suffix == key && prefix.len() == table.len() && prefix.iter().all(|w| is_of(w, &table))
}

/// Columns that a foreign key of the schema leads to, alone: each value of theirs belongs to one row, whether the
/// schema says so or not.
pub(super) fn referred(schema: &Schema) -> BTreeSet<ColumnRef> {
    let references = schema.tables.iter().flat_map(|t| &t.foreign_keys);
    let sole = references.filter_map(|f| match f.target_columns.as_slice() {
        [column] => Some(ColumnRef { table: f.target, column: *column }),
        _ => None,
    });
    sole.collect()
}

/// The references of a table that names alone tell, where the schema declares none of the column. `unique` says
/// of which columns each value belongs to one row.
pub(super) fn references(
    schema: &Schema,
    read: &[usize],
    table: usize,
    known: &[ForeignKey],
    unique: &dyn Fn(ColumnRef) -> bool,
) -> Vec<ForeignKey> {
    let mut found: Vec<ForeignKey> = Vec::new();
    let Some(own) = schema.tables.get(table) else { return found };
    for (c, column) in own.columns.iter().enumerate() {
        let refers = |f: &ForeignKey| f.columns.contains(&c);
        if unique(ColumnRef { table, column: c })
            || known.iter().any(refers)
            || own.foreign_keys.iter().any(refers)
        {
            continue;
        }
        let target = read.iter().filter(|&&t| t != table).find_map(|&t| {
            let target = schema.tables.get(t)?;
            let key = target.columns.iter().enumerate().position(|(k, at)| {
                unique(ColumnRef { table: t, column: k })
                    && at.affinity == column.affinity
                    && called_after(column, target, at)
            })?;
            Some(ForeignKey { columns: vec![c], target: t, target_columns: vec![key] })
        });
        found.extend(target);
    }
    found
}

/// The column that this one repeats, of a table that its own refers to: of one that it extends row by row, a column
/// of the same name; of another, one whose name with the table's is its own.
pub(super) fn copied(
    schema: &Schema,
    references: &[ForeignKey],
    at: ColumnRef,
    content: Content,
) -> Option<ColumnRef> {
    if matches!(content, Content::Id | Content::Flag | Content::Prose) {
        return None;
    }
    let own = schema.tables.get(at.table)?;
    let column = own.columns.get(at.column)?;
    if references.iter().any(|r| r.columns.contains(&at.column)) || keys(own).any(|k| k.contains(&at.column))
    {
        return None;
    }
    references.iter().filter(|r| r.target != at.table).find_map(|r| {
        let target = schema.tables.get(r.target)?;
        let table = singular(target);
        let of_table = |w: &String| is_of(w, &table);
        let name = words(&column.name);
        let extends = keys(own).any(|k| *k == r.columns);
        if !extends && !name.iter().any(of_table) {
            return None;
        }
        let bare = |name: &[String]| -> BTreeSet<String> {
            name.iter().filter(|w| *w != "name" && !of_table(w)).cloned().collect()
        };
        let repeats = |c: usize, other: &Column| {
            let theirs = words(&other.name);
            let both_name_it = theirs.iter().any(|w| w == "name" || of_table(w));
            !r.target_columns.contains(&c)
                && other.affinity == column.affinity
                && bare(&theirs) == bare(&name)
                && (both_name_it || !bare(&name).is_empty())
        };
        let column = target.columns.iter().enumerate().position(|(c, other)| repeats(c, other))?;
        Some(ColumnRef { table: r.target, column })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCHEMA: &str = "CREATE TABLE country (id INTEGER PRIMARY KEY, name TEXT);
        CREATE TABLE league (id INTEGER PRIMARY KEY, country_id INTEGER REFERENCES country (id), name TEXT);
        CREATE TABLE game (id INTEGER PRIMARY KEY, league_id INTEGER, country_name TEXT, country INTEGER REFERENCES country (id), name TEXT);
        CREATE TABLE schools (code TEXT PRIMARY KEY, School TEXT, District TEXT, Zip TEXT);
        CREATE TABLE grants (school_code TEXT PRIMARY KEY REFERENCES schools (code), `School Name` TEXT, `District Name` TEXT, amount REAL);";

    #[test]
    fn a_column_called_after_a_key_refers_to_it() {
        let schema = Schema::from_ddl("s", SCHEMA).unwrap();
        let all: Vec<usize> = (0..schema.tables.len()).collect();
        let of = |name: &str| {
            let table = schema.table_index(name).unwrap();
            let unique = |at: ColumnRef| keys(&schema.tables[at.table]).any(|k| *k == [at.column]);
            references(&schema, &all, table, &schema.tables[table].foreign_keys, &unique)
        };
        let league = schema.table_index("league").unwrap();
        assert_eq!(of("game"), [ForeignKey { columns: vec![1], target: league, target_columns: vec![0] }]);
        assert!(of("league").is_empty() && of("country").is_empty() && of("grants").is_empty());
    }

    #[test]
    fn columns_of_one_name_are_copies_along_a_reference() {
        let schema = Schema::from_ddl("s", SCHEMA).unwrap();
        let of = |table: &str, column: &str| {
            let table = schema.table_index(table).unwrap();
            let at = ColumnRef { table, column: schema.tables[table].column_index(column).unwrap() };
            let found = copied(&schema, &schema.tables[at.table].foreign_keys, at, Content::Name)?;
            schema.column(found).map(|c| c.name.clone())
        };
        assert_eq!(of("grants", "District Name").as_deref(), Some("District"));
        assert_eq!(of("grants", "School Name").as_deref(), Some("School"));
        assert_eq!(of("game", "country_name").as_deref(), Some("name"));
        assert_eq!(of("grants", "amount"), None);
        // Each league has a name, and each country: nothing is repeated.
        assert_eq!(of("league", "name"), None);
        assert_eq!(of("game", "name"), None);
    }
}
