//! The network's score as a reward for reinforcement learning, after GMNScore (Graph-Reward-SQL):
//! −1 for what is no SQL, −0.6 for SQL that has no plan over the schema, else max(0, 1 − d²), which the
//! network's loss keeps near 1 for equivalent queries and near 0 for others.

use serde_json::Value;
use twinql_sql::parse;

use crate::record::{Record, Status};

/// Of a text that does not parse.
pub const NO_SQL: f64 = -1.0;
/// Of a query that cannot be planned.
pub const NO_PLAN: f64 = -0.6;

/// The reward of a prediction from its record with a score of `gmn`; none where it is not the
/// prediction's fault: the gold cannot be used, or the pair was no pair.
pub fn gmn_score(record: &Record, pred: &str) -> Option<f64> {
    let detail = |key: &str| record.detail("gmn", key);
    match record.status_of("gmn") {
        Status::GoldError | Status::Timeout | Status::MachineError => return None,
        Status::PredError | Status::Unsupported if parse(pred).is_err() => return Some(NO_SQL),
        Status::PredError => return Some(NO_PLAN),
        Status::Unsupported if detail("same_tokens") == Some(&Value::Bool(true)) => return Some(1.0),
        // A policy must not gain by what cannot be read.
        Status::Ok | Status::Contradicted | Status::Unsupported | Status::Untested => {}
    }
    match detail("distance").and_then(Value::as_f64) {
        // What a database tells apart is different, however near the network finds it.
        Some(_) if detail("refuted") == Some(&Value::Bool(true)) => Some(0.0),
        Some(distance) => Some((1.0 - distance).max(0.0)),
        None => Some(NO_PLAN),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn from_no_sql_to_the_same() {
        let record = |status, distance: Option<f64>| {
            let mut record = Record::empty("1".into());
            if status != Status::Ok {
                record.spoil("gmn", status, "why".into());
            }
            if let Some(distance) = distance {
                record.set_detail("gmn", "distance", distance);
            }
            record
        };
        for (status, distance, pred, expected) in [
            (Status::PredError, None, "SELEC a", Some(-1.0)),
            (Status::PredError, None, "SELECT nothing FROM nowhere", Some(-0.6)),
            (Status::Unsupported, None, "SELECT a FROM t", Some(-0.6)),
            (Status::Ok, Some(0.25), "SELECT a FROM t", Some(0.75)),
            (Status::Ok, Some(1.5), "SELECT a FROM t", Some(0.0)),
            (Status::Ok, Some(0.0), "SELECT a FROM t", Some(1.0)),
            (Status::GoldError, None, "SELECT a FROM t", None),
        ] {
            assert_eq!(gmn_score(&record(status, distance), pred), expected, "{status} {pred}");
        }
    }
}
