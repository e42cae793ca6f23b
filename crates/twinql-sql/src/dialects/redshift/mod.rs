//! Amazon Redshift.

mod functions;

use super::profile::*;
use super::words;

pub(super) static PROFILE: Profile = Profile {
    name: "redshift",
    also: &[],
    system: "Redshift",
    grammar: || &sqlparser::dialect::RedshiftSqlDialect {},
    text: Text { dollars_quote: true, ..Text::STANDARD },
    names: Names {
        schemas: &["public"],
        aliases_name_all: false,
        outputs_see_aliases: true,
        ..Names::STANDARD
    },
    meaning: Meaning {
        division: Division::ByType,
        nulls: NullOrder::Greatest,
        like_escape: Some('\\'),
        concat: WithNull::Null,
        greatest: WithNull::Skips,
        decimal_scale: Some(0),
        dates_without_dashes: true,
        // <https://docs.aws.amazon.com/redshift/latest/dg/r_Character_types.html>
        pads_characters: true,
        ..Meaning::STANDARD
    },
    functions: Some(&[functions::ALL, words::ANGLES, words::OF_ANALYSTS, words::OF_WAREHOUSES]),
    aggregates: &[functions::AGGREGATES],
};
