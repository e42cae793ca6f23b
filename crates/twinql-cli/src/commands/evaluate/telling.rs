//! The pairs on which the first metric and the labels are furthest apart.

use twinql::record::Record;
use twinql::{Engine, Job, Work};
use twinql_report::Tone;

use crate::document::{Telling, badge};

/// Pairs that are kept of either kind.
const KEPT: usize = 6;

/// The pairs with the lowest scores among label 1, and with the highest among label 0. The first of equal
/// ones stay, so that the choice does not depend on threads.
#[derive(Default)]
pub(super) struct Extremes {
    /// From the furthest from its label.
    missed: Vec<Extreme>,
    alarms: Vec<Extreme>,
}

struct Extreme {
    /// How far the score is from the label.
    distance: f64,
    id: String,
    job: Job,
    /// By metric.
    scores: Vec<Option<f64>>,
}

impl Extremes {
    /// Notes a pair, if it is among the furthest.
    pub(super) fn note(&mut self, engine: &Engine, job: &Job, record: &Record, id: &str, label: bool) {
        if matches!(job.work, Work::Unusable { .. }) {
            return;
        }
        let scores: Vec<Option<f64>> = engine.metrics().iter().map(|m| record.score(m.name)).collect();
        let (Some(metric), Some(Some(score))) = (engine.metrics().first(), scores.first()) else { return };
        // Right at the threshold is no disagreement, however far from 0 or 1.
        if (*score >= engine.threshold(metric)) == label {
            return;
        }
        let distance = if label { 1.0 - score } else { *score };
        let kept = if label { &mut self.missed } else { &mut self.alarms };
        let place = kept.partition_point(|other| other.distance >= distance);
        if place < KEPT {
            kept.insert(place, Extreme { distance, id: id.to_owned(), job: job.clone(), scores });
            kept.truncate(KEPT);
        }
    }

    /// The pairs with what is to be said of them.
    pub(super) fn telling(self, engine: &Engine) -> Vec<Telling> {
        let Some(first) = engine.metrics().first() else { return Vec::new() };
        let kinds = [(true, self.missed), (false, self.alarms)];
        let tell = |label: bool, pair: Extreme| -> Option<Telling> {
            let Work::Pair { schema, .. } = &pair.job.work else { return None };
            let (said, called) = match label {
                true => ("the same", "different"),
                false => ("different", "the same"),
            };
            let tone = if label { Tone::Same } else { Tone::Different };
            let mut badges = vec![("label".to_owned(), u8::from(label).to_string(), tone)];
            let scores = engine.metrics().iter().zip(&pair.scores);
            badges.extend(scores.filter_map(|(m, score)| badge(m.name, *score, engine.threshold(m))));
            let title = format!("Pair {}, database {}", pair.id, schema.db_id);
            let reason = format!("The label says {said}; {} calls the queries {called}.", first.name);
            Telling::of(&pair.job, title, badges, reason)
        };
        let kinds = kinds.into_iter();
        kinds.flat_map(|(label, pairs)| pairs.into_iter().filter_map(move |p| tell(label, p))).collect()
    }
}
