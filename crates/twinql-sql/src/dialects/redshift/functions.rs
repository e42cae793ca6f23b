//! Redshift's functions (<https://docs.aws.amazon.com/redshift/latest/dg/c_SQL_functions.html>); what it has from PostgreSQL 8 means
//! what it means there.

use crate::dialects::Dialect;
use crate::dialects::aggregates::{Aggregate, To as Over, aggregate, listagg, median};
use crate::dialects::functions::To::{As, Call, Written};
use crate::dialects::functions::{Function, MANY, function, timed};
use crate::dialects::words::{self, word};
use crate::expr::Expr;
use crate::plan::Planner;

/// Every function that is known here.
#[rustfmt::skip]
pub(super) const ALL: &[Function] = &[
    // r_NVL_function, r_NVL2, r_DECODE_expression, r_GREATEST_LEAST
    function("nvl", (2, MANY), Call("coalesce")),
    function("greatest", (2, 16), Call("pg_greatest")),
    function("least", (2, 16), Call("pg_least")),
    // String functions.
    function("length|char_length|character_length", (1, 1), Call("length")),
    function("concat", (2, 2), As(Dialect::Redshift)),
    function("strpos", (2, 2), Call("instr")),
    function("btrim", (1, 1), Call("trim")),
    function("btrim|trim|ltrim|rtrim", (2, 2), As(Dialect::Postgres)),
    function("repeat", (2, 2), Call("pg_repeat")),
    function("split_part", (3, 3), Call("pg_split_part")),
    function("chr", (1, 1), Call("char")),
    function("regexp_count", (2, 2), Written(words::counts_matches)),
    function("regexp_replace", (2, 3), Written(words::replaces_all_by_dollars)),
    function("regexp_substr", (2, 2), Written(|_, args| words::extracted_or_empty(args.first()?, args.get(1)?, 0))),
    function("regexp_instr", (2, 2), Written(words::place_of_match)),
    function("left|right", (2, 2), As(Dialect::Mysql)),
    function("ascii", (1, 1), Call("pg_ascii")),
    function("md5", (1, 1), Call("sql_md5")),
    // r_LOG: of base 10 with one argument.
    function("log", (1, 1), Call("log10")),
    function("trunc", (1, 1), Written(trunc)),
    function("trunc", (2, 2), Call("pg_trunc_to")),
    // Date and time functions. DATEADD of a date is a timestamp.
    timed("dateadd|date_add", (3, 3), 0, Written(add)),
    timed("datediff|date_diff", (3, 3), 0, Written(difference)),
    timed("date_part", (2, 2), 0, As(Dialect::Postgres)),
    function("date_part_year", (1, 1), Written(words::year)),
    function("date_trunc|to_char|to_date|to_timestamp", (2, 2), As(Dialect::Postgres)),
    function("add_months", (2, 2), Written(words::months_later)),
    function("months_between", (2, 2), Call("ora_months_between")),
    function("next_day", (2, 2), Written(words::next_day)),
    function("last_day", (1, 1), Written(words::last_day)),
    function("sysdate|now", (0, 0), Call("current_timestamp")),
];

/// Every aggregate that others call otherwise.
pub(super) const AGGREGATES: &[Aggregate] = &[
    // r_LISTAGG, r_MEDIAN, r_ANY_VALUE
    aggregate("listagg", (1, 2), Over::Written(listagg)),
    aggregate("median", (1, 1), Over::Written(median)),
    aggregate("any_value", (1, 1), Over::Call("sql_any_value")),
];

/// A unit (r_Dateparts_for_datetime_functions).
fn unit(expr: &Expr) -> Option<&'static str> {
    Some(match word(expr)?.as_str() {
        "year" | "years" | "y" | "yr" | "yrs" => "year",
        "quarter" | "quarters" | "qtr" | "qtrs" => "quarter",
        "month" | "months" | "mon" | "mons" => "month",
        "week" | "weeks" | "w" => "week",
        "day" | "days" | "d" => "day",
        "hour" | "hours" | "h" | "hr" | "hrs" => "hour",
        "minute" | "minutes" | "m" | "min" | "mins" => "minute",
        "second" | "seconds" | "s" | "sec" | "secs" => "second",
        _ => return None,
    })
}

/// `DATEADD(unit, count, at)`.
fn add(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [name, count, at] = args else { return None };
    Some(planner.timestamp(&planner.later(at, count, unit(name)?)))
}

/// `DATEDIFF(unit, from, to)` counts beginnings; on which day a week begins its page does not say.
fn difference(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [name, from, to] = args else { return None };
    Some(planner.boundaries(unit(name).filter(|u| *u != "week")?, from, to))
}

/// `TRUNC(x)` of a number, the day of a moment.
fn trunc(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [x] = args else { return None };
    Some(match planner.is_number(x) {
        true => words::call("trunc", vec![x.clone()]),
        false if planner.is_moment(x) => planner.day(x),
        false => return None,
    })
}
