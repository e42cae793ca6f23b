//! Queries as readers see them: coloured, laid out, and compared token by token.
//!
//! Nothing here understands SQL. A prediction may be no SQL at all, and is shown all the same.

mod diff;
mod layout;
mod tokens;

pub(crate) use diff::{Differences, differing};
pub(crate) use layout::laid_out;
pub(crate) use tokens::{Kind, Token, tokens};

use crate::safe::{LONGEST_SQL, clipped};

/// A pair of queries, bounded, in tokens, with the differing ones marked.
pub(crate) struct Compared<'a> {
    pub(crate) gold: Side<'a>,
    pub(crate) pred: Side<'a>,
}

/// One query of a pair.
pub(crate) struct Side<'a> {
    /// The tokens, with spaces.
    pub(crate) tokens: Vec<Token<'a>>,
    /// For each token whether the other query has none that corresponds.
    pub(crate) differs: Vec<bool>,
    /// Characters that are not shown.
    pub(crate) cut: usize,
}

impl<'a> Compared<'a> {
    /// Both queries, compared as far as they are shown.
    pub(crate) fn new(gold: &'a str, pred: &'a str) -> Compared<'a> {
        let (gold, gold_cut) = clipped(gold.trim(), LONGEST_SQL);
        let (pred, pred_cut) = clipped(pred.trim(), LONGEST_SQL);
        let (gold, pred) = (tokens(gold), tokens(pred));
        let Differences { left, right } = differing(&gold, &pred);
        Compared {
            gold: Side { tokens: gold, differs: left, cut: gold_cut },
            pred: Side { tokens: pred, differs: right, cut: pred_cut },
        }
    }
}

impl Side<'_> {
    /// The query as far as it is shown, laid out, with acting characters by their names.
    pub(crate) fn shown(&self) -> String {
        crate::safe::visible(&layout::text(&self.tokens))
    }

    /// Runs of differing tokens, in order, each as it stands in the query.
    pub(crate) fn differing_runs(&self) -> Vec<String> {
        let mut runs: Vec<String> = Vec::new();
        let mut gap: Option<String> = None;
        for (token, differs) in self.tokens.iter().zip(&self.differs) {
            if token.kind == Kind::Space {
                if let Some(gap) = &mut gap {
                    gap.push(' ');
                }
            } else if *differs {
                match (runs.last_mut(), gap.take()) {
                    (Some(run), Some(gap)) => {
                        run.push_str(&gap);
                        run.push_str(token.text);
                    }
                    _ => runs.push(token.text.to_owned()),
                }
                gap = Some(String::new());
            } else {
                gap = None;
            }
        }
        runs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_of_differences_read_as_written() {
        let compared = Compared::new(
            "SELECT name FROM singer WHERE age > 20 AND age < 30",
            "SELECT T1.name FROM singer AS T1 WHERE age >= 20",
        );
        assert_eq!(compared.gold.differing_runs(), [">", "AND age < 30"]);
        assert_eq!(compared.pred.differing_runs(), ["T1.", "AS T1", ">="]);
    }

    #[test]
    fn a_megabyte_is_compared_as_far_as_it_is_shown() {
        let long = "a ".repeat(500_000);
        let compared = Compared::new(&long, "SELECT 1");
        assert_eq!(compared.gold.cut, 999_999 - LONGEST_SQL);
        assert!(compared.gold.tokens.len() <= LONGEST_SQL);
    }
}
