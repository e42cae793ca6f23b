//! BigQuery's functions (<https://cloud.google.com/bigquery/docs/reference/standard-sql/functions-all>).
//!
//! Each row's page is that of its kind: `date_functions`, `timestamp_functions`, `datetime_functions`, `string_functions`,
//! `mathematical_functions`, `conditional_expressions`, `array_functions`, `json_functions`, `aggregate_functions` beside it.

use super::{dates, texts};
use crate::dialects::Dialect;
use crate::dialects::aggregates::{Aggregate, To as Over, Words, aggregate, count_if};
use crate::dialects::functions::{Function, MANY, To, function, timed};
use crate::dialects::words;
use crate::expr::{Expr, UnaryOp};
use crate::plan::Planner;

/// Every function that is known here.
#[rustfmt::skip]
pub(super) const ALL: &[Function] = &[
    // Dates and times.
    timed("date_diff", (3, 3), 2, To::Written(dates::date_diff)),
    timed("datetime_diff", (3, 3), 2, To::Written(dates::datetime_diff)),
    timed("timestamp_diff", (3, 3), 2, To::Written(dates::timestamp_diff)),
    timed("date_trunc", (2, 3), 1, To::Written(dates::trunc)),
    timed("datetime_trunc|timestamp_trunc", (2, 3), 1, To::Written(dates::moment_trunc)),
    function("date_add", (2, 2), To::Written(dates::add)),
    function("date_sub", (2, 2), To::Written(dates::sub)),
    function("datetime_add|timestamp_add", (2, 2), To::Written(dates::moment_add)),
    function("datetime_sub|timestamp_sub", (2, 2), To::Written(dates::moment_sub)),
    function("extract", (2, 2), To::Written(dates::extract)),
    function("date", (1, 3), To::Written(dates::date)),
    function("datetime", (1, 6), To::Written(dates::datetime)),
    function("timestamp", (1, 2), To::Written(dates::timestamp)),
    function("format_date|format_datetime", (2, 2), To::Written(dates::format)),
    function("format_timestamp", (2, 3), To::Written(dates::format)),
    function("parse_date", (2, 2), To::Written(dates::parse_date)),
    function("parse_datetime", (2, 2), To::Written(dates::parse_moment)),
    function("parse_timestamp", (2, 3), To::Written(dates::parse_moment)),
    function("unix_seconds", (1, 1), To::Written(words::seconds)),
    function("unix_millis", (1, 1), To::Written(dates::unix_millis)),
    function("unix_micros", (1, 1), To::Written(dates::unix_micros)),
    function("unix_date", (1, 1), To::Written(words::days)),
    function("date_from_unix_date", (1, 1), To::Written(words::of_days)),
    function("timestamp_seconds", (1, 1), To::Written(words::of_seconds)),
    function("timestamp_millis", (1, 1), To::Written(words::of_milliseconds)),
    function("timestamp_micros", (1, 1), To::Written(words::of_microseconds)),
    timed("last_day", (1, 2), 1, To::Written(dates::last_day)),
    function("current_date", (0, 1), To::Written(dates::today)),
    function("current_datetime", (0, 1), To::Written(dates::now)),
    function("current_timestamp", (0, 0), To::Written(dates::now)),
    function("generate_date_array", (2, 3), To::Written(dates::date_array)),
    function("time", (1, 3), To::Written(dates::time)),
    // Texts.
    function("char_length|character_length|length", (1, 1), To::Call("length")),
    function("byte_length|octet_length", (1, 1), To::Call("octet_length")),
    function("concat", (1, MANY), To::Written(texts::concat)),
    function("substr|substring", (2, 3), To::Written(texts::substr)),
    function("left", (2, 2), To::Written(words::left)),
    function("right", (2, 2), To::Written(texts::right)),
    function("trim", (2, 2), To::Call("trim")),
    function("ltrim", (2, 2), To::Call("ltrim")),
    function("rtrim", (2, 2), To::Call("rtrim")),
    function("strpos", (2, 2), To::Call("instr")),
    function("starts_with", (2, 2), To::Written(words::starts_with)),
    function("ends_with", (2, 2), To::Written(words::ends_with)),
    function("contains_substr", (2, 2), To::Written(texts::contains_ignoring_case)),
    function("split", (1, 2), To::Written(texts::split)),
    function("lpad|rpad", (2, 3), To::As(Dialect::Postgres)),
    function("repeat", (2, 2), To::Call("pg_repeat")),
    function("reverse", (1, 1), To::Call("pg_reverse")),
    function("chr", (1, 1), To::Call("char")),
    function("ascii|unicode", (1, 1), To::Call("pg_ascii")),
    function("to_hex", (1, 1), To::Written(texts::hexadecimal)),
    function("initcap", (1, 1), To::Call("pg_initcap")),
    function("translate", (3, 3), To::Call("pg_translate")),
    function("edit_distance", (2, 2), To::Call("sql_edit_distance")),
    function("regexp_instr", (2, 2), To::Written(words::place_of_match)),
    function("regexp_extract_all", (2, 2), To::Written(texts::regexp_extract_all)),
    function("regexp_contains", (2, 2), To::Written(words::matches)),
    function("regexp_extract|regexp_substr", (2, 2), To::Written(texts::regexp_extract)),
    function("regexp_replace", (3, 3), To::Written(words::replaces_all)),
    function("format", (1, MANY), To::Written(texts::format)),
    function("generate_uuid", (0, 0), To::Written(words::any_text)),
    // Numbers.
    function("safe_divide", (2, 2), To::Written(words::divide)),
    function("safe_add", (2, 2), To::Written(texts::plus)),
    function("safe_subtract", (2, 2), To::Written(texts::minus)),
    function("safe_multiply", (2, 2), To::Written(texts::times)),
    function("safe_negate", (1, 1), To::Written(|_, args| Some(Expr::unary(UnaryOp::Neg, args.first()?.clone())))),
    function("div", (2, 2), To::Written(texts::div)),
    function("cbrt", (1, 1), To::Call("pg_cbrt")),
    function("log", (1, 2), To::Written(texts::log)),
    function("trunc", (1, 1), To::Call("trunc")),
    function("trunc", (2, 2), To::Call("pg_trunc_to")),
    function("greatest", (2, MANY), To::Call("max")),
    function("least", (2, MANY), To::Call("min")),
    function("rand", (0, 0), To::Call("random")),
    // Choices.
    function("if", (3, 3), To::Call("iif")),
    function("ifnull", (2, 2), To::Call("coalesce")),
    function("nullifzero", (1, 1), To::Written(words::null_if_zero)),
    function("zeroifnull", (1, 1), To::Written(words::zero_if_null)),
    // Arrays and documents.
    function("array_length", (1, 1), To::Call("json_array_length")),
    function("array_to_string", (2, 3), To::Call("pg_array_to_string")),
    function("array_concat", (1, MANY), To::Written(texts::array_concat)),
    function("array_reverse", (1, 1), To::Call("sql_array_reverse")),
    function("array_first", (1, 1), To::Written(|planner, args| planner.part_named(args.first()?, &Expr::integer(0), false))),
    function("generate_array", (2, 3), To::Written(texts::generate_array)),
    function("bq_first_elements", (2, 2), To::Written(texts::first_elements)),
    function("json_extract|json_query", (1, 2), To::Written(texts::json_query)),
    function("json_extract_scalar|json_value", (1, 2), To::Written(texts::json_value)),
    function("string", (1, 1), To::Written(texts::string)),
    function("int64|float64|bool", (1, 1), To::Written(texts::json_scalar)),
    function("json_extract_array|json_query_array", (1, 2), To::Written(texts::json_query_array)),
    function("json_value_array|json_extract_string_array", (1, 2), To::Written(texts::json_value_array)),
    function("parse_json", (1, 1), To::Written(words::document)),
    function("to_json_string", (1, 1), To::Written(texts::to_json_string)),
];

