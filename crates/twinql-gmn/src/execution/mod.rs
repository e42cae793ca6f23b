//! How likely execution on a real database would call a prediction right, by all that is known of the pair.
//!
//! Proofs, the test suite, plausible databases, a network and the ways in which the two queries differ each answer another
//! question; a logistic model weighs their answers. Its log odds are one constant for each [`Evidence`] and for each
//! [kind of difference](twinql_sql::explain::kinds), those of the share of plausible databases on which both queries agree,
//! times a weight, and those of the network for both of its questions, times others.
//!
//! The weights that are used where a checkpoint has none of its own are a file of this folder, which
//! `scripts/ex.sh` writes.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};
use twinql_metrics::{Outcome, Together, between_databases, reweighed};
use twinql_sql::explain::kinds::{KINDS, Kind, NUMBER};

use crate::calibrate::logit;
pub use crate::logistic::{Folds, Unfit};
use crate::logistic::{Sample, Start, chance, fit};
use crate::tiers::Evidence;

/// What is known of a pair.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Signs {
    /// What proofs and the suite say.
    pub evidence: Evidence,
    /// Plausible databases on which both agree.
    pub agree: u64,
    /// Plausible databases on which the gold answers; 0 where the pair is untested.
    pub of: u64,
    /// The network's probability for the question about plausible databases, where it was asked and can read the pair.
    pub network: Option<f32>,
    /// Its probability for the question about every database.
    pub every: Option<f32>,
    /// The canonical forms are equal by what people's databases mostly keep.
    pub regular: bool,
    /// In what the two queries are not alike.
    pub kinds: Vec<&'static Kind>,
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
    /// The gold: predictions of one may be right or wrong together.
    pub gold: usize,
}

/// Weights that belong to no kind of difference.
const OWN: [&str; 11] = twinql_sql::words![
    offset equal different refuted unrefuted unknown share untested network every regular
];
/// All weights.
const WEIGHTS: usize = OWN.len() + NUMBER;
/// The places of the two that are not negative.
const SHARE: usize = 6;
const NETWORK: usize = 8;
/// How strongly a first fit holds weights to 0: those of [`OWN`], and those of kinds, which are many and each in few pairs.
const FIRST: [f64; 2] = [1.0, 300.0];
/// How strongly a later fit, whose pairs are of a few databases, holds the same to what the first one found.
const LATER: [f64; 2] = [100.0, 1000.0];

/// The names of all weights.
fn names() -> impl Iterator<Item = &'static str> {
    OWN.into_iter().chain(KINDS.into_iter().map(|kind| kind.name))
}

impl Signs {
    /// What each weight is multiplied by, in the order of [`names`].
    fn features(&self) -> [f64; WEIGHTS] {
        let is = |holds| f64::from(u8::from(holds));
        let untested = self.of == 0;
        // Shrunk by half a database of each kind: a share of 1 over few databases promises less than over many.
        let odds = (self.agree as f64 + 0.5) / (self.of.saturating_sub(self.agree) as f64 + 0.5);
        let said = |p: Option<f32>| p.map_or(0.0, |p| f64::from(logit(p.clamp(1e-3, 0.999))));
        let own = [
            1.0,
            is(self.evidence == Evidence::ProvedEqual),
            is(self.evidence == Evidence::ProvedDifferent),
            is(self.evidence == Evidence::Refuted),
            is(self.evidence == Evidence::Unrefuted),
            is(self.evidence == Evidence::None),
            if untested { 0.0 } else { odds.ln() },
            is(untested),
            said(self.network),
            said(self.every),
            is(self.regular),
        ];
        let kinds = KINDS.into_iter().map(|kind| is(self.kinds.contains(&kind)));
        let mut all = [0.0; WEIGHTS];
        for (place, value) in all.iter_mut().zip(own.into_iter().chain(kinds)) {
            *place = value;
        }
        all
    }
}

/// A logistic model of [`Signs`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExecutionModel {
    /// What it was fitted to.
    pub source: String,
    /// Log odds by name; a weight that is not named is 0.
    pub weights: BTreeMap<String, f64>,
    /// The share of the pairs that it was fitted to that are right.
    pub right: f64,
    /// How much predictions of a database, and of a gold, are right or wrong together.
    pub together: Together,
    /// How good it is on databases that it was not fitted to.
    pub folds: Folds,
}

/// A probability with what it may be on another database.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Between {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// How often the interval of a probability holds.
const LEVEL_OF_DATABASES: f64 = 0.9;

static SHIPPED: LazyLock<Option<ExecutionModel>> = LazyLock::new(|| {
    serde_json::from_str(include_str!("weights.json")).ok().filter(ExecutionModel::is_usable)
});

