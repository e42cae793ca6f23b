//! Metrics that decide: the proof, and the suite.

use serde_json::Value;
use twinql_metrics::MetricInfo;
use twinql_suite::Verdict;

use crate::batch::Batch;
use crate::engine::{Engine, UNKNOWN};
use crate::job::{Job, Work};
use crate::prepare::same_tokens;
use crate::record::{Record, Status};
use crate::{judging, proving, status};

impl Engine {
    /// Scores `proof`: 1 and 0 where it is proved, and in between where nothing is.
    pub(crate) fn proof(&self, metric: &MetricInfo, batch: &mut Batch<'_>, records: &mut [Record]) {
        let proofs = batch.proofs(&self.semantics);
        for (record, proof) in records.iter_mut().zip(&*proofs) {
            match proof {
                Some(Ok(proof)) => {
                    record.set_score(metric.name, proof.score());
                    record.set_detail(metric.name, "proof", proof.name());
                    if let Value::Object(details) = proving::details(proof) {
                        for (key, value) in details {
                            record.set_detail(metric.name, &key, value);
                        }
                    }
                }
                Some(Err(error)) => {
                    let status = status::of_proof(error);
                    if status == Status::Unsupported {
                        record.set_score(metric.name, UNKNOWN);
                    }
                    record.spoil(status, error.to_string());
                }
                None => {}
            }
        }
    }

    /// Scores `suite`: whether generated databases tell the queries apart.
    pub(crate) fn suite(&self, metric: &MetricInfo, jobs: &[Job], records: &mut [Record]) {
        let reports = judging::judge_all(jobs, &self.judge, &self.workers, &|| ());
        for ((job, record), report) in jobs.iter().zip(records).zip(reports) {
            let (Some(report), Work::Pair { gold, pred, .. }) = (report, &job.work) else {
                continue;
            };
            let same = match &report.verdict {
                Verdict::Same { .. } => Some(true),
                Verdict::Timeout { .. } => Some(same_tokens(gold, pred)),
                Verdict::Different { .. } | Verdict::PredError { .. } | Verdict::GoldError { .. } => {
                    Some(false)
                }
                Verdict::Untested { .. } | Verdict::MachineError { .. } => None,
            };
            match same {
                Some(same) => record.set_score(metric.name, f64::from(u8::from(same))),
                None => record.set_null(metric.name),
            }
            record.set_detail(metric.name, "verdict", judging::name(&report.verdict));
            let (status, error) = status::of_verdict(&report.verdict);
            if status == Status::Unsupported && same_tokens(gold, pred) {
                record.set_score(metric.name, 1.0);
            }
            if let Some(error) = error {
                record.spoil(status, error);
            }
        }
    }
}
