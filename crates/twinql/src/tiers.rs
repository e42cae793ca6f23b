//! Cheaper judges before the network: proofs, then databases, over batches of pairs.

use rayon::prelude::*;
use twinql_model::Evidence;
use twinql_sql::Proof;
use twinql_sql::prove::ProveError;
use twinql_suite::{JudgeConfig, Verdict};

use crate::job::Job;
use crate::judging::{Workers, judge_all};

/// What the proofs of all jobs, and the suite where it is given and they know nothing, say of each job, in order.
/// A pair that cannot be executed or that no database tests, or a job without a pair, is [`Evidence::None`]. `each` is called
/// once for each pair that is done.
pub fn evidence(
    jobs: &[Job],
    proofs: &[Option<Result<Proof, ProveError>>],
    suite: Option<(&JudgeConfig, &Workers)>,
    each: &(dyn Fn() + Sync),
) -> Vec<Evidence> {
    // No database that meets the semantics shows what a vacuous query asks for, so that none
    // tells it apart says nothing.
    let vacuous: Vec<bool> =
        proofs.iter().map(|proof| matches!(proof, Some(Ok(proof)) if proof.vacuous().is_some())).collect();
    let mut out: Vec<Option<Evidence>> = proofs
        .par_iter()
        .map(|proof| match proof {
            Some(Ok(Proof::Equal(_))) => Some(Evidence::ProvedEqual),
            Some(Ok(Proof::Different(_))) => Some(Evidence::ProvedDifferent),
            _ => None,
        })
        .inspect(|known| {
            if known.is_some() || suite.is_none() {
                each();
            }
        })
        .collect();
    if let Some((config, workers)) = suite {
        let (places, open): (Vec<usize>, Vec<Job>) = jobs
            .iter()
            .enumerate()
            .filter(|(i, _)| out.get(*i).is_some_and(Option::is_none))
            .map(|(i, job)| (i, job.clone()))
            .unzip();
        for (place, report) in places.into_iter().zip(judge_all(&open, config, workers, each)) {
            if let Some(known) = out.get_mut(place) {
                *known = match report.map(|r| r.verdict) {
                    Some(Verdict::Same { .. }) if vacuous.get(place) != Some(&true) => {
                        Some(Evidence::Unrefuted)
                    }
                    Some(Verdict::Different { .. }) => Some(Evidence::Refuted),
                    _ => None,
                };
            }
        }
    }
    out.into_iter().map(Option::unwrap_or_default).collect()
}
