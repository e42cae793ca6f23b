//! Values of a user's own SQLite file, read and never written.

use std::path::Path;

use rusqlite::types::ValueRef;
use twinql_sql::{Schema, Value};

use super::SuiteError;
use crate::database::{owned, quoted};
use crate::execute::open_immutable;
use crate::generate::Values;

/// Distinct values that are taken of one column.
const MAX_VALUES: usize = 60;
/// Longer texts and blobs are left out.
const MAX_BYTES: usize = 200;
/// Rows of a table that are looked at.
const MAX_ROWS: usize = 20_000;

/// Distinct values of each column of a SQLite file that has the schema's tables; tables and
/// columns that it lacks give none. The file is opened as immutable: nothing is written, no
/// lock taken, no journal made (and what waits in a write-ahead log is not seen).
///
/// # Errors
/// The file is missing or no database.
pub fn read_values(path: &Path, schema: &Schema) -> Result<Values, SuiteError> {
    let fail = |message: String| SuiteError::Io { path: path.display().to_string(), message };
    // SQLite would say no more than that it cannot open it.
    let real = std::fs::canonicalize(path).map_err(|e| fail(e.to_string()))?;
    let connection = open_immutable(&real).map_err(|e| fail(e.to_string()))?;
    connection
        .query_row("SELECT COUNT(*) FROM sqlite_schema", [], |_| Ok(()))
        .map_err(|e| fail(e.to_string()))?;
    let column = |table: &str, column: &str| -> rusqlite::Result<Vec<Value>> {
        // Qualified, or a column that is missing would be read as a string.
        let sql = format!(
            "SELECT DISTINCT t.{} FROM (SELECT * FROM {} LIMIT {MAX_ROWS}) AS t LIMIT {MAX_VALUES}",
            quoted(column),
            quoted(table)
        );
        let mut statement = connection.prepare(&sql)?;
        let mut rows = statement.query([])?;
        let mut out = Vec::new();
        while let Some(row) = rows.next()? {
            let value = row.get_ref(0)?;
            let kept = match value {
                ValueRef::Integer(_) | ValueRef::Real(_) => true,
                ValueRef::Text(t) => t.len() <= MAX_BYTES,
                ValueRef::Null | ValueRef::Blob(_) => false,
            };
            out.extend(kept.then(|| owned(value)));
        }
        Ok(out)
    };
    let tables = schema.tables.iter().map(|t| {
        let columns = t.columns.iter();
        columns.map(|c| column(&t.name, &c.name).unwrap_or_default()).collect()
    });
    Ok(Values(tables.collect()))
}

#[cfg(test)]
mod tests {
    use rusqlite::Connection;

    use super::*;
    use crate::suite::{DistilConfig, Known, Tally, distil};
    use crate::testing::schema;

    #[test]
    fn values_are_used_and_the_file_stays_as_it_was() {
        let folder = std::env::temp_dir().join(format!("twinql values {}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("singers?.sqlite");
        let file = Connection::open(&path).unwrap();
        file.execute_batch(
            "PRAGMA journal_mode=WAL;
             CREATE TABLE singer (id INTEGER, name TEXT, country TEXT);
             INSERT INTO singer VALUES (1, 'Quirin', 'Atlantis'), (2, 'Quirin', NULL);",
        )
        .unwrap();
        drop(file);
        let before = std::fs::read(&path).unwrap();
        let values = read_values(&path, &schema()).unwrap();
        assert_eq!(values.0[0][1], [Value::Text("Quirin".into())]);
        assert_eq!(values.0[0][2], [Value::Text("Atlantis".into())]);
        // What the file lacks gives nothing.
        assert!(values.0[0][3].is_empty() && values.0[1].iter().all(Vec::is_empty));
        let golds = ["SELECT name FROM singer".to_owned()];
        let suite = distil(
            &schema(),
            &golds,
            Known { values: Some(&values), profile: None },
            &DistilConfig::default(),
            &Tally::default(),
            &|_| (),
        );
        let suite = suite.unwrap();
        let names = suite.databases.iter().flat_map(|d| d.rows(0)).map(|r| &r[1]);
        assert!(names.into_iter().any(|n| *n == Value::Text("Quirin".into())));
        assert_eq!(std::fs::read(&path).unwrap(), before);
        let left: Vec<_> = std::fs::read_dir(&folder).unwrap().collect();
        assert_eq!(left.len(), 1, "{left:?}");
        std::fs::remove_dir_all(&folder).unwrap();
        assert!(read_values(&path, &schema()).is_err());
    }
}
