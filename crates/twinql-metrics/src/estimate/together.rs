//! How much predictions of one database, and of one gold, are right or wrong together beyond what their probabilities say.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::normal::{density, quantile as at};

/// How much of what decides whether a prediction is right is shared: parts of a variance of 1.
///
/// A prediction is right where a standard normal variable lies below the quantile of its probability; the variable is a
/// sum of one for the database, one for the gold and one of its own (a Gaussian copula, which leaves probabilities what
/// they are).
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Together {
    /// Shared by all predictions over a database.
    pub database: f64,
    /// Shared by all predictions for a gold.
    pub gold: f64,
}

/// A prediction with what execution says of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// How likely it is right, by a model that has not seen its database.
    pub probability: f64,
    /// It is right.
    pub right: bool,
    /// Its database.
    pub database: usize,
    /// Its gold.
    pub gold: usize,
}

/// No part is greater.
const MOST: f64 = 0.45;

impl Together {
    /// The standard deviations of the three variables.
    pub(super) fn loads(&self) -> (f64, f64, f64) {
        let own = (1.0 - self.database - self.gold).max(0.0);
        (self.database.max(0.0).sqrt(), self.gold.max(0.0).sqrt(), own.sqrt())
    }

    /// Measured by products of residuals: of two predictions over one database or for one gold they are, to first order,
    /// the shared part times both densities. Outcomes are given once for equal predictions of a gold.
    pub fn measured(outcomes: &[Outcome]) -> Together {
        let residual = |o: &Outcome| f64::from(u8::from(o.right)) - o.probability;
        let weight = |o: &Outcome| density(at(o.probability.clamp(1e-6, 1.0 - 1e-6)));
        let sums = |key: &dyn Fn(&Outcome) -> (usize, usize)| {
            // Products of all pairs of a group are half of its sum's square without those of its members.
            let mut groups: BTreeMap<(usize, usize), [f64; 4]> = BTreeMap::new();
            for o in outcomes {
                let (r, w) = (residual(o), weight(o));
                let sums = groups.entry(key(o)).or_default();
                for (sum, x) in sums.iter_mut().zip([r, r * r, w, w * w]) {
                    *sum += x;
                }
            }
            groups
                .values()
                .fold((0.0, 0.0), |(up, down), [r, rr, w, ww]| (up + r * r - rr, down + w * w - ww))
        };
        let of_gold = sums(&|o| (o.database, o.gold));
        let of_database = sums(&|o| (o.database, 0));
        let part = |up: f64, down: f64| if down > 0.0 { (up / down).clamp(0.0, MOST) } else { 0.0 };
        let database = part(of_database.0 - of_gold.0, of_database.1 - of_gold.1);
        let both = part(of_gold.0, of_gold.1);
        Together { database, gold: (both - database).max(0.0) }
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    #[test]
    fn what_outcomes_were_drawn_with_is_found() {
        let truth = Together { database: 0.06, gold: 0.2 };
        let (by_database, by_gold, own) = truth.loads();
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        let mut unit = || rng.random_range(1e-9..1.0 - 1e-9);
        let mut outcomes = Vec::new();
        for database in 0..400 {
            let d = at(unit());
            for gold in 0..10 {
                let g = at(unit());
                for _ in 0..6 {
                    let probability = 0.1 + 0.8 * unit();
                    let right = by_database * d + by_gold * g + own * at(unit()) < at(probability);
                    outcomes.push(Outcome { probability, right, database, gold });
                }
            }
        }
        let found = Together::measured(&outcomes);
        assert!((found.database - truth.database).abs() < 0.02, "{found:?}");
        assert!((found.gold - truth.gold).abs() < 0.04, "{found:?}");
        assert_eq!(Together::measured(&[]), Together::default());
    }
}
