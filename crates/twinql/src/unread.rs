//! What is said of pairs of which a query cannot be read: what was not read is neither the same nor different.

use twinql_metrics::{MetricId, MetricInfo};
use twinql_sql::prove::Side;

use crate::engine::UNKNOWN;
use crate::job::{Job, Work};
use crate::prepare::{PairGraphs, surely_alike};
use crate::record::{Record, Status};
use crate::status;

/// The score of a pair that a metric cannot read: 1 where both texts are one query, and else none. Metrics that prove have
/// a score for what is open.
pub(crate) fn unread(metric: &MetricInfo, alike: bool, record: &mut Record) {
    match (alike, metric.id) {
        (true, _) => {
            record.set_score(metric.name, 1.0);
            record.set_detail(metric.name, "same_tokens", true);
        }
        (false, MetricId::Proof | MetricId::Conjunctive) => record.set_score(metric.name, UNKNOWN),
        (false, _) => record.set_null(metric.name),
    }
}

/// As [`unread`], of a job.
pub(crate) fn unread_job(metric: &MetricInfo, job: &Job, record: &mut Record) {
    let alike = match &job.work {
        Work::Pair { gold, pred, .. } => surely_alike(gold, pred),
        Work::Unusable { alike, .. } => *alike,
    };
    unread(metric, alike, record);
}

/// Statuses, errors and documented scores of pairs of which a side has no graph, and whose
/// forms are not equal all the same. Nothing is to be explained of pairs that are `known`.
pub(crate) fn explain_failures(
    metric: &MetricInfo,
    jobs: &[Job],
    graphs: &[Option<PairGraphs>],
    known: impl Fn(usize) -> bool,
    records: &mut [Record],
) {
    for (i, ((job, pair), record)) in jobs.iter().zip(graphs).zip(records).enumerate() {
        let Some(pair) = pair else { continue };
        let (side, error) = match (pair.gold.as_ref(), pair.pred.as_ref()) {
            (Ok(_), Ok(_)) => continue,
            _ if pair.identical || known(i) => continue,
            (Err(gold), Err(pred)) => match status::decisive(gold.unsupported, pred.unsupported) {
                Side::Gold => (Side::Gold, gold),
                Side::Pred => (Side::Pred, pred),
            },
            (Err(e), _) => (Side::Gold, e),
            (_, Err(e)) => (Side::Pred, e),
        };
        let found = status::of_side(side, error.unsupported);
        if found == Status::Unsupported {
            unread_job(metric, job, record);
        }
        record.spoil(metric.name, found, format!("{side}: {}", error.message));
    }
}
