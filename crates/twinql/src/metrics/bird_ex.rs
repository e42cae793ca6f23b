//! BIRD's execution accuracy.

use super::*;
use crate::families::files;

/// `bird-ex`.
pub static BIRD_EX: Metric = Metric {
    name: "bird-ex",
    kind: ScoreKind::Binary,
    threshold: 0.5,
    summary: "BIRD's execution accuracy: the same set of rows, columns as given (--db)",
    source: "Li et al. 2023, BIRD",
    needs: &[Need::Databases],
    settings: &[Setting::Db],
    cost: Cost::High,
    score: Score::Measured(|m, _| m.same.into()),
    signature: files::signature,
    examples: [
        Example::new("SELECT name FROM owner", "SELECT DISTINCT name FROM owner", 1.0),
        Example::new(
            "SELECT name FROM owner WHERE age > 30",
            "SELECT name, age FROM owner WHERE age > 30",
            0.0,
        ),
    ],
    further: Further { preset: Some("bird"), ..Further::NONE },
};
