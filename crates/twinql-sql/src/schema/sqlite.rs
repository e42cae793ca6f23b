//! Schemas from SQLite files.

use std::collections::HashMap;
use std::path::Path;

use rusqlite::{Connection, OpenFlags};

use super::error::{SchemaError, SchemaErrorKind as E};
use super::{Column, ForeignKey, Note, Schema, Table, Typing, View, ddl};
use crate::dialects::Dialect;

/// A row of `foreign_key_list`: key number, target table, own column, target column.
type ForeignKeyRow = (i64, String, String, Option<String>);

impl Schema {
    /// The schema of the SQLite file at `path`, which is opened read-only; its stem is the
    /// `db_id`. Tables come in the order of their definition, with CHECKs and generated
    /// columns; SQLite's own tables are left out. [`Schema::notes`] lists what was not read.
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
        let mut notes = Vec::new();
        let tables = read(&db, &mut notes).map_err(|e| fail(E::Sqlite(e.to_string())))?;
        if tables.is_empty() {
            return Err(fail(E::NoTables));
        }
        if let Some(empty) = tables.iter().find(|t| t.columns.is_empty()) {
            return Err(fail(E::NoColumns(empty.name.clone())));
        }
        let db_id = path.file_stem().map(|s| s.to_string_lossy().into_owned());
        let views = views(&db, &mut notes).map_err(|e| fail(E::Sqlite(e.to_string())))?;
        let mut schema = Schema {
            db_id: db_id.unwrap_or_default(),
            tables,
            views,
            typing: Typing::Usual,
            exact_names: false,
            notes,
        };
        let planned: Vec<Note> = schema.views.iter().filter_map(|v| unplanned(v, &schema)).collect();
        schema.notes.extend(planned);
        Ok(schema)
    }
}

/// A note where the planner cannot read a view.
fn unplanned(view: &View, schema: &Schema) -> Option<Note> {
    let sql = format!("SELECT * FROM {}", super::quote(&view.name));
    let planned = crate::parse::parse(&sql).and_then(|parsed| crate::plan(schema, &parsed));
    let reason = format!("queries over it are executed but not scored: {}", planned.err()?);
    Some(Note::at("sqlite_schema", format!("CREATE VIEW {}", view.name), reason))
}

/// Names and statements of one type, in the order of their definition.
fn stored(db: &Connection, kind: &str) -> rusqlite::Result<Vec<(String, String)>> {
    let rows: Vec<(String, String)> = db
        .prepare("SELECT name, coalesce(sql, '') FROM sqlite_master WHERE type = ?1 ORDER BY rowid")?
        .query_map([kind], |r| Ok((r.get(0)?, r.get(1)?)))?
        .collect::<rusqlite::Result<_>>()?;
    let own = |name: &str| name.to_ascii_lowercase().starts_with("sqlite_");
    Ok(rows.into_iter().filter(|(name, _)| !own(name)).collect())
}

fn read(db: &Connection, notes: &mut Vec<Note>) -> rusqlite::Result<Vec<Table>> {
    let stored = stored(db, "table")?;
    let mut tables = stored
        .iter()
        .map(|(name, sql)| table(db, name, sql, notes))
        .collect::<rusqlite::Result<Vec<Table>>>()?;
    let by_name: HashMap<String, usize> =
        tables.iter().enumerate().map(|(i, t)| (t.name.to_ascii_lowercase(), i)).collect();
    // Foreign keys need every table's columns.
    for (i, (name, _)) in stored.iter().enumerate() {
        let keys = foreign_keys(db, name, &tables, &by_name, i, notes)?;
        tables[i].foreign_keys = keys;
    }
    Ok(tables)
}

/// The file's views. SQLite stores their statements, which say nothing else.
fn views(db: &Connection, notes: &mut Vec<Note>) -> rusqlite::Result<Vec<View>> {
    let mut views = Vec::new();
    for (name, sql) in stored(db, "view")? {
        // A table beside it: a text without one is no schema.
        let text = format!("CREATE TABLE t (a); {sql}");
        let read = ddl::read("", &text).ok().and_then(|schema| schema.views.into_iter().next());
        match read {
            Some(view) => views.push(View { name, ..view }),
            None => notes.push(Note::at("sqlite_schema", sql, "the view cannot be read")),
        }
    }
    Ok(views)
}

