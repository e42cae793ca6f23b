//! The pairs on which the first metric and the labels are furthest apart.

use std::sync::Arc;

use twinql::record::Record;
use twinql::{Engine, Job, Schema, Work};
use twinql_report::Tone;

use crate::document::Telling;

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
    schema: Arc<Schema>,
    gold: String,
    pred: String,
    /// By metric.
    scores: Vec<Option<f64>>,
}

impl Extremes {
    /// Notes a pair, if it is among the furthest.
    pub(super) fn note(&mut self, engine: &Engine, job: &Job, record: &Record, id: &str, label: bool) {
        let Work::Pair { schema, gold, pred } = &job.work else { return };
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
            let pair = Extreme {
                distance,
                id: id.to_owned(),
                schema: Arc::clone(schema),
                gold: gold.clone(),
                pred: pred.clone(),
                scores,
            };
            kept.insert(place, pair);
            kept.truncate(KEPT);
        }
    }

    /// The pairs with what is to be said of them.
    pub(super) fn telling(self, engine: &Engine) -> Vec<Telling> {
        let Some(first) = engine.metrics().first() else { return Vec::new() };
        let kinds = [(true, self.missed), (false, self.alarms)];
        let tell = |label: bool, pair: Extreme| -> Telling {
            let (said, called) = match label {
                true => ("the same", "different"),
                false => ("different", "the same"),
            };
            let tone = |same: bool| if same { Tone::Same } else { Tone::Different };
            let mut badges = vec![("label".to_owned(), u8::from(label).to_string(), tone(label))];
            for (metric, score) in engine.metrics().iter().zip(&pair.scores) {
                let Some(score) = score else { continue };
                badges.push((
                    metric.name.to_owned(),
                    format!("{score:.3}"),
                    tone(*score >= engine.threshold(metric)),
                ));
            }
            Telling {
                title: format!("Pair {}, database {}", pair.id, pair.schema.db_id),
                schema: pair.schema,
                gold: pair.gold,
                pred: pair.pred,
                badges,
                reason: format!("The label says {said}; {} calls the queries {called}.", first.name),
            }
        };
        kinds.into_iter().flat_map(|(label, pairs)| pairs.into_iter().map(move |p| tell(label, p))).collect()
    }
}
