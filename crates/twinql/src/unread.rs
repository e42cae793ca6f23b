//! What is said of pairs of which a query cannot be read.

use twinql_metrics::MetricInfo;
use twinql_sql::prove::Side;

use crate::job::{Job, Work};
use crate::prepare::{PairGraphs, same_tokens};
use crate::record::{Record, Status};
use crate::status;

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
        let (Some(pair), Work::Pair { gold: gold_sql, pred: pred_sql, .. }) = (pair, &job.work) else {
            continue;
        };
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
            record.set_score(metric.name, f64::from(u8::from(same_tokens(gold_sql, pred_sql))));
        }
        record.spoil(found, format!("{side}: {}", error.message));
    }
}
