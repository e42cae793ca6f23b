//! How an engine is set up.

use std::sync::Arc;

use twinql_graph::{Question, RelPmConfig};
use twinql_metrics::{MetricId, MetricInfo, TrivialNgrams};
use twinql_sql::{Dialect, Semantics};
use twinql_suite::Limits;
use twinql_suite::plausible::ExpectedConfig;

use crate::classic::Trivial;
use crate::engine::{DEFAULT_SEED, Engine, asked, judge_config, needed};
use crate::judging::Workers;
use crate::network::{Network, NetworkError};
use crate::profiles::Profiles;
use crate::runs::Runs;

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
    trivial: Option<Trivial>,
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

    /// The network of learned metrics, which answers for the semantics of its labels
    /// ([`Network::answers_for`]).
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
        self.trivial = ngrams.into().map(Trivial::new);
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
