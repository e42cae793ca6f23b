//! What stops the reading or writing of a file.

use thiserror::Error;

/// Why a file of this field cannot be read, aligned or written. Each message names the
/// file, the place where there is one, and what helps.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CorpusError {
    /// The file cannot be opened, read or written.
    #[error("{file}: {message}; check the path and its permissions")]
    Io {
        /// The file.
        file: String,
        /// What the operating system says.
        message: String,
    },
    /// A line that a whole result depends on cannot be read.
    #[error("{file}, line {line}: {message}")]
    Line {
        /// The file.
        file: String,
        /// The line, from 1.
        line: usize,
        /// What is wrong, and what helps.
        message: String,
    },
    /// The file as a whole is not what it should be.
    #[error("{file}: {message}")]
    File {
        /// The file.
        file: String,
        /// What is wrong, and what helps.
        message: String,
    },
    /// Gold and predictions of different length.
    #[error(
        "{gold_file} has {gold} queries and {pred_file} has {pred}; give files of which each line answers the same line of the other"
    )]
    Counts {
        /// The gold file.
        gold_file: String,
        /// Its number of queries.
        gold: usize,
        /// The prediction file.
        pred_file: String,
        /// Its number of predictions.
        pred: usize,
    },
    /// A file cannot be read or written.
    #[error(transparent)]
    Access(#[from] twinql_files::FileError),
    /// A schema cannot be read.
    #[error(transparent)]
    Schema(#[from] twinql_sql::SchemaError),
    /// A configuration that cannot work.
    #[error("{0}")]
    Config(String),
}
