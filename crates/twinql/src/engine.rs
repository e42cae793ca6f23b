//! Metrics with their settings, ready to be computed, and what their scores are called.

use serde_json::Value;
use twinql_gmn::{Band, Decision};
use twinql_graph::Question;
use twinql_sql::Semantics;
use twinql_suite::JudgeConfig;

use crate::batch::Batch;
use crate::families::cascade::NETWORK;
use crate::job::{Job, Work};
use crate::metric::{Cost, Metric, Setting};
use crate::record::{Record, Status, shortest};
use crate::runs::Runs;
use crate::setup::Setup;
use crate::signature::Signature;
use crate::unread::failed;

/// The seed where none is given.
pub const DEFAULT_SEED: u64 = 8;

/// Metrics, ready to be computed.
///
/// ```
/// use twinql::metrics::{RELPM, SUITE};
/// use twinql::{Engine, Semantics};
///
/// let engine = Engine::builder()
///     .metric(&RELPM)
///     .metric(&SUITE)
///     .semantics(Semantics::preset("no-fk").unwrap_or_default())
///     .databases(40)
///     .seed(8)
///     .build()?;
/// assert_eq!(engine.metrics().len(), 2);
/// # Ok::<(), twinql::NetworkError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Engine {
    pub(crate) metrics: Vec<&'static Metric>,
    pub(crate) setup: Setup,
}

impl Engine {
    /// What the network is asked.
    pub fn question(&self) -> Question {
        self.setup.question()
    }

    /// The metrics, in the order in which they were asked for.
    pub fn metrics(&self) -> &[&'static Metric] {
        &self.metrics
    }

    /// The users' own databases, where there are some.
    pub fn runs(&self) -> Option<&Runs> {
        self.setup.runs.as_deref()
    }

    /// The score from which on a metric calls two queries the same.
    pub fn threshold(&self, metric: &Metric) -> f64 {
        metric.boundary(&self.setup).map_or(metric.threshold, |found| shortest(found.threshold))
    }

    /// The abstention band of a learned metric; none where its checkpoint has none.
    pub fn band(&self, metric: &Metric) -> Option<Band> {
        metric.boundary(&self.setup)?.band
    }

    /// Whether a pair may take as long as many executions do, so that few are to be scored at a time.
    pub fn is_slow(&self) -> bool {
        self.metrics.iter().any(|metric| metric.cost == Cost::High)
    }

    /// What a learned metric says of a pair that it scored; none where it has no band. A
    /// prediction that is no query over the schema is different. What is equal by its canonical
    /// form, or decided by a tier before the network, is never abstained from; a pair that cannot
    /// be read always is, unless its texts are the same.
    pub fn decide(&self, metric: &Metric, record: &Record) -> Option<Decision> {
        let band = self.band(metric)?;
        let detail = |key: &str| record.detail(metric.name, key);
        match record.status_of(metric.name) {
            Status::Ok | Status::Untested | Status::Contradicted => {}
            Status::Unsupported if detail("same_tokens") == Some(&Value::Bool(true)) => {
                return Some(Decision::Same);
            }
            Status::PredError => return Some(Decision::Different),
            Status::GoldError | Status::Unsupported | Status::Timeout | Status::MachineError => {
                return Some(Decision::Abstained);
            }
        }
        let by_network = match detail("tier") {
            Some(tier) => tier == NETWORK,
            None => ["identical", "refuted"].iter().all(|key| detail(key) != Some(&Value::Bool(true))),
        };
        // The probability as the band was fitted on it.
        let Some(score) = record.score(metric.name) else {
            return Some(Decision::Abstained);
        };
        let threshold = self.threshold(metric);
        Some(match by_network {
            true => band.decide(score as f32, threshold as f32),
            false if score >= threshold => Decision::Same,
            false => Decision::Different,
        })
    }

    /// What a metric calls a pair: by its score and its threshold, and with `abstaining` by its band where it has one.
    /// A prediction that is no query over the schema is different; of what else has no score nothing is said.
    pub fn call(&self, metric: &Metric, record: &Record, abstaining: bool) -> Decision {
        let by_band = if abstaining { self.decide(metric, record) } else { None };
        let same_tokens = record.detail(metric.name, "same_tokens") == Some(&Value::Bool(true));
        by_band.unwrap_or_else(|| match (record.status_of(metric.name), record.score(metric.name)) {
            (Status::Unsupported, _) if same_tokens => Decision::Same,
            (Status::Ok | Status::Untested | Status::Contradicted, Some(score)) => {
                match score >= self.threshold(metric) {
                    true => Decision::Same,
                    false => Decision::Different,
                }
            }
            (Status::PredError, _) => Decision::Different,
            _ => Decision::Abstained,
        })
    }

