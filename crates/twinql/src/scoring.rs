//! Scores of batches: each metric's unit in turn.

use twinql_metrics::MetricId;
use twinql_model::{Cascade, GraphKind};

use crate::batch::Batch;
use crate::engine::{Engine, is_probed};
use crate::job::{Job, Work};
use crate::record::{Record, Status};
use crate::unread::unread_job;

impl Engine {
    /// Scores a batch: one record for each job, in order, whatever becomes of it. Runs on
    /// rayon's current pool; the result does not depend on the number of threads.
    pub fn score(&self, jobs: &[Job]) -> Vec<Record> {
        let mut records: Vec<Record> = jobs.iter().map(|job| self.blank(job)).collect();
        let probing = self.probe().is_some() && self.metrics.iter().any(|m| is_probed(m.id));
        let mut batch = Batch::new(jobs, probing);
        for metric in &self.metrics {
            match metric.id {
                MetricId::Gmn => self.gmn(metric, &mut batch, &mut records),
                MetricId::RelPm => self.partial(metric, GraphKind::Plan, &mut batch, &mut records),
                MetricId::AstPm => self.partial(metric, GraphKind::Ast, &mut batch, &mut records),
                MetricId::Suite => self.suite(metric, &mut batch, &mut records),
                MetricId::Proof => self.proof(metric, &mut batch, &mut records),
                MetricId::Conjunctive => self.conjunctive(metric, &batch, &mut records),
                MetricId::TwoTier => self.tiers(metric, Cascade::Proof, &mut batch, &mut records),
                MetricId::ThreeTier => self.tiers(metric, Cascade::ProofAndSuite, &mut batch, &mut records),
                MetricId::ExpectedEx => self.expected(metric, &mut batch, &mut records),
                MetricId::Ex => self.ex(metric, &mut batch, &mut records),
                MetricId::Exact
                | MetricId::Bleu
                | MetricId::CrystalBleu
                | MetricId::CodeBleu
                | MetricId::CodeBleuRot
                | MetricId::EsmOfficial
                | MetricId::Esm
                | MetricId::EsmValues
                | MetricId::Components
                | MetricId::EsmPlus
                | MetricId::EsmPlusPublished => self.classic(metric, &mut batch, &mut records),
                MetricId::Execution => self.execution(metric, jobs, &mut records),
                MetricId::BirdEx
                | MetricId::Ves
                | MetricId::RVes
                | MetricId::SoftF1
                | MetricId::SoftF1Repaired => self.bird(metric, &mut batch, &mut records),
            }
        }
        self.contradictions(&mut batch, &mut records);
        for record in &mut records {
            record.settle(self.metrics.iter().map(|metric| metric.name));
        }
        records
    }

    /// A record before any metric is computed: score 0 for each, and where there is no pair what is said of that: null
    /// where the machine failed, and where a query could not be read.
    fn blank(&self, job: &Job) -> Record {
        let mut record = Record::empty(job.id.clone());
        for metric in &self.metrics {
            record.set_score(metric.name, 0.0);
            let Work::Unusable { status, error, .. } = &job.work else { continue };
            match status {
                Status::MachineError => record.set_null(metric.name),
                Status::Unsupported => unread_job(metric, job, &mut record),
                _ => {}
            }
            record.spoil(metric.name, *status, error.clone());
        }
        record
    }
}
