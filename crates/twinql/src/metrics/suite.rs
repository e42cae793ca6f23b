//! Execution on generated databases.

use twinql_suite::Verdict;

use super::*;
use crate::unread::failed;
use crate::{judging, status};

/// `suite`.
pub static SUITE: Metric = Metric {
    name: "suite",
    kind: ScoreKind::Binary,
    threshold: 0.5,
    summary: "built-in test suite: 0 where a generated database separates the queries, else 1",
    source: "Zhong et al. 2020, test suites for semantic evaluation of text-to-SQL",
    needs: &[Need::Verdicts],
    settings: &[Setting::Databases],
    cost: Cost::High,
    score: Score::Batch(score),
    signature: Setup::signed_suite,
    examples: [
        Example::new(
            "SELECT name FROM owner WHERE age > 30",
            "SELECT o.name FROM owner AS o WHERE 30 < o.age",
            1.0,
        ),
        Example::new("SELECT name FROM owner WHERE age > 30", "SELECT name FROM owner WHERE age >= 30", 0.0),
    ],
    further: Further::NONE,
};

/// Whether generated databases tell the queries apart.
fn score(setup: &Setup, metric: &Metric, batch: &mut Batch<'_>, records: &mut [Record]) {
    let verdicts = batch.judged(&setup.judge, &setup.workers);
    for ((job, record), verdict) in batch.jobs.iter().zip(records).zip(&*verdicts) {
        let Some(verdict) = verdict else { continue };
        record.set_detail(metric.name, "verdict", judging::name(verdict));
        match verdict {
            Verdict::Same { .. } => record.set_score(metric.name, 1.0),
            Verdict::Different { .. } => {}
            _ => failed(metric, job, status::of_verdict(verdict), record),
        }
    }
}
