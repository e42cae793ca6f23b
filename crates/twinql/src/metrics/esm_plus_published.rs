//! ESM+ as its script computes it.

use super::*;

/// `esm+:published`.
pub static ESM_PLUS_PUBLISHED: Metric = Metric {
    name: "esm+:published",
    kind: ScoreKind::Binary,
    threshold: 0.5,
    summary: "ESM+ as its script computes it, false matches included",
    source: "Ascoli et al. 2024, the released script",
    needs: &[],
    settings: &[],
    cost: Cost::Low,
    score: Score::Pair(|_, p| esm_plus_published(p.schema, p.gold.sql, p.pred.sql)),
    signature: nothing,
    examples: [
        Example::new("SELECT name, age FROM owner", "SELECT age, name FROM owner", 1.0),
        Example::new("SELECT name FROM owner WHERE age > 30", "SELECT name FROM owner WHERE age > 50", 0.0),
    ],
    further: Further::NONE,
};
