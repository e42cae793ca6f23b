//! What metrics say of a pair before its schema changes and after it, where the change keeps the label.

use std::sync::Arc;

use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;
use twinql::corpus::schemas::{Change, Given, Label, all, apply};
use twinql::{Engine, Job, Schema, Work};

/// A pair over its schema.
pub struct Pair {
    pub schema: Arc<Schema>,
    pub gold: String,
    pub pred: String,
}

/// The schema changes that keep labels (MT-TEQL, 3.1.2).
pub fn keeping() -> impl Iterator<Item = &'static Change> {
    all().filter(|change| change.label == Label::Kept)
}

/// What a change did to the scores of a metric.
#[derive(Debug, Clone, Default)]
pub struct Steadiness {
    /// Pairs that changed, each as often as it was drawn.
    pub pairs: usize,
    /// Those whose score is another, be it by its last bit.
    pub moved: usize,
    /// Those on which the metric decides differently at its threshold.
    pub flipped: usize,
    /// The sum of the absolute differences.
    pub sum: f64,
    /// Which pairs flipped, with both scores.
    pub examples: Vec<String>,
}

impl Steadiness {
    /// The mean absolute difference of scores.
    pub fn mean(&self) -> f64 {
        self.sum / self.pairs.max(1) as f64
    }
}

/// Scores all pairs before and after `draws` applications of a change: what became of each metric, in the engine's order.
/// Pairs to which the change does not apply, and pairs of which a metric says nothing, are left out.
pub fn measure(engine: &Engine, pairs: &[Pair], change: &Change, draws: u64) -> Vec<Steadiness> {
    let (mut before, mut after) = (Vec::new(), Vec::new());
    let job = |schema: &Arc<Schema>, gold: &str, pred: &str| {
        Job::new(
            0.into(),
            Work::Pair { schema: Arc::clone(schema), gold: gold.to_owned(), pred: pred.to_owned() },
        )
    };
    for (number, pair) in pairs.iter().enumerate() {
        let Some(given) = Given::new(&pair.schema, &pair.gold, &pair.pred) else { continue };
        for draw in 0..draws {
            let mut rng = ChaCha8Rng::seed_from_u64(number as u64 * draws + draw);
            let Some(new) = apply(change, &given, &mut rng) else { continue };
            let (schema, gold, pred) = new.parts();
            before.push(job(&pair.schema, &pair.gold, &pair.pred));
            after.push(job(&Arc::new(schema.clone()), &gold, &pred));
        }
    }
    let (old, new) = (engine.score(&before), engine.score(&after));
    let of = |metric: &&'static twinql::Metric| {
        let mut found = Steadiness::default();
        for ((old, new), job) in old.iter().zip(&new).zip(&after) {
            let (Some(a), Some(b)) = (old.score(metric.name), new.score(metric.name)) else { continue };
            let threshold = engine.threshold(metric);
            found.pairs += 1;
            found.moved += usize::from(a.to_bits() != b.to_bits());
            found.sum += (a - b).abs();
            if (a >= threshold) != (b >= threshold) {
                found.flipped += 1;
                if let Work::Pair { gold, pred, .. } = &job.work {
                    found.examples.push(format!("{a:.3} → {b:.3}: {gold} | {pred}"));
                }
            }
        }
        found
    };
    engine.metrics().iter().map(of).collect()
}
