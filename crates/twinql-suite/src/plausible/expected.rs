//! Expected execution accuracy: the share of plausible databases on which two queries agree.

use serde::{Deserialize, Serialize};

use crate::judge::Verdict;

/// The standard error at which a share is settled: 31 databases that all agree have it, and 276 of which half do.
const NARROW: f64 = 0.03;

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

    /// The standard error of the share. The share is shrunk towards a half by the rule of succession first, or a
    /// share of 0 or 1 would have none.
    pub fn standard_error(self) -> f64 {
        let n = self.of as f64 + 2.0;
        let p = (self.agree as f64 + 1.0) / n;
        (p * (1.0 - p) / n).sqrt()
    }
}

/// What plausible databases say of a pair.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Expectation {
    /// Both ran, and the gold answered.
    Counted(Expected),
    /// There is nothing to count, for the reason that the verdict names: never `Same` or `Different`.
    None(Verdict),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_settled_once_its_interval_is_narrow() {
        let settled = |agree, of| Expected { agree, of, made: of }.is_settled();
        assert!(!settled(0, 0) && !settled(30, 30) && settled(31, 31) && settled(0, 31));
        assert!(!settled(100, 200) && settled(138, 276));
    }
}
