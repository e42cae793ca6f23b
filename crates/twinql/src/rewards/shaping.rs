//! From what is known of a prediction to the main part of its reward.

use serde::{Deserialize, Serialize};

use super::gmn_score::{NO_PLAN, NO_SQL};
use super::guard::Certainty;
use crate::metric::Metric;
use crate::metrics::{EXPECTED_EX, GMN, THREE_TIER};
use crate::record::{Record, Status};

/// What the main part of a reward is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shaping {
    /// The network's calibrated probability that the answers are the same, from 0 to 1.
    #[default]
    Probability,
    /// GMNScore (Graph-Reward-SQL): −1 for what is no SQL, −0.6 for what has no plan, else max(0, 1 − d²).
    GmnScore,
    /// Proof, then the suite, then the network for what they leave open, from 0 to 1.
    Tiers,
    /// The share of plausible databases on which the answers agree, from 0 to 1.
    ExpectedEx,
}

twinql_sql::named!(
    Shaping: Probability "probability", GmnScore "gmn-score", Tiers "tiers", ExpectedEx "expected-ex"
);

impl Shaping {
    /// The shaping of a name.
    pub fn named(name: &str) -> Option<Shaping> {
        Shaping::ALL.into_iter().find(|shaping| shaping.name() == name)
    }

    /// The metric that it is made of.
    pub fn metric(self) -> &'static Metric {
        match self {
            Shaping::Probability | Shaping::GmnScore => &GMN,
            Shaping::Tiers => &THREE_TIER,
            Shaping::ExpectedEx => &EXPECTED_EX,
        }
    }

    /// True if the network may decide, so that the whole guard has something to add. Before the tiers it asks for other
    /// databases than they do. What counts databases itself has a guard of its own, which asks for less.
    pub fn is_guarded(self) -> bool {
        self != Shaping::ExpectedEx
    }

    /// What a completion without a statement earns.
    pub(super) fn of_no_sql(self) -> f64 {
        if self == Shaping::GmnScore { NO_SQL } else { 0.0 }
    }

    /// What a statement earns that is no query over the schema.
    pub(super) fn of_no_plan(self) -> f64 {
        if self == Shaping::GmnScore { NO_PLAN } else { 0.0 }
    }

    /// What is earned where something is certain; none where the metric has to say it.
    pub(super) fn of_certain(self, certainty: &Certainty) -> Option<f64> {
        match certainty {
            Certainty::ProvedEqual => Some(1.0),
            Certainty::ProvedDifferent | Certainty::Refuted { .. } | Certainty::Chance => Some(0.0),
            Certainty::Refused { .. } => Some(self.of_no_plan()),
            Certainty::Unrefuted { .. } | Certainty::Untested { .. } => None,
        }
    }

    /// What the record of the metric earns; none where it is not the prediction's fault that nothing is known.
    /// `unread` is the probability of pairs that the network cannot read and that no database tells apart.
    pub(super) fn of_record(self, record: &Record, unread: Option<f64>) -> Option<f64> {
        match record.status {
            Status::GoldError | Status::MachineError => return None,
            Status::PredError => return Some(self.of_no_plan()),
            // The prediction's own time; what the gold spends is not for the prediction to answer for.
            Status::Timeout => {
                let own = record.error.as_deref().is_some_and(|e| e.starts_with("pred"));
                return own.then_some(0.0);
            }
            Status::Unsupported => {
                return match (self, unread) {
                    (Shaping::Probability | Shaping::GmnScore, Some(p)) => Some(p),
                    (Shaping::GmnScore, None) => Some(NO_PLAN),
                    // A reward is a number, and a policy must not gain by what cannot be read.
                    _ => Some(record.score(self.metric().name).unwrap_or(0.0)),
                };
            }
            Status::Ok | Status::Contradicted | Status::Untested => {}
        }
        match self {
            Shaping::GmnScore => {
                if record.status == Status::Contradicted {
                    return Some(0.0);
                }
                let distance = record.details.get("gmn")?.get("distance")?.as_f64()?;
                Some((1.0 - distance).max(0.0))
            }
            Shaping::Probability | Shaping::Tiers | Shaping::ExpectedEx => record.score(self.metric().name),
        }
    }
}
