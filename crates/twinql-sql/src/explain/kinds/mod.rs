//! Kinds of difference: in what two canonical trees are not alike.
//!
//! A kind is one small unit: a name, a sentence, pairs that show it, and a test on what each side has that the other lacks
//! ([`Sides`]). Kinds say nothing of whether the answers differ: that a filter was dropped is a fact of the texts, and on
//! how many databases it matters is asked elsewhere. Pairs whose canonical forms are equal have none.

mod answers;
mod filters;
mod functions;
mod order;
mod parts;
mod sources;

use crate::normalize::example::Example;
use crate::plan::Plan;
use crate::schema::Schema;
pub use parts::Sides;

/// A kind of difference.
#[derive(Debug)]
pub struct Kind {
    /// What it is called.
    pub name: &'static str,
    /// What it says of a prediction, in a sentence.
    pub about: &'static str,
    /// Pairs that have the kind (`!=`), each told apart by some database, and pairs that look like it and are read
    /// alike (`==`).
    pub examples: &'static [Example],
    /// Whether two sides differ so.
    holds: fn(&Sides) -> bool,
}

impl PartialEq for Kind {
    fn eq(&self, other: &Kind) -> bool {
        self.name == other.name
    }
}

/// How many kinds there are.
pub const NUMBER: usize = 34;

/// All kinds, in the order in which they are told.
pub static KINDS: [&Kind; NUMBER] = [
    &filters::DROPPED,
    &filters::ADDED,
    &filters::OTHER,
    &filters::LITERAL,
    &filters::COMPARISON,
    &filters::NULL_TEST,
    &filters::KEY,
    &sources::DROPPED,
    &sources::ADDED,
    &sources::OTHER,
    &sources::LINK,
    &sources::OUTER,
    &sources::SET_OPERATION,
    &sources::SUBQUERY,
    &answers::COLUMNS,
    &answers::OTHER,
    &answers::TURNED,
    &answers::DUPLICATES,
    &answers::COUNT_DISTINCT,
    &answers::COUNT,
    &answers::AGGREGATE,
    &answers::GROUPS,
    &functions::ROUNDED,
    &functions::ARITHMETIC,
    &functions::CONDITIONAL,
    &functions::DATE,
    &functions::TEXT,
    &functions::PATTERN,
    &functions::LETTER_CASE,
    &functions::WINDOW,
    &order::KEY,
    &order::DIRECTION,
    &order::LIMIT,
    &order::EXTREME,
];

/// The kinds of difference of two canonical plans over `schema`, in the order of [`KINDS`].
pub fn kinds(schema: &Schema, gold: &Plan, pred: &Plan) -> Vec<&'static Kind> {
    if gold.query == pred.query {
        return Vec::new();
    }
    let sides = Sides::new(schema, gold, pred);
    KINDS.into_iter().filter(|kind| (kind.holds)(&sides)).collect()
}

/// The kind of a name.
pub fn kind(name: &str) -> Option<&'static Kind> {
    KINDS.into_iter().find(|kind| kind.name == name)
}
