//! The network behind proofs and databases.

use std::rc::Rc;

use twinql_gmn::{Cascade, Evidence, Score};

use super::probing::{explain_names, refutes, was_seen};
use crate::batch::Batch;
use crate::contradictions::Refuter;
use crate::metric::{Boundary, Metric};
use crate::record::{Record, Status, shortest};
use crate::setup::Setup;
use crate::unread::{explain_failures, failed};
use crate::vacuous::mark;

/// The tier of pairs of which the network has the last word.
pub(crate) const NETWORK: &str = "network";

/// Proof, the suite where the cascade has it, and the network for what they leave open, all under the semantics that
/// is asked for.
pub(crate) fn score(
    cascade: Cascade,
    setup: &Setup,
    metric: &Metric,
    batch: &mut Batch<'_>,
    records: &mut [Record],
) {
    let Some(network) = &setup.network else { return };
    let Some(tiers) = network.scorer().info().tiers else {
        return;
    };
    let semantics = setup.semantics();
    let jobs = batch.jobs;
    let found = setup.evidence(batch, semantics, cascade == Cascade::ProofAndSuite);
    let graphs = batch.graphs_for(network, semantics);
    mark(metric, &graphs, records);
    // Statuses, and scores of pairs that nothing is known of.
    let known = |i: usize| found.get(i).is_some_and(|e| !cascade.leaves_open(*e));
    explain_failures(metric, jobs, &graphs, known, records);
    // Where the suite has run, a probe has nothing to add.
    let (read, probed) = match cascade {
        Cascade::Proof => {
            batch.read_and_probed(network, semantics, |jobs, pairs| setup.probed(jobs, pairs, semantics))
        }
        Cascade::ProofAndSuite => (batch.read(network, semantics), Rc::default()),
    };
    let corrects = cascade == Cascade::Proof && setup.correction().is_some();
    let threshold = tiers.tier(cascade).threshold;
    for (i, ((record, found), read)) in records.iter_mut().zip(found).zip(&*read).enumerate() {
        let shown = probed.get(i).copied().flatten();
        let known = !cascade.leaves_open(found);
        let said = match read {
            Some(Ok(said)) => Some(said),
            Some(Err(error)) => {
                if let (false, Some(job)) = (known, jobs.get(i)) {
                    failed(metric, job, (Status::Unsupported, Some(error.to_string())), record);
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
            Some(said) if refuted => setup.corrected(network, said, shown),
            // As `gmn` has it, and never more certain than what is known.
            Some(said) if !known && corrects => {
                setup.corrected(network, said, shown).map(|p| tiers.within(p))
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

/// Where a cascade divides pairs, by its calibration.
pub(crate) fn boundary(cascade: Cascade, setup: &Setup) -> Option<Boundary> {
    let tiers = setup.network.as_ref()?.scorer().info().tiers.as_ref()?;
    let tier = tiers.tier(cascade);
    Some(Boundary { threshold: tier.threshold, band: tier.band })
}

/// Whether the pair is proved equal by the first tier of a metric.
pub(crate) fn is_proved(metric: &Metric, record: &Record) -> bool {
    record.detail(metric.name, "tier") == Some(&"proof".into())
        && record.score(metric.name).is_some_and(|score| score >= 0.5)
}

/// The score of what is proved and refuted. The lower tier has no word for it, since no database is executed there.
pub(crate) fn refuted(metric: &Metric, setup: &Setup, by: Refuter, record: &mut Record) -> Option<f64> {
    record.set_detail(metric.name, "tier", by.name());
    let tiers = setup.network.as_ref()?.scorer().info().tiers.as_ref()?;
    tiers.probability(Cascade::ProofAndSuite, Evidence::Refuted, None).map(shortest)
}

/// Which judge a pair's score is from.
fn tier_name(evidence: Evidence) -> &'static str {
    match evidence {
        Evidence::ProvedEqual | Evidence::ProvedDifferent => "proof",
        Evidence::Refuted => "suite",
        Evidence::None | Evidence::Unrefuted => NETWORK,
    }
}
