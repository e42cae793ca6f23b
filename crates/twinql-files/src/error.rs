//! What stops the reading or writing of a file.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// Why a file cannot be read or written; each message names the file, the cause and what helps, so that none has
/// a source of its own.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FileError {
    /// The operating system refuses.
    #[error("cannot {action} {}: {cause}", path.display())]
    Io {
        /// `read`, `write`, `create the folder`, …
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The cause.
        cause: io::Error,
    },
    /// It is nothing that can be written to.
    #[error("cannot write {}: it is a {what}; name a file{}", path.display(), if *what == "folder" { " in it" } else { "" })]
    Unwritable {
        /// What was to be written.
        path: PathBuf,
        /// A folder, a block device, a socket.
        what: &'static str,
    },
    /// The command reads it.
    #[error("cannot write {}: it is a file of {role}, which this command reads; name another file", path.display())]
    Input {
        /// What was to be written.
        path: PathBuf,
        /// How the input was named, `--pairs` for instance.
        role: String,
    },
    /// Two outputs of one command have the same name.
    #[error("cannot write {}: another output of this command is the same file; name another one", path.display())]
    Twice {
        /// What was to be written.
        path: PathBuf,
    },
    /// Another process holds it.
    #[error("{} is in use by another run of twinql: wait for it to end, or name another {instead}", path.display())]
    Busy {
        /// The file or folder.
        path: PathBuf,
        /// What to name instead.
        instead: &'static str,
    },
    /// A line does not end.
    #[error("{}, line {line} is longer than {mib} MiB: this is no text file of queries; check the path", path.display())]
    EndlessLine {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The bound.
        mib: u64,
    },
    /// A file that is read whole is too large.
    #[error("{} is larger than {mib} MiB, more than any {what} needs; check the path", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// The bound.
        mib: u64,
        /// What it should hold.
        what: &'static str,
    },
    /// Its name says gzip, and it is not, or not all of it.
    #[error("{}: not a whole gzip file ({cause}); fetch or write it again", path.display())]
    Gzip {
        /// The file.
        path: PathBuf,
        /// The decoder's reason.
        cause: io::Error,
    },
}

impl FileError {
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> FileError {
        let path = path.to_owned();
        move |cause| FileError::Io { action, path, cause }
    }
}
