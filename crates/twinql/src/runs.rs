//! The users' own databases, and the metrics that execute queries on them.

use twinql_metrics::{MetricId, MetricInfo};
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
}

/// True of metrics that execute on the users' own databases.
pub fn executes(metric: &MetricInfo) -> bool {
    metric.id == MetricId::Execution || of_bird(metric.id)
}

/// True of those that look at BIRD's measures.
pub(crate) fn of_bird(id: MetricId) -> bool {
    matches!(
        id,
        MetricId::BirdEx | MetricId::Ves | MetricId::RVes | MetricId::SoftF1 | MetricId::SoftF1Repaired
    )
}

/// True of metrics that need to know what a query costs.
pub(crate) fn costs(id: MetricId) -> bool {
    matches!(id, MetricId::Ves | MetricId::RVes)
}
