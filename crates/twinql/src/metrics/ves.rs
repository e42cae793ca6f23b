//! BIRD's valid efficiency score.

use super::*;
use crate::families::files;

/// `ves`.
pub static VES: Metric = Metric {
    name: "ves",
    kind: ScoreKind::Continuous,
    threshold: 1e-5,
    summary: "BIRD's valid efficiency score, cut at 1: the root of the gold's cost by the prediction's, where that is right (--db)",
    source: "Li et al. 2023, BIRD",
    needs: &[Need::Databases],
    settings: &[Setting::Db, Setting::Cost],
    cost: Cost::High,
    score: Score::Measured(|m, runs| files::efficiency(m, runs, |e| e.ves())),
    signature: files::signature_with_cost,
    examples: [
        Example::new("SELECT name FROM owner", "SELECT DISTINCT name FROM owner", 0.82572282),
        Example::new(
            "SELECT name FROM owner WHERE age > 30",
            "SELECT name, age FROM owner WHERE age > 30",
            0.0,
        ),
    ],
    further: Further { preset: Some("bird"), ..Further::NONE },
};
