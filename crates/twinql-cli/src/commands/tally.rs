//! What metrics say of many pairs together: means, each with what it is over, and statuses.

use serde_json::{Map, Value, json};
use twinql::Engine;
use twinql::metrics::{Interactions, Metric, OfInteractions, Resampling};
use twinql::record::{Record, Status, StatusCounts};

/// What one metric says of all pairs.
#[derive(Debug, Default)]
pub(super) struct OfMetric {
    name: &'static str,
    sum: f64,
    /// Pairs that it has a score for.
    pub(super) scored: usize,
    pub(super) statuses: StatusCounts,
    /// The score from which on a turn of an interaction is right.
    threshold: f64,
    interactions: Interactions,
}

impl OfMetric {
    /// The mean over the pairs that have a score; none where no pair has one.
    pub(super) fn mean(&self) -> Option<f64> {
        (self.scored > 0).then(|| self.sum / self.scored as f64)
    }

    fn whole(&self) -> Option<OfInteractions> {
        self.interactions.clone().outcome(Resampling::default().level)
    }

    /// The least that the mean over all pairs can be: 0 for those without a score.
    pub(super) fn over_all(&self) -> f64 {
        self.sum / self.statuses.total().max(1) as f64
    }
}

/// What all metrics say of all pairs.
#[derive(Debug)]
pub(super) struct Tally {
    metrics: Vec<OfMetric>,
    /// Pairs that are well themselves, and of which a metric says nothing.
    pub(super) in_part: usize,
}

impl Tally {
    pub(super) fn new(engine: &Engine) -> Tally {
        let of = |m: &&'static Metric| OfMetric {
            name: m.name,
            threshold: engine.threshold(m),
            ..OfMetric::default()
        };
        Tally { metrics: engine.metrics().iter().map(of).collect(), in_part: 0 }
    }

    /// Takes in a record, of a turn of an interaction maybe.
    pub(super) fn add(&mut self, record: &Record, interaction: Option<usize>) {
        for of in &mut self.metrics {
            of.statuses.add(record.status_of(of.name));
            let score = record.score(of.name);
            if let Some(score) = score {
                of.sum += score;
                of.scored += 1;
            }
            if let Some(interaction) = interaction {
                of.interactions.add(interaction, score.is_some_and(|score| score >= of.threshold));
            }
        }
        let fails = |of: &OfMetric| record.status_of(of.name) != Status::Ok;
        self.in_part += usize::from(record.status == Status::Ok && self.metrics.iter().any(fails));
    }

    /// Something of each metric, by its name.
    pub(super) fn map(&self, of: impl Fn(&OfMetric) -> Value) -> Map<String, Value> {
        self.metrics.iter().map(|metric| (metric.name.to_owned(), of(metric))).collect()
    }

    /// Interactions by each metric; none where pairs are no turns.
    pub(super) fn interactions(&self) -> Option<Value> {
        let outcomes = self.metrics.iter().map(|of| Some((of.name.to_owned(), json!(of.whole()?))));
        outcomes.collect::<Option<Map<_, _>>>().filter(|of| !of.is_empty()).map(Value::Object)
    }

    /// The means, with what each is over, and the statuses of metrics that are not those of the pairs.
    pub(super) fn lines(&self, pairs: &StatusCounts) -> Vec<String> {
        let total = pairs.total();
        let (whole, part): (Vec<&OfMetric>, Vec<&OfMetric>) =
            self.metrics.iter().partition(|of| of.scored == total);
        let mut lines = Vec::new();
        let others = self.metrics.iter().filter(|of| of.statuses != *pairs);
        lines.extend(others.map(|of| format!("{}: {}", of.name, of.statuses)));
        if !whole.is_empty() {
            let means: Vec<String> =
                whole.iter().map(|of| format!("{} {:.4}", of.name, of.over_all())).collect();
            lines.push(format!("mean over all {total}: {}", means.join(", ")));
        }
        for of in part {
            let mean = of.mean().map_or_else(|| "none".to_owned(), |mean| format!("{mean:.4}"));
            lines.push(format!(
                "mean over the {} of {total} that {} has a score for: {mean} ({:.4} over all, with 0 for the others)",
                of.scored,
                of.name,
                of.over_all()
            ));
        }
        for of in &self.metrics {
            if let Some(whole) = of.whole() {
                let OfInteractions { interactions, accuracy, .. } = whole;
                lines.push(format!(
                    "{} calls every turn right in {accuracy:.4} of {interactions} interactions",
                    of.name
                ));
            }
        }
        lines
    }

    /// What `--fail-under` looks at: the mean of the first metric over all pairs, with 0 for those without a score.
    pub(super) fn checked(&self) -> (String, f64) {
        let Some(of) = self.metrics.first() else { return (String::new(), 0.0) };
        let all = of.statuses.total();
        let what = match all - of.scored {
            0 => format!("the mean of {}", of.name),
            n => format!("the mean of {}, with 0 for the {n} of {all} that have no score,", of.name),
        };
        (what, of.over_all())
    }
}
