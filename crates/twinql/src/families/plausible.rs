//! What execution on a real database would say: what plausible databases show of pairs, and all else that is known.

use std::rc::Rc;

use twinql_model::{Evidence, ExecutionModel, ModelError, Signs};
use twinql_suite::{Expectation, Verdict};

use crate::batch::Batch;
use crate::engine::Engine;
use crate::job::Job;
use crate::network::Network;
use crate::record::Status;
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
}

impl Setup {
    /// What is known of each pair of a batch. Plausible databases come first. A verdict that names a failure of either
    /// query or of the machine ends it for that pair; the network is asked only for pairs that no database tests, since
    /// it costs the most.
    pub(crate) fn known(
        &self,
        network: &Network,
        batch: &mut Batch<'_>,
    ) -> Vec<Option<Result<Known, Verdict>>> {
        let semantics = self.semantics();
        let counted = self.counted(batch);
        let found = self.evidence(batch, semantics, true);
        let mut known: Vec<Option<Result<Known, Verdict>>> = counted
            .iter()
            .zip(found)
            .map(|(counted, evidence)| {
                let signs = Signs { evidence, ..Signs::default() };
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
            .collect();
        let untested =
            |pair: &Option<Result<Known, Verdict>>| matches!(pair, Some(Ok(k)) if k.untested.is_some());
        if known.iter().any(untested) {
            let threshold = network.scorer().threshold();
            for (pair, read) in known.iter_mut().zip(&*batch.read(network, semantics)) {
                if let (Some(Ok(known)), Some(Ok(said))) = (pair, read)
                    && known.untested.is_some()
                {
                    known.signs.network =
                        said.probability(threshold, false, &|score| Some(score.probability));
                }
            }
        }
        known
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
