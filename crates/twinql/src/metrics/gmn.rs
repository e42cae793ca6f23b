//! The network alone, and a few rows in memory beside it.

use twinql_gmn::{Correction, Shown};

use super::*;
use crate::families::probing::{explain_names, refutes, was_seen};
use crate::prepare::PairGraphs;
use crate::record::{Status, shortest};
use crate::unread::{explain_failures, failed};
use crate::vacuous::mark;

/// `gmn`.
pub static GMN: Metric = Metric {
    name: "gmn",
    kind: ScoreKind::Continuous,
    threshold: 0.5,
    summary: "graph matching network over relational operator trees, and a few rows in memory beside it: a calibrated probability",
    source: "Zhan et al. 2024, FuncEvalGMN; Li et al. 2019, graph matching networks",
    needs: &[Need::Network],
    settings: &[Setting::Checkpoint, Setting::Question, Setting::Probe, Setting::Reward],
    cost: Cost::Low,
    score: Score::Batch(score),
    signature: |setup| [setup.signed_question(), setup.signed_probe()].concat(),
    examples: [
        Example::new(
            "SELECT name FROM owner WHERE age > 30",
            "SELECT o.name FROM owner AS o WHERE 30 < o.age",
            0.9955197,
        ),
        Example::new(
            "SELECT name FROM owner WHERE age > 30",
            "SELECT name FROM owner WHERE age >= 30",
            0.0005553,
        ),
    ],
    further: Further {
        boundary: Some(boundary),
        claim: Some(Claim {
            // Asked for plausible databases, forms are equal by what people take for granted.
            made: |setup, record| {
                setup.question().is_usual() && record.detail("gmn", "identical") == Some(&true.into())
            },
            refuted: |setup, _, record| {
                record.set_detail("gmn", "refuted", true);
                let network = setup.network.as_ref()?;
                let shown = Shown { differ: 1, ..Shown::default() };
                let equal = network.scorer().identical().probability;
                Some(shortest(Correction::apply(setup.correction(), network.question(), equal, shown)))
            },
        }),
        ..Further::NONE
    },
};

/// Where pairs are divided: by the correction for what databases show, where there is one, else by the network.
fn boundary(setup: &Setup) -> Option<Boundary> {
    setup.corrected_boundary().or_else(|| {
        let scorer = setup.network.as_ref()?.scorer();
        Some(Boundary { threshold: scorer.threshold(), band: scorer.info().band })
    })
}

/// The network, corrected by what a few databases show.
fn score(setup: &Setup, metric: &Metric, batch: &mut Batch<'_>, records: &mut [Record]) {
    let Some(network) = &setup.network else { return };
    let semantics = setup.semantics();
    let graphs = batch.graphs_for(network, semantics);
    let regular = network.graph().regularities;
    let probe = |jobs: &[_], pairs: &[_]| setup.probed(jobs, pairs, semantics);
    let (said, probed) = batch.read_and_probed(network, semantics, probe);
    let pairs = batch.jobs.iter().zip(&*said).zip(graphs.iter()).zip(probed.iter());
    for (record, (((job, read), pair), found)) in records.iter_mut().zip(pairs) {
        match read {
            Some(Ok(said)) => {
                if let Some(p) = setup.corrected(network, said, *found) {
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
                failed(metric, job, (Status::Unsupported, Some(error.to_string())), record);
            }
            None => {}
        }
    }
    mark(metric, &graphs, records);
    explain_failures(metric, batch.jobs, &graphs, |_| false, records);
}
