//! Exact set match of all clauses, without values.

use super::*;

/// `esm`.
pub static ESM: Metric = Metric {
    name: "esm",
    kind: ScoreKind::Binary,
    threshold: 0.5,
    summary: "exact set match of all clauses, conditions of joins, DISTINCT and LIMIT included; values not compared",
    source: "Yu et al. 2018, with the gaps closed that Ascoli et al. 2024, Section 3, list",
    needs: &[],
    settings: &[],
    cost: Cost::Low,
    score: Score::Pair(|_, p| clauses_match(p.schema, p.gold.query, p.pred.query, false)),
    signature: nothing,
    examples: [
        Example::new("SELECT name FROM owner WHERE age > 30", "SELECT name FROM owner WHERE age > 50", 1.0),
        Example::new(
            "SELECT name FROM owner WHERE age > 30",
            "SELECT DISTINCT name FROM owner WHERE age > 30",
            0.0,
        ),
    ],
    further: Further::NONE,
};
