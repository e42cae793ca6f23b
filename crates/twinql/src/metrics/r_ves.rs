//! BIRD's reward-based valid efficiency score.

use super::*;
use crate::families::files;

/// `r-ves`.
pub static R_VES: Metric = Metric {
    name: "r-ves",
    kind: ScoreKind::Continuous,
    threshold: 0.5,
    summary: "BIRD's reward-based valid efficiency score, cut at 1: VES in five classes (--db)",
    source: "BIRD Mini-Dev 2024",
    needs: &[Need::Databases],
    settings: &[Setting::Db, Setting::Cost],
    cost: Cost::High,
    score: Score::Measured(|m, runs| files::efficiency(m, runs, |e| e.r_ves())),
    signature: files::signature_with_cost,
    examples: [
        Example::new("SELECT name FROM owner", "SELECT DISTINCT name FROM owner", 0.8660254),
        Example::new(
            "SELECT name FROM owner WHERE age > 30",
            "SELECT name, age FROM owner WHERE age > 30",
            0.0,
        ),
    ],
    further: Further { preset: Some("bird"), ..Further::NONE },
};
