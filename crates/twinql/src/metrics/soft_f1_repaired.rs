//! BIRD's soft F1 without its faults.

use super::*;
use crate::families::files;

/// `soft-f1:repaired`.
pub static SOFT_F1_REPAIRED: Metric = Metric {
    name: "soft-f1:repaired",
    kind: ScoreKind::Continuous,
    threshold: 1.0,
    summary: "soft F1 that a repeated column does not raise, and in which rows may stand in any order (--db)",
    source: "BIRD Mini-Dev 2024; the repairs are twinql's own",
    needs: &[Need::Databases],
    settings: &[Setting::Db],
    cost: Cost::High,
    score: Score::Measured(|m, _| m.soft_f1_repaired.into()),
    signature: files::signature,
    examples: [
        Example::new(
            "SELECT name FROM owner WHERE age > 30",
            "SELECT name FROM owner WHERE age > 30 ORDER BY age DESC",
            1.0,
        ),
        Example::new(
            "SELECT name FROM owner WHERE age > 30",
            "SELECT name, name FROM owner WHERE age > 30",
            0.66666667,
        ),
    ],
    further: Further { preset: Some("bird"), ..Further::NONE },
};
