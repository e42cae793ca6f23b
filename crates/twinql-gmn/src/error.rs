//! What can go wrong, each with its place and its remedy.

use std::path::PathBuf;

/// A network, its file or a pair that cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// A file could not be read or written.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// `read`, `write`, …
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// A file cannot be written.
    #[error(transparent)]
    Access(#[from] twinql_files::FileError),
    /// A file is no checkpoint of this program, or a damaged one.
    #[error(
        "{origin} is not a usable twinql checkpoint: {reason}; train one with `twinql train`, or drop --checkpoint to use the built-in one"
    )]
    Checkpoint {
        /// The file's name, or `the embedded checkpoint`.
        origin: String,
        /// What is wrong.
        reason: String,
    },
    /// A file of weights is not the one that was written.
    #[error("{origin} is damaged: its bytes do not have the checksum that it carries; get or make it anew")]
    Checksum {
        /// The file's name.
        origin: String,
    },
    /// A file of weights without a checksum.
    #[error("{origin} carries no checksum: it is damaged, or was not written by twinql; get or make it anew")]
    NoChecksum {
        /// The file's name.
        origin: String,
    },
    /// The checkpoint was trained with another feature vocabulary or another version of graphs.
    #[error(
        "{origin} was trained with feature vocabulary {found}, this program has {expected}; use the twinql version that made it, or train again"
    )]
    Vocabulary {
        /// The file's name.
        origin: String,
        /// The hash in the file.
        found: String,
        /// The hash of this program.
        expected: String,
    },
    /// A pair of graphs that the network cannot read.
    #[error("the pair's graphs are not usable: {0}")]
    Input(String),
    /// A configuration that makes no sense.
    #[error("invalid configuration: {0}")]
    Config(String),
}

impl ModelError {
    /// An error of reading or writing a file.
    pub fn io(action: &'static str, path: &std::path::Path, source: std::io::Error) -> ModelError {
        ModelError::Io { action, path: path.to_path_buf(), source }
    }

    /// A file of weights that is none, or a damaged one.
    pub fn damaged(origin: &str, reason: impl Into<String>) -> ModelError {
        ModelError::Checkpoint { origin: origin.to_owned(), reason: reason.into() }
    }
}
