//! PostgreSQL 15.

use super::aggregates::{self, To, Words, aggregate};
use super::profile::*;
use super::words::call;
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
        ..Meaning::STANDARD
    },
    functions: None,
    aggregates: &[
        aggregates::REGRESSIONS,
        &[
            aggregate("bit_xor", (1, 1), To::Call("sql_bit_xor")),
            // functions-aggregate: NULL of no rows.
            aggregate("json_agg", (1, 1), To::Written(|p, args| array(p, args, |e| unless(e, "[]")))),
            aggregate("jsonb_agg", (1, 1), To::Written(|p, args| array(p, args, |e| jsonb(unless(e, "[]"))))),
            aggregate("json_object_agg", (2, 2), To::Written(|p, args| object(p, args, |e| unless(e, "{}")))),
            aggregate(
                "jsonb_object_agg",
                (2, 2),
                To::Written(|p, args| object(p, args, |e| jsonb(unless(e, "{}")))),
            ),
        ],
    ],
};

fn array(planner: &Planner<'_>, args: &[Expr], then: fn(Expr) -> Expr) -> Option<Words> {
    let [value] = args else { return None };
    Some(Words { then: Some(then), ..Words::new("json_group_array", vec![planner.in_json(value)]) })
}

fn object(planner: &Planner<'_>, args: &[Expr], then: fn(Expr) -> Expr) -> Option<Words> {
    let [key, value] = args else { return None };
    let parts = vec![key.clone().cast(Affinity::Text), planner.in_json(value)];
    Some(Words { then: Some(then), ..Words::new("json_group_object", parts) })
}

fn unless(made: Expr, empty: &str) -> Expr {
    call("nullif", vec![made, Expr::text(empty)])
}

fn jsonb(made: Expr) -> Expr {
    call("pg_jsonb", vec![made])
}
