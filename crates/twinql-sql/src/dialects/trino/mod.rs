//! Trino, Presto and Athena.

mod functions;

use super::profile::*;
use super::words;

pub(super) static PROFILE: Profile = Profile {
    name: "trino",
    also: &["presto", "athena"],
    system: "Trino",
    grammar: || &sqlparser::dialect::GenericDialect {},
    text: Text { qualify: false, ..Text::STANDARD },
    names: Names { schemas: &["default"], fields: true, first_element: 1, ..Names::STANDARD },
    meaning: Meaning {
        division: Division::ByType,
        nulls: NullOrder::Last,
        like_minds_case: true,
        like_escape: None,
        ignores_case: false,
        set_operators_are_of_one_level: false,
        recursion_is_said: true,
        length_counts_bytes: false,
        concat: WithNull::Null,
        greatest: WithNull::Null,
        whole: Whole::Rounds,
        decimal_scale: Some(0),
    },
    functions: Some(&[functions::ALL, words::OF_ANALYSTS, words::PARTS_OF_MOMENTS]),
    aggregates: functions::AGGREGATES,
};
