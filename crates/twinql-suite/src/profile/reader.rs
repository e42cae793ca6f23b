//! Reads a SQLite file within bounds.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rusqlite::{Connection, OpenFlags, Statement};

/// Steps of SQLite's machine that one statement may take.
const STEPS: u64 = 2_000_000_000;

/// How often they are counted.
const STRIDE: u64 = 10_000;

/// A file that is read by statements of bounded length.
pub(super) struct Reader {
    connection: Connection,
    /// What is left of the strides of the statement that runs.
    left: Arc<AtomicU64>,
}

impl Reader {
    pub(super) fn open(path: &Path) -> rusqlite::Result<Reader> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut connection = Connection::open_with_flags(path, flags)?;
        let left = Arc::new(AtomicU64::new(STEPS / STRIDE));
        let counter = Arc::clone(&left);
        // Stopped when nothing is left to take a stride from.
        let spent = move || {
            counter.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_err()
        };
        connection.progress_handler(STRIDE as i32, Some(spent))?;
        // What a file's own views and expressions call is not trusted; one moment is measured.
        connection.execute_batch("PRAGMA trusted_schema = OFF; BEGIN")?;
        Ok(Reader { connection, left })
    }

    /// A statement, which may take so many steps from now on.
    pub(super) fn prepare(&self, sql: &str) -> Result<Statement<'_>, String> {
        self.left.store(STEPS / STRIDE, Ordering::Relaxed);
        self.connection.prepare(sql).map_err(why)
    }

    pub(super) fn number(&self, sql: &str) -> Result<u64, String> {
        let n: i64 = self.prepare(sql)?.query_row([], |row| row.get(0)).map_err(why)?;
        Ok(n.max(0) as u64)
    }
}

/// What SQLite says, for a sentence.
pub(super) fn why(error: rusqlite::Error) -> String {
    match error.sqlite_error_code() {
        Some(rusqlite::ErrorCode::OperationInterrupted) => "it takes too long".into(),
        _ => error.to_string(),
    }
}
