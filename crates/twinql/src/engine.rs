//! Metrics with their settings, ready to be computed, and what their scores are called.

use std::sync::Arc;

use serde_json::Value;
use twinql_graph::{Question, RelPmConfig};
use twinql_metrics::{MetricId, MetricInfo, SemanticsOf, TrivialNgrams};
use twinql_model::{Band, Cascade, Decision};
use twinql_sql::{Dialect, Semantics};
use twinql_suite::JudgeConfig;
use twinql_suite::plausible::ExpectedConfig;

use crate::judging::Workers;
use crate::network::Network;
use crate::profiles::Profiles;
use crate::record::{Record, Status, shortest};
use crate::runs::Runs;

/// The seed where none is given.
pub const DEFAULT_SEED: u64 = 8;

/// Metrics, ready to be computed.
///
/// ```
/// use twinql::metrics::MetricId;
/// use twinql::{Engine, Semantics};
///
/// let engine = Engine::builder()
///     .metric(MetricId::RelPm)
///     .metric(MetricId::Suite)
///     .semantics(Semantics::preset("no-fk").unwrap_or_default())
///     .databases(40)
///     .seed(8)
///     .build()?;
/// assert_eq!(engine.metrics().len(), 2);
/// # Ok::<(), twinql::NetworkError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Engine {
    pub(crate) metrics: Vec<&'static MetricInfo>,
    pub(crate) network: Option<Network>,
    pub(crate) semantics: Semantics,
    pub(crate) judge: JudgeConfig,
    pub(crate) expected: ExpectedConfig,
    pub(crate) matching: RelPmConfig,
    pub(crate) trivial: Option<TrivialNgrams>,
    pub(crate) profiles: Profiles,
    pub(crate) workers: Arc<Workers>,
    pub(crate) runs: Option<Arc<Runs>>,
    pub(crate) seed: u64,
    /// Databases of a probe; none for the usual number, 0 for the network alone.
    pub(crate) probes: Option<u64>,
    pub(crate) dialect: Dialect,
}

impl Engine {
    /// What the network is asked.
    pub fn question(&self) -> Question {
        self.network.as_ref().map_or_else(Question::default, Network::question)
    }

    /// The metrics, in the order in which they were asked for.
    pub fn metrics(&self) -> &[&'static MetricInfo] {
        &self.metrics
    }

    /// The users' own databases, where there are some.
    pub fn runs(&self) -> Option<&Runs> {
        self.runs.as_deref()
    }

    /// The score from which on a metric calls two queries the same.
    pub fn threshold(&self, metric: &MetricInfo) -> f64 {
        if metric.id == MetricId::Ex {
            return metric.threshold;
        }
        match (&self.network, metric.semantics) {
            (Some(_), _) if is_probed(metric.id) && self.correction().is_some() => {
                shortest(self.correction().map_or(0.5, |correction| correction.threshold))
            }
            (Some(network), SemanticsOf::Checkpoint) => {
                let tier = cascade(metric).zip(network.scorer().info().tiers.as_ref());
                let own = network.scorer().threshold();
                shortest(tier.map_or(own, |(cascade, tiers)| tiers.tier(cascade).threshold))
            }
            _ => metric.threshold,
        }
    }

    /// The abstention band of a learned metric; none where its checkpoint has none.
    pub fn band(&self, metric: &MetricInfo) -> Option<Band> {
        let network = self.network.as_ref()?;
        if is_probed(metric.id)
            && let Some(correction) = self.correction()
        {
            return correction.band;
        }
        match (cascade(metric), metric.semantics) {
            _ if metric.id == MetricId::Ex => None,
            (Some(cascade), _) => network.scorer().info().tiers.as_ref()?.tier(cascade).band,
            (None, SemanticsOf::Checkpoint) => network.scorer().info().band,
            (None, _) => None,
        }
    }

    /// What a learned metric says of a pair that it scored; none where it has no band. A
    /// prediction that is no query over the schema is different. What is equal by its canonical
    /// form, or decided by a tier before the network, is never abstained from; a pair that cannot
    /// be read always is, unless its texts are the same.
    pub fn decide(&self, metric: &MetricInfo, record: &Record) -> Option<Decision> {
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
    pub fn call(&self, metric: &MetricInfo, record: &Record, abstaining: bool) -> Decision {
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
    pub fn semantics_of(&self, metric: &MetricInfo) -> Semantics {
        match metric.semantics {
            SemanticsOf::Preset(name) => Semantics::preset(name).unwrap_or_default(),
            SemanticsOf::Checkpoint | SemanticsOf::Asked => self.semantics.clone(),
        }
    }

    /// The semantics that the network of a metric is told in place of the one that is asked for; none where it was
    /// trained for that one, and for metrics without a network.
    pub fn network_semantics(&self, metric: &MetricInfo) -> Option<Semantics> {
        let network = self.network.as_ref().filter(|_| metric.semantics == SemanticsOf::Checkpoint)?;
        network.stands_in_for(&self.semantics)
    }
}

/// The cascade that a metric is.
pub(crate) fn cascade(metric: &MetricInfo) -> Option<Cascade> {
    match metric.id {
        MetricId::TwoTier => Some(Cascade::Proof),
        MetricId::ThreeTier => Some(Cascade::ProofAndSuite),
        MetricId::Gmn
        | MetricId::Suite
        | MetricId::RelPm
        | MetricId::Proof
        | MetricId::ExpectedEx
        | MetricId::Ex
        | MetricId::Exact
        | MetricId::AstPm
        | MetricId::Bleu
        | MetricId::CrystalBleu
        | MetricId::CodeBleu
        | MetricId::CodeBleuRot
        | MetricId::Execution
        | MetricId::BirdEx
        | MetricId::Ves
        | MetricId::RVes
        | MetricId::SoftF1
        | MetricId::SoftF1Repaired
        | MetricId::EsmOfficial
        | MetricId::Esm
        | MetricId::EsmValues
        | MetricId::Components
        | MetricId::EsmPlus
        | MetricId::EsmPlusPublished
        | MetricId::Conjunctive => None,
    }
}

/// The tier of pairs of which the network has the last word.
pub(crate) const NETWORK: &str = "network";

/// Metrics for which pairs are evaluated on a few databases in memory beside the network.
pub(crate) fn is_probed(metric: MetricId) -> bool {
    matches!(metric, MetricId::Gmn | MetricId::TwoTier)
}

/// The value of `proof` where nothing is proved either way.
pub(crate) const UNKNOWN: f64 = 0.5;

/// How the suite judges for a metric: `databases` where given, no shrinking of witnesses.
pub fn judge_config(semantics: Semantics, databases: Option<usize>, seed: u64) -> JudgeConfig {
    let base = JudgeConfig::default();
    JudgeConfig { semantics, seed, databases: databases.map_or(base.databases, |n| n as u64), ..base }
}
