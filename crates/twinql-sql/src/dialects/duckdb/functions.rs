//! DuckDB's functions (<https://duckdb.org/docs/stable/sql/functions/overview>). Each row was tried on DuckDB 2.0.1.

use crate::dialects::Dialect;
use crate::dialects::aggregates::{Aggregate, To as Over, Words, aggregate, count_if, median};
use crate::dialects::functions::To::{As, Call, Written};
use crate::dialects::functions::{Function, MANY, function};
use crate::dialects::lists;
use crate::dialects::words::{self, call, format_of, formatted, word};
use crate::expr::{BinaryOp, Expr};
use crate::plan::Planner;
use crate::schema::TypeClass;

/// Every function that is known here.
#[rustfmt::skip]
pub(super) const ALL: &[Function] = &[
    // Choices.
    function("if", (3, 3), Call("iif")),
    function("ifnull", (2, 2), Call("coalesce")),
    function("greatest", (1, 16), Call("pg_greatest")),
    function("least", (1, 16), Call("pg_least")),
    // Texts: SUBSTRING counts places as SQLite does.
    function("substr|substring", (2, 3), Call("substr")),
    function("length|len", (1, 1), Written(length)),
    function("char_length|character_length", (1, 1), Call("length")),
    function("strlen", (1, 1), Call("octet_length")),
    function("concat", (1, MANY), Written(concat)),
    function("concat_ws", (2, MANY), Call("concat_ws")),
    function("contains", (2, 2), Written(contains)),
    function("starts_with|prefix", (2, 2), Written(words::starts_with)),
    function("ends_with|suffix", (2, 2), Written(words::ends_with)),
    function("strpos", (2, 2), Call("instr")),
    function("left|right|trim|ltrim|rtrim", (2, 2), As(Dialect::Postgres)),
    function("lpad", (3, 3), Call("pg_lpad")),
    function("rpad", (3, 3), Call("pg_rpad")),
    function("repeat", (2, 2), Call("pg_repeat")),
    function("chr", (1, 1), Call("char")),
    function("split_part", (3, 3), Call("pg_split_part")),
    function("string_split|str_split|split|string_to_array", (2, 2), Written(split)),
    function("regexp_matches", (2, 2), Written(words::matches)),
    function("regexp_full_match", (2, 2), Written(words::matches_whole)),
    function("regexp_replace", (3, 3), Call("pg_regexp_replace")),
    function("regexp_replace", (4, 4), Written(regexp_replace)),
    function("regexp_extract", (2, 3), Written(regexp_extract)),
    function("regexp_extract_all", (2, 3), Written(words::all_matches)),
    function("ascii", (1, 1), Call("pg_ascii")),
    function("lcase", (1, 1), Call("lower")),
    function("ucase", (1, 1), Call("upper")),
    function("levenshtein|editdist3", (2, 2), Call("sql_edit_distance")),
    function("md5", (1, 1), Call("sql_md5")),
    function("sha256", (1, 1), Call("sql_sha256")),
    function("uuid|gen_random_uuid", (0, 0), Written(words::any_text)),
    // Numbers.
    function("log", (1, 1), Call("log10")),
    function("log2", (1, 1), Call("log2")),
    function("trunc", (1, 1), Call("trunc")),
    function("random", (0, 0), Call("random")),
    // Dates.
    function("dayofmonth", (1, 1), Written(words::day)),
    function("dayofyear", (1, 1), Written(words::day_of_year)),
    function("dayofweek|weekday", (1, 1), Written(words::sunday_is_0)),
    function("isodow", (1, 1), Written(words::monday_is_1)),
    function("week|weekofyear", (1, 1), Written(words::iso_week)),
    function("isoyear", (1, 1), Written(words::iso_year)),
    function("dayname", (1, 1), Written(words::long_day)),
    function("monthname", (1, 1), Written(words::long_month)),
    function("date_part|datepart", (2, 2), Written(date_part)),
    function("date_trunc|datetrunc", (2, 2), Written(date_trunc)),
    function("date_diff|datediff", (3, 3), Written(date_diff)),
    function("date_sub|datesub", (3, 3), Written(date_sub)),
    function("date_add", (2, 2), Call("pg_add")),
    function("yearweek", (1, 1), Written(year_and_week)),
    function("to_years", (1, 1), Written(|planner, args| Some(planner.span(args.first()?, "year")))),
    function("to_months", (1, 1), Written(|planner, args| Some(planner.span(args.first()?, "month")))),
    function("to_weeks", (1, 1), Written(|planner, args| Some(planner.span(args.first()?, "week")))),
    function("to_days", (1, 1), Written(|planner, args| Some(planner.span(args.first()?, "day")))),
    function("to_hours", (1, 1), Written(|planner, args| Some(planner.span(args.first()?, "hour")))),
    function("to_minutes", (1, 1), Written(|planner, args| Some(planner.span(args.first()?, "minute")))),
    function("to_seconds", (1, 1), Written(|planner, args| Some(planner.span(args.first()?, "second")))),
    function("last_day", (1, 1), Written(words::last_day)),
    function("strftime", (2, 2), Written(strftime)),
    function("strptime|try_strptime", (2, 2), Written(strptime)),
    function("make_date", (3, 3), As(Dialect::Postgres)),
    function("make_timestamp", (6, 6), Written(words::moment_of_parts)),
    function("make_timestamp", (1, 1), Written(words::of_microseconds)),
    function("to_timestamp", (1, 1), Written(words::of_seconds)),
    function("epoch_ms", (1, 1), Written(epoch_ms)),
    function("epoch", (1, 1), Written(|_, args| Some(call("pg_extract", vec![Expr::text("epoch"), args.first()?.clone()])))),
    function("today", (0, 0), Call("current_date")),
    function("now|get_current_timestamp", (0, 0), Call("current_timestamp")),
    function("age", (2, 2), Call("pg_age")),
    // Lists.
    function("array_length", (1, 1), Call("json_array_length")),
    function("list_value", (0, MANY), Call("json_array")),
    function("list_contains|array_contains|list_has", (2, 2), Written(list_contains)),
    function("list_concat|list_cat|array_cat|array_concat", (2, MANY), Written(list_concat)),
    function("array_to_string", (2, 2), Call("pg_array_to_string")),
    function("range", (2, 2), Call("sql_range")),
    function("generate_series", (2, 2), Written(|_, args| Some(call("bq_generate_array", vec![args.first()?.clone(), args.get(1)?.clone(), Expr::integer(1)])))),
    function("list_distinct", (1, 1), Written(distinct)),
    function("list_unique", (1, 1), Written(|planner, args| Some(call("pg_array_length", vec![distinct(planner, args)?])))),
    function("list_sort|array_sort", (1, 1), Call("sql_array_sort")),
    function("list_reverse|array_reverse", (1, 1), Call("sql_array_reverse")),
    function("list_max", (1, 1), Call("sql_array_max")),
    function("list_min", (1, 1), Call("sql_array_min")),
    function("list_position|list_indexof|array_position", (2, 2), Written(lists::place)),
    function("list_append|array_append|array_push_back", (2, 2), Written(|planner, args| lists::append(planner, &[or_empty(planner, args.first()?), args.get(1)?.clone()]))),
    function("list_prepend|array_prepend", (2, 2), Written(|planner, args| lists::prepend(planner, &[or_empty(planner, args.get(1)?), args.first()?.clone()]))),
    function("list_slice|array_slice", (3, 3), Written(lists::slice_with_ends)),
    function("json_extract", (2, 2), Written(|_, args| { args.get(1)?.as_text().filter(|p| p.starts_with('$'))?; Some(Expr::binary(BinaryOp::Arrow, args.first()?.clone(), args.get(1)?.clone())) })),
    function("json_extract_string", (2, 2), Written(lists::text_by_path)),
];

