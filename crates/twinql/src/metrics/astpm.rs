//! Partial matching of two syntax trees by rules.

use twinql_gmn::GraphKind;

use super::*;
use crate::families::partial;

/// `astpm`.
pub static ASTPM: Metric = Metric {
    name: "astpm",
    kind: ScoreKind::Continuous,
    threshold: 1.0,
    summary: "RelPM on syntax trees: share of matching nodes, nothing resolved or planned",
    source: "Zhan et al. 2024, FuncEvalGMN, Appendix A and Table 1",
    needs: &[],
    settings: &[Setting::Matching],
    cost: Cost::Low,
    score: Score::Batch(|s, m, b, r| partial::score(GraphKind::Ast, s, m, b, r)),
    signature: partial::signature,
    examples: [
        Example::new("SELECT name FROM owner WHERE age > 30", "select name from owner where age > 30", 1.0),
        Example::new(
            "SELECT name FROM owner WHERE age > 30",
            "SELECT o.name FROM owner AS o WHERE 30 < o.age",
            0.80208333,
        ),
    ],
    further: Further::NONE,
};
