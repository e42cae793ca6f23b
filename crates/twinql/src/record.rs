//! The wire type of scores: one JSON object for each pair.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use twinql_metrics::Scored;

/// What became of a pair.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Nothing is wrong with the pair, and at least one metric was computed.
    Ok,
    /// A proof says one thing of the pair, and a database shows another: one of the two is wrong, which is a fault of
    /// twinql. Scores are by the database, that of the proof is null.
    Contradicted,
    /// The gold query (or the pair's schema, or its line in the file) cannot be used.
    GoldError,
    /// The prediction is no query over this schema; it scores 0.
    PredError,
    /// One of the queries may be valid, and twinql does not know a construct in it: nothing is said of it.
    Unsupported,
    /// A time limit ended the work on this pair.
    Timeout,
    /// The suite had no database on which the gold answered, so agreement says nothing; the suite's
    /// score is null.
    Untested,
    /// The machine failed, not the queries: no worker process starts, file descriptors run out. What
    /// could not be computed is null.
    MachineError,
}

twinql_sql::named!(
    Status: Ok "ok", Contradicted "contradicted", GoldError "gold_error", PredError "pred_error",
    Unsupported "unsupported", Timeout "timeout", Untested "untested", MachineError "machine_error"
);

impl Status {
    /// The status of a name in files.
    pub fn named(name: &str) -> Option<Status> {
        Status::ALL.into_iter().find(|status| status.name() == name)
    }

    /// Whether it says what one metric could not do, and nothing of the pair: another metric may have done it.
    fn is_of_a_metric(self) -> bool {
        matches!(self, Status::Unsupported | Status::Untested)
    }
}

/// The scores of one pair.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Record {
    /// The pair's id as it stood in the input, or its number from 0 as text.
    pub id: Value,
    /// What became of the pair.
    pub status: Status,
    /// Score by metric, in [0, 1], 1 = the same; null where the metric has nothing to say of the pair.
    pub scores: Map<String, Value>,
    /// More about a score, by metric.
    pub details: Map<String, Value>,
    /// What went wrong and what to do.
    pub error: Option<String>,
}

impl Record {
    /// A record without scores, status `ok`.
    pub fn empty(id: Value) -> Record {
        Record { id, status: Status::Ok, scores: Map::new(), details: Map::new(), error: None }
    }

    /// The score of a metric; none where it is null.
    pub fn score(&self, metric: &str) -> Option<f64> {
        self.scores.get(metric)?.as_f64()
    }

    /// Sets a score, clamped to [0, 1]; what is not a number becomes 0.
    pub fn set_score(&mut self, metric: &str, score: f64) {
        let score = if score.is_finite() { score.clamp(0.0, 1.0) } else { 0.0 };
        self.scores.insert(metric.to_owned(), Value::from(score));
    }

    /// Sets score and details of a metric.
    pub(crate) fn set(&mut self, metric: &str, scored: Scored) {
        self.set_score(metric, scored.score);
        for (key, value) in scored.details {
            self.set_detail(metric, &key, value);
        }
    }

    /// Takes over what another record says of a metric.
    pub(crate) fn adopt(&mut self, metric: &str, other: &Record) {
        for (to, from) in [(&mut self.scores, &other.scores), (&mut self.details, &other.details)] {
            if let Some(value) = from.get(metric) {
                to.insert(metric.to_owned(), value.clone());
            }
        }
    }

    /// Takes the score of a metric back: it says nothing of this pair.
    pub fn set_null(&mut self, metric: &str) {
        self.scores.insert(metric.to_owned(), Value::Null);
    }

    /// Adds to the details of a metric.
    pub fn set_detail(&mut self, metric: &str, key: &str, value: impl Into<Value>) {
        let entry = self.details.entry(metric).or_insert_with(|| Value::Object(Map::new()));
        if let Value::Object(map) = entry {
            map.insert(key.to_owned(), value.into());
        }
    }

    /// What became of a metric: the status in its details, which is there where it is not `ok`.
    pub fn status_of(&self, metric: &str) -> Status {
        self.detail(metric, STATUS).and_then(Value::as_str).and_then(Status::named).unwrap_or(Status::Ok)
    }

    /// A detail of a metric.
    pub fn detail(&self, metric: &str, key: &str) -> Option<&Value> {
        self.details.get(metric)?.get(key)
    }

    /// Sets status and error of a metric, unless they are set.
    pub(crate) fn spoil(&mut self, metric: &str, status: Status, error: String) {
        if self.status_of(metric) == Status::Ok {
            self.set_detail(metric, STATUS, status.name());
            self.set_detail(metric, ERROR, error);
        }
    }

    /// Says of a metric that a database shows another thing than it proves, whatever was said of it before.
    pub(crate) fn contradict(&mut self, metric: &str, error: &str) {
        self.set_detail(metric, STATUS, Status::Contradicted.name());
        self.set_detail(metric, ERROR, error);
    }