/// Every aggregate that others call otherwise.
pub(super) const AGGREGATES: &[Aggregate] = &[
    aggregate("count_if|countif", (1, 1), Over::Written(count_if)),
    aggregate("count_star", (0, 0), Over::Call("count")),
    aggregate("mean", (1, 1), Over::Call("avg")),
    aggregate("median", (1, 1), Over::Written(median)),
    aggregate("quantile_cont", (2, 2), Over::Written(words::quantile_between)),
    aggregate("quantile_disc|quantile", (2, 2), Over::Written(words::quantile_of_values)),
    aggregate("approx_count_distinct", (1, 1), Over::Call("sql_approx_count_distinct")),
    aggregate("arg_max|argmax|max_by", (2, 2), Over::Written(|_, args| value_at("sql_max_by", args))),
    aggregate("arg_min|argmin|min_by", (2, 2), Over::Written(|_, args| value_at("sql_min_by", args))),
    aggregate("bit_xor", (1, 1), Over::Call("sql_bit_xor")),
    aggregate("any_value", (1, 1), Over::Call("sql_any_value")),
    aggregate("listagg", (1, 2), Over::Call("group_concat")),
    aggregate("list", (1, 1), Over::Call("pg_array_agg")),
];

/// `ARG_MAX(x, by)`: rows in which x is NULL do not count.
fn value_at(name: &'static str, args: &[Expr]) -> Option<Words> {
    let [value, by] = args else { return None };
    if value.has_subquery() {
        return None;
    }
    let by = Expr::case(vec![(value.clone().is_null().not(), by.clone())], None);
    Some(Words::new(name, vec![value.clone(), by]))
}

