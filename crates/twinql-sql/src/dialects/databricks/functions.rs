//! Functions of Databricks and Spark (<https://docs.databricks.com/en/sql/language-manual/sql-ref-functions-builtin.html>); each has a
//! page of its name there.

use crate::dialects::Dialect;
use crate::dialects::aggregates::{Aggregate, To as Over, aggregate, count_if, listagg, median};
use crate::dialects::functions::To::{As, Call, Written};
use crate::dialects::functions::{Function, MANY, function, timed};
use crate::dialects::lists;
use crate::dialects::words::{self, call, format_of, formatted, of_epoch, word};
use crate::expr::Expr;
use crate::plan::Planner;
use crate::schema::Affinity;

/// Every function that is known here.
#[rustfmt::skip]
pub(super) const ALL: &[Function] = &[
    // Choices.
    function("if|iff", (3, 3), Call("iif")),
    function("nvl|ifnull", (2, 2), Call("coalesce")),
    function("zeroifnull", (1, 1), Written(words::zero_if_null)),
    function("nullifzero", (1, 1), Written(words::null_if_zero)),
    function("equal_null", (2, 2), Written(words::is_same)),
    function("isnull", (1, 1), Written(words::is_null)),
    function("isnotnull", (1, 1), Written(words::is_not_null)),
    function("greatest", (2, 16), Call("pg_greatest")),
    function("least", (2, 16), Call("pg_least")),
    // Texts.
    function("length|char_length|character_length", (1, 1), Call("length")),
    function("concat", (1, MANY), As(Dialect::Databricks)),
    function("concat_ws", (2, MANY), Call("concat_ws")),
    function("contains", (2, 2), Written(words::contains)),
    function("startswith", (2, 2), Written(words::starts_with)),
    function("endswith", (2, 2), Written(words::ends_with)),
    function("locate|position", (2, 2), Written(words::place_of)),
    function("lcase", (1, 1), Call("lower")),
    function("ucase", (1, 1), Call("upper")),
    function("left", (2, 2), As(Dialect::Mysql)),
    function("repeat", (2, 2), Call("pg_repeat")),
    function("substring_index", (3, 3), Call("my_substring_index")),
    function("split_part", (3, 3), Call("pg_split_part")),
    function("split", (2, 2), Written(split)),
    function("rlike|regexp|regexp_like", (2, 2), Written(words::matches)),
    function("regexp_replace", (3, 3), Written(words::replaces_all_by_dollars)),
    function("regexp_count", (2, 2), Written(words::counts_matches)),
    function("regexp_extract", (2, 3), Written(regexp_extract)),
    function("regexp_substr", (2, 2), Written(|_, args| Some(words::extracted(args.first()?, args.get(1)?, 1, 0)))),
    function("regexp_instr", (2, 2), Written(words::place_of_match)),
    function("regexp_extract_all", (3, 3), Written(words::all_matches)),
    function("ascii", (1, 1), Call("pg_ascii")),
    function("btrim", (1, 1), Call("trim")),
    function("chr|char", (1, 1), Call("char")),
    function("replace", (2, 2), Written(words::without)),
    function("space", (1, 1), Written(words::space)),
    function("levenshtein", (2, 2), Call("sql_edit_distance")),
    function("md5", (1, 1), Call("sql_md5")),
    function("sha2", (2, 2), Written(sha2)),
    function("uuid", (0, 0), Written(words::any_text)),
    // Numbers. LOG of one argument is the natural one.
    function("log", (1, 1), Call("ln")),
    function("log", (2, 2), Call("log")),
    function("log2", (1, 1), Call("log2")),
    function("try_add", (2, 2), Written(words::plus)),
    function("try_subtract", (2, 2), Written(words::minus)),
    function("try_multiply", (2, 2), Written(words::times)),
    function("try_divide", (2, 2), Written(words::divide)),
    function("signum", (1, 1), Call("sign")),
    function("rand|random", (0, 0), Call("random")),
    // Dates.
    function("dayofmonth", (1, 1), Written(words::day)),
    function("dayofyear", (1, 1), Written(words::day_of_year)),
    function("dayofweek", (1, 1), Written(words::sunday_is_1)),
    function("weekday", (1, 1), Written(words::monday_is_0)),
    function("weekofyear", (1, 1), Written(words::iso_week)),
    timed("date_part|datepart", (2, 2), 0, Written(date_part)),
    function("date_trunc", (2, 2), Written(date_trunc)),
    function("trunc", (2, 2), Written(trunc)),
    function("date_add", (2, 2), Written(|planner, args| Some(planner.later(&planner.day(args.first()?), args.get(1)?, "day")))),
    function("date_sub", (2, 2), Written(date_sub)),
    function("add_months", (2, 2), Written(|planner, args| Some(planner.later(&planner.day(args.first()?), args.get(1)?, "month")))),
    timed("dateadd|date_add|timestampadd", (3, 3), 0, Written(add)),
    function("datediff|date_diff", (2, 2), As(Dialect::Mysql)),
    timed("datediff|date_diff|timestampdiff", (3, 3), 0, Written(difference)),
    function("last_day", (1, 1), Written(words::last_day)),
    function("date_format", (2, 2), Written(date_format)),
    function("to_date|try_to_date", (1, 2), Written(to_date)),
    function("date", (1, 1), Written(to_date)),
    function("to_timestamp|try_to_timestamp", (1, 2), Written(to_timestamp)),
    function("make_date", (3, 3), As(Dialect::Postgres)),
    function("make_timestamp", (6, 6), Written(words::moment_of_parts)),
    function("next_day", (2, 2), Written(words::next_day)),
    function("months_between", (2, 2), Written(|_, args| Some(call("round", vec![call("ora_months_between", args.to_vec()), Expr::integer(8)])))),
    function("unix_timestamp|to_unix_timestamp|unix_seconds", (1, 1), Written(words::seconds)),
    function("unix_timestamp", (0, 0), Written(|planner, _| words::seconds(planner, &[call("current_timestamp", Vec::new())]))),
    function("unix_date", (1, 1), Written(words::days)),
    function("date_from_unix_date", (1, 1), Written(words::of_days)),
    function("from_unixtime|timestamp_seconds", (1, 1), Written(words::of_seconds)),
    function("timestamp_millis", (1, 1), Written(words::of_milliseconds)),
    function("timestamp_micros", (1, 1), Written(words::of_microseconds)),
    function("now", (0, 0), Call("current_timestamp")),
    function("curdate", (0, 0), Call("current_date")),
    // Arrays and documents.
    function("array", (0, 16), Written(lists::of_values)),
    function("named_struct", (2, MANY), Written(record)),
    function("array_size", (1, 1), Call("pg_array_length")),
    // NULL has size -1 or NULL, by a setting.
    function("size|cardinality", (1, 1), Written(size)),
    function("array_contains", (2, 2), Written(array_contains)),
    function("string", (1, 1), Written(|planner, args| Some(planner.as_text(args.first()?.clone())))),
    function("int|bigint|smallint|tinyint", (1, 1), Written(|planner, args| of_number(planner, args, Affinity::Integer))),
    function("double|float", (1, 1), Written(|planner, args| of_number(planner, args, Affinity::Real))),
    function("array_append", (2, 2), Written(lists::append)),
    function("array_prepend", (2, 2), Written(lists::prepend)),
    function("array_compact", (1, 1), Call("sql_array_compact")),
    function("array_sort", (1, 1), Call("sql_array_sort")),
    function("get_json_object", (2, 2), Written(lists::text_by_path)),
];