    /// Makes the status of the pair from those of its metrics, in their order: what is contradicted, then the first that
    /// says something of the pair itself. What a metric could not read or test is the pair's status only where no metric
    /// could. The error goes with it, and stays in the details of metrics that have another.
    pub(crate) fn settle<'m>(&mut self, metrics: impl Iterator<Item = &'m str> + Clone) {
        let statuses = || metrics.clone().map(|name| (name, self.status_of(name)));
        let first = |wanted: &dyn Fn(Status) -> bool| statuses().find(|(_, status)| wanted(*status));
        let all_failed = statuses().all(|(_, status)| status != Status::Ok);
        let chosen = first(&|s| s == Status::Contradicted)
            .or_else(|| first(&|s| s != Status::Ok && !s.is_of_a_metric()))
            .or_else(|| if all_failed { first(&|_| true) } else { None });
        let Some((name, status)) = chosen else { return };
        self.error = self.detail(name, ERROR).and_then(Value::as_str).map(str::to_owned);
        self.status = status;
        for details in self.details.values_mut().filter_map(Value::as_object_mut) {
            if details.get(ERROR).and_then(Value::as_str) == self.error.as_deref() {
                details.shift_remove(ERROR);
            }
        }
    }
}

/// What a metric's status is called in its details.
const STATUS: &str = "status";
/// And its error, where it is not that of the record.
const ERROR: &str = "error";

/// The double that prints as the float does: 0.97, not 0.9700000286102295.
pub(crate) fn shortest(x: f32) -> f64 {
    x.to_string().parse().unwrap_or(f64::from(x))
}

/// How many pairs ended in which status.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StatusCounts(pub BTreeMap<Status, usize>);

impl StatusCounts {
    /// Counts one more.
    pub fn add(&mut self, status: Status) {
        *self.0.entry(status).or_default() += 1;
    }

    /// Counts all that another count has.
    pub fn merge(&mut self, other: &StatusCounts) {
        for (status, n) in &other.0 {
            *self.0.entry(*status).or_default() += n;
        }
    }

    /// The count of a status.
    pub fn get(&self, status: Status) -> usize {
        self.0.get(&status).copied().unwrap_or(0)
    }

    /// All pairs: the denominator of every mean.
    pub fn total(&self) -> usize {
        self.0.values().sum()
    }
}

impl fmt::Display for StatusCounts {
    /// `ok 97, pred_error 2, unsupported 1`; statuses that did not occur are left out.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut first = true;
        for status in Status::ALL {
            let count = self.get(status);
            if count > 0 || (status == Status::Ok && self.total() == 0) {
                if !first {
                    f.write_str(", ")?;
                }
                write!(f, "{status} {count}")?;
                first = false;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wire_form_is_fixed() {
        let mut record = Record::empty("7".into());
        record.set_score("gmn", 0.97);
        record.set_score("odd", f64::NAN);
        record.set_detail("gmn", "distance", 0.11);
        record.set_null("suite");
        assert_eq!(record.score("suite"), None);
        assert_eq!(
            serde_json::to_string(&record).unwrap(),
            r#"{"id":"7","status":"ok","scores":{"gmn":0.97,"odd":0.0,"suite":null},"details":{"gmn":{"distance":0.11}},"error":null}"#
        );
    }

    /// What the metrics of a pair say, and what the pair is.
    #[test]
    fn a_pair_is_what_its_metrics_met() {
        use Status::{Contradicted, Ok, PredError, Timeout, Unsupported, Untested};
        for (of_metrics, of_pair) in [
            ([Ok, Ok, Ok], Ok),
            ([Untested, Ok, Ok], Ok),
            ([Ok, Unsupported, Untested], Ok),
            ([Untested, Unsupported, Untested], Untested),
            ([Unsupported, Timeout, Ok], Timeout),
            ([Untested, PredError, Timeout], PredError),
            ([Ok, PredError, Contradicted], Contradicted),
        ] {
            let mut record = Record::empty("1".into());
            let names = ["gmn", "proof", "suite"];
            for (name, status) in names.into_iter().zip(of_metrics) {
                if status != Ok {
                    record.spoil(name, status, format!("{name}: {status}"));
                }
            }
            record.settle(names.into_iter());
            assert_eq!(record.status, of_pair, "{of_metrics:?}");
            assert_eq!(record.error.is_none(), of_pair == Ok);
            for (name, status) in names.into_iter().zip(of_metrics) {
                assert_eq!(record.status_of(name), status);
                // One that is the record's own is not said twice.
                let own = record.detail(name, "error").and_then(Value::as_str);
                assert!(own.is_none() || own != record.error.as_deref());
            }
        }
    }

    #[test]
    fn every_status_is_listed_under_its_wire_name() {
        for status in Status::ALL {
            let wire = serde_json::to_string(&status).unwrap();
            assert_eq!(wire, format!("\"{}\"", status.name()));
        }
    }

    #[test]
    fn counts_read_as_a_sentence() {
        let mut counts = StatusCounts::default();
        assert_eq!(counts.to_string(), "ok 0");
        counts.add(Status::PredError);
        counts.add(Status::Ok);
        counts.add(Status::Ok);
        assert_eq!((counts.to_string().as_str(), counts.total()), ("ok 2, pred_error 1", 3));
    }
}
