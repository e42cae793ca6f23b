//! Cheaper judges before the network: proofs, then databases, over batches of pairs.

use rayon::prelude::*;
use twinql_gmn::Evidence;
use twinql_sql::prove::ProveError;
use twinql_sql::{Proof, Semantics};
use twinql_suite::{JudgeConfig, Verdict};

use crate::batch::Batch;
use crate::job::Job;
use crate::judging::{Workers, judge_all};
use crate::metric::Need;
use crate::setup::Setup;

/// What the proofs of all jobs, and the suite where it is given and they know nothing, say of each job, in order.
/// A pair that cannot be executed or that no database tests, or a job without a pair, is [`Evidence::None`]. `each` is called
/// once for each pair that is done.
pub fn evidence(
    jobs: &[Job],
    proofs: &[Option<Result<Proof, ProveError>>],
    suite: Option<(&JudgeConfig, &Workers)>,
    each: &(dyn Fn() + Sync),
) -> Vec<Evidence> {
    let mut out: Vec<Option<Evidence>> = proofs
        .par_iter()
        .map(of_proof)
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
            if let (Some(known), Some(proof)) = (out.get_mut(place), proofs.get(place)) {
                *known = of_verdict(report.map(|r| r.verdict).as_ref(), proof);
            }
        }
    }
    out.into_iter().map(Option::unwrap_or_default).collect()
}

impl Setup {
    /// As [`evidence`], of a batch. Where the suite judges all pairs for a metric of its own, they are not judged again.
    pub(crate) fn evidence(
        &self,
        batch: &mut Batch<'_>,
        semantics: &Semantics,
        with_suite: bool,
    ) -> Vec<Evidence> {
        let proofs = batch.proofs(semantics);
        let judge = JudgeConfig { semantics: semantics.clone(), ..self.judge.clone() };
        if !with_suite {
            return evidence(batch.jobs, &proofs, None, &|| ());
        }
        if self.semantics() != semantics || !batch.needs(Need::Verdicts) {
            return evidence(batch.jobs, &proofs, Some((&judge, &self.workers)), &|| ());
        }
        let verdicts = batch.judged(&judge, &self.workers);
        let pairs = proofs.iter().zip(&*verdicts);
        let known =
            pairs.map(|(proof, verdict)| of_proof(proof).or_else(|| of_verdict(verdict.as_ref(), proof)));
        known.map(Option::unwrap_or_default).collect()
    }
}

/// What a proof knows.
fn of_proof(proof: &Option<Result<Proof, ProveError>>) -> Option<Evidence> {
    match proof {
        Some(Ok(Proof::Equal(_))) => Some(Evidence::ProvedEqual),
        Some(Ok(Proof::Different(_))) => Some(Evidence::ProvedDifferent),
        _ => None,
    }
}

/// What a verdict knows. No database that meets the semantics shows what a vacuous query asks for, so that none tells it
/// apart says nothing.
fn of_verdict(verdict: Option<&Verdict>, proof: &Option<Result<Proof, ProveError>>) -> Option<Evidence> {
    let vacuous = matches!(proof, Some(Ok(proof)) if proof.vacuous().is_some());
    match verdict {
        Some(Verdict::Same { .. }) if !vacuous => Some(Evidence::Unrefuted),
        Some(Verdict::Different { .. }) => Some(Evidence::Refuted),
        _ => None,
    }
}
