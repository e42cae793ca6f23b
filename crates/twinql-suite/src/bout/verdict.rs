//! What is said of a pair, wherever the databases come from.

use serde::{Deserialize, Serialize};

use super::Side;

/// What was found of a pair on generated databases. `W` is what tells two queries apart: a whole [`Witness`](crate::Witness) where a pair
/// is judged, the number of a database where a suite is run. On users' own files each failure names its file, which
/// [`FileVerdict`](crate::FileVerdict) is for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "verdict", rename_all = "snake_case")]
pub enum Verdict<W> {
    /// No database told them apart.
    Same {
        /// Databases on which both gave an answer.
        databases: u64,
        /// Databases on which the gold answered: its answer there is not the one that it has when
        /// every table is empty.
        nonempty: u64,
    },
    /// A database tells them apart.
    Different {
        /// That database.
        witness: W,
    },
    /// The gold cannot be executed.
    GoldError {
        /// What SQLite says.
        message: String,
    },
    /// The prediction cannot be executed.
    PredError {
        /// What SQLite says.
        message: String,
    },
    /// A query passed the limits on several databases, and no other told them apart.
    Timeout {
        /// Which query.
        side: Side,
    },
    /// No database told them apart, and none says that they are the same: the gold never answered, or
    /// never otherwise than a constant does.
    Untested {
        /// Databases on which both gave an answer.
        databases: u64,
        /// Which of the two, and the condition that no database met, where it is known.
        reason: String,
    },
    /// The machine failed, not the queries.
    MachineError {
        /// How.
        message: String,
    },
}

impl<W> Verdict<W> {
    /// 1 for the same, 0 for different or a prediction that fails; `None` where the pair
    /// has no label.
    pub fn label(&self) -> Option<u8> {
        match self {
            Verdict::Same { .. } => Some(1),
            Verdict::Different { .. } | Verdict::PredError { .. } => Some(0),
            Verdict::GoldError { .. }
            | Verdict::Timeout { .. }
            | Verdict::Untested { .. }
            | Verdict::MachineError { .. } => None,
        }
    }

    /// This query cannot be executed.
    pub(crate) fn failed(side: Side, why: impl ToString) -> Verdict<W> {
        let message = why.to_string();
        match side {
            Side::Gold => Verdict::GoldError { message },
            Side::Pred => Verdict::PredError { message },
        }
    }
}
