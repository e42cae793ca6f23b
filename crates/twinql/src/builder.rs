//! How an engine is set up.

use std::sync::Arc;

use twinql_graph::{Question, RelPmConfig};
use twinql_metrics::{MetricId, MetricInfo, SemanticsOf, TrivialNgrams};
use twinql_sql::{Dialect, Semantics};
use twinql_suite::plausible::ExpectedConfig;
use twinql_suite::{JudgeConfig, Limits};

use crate::engine::{DEFAULT_SEED, Engine, cascade, judge_config};
use crate::judging::Workers;
use crate::network::{Network, NetworkError};
use crate::profiles::Profiles;
use crate::runs::{Runs, executes};

/// Sets up an [`Engine`]. What is not set is as `twinql score` has it: `gmn` with the embedded
/// checkpoint, the default semantics, and execution by threads of this process.
#[derive(Debug)]
#[must_use]
pub struct EngineBuilder {
    metrics: Vec<&'static MetricInfo>,
    network: Option<Network>,
    semantics: Semantics,
    question: Question,
    databases: Option<usize>,
    expected: ExpectedConfig,
    matching: RelPmConfig,
    trivial: Option<TrivialNgrams>,
    profiles: Profiles,
    seed: u64,
    probes: Option<u64>,
    dialect: Dialect,
    workers: Workers,
    limits: Limits,
    runs: Option<Runs>,
}

impl Default for EngineBuilder {
    fn default() -> Self {
        EngineBuilder {
            metrics: Vec::new(),
            network: None,
            semantics: Semantics::default(),
            question: Question::default(),
            databases: None,
            expected: ExpectedConfig::default(),
            matching: RelPmConfig::default(),
            trivial: None,
            profiles: Profiles::default(),
            seed: DEFAULT_SEED,
            probes: None,
            dialect: Dialect::Sqlite,
            workers: Workers::default(),
            limits: Limits::default(),
            runs: None,
        }
    }
}

impl EngineBuilder {
    /// One more metric.
    pub fn metric(self, metric: MetricId) -> EngineBuilder {
        self.metrics([metric.info()])
    }

    /// More metrics; each is computed once, in the order in which they are first named.
    pub fn metrics(mut self, metrics: impl IntoIterator<Item = &'static MetricInfo>) -> EngineBuilder {
        for metric in metrics {
            if !self.metrics.contains(&metric) {
                self.metrics.push(metric);
            }
        }
        self
    }

    /// The network of learned metrics, which is told the semantics asked for or the nearest that it was trained for
    /// ([`Network::conditioned_on`]).
    pub fn network(mut self, network: impl Into<Option<Network>>) -> EngineBuilder {
        self.network = network.into();
        self
    }

    /// What "the same answer" means.
    pub fn semantics(mut self, semantics: Semantics) -> EngineBuilder {
        self.semantics = semantics;
        self
    }

    /// What the network is asked: whether two queries answer the same on every database, or on one as people have them.
    pub fn question(mut self, question: Question) -> EngineBuilder {
        self.question = question;
        self
    }

    /// The suite's number of databases for a pair.
    pub fn databases(mut self, databases: impl Into<Option<usize>>) -> EngineBuilder {
        self.databases = databases.into();
        self
    }

    /// The number of plausible databases that `expected-ex` and `ex` count over.
    pub fn plausible(mut self, databases: impl Into<Option<u64>>) -> EngineBuilder {
        if let Some(databases) = databases.into() {
            self.expected.databases = databases.max(1);
        }
        self
    }

    /// The parameters of `relpm` and `astpm`, which [`RelPmConfig::check`] takes.
    pub fn matching(mut self, config: RelPmConfig) -> EngineBuilder {
        self.matching = config;
        self
    }

    /// The n-grams that `crystalbleu` leaves out, where they are not the built-in ones.
    pub fn trivial_ngrams(mut self, ngrams: impl Into<Option<TrivialNgrams>>) -> EngineBuilder {
        self.trivial = ngrams.into();
        self
    }

    /// Profiles that plausible databases follow.
    pub fn profiles(mut self, profiles: Profiles) -> EngineBuilder {
        self.profiles = profiles;
        self
    }

    /// The seed of the suite's databases.
    pub fn seed(mut self, seed: u64) -> EngineBuilder {
        self.seed = seed;
        self
    }

    /// The number of small databases on which `gmn` evaluates a pair whose forms differ; with 0 the network has the only
    /// word.
    pub fn probes(mut self, databases: impl Into<Option<u64>>) -> EngineBuilder {
        self.probes = databases.into();
        self
    }

