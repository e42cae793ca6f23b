//! BigQuery (GoogleSQL).

mod dates;
mod functions;
mod texts;

pub(super) use dates::date_array;

use super::aggregates;
use super::profile::*;
use super::words;

pub(super) static PROFILE: Profile = Profile {
    name: "bigquery",
    also: &["googlesql"],
    system: "BigQuery",
    grammar: || &super::grammars::BIGQUERY,
    text: Text {
        double_quotes_are_strings: true,
        backslash_escapes: true,
        hash_is_comment: true,
        variables: Some(Style::Plain),
        ..Text::STANDARD
    },
    names: Names {
        paths: true,
        wildcards: true,
        fields: true,
        groups_by_aliases: true,
        unpivots_values_first: true,
        ..Names::STANDARD
    },
    meaning: Meaning {
        division: Division::Fraction,
        nulls: NullOrder::Smallest,
        like_escape: Some('\\'),
        concat: WithNull::Null,
        greatest: WithNull::Null,
        truth_in_words: true,
        ..Meaning::STANDARD
    },
    functions: Some(&[functions::ALL, words::ANGLES, words::GEOGRAPHIES]),
    aggregates: &[functions::AGGREGATES, aggregates::BY_ANOTHER],
};
