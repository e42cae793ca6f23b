//! What a dialect is, in words for people: the page of dialects is written from it.

use super::Dialect;
use super::aggregates::Aggregate;
use super::functions::To;
use super::profile::{Division, NullOrder, Whole, WithNull};

/// A dialect in words.
#[derive(Debug, Clone)]
pub struct Described {
    /// Other names that the command line takes.
    pub also: &'static [&'static str],
    /// What some questions are answered with, in the order of [`QUESTIONS`].
    pub answers: Vec<String>,
    /// Its own functions, and the function of SQLite or the sandbox that each is where there is one; none for those that
    /// share the oldest table.
    pub functions: Vec<(&'static str, Option<&'static str>)>,
    /// Its own names of aggregates.
    pub aggregates: Vec<&'static str>,
}

/// What is asked of every dialect.
pub const QUESTIONS: [&str; 8] = [
    "`7 / 2`",
    "NULL in ORDER BY",
    "`'a' LIKE 'A'`",
    "escape in LIKE",
    "CONCAT with NULL",
    "GREATEST with NULL",
    "CAST of 2.5 to a whole number",
    "`\"x\"`",
];

impl Dialect {
    /// The dialect in words.
    pub fn described(self) -> Described {
        let (text, names, meaning) = (self.text(), self.names(), self.meaning());
        let with_null = |what| match what {
            WithNull::Null => "NULL",
            WithNull::Skips => "the others",
        };
        let answers = [
            match meaning.division {
                Division::ByStorage => "3, by the values",
                Division::ByType => "3, by the types",
                Division::Fraction => "3.5",
                Division::Unknown => "not known",
            }
            .to_owned(),
            match meaning.nulls {
                NullOrder::Smallest => "smallest",
                NullOrder::Greatest => "greatest",
                NullOrder::Last => "last",
            }
            .to_owned(),
            if meaning.like_minds_case { "false" } else { "true" }.to_owned(),
            meaning.like_escape.map_or_else(|| "none".to_owned(), |c| format!("`{c}`")),
            with_null(meaning.concat).to_owned(),
            with_null(meaning.greatest).to_owned(),
            match meaning.whole {
                Whole::Cuts => "2",
                Whole::Rounds => "3",
                Whole::Unknown => "not known",
            }
            .to_owned(),
            match (text.double_quotes_are_strings, names.quoted_may_be_string) {
                (true, _) => "a string",
                (false, true) => "a name, else a string",
                (false, false) => "a name",
            }
            .to_owned(),
        ];
        let known = |to: &To| match to {
            To::Call(name) => Some(*name),
            To::As(_) | To::Written(_) => None,
        };
        let rows = self.profile().functions.unwrap_or_default().iter().copied().flatten();
        let mut functions: Vec<_> = rows.flat_map(|f| f.names().map(|name| (name, known(&f.to)))).collect();
        functions.sort_unstable();
        functions.dedup_by_key(|(name, _)| *name);
        let rows = self.profile().aggregates.iter().copied().flatten();
        let mut aggregates: Vec<_> = rows.flat_map(Aggregate::names).collect();
        aggregates.sort_unstable();
        aggregates.dedup();
        Described { also: self.profile().also, answers: answers.into(), functions, aggregates }
    }
}