/// Every aggregate that others call otherwise.
pub(super) const AGGREGATES: &[Aggregate] = &[
    aggregate("count_if", (1, 1), Over::Written(count_if)),
    aggregate("mean", (1, 1), Over::Call("avg")),
    aggregate("median", (1, 1), Over::Written(median)),
    aggregate("percentile", (2, 2), Over::Written(words::quantile_between)),
    aggregate(
        "approx_percentile",
        (2, 3),
        Over::Written(|planner, args| words::near_quantile_of_values(planner, args.get(..2)?)),
    ),
    aggregate(
        "percentile_approx",
        (2, 3),
        Over::Written(|planner, args| words::near_quantile_of_values(planner, args.get(..2)?)),
    ),
    aggregate("approx_count_distinct", (1, 1), Over::Call("sql_approx_count_distinct")),
    aggregate("any_value|first|last", (1, 1), Over::Call("sql_any_value")),
    aggregate("mode", (1, 1), Over::Call("pg_mode")),
    aggregate("listagg", (1, 2), Over::Written(listagg)),
    aggregate("collect_list|array_agg", (1, 1), Over::Written(lists::present)),
    aggregate("collect_set", (1, 1), Over::Written(lists::each_once)),
    // Of the sample.
    aggregate("std", (1, 1), Over::Call("pg_stddev_samp")),
    aggregate("some|any", (1, 1), Over::Call("max")),
];

/// `SIZE(list)` of what is never NULL.
fn size(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [list] = args else { return None };
    let known = planner.is_list(list) && !planner.may_be_null(list);
    known.then(|| call("pg_array_length", vec![list.clone()]))
}

/// `INT(x)` and its like, casts of a number.
fn of_number(planner: &Planner<'_>, args: &[Expr], affinity: Affinity) -> Option<Expr> {
    let [number] = args else { return None };
    planner.is_number(number).then(|| number.clone().cast(affinity))
}

/// `ARRAY_CONTAINS(array, value)`: NULL where the value is, and where it might be a NULL of the array's.
fn array_contains(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [array, value] = args else { return None };
    if args.iter().any(Expr::has_subquery) {
        return None;
    }
    let found = call("pg_array_contains", vec![array.clone(), lists::of_one(planner, value)]);
    let length = |array: Expr| call("pg_array_length", vec![array]);
    let full = length(array.clone()).eq(length(call("sql_array_compact", vec![array.clone()])));
    let known = Expr::case(vec![(found, Expr::integer(1)), (full, Expr::integer(0))], None);
    Some(Expr::case(vec![(value.clone().is_null().not(), known)], None))
}