/// Every aggregate that others call otherwise.
pub(super) const AGGREGATES: &[Aggregate] = &[
    aggregate("countif", (1, 1), Over::Written(count_if)),
    aggregate("logical_and", (1, 1), Over::Call("min")),
    aggregate("logical_or", (1, 1), Over::Call("max")),
    aggregate("array_agg", (1, 1), Over::Written(array_agg)),
    aggregate("json_group_array", (1, 1), Over::Written(elements)),
    aggregate("stddev", (1, 1), Over::Call("pg_stddev_samp")),
    aggregate("variance", (1, 1), Over::Call("pg_var_samp")),
    // Any of them will do, and which is open.
    aggregate("any_value", (1, 1), Over::Call("sql_any_value")),
    // Over few rows it is exact; nothing is proved of it.
    aggregate("approx_count_distinct", (1, 1), Over::Call("sql_approx_count_distinct")),
    aggregate("percentile_cont", (2, 2), Over::Written(percentile_cont)),
    aggregate("percentile_disc", (2, 2), Over::Written(percentile_disc)),
    aggregate("approx_quantiles", (2, 2), Over::Call("bq_approx_quantiles")),
    aggregate("bit_xor", (1, 1), Over::Call("sql_bit_xor")),
];

/// `PERCENTILE_CONT(x, fraction) OVER (…)` and PERCENTILE_DISC (`navigation_functions`).
fn percentile(name: &'static str, args: &[Expr]) -> Option<Words> {
    let [value, fraction] = args else { return None };
    Some(Words::new(name, vec![fraction.clone(), value.clone()]))
}

/// PERCENTILE_CONT.
fn percentile_cont(_: &Planner<'_>, args: &[Expr]) -> Option<Words> {
    percentile("pg_percentile_cont", args)
}

/// PERCENTILE_DISC.
fn percentile_disc(_: &Planner<'_>, args: &[Expr]) -> Option<Words> {
    percentile("pg_percentile_disc", args)
}

/// The elements of `ARRAY(SELECT …)`: an empty array where there are no rows.
fn elements(planner: &Planner<'_>, args: &[Expr]) -> Option<Words> {
    let [value] = args else { return None };
    Some(Words::new("json_group_array", vec![planner.as_part(value.clone())]))
}

/// `ARRAY_AGG(x)`: NULL where there are no rows.
fn array_agg(planner: &Planner<'_>, args: &[Expr]) -> Option<Words> {
    let then = |array: Expr| Expr::function("nullif", vec![array, Expr::text("[]")]);
    Some(Words { then: Some(then), ..elements(planner, args)? })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::AggFunc;

    #[test]
    fn rows_of_aggregates_name_aggregates() {
        for row in AGGREGATES {
            if let Over::Call(name) = row.to {
                let known = crate::function::aggregate(name).map(|a| a.func.clone());
                assert!(known.is_some_and(|f| f != Some(AggFunc::Bare)), "{name}");
            }
        }
    }
}
