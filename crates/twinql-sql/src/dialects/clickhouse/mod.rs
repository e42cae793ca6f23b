//! ClickHouse.

mod functions;

use super::profile::*;
use super::words;

pub(super) static PROFILE: Profile = Profile {
    name: "clickhouse",
    also: &[],
    system: "ClickHouse",
    grammar: || &sqlparser::dialect::ClickHouseDialect {},
    text: Text { backslash_escapes: true, hash_is_comment: true, ..Text::STANDARD },
    names: Names { schemas: &["default"], first_element: 1, ..Names::STANDARD },
    meaning: Meaning {
        division: Division::Fraction,
        nulls: NullOrder::Last,
        like_escape: Some('\\'),
        length_counts_bytes: true,
        concat: WithNull::Null,
        greatest: WithNull::Null,
        whole: Whole::Cuts,
        decimal_scale: Some(0),
        ..Meaning::STANDARD
    },
    functions: Some(&[functions::ALL, words::ANGLES]),
    aggregates: &[functions::AGGREGATES],
};
