//! Common n-grams, subtrees of the syntax trees and data flow.

use super::*;

/// `codebleu`.
pub static CODEBLEU: Metric = Metric {
    name: "codebleu",
    kind: ScoreKind::Continuous,
    threshold: 1.0,
    summary: "CodeBLEU: mean of BLEU, keyword-weighted BLEU, common subtrees of the syntax trees, common data flow",
    source: "Ren et al. 2020",
    needs: &[],
    settings: &[],
    cost: Cost::Low,
    score: Score::Pair(|_, p| code_bleu(p, p.gold.tree, p.pred.tree)),
    signature: nothing,
    examples: [
        Example::new("SELECT name FROM owner", "select name from OWNER", 1.0),
        Example::new(
            "SELECT name FROM owner WHERE age > 30",
            "SELECT name FROM owner WHERE age < 30",
            0.6642767,
        ),
    ],
    further: Further::NONE,
};
