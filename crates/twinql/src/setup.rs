//! What metrics are given. The builder fills it, metrics read it.

use std::sync::Arc;

use twinql_graph::{Question, RelPmConfig};
use twinql_metrics::{TrivialNgrams, WithoutRules};
use twinql_sql::Semantics;
use twinql_suite::JudgeConfig;
use twinql_suite::plausible::ExpectedConfig;

use crate::dialects::Dialects;
use crate::engine::{DEFAULT_SEED, judge_config};
use crate::judging::Workers;
use crate::metric::{Metric, Need};
use crate::network::Network;
use crate::profiles::Profiles;
use crate::runs::Runs;
use crate::signature::{of_question, of_suite};

/// What metrics are given.
#[derive(Debug, Clone)]
pub(crate) struct Setup {
    /// The network of learned metrics, as it answers the question that is asked.
    pub(crate) network: Option<Network>,
    /// How the suite judges, and with it the semantics and the seed of all metrics.
    pub(crate) judge: JudgeConfig,
    /// How plausible databases are counted.
    pub(crate) expected: ExpectedConfig,
    /// Parameters of partial matching.
    pub(crate) matching: RelPmConfig,
    /// N-grams that say nothing, where they are not the built-in ones.
    pub(crate) trivial: Option<TrivialNgrams>,
    /// What is left out of `esm+`.
    pub(crate) without_rules: WithoutRules,
    /// What plausible databases follow.
    pub(crate) profiles: Profiles,
    /// What runs queries on generated databases.
    pub(crate) workers: Arc<Workers>,
    /// The users' own databases.
    pub(crate) runs: Option<Arc<Runs>>,
    /// Databases of a probe; none for the usual number, 0 for the network alone.
    pub(crate) probes: Option<u64>,
    /// How many predictions are taken to be right, where that is known.
    pub(crate) assumed: Option<f64>,
    /// Whose SQL the queries were.
    pub(crate) dialects: Dialects,
}

impl Default for Setup {
    /// As `twinql score` has it.
    fn default() -> Self {
        Setup {
            network: None,
            judge: judge_config(Semantics::default(), None, DEFAULT_SEED),
            expected: ExpectedConfig::default(),
            matching: RelPmConfig::default(),
            trivial: None,
            without_rules: WithoutRules::default(),
            profiles: Profiles::default(),
            workers: Arc::default(),
            runs: None,
            probes: None,
            assumed: None,
            dialects: Dialects::default(),
        }
    }
}

impl Setup {
    /// What "the same answer" means.
    pub(crate) fn semantics(&self) -> &Semantics {
        &self.judge.semantics
    }

    /// The semantics that a metric answers for.
    pub(crate) fn semantics_of(&self, metric: &Metric) -> Semantics {
        let own = metric.preset().and_then(Semantics::preset);
        own.unwrap_or_else(|| self.semantics().clone())
    }

    /// What the network is asked.
    pub(crate) fn question(&self) -> Question {
        self.network.as_ref().map_or_else(Question::default, Network::question)
    }

    /// The semantics that the network of a metric is told in place of the one that is asked for, where it was not trained for
    /// that one.
    pub(crate) fn network_semantics(&self, metric: &Metric) -> Option<Semantics> {
        let network = self.network.as_ref().filter(|_| metric.needs(Need::Network))?;
        network.stands_in_for(self.semantics())
    }

    /// What a signature says of the suite.
    pub(crate) fn signed_suite(&self) -> Vec<String> {
        of_suite(&self.judge)
    }

    /// What a signature says of the question that the network is asked.
    pub(crate) fn signed_question(&self) -> Vec<String> {
        of_question(self.question())
    }

    /// What a signature says of the profiles that plausible databases follow.
    pub(crate) fn signed_profiles(&self) -> Vec<String> {
        match self.profiles.is_empty() {
            true => Vec::new(),
            false => vec![format!("profile:{}", self.profiles.digest())],
        }
    }

    /// What a signature says of how strong predictions are taken to be.
    pub(crate) fn signed_execution(&self) -> Vec<String> {
        self.assumed.map(|assumed| format!("assumed:{assumed}")).into_iter().collect()
    }

    /// What a signature says of the probe beside the network.
    pub(crate) fn signed_probe(&self) -> Vec<String> {
        self.probe().map(|probe| format!("probe:{}", probe.databases)).into_iter().collect()
    }
}
