//! Expected execution accuracy: the share of plausible databases on which two queries agree.

use serde::{Deserialize, Serialize};

/// The standard error at which a share is settled: 31 databases that all agree have it, and 276 of which half do.
const NARROW: f64 = 0.03;

/// Log odds of a pair that half of the databases call the same.
const OFFSET: f64 = -0.06;

/// How much of a share's log odds is believed.
const SLOPE: f64 = 1.1;

/// How many databases a share is counted over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExpectedConfig {
    /// Databases on which the gold is to answer, at the most: a share that is settled earlier needs fewer.
    pub databases: u64,
}

impl ExpectedConfig {
    /// Databases that are made at the most, until the gold has answered on as many as are wanted.
    pub(crate) fn attempts(self) -> u64 {
        self.databases.saturating_mul(5) / 2 + 4
    }
}

impl Default for ExpectedConfig {
    /// 16 databases.
    fn default() -> Self {
        ExpectedConfig { databases: 16 }
    }
}

/// On how many plausible databases two queries agree.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Expected {
    /// Databases on which the gold answers and both agree.
    pub agree: u64,
    /// Databases on which the gold answers.
    pub of: u64,
    /// Databases that were made.
    pub made: u64,
}

impl Expected {
    /// True once more databases would hardly change what the share says.
    pub(crate) fn is_settled(self) -> bool {
        self.of > 0 && self.standard_error() <= NARROW
    }

    /// The share of databases on which both agree, from 0 to 1. `None` where the gold answers on none.
    pub fn share(self) -> Option<f64> {
        (self.of > 0).then(|| self.agree as f64 / self.of as f64)
    }

    /// The probability that execution on a real database calls the prediction right, by a logistic map of the log odds
    /// of the share (Platt scaling). A share of 1 over few databases promises less than one over many.
    ///
    /// Fitted on 8,273 predictions for Spider's training databases, executed there and compared as BIRD's evaluator
    /// does, with 16 databases a pair: `docs/plausible.md` has its calibration error.
    pub fn probability(self) -> f64 {
        let odds = (self.agree as f64 + 0.5) / (self.of.saturating_sub(self.agree) as f64 + 0.5);
        1.0 / (1.0 + (-OFFSET - SLOPE * odds.ln()).exp())
    }

    /// The standard error of the share. The share is shrunk towards a half by the rule of succession first, or a
    /// share of 0 or 1 would have none.
    pub fn standard_error(self) -> f64 {
        let n = self.of as f64 + 2.0;
        let p = (self.agree as f64 + 1.0) / n;
        (p * (1.0 - p) / n).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_rise_with_the_share_and_with_the_databases() {
        let probability = |agree, of| Expected { agree, of, made: of }.probability();
        assert!(probability(0, 16) < 0.03 && probability(16, 16) > 0.97);
        assert!((probability(8, 16) - 0.485).abs() < 0.005);
        assert!((1..=16).all(|agree| probability(agree - 1, 16) < probability(agree, 16)));
        assert!(probability(4, 4) < probability(16, 16) && probability(0, 16) < probability(0, 4));
    }

    #[test]
    fn a_share_is_settled_once_its_interval_is_narrow() {
        let settled = |agree, of| Expected { agree, of, made: of }.is_settled();
        assert!(!settled(0, 0) && !settled(30, 30) && settled(31, 31) && settled(0, 31));
        assert!(!settled(100, 200) && settled(138, 276));
    }
}
