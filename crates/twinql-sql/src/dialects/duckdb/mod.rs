//! DuckDB.

mod functions;
mod grammar;

pub(crate) use functions::part;

use super::aggregates;
use super::profile::*;
use super::words;

pub(super) static PROFILE: Profile = Profile {
    name: "duckdb",
    also: &[],
    system: "DuckDB",
    grammar: || &grammar::DuckDb,
    text: Text { dollars_quote: true, ..Text::STANDARD },
    names: Names {
        schemas: &["main"],
        aliases_name_all: false,
        fields: true,
        outputs_see_aliases: true,
        first_element: 1,
        ..Names::STANDARD
    },
    meaning: Meaning {
        division: Division::Fraction,
        nulls: NullOrder::Last,
        concat: WithNull::Skips,
        greatest: WithNull::Skips,
        decimal_scale: Some(3),
        texts_as_numbers: true,
        truth_in_words: true,
        ..Meaning::STANDARD
    },
    functions: Some(&[functions::ALL, words::ANGLES, words::OF_ANALYSTS, words::PARTS_OF_MOMENTS]),
    aggregates: &[functions::AGGREGATES, aggregates::REGRESSIONS],
};
