//! What stops a run.

use thiserror::Error;

/// Why questions cannot be transformed, or predictions compared. Each message names the place and what helps.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PerturbError {
    /// A file of questions is none.
    #[error("{file}: {why}; give a JSON list or JSON lines with question, query and db_id")]
    Questions {
        /// The file.
        file: String,
        /// What is wrong.
        why: String,
    },
    /// A gold is no query over its schema.
    #[error(transparent)]
    Gold(#[from] twinql_sql::SqlError),
    /// A gold or a schema beyond what changes of schemas know.
    #[error(
        "the query holds a clause that schema changes do not follow, or its schema has views, checks or generated columns"
    )]
    NotFollowed,
    /// A file cannot be read or written.
    #[error(transparent)]
    Corpus(#[from] twinql_corpus::CorpusError),
    /// A transformed test set cannot be read.
    #[error("{file}, line {line}: {why}; give a file that `twinql perturb` wrote")]
    TestSet {
        /// The file.
        file: String,
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        why: String,
    },
    /// Predictions do not fit the inputs.
    #[error("{file}: {why}")]
    Predictions {
        /// The file.
        file: String,
        /// What is wrong, and what helps.
        why: String,
    },
    /// A database cannot be read or written.
    #[error("{file}: {why}")]
    Database {
        /// The file.
        file: String,
        /// What is wrong.
        why: String,
    },
    /// What is bundled is damaged.
    #[error("{what} is damaged: build the program anew")]
    Bundled {
        /// What is.
        what: String,
    },
    /// A setting that cannot work.
    #[error("{0}")]
    Setting(String),
}
