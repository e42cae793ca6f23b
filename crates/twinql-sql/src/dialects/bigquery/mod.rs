//! BigQuery (GoogleSQL).

mod dates;
mod functions;
mod texts;

use super::profile::*;

pub(super) static PROFILE: Profile = Profile {
    name: "bigquery",
    also: &["googlesql"],
    system: "BigQuery",
    grammar: || &sqlparser::dialect::BigQueryDialect {},
    text: Text {
        double_quotes_are_strings: true,
        backslash_escapes: true,
        hash_is_comment: true,
        variables: Some(Style::Plain),
        ..Text::STANDARD
    },
    names: Names { paths: true, wildcards: true, fields: true, groups_by_aliases: true, ..Names::STANDARD },
    meaning: Meaning {
        division: Division::Fraction,
        nulls: NullOrder::Smallest,
        like_escape: Some('\\'),
        concat: WithNull::Null,
        greatest: WithNull::Null,
        ..Meaning::STANDARD
    },
    functions: Some(&[functions::ALL]),
    aggregates: functions::AGGREGATES,
};
