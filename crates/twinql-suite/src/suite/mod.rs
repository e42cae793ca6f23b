//! Suites: the distilled databases of many schemas, kept in one file, and test-suite
//! accuracy on them.

mod build;
mod file;
mod pair;
mod plug;
mod run;
mod seal;
#[cfg(test)]
mod tests;
mod values;

use serde::{Deserialize, Serialize};
use thiserror::Error;

pub use crate::distil::{DistilConfig, GoldReport, Known, Left, SchemaSuite, Tally, distil};
pub use crate::generate::Values;
pub use build::{Task, build};
pub use file::schemas_of_lines;
pub(crate) use file::{read_line, write_line};
pub use pair::{RunOptions, RunPair, RunVerdict};
pub use plug::{MAX_PLUGS, plugs};
pub(crate) use run::run_piece;
pub use run::{run, run_in_processes};
pub use seal::checksum;
pub use values::read_values;

/// The version of the file format that is written, and the only one that is read.
pub const FORMAT_VERSION: u32 = 1;

/// Distilled databases, and how they came to be.
#[derive(Debug, Clone, PartialEq)]
pub struct Suite {
    /// How it was distilled.
    pub config: DistilConfig,
    /// One for each schema, by `db_id`.
    pub schemas: Vec<SchemaSuite>,
}

/// Totals of a suite.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Counts {
    /// Schemas.
    pub schemas: u64,
    /// Distinct gold queries.
    pub golds: u64,
    /// Gold queries that cannot be executed.
    pub unusable: u64,
    /// Neighbours that run.
    pub neighbours: u64,
    /// Neighbours proved equal to their gold.
    pub proved: u64,
    /// Neighbours told from their gold.
    pub distinguished: u64,
    /// Neighbours that are neither.
    pub left: u64,
    /// Candidate databases that were run.
    pub tried: u64,
    /// Databases.
    pub databases: u64,
    /// Their rows.
    pub rows: u64,
}

impl Counts {
    /// Distinguished neighbours as a share of those not proved equal; 1 where there are none.
    pub fn share(&self) -> f64 {
        match self.neighbours - self.proved.min(self.neighbours) {
            0 => 1.0,
            open => self.distinguished as f64 / open as f64,
        }
    }
}

impl SchemaSuite {
    /// Totals of this schema.
    pub fn counts(&self) -> Counts {
        let mut out = Counts {
            schemas: 1,
            golds: self.golds.len() as u64,
            tried: self.tried,
            databases: self.databases.len() as u64,
            rows: self.databases.iter().map(|d| d.len() as u64).sum(),
            ..Counts::default()
        };
        for gold in &self.golds {
            out.unusable += u64::from(gold.error.is_some());
            out.neighbours += gold.neighbours;
            out.proved += gold.proved;
            out.distinguished += gold.distinguished;
            out.left += gold.left.len() as u64;
        }
        out
    }

    /// Its line of a suite file, without a line end.
    fn line(&self) -> serde_json::Result<String> {
        write_line(&self.schema, &self.databases, &self.golds, self.tried)
    }
}

impl Suite {
    /// The suite of a schema.
    pub fn schema(&self, db_id: &str) -> Option<&SchemaSuite> {
        self.schemas.iter().find(|s| s.schema.db_id == db_id)
    }

    /// Totals of all schemas.
    pub fn counts(&self) -> Counts {
        let mut out = Counts::default();
        for c in self.schemas.iter().map(SchemaSuite::counts) {
            out.schemas += c.schemas;
            out.golds += c.golds;
            out.unusable += c.unusable;
            out.neighbours += c.neighbours;
            out.proved += c.proved;
            out.distinguished += c.distinguished;
            out.left += c.left;
            out.tried += c.tried;
            out.databases += c.databases;
            out.rows += c.rows;
        }
        out
    }
}

/// Why a suite cannot be made, read or written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SuiteError {
    /// SQLite cannot hold a schema.
    #[error("{db_id}: the schema cannot be built in SQLite: {message}")]
    Schema {
        /// The schema.
        db_id: String,
        /// What SQLite says.
        message: String,
    },
    /// The bytes are no suite.
    #[error("not a suite: {0}; make one with `twinql suite build`")]
    Format(String),
    /// The bytes are not those that were written.
    #[error("the suite is damaged: its bytes do not have the checksum that it carries; build it anew")]
    Checksum,
    /// A suite without a checksum at its end.
    #[error("the suite carries no checksum: it is cut off or damaged; build it anew")]
    NoChecksum,
    /// A suite of another version.
    #[error(
        "the suite has format version {0}, and this program reads version {FORMAT_VERSION}: build it anew"
    )]
    Version(u32),
    /// The file of finished work.
    #[error(transparent)]
    Access(#[from] twinql_files::FileError),
    /// Reading a database of real values.
    #[error("{path}: {message}")]
    Io {
        /// The file.
        path: String,
        /// What the system says.
        message: String,
    },
}
