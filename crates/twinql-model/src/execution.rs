//! How likely execution on a real database would call a prediction right, by all that is known of the pair.
//!
//! Proofs, the test suite and plausible databases each answer another question; a logistic model weighs their
//! answers. Its log odds are those of the share of plausible databases on which both queries agree, times a
//! weight, and one constant for each [`Evidence`]. The network speaks only where no plausible database tests the
//! pair: on databases that it has not learned from it adds nothing to what these say.

use serde::{Deserialize, Serialize};

use crate::calibrate::logit;
pub use crate::logistic::{Folds, Unfit};
use crate::logistic::{Sample, chance, fit};
use crate::tiers::Evidence;

/// What is known of a pair.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Signs {
    /// What proofs and the suite say.
    pub evidence: Evidence,
    /// Plausible databases on which both agree.
    pub agree: u64,
    /// Plausible databases on which the gold answers; 0 where the pair is untested.
    pub of: u64,
    /// The network's probability, where it was asked.
    pub network: Option<f32>,
}

/// A pair that was executed on a real database.
#[derive(Debug, Clone, PartialEq)]
pub struct Executed {
    /// What is known of it without that database.
    pub signs: Signs,
    /// Execution calls the prediction right.
    pub label: bool,
    /// The database.
    pub database: String,
}

/// The number of weights.
const WEIGHTS: usize = 8;

impl Signs {
    /// What each weight is multiplied by, in the order of [`ExecutionModel::named`].
    fn features(&self) -> [f64; WEIGHTS] {
        let is = |evidence| f64::from(u8::from(self.evidence == evidence));
        let untested = self.of == 0;
        // Shrunk by half a database of each kind: a share of 1 over few databases promises less than over many.
        let odds = (self.agree as f64 + 0.5) / (self.of.saturating_sub(self.agree) as f64 + 0.5);
        let network =
            self.network.filter(|_| untested).map_or(0.0, |p| f64::from(logit(p.clamp(1e-4, 0.9999))));
        [
            is(Evidence::ProvedEqual),
            is(Evidence::ProvedDifferent),
            is(Evidence::Refuted),
            is(Evidence::Unrefuted),
            is(Evidence::None),
            if untested { 0.0 } else { odds.ln() },
            f64::from(u8::from(untested)),
            network,
        ]
    }
}

/// A logistic model of [`Signs`]: all weights are log odds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct ExecutionModel {
    /// Of a pair that is proved equal.
    pub equal: f64,
    /// Of a pair that is proved different.
    pub different: f64,
    /// Of a pair that a database of the suite tells apart.
    pub refuted: f64,
    /// Of a pair that no database of the suite tells apart.
    pub unrefuted: f64,
    /// Of a pair that the suite could not test.
    pub unknown: f64,
    /// How much of the log odds of the share is believed.
    pub share: f64,
    /// What is added where there is no share.
    pub untested: f64,
    /// How much of the network's log odds is believed there.
    pub network: f64,
    /// How good it is.
    pub folds: Folds,
}

impl ExecutionModel {
    /// The probability that execution calls the prediction right.
    pub fn probability(&self, signs: &Signs) -> f64 {
        chance(&self.weights(), &signs.features())
    }

    /// Fits a model, and measures on each fifth of the databases what the others' pairs say of it.
    ///
    /// # Errors
    /// All labels are the same, or there are too few databases.
    pub fn fit(executed: &[Executed]) -> Result<ExecutionModel, Unfit> {
        let sample = |e: &Executed| Sample {
            features: e.signs.features(),
            label: e.label,
            database: e.database.clone(),
        };
        let samples: Vec<_> = executed.iter().map(sample).collect();
        let ([equal, different, refuted, unrefuted, unknown, share, untested, network], folds) =
            fit(&samples, &[SHARE, NETWORK])?;
        Ok(ExecutionModel { equal, different, refuted, unrefuted, unknown, share, untested, network, folds })
    }

