//! Whether SQLite can evaluate a condition or a computed value.

use rusqlite::Connection;

use super::{Table, quote};

/// An empty database in which expressions are compiled, and none is run.
#[derive(Debug)]
pub(super) struct Verifier(Result<Connection, String>);

impl Verifier {
    pub(super) fn new() -> Verifier {
        Verifier(Connection::open_in_memory().map_err(|e| e.to_string()))
    }

    /// Whether a condition over the table's columns compiles.
    ///
    /// # Errors
    /// What SQLite says.
    pub(super) fn condition(&self, table: &Table, expr: &str) -> Result<(), String> {
        let connection = self.with(table, None)?;
        let sql = format!("SELECT ({expr}) IS FALSE FROM t");
        connection.prepare(&sql).map(drop).map_err(|e| said(&e))
    }

    /// Whether the column at `position` can be computed by the expression.
    ///
    /// # Errors
    /// What SQLite says.
    pub(super) fn generated(&self, table: &Table, position: usize, expr: &str) -> Result<(), String> {
        self.with(table, Some((position, expr))).map(drop)
    }

    fn with(&self, table: &Table, generated: Option<(usize, &str)>) -> Result<&Connection, String> {
        let connection = self.0.as_ref().map_err(Clone::clone)?;
        let columns: Vec<String> = table
            .columns
            .iter()
            .enumerate()
            .map(|(i, c)| {
                let plain = format!("{} {}", quote(&c.name), c.affinity.type_name());
                match generated {
                    Some((position, expr)) if position == i => format!("{plain} AS ({expr}) STORED"),
                    _ => plain,
                }
            })
            .collect();
        let sql = format!("DROP TABLE IF EXISTS t; CREATE TABLE t ({})", columns.join(", "));
        connection.execute_batch(&sql).map_err(|e| said(&e))?;
        Ok(connection)
    }
}

fn said(error: &rusqlite::Error) -> String {
    match error {
        rusqlite::Error::SqliteFailure(_, Some(text)) => text.clone(),
        rusqlite::Error::SqlInputError { msg, .. } => msg.clone(),
        other => other.to_string(),
    }
}
