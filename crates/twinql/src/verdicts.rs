//! Metrics that decide: the proof, and the suite.

use serde_json::Value;
use twinql_metrics::MetricInfo;
use twinql_suite::Verdict;

use crate::batch::Batch;
use crate::engine::Engine;
use crate::job::Work;
use crate::prepare::same_tokens;
use crate::record::{Record, Status};
use crate::unread::unread_job;
use crate::{judging, proving, status};

impl Engine {
    /// Scores `proof`: 1 and 0 where it is proved, and in between where nothing is.
    pub(crate) fn proof(&self, metric: &MetricInfo, batch: &mut Batch<'_>, records: &mut [Record]) {
        let proofs = batch.proofs(&self.semantics);
        for ((record, proof), job) in records.iter_mut().zip(&*proofs).zip(batch.jobs) {
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
                        unread_job(metric, job, record);
                    }
                    record.spoil(metric.name, status, error.to_string());
                }
                None => {}
            }
        }
    }

    /// Scores `suite`: whether generated databases tell the queries apart.
    pub(crate) fn suite(&self, metric: &MetricInfo, batch: &mut Batch<'_>, records: &mut [Record]) {
        let verdicts = batch.judged(&self.judge, &self.workers);
        for ((job, record), verdict) in batch.jobs.iter().zip(records).zip(&*verdicts) {
            let (Some(verdict), Work::Pair { gold, pred, .. }) = (verdict, &job.work) else {
                continue;
            };
            let same = match verdict {
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
            record.set_detail(metric.name, "verdict", judging::name(verdict));
            let (status, error) = status::of_verdict(verdict);
            if status == Status::Unsupported {
                unread_job(metric, job, record);
            }
            if let Some(error) = error {
                record.spoil(metric.name, status, error);
            }
        }
    }
}