    /// The semantics that a metric answers for.
    pub fn semantics_of(&self, metric: &Metric) -> Semantics {
        self.setup.semantics_of(metric)
    }

    /// What a metric's figures depend on.
    pub fn signature(&self, metric: &Metric) -> Signature {
        let setup = &self.setup;
        let network = setup.network.as_ref().filter(|_| metric.is_learned());
        let told = setup.network_semantics(metric).map(|own| format!("network:{own}"));
        Signature {
            metric: metric.name.into(),
            checkpoint: network.map_or("none", |network| network.hash()).to_owned(),
            dialects: setup.dialects,
            semantics: setup.semantics_of(metric).name,
            threshold: self.threshold(metric),
            device: "cpu".into(),
            seed: setup.judge.seed,
            further: told.into_iter().chain((metric.signature)(setup)).collect(),
        }
    }

    /// Scores a batch: one record for each job, in order, whatever becomes of it. Runs on
    /// rayon's current pool; the result does not depend on the number of threads.
    pub fn score(&self, jobs: &[Job]) -> Vec<Record> {
        let mut records = match jobs.iter().all(|job| job.others.is_empty()) {
            true => self.score_each(jobs),
            false => {
                let each: Vec<Job> = jobs.iter().flat_map(Job::by_reference).collect();
                let mut scored = self.score_each(&each).into_iter();
                let mut of_job = |job: &Job| scored.by_ref().take(1 + job.others.len()).collect();
                jobs.iter().map(|job| self.best(of_job(job))).collect()
            }
        };
        for record in &mut records {
            record.settle(self.metrics.iter().map(|metric| metric.name));
        }
        records
    }

    /// Of the records of several references the one that each metric finds the closest, the first of equals: `gold` in its details
    /// is that reference's place, from 1.
    fn best(&self, mut records: Vec<Record>) -> Record {
        if records.len() == 1 {
            return records.remove(0);
        }
        let mut best = Record::empty(records.first().map_or(Value::Null, |record| record.id.clone()));
        for metric in &self.metrics {
            // A reference that cannot be read says nothing of the others.
            let read = |record: &Record| record.status_of(metric.name) != Status::GoldError;
            let score = |record: &Record| record.score(metric.name).unwrap_or(-1.0);
            let closeness = |a: &(usize, &Record), b: &(usize, &Record)| {
                read(a.1).cmp(&read(b.1)).then(score(a.1).total_cmp(&score(b.1)))
            };
            if let Some((at, record)) = records.iter().enumerate().rev().max_by(closeness) {
                best.adopt(metric.name, record);
                best.set_detail(metric.name, "gold", at + 1);
            }
        }
        best
    }

    /// A record for each job, by its first reference; the status of the pair is still to be made from those of the metrics.
    fn score_each(&self, jobs: &[Job]) -> Vec<Record> {
        let mut records: Vec<Record> = jobs.iter().map(|job| self.blank(job)).collect();
        let probing = self.setup.probe().is_some() && self.metrics.iter().any(|m| m.reads(Setting::Probe));
        let mut batch = Batch::new(jobs, &self.metrics, probing);
        for metric in &self.metrics {
            metric.compute(&self.setup, &mut batch, &mut records);
        }
        self.setup.contradictions(&mut batch, &mut records);
        records
    }

    /// A record before any metric is computed: score 0 for each, and where there is no pair what is said of that.
    fn blank(&self, job: &Job) -> Record {
        let mut record = Record::empty(job.id.clone());
        for metric in &self.metrics {
            record.set_score(metric.name, 0.0);
            if let Work::Unusable { status, error, .. } = &job.work {
                failed(metric, job, (*status, Some(error.clone())), &mut record);
            }
        }
        record
    }
}

/// How the suite judges for a metric: `databases` where given, no shrinking of witnesses.
pub fn judge_config(semantics: Semantics, databases: Option<usize>, seed: u64) -> JudgeConfig {
    let base = JudgeConfig::default();
    JudgeConfig { semantics, seed, databases: databases.map_or(base.databases, |n| n as u64), ..base }
}
