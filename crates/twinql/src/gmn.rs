//! The network over batches, alone and behind proofs and databases.

use std::rc::Rc;

use twinql_metrics::MetricInfo;
use twinql_model::{Cascade, Evidence, Score, Shown};

use crate::batch::Batch;
use crate::engine::{Engine, NETWORK};
use crate::network::Network;
use crate::prepare::PairGraphs;
use crate::probing::was_seen;
use crate::record::{Record, Status, shortest};
use crate::unread::{explain_failures, unread_job};
use crate::vacuous::mark;

impl Engine {
    /// Scores `gmn`: the network, corrected by what a few databases show.
    pub(crate) fn gmn(&self, metric: &MetricInfo, batch: &mut Batch<'_>, records: &mut [Record]) {
        let Some(network) = &self.network else { return };
        let semantics = &self.semantics;
        let graphs = batch.graphs_for(network, semantics);
        let regular = network.graph().regularities;
        let probe = |jobs: &[_], pairs: &[_]| self.probed(jobs, pairs, semantics);
        let (said, probed) = batch.read_and_probed(network, semantics, probe);
        let pairs = batch.jobs.iter().zip(&*said).zip(graphs.iter()).zip(probed.iter());
        for (record, (((job, read), pair), found)) in records.iter_mut().zip(pairs) {
            match read {
                Some(Ok(said)) => {
                    if let Some(p) = self.corrected(network, said, *found) {
                        record.set_score(metric.name, shortest(p));
                    }
                    if let Some(found) = found {
                        record.set_detail(metric.name, "agree", found.agree);
                        record.set_detail(metric.name, "differ", found.differ);
                    }
                    if said.is_unknown(was_seen(*found)) {
                        explain_names(metric, pair.as_ref(), record);
                    }
                    if refutes(network, *found) {
                        record.set_detail(metric.name, "refuted", true);
                    }
                    record.set_detail(metric.name, "distance", shortest(said.score.distance));
                    record.set_detail(metric.name, "identical", said.identical);
                    if let Some(widths) = said.widths {
                        record.set_detail(metric.name, "columns", widths.to_vec());
                    }
                    let marked = pair.as_ref().filter(|_| regular);
                    let regularities = marked.map(PairGraphs::regularities).unwrap_or_default();
                    if !regularities.is_empty() {
                        record.set_detail(metric.name, "regularities", regularities);
                    }
                }
                Some(Err(error)) => {
                    unread_job(metric, job, record);
                    record.spoil(metric.name, Status::Unsupported, error.to_string());
                }
                None => {}
            }
        }
        mark(metric, &graphs, records);
        explain_failures(metric, batch.jobs, &graphs, |_| false, records);
    }

    /// Proof, the suite where the cascade has it, and the network for what they leave open, all under the semantics that
    /// is asked for.
    pub(crate) fn tiers(
        &self,
        metric: &MetricInfo,
        cascade: Cascade,
        batch: &mut Batch<'_>,
        records: &mut [Record],
    ) {
        let Some(network) = &self.network else { return };
        let Some(tiers) = network.scorer().info().tiers else {
            return;
        };
        let semantics = &self.semantics;
        let jobs = batch.jobs;
        let found = self.evidence(batch, semantics, cascade == Cascade::ProofAndSuite);
        let graphs = batch.graphs_for(network, semantics);
        mark(metric, &graphs, records);
        // Statuses, and scores of pairs that nothing is known of.
        let known = |i: usize| found.get(i).is_some_and(|e| !cascade.leaves_open(*e));
        explain_failures(metric, jobs, &graphs, known, records);
        // Where the suite has run, a probe has nothing to add.
        let (read, probed) = match cascade {
            Cascade::Proof => {
                batch.read_and_probed(network, semantics, |jobs, pairs| self.probed(jobs, pairs, semantics))
            }
            Cascade::ProofAndSuite => (batch.read(network, semantics), Rc::default()),
        };
        let corrects = cascade == Cascade::Proof && self.correction().is_some();
        let threshold = tiers.tier(cascade).threshold;
        for (i, ((record, found), read)) in records.iter_mut().zip(found).zip(&*read).enumerate() {
            let shown = probed.get(i).copied().flatten();
            let known = !cascade.leaves_open(found);
            let said = match read {
                Some(Ok(said)) => Some(said),
                Some(Err(error)) => {
                    if !known {
                        if let Some(job) = jobs.get(i) {
                            unread_job(metric, job, record);
                        }
                        record.spoil(metric.name, Status::Unsupported, error.to_string());
                    }
                    None
                }
                None => None,
            };
            let of = |score: &Score| tiers.probability(cascade, found, Some(score.distance));
            let refuted = !known && refutes(network, shown);
            // What the suite has executed it has seen.
            let seen = was_seen(shown) || found == Evidence::Unrefuted;
            if !known && said.is_some_and(|said| said.is_unknown(seen)) {
                explain_names(metric, graphs.get(i).and_then(Option::as_ref), record);
            }
            let p = match said {
                Some(said) if refuted => self.corrected(network, said, shown),
                // As `gmn` has it, and never more certain than what is known.
                Some(said) if !known && corrects => {
                    self.corrected(network, said, shown).map(|p| tiers.within(p))
                }
                Some(said) if !known => said.probability(threshold, seen, &of),
                _ => tiers.probability(cascade, found, None),
            };
            if let Some(p) = p {
                record.set_score(metric.name, shortest(p));
            }
            record.set_detail(metric.name, "tier", if refuted { "probe" } else { tier_name(found) });
        }
    }
}

/// Says why a pair scores low of which nothing is known but the names of functions.
fn explain_names(metric: &MetricInfo, pair: Option<&PairGraphs>, record: &mut Record) {
    let names = pair.map(|pair| pair.names.join(", ")).unwrap_or_default();
    record.set_detail(metric.name, "unknown", format!("differs in functions that are not known: {names}"));
}

/// Which judge a pair's score is from.
fn tier_name(evidence: Evidence) -> &'static str {
    match evidence {
        Evidence::ProvedEqual | Evidence::ProvedDifferent => "proof",
        Evidence::Refuted => "suite",
        Evidence::None | Evidence::Unrefuted => NETWORK,
    }
}

/// Whether what databases show settles the question.
fn refutes(network: &Network, found: Option<Shown>) -> bool {
    network.question().is_usual() && found.is_some_and(|found| found.differ > 0)
}