/// LENGTH of a text, LEN of a list.
fn length(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [value] = args else { return None };
    let name = if planner.is_list(value) { "json_array_length" } else { "length" };
    Some(call(name, vec![value.clone()]))
}

/// CONCAT passes over NULL, as SQLite's does; truth values it writes as words, which SQLite has not.
fn concat(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    if args.iter().any(|e| planner.is_list(e)) {
        return list_concat(planner, args);
    }
    let known = args.iter().all(|e| planner.class(e) != TypeClass::Boolean);
    known.then(|| call("concat", args.to_vec()))
}

/// CONTAINS of a text or a list.
fn contains(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    match planner.is_list(args.first()?) {
        true => list_contains(planner, args),
        false => words::contains(planner, args),
    }
}

/// `LIST_CONTAINS(list, value)`: NULL where the value is.
fn list_contains(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [list, value] = args else { return None };
    let found = call("pg_array_contains", vec![list.clone(), lists::of_one(planner, value)]);
    match planner.may_be_null(value) {
        true if value.has_subquery() => None,
        true => Some(Expr::case(vec![(value.clone().is_null().not(), found)], None)),
        false => Some(found),
    }
}

/// A list, or one without elements for NULL, as functions that make a list of several take it.
fn or_empty(planner: &Planner<'_>, list: &Expr) -> Expr {
    match planner.may_be_null(list) {
        true => call("coalesce", vec![list.clone(), call("json_array", Vec::new())]),
        false => list.clone(),
    }
}

/// `LIST_CONCAT(a, b, …)` passes over NULL.
fn list_concat(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let all = args.iter().map(|list| or_empty(planner, list));
    all.reduce(|all, next| call("sql_array_concat", vec![all, next]))
}

/// `document -> key` and `document ->> key`, where a text that begins with `$` is a path and one with `/` a pointer
/// (<https://duckdb.org/docs/stable/data/json/json_functions>).
pub(crate) fn part(document: &Expr, key: &Expr, as_text: bool) -> Expr {
    let args = || vec![document.clone(), key.clone()];
    let is_path = key.as_text().is_some_and(|key| key.starts_with('$'));
    let is_key = key.as_integer().is_some() || key.as_text().is_some_and(|key| !key.starts_with(['$', '/']));
    let known = match (is_path, as_text) {
        (true, true) => lists::text_at(document, key),
        (true, false) => Some(Expr::binary(BinaryOp::Arrow, document.clone(), key.clone())),
        (false, _) if !is_key => None,
        (false, true) => Some(call("pg_json_text", args())),
        (false, false) => Some(call("pg_json_get", args())),
    };
    known.unwrap_or_else(|| call(if as_text { "duckdb_json_text" } else { "duckdb_json_part" }, args()))
}

/// `STRING_SPLIT(text, separator)`; an empty separator cuts into characters.
fn split(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    args.get(1)?.as_text().filter(|by| !by.is_empty())?;
    words::split(planner, args)
}

/// `REGEXP_REPLACE(text, pattern, with, 'g')`.
fn regexp_replace(_: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    (args.get(3)?.as_text() == Some("g")).then(|| call("pg_regexp_replace", args.to_vec()))
}

