//! How well metrics agree with labels, as `twinql evaluate` says.

use pyo3::prelude::*;
use serde_json::{Value as Json, json};
use twinql::Engine;
use twinql::evaluation::{Labelled, Subject};
use twinql::metrics::Resampling;
use twinql::record::Record;

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

/// The pairs with a label, and how many have none.
pub(crate) struct Seen {
    pairs: Labelled,
    unlabelled: usize,
}

impl Seen {
    /// For the engine's metrics.
    pub(crate) fn new(engine: &Engine) -> Seen {
        Seen { pairs: Labelled::new(engine, 0), unlabelled: 0 }
    }

    /// Adds a pair; one without a label is only counted.
    pub(crate) fn add(&mut self, engine: &Engine, record: &Record, label: Option<bool>) {
        match label {
            Some(label) => self.pairs.add(engine, record, &[], label),
            None => self.unlabelled += 1,
        }
    }

    /// The report.
    ///
    /// # Errors
    /// No pair has a label.
    pub(crate) fn report(&self, engine: &Engine, how: &Resampling) -> Result<Json, String> {
        let pairs = &self.pairs;
        if pairs.labels.is_empty() {
            return Err(format!(
                "none of the {} pairs has a label; give `label` 0 or 1 in each",
                self.unlabelled
            ));
        }
        let subjects: Vec<Subject> = engine.metrics().iter().map(|m| Subject::of(engine, m)).collect();
        Ok(json!({
            "pairs": pairs.labels.len(),
            "unlabelled": self.unlabelled,
            "status": pairs.counts,
            "metrics": pairs.reports(engine, &subjects, &pairs.everything(), how),
        }))
    }
}
