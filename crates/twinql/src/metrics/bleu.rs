//! Common n-grams of the two texts.

use super::*;

/// `bleu`.
pub static BLEU: Metric = Metric {
    name: "bleu",
    kind: ScoreKind::Continuous,
    threshold: 1.0,
    summary: "BLEU of tokens, 1- to 4-grams, smoothed",
    source: "Papineni et al. 2002; Chen & Cherry 2014, smoothing method 1",
    needs: &[],
    settings: &[],
    cost: Cost::Low,
    score: Score::Pair(|_, p| bleu(p)),
    signature: nothing,
    examples: [
        Example::new("SELECT name FROM owner", "select name from OWNER", 1.0),
        Example::new(
            "SELECT name FROM owner WHERE age > 30",
            "SELECT name FROM owner WHERE age < 40",
            0.68037493,
        ),
    ],
    further: Further::NONE,
};