    /// Says in signatures whose SQL the queries were before [`in_sqlite`](crate::prepare::in_sqlite) translated
    /// them; the engine itself reads SQLite's.
    pub fn translated_from(mut self, dialect: Dialect) -> EngineBuilder {
        self.dialect = dialect;
        self
    }

    /// Lets the suite judge by `workers`, within `limits`.
    pub fn workers(mut self, workers: Workers, limits: Limits) -> EngineBuilder {
        self.workers = workers;
        self.limits = limits;
        self
    }

    /// The users' own databases, for metrics that execute on them.
    pub fn runs(mut self, runs: impl Into<Option<Runs>>) -> EngineBuilder {
        self.runs = runs.into();
        self
    }

    /// The engine.
    ///
    /// # Errors
    /// A learned metric without a network, in a program that has none built in; a tier with a network that was
    /// trained without them, or `ex` with one that was not calibrated for it; a question that the network was not
    /// trained for; a metric that executes on databases, and
    /// none are given.
    pub fn build(mut self) -> Result<Engine, NetworkError> {
        if self.metrics.is_empty() {
            self = self.metric(MetricId::Gmn);
        }
        let network = needed(&self.metrics, self.network, self.runs.is_some())?;
        let network = asked(&self.metrics, network, self.question, &self.semantics)?;
        let mut judge = judge_config(self.semantics.clone(), self.databases, self.seed);
        judge.limits = self.limits;
        Ok(Engine {
            metrics: self.metrics,
            network,
            semantics: self.semantics,
            judge,
            expected: self.expected,
            matching: self.matching,
            trivial: self.trivial,
            profiles: self.profiles,
            workers: Arc::new(self.workers),
            runs: self.runs.map(Arc::new),
            seed: self.seed,
            probes: self.probes,
            dialect: self.dialect,
        })
    }
}

impl Engine {
    /// Sets up an engine.
    pub fn builder() -> EngineBuilder {
        EngineBuilder::default()
    }

    /// The same engine for other metrics under another semantics, with another question for the network: network, workers and databases are shared, and nothing
    /// is read anew. No metrics stand for `gmn`.
    ///
    /// # Errors
    /// Those of [`EngineBuilder::build`].
    pub fn asking(
        &self,
        metrics: Vec<&'static MetricInfo>,
        semantics: Semantics,
        question: Question,
    ) -> Result<Engine, NetworkError> {
        let metrics = if metrics.is_empty() { vec![MetricId::Gmn.info()] } else { metrics };
        let network = needed(&metrics, self.network.clone(), self.runs.is_some())?;
        let network = asked(&metrics, network, question, &semantics)?;
        let judge = JudgeConfig { semantics: semantics.clone(), ..self.judge.clone() };
        Ok(Engine { metrics, network, semantics, judge, ..self.clone() })
    }
}

/// The network that metrics need: the one given, or the embedded one.
///
/// # Errors
/// Those of [`EngineBuilder::build`].
fn needed(
    metrics: &[&'static MetricInfo],
    network: Option<Network>,
    has_runs: bool,
) -> Result<Option<Network>, NetworkError> {
    let learned = metrics.iter().any(|m| m.semantics == SemanticsOf::Checkpoint);
    let network = match network {
        None if learned => Some(Network::embedded()?),
        network => network,
    };
    let calibrated = network.as_ref().is_some_and(|n| n.scorer().info().tiers.is_some());
    if !calibrated && metrics.iter().any(|m| cascade(m).is_some()) {
        return Err(NetworkError::NoTiers);
    }
    let weighed = network.as_ref().is_some_and(|n| n.scorer().info().execution.is_some());
    if !weighed && metrics.iter().any(|m| m.id == MetricId::Ex) {
        return Err(NetworkError::NoExecution);
    }
    match metrics.iter().find(|m| executes(m)) {
        Some(metric) if !has_runs => Err(NetworkError::NoDatabases(metric.name)),
        _ => Ok(network),
    }
}

/// The network as it answers a question under a semantics.
///
/// # Errors
/// It was not trained for the question, or a metric answers another one.
fn asked(
    metrics: &[&'static MetricInfo],
    network: Option<Network>,
    question: Question,
    semantics: &Semantics,
) -> Result<Option<Network>, NetworkError> {
    if !question.is_usual()
        && let Some(metric) = metrics.iter().find(|m| cascade(m).is_some())
    {
        return Err(NetworkError::OtherQuestion { metric: metric.name, question });
    }
    network.map(|network| network.asked(question, semantics)).transpose()
}
