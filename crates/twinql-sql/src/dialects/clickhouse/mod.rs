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
    // <https://clickhouse.com/docs/en/operations/settings/settings#prefer_column_name_to_alias>
    names: Names {
        schemas: &["default"],
        outputs_see_aliases: true,
        aliases_before_columns: true,
        first_element: 1,
        ..Names::STANDARD
    },
    meaning: Meaning {
        division: Division::Fraction,
        nulls: NullOrder::Last,
        like_escape: Some('\\'),
        length_counts_bytes: true,
        concat: WithNull::Null,
        greatest: WithNull::Null,
        whole: Whole::Cuts,
        decimal_scale: Some(0),
        truth_in_words: true,
        days_keep_dates: true,
        // <https://clickhouse.com/docs/en/operations/settings/settings#join_use_nulls>
        outer_joins_fill: true,
        ..Meaning::STANDARD
    },
    functions: Some(&[functions::ALL, words::ANGLES]),
    aggregates: &[functions::AGGREGATES],
};
