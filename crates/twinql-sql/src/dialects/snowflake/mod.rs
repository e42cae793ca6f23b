//! Snowflake.

mod dates;
mod functions;

pub(super) use dates::part;

use super::aggregates;
use super::profile::*;
use super::words;

pub(super) static PROFILE: Profile = Profile {
    name: "snowflake",
    also: &[],
    system: "Snowflake",
    grammar: || &sqlparser::dialect::SnowflakeDialect {},
    text: Text { backslash_escapes: true, dollars_quote: true, ..Text::STANDARD },
    names: Names {
        schemas: &["public"],
        outputs_see_aliases: true,
        paths: true,
        unpivots_in_capitals: true,
        ..Names::STANDARD
    },
    meaning: Meaning {
        division: Division::Fraction,
        nulls: NullOrder::Greatest,
        recursion_is_said: false,
        concat: WithNull::Null,
        greatest: WithNull::Null,
        decimal_scale: Some(0),
        texts_as_numbers: true,
        truth_in_words: true,
        days_keep_dates: true,
        rlike_matches_all: true,
        ..Meaning::STANDARD
    },
    functions: Some(&[
        functions::ALL,
        words::ANGLES,
        words::GEOGRAPHIES,
        words::OF_ANALYSTS,
        words::PARTS_OF_MOMENTS,
        words::OF_WAREHOUSES,
    ]),
    aggregates: &[functions::AGGREGATES, aggregates::REGRESSIONS, aggregates::BY_ANOTHER],
};
