//! BIRD's soft F1, as published.

use super::*;
use crate::families::files;

/// `soft-f1`.
pub static SOFT_F1: Metric = Metric {
    name: "soft-f1",
    kind: ScoreKind::Continuous,
    threshold: 1.0,
    summary: "BIRD's soft F1, as published: cells of the gold's answer that the prediction's answer holds (--db)",
    source: "BIRD Mini-Dev 2024",
    needs: &[Need::Databases],
    settings: &[Setting::Db],
    cost: Cost::High,
    score: Score::Measured(|m, _| m.soft_f1.into()),
    signature: files::signature,
    examples: [
        Example::new(
            "SELECT name FROM owner WHERE age > 30",
            "SELECT name, name FROM owner WHERE age > 30",
            1.0,
        ),
        Example::new(
            "SELECT name FROM owner WHERE age > 30",
            "SELECT name, age FROM owner WHERE age > 30",
            0.5,
        ),
    ],
    further: Further { preset: Some("bird"), ..Further::NONE },
};
