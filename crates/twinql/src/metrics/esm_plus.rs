//! Exact set match up to equivalences that hold.

use super::*;

/// `esm+`.
pub static ESM_PLUS: Metric = Metric {
    name: "esm+",
    kind: ScoreKind::Binary,
    threshold: 0.5,
    summary: "ESM+: exact set match with values, up to twenty equivalences under assumptions that the schema confirms",
    source: "Ascoli et al. 2024, Table 1 and Appendix A.1, with unsound cases left out",
    needs: &[],
    settings: &[Setting::WithoutRules],
    cost: Cost::Low,
    score: Score::Pair(|setup, p| esm_plus(p.schema, p.gold.query, p.pred.query, &setup.without_rules)),
    signature: |setup| setup.without_rules.names().map(|name| format!("without:{name}")).collect(),
    examples: [
        Example::new("SELECT COUNT(*) FROM owner", "SELECT COUNT(id) FROM owner", 1.0),
        Example::new("SELECT name FROM owner WHERE age > 30", "SELECT name FROM owner WHERE age > 50", 0.0),
    ],
    further: Further::NONE,
};
