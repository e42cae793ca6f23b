//! Expected execution accuracy: the share of plausible databases on which two queries agree.

use serde::Serialize;

/// What a share is counted over.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ExpectedConfig {
    /// Databases on which the gold is to answer.
    pub databases: u64,
    /// Databases that may be made until it does.
    pub attempts: u64,
}

impl Default for ExpectedConfig {
    fn default() -> Self {
        ExpectedConfig { databases: 16, attempts: 40 }
    }
}

/// On how many plausible databases two queries agree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Expected {
    /// Databases on which the gold answers and both agree.
    pub agree: u64,
    /// Databases on which the gold answers.
    pub of: u64,
    /// Databases that were made.
    pub made: u64,
}

impl Expected {
    /// The share of databases on which both agree, from 0 to 1. `None` where the gold answers on none.
    pub fn share(self) -> Option<f64> {
        (self.of > 0).then(|| self.agree as f64 / self.of as f64)
    }

    /// The standard error of the share, by the rule of succession.
    pub fn error(self) -> f64 {
        let n = self.of as f64 + 2.0;
        let p = (self.agree as f64 + 1.0) / n;
        (p * (1.0 - p) / n).sqrt()
    }
}