/// `REGEXP_EXTRACT(text, pattern[, group])`: '' where there is none.
fn regexp_extract(_: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let group = args.get(2).map_or(Some(0), Expr::as_integer)?;
    words::extracted_or_empty(args.first()?, args.get(1)?, group)
}

/// `YEARWEEK(d)`: 202401, by ISO 8601.
fn year_and_week(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [at] = args else { return None };
    let year = Expr::binary(BinaryOp::Mul, planner.date_part("isoyear", at), Expr::integer(100));
    Some(Expr::binary(BinaryOp::Add, year, planner.date_part("week", at)))
}

/// `LIST_DISTINCT(list)`: without NULLs.
fn distinct(_: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    Some(call("sql_array_compact", vec![call("sql_array_distinct", args.to_vec())]))
}

/// A unit's lower-case name in the singular.
fn unit(expr: &Expr) -> Option<String> {
    let word = word(expr)?;
    let unit = word.trim_end_matches('s').to_owned();
    let known =
        ["year", "quarter", "month", "week", "day", "hour", "minute", "second", "millisecond", "microsecond"];
    known.contains(&unit.as_str()).then_some(unit)
}

/// `DATE_PART(part, at)`.
fn date_part(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [part, at] = args else { return None };
    Some(planner.date_part(Dialect::Duckdb.part(&word(part)?)?, at))
}

/// `DATE_TRUNC(unit, at)` is a timestamp, of a date too.
fn date_trunc(_: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [name, at] = args else { return None };
    Some(call("pg_date_trunc", vec![Expr::text(unit(name)?), at.clone()]))
}

/// `DATE_DIFF(unit, from, to)` counts beginnings, but for weeks.
fn date_diff(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [name, from, to] = args else { return None };
    let unit = unit(name)?;
    if unit != "week" {
        return Some(planner.boundaries(&unit, from, to));
    }
    // Seven days each, cut to a whole number.
    Some(Expr::binary(BinaryOp::Div, planner.boundaries("day", from, to), Expr::integer(7)))
}

/// `DATE_SUB(unit, from, to)` counts whole units. At the ends of months DuckDB has rules of its own.
fn date_sub(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [name, from, to] = args else { return None };
    let unit = unit(name).filter(|unit| !matches!(unit.as_str(), "month" | "quarter" | "year"))?;
    Some(planner.whole_units(&unit, from, to))
}

/// Milliseconds of a timestamp, or the timestamp of so many.
fn epoch_ms(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [x] = args else { return None };
    planner.is_number(x).then(|| words::of_epoch(x, 1_000))
}

/// Parts of a format, in MySQL's words.
const FORMAT: &[(&str, &str)] = &[
    ("%Y", "%Y"),
    ("%y", "%y"),
    ("%m", "%m"),
    ("%-m", "%c"),
    ("%d", "%d"),
    ("%-d", "%e"),
    ("%H", "%H"),
    ("%I", "%h"),
    ("%M", "%i"),
    ("%S", "%s"),
    ("%p", "%p"),
    ("%B", "%M"),
    ("%b", "%b"),
    ("%A", "%W"),
    ("%a", "%a"),
    ("%j", "%j"),
    ("%f", "%f"),
    ("%%", "%%"),
];

/// A format: a part that is not known makes it unknown.
fn format(expr: &Expr) -> Option<String> {
    let template = expr.as_text()?;
    let mut out = String::new();
    let mut rest = template;
    while let Some(at) = rest.find('%') {
        out.push_str(rest.get(..at)?);
        rest = rest.get(at..)?;
        let (part, _) = FORMAT.iter().find(|(part, _)| rest.starts_with(part))?;
        out.push_str(&format_of(part, FORMAT, '\0', true)?);
        rest = rest.get(part.len()..)?;
    }
    out.push_str(rest);
    Some(out)
}

/// `STRFTIME(at, format)`.
fn strftime(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [at, template] = args else { return None };
    Some(formatted(planner, at, format(template)?))
}

/// `STRPTIME(text, format)` is a timestamp.
fn strptime(_: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [text, template] = args else { return None };
    let read = call("my_str_to_date", vec![text.clone(), Expr::text(format(template)?)]);
    Some(call("pg_timestamp", vec![read]))
}
