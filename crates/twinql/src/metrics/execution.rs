//! Execution on the users' own databases.

use twinql_suite::{FileConfig, FileVerdict, Ties};

use super::*;
use crate::families::files;
use crate::unread::failed;
use crate::{judging, status};

/// `execution`.
pub static EXECUTION: Metric = Metric {
    name: "execution",
    kind: ScoreKind::Binary,
    threshold: 0.5,
    summary: "execution accuracy: both give the same answer on every file of the database (--db)",
    source: "Yu et al. 2018; Zhong et al. 2020",
    needs: &[Need::Databases],
    settings: &[Setting::Db],
    cost: Cost::High,
    score: Score::Batch(score),
    signature: |setup| {
        let possible = FileConfig::new(setup.semantics().clone()).ties == Ties::Possible;
        let ties = format!("ties:{}", if possible { "possible" } else { "as-returned" });
        [vec![ties], files::signature(setup)].concat()
    },
    examples: [
        Example::new(
            "SELECT name FROM owner WHERE age > 30 ORDER BY age",
            "SELECT name FROM owner WHERE age >= 36 ORDER BY age",
            1.0,
        ),
        Example::new("SELECT name FROM owner", "SELECT DISTINCT name FROM owner", 0.0),
    ],
    further: Further::NONE,
};

/// 1 where the answers agree on all files of the database.
fn score(setup: &Setup, metric: &Metric, batch: &mut Batch<'_>, records: &mut [Record]) {
    let Some(runs) = &setup.runs else { return };
    let config = FileConfig { limits: runs.limits, ..FileConfig::new(setup.semantics().clone()) };
    let reports = judging::execute_all(batch.jobs, &runs.files, &config, &runs.workers, &|| ());
    for ((job, record), report) in batch.jobs.iter().zip(records).zip(reports) {
        let Some(report) = report else { continue };
        match &report.verdict {
            FileVerdict::Same { files, nonempty } => {
                record.set_score(metric.name, 1.0);
                record.set_detail(metric.name, "files", *files);
                record.set_detail(metric.name, "nonempty", *nonempty);
            }
            FileVerdict::Different { file, .. } => {
                record.set_detail(metric.name, "file", file.display().to_string());
            }
            verdict => failed(metric, job, status::of_file(verdict), record),
        }
    }
}
