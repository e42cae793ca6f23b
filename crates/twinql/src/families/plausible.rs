//! What execution on a real database would say: what plausible databases show of pairs, and all else that is known.

use std::rc::Rc;

use twinql_graph::Question;

use twinql_gmn::{Evidence, ExecutionModel, ModelError, Signs};
use twinql_sql::Proof;
use twinql_suite::{Expectation, Verdict};

use crate::batch::Batch;
use crate::engine::Engine;
use crate::job::Job;
use crate::metrics::GMN;
use crate::network::Network;
use crate::record::{Record, Status};
use crate::setup::Setup;
use crate::{judging, status};

/// What is known of one pair.
#[derive(Debug)]
pub struct Known {
    /// What proofs, suite, plausible databases and network say.
    pub signs: Signs,
    /// Why no plausible database tests the pair.
    pub untested: Option<Verdict>,
}

impl Known {
    /// Neither a proof nor a database nor the network says anything.
    pub(crate) fn is_nothing(&self) -> bool {
        self.untested.is_some() && self.signs.evidence == Evidence::None && self.signs.network.is_none()
    }
}

impl Engine {
    /// What is known of each pair that tells of execution on a real database: a verdict in its place where a query
    /// cannot be executed, or the machine failed; none for a job without a pair.
    ///
    /// All of it is under the engine's semantics.
    pub fn signs(&self, jobs: &[Job]) -> Vec<Option<Result<Known, Verdict>>> {
        match &self.setup.network {
            Some(network) => self.setup.known(network, &mut Batch::new(jobs, &self.metrics, false)),
            None => jobs.iter().map(|_| None).collect(),
        }
    }

    /// What `ex` makes of it.
    pub fn execution_model(&self) -> Option<&ExecutionModel> {
        self.setup.execution_model()
    }
}

impl Setup {
    /// What is known of each pair of a batch. Plausible databases come first: a verdict that names a failure of either
    /// query or of the machine ends it for that pair.
    pub(crate) fn known(
        &self,
        network: &Network,
        batch: &mut Batch<'_>,
    ) -> Vec<Option<Result<Known, Verdict>>> {
        let semantics = self.semantics();
        let counted = self.counted(batch);
        let found = self.evidence(batch, semantics, true);
        let proofs = batch.proofs(semantics);
        let [plausible, every] =
            [Question::Plausible, Question::Every].map(|question| self.asked(network, question, batch.jobs));
        let said = |records: &[Record], at: usize| Some(records.get(at)?.score("gmn")? as f32);
        let regular = |at: usize| {
            plausible.get(at).and_then(|record| record.detail("gmn", "identical")) == Some(&true.into())
        };
        counted
            .iter()
            .zip(found)
            .zip(proofs.iter())
            .enumerate()
            .map(|(at, ((counted, evidence), proof))| {
                let kinds = match proof {
                    Some(Ok(Proof::Unknown(unknown))) => unknown.kinds.clone(),
                    _ => Vec::new(),
                };
                let (network, every) = (said(&plausible, at), said(&every, at));
                let signs =
                    Signs { evidence, network, every, regular: regular(at), kinds, ..Signs::default() };
                Some(match counted.as_ref()? {
                    Expectation::Counted(e) => {
                        Ok(Known { signs: Signs { agree: e.agree, of: e.of, ..signs }, untested: None })
                    }
                    Expectation::None(verdict) => match status::of_verdict(verdict).0 {
                        Status::PredError | Status::GoldError | Status::MachineError => Err(verdict.clone()),
                        _ => Ok(Known { signs, untested: Some(verdict.clone()) }),
                    },
                })
            })
            .collect()
    }

    /// What the network says when it is asked this, a few rows in memory beside it; nothing where it was not trained for it.
    fn asked(&self, network: &Network, question: Question, jobs: &[Job]) -> Vec<Record> {
        let setup = Setup { network: Some(network.clone()), ..self.clone() };
        let engine = Engine { metrics: Vec::new(), setup };
        let engine = engine.asking(vec![&GMN], self.semantics().clone(), question);
        engine.map(|engine| engine.score(jobs)).unwrap_or_default()
    }

    /// The model of `ex`: the checkpoint's own, or the shipped one.
    pub(crate) fn execution_model(&self) -> Option<&ExecutionModel> {
        let own = self.network.as_ref().and_then(|network| network.scorer().info().ex.as_ref());
        match own {
            Some(own) => Some(own),
            None => ExecutionModel::shipped(),
        }
    }

    /// What plausible databases say of all pairs, counted once for both metrics.
    pub(crate) fn counted(&self, batch: &mut Batch<'_>) -> Rc<[Option<Expectation>]> {
        batch.counted(&self.judge.semantics, |jobs| {
            judging::expect_all(jobs, &self.judge, self.expected, &self.profiles, &self.workers)
        })
    }
}

impl Network {
    /// The bytes of this network's checkpoint with another model of execution.
    ///
    /// # Errors
    /// It cannot be encoded.
    pub fn with_execution(&self, model: ExecutionModel) -> Result<Vec<u8>, ModelError> {
        self.scorer().with_execution(model).to_bytes()
    }
}
