//! Partial matching of two operator trees by rules.

use twinql_gmn::GraphKind;

use super::*;
use crate::families::partial;

/// `relpm`.
pub static RELPM: Metric = Metric {
    name: "relpm",
    kind: ScoreKind::Continuous,
    threshold: 1.0,
    summary: "RelPM: share of matching nodes of the two relational operator trees",
    source: "Zhan et al. 2024, FuncEvalGMN, Appendix A",
    needs: &[],
    settings: &[Setting::Matching],
    cost: Cost::Low,
    score: Score::Batch(|s, m, b, r| partial::score(GraphKind::Plan, s, m, b, r)),
    signature: partial::signature,
    examples: [
        Example::new(
            "SELECT name FROM owner WHERE age > 30",
            "SELECT o.name FROM owner AS o WHERE 30 < o.age",
            1.0,
        ),
        Example::new(
            "SELECT name FROM owner WHERE age > 30",
            "SELECT name FROM owner WHERE age > 50",
            0.97916667,
        ),
    ],
    further: Further::NONE,
};
