//! What several metrics read of one batch, made once.

use std::rc::Rc;

use rayon::prelude::*;
use twinql_gmn::{GraphConfig, ModelError, Score, Shown};
use twinql_graph::{PairArrays, QueryGraph};
use twinql_sql::prove::ProveError;
use twinql_sql::{Proof, Semantics};
use twinql_suite::Expectation;
use twinql_suite::{JudgeConfig, Verdict};

use crate::job::Job;
use crate::judging::{Measured, Workers, judge_all};
use crate::metric::{Metric, Need, Setting};
use crate::network::Network;
use crate::prepare::{Graphs, PairGraphs, Under};
use crate::proving::prove_all;

/// BIRD's measures of all pairs; none where there is no pair.
type AllMeasured = Rc<[Option<Measured>]>;

/// The graphs of each pair; none where there is no pair.
type AllGraphs = Rc<[Option<PairGraphs>]>;
/// What is proved of each pair; none where there is no pair.
type AllProofs = Rc<[Option<Result<Proof, ProveError>>]>;
/// What the network says of each pair; none where a side has no graph and the forms are not equal.
type AllSaid = Rc<[Option<Result<Said, ModelError>>]>;
/// What databases in memory show of each pair; none where nothing was evaluated.
type AllProbed = Rc<[Option<Shown>]>;
/// On how many plausible databases each pair agrees; none where there is no pair.
type AllCounted = Rc<[Option<Expectation>]>;

/// What the suite says of each pair; none where there is no pair.
type AllJudged = Rc<[Option<Verdict>]>;

/// A batch with what has been made of it. An engine has few metrics and one network, so that lists
/// serve for looking up.
pub(crate) struct Batch<'b> {
    pub(crate) jobs: &'b [Job],
    /// What is computed of it.
    pub(crate) metrics: &'b [&'static Metric],
    /// Trees are kept for a probe.
    trees: bool,
    graphs: Vec<(Under, GraphConfig, AllGraphs)>,
    proofs: Vec<(Semantics, AllProofs)>,
    counted: Vec<(Semantics, AllCounted)>,
    judged: Vec<(Semantics, AllJudged)>,
    said: Option<AllSaid>,
    probed: Option<AllProbed>,
    measured: Option<AllMeasured>,
}

