//! Mutations that change nothing in an answer, each with its reason.

use crate::mutate::{Kind, Mutation, Step, names};

/// The end of the names down to a place, and why what stands there has no influence.
const PLACES: [(&[&str], &str); 24] = [
    (
        &["quote_style"],
        "a quoted name means what it means without quotes, where it is found at all",
    ),
    (&["explicit"], "AS before an alias"),
    (&["as_keyword"], "AS in REPLACE"),
    (
        &["optimizer_hints"],
        "a hint in a comment says how an answer is computed",
    ),
    (&["index_hints"], "USE INDEX says how rows are found"),
    (
        &["select_modifiers"],
        "MySQL's hints: priority, buffers, caches, a count beside the answer",
    ),
    (&["materialized"], "how a common table expression is computed"),
    (&["top_before_distinct"], "where TOP stands, and TOP is refused"),
    (&["window_before_qualify"], "the order of two clauses"),
    (&["explicit_row"], "VALUES ROW(1) is VALUES (1)"),
    (&["value_keyword"], "VALUE for VALUES"),
    (&["uses_odbc_syntax"], "{fn upper(x)} is upper(x)"),
    (
        &["Substring", "special"],
        "commas or words between the arguments of SUBSTRING",
    ),
    (&["Substring", "shorthand"], "SUBSTR for SUBSTRING"),
    (
        &["Extract", "syntax"],
        "EXTRACT(YEAR, x) for EXTRACT(YEAR FROM x)",
    ),
    (&["AnyOp", "is_some"], "SOME for ANY"),
    (&["RLike", "regexp"], "REGEXP for RLIKE"),
    (&["offset", "rows"], "OFFSET 3 ROWS for OFFSET 3"),
    (
        &["Function", "lateral"],
        "a table function sees the tables before it, with LATERAL or without",
    ),
    (&["tag"], "the tag of a dollar-quoted string"),
    (&["named_window"], "a window that no call names"),
    (&["cte_tables"], "a common table expression that nothing reads"),
    (&["Select", "flavor"], "FROM first, then SELECT"),
    (&["expr", "Cast", "kind"], "CAST(x AS t) and x::t"),
];

/// Why a mutation has no influence, if it has none.
pub fn reason(mutation: &Mutation) -> Option<&'static str> {
    let names = names(&mutation.path);
    for (end, reason) in PLACES {
        if names.ends_with(end) {
            return Some(reason);
        }
    }
    let last = names.last().copied().unwrap_or_default();
    match (last, mutation.kind) {
        // The first number of the two.
        ("PrecisionAndScale", Kind::Counted) if mutation.path.last() == Some(&Step::At(0)) => {
            Some("the precision of a number only says what is an overflow")
        }
        _ => None,
    }
}
