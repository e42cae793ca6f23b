//! Execution on databases as people have them.

use twinql_suite::Expectation;
use twinql_suite::JudgeConfig;

use super::*;
use crate::metric::UNKNOWN;
use crate::signature::of_suite;
use crate::status;
use crate::unread::failed;

/// `expected-ex`.
pub static EXPECTED_EX: Metric = Metric {
    name: "expected-ex",
    kind: ScoreKind::Continuous,
    threshold: 0.7,
    summary: "expected execution accuracy: the share of plausible databases on which both give the same answer",
    source: "Zhong et al. 2020 for suites; the regularities of plausible databases are twinql's own",
    needs: &[],
    settings: &[Setting::Plausible, Setting::Profile],
    cost: Cost::High,
    score: Score::Batch(score),
    signature: |setup| {
        let counted = JudgeConfig { databases: setup.expected.databases, ..setup.judge.clone() };
        [of_suite(&counted), setup.signed_profiles()].concat()
    },
    examples: [
        Example::new(
            "SELECT name FROM owner WHERE age > 30",
            "SELECT o.name FROM owner AS o WHERE 30 < o.age",
            1.0,
        ),
        Example::new("SELECT name FROM owner", "SELECT kind FROM pet", 0.0),
    ],
    further: Further::NONE,
};

/// The share of plausible databases on which both agree.
fn score(setup: &Setup, metric: &Metric, batch: &mut Batch<'_>, records: &mut [Record]) {
    let counted = setup.counted(batch);
    for ((record, found), job) in records.iter_mut().zip(&*counted).zip(batch.jobs) {
        match found {
            None => {}
            Some(Expectation::Counted(expected)) => {
                record.set_score(metric.name, expected.share().unwrap_or(UNKNOWN));
                record.set_detail(metric.name, "agree", expected.agree);
                record.set_detail(metric.name, "databases", expected.of);
                record.set_detail(metric.name, "standard_error", expected.standard_error());
                record.set_detail(metric.name, "probability", expected.probability());
            }
            Some(Expectation::None(verdict)) => {
                failed(metric, job, status::of_verdict(verdict), record);
            }
        }
    }
}