    /// Each weight by its name, in the order of `Signs::features`.
    pub fn named(&self) -> [(&'static str, f64); WEIGHTS] {
        [
            ("equal", self.equal),
            ("different", self.different),
            ("refuted", self.refuted),
            ("unrefuted", self.unrefuted),
            ("unknown", self.unknown),
            ("share", self.share),
            ("untested", self.untested),
            ("network", self.network),
        ]
    }

    fn weights(&self) -> [f64; WEIGHTS] {
        self.named().map(|(_, weight)| weight)
    }

    /// More agreement never makes a pair less likely, and every weight is a number.
    pub(crate) fn is_usable(&self) -> bool {
        self.weights().iter().all(|w| w.is_finite()) && self.share >= 0.0 && self.network >= 0.0
    }
}

/// The places of the two weights that are not negative.
const SHARE: usize = 5;
const NETWORK: usize = 7;

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use rand_chacha::ChaCha8Rng;
    use rand_chacha::rand_core::{Rng, SeedableRng};

    use super::*;

    /// Pairs whose labels follow a model.
    fn drawn(model: &ExecutionModel, n: usize) -> Vec<Executed> {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        let mut unit = || f64::from(rng.next_u32()) / 2f64.powi(32);
        let kinds = [
            Evidence::ProvedEqual,
            Evidence::ProvedDifferent,
            Evidence::Refuted,
            Evidence::Unrefuted,
            Evidence::None,
        ];
        (0..n)
            .map(|i| {
                let of = if i % 7 == 0 { 0 } else { 16 };
                let signs = Signs {
                    evidence: kinds[(unit() * kinds.len() as f64) as usize],
                    agree: (unit() * (of + 1) as f64) as u64,
                    of,
                    network: (of == 0).then(|| unit() as f32),
                };
                let label = unit() < model.probability(&signs);
                Executed { signs, label, database: format!("db{}", i % 23) }
            })
            .collect()
    }

    fn model() -> ExecutionModel {
        ExecutionModel {
            equal: 3.0,
            different: -3.0,
            refuted: -0.7,
            unrefuted: 1.5,
            unknown: 0.8,
            share: 0.7,
            untested: -0.4,
            network: 0.5,
            folds: Folds::default(),
        }
    }

    #[test]
    fn the_model_that_labels_follow_is_found() {
        let (truth, found) = (model(), ExecutionModel::fit(&drawn(&model(), 40_000)).unwrap());
        for ((name, wanted), (_, got)) in truth.named().into_iter().zip(found.named()) {
            assert!((wanted - got).abs() < 0.25, "{name}: {wanted} {got}");
        }
        assert!(found.folds.auc > 0.85 && found.folds.ece < 0.02, "{:?}", found.folds);
        assert_eq!((found.folds.pairs, found.folds.databases), (40_000, 23));
    }

    #[test]
    fn more_agreement_is_never_worse() {
        let p = |agree, evidence| model().probability(&Signs { evidence, agree, of: 16, network: Some(0.9) });
        for evidence in [Evidence::Refuted, Evidence::Unrefuted] {
            assert!((1..=16).all(|agree| p(agree - 1, evidence) < p(agree, evidence)));
        }
        assert!(p(16, Evidence::ProvedEqual) > 0.99 && p(0, Evidence::ProvedDifferent) < 0.01);
        // Labels that contradict it leave it out.
        let reversed: Vec<Executed> =
            drawn(&model(), 4000).into_iter().map(|e| Executed { label: !e.label, ..e }).collect();
        let found = ExecutionModel::fit(&reversed).unwrap();
        assert!(found.is_usable() && found.share == 0.0);
    }

    #[test]
    fn the_network_speaks_where_nothing_was_tested() {
        let p = |of, network| {
            model().probability(&Signs { evidence: Evidence::None, agree: 0, of, network: Some(network) })
        };
        assert_eq!(p(4, 0.1), p(4, 0.9));
        assert!(p(0, 0.1) < p(0, 0.9));
        assert!(p(0, 0.0).is_finite() && p(0, 1.0) < 1.0);
    }

    #[test]
    fn what_cannot_be_fitted_says_why() {
        let pairs = drawn(&model(), 200);
        let one: Vec<Executed> = pairs.iter().filter(|e| e.label).cloned().collect();
        assert_eq!(ExecutionModel::fit(&one), Err(Unfit::OneLabel(one.len())));
        assert_eq!(ExecutionModel::fit(&[]), Err(Unfit::OneLabel(0)));
        let few: Vec<Executed> = pairs.into_iter().map(|e| Executed { database: "db".into(), ..e }).collect();
        assert_eq!(ExecutionModel::fit(&few), Err(Unfit::FewDatabases { found: 1 }));
    }
}
