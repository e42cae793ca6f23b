//! DuckDB.

mod functions;

use super::profile::*;
use super::words;

pub(super) static PROFILE: Profile = Profile {
    name: "duckdb",
    also: &[],
    system: "DuckDB",
    grammar: || &sqlparser::dialect::DuckDbDialect {},
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
        like_minds_case: true,
        like_escape: None,
        ignores_case: false,
        set_operators_are_of_one_level: false,
        recursion_is_said: true,
        length_counts_bytes: false,
        concat: WithNull::Skips,
        greatest: WithNull::Skips,
        whole: Whole::Rounds,
        decimal_scale: Some(3),
    },
    functions: Some(&[functions::ALL, words::OF_ANALYSTS, words::PARTS_OF_MOMENTS]),
    aggregates: functions::AGGREGATES,
};
