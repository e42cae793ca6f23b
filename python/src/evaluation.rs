//! How well metrics agree with labels, as `twinql evaluate` says.

use pyo3::prelude::*;
use serde_json::{Value as Json, json};
use twinql::Engine;
use twinql::evaluation::{Abstention, MetricReport, Subject, measure};
use twinql::metrics::Resampling;
use twinql::model::Decision;
use twinql::record::{Record, StatusCounts};

use crate::errors::ArgumentError;

/// Resamples beyond which nothing is gained and much is waited.
const MOST_RESAMPLES: usize = 1_000_000;

/// Refuses settings of a bootstrap that mean nothing.
pub(crate) fn check(how: &Resampling) -> PyResult<()> {
    if !(how.level > 0.0 && how.level < 1.0) {
        return Err(ArgumentError::new_err(format!("level={}: must lie between 0 and 1", how.level)));
    }
    if !(1..=MOST_RESAMPLES).contains(&how.resamples) {
        return Err(ArgumentError::new_err(format!(
            "resamples={}: must be from 1 to {MOST_RESAMPLES}",
            how.resamples
        )));
    }
    Ok(())
}

/// What is kept of each labelled pair: numbers, no texts.
pub(crate) struct Seen {
    /// By metric.
    scores: Vec<Vec<Option<f64>>>,
    /// By metric; of one without a band there are none.
    decisions: Vec<Vec<Decision>>,
    labels: Vec<bool>,
    counts: StatusCounts,
    unlabelled: usize,
}

impl Seen {
    /// Of so many metrics.
    pub(crate) fn new(metrics: usize) -> Seen {
        Seen {
            scores: vec![Vec::new(); metrics],
            decisions: vec![Vec::new(); metrics],
            labels: Vec::new(),
            counts: StatusCounts::default(),
            unlabelled: 0,
        }
    }

    /// Adds a pair; one without a label is only counted.
    pub(crate) fn add(&mut self, engine: &Engine, record: &Record, label: Option<bool>) {
        let Some(label) = label else {
            self.unlabelled += 1;
            return;
        };
        self.labels.push(label);
        self.counts.add(record.status);
        for ((metric, scores), decisions) in
            engine.metrics().iter().zip(&mut self.scores).zip(&mut self.decisions)
        {
            scores.push(record.score(metric.name));
            decisions.extend(engine.decide(metric, record));
        }
    }

    /// The report.
    ///
    /// # Errors
    /// No pair has a label.
    pub(crate) fn report(&self, engine: &Engine, how: &Resampling) -> Result<Json, String> {
        if self.labels.is_empty() {
            return Err(format!(
                "none of the {} pairs has a label; give `label` 0 or 1 in each",
                self.unlabelled
            ));
        }
        let reports: Vec<MetricReport> = engine
            .metrics()
            .iter()
            .zip(&self.scores)
            .zip(&self.decisions)
            .map(|((metric, scores), decisions)| {
                let scored = scores.iter().zip(&self.labels).filter_map(|(s, l)| Some(((*s)?, *l)));
                let (scores, labels): (Vec<f64>, Vec<bool>) = scored.unzip();
                let all = self.labels.len();
                let decided = decisions.len() == all;
                MetricReport {
                    abstention: engine
                        .band(metric)
                        .filter(|_| decided)
                        .map(|band| Abstention::of(&band, decisions, &self.labels)),
                    unscored: all - scores.len(),
                    coverage: scores.len() as f64 / all as f64,
                    ..measure(&Subject::of(engine, metric), &scores, &labels, how)
                }
            })
            .collect();
        Ok(json!({
            "pairs": self.labels.len(),
            "unlabelled": self.unlabelled,
            "status": self.counts,
            "metrics": reports,
        }))
    }
}