impl<'b> Batch<'b> {
    pub(crate) fn new(jobs: &'b [Job], metrics: &'b [&'static Metric], trees: bool) -> Batch<'b> {
        Batch {
            jobs,
            metrics,
            trees,
            graphs: Vec::new(),
            proofs: Vec::new(),
            counted: Vec::new(),
            judged: Vec::new(),
            said: None,
            probed: None,
            measured: None,
        }
    }

    /// Whether a metric of the batch needs this, which others can then share.
    pub(crate) fn needs(&self, need: Need) -> bool {
        self.metrics.iter().any(|metric| metric.needs(need))
    }

    /// Whether a metric of the batch reads this setting.
    pub(crate) fn reads(&self, setting: Setting) -> bool {
        self.metrics.iter().any(|metric| metric.reads(setting))
    }

    /// The graphs of all pairs for a network that is asked about `semantics`.
    pub(crate) fn graphs_for(&mut self, network: &Network, semantics: &Semantics) -> AllGraphs {
        let under = Under { asked: semantics.clone(), marks: network.conditioned_on(semantics) };
        self.graphs_under(&under, &network.graph())
    }

    /// The graphs of all pairs under `semantics`, made as `config` says.
    pub(crate) fn graphs(&mut self, semantics: &Semantics, config: &GraphConfig) -> AllGraphs {
        self.graphs_under(&Under::one(semantics), config)
    }

    fn graphs_under(&mut self, under: &Under, config: &GraphConfig) -> AllGraphs {
        let known = self.graphs.iter().find(|(u, c, _)| u == under && c == config);
        if let Some((_, _, graphs)) = known {
            return Rc::clone(graphs);
        }
        let pairs = self.jobs.iter().filter_map(Job::pair);
        let built = Graphs::build_keeping(pairs, under, config, self.trees, &|| ());
        let graphs: AllGraphs = self
            .jobs
            .iter()
            .map(|job| job.pair().map(|(schema, gold, pred)| built.pair(schema, gold, pred)))
            .collect();
        self.graphs.push((under.clone(), *config, Rc::clone(&graphs)));
        graphs
    }

    /// The proofs of all pairs under `semantics`.
    pub(crate) fn proofs(&mut self, semantics: &Semantics) -> AllProofs {
        if let Some((_, proofs)) = self.proofs.iter().find(|(s, _)| s == semantics) {
            return Rc::clone(proofs);
        }
        let proofs: AllProofs = prove_all(self.jobs, semantics, &|| ()).into();
        self.proofs.push((semantics.clone(), Rc::clone(&proofs)));
        proofs
    }

    /// The verdicts of the suite on all pairs under the semantics of `config`.
    pub(crate) fn judged(&mut self, config: &JudgeConfig, workers: &Workers) -> AllJudged {
        if let Some(judged) = self.verdicts(&config.semantics) {
            return judged;
        }
        let reports = judge_all(self.jobs, config, workers, &|| ()).into_iter();
        let judged: AllJudged = reports.map(|report| report.map(|r| r.verdict)).collect();
        self.judged.push((config.semantics.clone(), Rc::clone(&judged)));
        judged
    }

    /// As [`Batch::judged`], where all pairs have been judged.
    pub(crate) fn verdicts(&self, semantics: &Semantics) -> Option<AllJudged> {
        self.judged.iter().find(|(s, _)| s == semantics).map(|(_, judged)| Rc::clone(judged))
    }

    /// What databases in memory show of all pairs, where they were evaluated.
    pub(crate) fn shown(&self) -> Option<AllProbed> {
        self.probed.clone()
    }

    /// On how many plausible databases all pairs agree under `semantics`, as `count` finds out.
    pub(crate) fn counted(
        &mut self,
        semantics: &Semantics,
        count: impl FnOnce(&[Job]) -> Vec<Option<Expectation>>,
    ) -> AllCounted {
        if let Some((_, counted)) = self.counted.iter().find(|(s, _)| s == semantics) {
            return Rc::clone(counted);
        }
        let counted: AllCounted = count(self.jobs).into();
        self.counted.push((semantics.clone(), Rc::clone(&counted)));
        counted
    }

    /// What the engine's network says of all pairs, and what databases in memory show of them, as `probe` finds out: an
    /// engine probes in one way. Neither needs the other, so that of a single pair two threads do both at once.
    pub(crate) fn read_and_probed(
        &mut self,
        network: &Network,
        semantics: &Semantics,
        probe: impl FnOnce(&[Job], &[Option<PairGraphs>]) -> Vec<Option<Shown>> + Send,
    ) -> (AllSaid, AllProbed) {
        let graphs = self.graphs_for(network, semantics);
        let (jobs, pairs) = (self.jobs, &*graphs);
        if let Some(said) = &self.said {
            let probed = self.probed.get_or_insert_with(|| probe(jobs, pairs).into());
            return (Rc::clone(said), Rc::clone(probed));
        }
        let (said, probed) = rayon::join(|| read_pairs(network, pairs), || probe(jobs, pairs));
        let said = self.said.insert(said.into());
        (Rc::clone(said), Rc::clone(self.probed.insert(probed.into())))
    }

    /// What executions on the users' databases measure of all pairs, as `measure` finds out: an engine measures in one
    /// way.
    pub(crate) fn measured(&mut self, measure: impl FnOnce(&[Job]) -> Vec<Option<Measured>>) -> AllMeasured {
        Rc::clone(self.measured.get_or_insert_with(|| measure(self.jobs).into()))
    }

    /// What the engine's network says of all pairs under `semantics`.
    pub(crate) fn read(&mut self, network: &Network, semantics: &Semantics) -> AllSaid {
        if let Some(said) = &self.said {
            return Rc::clone(said);
        }
        let graphs = self.graphs_for(network, semantics);
        let said: AllSaid = read_pairs(network, &graphs).into();
        self.said = Some(Rc::clone(&said));
        said
    }
}

/// What the network says of a pair.
pub(crate) struct Said {
    pub(crate) score: Score,
    /// The canonical forms are equal.
    pub(crate) identical: bool,
    /// How many columns the answers of gold and prediction have, where they do not have as many.
    pub(crate) widths: Option<[usize; 2]>,
    /// Of a vacuous pair, its score under all assumptions.
    emptied: Option<Score>,
    /// The forms differ in the names of functions, and in nothing else.
    names_apart: bool,
}

impl Said {
    /// An assumption of the semantics empties a part of it.
    pub(crate) fn is_vacuous(&self) -> bool {
        self.emptied.is_some()
    }

    /// The probability by `of`, a calibration of scores, called the same from `threshold` on.
    ///
    /// What is the same without an assumption is the same with it, so of the two scores of a
    /// vacuous pair the lower one counts. And the network has not learned from forms that hold
    /// what the semantics rules out: of these it may rank pairs below the threshold, and calls
    /// none the same that is not equal. Nor has it learned what functions do: of two that stand in each other's place it
    /// calls none the same where no row was `seen` on which both were evaluated.
    pub(crate) fn probability(
        &self,
        threshold: f32,
        seen: bool,
        of: &dyn Fn(&Score) -> Option<f32>,
    ) -> Option<f32> {
        let plain = of(&self.score)?;
        let below = plain.min(MOST_OF_UNKNOWN) * threshold;
        match &self.emptied {
            Some(emptied) if !self.identical => Some(of(emptied)?.min(below)),
            _ if self.is_unknown(seen) => Some(below),
            _ => Some(plain),
        }
    }

    /// Nothing is known of the functions that alone tell two queries apart.
    pub(crate) fn is_unknown(&self, seen: bool) -> bool {
        self.names_apart && !self.identical && !seen
    }
}

/// The most of the threshold that a pair scores of which the network has learned too little.
const MOST_OF_UNKNOWN: f32 = 0.99;

/// What the network says of each pair; none where a side has no graph and the forms are not equal.
pub(crate) fn read_pairs(
    network: &Network,
    pairs: &[Option<PairGraphs>],
) -> Vec<Option<Result<Said, ModelError>>> {
    // Of equal forms nothing is read: their score is known.
    let open = || pairs.iter().map(|pair| pair.as_ref().filter(|pair| !pair.identical));
    let plain = open().map(|pair| pair?.both()).collect();
    let emptied = open()
        .map(|pair| {
            let (gold, pred) = pair?.emptied.as_ref()?;
            gold.as_ref().as_ref().ok().zip(pred.as_ref().as_ref().ok())
        })
        .collect();
    let scores = scores(network, plain).into_iter().zip(scores(network, emptied));
    scores
        .zip(pairs)
        .map(|((plain, emptied), pair)| {
            let identical = pair.as_ref().is_some_and(|p| p.identical);
            let score = match identical {
                true => Ok(network.scorer().identical()),
                false => plain?,
            };
            let emptied = emptied.and_then(Result::ok);
            let widths = pair.as_ref().and_then(PairGraphs::widths);
            let names_apart = pair.as_ref().is_some_and(|p| !p.names.is_empty());
            Some(score.map(|score| Said { score, identical, widths, emptied, names_apart }))
        })
        .collect()
}

/// The network's score of each pair of graphs, where there are two.
fn scores(
    network: &Network,
    pairs: Vec<Option<(&QueryGraph, &QueryGraph)>>,
) -> Vec<Option<Result<Score, ModelError>>> {
    let encoding = network.encoding();
    let arrays: Vec<Option<PairArrays>> = pairs
        .into_par_iter()
        .map(|pair| pair.map(|(gold, pred)| PairArrays::build(gold, pred, &encoding)))
        .collect();
    let readable: Vec<bool> = arrays.iter().map(Option::is_some).collect();
    let dense: Vec<PairArrays> = arrays.into_iter().flatten().collect();
    let mut scores = network.scorer().score(&dense).into_iter();
    readable.into_iter().map(|readable| if readable { scores.next() } else { None }).collect()
}
