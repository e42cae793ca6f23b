//! What a few databases in memory show of pairs before the network's probability is final.

use rayon::prelude::*;
use twinql_gmn::{Correction, ModelError, Probed, Score, Shown};
use twinql_probe::{Finding, Probe, Side};
use twinql_sql::Semantics;

use crate::batch::{Batch, Said};
use crate::engine::Engine;
use crate::job::{Job, Work};
use crate::metric::{Boundary, Metric};
use crate::network::Network;
use crate::prepare::{PairGraphs, Tree};
use crate::record::Record;
use crate::setup::Setup;

/// Plausible databases, which cost more.
const PLAUSIBLE: u64 = 4;

impl Setup {
    /// How pairs are probed beside the network; none where the network has the only word.
    pub(crate) fn probe(&self) -> Option<Probe> {
        let network = self.network.as_ref()?;
        let usual = network.question().is_usual();
        let probe = Probe { seed: self.judge.seed, ..Probe::default() };
        let databases = self.probes.unwrap_or(if usual { probe.databases } else { PLAUSIBLE });
        (databases > 0).then_some(Probe { databases, ..probe })
    }

    /// How probabilities of the network are corrected, where pairs are probed and the checkpoint says how.
    pub(crate) fn correction(&self) -> Option<&Correction> {
        self.probe()?;
        self.network.as_ref()?.scorer().correction()
    }

    /// Where corrected probabilities are divided.
    pub(crate) fn corrected_boundary(&self) -> Option<Boundary> {
        let correction = self.correction()?;
        Some(Boundary { threshold: correction.threshold, band: correction.band })
    }

    /// What databases show of each pair whose forms are not equal; none where there is no probe or no tree.
    pub(crate) fn probed(
        &self,
        jobs: &[Job],
        graphs: &[Option<PairGraphs>],
        semantics: &Semantics,
    ) -> Vec<Option<Shown>> {
        let (Some(probe), Some(network)) = (self.probe(), &self.network) else {
            return vec![None; jobs.len()];
        };
        let usual = network.question().is_usual();
        let pairs: Vec<_> = jobs.iter().zip(graphs).collect();
        pairs
            .into_par_iter()
            .map(|(job, pair)| {
                let Work::Pair { schema, gold: sql, .. } = &job.work else { return None };
                let pair = pair.as_ref().filter(|pair| !pair.identical)?;
                let [gold, pred] = pair.trees.as_ref()?;
                let (gold, pred) = (side(gold), side(pred));
                let found = match usual {
                    true => probe.every(schema, gold, pred, &semantics.for_gold_text(schema, sql)),
                    false => probe.plausible(schema, gold, pred, semantics),
                };
                let Finding { agree, silent, differ, open, .. } = found;
                // Weighed for plausible databases too, open ones rank pairs worse (experiments/record.md).
                Some(Shown { agree, silent, differ, open: if usual { open } else { 0 } })
            })
            .collect()
    }

    /// The probability of a pair with what databases show of it.
    pub(crate) fn corrected(&self, network: &Network, said: &Said, found: Option<Shown>) -> Option<f32> {
        let question = network.question();
        let correction = self.correction();
        let threshold = correction.map_or(network.scorer().threshold(), |c| c.threshold);
        said.probability(threshold, was_seen(found), &|score| {
            // Of what an assumption empties no database shows more than that it is empty.
            let shown = found.filter(|shown| !said.is_vacuous() || shown.differ > 0);
            let shown = shown.filter(|_| !said.identical).unwrap_or_default();
            Some(Correction::apply(correction, question, score.probability, shown))
        })
    }
}

impl Engine {
    /// Databases on which each pair is evaluated; 0 where the network has the only word.
    pub fn probed_databases(&self) -> u64 {
        self.setup.probe().map_or(0, |probe| probe.databases)
    }

    /// Pairs as [`Correction::fit`] takes them, without what the checkpoint corrects now, and yet without label and
    /// database: none of a job that the network cannot read.
    pub fn probes_of(&self, jobs: &[Job]) -> Vec<Option<Probed>> {
        let setup = &self.setup;
        let Some(network) = &setup.network else { return vec![None; jobs.len()] };
        let semantics = setup.semantics();
        let mut batch = Batch::new(jobs, &[], true);
        let graphs = batch.graphs_for(network, semantics);
        let found = setup.probed(jobs, &graphs, semantics);
        let said = batch.read(network, semantics);
        let threshold = network.scorer().threshold();
        said.iter()
            .zip(found)
            .map(|(said, found)| {
                let said = said.as_ref()?.as_ref().ok()?;
                let of = |score: &Score| Some(score.probability);
                Some(Probed {
                    network: said.probability(threshold, true, &of)?,
                    shown: found.filter(|_| !said.is_vacuous()).unwrap_or_default(),
                    identical: said.identical,
                    vacuous: said.is_vacuous() && !said.identical,
                    label: false,
                    database: String::new(),
                })
            })
            .collect()
    }
}

/// Whether databases show values that both queries computed: an answer of nothing but NULL and 0 may hold none.
pub(crate) fn was_seen(found: Option<Shown>) -> bool {
    found.is_some_and(|found| found.differ > 0 || found.agree > found.silent)
}

/// Whether what databases show settles the question.
pub(crate) fn refutes(network: &Network, found: Option<Shown>) -> bool {
    network.question().is_usual() && found.is_some_and(|found| found.differ > 0)
}

/// Says why a pair scores low of which nothing is known but the names of functions.
pub(crate) fn explain_names(metric: &Metric, pair: Option<&PairGraphs>, record: &mut Record) {
    let names = pair.map(|pair| pair.names.join(", ")).unwrap_or_default();
    record.set_detail(metric.name, "unknown", format!("differs in functions that are not known: {names}"));
}

fn side(tree: &Tree) -> Side<'_> {
    Side { plan: &tree.plan, reading: &tree.reading }
}

impl Network {
    /// The checkpoint with a correction in place of the one for its question and semantics, as a file holds it.
    ///
    /// # Errors
    /// It cannot be encoded.
    pub fn with_correction(&self, correction: Correction) -> Result<Vec<u8>, ModelError> {
        self.scorer().with_correction(correction).to_bytes()
    }
}
