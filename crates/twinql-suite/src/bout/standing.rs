//! What the databases so far say of a pair, and how that ends.

use super::{Outcome, Side};
use crate::execute::ExecError;

/// Databases on which one side passes the limits, after which a pair is given up.
const MAX_TIMEOUTS: u64 = 3;

/// What verdicts have in common, wherever the databases come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Ending {
    /// No database told the two apart.
    Same {
        /// Databases on which both gave an answer.
        databases: u64,
        /// Of these, those on which the gold answered.
        nonempty: u64,
    },
    /// This query cannot be executed.
    Failed(Side, String),
    /// This query passed the limits, and nothing told the two apart.
    Timeout(Side),
}

/// What comes after a bout.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Next {
    /// Another database.
    Another,
    /// Nothing: the database tells the two apart.
    Differ,
    /// Nothing.
    End(Ending),
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
    pub(crate) fn note(&mut self, outcome: Outcome, says: impl FnOnce() -> bool) -> Next {
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

    /// Takes note that a query gave no answer; an ending where that is one.
    pub(crate) fn failed(&mut self, side: Side, error: ExecError) -> Option<Ending> {
        match (side, error) {
            (side, error) if error.is_final() => Some(Ending::Timeout(side)),
            (side, ExecError::Limit(_)) => {
                let count = &mut self.timeouts[usize::from(side == Side::Pred)];
                *count += 1;
                (*count >= MAX_TIMEOUTS).then_some(Ending::Timeout(side))
            }
            // A gold that fails on one database says nothing there.
            (Side::Gold, error) => {
                self.failure = Some(error);
                None
            }
            (Side::Pred, error) => Some(Ending::Failed(Side::Pred, error.to_string())),
        }
    }

    /// What is to be said where no database ended it. `unanswered` is the message where the gold gave no
    /// answer at all, of why it failed.
    pub(crate) fn ending(&self, unanswered: impl FnOnce(Option<&ExecError>) -> String) -> Ending {
        match (self.agreed, self.timeouts) {
            (0, [0, 0]) => Ending::Failed(Side::Gold, unanswered(self.failure.as_ref())),
            (0, [0, _]) => Ending::Timeout(Side::Pred),
            (0, _) => Ending::Timeout(Side::Gold),
            (databases, _) => Ending::Same { databases, nonempty: self.answered },
        }
    }
}
