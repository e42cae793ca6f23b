//! ClickHouse's functions (<https://clickhouse.com/docs/sql-reference/functions>), by their names in lower case.

use crate::dialects::Dialect;
use crate::dialects::aggregates::{Aggregate, To as Over, Words, aggregate, count_if};
use crate::dialects::functions::To::{As, Call, Written};
use crate::dialects::functions::{Function, MANY, function};
use crate::dialects::words::{self, call, word};
use crate::expr::{BinaryOp, Expr};
use crate::plan::Planner;
use crate::schema::{Affinity, TypeClass};

/// Every function that is known here.
#[rustfmt::skip]
pub(super) const ALL: &[Function] = &[
    // functions/conditional-functions, functions/functions-for-nulls
    function("if", (3, 3), Call("iif")),
    function("multiif", (3, MANY), Written(multi_if)),
    function("ifnull", (2, 2), Call("coalesce")),
    function("isnull", (1, 1), Written(|_, args| Some(args.first()?.clone().is_null()))),
    function("isnotnull", (1, 1), Written(|_, args| Some(args.first()?.clone().is_null().not()))),
    // functions/string-functions: LENGTH and SUBSTRING count bytes, LOWER and UPPER know ASCII.
    function("length", (1, 1), Call("octet_length")),
    function("lengthutf8", (1, 1), Call("length")),
    function("char_length", (1, 1), Call("length")),
    function("substring", (2, 3), Written(|_, _| None)),
    function("substr", (2, 3), Written(|_, _| None)),
    function("substringutf8", (3, 3), Call("substr")),
    function("concat", (2, MANY), As(Dialect::Clickhouse)),
    function("startswith", (2, 2), Written(words::starts_with)),
    function("endswith", (2, 2), Written(words::ends_with)),
    function("reverseutf8", (1, 1), Call("pg_reverse")),
    function("replaceall", (3, 3), Call("replace")),
    function("splitbychar", (2, 2), Written(split)),
    function("splitbystring", (2, 2), Written(split)),
    function("match", (2, 2), Written(words::matches)),
    // functions/rounding-functions: halves of binary numbers go to even ones.
    function("round", (1, 2), Written(|_, _| None)),
    function("intdiv", (2, 2), Written(int_div)),
    function("tostring", (1, 1), Written(to_string)),
    function("tofloat64", (1, 1), Written(|_, args| Some(args.first()?.clone().cast(Affinity::Real)))),
    // functions/date-time-functions
    function("toyear", (1, 1), Written(words::year)),
    function("toquarter", (1, 1), Written(words::quarter)),
    function("tomonth", (1, 1), Written(words::month)),
    function("todayofmonth", (1, 1), Written(words::day)),
    function("todayofyear", (1, 1), Written(words::day_of_year)),
    function("todayofweek", (1, 1), Written(words::monday_is_1)),
    function("tohour", (1, 1), Written(words::hour)),
    function("tominute", (1, 1), Written(words::minute)),
    function("tosecond", (1, 1), Written(words::second)),
    function("year", (1, 1), Written(words::year)),
    function("month", (1, 1), Written(words::month)),
    function("day", (1, 1), Written(words::day)),
    function("hour", (1, 1), Written(words::hour)),
    function("tostartofyear", (1, 1), Written(|_, args| start("year", args))),
    function("tostartofquarter", (1, 1), Written(|_, args| start("quarter", args))),
    function("tostartofmonth", (1, 1), Written(|_, args| start("month", args))),
    function("tomonday", (1, 1), Written(|_, args| start("week", args))),
    function("tostartofhour", (1, 1), Written(|_, args| Some(call("pg_date_trunc", vec![Expr::text("hour"), args.first()?.clone()])))),
    function("datediff", (3, 3), Written(date_diff)),
    function("date_diff", (3, 3), Written(date_diff)),
    function("todate", (1, 1), Written(|planner, args| { let x = args.first()?; (!planner.is_number(x)).then(|| planner.day(x)) })),
    function("today", (0, 0), Call("current_date")),
    function("now", (0, 0), Call("current_timestamp")),
];

/// Every aggregate that others call otherwise (aggregate-functions).
pub(super) const AGGREGATES: &[Aggregate] = &[
    aggregate("countif", (1, 1), Over::Written(count_if)),
    aggregate("uniqexact", (1, 1), Over::Written(distinct_count)),
    aggregate("stddevpop", (1, 1), Over::Call("pg_stddev_pop")),
    aggregate("stddevsamp", (1, 1), Over::Call("pg_stddev_samp")),
    aggregate("varpop", (1, 1), Over::Call("pg_var_pop")),
    aggregate("varsamp", (1, 1), Over::Call("pg_var_samp")),
];

/// `uniqExact(x)`.
fn distinct_count(_: &Planner<'_>, args: &[Expr]) -> Option<Words> {
    Some(Words { distinct: true, ..Words::new("count", args.to_vec()) })
}

/// `multiIf(c1, a, c2, b, otherwise)`.
fn multi_if(_: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let pairs = args.chunks_exact(2);
    let otherwise = pairs.remainder().first()?.clone();
    let branches: Vec<(Expr, Expr)> = pairs
        .filter_map(|pair| match pair {
            [condition, then] => Some((condition.clone(), then.clone())),
            _ => None,
        })
        .collect();
    Some(Expr::case(branches, Some(otherwise)))
}

/// `splitByChar(separator, text)`.
fn split(_: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [by, text] = args else { return None };
    by.as_text().filter(|by| !by.is_empty())?;
    Some(call("sql_split", vec![text.clone(), by.clone()]))
}

/// `intDiv(a, b)` of whole numbers.
fn int_div(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [left, right] = args else { return None };
    let whole = |e: &Expr| planner.class(e) == TypeClass::Integer;
    (whole(left) && whole(right)).then(|| Expr::binary(BinaryOp::Div, left.clone(), right.clone()))
}

/// `toString(x)` of a text or a whole number.
fn to_string(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [x] = args else { return None };
    let known = matches!(planner.class(x), TypeClass::Integer | TypeClass::Text);
    known.then(|| x.clone().cast(Affinity::Text))
}

/// The first day of a unit.
fn start(unit: &str, args: &[Expr]) -> Option<Expr> {
    Some(call("date", vec![call("pg_date_trunc", vec![Expr::text(unit), args.first()?.clone()])]))
}

/// `dateDiff('unit', from, to)` counts beginnings.
fn date_diff(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [name, from, to] = args else { return None };
    let known = ["year", "quarter", "month", "day", "hour", "minute", "second"];
    let unit = word(name).filter(|u| known.contains(&u.as_str()))?;
    Some(planner.boundaries(&unit, from, to))
}
