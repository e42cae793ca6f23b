//! CrystalBLEU of two queries' tokens: BLEU without the n-grams that most queries share (Eghbali & Pradel 2022).
//!
//! `SELECT … FROM` and `) FROM` stand in queries that have nothing else in common. The k most common n-grams of
//! a corpus, n = 1 … 4 counted together, are *trivially shared*: they count neither as common nor as missing.
//! What is left is [BLEU](super::bleu), with the lengths of the whole texts in its brevity penalty. Queries in
//! which nothing else is left score 1 if their tokens are the same, else 0.
//!
//! k is 500, the paper's value. The corpus is the bundled gold queries but for those over held-out databases,
//! or a file of one's own.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use crate::classic::bleu::{ORDERS, bleu, texts};
use crate::classic::tokens::{lexed, tokens};
use crate::classic::{Pair, Scored};

/// How many n-grams are trivially shared, by Eghbali & Pradel 2022.
pub const TRIVIAL: usize = 500;

/// Made by `cargo measure docs` from the bundled golds; an n-gram a line, its tokens separated by tabs.
const BUNDLED: &str = include_str!("trivial_ngrams.tsv");

/// CrystalBLEU with a list of n-grams, the bundled one where none is given.
pub fn crystal_bleu(pair: &Pair<'_>, trivial: Option<&TrivialNgrams>) -> Scored {
    static LIST: LazyLock<TrivialNgrams> = LazyLock::new(TrivialNgrams::bundled);
    let trivial = trivial.unwrap_or(&LIST);
    let (gold, pred) = (tokens(pair.schema, &pair.gold), tokens(pair.schema, &pair.pred));
    bleu(&texts(&gold), &texts(&pred), &|gram| !trivial.contains(gram)).into()
}

/// The n-grams that most queries of a corpus share.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TrivialNgrams {
    /// Joined by tabs, which no token has but a string; the most common first.
    list: Vec<String>,
    set: HashSet<String>,
}

impl TrivialNgrams {
    /// Those of the bundled gold queries.
    pub fn bundled() -> TrivialNgrams {
        TrivialNgrams::new(BUNDLED.lines().map(str::to_owned).collect())
    }

    /// The `k` most common n-grams of some queries, n = 1 … 4. Of equally common ones the first in the order
    /// of their texts. A text that is not made of tokens is left out.
    pub fn of_queries<'q>(queries: impl IntoIterator<Item = &'q str>, k: usize) -> TrivialNgrams {
        let mut counts: HashMap<String, usize> = HashMap::new();
        for tokens in queries.into_iter().filter_map(|sql| lexed(None, sql)) {
            let texts = texts(&tokens);
            for n in 1..=ORDERS {
                for gram in texts.windows(n) {
                    *counts.entry(gram.join("\t")).or_default() += 1;
                }
            }
        }
        let mut ranked: Vec<(Reverse<usize>, String)> =
            counts.into_iter().map(|(gram, count)| (Reverse(count), gram)).collect();
        ranked.sort_unstable();
        TrivialNgrams::new(ranked.into_iter().take(k).map(|(_, gram)| gram).collect())
    }

    fn new(list: Vec<String>) -> TrivialNgrams {
        let set = list.iter().cloned().collect();
        TrivialNgrams { list, set }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The n-grams, the most common first, a line each with tabs between the tokens.
    pub fn to_tsv(&self) -> String {
        self.list.iter().map(|gram| format!("{gram}\n")).collect()
    }

    fn contains(&self, gram: &[&str]) -> bool {
        self.set.contains(&gram.join("\t"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        // `a` 3 times, `b` twice, `a b` twice, all else once.
        let list = TrivialNgrams::of_queries(["a b", "a b", "a c"], 3);
        assert_eq!(list.to_tsv(), "a\na\tb\nb\n");
        assert_eq!(list.len(), 3);
        let of = |gold: &str, pred: &str| {
            let (gold, pred): (Vec<&str>, Vec<&str>) = (gold.split(' ').collect(), pred.split(' ').collect());
            bleu(&gold, &pred, &|gram| !list.contains(gram))
        };
        // Left are c, b c and a b c of the one, d, b d and a b d of the other: nothing in common.
        assert!((of("a b c", "a b d") - 0.1).abs() < 1e-12);
        // Left of the prediction are c twice, b c and c c, a b c and b c c, a b c c.
        let expected = (0.5f64 * 0.5 * 0.5 * 0.1).powf(0.25);
        assert!((of("a b c", "a b c c") - expected).abs() < 1e-12);
        // Nothing is left of either.
        assert_eq!(of("a b", "a b"), 1.0);
        assert_eq!(of("a b", "b"), 0.0);
    }
}
