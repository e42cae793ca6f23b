//! PostgreSQL 15.

use super::aggregates::{self, To, aggregate};
use super::profile::*;

pub(super) static PROFILE: Profile = Profile {
    name: "postgres",
    also: &["postgresql"],
    system: "PostgreSQL",
    grammar: || &sqlparser::dialect::PostgreSqlDialect {},
    text: Text { dollars_quote: true, qualify: false, ..Text::STANDARD },
    names: Names {
        fold_to_lower: true,
        schemas: &["public"],
        database_is_schema: false,
        aliases_name_all: false,
        first_element: 1,
        ..Names::STANDARD
    },
    meaning: Meaning {
        division: Division::ByType,
        nulls: NullOrder::Greatest,
        like_escape: Some('\\'),
        concat: WithNull::Skips,
        greatest: WithNull::Skips,
        truth_in_words: true,
        dates_without_dashes: true,
        // <https://www.postgresql.org/docs/15/datatype-character.html>
        pads_characters: true,
        ..Meaning::STANDARD
    },
    functions: None,
    aggregates: &[aggregates::REGRESSIONS, &[aggregate("bit_xor", (1, 1), To::Call("sql_bit_xor"))]],
};
