//! What the databases so far say of a pair, and how that ends.

use super::{Outcome, Side, Verdict};
use crate::execute::ExecError;

/// Databases on which one side passes the limits, after which a pair is given up.
const MAX_TIMEOUTS: u64 = 3;

/// What comes after a bout.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Next<W> {
    /// Another database.
    Another,
    /// Nothing: the database tells the two apart.
    Differ,
    /// Nothing.
    End(Verdict<W>),
}

/// What the databases so far say of a pair.
#[derive(Debug, Clone, Default)]
pub(crate) struct Standing {
    /// Databases on which the answers agreed.
    agreed: u64,
    /// Of these, those on which the gold answered.
    answered: u64,
    /// Databases on which the gold and the prediction passed the limits.
    timeouts: [u64; 2],
    /// Why the gold gave no answer the last time that it gave none, limits aside.
    failure: Option<ExecError>,
}

impl Standing {
    /// Databases on which the answers agreed.
    pub(crate) fn agreed(&self) -> u64 {
        self.agreed
    }

    /// True if the gold answered on a database on which the answers agreed.
    pub(crate) fn answered(&self) -> bool {
        self.answered > 0
    }

    /// Databases on which a query passed the limits.
    pub(crate) fn timeouts(&self) -> u64 {
        self.timeouts.iter().sum()
    }

    /// Takes note of what one more database says. `says` tells of an agreement whether the gold
    /// answered there.
    pub(crate) fn note<W>(&mut self, outcome: Outcome, says: impl FnOnce() -> bool) -> Next<W> {
        match outcome {
            Outcome::Agree(_) => {
                self.agreed += 1;
                self.answered += u64::from(says());
                Next::Another
            }
            Outcome::Differ => Next::Differ,
            Outcome::Failed(side, error) => self.failed(side, error).map_or(Next::Another, Next::End),
        }
    }

    /// Takes note that a query gave no answer; a verdict where that is one.
    pub(crate) fn failed<W>(&mut self, side: Side, error: ExecError) -> Option<Verdict<W>> {
        match (side, error) {
            (side, error) if error.is_final() => Some(Verdict::Timeout { side }),
            (side, ExecError::Limit(_)) => {
                let count = &mut self.timeouts[usize::from(side == Side::Pred)];
                *count += 1;
                (*count >= MAX_TIMEOUTS).then_some(Verdict::Timeout { side })
            }
            // A gold that fails on one database says nothing there.
            (Side::Gold, error) => {
                self.failure = Some(error);
                None
            }
            (Side::Pred, error) => Some(Verdict::failed(Side::Pred, error)),
        }
    }

    /// What is to be said where no database ended it. `unanswered` is the message where the gold gave no
    /// answer at all, of why it failed.
    pub(crate) fn verdict<W>(&self, unanswered: impl FnOnce(Option<&ExecError>) -> String) -> Verdict<W> {
        match (self.agreed, self.timeouts) {
            (0, [0, 0]) => Verdict::failed(Side::Gold, unanswered(self.failure.as_ref())),
            (0, [0, _]) => Verdict::Timeout { side: Side::Pred },
            (0, _) => Verdict::Timeout { side: Side::Gold },
            (databases, _) => Verdict::Same { databases, nonempty: self.answered },
        }
    }
}
