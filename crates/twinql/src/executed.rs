//! Metrics that execute both queries on the users' own databases.

use twinql_metrics::{MetricId, MetricInfo};
use twinql_suite::bird::{BirdConfig, Cost, Measures};
use twinql_suite::{FileConfig, FileVerdict};

use crate::batch::Batch;
use crate::engine::Engine;
use crate::job::{Job, Work};
use crate::prepare::same_tokens;
use crate::record::{Record, Status};
use crate::runs::{costs, of_bird};
use crate::unread::unread_job;
use crate::{judging, status};

impl Engine {
    /// Scores `execution`: 1 where the answers agree on all files of the database.
    pub(crate) fn execution(&self, metric: &MetricInfo, jobs: &[Job], records: &mut [Record]) {
        let Some(runs) = &self.runs else { return };
        let config = FileConfig { limits: runs.limits, ..FileConfig::new(self.semantics.clone()) };
        let reports = judging::execute_all(jobs, &runs.files, &config, &runs.workers, &|| ());
        for ((job, record), report) in jobs.iter().zip(records).zip(reports) {
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
                verdict => fail(metric, record, job, verdict),
            }
        }
    }

    /// Scores BIRD's metrics.
    pub(crate) fn bird(&self, metric: &MetricInfo, batch: &mut Batch<'_>, records: &mut [Record]) {
        let Some(runs) = &self.runs else { return };
        let cost = self.metrics.iter().any(|m| costs(m.id)).then_some(runs.cost);
        let config =
            BirdConfig { limits: runs.limits, cost, tolerance: self.semantics_of(metric).float_tolerance };
        let measured = batch.measured(|jobs| judging::measure_all(jobs, &runs.files, config, &runs.workers));
        for ((job, record), measured) in batch.jobs.iter().zip(records).zip(&*measured) {
            match measured {
                Some(Ok(measures)) => score(metric, record, measures, runs.cost),
                Some(Err(verdict)) => fail(metric, record, job, verdict),
                None => {}
            }
        }
    }
}

/// A metric's score and details of what was measured. Efficiency is cut at 1, which says that the prediction is right
/// and costs no more than the gold; the details have the value as BIRD averages it.
fn score(metric: &MetricInfo, record: &mut Record, measures: &Measures, cost: Cost) {
    let name = metric.name;
    let efficiency = |record: &mut Record, value: fn(&twinql_suite::bird::Efficiency) -> f64| {
        let found = measures.efficiency.as_ref();
        let raw = found.map_or(0.0, value);
        record.set_score(name, raw.min(1.0));
        record.set_detail(name, "value", raw);
        if let Some(found) = found {
            record.set_detail(name, "ratio", found.ratio);
            record.set_detail(name, "cost", cost.name());
            record.set_detail(name, "gold_cost", found.gold);
            record.set_detail(name, "pred_cost", found.pred);
            record.set_detail(name, "runs", found.runs);
            record.set_detail(name, "kept", found.kept);
        }
    };
    match metric.id {
        MetricId::BirdEx => record.set_score(name, f64::from(u8::from(measures.same))),
        MetricId::Ves => efficiency(record, |e| e.ves()),
        MetricId::RVes => efficiency(record, |e| e.r_ves()),
        MetricId::SoftF1 => record.set_score(name, measures.soft_f1),
        MetricId::SoftF1Repaired => record.set_score(name, measures.soft_f1_repaired),
        _ => {}
    }
}

/// The score and the status of a pair that was not executed to its end: nothing where nothing was read or tested, whether
/// the texts are the same where a limit was met, and else 0.
fn fail(metric: &MetricInfo, record: &mut Record, job: &Job, verdict: &FileVerdict) {
    let (status, error) = status::of_file(verdict);
    match (status, &job.work) {
        (Status::Untested | Status::MachineError, _) => record.set_null(metric.name),
        // BIRD's scripts score 0 for what takes too long.
        (Status::Unsupported, _) if !of_bird(metric.id) => unread_job(metric, job, record),
        (Status::Timeout, Work::Pair { gold, pred, .. }) if !of_bird(metric.id) => {
            record.set_score(metric.name, f64::from(u8::from(same_tokens(gold, pred))));
        }
        _ => {}
    }
    if let Some(error) = error {
        record.spoil(metric.name, status, error);
    }
}

#[cfg(test)]
mod tests;
