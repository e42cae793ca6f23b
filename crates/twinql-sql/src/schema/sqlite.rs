//! Schemas from SQLite files.

use std::path::Path;

use rusqlite::{Connection, OpenFlags};

use super::error::{SchemaError, SchemaErrorKind as E};
use super::{Affinity, Column, ForeignKey, Schema, Table, TypeClass};

/// A row of `foreign_key_list`: key number, target table, own column, target column.
type ForeignKeyRow = (i64, String, String, Option<String>);

impl Schema {
    /// The schema of the SQLite file at `path`, which is opened read-only; its stem is the
    /// `db_id`. Tables come in the order of their definition; views and SQLite's own
    /// tables are left out.
    ///
    /// # Errors
    /// A file that cannot be opened or is no database, a table whose columns cannot be
    /// read, no tables at all.
    pub fn from_sqlite(path: impl AsRef<Path>) -> Result<Schema, SchemaError> {
        let path = path.as_ref();
        let file = path.display().to_string();
        let fail = |kind| SchemaError::new(file.clone(), "", kind);
        // SQLite would only say 'unable to open' for a missing file.
        std::fs::metadata(path).map_err(|e| fail(E::Io(e.to_string())))?;
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let db = Connection::open_with_flags(path, flags).map_err(|e| fail(E::Sqlite(e.to_string())))?;
        let tables = read(&db).map_err(|e| fail(E::Sqlite(e.to_string())))?;
        if tables.is_empty() {
            return Err(fail(E::NoTables));
        }
        if let Some(empty) = tables.iter().find(|t| t.columns.is_empty()) {
            return Err(fail(E::NoColumns(empty.name.clone())));
        }
        let db_id = path.file_stem().map(|s| s.to_string_lossy().into_owned());
        Ok(Schema {
            db_id: db_id.unwrap_or_default(),
            tables,
            ..Schema::default()
        })
    }
}

fn read(db: &Connection) -> rusqlite::Result<Vec<Table>> {
    let names: Vec<String> = db
        .prepare("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY rowid")?
        .query_map([], |r| r.get::<_, String>(0))?
        .collect::<rusqlite::Result<_>>()?;
    let names: Vec<String> = names
        .into_iter()
        .filter(|n| !n.to_ascii_lowercase().starts_with("sqlite_"))
        .collect();
    let mut tables = names
        .iter()
        .map(|name| table(db, name))
        .collect::<rusqlite::Result<Vec<Table>>>()?;
    // Foreign keys need every table's columns.
    for (i, name) in names.iter().enumerate() {
        let keys = foreign_keys(db, name, &tables, i)?;
        tables[i].foreign_keys = keys;
    }
    Ok(tables)
}

fn table(db: &Connection, name: &str) -> rusqlite::Result<Table> {
    let mut columns = Vec::new();
    // (position in the key from 1, column)
    let mut key: Vec<(i64, usize)> = Vec::new();
    let mut info = db.prepare(
        "SELECT name, coalesce(type, ''), \"notnull\", pk FROM pragma_table_info(?1) ORDER BY cid",
    )?;
    let mut rows = info.query([name])?;
    while let Some(row) = rows.next()? {
        let declared: String = row.get(1)?;
        let in_key: i64 = row.get(3)?;
        if in_key > 0 {
            key.push((in_key, columns.len()));
        }
        columns.push(Column {
            name: row.get(0)?,
            class: TypeClass::of_declared(&declared),
            affinity: Affinity::of_declared(&declared),
            declared,
            not_null: row.get::<_, bool>(2)? || in_key > 0,
        });
    }
    key.sort_unstable();
    let mut table = Table {
        name: name.to_owned(),
        schema: None,
        columns,
        primary_key: key.into_iter().map(|(_, c)| c).collect(),
        unique: Vec::new(),
        foreign_keys: Vec::new(),
    };
    let mut list = db.prepare(
        "SELECT name FROM pragma_index_list(?1) WHERE \"unique\" = 1 AND origin <> 'pk' \
         AND partial = 0 ORDER BY seq DESC",
    )?;
    let indexes: Vec<String> = list
        .query_map([name], |r| r.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    for index in indexes {
        let mut info = db.prepare("SELECT name FROM pragma_index_info(?1) ORDER BY seqno")?;
        // An expression has no column name: such an index says nothing about columns.
        let names: Vec<Option<String>> = info
            .query_map([&index], |r| r.get(0))?
            .collect::<rusqlite::Result<_>>()?;
        let columns: Option<Vec<usize>> = names
            .into_iter()
            .map(|n| n.and_then(|n| table.column_index(&n)))
            .collect();
        if let Some(columns) = columns.filter(|c| !c.is_empty() && !table.unique.contains(c)) {
            table.unique.push(columns);
        }
    }
    Ok(table)
}

fn foreign_keys(
    db: &Connection,
    name: &str,
    tables: &[Table],
    owner: usize,
) -> rusqlite::Result<Vec<ForeignKey>> {
    let rows: Vec<ForeignKeyRow> = db
        .prepare(
            "SELECT id, \"table\", \"from\", \"to\" FROM pragma_foreign_key_list(?1) \
             ORDER BY id DESC, seq",
        )?
        .query_map([name], |r| Ok((r.get(0)?, r.get(1)?, r.get(2)?, r.get(3)?)))?
        .collect::<rusqlite::Result<_>>()?;
    let mut keys: Vec<ForeignKey> = Vec::new();
    for group in rows.chunk_by(|a, b| a.0 == b.0) {
        let resolved = group.first().and_then(|(_, target, _, _)| {
            let target = tables.iter().position(|t| t.name.eq_ignore_ascii_case(target))?;
            let from = group
                .iter()
                .map(|(_, _, from, _)| tables[owner].column_index(from))
                .collect::<Option<Vec<usize>>>()?;
            // No target columns: the target's primary key.
            let to = if group.iter().all(|(_, _, _, to)| to.is_none()) {
                tables[target].primary_key.clone()
            } else {
                group
                    .iter()
                    .map(|(_, _, _, to)| tables[target].column_index(to.as_deref()?))
                    .collect::<Option<Vec<usize>>>()?
            };
            (from.len() == to.len()).then_some(ForeignKey {
                columns: from,
                target,
                target_columns: to,
            })
        });
        match resolved {
            Some(key) if !keys.contains(&key) => keys.push(key),
            Some(_) => {}
            None => tracing::warn!(
                table = name,
                "a foreign key refers to a table or column that does not exist; it is ignored"
            ),
        }
    }
    Ok(keys)
}
