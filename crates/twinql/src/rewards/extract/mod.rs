//! The SQL in a completion of a language model.
//!
//! Trainers ask for it in several ways, and models answer in others. Read are, the first that is there:
//!
//! 1. `<solution>…</solution>` (SkyRL-SQL) or `<answer>…</answer>` (SQL-R1), the last of them, with a fenced block or
//!    without one in it;
//! 2. the last fenced block that is tagged as SQL (NeMo Gym, BIRD's prompts);
//! 3. the last fenced block without a tag that begins as a statement does;
//! 4. bare text from the first line that begins as a statement does, be it behind a label (`SQL: SELECT …`), up to the last
//!    `;` if prose follows it.
//!
//! What stands in `<think>…</think>` is left out before. Work and memory are linear in the length of a completion.

mod markup;

use serde::Serialize;
pub use twinql_sql::completion::{Fence, statements};
use twinql_sql::completion::{Fenced, bare, fenced, without_prose};

/// Bytes of a completion that are read. No budget of tokens in use comes near it.
pub const LONGEST: usize = 1 << 20;

/// What stood around the SQL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Tag {
    /// No tag.
    None,
    /// `<answer>…</answer>`.
    Answer,
    /// `<solution>…</solution>`.
    Solution,
}

/// The format in which a completion gives its SQL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub struct Format {
    /// The tag around it.
    pub tag: Tag,
    /// The block that it stands in.
    pub fence: Fence,
}

impl Format {
    /// All formats, in the order in which they are documented.
    pub const ALL: [Format; 9] = [
        Format { tag: Tag::None, fence: Fence::Sql },
        Format { tag: Tag::None, fence: Fence::Untagged },
        Format { tag: Tag::None, fence: Fence::None },
        Format { tag: Tag::Answer, fence: Fence::Sql },
        Format { tag: Tag::Answer, fence: Fence::Untagged },
        Format { tag: Tag::Answer, fence: Fence::None },
        Format { tag: Tag::Solution, fence: Fence::Sql },
        Format { tag: Tag::Solution, fence: Fence::Untagged },
        Format { tag: Tag::Solution, fence: Fence::None },
    ];

    /// Its name in settings and logs.
    pub fn name(self) -> &'static str {
        match (self.tag, self.fence) {
            (Tag::None, Fence::Sql) => "sql-block",
            (Tag::None, Fence::Untagged) => "block",
            (Tag::None, Fence::None) => "raw",
            (Tag::Answer, Fence::Sql) => "answer-sql-block",
            (Tag::Answer, Fence::Untagged) => "answer-block",
            (Tag::Answer, Fence::None) => "answer",
            (Tag::Solution, Fence::Sql) => "solution-sql-block",
            (Tag::Solution, Fence::Untagged) => "solution-block",
            (Tag::Solution, Fence::None) => "solution",
        }
    }

    /// The format of a name.
    pub fn named(name: &str) -> Option<Format> {
        Format::ALL.into_iter().find(|format| format.name() == name)
    }
}

/// A part that a completion opens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// `<think>`.
    Thinking,
    /// `<answer>`.
    Answer,
    /// `<solution>`.
    Solution,
    /// A fenced block.
    Block,
}

/// What a completion holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum Extraction {
    /// One statement.
    Sql {
        /// Its text, without the `;` at its end.
        sql: String,
        /// How the completion gives it.
        format: Format,
    },
    /// More than one statement where one was asked for.
    Several {
        /// How many.
        statements: usize,
        /// How the completion gives them.
        format: Format,
    },
    /// A part that should hold the answer is opened and not closed: the completion was cut off.
    Unclosed {
        /// Which part.
        part: Part,
    },
    /// No SQL: nothing but prose, comments, thinking or space.
    NoSql,
    /// More bytes than are read.
    TooLong {
        /// How many.
        bytes: usize,
    },
}

impl Extraction {
    /// The statement, where there is exactly one.
    pub fn sql(&self) -> Option<&str> {
        match self {
            Extraction::Sql { sql, .. } => Some(sql),
            _ => None,
        }
    }

    /// How it is given, where there is any SQL.
    pub fn format(&self) -> Option<Format> {
        match self {
            Extraction::Sql { format, .. } | Extraction::Several { format, .. } => Some(*format),
            _ => None,
        }
    }

    /// Its name in logs.
    pub fn name(&self) -> &'static str {
        match self {
            Extraction::Sql { .. } => "sql",
            Extraction::Several { .. } => "several",
            Extraction::Unclosed { .. } => "unclosed",
            Extraction::NoSql => "no_sql",
            Extraction::TooLong { .. } => "too_long",
        }
    }
}

/// How completions are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Reading {
    /// Takes an answer that is opened and not closed as if the end of the text closed it: for generation that stops at
    /// the closing tag or fence and leaves it out.
    pub take_unclosed: bool,
}

/// The SQL in a completion.
///
/// ```
/// use twinql::rewards::{Extraction, Reading, extract};
///
/// let found = extract("<think>Two tables?</think>\n```sql\nSELECT 1;\n```", Reading::default());
/// assert_eq!((found.sql(), found.format().map(|f| f.name())), (Some("SELECT 1"), Some("sql-block")));
/// assert_eq!(extract("I cannot answer that.", Reading::default()), Extraction::NoSql);
/// ```
pub fn extract(completion: &str, reading: Reading) -> Extraction {
    if completion.len() > LONGEST {
        return Extraction::TooLong { bytes: completion.len() };
    }
    let completion = markup::without_end_tokens(completion);
    let (text, open) = markup::without_thinking(completion);
    match answer(&text, reading) {
        // Thinking that never ended is why there is nothing.
        Extraction::NoSql if open => Extraction::Unclosed { part: Part::Thinking },
        found => found,
    }
}

/// What a text without thinking answers.
fn answer(text: &str, reading: Reading) -> Extraction {
    let (tag, inside) = match markup::tagged(text) {
        markup::Tagged::Closed(tag, inside) => (tag, inside),
        markup::Tagged::Open(tag, inside) if reading.take_unclosed => (tag, inside),
        markup::Tagged::Open(tag, _) => {
            let part = if tag == Tag::Answer { Part::Answer } else { Part::Solution };
            return Extraction::Unclosed { part };
        }
        markup::Tagged::None => (Tag::None, text),
    };
    let (fence, sql) = match fenced(inside) {
        Fenced::Closed(fence, sql) => (fence, sql),
        Fenced::Open(fence, sql) if reading.take_unclosed => (fence, sql),
        Fenced::Open(..) => return Extraction::Unclosed { part: Part::Block },
        Fenced::None if tag == Tag::None => (Fence::None, without_prose(bare(inside))),
        Fenced::None => (Fence::None, bare(inside)),
    };
    let format = Format { tag, fence };
    let found = statements(sql);
    match found.as_slice() {
        [] => Extraction::NoSql,
        [one] => Extraction::Sql { sql: (*one).to_owned(), format },
        many => Extraction::Several { statements: many.len(), format },
    }
}

#[cfg(test)]
mod tests;