fn table(db: &Connection, name: &str, sql: &str, notes: &mut Vec<Note>) -> rusqlite::Result<Table> {
    let mut columns: Vec<Column> = Vec::new();
    // (position in the key from 1, column)
    let mut key: Vec<(i64, usize)> = Vec::new();
    let mut info = db.prepare(
        "SELECT name, coalesce(type, ''), \"notnull\", pk FROM pragma_table_xinfo(?1) \
         WHERE hidden <> 1 ORDER BY cid",
    )?;
    let mut rows = info.query([name])?;
    while let Some(row) = rows.next()? {
        let declared: String = row.get(1)?;
        let in_key: i64 = row.get(3)?;
        if in_key > 0 {
            key.push((in_key, columns.len()));
        }
        let name: String = row.get(0)?;
        columns.push(Column {
            not_null: row.get::<_, bool>(2)? || in_key > 0,
            ..Column::new(name, declared, Dialect::Sqlite)
        });
    }
    key.sort_unstable();
    let mut table = Table {
        name: name.to_owned(),
        columns,
        primary_key: key.into_iter().map(|(_, c)| c).collect(),
        ..Table::default()
    };
    conditions(&mut table, sql, notes);
    let mut list = db.prepare(
        "SELECT name FROM pragma_index_list(?1) WHERE \"unique\" = 1 AND origin <> 'pk' \
         AND partial = 0 ORDER BY seq DESC",
    )?;
    let indexes: Vec<String> = list.query_map([name], |r| r.get(0))?.collect::<rusqlite::Result<_>>()?;
    for index in indexes {
        let mut info = db.prepare("SELECT name FROM pragma_index_info(?1) ORDER BY seqno")?;
        // An expression has no column name: such an index says nothing about columns.
        let names: Vec<Option<String>> =
            info.query_map([&index], |r| r.get(0))?.collect::<rusqlite::Result<_>>()?;
        let columns: Option<Vec<usize>> =
            names.into_iter().map(|n| n.and_then(|n| table.column_index(&n))).collect();
        if let Some(columns) = columns.filter(|c| !c.is_empty() && !table.unique.contains(c)) {
            table.unique.push(columns);
        }
    }
    Ok(table)
}

/// Adds what only the stored statement says: CHECKs, collations and the expressions of generated columns.
fn conditions(table: &mut Table, sql: &str, notes: &mut Vec<Note>) {
    // Neither stands in a statement without these words.
    let upper = sql.to_ascii_uppercase();
    if !["CHECK", "AS", "COLLATE"].iter().any(|w| upper.contains(w)) {
        return;
    }
    let Some(beside) = ddl::beside(sql) else {
        return;
    };
    for note in beside.notes {
        notes.push(Note { line: None, place: format!("table {}", table.name), ..note });
    }
    for (name, expr) in beside.generated {
        if let Some(i) = table.column_index(&name) {
            table.columns[i].generated = Some(expr);
        }
    }
    if beside.width == table.columns.len() {
        for column in beside.not_null {
            table.columns[column].not_null = true;
        }
        for (column, collation) in table.columns.iter_mut().zip(beside.collations) {
            column.collation = collation;
        }
        table.checks = beside.checks;
    }
}

fn foreign_keys(
    db: &Connection,
    name: &str,
    tables: &[Table],
    by_name: &HashMap<String, usize>,
    owner: usize,
    notes: &mut Vec<Note>,
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
            let target = *by_name.get(&target.to_ascii_lowercase())?;
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
            (from.len() == to.len()).then_some(ForeignKey { columns: from, target, target_columns: to })
        });
        match resolved {
            Some(key) if !keys.contains(&key) => keys.push(key),
            Some(_) => {}
            None => {
                let (_, target, from, _) = &group[0];
                notes.push(Note::at(
                    format!("table {name}"),
                    format!("FOREIGN KEY ({from}) REFERENCES {target}"),
                    "it refers to a table or column that does not exist; it is ignored",
                ));
            }
        }
    }
    Ok(keys)
}
