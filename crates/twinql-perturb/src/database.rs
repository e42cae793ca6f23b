//! A SQLite file with a transformed schema and the rows of the original.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags};
use twinql_sql::schema::quote;
use twinql_sql::{Column, Schema};

use crate::PerturbError;
use crate::generate::Transformed;

/// What became of a file's keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moved {
    /// All that the schema declares is declared.
    Whole,
    /// The rows break what the schema declares: the file declares no keys.
    WithoutKeys,
}

/// The file of a database: `DB/DB.sqlite` in the folder.
pub fn file_of(folder: &Path, db_id: &str) -> PathBuf {
    folder.join(db_id).join(format!("{db_id}.sqlite"))
}

/// Writes the rows of `source` under a transformed schema into `target`, whole or not at all; a file in its place is
/// replaced.
///
/// # Errors
/// The source is no database of the original schema, or the target cannot be written.
pub fn move_rows(source: &Path, to: &Transformed, target: &Path) -> Result<Moved, PerturbError> {
    let wrong = |file: &Path| {
        let file = file.display().to_string();
        move |why: String| PerturbError::Database { file: file.clone(), why }
    };
    let of_source = Schema::from_sqlite(source).map_err(|e| wrong(source)(e.to_string()))?;
    let mut schema = to.schema.clone();
    declare(&mut schema, to, &of_source);
    if let Some(folder) = target.parent() {
        std::fs::create_dir_all(folder).map_err(|e| wrong(folder)(e.to_string()))?;
    }
    let fail = |e: rusqlite::Error| wrong(target)(format!("{e}; the source is {}", source.display()));
    let partial = target.with_extension("sqlite.partial");
    let moved = match fill(source, to, &schema, &partial) {
        Ok(()) => Moved::Whole,
        // Files that people have break their own keys.
        Err(rusqlite::Error::SqliteFailure(e, _)) if e.code == rusqlite::ErrorCode::ConstraintViolation => {
            for table in &mut schema.tables {
                table.primary_key.clear();
                table.unique.clear();
                table.foreign_keys.clear();
                table.columns.iter_mut().for_each(|c| c.not_null = false);
            }
            fill(source, to, &schema, &partial).map_err(fail)?;
            Moved::WithoutKeys
        }
        Err(e) => return Err(fail(e)),
    };
    std::fs::rename(&partial, target).map_err(|e| wrong(target)(e.to_string()))?;
    Ok(moved)
}

/// Columns take the types that the source declares: values then compare as they did.
fn declare(schema: &mut Schema, to: &Transformed, source: &Schema) {
    for table in &mut schema.tables {
        let mapped = to.mapping.table(&table.name);
        let from = mapped.map_or(table.name.as_str(), |m| m.from.as_str());
        for column in &mut table.columns {
            let old = match mapped {
                Some(mapped) => mapped.columns.get(&column.name).map(String::as_str),
                None => Some(column.name.as_str()),
            };
            let known: Option<&Column> = old.and_then(|old| {
                let table = source.table(from)?;
                table.columns.get(table.column_index(old)?)
            });
            if let Some(known) = known {
                column.declared.clone_from(&known.declared);
                column.affinity = known.affinity;
                column.class = known.class;
            }
        }
    }
}

fn fill(source: &Path, to: &Transformed, schema: &Schema, target: &Path) -> rusqlite::Result<()> {
    if target.exists() {
        // What an earlier attempt has left.
        std::fs::remove_file(target).map_err(|e| rusqlite::Error::ToSqlConversionFailure(Box::new(e)))?;
    }
    Connection::open(target)?.execute_batch(&schema.to_ddl())?;
    // Names of the old schema are those of the main database, which is only read.
    let flags =
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let path = source.to_string_lossy().replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    let mut db = Connection::open_with_flags(format!("file:{path}?mode=ro&immutable=1"), flags)?;
    // Tables are filled in any order.
    db.pragma_update(None, "foreign_keys", false)?;
    db.execute("ATTACH DATABASE ?1 AS new", [target.to_string_lossy()])?;
    let rows = db.transaction()?;
    for table in &schema.tables {
        let columns: Vec<String> = table.columns.iter().map(|c| quote(&c.name)).collect();
        let name = quote(&table.name);
        let query = match to.mapping.table(&table.name) {
            Some(mapped) => mapped.query.clone(),
            None => format!("SELECT {} FROM main.{name}", columns.join(", ")),
        };
        rows.execute(&format!("INSERT INTO new.{name} ({}) {query}", columns.join(", ")), [])?;
    }
    rows.commit()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::tests::made;

    /// Every schema relation: the gold answers the same before and after, and no row of a table is lost.
    #[test]
    fn rows_move() {
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join("shop.sqlite");
        let old = Connection::open(&source).unwrap();
        old.execute_batch(&format!(
            "{} INSERT INTO country VALUES (1, 'x', 'north'), (2, 'y', NULL);
             INSERT INTO shop VALUES (1, 'a', 1, 3), (2, 'b', 2, 5);
             INSERT INTO car VALUES (1, 30, 1), (2, 20, 1), (3, 20, 2);
             INSERT INTO note VALUES ('l', 'm'), ('l', 'm');",
            crate::schema::tests::shop().to_ddl()
        ))
        .unwrap();
        let mut seen = std::collections::HashSet::new();
        for one in made().iter().filter(|m| seen.insert(m.place.schema.db_id.clone())) {
            let target = file_of(folder.path(), &one.place.schema.db_id);
            assert_eq!(move_rows(&source, &one.place, &target).unwrap(), Moved::Whole, "{}", one.id);
            let new = Connection::open(&target).unwrap();
            let price: i64 = new.query_row(&one.gold, [], |row| row.get(0)).unwrap();
            assert_eq!(price, 20, "{}", one.id);
            for table in &one.place.schema.tables {
                let count: i64 = new
                    .query_row(&format!("SELECT count(*) FROM {}", quote(&table.name)), [], |r| r.get(0))
                    .unwrap();
                let from = one.place.mapping.table(&table.name).map_or(&table.name, |m| &m.from);
                let before: i64 = old
                    .query_row(&format!("SELECT count(*) FROM {}", quote(from)), [], |r| r.get(0))
                    .unwrap();
                assert_eq!(count, before, "{}: {}", one.id, table.name);
            }
        }
        assert!(seen.len() > 50);
    }

    #[test]
    fn broken_keys_are_not_declared() {
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join("shop.sqlite");
        let old = Connection::open(&source).unwrap();
        old.execute_batch(
            "CREATE TABLE country (id INT, name, region); CREATE TABLE shop (id INT, name, country_id, rating);
             CREATE TABLE car (car_id INT, price, shop_id); CREATE TABLE note (line, day);
             INSERT INTO car VALUES (1, 30, 1), (1, 20, 1);",
        )
        .unwrap();
        let place = made()[0].place.clone();
        let target = folder.path().join("new.sqlite");
        assert_eq!(move_rows(&source, &place, &target).unwrap(), Moved::WithoutKeys);
        let count: i64 = Connection::open(&target)
            .unwrap()
            .query_row("SELECT count(*) FROM car", [], |r| r.get(0))
            .unwrap();
        assert_eq!(count, 2);
        let missing = folder.path().join("none.sqlite");
        assert!(move_rows(&missing, &place, &target).is_err());
    }
}
