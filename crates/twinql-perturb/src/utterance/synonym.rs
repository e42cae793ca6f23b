//! Words of aggregates in other words (MT-TEQL, 3.1.1, Table 3).

use std::sync::LazyLock;

use regex::Regex;

use super::{distinct, quoted};
use crate::relation::{Relation, Target};

/// Synonym substitution.
pub const SUBSTITUTION: Relation = Relation {
    name: "synonym-substitution",
    short: "SS",
    section: "3.1.1, synonym substitution",
    precondition: "the question has a phrase of Table 3, outside quotation marks",
    question: "one such phrase becomes another of its row",
    schema: "stays",
    gold: "stays",
    paper: 639,
    target: Target::Utterance(substitute),
};

/// A row of Table 3: phrases that say the same aggregate, with how many of Spider's 7,000 training questions hold
/// them.
#[derive(Debug, Clone, Copy)]
pub struct Group {
    /// The aggregate function in SQL.
    pub function: &'static str,
    /// The phrases.
    pub phrases: &'static [(&'static str, usize)],
    /// The row stands in the paper; the others are what training questions say besides.
    pub paper: bool,
}

/// The rows. `the amount of` says a count and a sum, as in the paper.
pub const GROUPS: &[Group] = &[
    Group {
        function: "MIN",
        phrases: &[("minimal", 0), ("minimum", 102), ("lowest", 59), ("smallest", 27)],
        paper: true,
    },
    Group {
        function: "MAX",
        phrases: &[("maximal", 0), ("maximum", 159), ("highest", 135), ("largest", 108)],
        paper: true,
    },
    Group {
        function: "COUNT",
        phrases: &[
            ("the number of", 550),
            ("the count of", 19),
            ("the amount of", 6),
            ("the total number of", 75),
            ("the total count of", 1),
            ("the total amount of", 18),
        ],
        paper: true,
    },
    Group {
        function: "SUM",
        phrases: &[
            ("the sum of", 7),
            ("the amount of", 6),
            ("the total sum of", 0),
            ("the total amount of", 18),
        ],
        paper: true,
    },
    Group { function: "AVG", phrases: &[("the mean of", 0), ("the average of", 2)], paper: true },
    Group { function: "AVG", phrases: &[("the average", 368), ("the mean", 3)], paper: false },
];

/// One pattern for each group: any of its phrases, the longest that fits.
static PATTERNS: LazyLock<Vec<Option<Regex>>> = LazyLock::new(|| {
    GROUPS
        .iter()
        .map(|group| {
            let mut phrases: Vec<String> =
                group.phrases.iter().map(|(p, _)| regex::escape(p).replace(' ', r"\s+")).collect();
            phrases.sort_by_key(|p| std::cmp::Reverse(p.len()));
            Regex::new(&format!(r"(?i)\b(?:{})\b", phrases.join("|"))).ok()
        })
        .collect()
});

/// `What is the minimum age?` ⇒ `What is the lowest age?`
fn substitute(question: &str) -> Vec<String> {
    let values = quoted(question);
    let mut made = Vec::new();
    for (group, pattern) in GROUPS.iter().zip(&*PATTERNS) {
        let Some(pattern) = pattern else { continue };
        for found in pattern.find_iter(question) {
            let (before, rest) = (&question[..found.start()], &question[found.end()..]);
            let value = values.iter().any(|v| v.start < found.end() && found.start() < v.end);
            if value || is_range(before) || is_range_ahead(rest) {
                continue;
            }
            for (phrase, _) in group.phrases {
                let phrase = like(found.as_str(), phrase);
                // `Count the count of` says it twice.
                let twice = phrase.contains("count") && last_word(before).eq_ignore_ascii_case("count");
                if !twice && !phrase.eq_ignore_ascii_case(found.as_str()) {
                    made.push(format!("{before}{phrase}{rest}"));
                }
            }
        }
    }
    distinct(question, made)
}

fn last_word(text: &str) -> &str {
    text.split_whitespace().next_back().unwrap_or_default()
}

/// `from lowest to highest` says an order, where `from minimal to highest` is no English.
fn is_range(before: &str) -> bool {
    let last = last_word(before);
    ["from", "to"].iter().any(|w| last.eq_ignore_ascii_case(w))
}

fn is_range_ahead(rest: &str) -> bool {
    rest.split_whitespace().next().is_some_and(|w| w.eq_ignore_ascii_case("to"))
}

/// A phrase with a capital where the one that it replaces has one.
fn like(old: &str, phrase: &str) -> String {
    let mut letters = phrase.chars();
    match letters.next() {
        Some(first) if old.starts_with(char::is_uppercase) => first.to_uppercase().chain(letters).collect(),
        _ => phrase.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn substituted() {
        assert_eq!(
            substitute("What is the minimum age?"),
            ["What is the minimal age?", "What is the lowest age?", "What is the smallest age?"]
        );
        assert_eq!(substitute("Find the mean of all ages.")[0], "Find the average of all ages.");
        // Once each: `the amount of` is a count and a sum.
        let made = substitute("Show the amount of sales.");
        assert_eq!(made.len(), 7, "{made:?}");
        assert!(
            made.contains(&"Show the number of sales.".into())
                && made.contains(&"Show the sum of sales.".into())
        );
        assert!(!substitute("Count the number of pets.").contains(&"Count the count of pets.".to_owned()));
        // Each place on its own.
        assert_eq!(substitute("The highest and the lowest?").len(), 6);
        assert_eq!(substitute("Highest grades?")[0], "Maximal grades?");
    }

    #[test]
    fn left_alone() {
        for question in [
            "How many singers?",
            "Who has the song 'the number of the beast'?",
            "List ages from lowest to highest.",
            "What does the meaning of it cost?",
            "",
            "Quel est le numéro ?",
        ] {
            assert_eq!(substitute(question), Vec::<String>::new(), "{question}");
        }
    }
}
