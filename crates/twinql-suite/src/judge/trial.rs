//! A pair on one database after another, and what that costs.

use crate::bout::{Outcome, Ring, Side};
use crate::database::Database;
use crate::execute::{Answer, Sandbox};

/// The numbers of the queries in a trial's ring, and of the pair that they are.
pub(super) const GOLD: usize = 0;
pub(super) const PRED: usize = 1;
pub(super) const PAIR: usize = 0;

/// A pair in the ring, and what it may cost.
pub(super) struct Trial<'a> {
    pub(super) sandbox: &'a Sandbox,
    pub(super) ring: Ring<'a>,
    /// Steps that had been taken in the sandbox before.
    pub(super) start: u64,
    /// Steps that the pair may take.
    pub(super) budget: u64,
}

/// Executions at the limit of steps that one pair is worth, on each hundred databases. No pair of
/// real queries comes near it.
pub(super) const WORTH: u64 = 20;

impl Trial<'_> {
    /// True once the pair has cost more than it is worth, beside samples, which have a bound of their own.
    pub(super) fn exhausted(&self) -> bool {
        let all = self.sandbox.spent() - self.start;
        all.saturating_sub(self.ring.sampled(PAIR)) > self.budget
    }

    /// The query that has cost more so far.
    pub(super) fn costlier(&self) -> Side {
        if self.ring.party(GOLD).spent() >= self.ring.party(PRED).spent() { Side::Gold } else { Side::Pred }
    }

    /// What a database says of the pair.
    pub(super) fn bout(&mut self, database: &Database) -> Outcome {
        self.ring.bout(PAIR, database).unwrap_or_else(|e| Outcome::Failed(Side::Gold, e))
    }

    /// The answers on the database of the last bout.
    pub(super) fn answers(&mut self) -> [Answer; 2] {
        [GOLD, PRED].map(|query| self.ring.take_answer(query))
    }
}
