//! How soundness is measured.

use serde::{Deserialize, Serialize};
use twinql_sql::Semantics;

use crate::execute::Limits;

/// How a batch is checked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SoundnessConfig {
    /// What databases are assumed to hold, and which rules may apply.
    pub semantics: Semantics,
    /// The seed of all databases.
    pub seed: u64,
    /// How many databases each query runs on.
    pub databases: u64,
    /// Bounds on each execution.
    pub limits: Limits,
    /// On each database whose number is a multiple of this, queries whose answer is left open
    /// are compared by samples even where they agree: agreement may be a habit of SQLite.
    pub probe: u64,
}

impl Default for SoundnessConfig {
    fn default() -> Self {
        SoundnessConfig {
            semantics: Semantics::default(),
            seed: 8,
            databases: 100,
            limits: Limits::default(),
            probe: 25,
        }
    }
}
