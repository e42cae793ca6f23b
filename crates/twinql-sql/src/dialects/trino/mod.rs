//! Trino, Presto and Athena.

mod functions;

use super::aggregates;
use super::lists;
use super::profile::*;
use super::words;

pub(super) static PROFILE: Profile = Profile {
    name: "trino",
    also: &["presto", "athena"],
    system: "Trino",
    grammar: || &super::grammars::TRINO,
    text: Text { qualify: false, ..Text::STANDARD },
    // t.* lacks the columns of USING: <https://repost.aws/questions/QU1PqJzUOZSPaFa3WbBeOkaA>.
    names: Names {
        schemas: &["default"],
        fields: true,
        first_element: 1,
        shared_in_star: Some(false),
        ..Names::STANDARD
    },
    meaning: Meaning {
        division: Division::ByType,
        nulls: NullOrder::Last,
        concat: WithNull::Null,
        greatest: WithNull::Null,
        decimal_scale: Some(0),
        truth_in_words: true,
        days_keep_dates: true,
        ..Meaning::STANDARD
    },
    functions: Some(&[
        functions::ALL,
        words::ANGLES,
        words::OF_ANALYSTS,
        lists::FROM_ONE,
        words::PARTS_OF_MOMENTS,
    ]),
    aggregates: &[functions::AGGREGATES, aggregates::REGRESSIONS, aggregates::BY_ANOTHER],
};