/// `NAMED_STRUCT('a', x, 'b', y)`.
fn record(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let mut parts = Vec::new();
    for pair in args.chunks(2) {
        let [name, value] = pair else { return None };
        name.as_text()?;
        parts.extend([name.clone(), planner.as_part(value.clone())]);
    }
    Some(call("json_object", parts))
}

/// `SHA2(x, 256)`.
fn sha2(_: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [x, bits] = args else { return None };
    matches!(bits.as_integer(), Some(0 | 256)).then(|| call("sql_sha256", vec![x.clone()]))
}

/// `SPLIT(text, pattern)` where the pattern is a text that means itself.
fn split(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let by = args.get(1)?.as_text()?;
    let plain = !by.is_empty()
        && !by.contains(['\\', '.', '[', ']', '(', ')', '{', '}', '*', '+', '?', '^', '$', '|']);
    plain.then(|| words::split(planner, args))?
}

/// `REGEXP_EXTRACT(text, pattern[, group])`: group 1 where none is said, '' where there is no match.
fn regexp_extract(_: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let group = args.get(2).map_or(Some(1), Expr::as_integer)?;
    words::extracted_or_empty(args.first()?, args.get(1)?, group)
}

/// The units of all functions of dates.
fn unit(expr: &Expr) -> Option<&'static str> {
    Some(match word(expr)?.as_str() {
        "year" | "yyyy" | "yy" => "year",
        "quarter" => "quarter",
        "month" | "mon" | "mm" => "month",
        "week" => "week",
        "day" | "dd" => "day",
        "hour" => "hour",
        "minute" => "minute",
        "second" => "second",
        "millisecond" => "millisecond",
        "microsecond" => "microsecond",
        _ => return None,
    })
}

/// `DATE_PART(part, at)`.
fn date_part(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [part, at] = args else { return None };
    let word = word(part)?;
    let known = Dialect::Databricks.part(&word)?;
    // Seconds have a fraction.
    (!known.starts_with("sec") && known != "s").then(|| planner.date_part(known, at))
}

/// `DATE_TRUNC(unit, at)` is a timestamp.
fn date_trunc(_: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [name, at] = args else { return None };
    Some(call("pg_date_trunc", vec![Expr::text(unit(name)?), at.clone()]))
}

/// `TRUNC(at, unit)` is a date.
fn trunc(_: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [at, name] = args else { return None };
    let unit = unit(name).filter(|u| matches!(*u, "year" | "quarter" | "month" | "week"))?;
    Some(call("date", vec![call("pg_date_trunc", vec![Expr::text(unit), at.clone()])]))
}

/// `DATE_SUB(at, days)`.
fn date_sub(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [at, days] = args else { return None };
    Some(planner.later(&planner.day(at), &days.counted_back(), "day"))
}

/// `DATEADD(unit, count, at)` is a timestamp.
fn add(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [name, count, at] = args else { return None };
    Some(planner.timestamp(&planner.later(at, count, unit(name)?)))
}

/// `DATEDIFF(unit, from, to)` counts whole units.
fn difference(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [name, from, to] = args else { return None };
    Some(planner.whole_units(unit(name)?, from, to))
}

/// Parts of a format (sql-ref-datetime-pattern), in MySQL's words.
const FORMAT: &[(&str, &str)] = &[
    ("yyyy", "%Y"),
    ("yy", "%y"),
    ("y", "%Y"),
    ("MMMM", "%M"),
    ("MMM", "%b"),
    ("MM", "%m"),
    ("M", "%c"),
    ("dd", "%d"),
    ("d", "%e"),
    ("EEEE", "%W"),
    ("EEE", "%a"),
    ("E", "%a"),
    ("HH", "%H"),
    ("hh", "%h"),
    ("mm", "%i"),
    ("ss", "%s"),
    ("a", "%p"),
];

fn format(expr: &Expr) -> Option<String> {
    format_of(expr.as_text()?, FORMAT, '\'', true)
}

/// `DATE_FORMAT(at, format)`.
pub(in crate::dialects) fn date_format(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [at, template] = args else { return None };
    Some(formatted(planner, at, format(template)?))
}

fn read(args: &[Expr]) -> Option<Expr> {
    let [text, template] = args else { return None };
    Some(call("my_str_to_date", vec![text.clone(), Expr::text(format(template)?)]))
}

/// `TO_DATE(x)`, `TO_DATE(text, format)`.
fn to_date(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    match args {
        [x] if planner.is_number(x) => None,
        [x] => Some(planner.day(x)),
        _ => Some(call("date", vec![read(args)?])),
    }
}

/// `TO_TIMESTAMP(x)`, `TO_TIMESTAMP(text, format)`: a number counts seconds.
fn to_timestamp(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    match args {
        [x] if planner.is_number(x) => Some(of_epoch(x, 1)),
        [x] => Some(planner.timestamp(x)),
        _ => Some(call("pg_timestamp", vec![read(args)?])),
    }
}
