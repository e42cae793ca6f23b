//! Common n-grams without those that most queries share.

use super::*;
use crate::signature::short_hash;

/// `crystalbleu`.
pub static CRYSTALBLEU: Metric = Metric {
    name: "crystalbleu",
    kind: ScoreKind::Continuous,
    threshold: 1.0,
    summary: "BLEU without the 500 n-grams that most queries share",
    source: "Eghbali & Pradel 2022",
    needs: &[],
    settings: &[Setting::CrystalbleuCorpus],
    cost: Cost::Low,
    score: Score::Pair(|setup, p| crystal_bleu(p, setup.trivial.as_ref())),
    signature: |setup| {
        let digits = |ngrams: &TrivialNgrams| short_hash(ngrams.to_tsv().as_bytes());
        setup.trivial.iter().map(|ngrams| format!("trivial:{}", digits(ngrams))).collect()
    },
    examples: [
        Example::new("SELECT name FROM owner", "select name from OWNER", 1.0),
        Example::new("SELECT COUNT(*) FROM owner", "SELECT COUNT(*) FROM pet", 0.1),
    ],
    further: Further::NONE,
};
