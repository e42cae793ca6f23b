//! What one execution of a query may cost, and how it fails.

use rusqlite::ErrorCode;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Bytes that SQLite may usually hold in the whole process: for all threads' databases, sorts
/// and materialised subqueries together. Queries over generated databases need a few hundred
/// kilobytes. Of the bounds that a process's sandboxes have, the lowest holds for all from then on.
pub const HEAP_BYTES: u64 = if cfg!(test) { 96 << 20 } else { 1 << 30 };

/// Bounds on one execution of one query.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Bytes of SQL text.
    pub sql_bytes: usize,
    /// Instructions of SQLite's virtual machine; the bound that normally ends a runaway
    /// query, because it does not depend on the machine's load.
    pub steps: u64,
    /// CPU time of the thread (wall time where the system does not tell it), for what costs much in
    /// few steps: functions over long strings. It is set so far out that the steps end everything
    /// else, on a slow machine too; where it is met the pair has no label, so a slow machine never
    /// turns a label over.
    pub millis: u64,
    /// Rows of the answer.
    pub rows: usize,
    /// Bytes of the answer.
    pub bytes: usize,
    /// Bytes of any one string, blob or row.
    pub value_bytes: i32,
    /// Bytes that SQLite may hold: see [`HEAP_BYTES`].
    pub heap_bytes: u64,
}

impl ExecError {
    /// True of a limit that is so far out that no query worth judging meets it: a pair is given up at
    /// once. Each further database would cost as much again.
    pub(crate) fn is_final(&self) -> bool {
        matches!(self, ExecError::Limit("time" | "memory"))
    }
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            sql_bytes: 64 * 1024,
            steps: 4_000_000,
            millis: 1_200,
            rows: 20_000,
            bytes: 4 * 1024 * 1024,
            value_bytes: 64 * 1024,
            heap_bytes: HEAP_BYTES,
        }
    }
}

impl Limits {
    /// For a user's own databases, which are larger than generated ones: 30 seconds, as
    /// BIRD's evaluator has it, and answers of up to a million rows.
    pub fn for_files() -> Limits {
        Limits {
            steps: 1_000_000_000,
            millis: 30_000,
            rows: 1_000_000,
            bytes: 256 * 1024 * 1024,
            ..Limits::default()
        }
    }
}

/// Why a query gave no answer.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ExecError {
    /// SQLite refuses the text: no such column, a syntax error, something forbidden.
    #[error("{0}")]
    Invalid(String),
    /// The query is not a single SELECT.
    #[error("not a single read-only query")]
    NotAQuery,
    /// It fails on this database: an integer overflow.
    #[error("{0}")]
    Failed(String),
    /// More steps, time, rows, bytes or memory than allowed.
    #[error("stopped: more {0} than allowed")]
    Limit(&'static str),
    /// The machine refuses: it has no file descriptor left.
    #[error("{0}")]
    Machine(String),
    /// A folder of databases lacks one.
    #[error("there is no database file of {db_id}: expected {expected}")]
    NoFile {
        /// The database.
        db_id: String,
        /// Where it was looked for.
        expected: String,
    },
    /// A database file cannot be used.
    #[error("{file}: {message}")]
    File {
        /// The file.
        file: String,
        /// What is wrong with it, and what helps.
        message: String,
    },
}

impl ExecError {
    /// The limits of SQLite's own that it says it has met.
    pub(crate) fn own_limit(e: &rusqlite::Error) -> Option<ExecError> {
        match e.sqlite_error_code()? {
            ErrorCode::OutOfMemory => Some(ExecError::Limit("memory")),
            ErrorCode::TooBig => Some(ExecError::Limit("bytes in one value")),
            _ => None,
        }
    }
}
