//! BLEU of two queries' tokens (Papineni et al. 2002).
//!
//! ```text
//! BLEU = BP · exp(Σₙ wₙ ln pₙ), n = 1 … 4
//! pₙ = Σ min(count in prediction, count in gold) / Σ count in prediction, over the n-grams of the prediction
//! BP = 1 if the prediction has as many tokens as the gold or more, else exp(1 − gold's / prediction's)
//! ```
//!
//! The weights of the orders that either text has n-grams of are equal. A single sentence often has no 4-gram
//! in common with another, so a count of 0 is taken for ε = 0.1 (smoothing method 1 of Chen & Cherry 2014, with
//! the ε of NLTK). The same tokens score 1, and no tokens against some score 0.

use std::collections::HashMap;

use crate::classic::tokens::{Token, tokens};
use crate::classic::{Pair, Scored};

/// The longest n-grams that are counted.
pub(super) const ORDERS: usize = 4;

/// What stands for no common n-gram.
const EPSILON: f64 = 0.1;

/// BLEU.
pub fn score(pair: &Pair<'_>) -> Scored {
    let (gold, pred) = (tokens(pair.schema, &pair.gold), tokens(pair.schema, &pair.pred));
    bleu(&texts(&gold), &texts(&pred), &|_| true).into()
}

/// The texts of tokens.
pub(super) fn texts(tokens: &[Token]) -> Vec<&str> {
    tokens.iter().map(|t| t.text.as_str()).collect()
}

/// BLEU over the n-grams that are `counted`; 1 for the same tokens, whatever is counted.
pub(super) fn bleu(gold: &[&str], pred: &[&str], counted: &dyn Fn(&[&str]) -> bool) -> f64 {
    if gold == pred {
        return 1.0;
    }
    if pred.is_empty() {
        return 0.0;
    }
    let (mut logs, mut orders) = (0.0, 0usize);
    for n in 1..=ORDERS {
        let (expected, found) = (ngrams(gold, n, counted), ngrams(pred, n, counted));
        if expected.is_empty() && found.is_empty() {
            continue;
        }
        orders += 1;
        let common: usize = found.iter().map(|(gram, n)| *n.min(expected.get(gram).unwrap_or(&0))).sum();
        let total: usize = found.values().sum();
        let common = if common == 0 { EPSILON } else { common as f64 };
        logs += (common / total.max(1) as f64).ln();
    }
    // Nothing is counted that could tell the two apart, and they are not the same.
    if orders == 0 {
        return 0.0;
    }
    brevity(gold.len(), pred.len()) * (logs / orders as f64).exp()
}

/// The penalty of a prediction that is shorter than the gold; it has a token at least.
pub(super) fn brevity(gold: usize, pred: usize) -> f64 {
    if pred >= gold { 1.0 } else { (1.0 - gold as f64 / pred as f64).exp() }
}

/// How often each n-gram stands in a text.
fn ngrams<'t, 's>(
    tokens: &'t [&'s str],
    n: usize,
    counted: &dyn Fn(&[&str]) -> bool,
) -> HashMap<&'t [&'s str], usize> {
    let mut counts = HashMap::new();
    for gram in tokens.windows(n).filter(|gram| counted(gram)) {
        *counts.entry(gram).or_default() += 1;
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(gold: &str, pred: &str) -> f64 {
        let (gold, pred): (Vec<&str>, Vec<&str>) =
            (gold.split_whitespace().collect(), pred.split_whitespace().collect());
        bleu(&gold, &pred, &|_| true)
    }

    #[test]
    fn by_hand() {
        // 1-grams 3/4, 2-grams 2/3, 3-grams 1/2, 4-grams 0.1/1.
        let expected = (0.75f64 * 2.0 / 3.0 * 0.5 * 0.1).powf(0.25);
        assert!((of("select a from t", "select a from u") - expected).abs() < 1e-12);
        // A repeated word is found once: 1-grams 1/2; the 2-gram of the prediction is not in the gold.
        let expected = (0.5f64 * 0.1).sqrt();
        assert!((of("a b", "a a") - expected).abs() < 1e-12);
        // All of a shorter prediction is found, the 3-gram of the gold is not there.
        let expected = (1.0f64 * 1.0 * 0.1).powf(1.0 / 3.0) * (1.0f64 - 1.5).exp();
        assert!((of("a b c", "a b") - expected).abs() < 1e-12);
    }

    #[test]
    fn one_token_and_none() {
        assert_eq!(of("a", "a"), 1.0);
        assert_eq!(of("", ""), 1.0);
        assert_eq!(of("a", ""), 0.0);
        assert!((of("a", "b") - 0.1).abs() < 1e-12);
        // Nothing to be found: 1-gram 0.1/1.
        assert!((of("", "a") - 0.1).abs() < 1e-12);
    }

    fn text() -> impl Strategy<Value = String> {
        "([abc] ){0,9}"
    }

    proptest! {
        #[test]
        fn within_bounds_and_one_for_the_same(a in text(), b in text()) {
            prop_assert_eq!(of(&a, &a), 1.0);
            prop_assert!((0.0..=1.0).contains(&of(&a, &b)));
        }

        /// Without a difference in length, precision is recall.
        #[test]
        fn symmetric_for_equal_lengths(pairs in prop::collection::vec(("[abc]", "[abc]"), 0..9)) {
            let (a, b): (Vec<String>, Vec<String>) = pairs.into_iter().unzip();
            let (a, b) = (a.join(" "), b.join(" "));
            prop_assert!((of(&a, &b) - of(&b, &a)).abs() < 1e-12);
        }
    }
}
