//! The same tokens.

use super::*;

/// `exact`.
pub static EXACT: Metric = Metric {
    name: "exact",
    kind: ScoreKind::Binary,
    threshold: 0.5,
    summary: "exact string match: the same tokens, the case of what is not quoted aside",
    source: "Finegan-Dollak et al. 2018; Yu et al. 2018",
    needs: &[],
    settings: &[],
    cost: Cost::Low,
    score: Score::Pair(|_, p| same_tokens(p.gold.sql, p.pred.sql).into()),
    signature: nothing,
    examples: [
        Example::new("SELECT name FROM owner", "select name\nfrom OWNER;", 1.0),
        Example::new("SELECT name FROM owner", "SELECT o.name FROM owner o", 0.0),
    ],
    further: Further::NONE,
};
