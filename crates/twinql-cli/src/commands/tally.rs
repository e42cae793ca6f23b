//! What metrics say of many pairs together: means, each with what it is over, and statuses.

use serde_json::{Map, Value};
use twinql::Engine;
use twinql::record::{Record, Status, StatusCounts};

/// What one metric says of all pairs.
#[derive(Debug, Default)]
pub(super) struct OfMetric {
    name: &'static str,
    sum: f64,
    /// Pairs that it has a score for.
    pub(super) scored: usize,
    pub(super) statuses: StatusCounts,
}

impl OfMetric {
    /// The mean over the pairs that have a score; none where no pair has one.
    pub(super) fn mean(&self) -> Option<f64> {
        (self.scored > 0).then(|| self.sum / self.scored as f64)
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
        let of = |name| OfMetric { name, ..OfMetric::default() };
        Tally { metrics: engine.metrics().iter().map(|m| of(m.name)).collect(), in_part: 0 }
    }

    /// Takes in a record.
    pub(super) fn add(&mut self, record: &Record) {
        for of in &mut self.metrics {
            of.statuses.add(record.status_of(of.name));
            if let Some(score) = record.score(of.name) {
                of.sum += score;
                of.scored += 1;
            }
        }
        let fails = |of: &OfMetric| record.status_of(of.name) != Status::Ok;
        self.in_part += usize::from(record.status == Status::Ok && self.metrics.iter().any(fails));
    }

    /// Something of each metric, by its name.
    pub(super) fn map(&self, of: impl Fn(&OfMetric) -> Value) -> Map<String, Value> {
        self.metrics.iter().map(|metric| (metric.name.to_owned(), of(metric))).collect()
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
