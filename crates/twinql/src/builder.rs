//! How an engine is set up.

use std::sync::Arc;

use twinql_graph::{Question, RelPmConfig};
use twinql_metrics::{TrivialNgrams, WithoutRules};
use twinql_sql::Semantics;
use twinql_suite::{JudgeConfig, Limits};

use crate::dialects::Dialects;
use crate::engine::Engine;
use crate::judging::Workers;
use crate::metric::{Metric, Need, Setting};
use crate::metrics::GMN;
use crate::network::{Network, NetworkError};
use crate::profiles::Profiles;
use crate::runs::Runs;
use crate::setup::Setup;

/// Sets up an [`Engine`]. What is not set is as `twinql score` has it: `gmn` with the embedded
/// checkpoint, the default semantics, and execution by threads of this process.
#[derive(Debug, Default)]
#[must_use]
pub struct EngineBuilder {
    metrics: Vec<&'static Metric>,
    question: Question,
    setup: Setup,
}

impl EngineBuilder {
    /// One more metric.
    pub fn metric(self, metric: &'static Metric) -> EngineBuilder {
        self.metrics([metric])
    }

    /// More metrics; each is computed once, in the order in which they are first named.
    pub fn metrics(mut self, metrics: impl IntoIterator<Item = &'static Metric>) -> EngineBuilder {
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
        self.setup.network = network.into();
        self
    }

    /// What "the same answer" means.
    pub fn semantics(mut self, semantics: Semantics) -> EngineBuilder {
        self.setup.judge.semantics = semantics;
        self
    }

    /// What the network is asked: whether two queries answer the same on every database, or on one as people have them.
    pub fn question(mut self, question: Question) -> EngineBuilder {
        self.question = question;
        self
    }

    /// The suite's number of databases for a pair.
    pub fn databases(mut self, databases: impl Into<Option<usize>>) -> EngineBuilder {
        if let Some(databases) = databases.into() {
            self.setup.judge.databases = databases as u64;
        }
        self
    }

    /// The number of plausible databases that `expected-ex` and `ex` count over.
    pub fn plausible(mut self, databases: impl Into<Option<u64>>) -> EngineBuilder {
        if let Some(databases) = databases.into() {
            self.setup.expected.databases = databases.max(1);
        }
        self
    }

    /// The parameters of `relpm` and `astpm`, which [`RelPmConfig::check`] takes.
    pub fn matching(mut self, config: RelPmConfig) -> EngineBuilder {
        self.setup.matching = config;
        self
    }

    /// The n-grams that `crystalbleu` leaves out, where they are not the built-in ones.
    pub fn trivial_ngrams(mut self, ngrams: impl Into<Option<TrivialNgrams>>) -> EngineBuilder {
        self.setup.trivial = ngrams.into();
        self
    }

    /// What is left out of `esm+`.
    pub fn without_rules(mut self, without: WithoutRules) -> EngineBuilder {
        self.setup.without_rules = without;
        self
    }

    /// Profiles that plausible databases follow.
    pub fn profiles(mut self, profiles: Profiles) -> EngineBuilder {
        self.setup.profiles = profiles;
        self
    }

    /// The seed of the suite's databases.
    pub fn seed(mut self, seed: u64) -> EngineBuilder {
        self.setup.judge.seed = seed;
        self
    }

    /// The number of small databases on which `gmn` evaluates a pair whose forms differ; with 0 the network has the only
    /// word.
    pub fn probes(mut self, databases: impl Into<Option<u64>>) -> EngineBuilder {
        self.setup.probes = databases.into();
        self
    }

    /// Says in signatures whose SQL the queries were before [`translate`](crate::prepare::translate) translated
    /// them; the engine itself reads SQLite's.
    pub fn translated_from(mut self, dialects: impl Into<Dialects>) -> EngineBuilder {
        self.setup.dialects = dialects.into();
        self
    }

    /// How many predictions `ex` takes to be right, from 0 to 1: as many as where it was fitted, if nothing is said.
    pub fn assume_accuracy(mut self, share: impl Into<Option<f64>>) -> EngineBuilder {
        self.setup.assumed = share.into();
        self
    }

    /// Lets the suite judge by `workers`, within `limits`.
    pub fn workers(mut self, workers: Workers, limits: Limits) -> EngineBuilder {
        self.setup.workers = Arc::new(workers);
        self.setup.judge.limits = limits;
        self
    }

    /// The users' own databases, for metrics that execute on them.
    pub fn runs(mut self, runs: impl Into<Option<Runs>>) -> EngineBuilder {
        self.setup.runs = runs.into().map(Arc::new);
        self
    }

    /// The engine.
    ///
    /// # Errors
    /// A learned metric without a network, in a program that has none built in; a tier with a network that was
    /// trained without them; a question that the network was not
    /// trained for; a metric that executes on databases, and
    /// none are given.
    pub fn build(self) -> Result<Engine, NetworkError> {
        engine(self.metrics, self.setup, self.question)
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
        metrics: Vec<&'static Metric>,
        semantics: Semantics,
        question: Question,
    ) -> Result<Engine, NetworkError> {
        let judge = JudgeConfig { semantics, ..self.setup.judge.clone() };
        engine(metrics, Setup { judge, ..self.setup.clone() }, question)
    }

    /// Profiles that plausible databases follow.
    pub fn profiles(&self) -> &Profiles {
        &self.setup.profiles
    }

    /// The same engine with other profiles.
    pub fn following(&self, profiles: Profiles) -> Engine {
        Engine { metrics: self.metrics.clone(), setup: Setup { profiles, ..self.setup.clone() } }
    }
}

/// The engine of these metrics, no metrics standing for `gmn`, with the network that they need: the one given, or the
/// embedded one, as it answers the question.
///
/// # Errors
/// Those of [`EngineBuilder::build`].
fn engine(
    mut metrics: Vec<&'static Metric>,
    mut setup: Setup,
    question: Question,
) -> Result<Engine, NetworkError> {
    if metrics.is_empty() {
        metrics.push(&GMN);
    }
    if setup.network.is_none() && metrics.iter().any(|m| m.is_learned()) {
        setup.network = Some(Network::embedded()?);
    }
    for metric in &metrics {
        match metric.missing(setup.network.as_ref(), setup.runs.is_some()) {
            None | Some(Need::Network | Need::Verdicts) => {}
            Some(Need::Tiers) => return Err(NetworkError::NoTiers),
            Some(Need::Databases) => return Err(NetworkError::NoDatabases(metric.name)),
        }
    }
    // What goes by proofs and databases too answers for every database.
    let of_every = |m: &&&Metric| m.is_learned() && !m.reads(Setting::Question);
    if !question.is_usual()
        && let Some(metric) = metrics.iter().find(of_every)
    {
        return Err(NetworkError::OtherQuestion { metric: metric.name, question });
    }
    let asked = setup.network.map(|network| network.asked(question, &setup.judge.semantics));
    setup.network = asked.transpose()?;
    Ok(Engine { metrics, setup })
}
