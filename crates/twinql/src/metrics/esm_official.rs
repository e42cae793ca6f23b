//! Spider's exact set match, as its script computes it.

use super::*;

/// `esm:official`.
pub static ESM_OFFICIAL: Metric = Metric {
    name: "esm:official",
    kind: ScoreKind::Binary,
    threshold: 0.5,
    summary: "Spider's exact set match as its script computes it, without values, oddities included",
    source: "Yu et al. 2018; the evaluation script of Zhong et al. 2020",
    needs: &[],
    settings: &[],
    cost: Cost::Low,
    score: Score::Texts(exact_set_match),
    signature: nothing,
    examples: [
        Example::new("SELECT name FROM owner WHERE age > 30", "SELECT name FROM owner WHERE age > 50", 1.0),
        Example::new("SELECT name FROM owner WHERE age > 30", "SELECT name FROM owner WHERE age < 30", 0.0),
    ],
    further: Further::NONE,
};
