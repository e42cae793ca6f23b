//! Databricks and Spark SQL.

mod functions;
mod grammar;

pub(super) use functions::date_format;

use super::aggregates;
use super::lists;
use super::profile::*;
use super::words;

pub(super) static PROFILE: Profile = Profile {
    name: "databricks",
    also: &["spark", "sparksql", "hive"],
    system: "Databricks",
    grammar: || &grammar::Databricks,
    text: Text { double_quotes_are_strings: true, backslash_escapes: true, ..Text::STANDARD },
    names: Names { schemas: &["default"], fields: true, outputs_see_aliases: true, ..Names::STANDARD },
    meaning: Meaning {
        division: Division::Fraction,
        nulls: NullOrder::Smallest,
        like_escape: Some('\\'),
        concat: WithNull::Null,
        greatest: WithNull::Skips,
        whole: Whole::Cuts,
        decimal_scale: Some(0),
        texts_as_numbers: true,
        casts_whole_texts: true,
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
        words::OF_WAREHOUSES,
    ]),
    aggregates: &[functions::AGGREGATES, aggregates::REGRESSIONS, aggregates::BY_ANOTHER],
};
