//! What a suite is asked of a pair, and what it says.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::bout::Verdict;
use crate::execute::Limits;

/// A gold query and a prediction.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RunPair {
    /// The database.
    pub db_id: Arc<str>,
    /// The gold query.
    pub gold: Arc<str>,
    /// The prediction.
    pub pred: Arc<str>,
}

/// How a suite is run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunOptions {
    /// Bounds on each execution.
    pub limits: Limits,
    /// Put the gold's values into predictions, and call one right if any way passes.
    pub plug_values: bool,
    /// Databases on which a gold finds nothing tell nothing from it. [`run`](super::run()) sets it as the suite's configuration has
    /// it.
    #[serde(default)]
    pub plausible: bool,
}

/// What a suite says of a pair: where it is different, by the database with this number in the schema's suite, from 0;
/// with plugged values, each of which one tells apart, by the last that was needed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunVerdict {
    /// The verdict; a gold error where the suite lacks the schema.
    pub verdict: Verdict<u64>,
    /// The text that passed, where values were put into the prediction.
    pub plugged: Option<String>,
}

impl From<Verdict<u64>> for RunVerdict {
    /// On a prediction's own text.
    fn from(verdict: Verdict<u64>) -> RunVerdict {
        RunVerdict { verdict, plugged: None }
    }
}

impl RunVerdict {
    /// True if the prediction counts as right.
    pub fn right(&self) -> bool {
        matches!(self.verdict, Verdict::Same { .. })
    }
}
