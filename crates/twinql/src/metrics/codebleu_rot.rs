//! Common n-grams, subtrees of the relational operator trees and data flow.

use super::*;

/// `codebleu-rot`.
pub static CODEBLEU_ROT: Metric = Metric {
    name: "codebleu-rot",
    kind: ScoreKind::Continuous,
    threshold: 1.0,
    summary: "CodeBLEU with subtrees of the relational operator trees",
    source: "Ren et al. 2020; Zhan et al. 2024, FuncEvalGMN, section 5.2",
    needs: &[],
    settings: &[],
    cost: Cost::Low,
    score: Score::Pair(|_, p| code_bleu(p, p.gold.rot, p.pred.rot)),
    signature: nothing,
    examples: [
        Example::new("SELECT name FROM owner", "select name from OWNER", 1.0),
        Example::new(
            "SELECT name FROM owner WHERE age > 30",
            "SELECT o.name FROM owner AS o WHERE 30 < o.age",
            0.68017625,
        ),
    ],
    further: Further::NONE,
};
