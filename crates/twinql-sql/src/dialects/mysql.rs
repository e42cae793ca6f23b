//! MySQL 8 and MariaDB 10.11, in their default SQL mode.

use super::aggregates::{Aggregate, To, Words, aggregate};
use super::profile::*;
use super::words::binary_document;
use crate::expr::Expr;
use crate::plan::Planner;

pub(super) static PROFILE: Profile = Profile {
    name: "mysql",
    also: &["mariadb"],
    system: "MySQL",
    grammar: || &super::grammars::MYSQL,
    text: Text {
        double_quotes_are_strings: true,
        backslash_escapes: true,
        hash_is_comment: true,
        bars_are_or: true,
        frames_exclude: false,
        qualify: false,
        ..Text::STANDARD
    },
    names: Names::STANDARD,
    meaning: Meaning {
        division: Division::Fraction,
        nulls: NullOrder::Smallest,
        like_minds_case: false,
        like_escape: Some('\\'),
        ignores_case: true,
        length_counts_bytes: true,
        concat: WithNull::Null,
        greatest: WithNull::Null,
        decimal_scale: Some(0),
        texts_as_numbers: true,
        dates_without_dashes: true,
        ..Meaning::STANDARD
    },
    functions: None,
    aggregates: &[AGGREGATES],
};

const AGGREGATES: &[Aggregate] = &[
    aggregate("any_value", (1, 1), To::Call("sql_any_value")),
    // Of numbers without a sign.
    aggregate("bit_xor", (1, 1), To::Written(|_, _| None)),
    aggregate(
        "json_arrayagg",
        (1, 1),
        To::Written(|planner, args| Some(collected("json_group_array", planner, args))),
    ),
    aggregate(
        "json_objectagg",
        (2, 2),
        To::Written(|planner, args| Some(collected("json_group_object", planner, args))),
    ),
];

/// JSON_ARRAYAGG and JSON_OBJECTAGG, which give NULL where there is no row
/// (<https://dev.mysql.com/doc/refman/8.0/en/aggregate-functions.html#function_json-arrayagg>).
fn collected(name: &'static str, planner: &Planner<'_>, args: &[Expr]) -> Words {
    Words { then: Some(binary_document), ..Words::new(name, planner.parts_of_document(args)) }
}
