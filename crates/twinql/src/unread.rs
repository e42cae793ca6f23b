//! What is said of pairs of which a query cannot be read: what was not read is neither the same nor different.

use twinql_sql::prove::Side;

use crate::job::{Job, Work};
use crate::metric::Metric;
use crate::prepare::{PairGraphs, same_tokens, surely_alike};
use crate::record::{Record, Status};
use crate::status;

/// The score of a pair that a metric cannot read: 1 where both texts are one query, and else none. Metrics that prove have
/// a score for what is open.
fn unread(metric: &Metric, job: &Job, record: &mut Record) {
    let alike = match &job.work {
        Work::Pair { gold, pred, .. } => surely_alike(gold, pred),
        Work::Unusable { alike, .. } => *alike,
    };
    match (alike, metric.further.unread) {
        (true, _) => {
            record.set_score(metric.name, 1.0);
            record.set_detail(metric.name, "same_tokens", true);
        }
        (false, Some(score)) => record.set_score(metric.name, score),
        (false, None) => record.set_null(metric.name),
    }
}

/// The score, the status and the error of a pair that a metric cannot compute: nothing where nothing was tested, what
/// [`unread`] says of what was not read, and whether the texts are the same where a limit was met. What is no query keeps
/// its 0.
pub(crate) fn failed(metric: &Metric, job: &Job, found: (Status, Option<String>), record: &mut Record) {
    let (status, error) = found;
    match (status, &job.work) {
        (Status::Untested | Status::MachineError, _) => record.set_null(metric.name),
        (Status::Unsupported, _) => unread(metric, job, record),
        (Status::Timeout, Work::Pair { gold, pred, .. }) => {
            record.set_score(metric.name, f64::from(u8::from(same_tokens(gold, pred))));
        }
        _ => {}
    }
    if let Some(error) = error {
        record.spoil(metric.name, status, error);
    }
}

/// Statuses, errors and documented scores of pairs of which a side has no graph, and whose
/// forms are not equal all the same. Nothing is to be explained of pairs that are `known`.
pub(crate) fn explain_failures(
    metric: &Metric,
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
        failed(metric, job, (found, Some(format!("{side}: {}", side.flagged(&error.message)))), record);
    }
}
