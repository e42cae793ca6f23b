//! What a gold answers, in words and in another query.

use twinql_sql::Dialect;

/// A gold's question, and what the benchmark says besides of how to answer it. What is not known is empty.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Asked<'a> {
    /// The question.
    pub question: &'a str,
    /// Which columns and values the question's words mean: BIRD's evidence.
    pub evidence: &'a str,
    /// Another gold of the same question, and whose SQL it is.
    pub other: Option<(&'a str, Dialect)>,
}

impl<'a> Asked<'a> {
    /// A query and what it answers, from an example of a check: the question, the evidence and another gold in
    /// PostgreSQL's SQL stand behind tabs.
    pub fn of_example(example: &'a str) -> (&'a str, Asked<'a>) {
        let mut parts = example.split('\t');
        let mut next = || parts.next().unwrap_or_default();
        let (sql, question, evidence) = (next(), next(), next());
        (sql, Asked { question, evidence, other: parts.next().map(|other| (other, Dialect::Postgres)) })
    }
}

/// The words of a text, in small letters.
pub(crate) fn words(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}

/// Whether two words begin alike, as those of one stem do: `customers` and `customer`, `taller` and `tallest`.
pub(crate) fn akin(a: &str, b: &str) -> bool {
    let stem = |word: &str| word.chars().take(4).collect::<String>();
    a == b || (a.chars().count() > 2 && stem(a) == stem(b))
}
