//! PostgreSQL 15.

use super::aggregates::{self, To, Words, aggregate};
use super::profile::*;
use super::words::{binary_document, collected_document};
use crate::expr::Expr;
use crate::plan::Planner;
use crate::schema::Affinity;

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
    aggregates: &[
        aggregates::REGRESSIONS,
        &[
            aggregate("bit_xor", (1, 1), To::Call("sql_bit_xor")),
            aggregate("json_agg", (1, 1), To::Written(|p, args| collected(p, args, collected_document))),
            aggregate("jsonb_agg", (1, 1), To::Written(|p, args| collected(p, args, binary_document))),
            aggregate(
                "json_object_agg",
                (2, 2),
                To::Written(|p, args| collected(p, args, collected_document)),
            ),
            aggregate("jsonb_object_agg", (2, 2), To::Written(|p, args| collected(p, args, binary_document))),
        ],
    ],
};

/// An array of values, or an object of keys and values (functions-aggregate).
fn collected(planner: &Planner<'_>, args: &[Expr], then: fn(Expr) -> Expr) -> Option<Words> {
    let (value, keys) = args.split_last()?;
    let name = if keys.is_empty() { "json_group_array" } else { "json_group_object" };
    let keys = keys.iter().map(|key| key.clone().cast(Affinity::Text));
    let args = keys.chain([planner.in_json(value)]).collect();
    Some(Words { then: Some(then), ..Words::new(name, args) })
}
