//! Users' database files, opened read-only and immutable.

use std::path::Path;
use std::sync::atomic::Ordering;

use rusqlite::{Connection, OpenFlags};

use super::{ExecError, Limits, Sandbox, failed, invalid};
use crate::confine::{in_memory, settle};

impl Sandbox {
    /// A user's SQLite file, opened read-only and immutable: nothing is written to it or
    /// beside it, not even a lock. Its views may be read.
    ///
    /// # Errors
    /// [`ExecError::File`] where there is no such file, it is no database, or changes wait
    /// in a journal beside it, which would have to be written back first.
    pub fn open(path: &Path, limits: Limits) -> Result<Sandbox, ExecError> {
        let fail = |message: String| ExecError::File { file: path.display().to_string(), message };
        let metadata = std::fs::metadata(path).map_err(|e| fail(e.to_string()))?;
        if !metadata.is_file() {
            return Err(fail("not a file".into()));
        }
        if metadata.len() == 0 {
            return Err(fail("the file is empty".into()));
        }
        for (suffix, what) in [("-wal", "write-ahead log"), ("-journal", "rollback journal")] {
            let mut beside = path.as_os_str().to_owned();
            beside.push(suffix);
            if std::fs::metadata(&beside).is_ok_and(|m| m.len() > 0) {
                return Err(fail(format!(
                    "a {what} lies beside it, so it is in use or was not closed; open and close it with sqlite3 first"
                )));
            }
        }
        settle(|| {
            let refused = |e: rusqlite::Error| match invalid(e) {
                ExecError::Invalid(message) => fail(message),
                other => other,
            };
            let connection =
                open_immutable(path).map_err(|e| exhausted(path).unwrap_or_else(|| refused(e)))?;
            let sandbox = Sandbox::over(connection, limits, true).map_err(refused)?;
            // SQLite looks at the file when it is first read.
            sandbox
                .connection
                .query_row("SELECT count(*) FROM sqlite_schema", [], |r| r.get::<_, i64>(0))
                .map_err(refused)?;
            sandbox.query_only(true)?;
            Ok(sandbox)
        })
    }

    /// The tables and views of a user's file without their rows; tables of modules that are not built in
    /// are missing.
    ///
    /// # Errors
    /// The file's schema cannot be read.
    pub(crate) fn hollow(&self) -> Result<Sandbox, ExecError> {
        self.guard.querying.store(false, Ordering::Relaxed);
        let statements: Vec<String> = self
            .connection
            .prepare("SELECT sql FROM sqlite_schema WHERE type IN ('table', 'view') AND sql IS NOT NULL")
            .and_then(|mut found| found.query_map([], |row| row.get(0))?.collect())
            .map_err(failed)?;
        let limits = self.limits;
        settle(|| {
            let connection = in_memory().map_err(invalid)?;
            let sandbox = Sandbox::over(connection, limits, true).map_err(invalid)?;
            for statement in &statements {
                // SQLite's own tables are made by themselves.
                let _ = sandbox.connection.execute_batch(statement);
            }
            sandbox.query_only(true)?;
            Ok(sandbox)
        })
    }
}

/// What the system says where no file at all can be opened any more, which SQLite does not tell from
/// a bad file.
fn exhausted(path: &Path) -> Option<ExecError> {
    let error = std::fs::File::open(path).err()?;
    // ENFILE and EMFILE; the standard library has no kind for them.
    let machine = cfg!(unix) && matches!(error.raw_os_error(), Some(23 | 24));
    machine.then(|| ExecError::Machine(format!("cannot open {}: {error}", path.display())))
}

/// A file that is opened as immutable: nothing is written, no lock taken, no journal made.
pub(crate) fn open_immutable(path: &Path) -> rusqlite::Result<Connection> {
    let flags =
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
    Connection::open_with_flags(immutable(path), flags)
}

/// The file as a URI, in which no character of its name has a meaning.
fn immutable(path: &Path) -> String {
    use std::fmt::Write;
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut uri = String::from("file:");
    let text = path.to_string_lossy().replace('\\', if cfg!(windows) { "/" } else { "\\" });
    if !text.starts_with('/') {
        uri.push('/');
    }
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"/-_.~:".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            let _ = write!(uri, "%{byte:02X}");
        }
    }
    uri.push_str("?immutable=1");
    uri
}
