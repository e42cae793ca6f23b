//! Exact set match of all clauses, with values.

use super::*;

/// `esm:values`.
pub static ESM_VALUES: Metric = Metric {
    name: "esm:values",
    kind: ScoreKind::Binary,
    threshold: 0.5,
    summary: "the same with values",
    source: "Yu et al. 2018; Ascoli et al. 2024, Section 3",
    needs: &[],
    settings: &[],
    cost: Cost::Low,
    score: Score::Pair(|_, p| clauses_match(p.schema, p.gold.query, p.pred.query, true)),
    signature: nothing,
    examples: [
        Example::new("SELECT name, age FROM owner", "SELECT age, name FROM owner", 1.0),
        Example::new("SELECT name FROM owner WHERE age > 30", "SELECT name FROM owner WHERE age > 50", 0.0),
    ],
    further: Further::NONE,
};
