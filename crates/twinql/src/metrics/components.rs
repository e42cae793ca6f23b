//! Mean F1 over components.

use super::*;

/// `components`.
pub static COMPONENTS: Metric = Metric {
    name: "components",
    kind: ScoreKind::Continuous,
    threshold: 1.0,
    summary: "partial component matching: the mean F1 over the components that either query has",
    source: "Yu et al. 2018, component matching; Hazoom et al. 2021, its average",
    needs: &[],
    settings: &[],
    cost: Cost::Low,
    score: Score::Pair(|_, p| components(p)),
    signature: nothing,
    examples: [
        Example::new("SELECT name FROM owner WHERE age > 30", "SELECT name FROM owner WHERE age > 50", 1.0),
        Example::new("SELECT name FROM owner WHERE age > 30", "SELECT name FROM owner WHERE id > 30", 0.6),
    ],
    further: Further::NONE,
};
