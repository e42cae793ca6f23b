//! The users' own databases, for metrics that execute queries on them.

use twinql_suite::bird::Cost;
use twinql_suite::{Files, Limits};

use crate::judging::Workers;

/// What metrics that execute need.
#[derive(Debug)]
pub struct Runs {
    /// The databases.
    pub files: Files,
    /// Bounds on each execution.
    pub limits: Limits,
    /// What efficiency is measured in.
    pub cost: Cost,
    /// What executes.
    pub workers: Workers,
}

impl Runs {
    /// Executions on these files by threads of this process, within the usual bounds.
    pub fn new(files: Files) -> Runs {
        Runs { files, limits: Limits::for_files(), cost: Cost::default(), workers: Workers::default() }
    }

    /// What a signature says of the bounds: nothing of the usual ones.
    pub(crate) fn signed_limits(&self) -> Vec<String> {
        match self.limits.steps == Limits::for_files().steps {
            true => Vec::new(),
            false => vec![format!("steps:{}", self.limits.steps)],
        }
    }

    /// What a signature says of how efficiency is measured.
    pub(crate) fn signed_cost(&self) -> Vec<String> {
        match self.cost {
            Cost::Time { repeats } => vec!["cost:time".to_owned(), format!("repeats:{repeats}")],
            Cost::Steps => vec!["cost:steps".to_owned()],
        }
    }
}
