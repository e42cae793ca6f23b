//! Functions of Trino, Presto and Athena (<https://trino.io/docs/current/functions.html>).

use crate::dialects::Dialect;
use crate::dialects::aggregates::{Aggregate, To as Over, aggregate, count_if, listagg};
use crate::dialects::functions::To::{As, Call, Written};
use crate::dialects::functions::{Function, MANY, function};
use crate::dialects::lists;
use crate::dialects::words::{self, call, word};
use crate::expr::{BinaryOp, Expr};
use crate::plan::Planner;

/// Every function that is known here.
#[rustfmt::skip]
pub(super) const ALL: &[Function] = &[
    // functions/conditional
    function("if", (2, 3), Call("iif")),
    function("greatest", (2, MANY), Call("max")),
    function("least", (2, MANY), Call("min")),
    // functions/string
    function("length", (1, 1), Call("length")),
    function("concat", (2, MANY), As(Dialect::Trino)),
    function("concat_ws", (2, MANY), Call("concat_ws")),
    function("strpos", (2, 2), Call("instr")),
    function("starts_with", (2, 2), Written(words::starts_with)),
    function("lpad", (3, 3), Call("pg_lpad")),
    function("rpad", (3, 3), Call("pg_rpad")),
    function("chr", (1, 1), Call("char")),
    function("split", (2, 2), Written(words::split)),
    function("replace", (2, 2), Written(words::without)),
    function("split_part", (3, 3), Written(split_part)),
    function("codepoint", (1, 1), Call("pg_ascii")),
    function("levenshtein_distance", (2, 2), Call("sql_edit_distance")),
    // functions/regexp
    function("regexp_like", (2, 2), Written(words::matches)),
    function("regexp_replace", (2, 3), Written(words::replaces_all_by_dollars)),
    function("regexp_count", (2, 2), Written(words::counts_matches)),
    function("regexp_extract", (2, 3), Written(regexp_extract)),
    function("regexp_extract_all", (2, 3), Written(words::all_matches)),
    function("try", (1, 1), Written(tried)),
    // functions/bitwise
    function("bitwise_and", (2, 2), Written(words::bits_of_both)),
    function("bitwise_or", (2, 2), Written(words::bits_of_either)),
    // functions/geospatial: kilometres
    function("great_circle_distance", (4, 4), Call("sql_haversine")),
    // functions/math
    function("truncate", (2, 2), Call("pg_trunc_to")),
    function("log", (2, 2), Call("log")),
    function("log2", (1, 1), Call("log2")),
    function("truncate", (1, 1), Call("trunc")),
    function("rand|random", (0, 0), Call("random")),
    function("uuid", (0, 0), Written(words::any_text)),
    // functions/datetime
    function("day_of_month", (1, 1), Written(words::day)),
    function("day_of_year|doy", (1, 1), Written(words::day_of_year)),
    function("day_of_week|dow", (1, 1), Written(words::monday_is_1)),
    function("week|week_of_year", (1, 1), Written(words::iso_week)),
    function("year_of_week|yow", (1, 1), Written(words::iso_year)),
    function("date_trunc", (2, 2), Written(|planner, args| Some(planner.start_of(&unit(args.first()?)?, args.get(1)?)))),
    function("date_add", (3, 3), Written(|planner, args| Some(planner.later(args.get(2)?, args.get(1)?, &unit(args.first()?)?)))),
    function("date_diff", (3, 3), Written(date_diff)),
    function("date_format", (2, 2), As(Dialect::Mysql)),
    function("date_parse", (2, 2), Written(|_, args| Some(call("pg_timestamp", vec![call("my_str_to_date", args.to_vec())])))),
    function("from_unixtime", (1, 1), Written(words::of_seconds)),
    function("to_unixtime", (1, 1), Written(|_, args| Some(call("pg_extract", vec![Expr::text("epoch"), args.first()?.clone()])))),
    function("date|from_iso8601_date", (1, 1), Written(|planner, args| Some(planner.day(args.first()?)))),
    function("last_day_of_month", (1, 1), Written(words::last_day)),
    function("format_datetime", (2, 2), Written(crate::dialects::databricks::date_format)),
    function("from_iso8601_timestamp", (1, 1), Written(|planner, args| Some(planner.timestamp(args.first()?)))),
    function("localtimestamp|now", (0, 0), Call("current_timestamp")),
    // functions/array
    function("cardinality", (1, 1), Call("pg_array_length")),
    function("array_sort", (1, 1), Call("sql_array_sort")),
    // What a NULL among the elements does is not said.
    function("array_max|array_min", (1, 1), Written(|_, _| None)),
    // functions/json
    function("json_extract_scalar", (2, 2), Written(lists::scalar_at)),
    function("json_extract", (2, 2), Written(|_, args| Some(Expr::binary(BinaryOp::Arrow, args.first()?.clone(), args.get(1)?.clone())))),
    function("json_parse", (1, 1), Written(words::document)),
    function("json_format", (1, 1), Written(words::same)),
    function("json_array_length", (1, 1), Call("json_array_length")),
];

/// Every aggregate that others call otherwise (functions/aggregate).
pub(super) const AGGREGATES: &[Aggregate] = &[
    aggregate("count_if", (1, 1), Over::Written(count_if)),
    aggregate("listagg", (1, 2), Over::Written(listagg)),
    aggregate("approx_distinct", (1, 1), Over::Call("sql_approx_count_distinct")),
    aggregate("approx_percentile", (2, 2), Over::Written(words::near_quantile_of_values)),
    aggregate("arbitrary|any_value", (1, 1), Over::Call("sql_any_value")),
];

/// `TRY(x)` is x; where a cast may fail, nothing is known of it.
fn tried(_: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [tried] = args else { return None };
    let may_fail = tried.any(|part| matches!(part, Expr::Cast { .. }));
    (!may_fail).then(|| tried.clone())
}

/// A unit.
fn unit(expr: &Expr) -> Option<String> {
    let known = ["year", "quarter", "month", "week", "day", "hour", "minute", "second", "millisecond"];
    word(expr).filter(|unit| known.contains(&unit.as_str()))
}

/// `DATE_DIFF(unit, from, to)` counts whole units. At the ends of months Trino has rules of its own.
fn date_diff(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [name, from, to] = args else { return None };
    let unit = unit(name).filter(|u| !matches!(u.as_str(), "month" | "quarter" | "year"))?;
    Some(planner.whole_units(&unit, from, to))
}

/// `SPLIT_PART(text, delimiter, n)`: NULL beyond the last part.
fn split_part(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [text, by, number] = args else { return None };
    let at = number.as_integer().filter(|n| *n > 0)? - 1;
    let parts = call("sql_split", vec![text.clone(), by.clone()]);
    by.as_text().filter(|by| !by.is_empty())?;
    planner.part_named(&parts, &Expr::integer(at), false)
}

/// `REGEXP_EXTRACT(text, pattern[, group])`.
fn regexp_extract(_: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let group = args.get(2).map_or(Some(0), Expr::as_integer)?;
    Some(words::extracted(args.first()?, args.get(1)?, 1, group))
}