impl ExecutionModel {
    /// The model that is used where a checkpoint has none of its own; none only where the file of this crate is broken,
    /// which a test rules out.
    pub fn shipped() -> Option<&'static ExecutionModel> {
        SHIPPED.as_ref()
    }

    /// The probability that execution calls the prediction right.
    pub fn probability(&self, signs: &Signs) -> f64 {
        chance(&self.in_order(), &signs.features())
    }

    /// The same where the share `assumed` of predictions is right.
    pub fn probability_among(&self, signs: &Signs, assumed: Option<f64>) -> f64 {
        let p = self.probability(signs);
        assumed.map_or(p, |assumed| reweighed(p, self.right, assumed))
    }

    /// Between which probabilities it lies on nine in ten databases.
    pub fn between(&self, probability: f64) -> Between {
        let (low, high) = between_databases(probability, &self.together, LEVEL_OF_DATABASES);
        Between { low, high }
    }

    /// Fits a model to pairs, and measures on each fifth of the databases what the others' pairs say of it. Weights of which
    /// the pairs say little stay near to those of `from`, or to 0.
    ///
    /// # Errors
    /// All labels are the same, or there are too few databases.
    pub fn fit(
        executed: &[Executed],
        from: Option<&ExecutionModel>,
        source: impl Into<String>,
    ) -> Result<ExecutionModel, Unfit> {
        let (found, outcomes) = ExecutionModel::fit_and_left_out(executed, from)?;
        let names = names().map(str::to_owned);
        let right = executed.iter().filter(|e| e.label).count() as f64 / executed.len().max(1) as f64;
        Ok(ExecutionModel {
            source: source.into(),
            weights: names.zip(found.weights).filter(|(_, weight)| *weight != 0.0).collect(),
            right,
            together: Together::measured(&outcomes),
            folds: found.folds,
        })
    }

    /// What models of the other databases say of each pair, in order.
    ///
    /// # Errors
    /// Those of [`ExecutionModel::fit`].
    pub fn left_out(executed: &[Executed], from: Option<&ExecutionModel>) -> Result<Vec<Outcome>, Unfit> {
        ExecutionModel::fit_and_left_out(executed, from).map(|(_, outcomes)| outcomes)
    }

    fn fit_and_left_out(
        executed: &[Executed],
        from: Option<&ExecutionModel>,
    ) -> Result<(crate::logistic::Fitted<WEIGHTS>, Vec<Outcome>), Unfit> {
        let sample = |e: &Executed| Sample {
            features: e.signs.features(),
            label: e.label,
            database: e.database.clone(),
        };
        let samples: Vec<_> = executed.iter().map(sample).collect();
        let positive = std::array::from_fn(|place| matches!(place, SHARE | NETWORK));
        let weights = from.map_or([0.0; WEIGHTS], ExecutionModel::in_order);
        let [own, of_kinds] = if from.is_some() { LATER } else { FIRST };
        let ridge = std::array::from_fn(|place| if place < OWN.len() { own } else { of_kinds });
        let found = fit(&samples, &Start { weights, ridge, positive })?;
        let mut databases: BTreeMap<&str, usize> =
            executed.iter().map(|e| (e.database.as_str(), 0)).collect();
        databases.values_mut().enumerate().for_each(|(at, place)| *place = at);
        let outcomes = executed.iter().zip(&found.left_out).map(|(e, probability)| Outcome {
            probability: *probability,
            right: e.label,
            database: databases.get(e.database.as_str()).copied().unwrap_or_default(),
            gold: e.gold,
        });
        let outcomes = outcomes.collect();
        Ok((found, outcomes))
    }

    /// Each weight by its name: those that belong to no kind first.
    pub fn named(&self) -> impl Iterator<Item = (&'static str, f64)> {
        names().zip(self.in_order())
    }

    fn in_order(&self) -> [f64; WEIGHTS] {
        let mut all = [0.0; WEIGHTS];
        for (place, name) in all.iter_mut().zip(names()) {
            *place = self.weights.get(name).copied().unwrap_or_default();
        }
        all
    }

    /// More agreement never makes a pair less likely, and every weight is a number.
    pub(crate) fn is_usable(&self) -> bool {
        let weights = self.in_order();
        weights.iter().all(|w| w.is_finite())
            && weights[SHARE] >= 0.0
            && weights[NETWORK] >= 0.0
            && (0.0..=1.0).contains(&self.right)
            && [self.together.database, self.together.gold].iter().all(|part| (0.0..1.0).contains(part))
            && self.together.database + self.together.gold < 1.0
    }
}

#[cfg(test)]
mod tests;
