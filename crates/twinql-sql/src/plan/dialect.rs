//! What other dialects write differently, in SQLite's terms: functions, patterns,
//! division, casts.
//!
//! Each function here has to give SQLite's answer for what the other dialect means, or leave the call alone:
//! a function that SQLite lacks is opaque to all rules, a wrong translation would be a wrong proof.

use super::temporal::call;
use super::types::info_of;
use crate::dialects::Dialect;
use crate::dialects::profile::{Division, WithNull};
use crate::expr::{BinaryOp, Expr};
use crate::function;
use crate::rel::Columns;
use crate::schema::{Affinity, TypeClass};
use crate::value::Value;

/// A part of a date as a whole number.
pub(super) fn extract(field: &str, date: Expr) -> Expr {
    let format = match field.to_ascii_lowercase().as_str() {
        "year" | "years" => "%Y",
        "month" | "months" => "%m",
        "day" | "days" | "dayofmonth" => "%d",
        "hour" | "hours" => "%H",
        "minute" | "minutes" => "%M",
        "second" | "seconds" => "%S",
        "dow" => "%w",
        "isodow" => "%u",
        "doy" | "dayofyear" => "%j",
        "epoch" => "%s",
        other => return call(&format!("extract_{other}"), vec![date]),
    };
    call("strftime", vec![Expr::text(format), date]).cast(Affinity::Integer)
}

/// MySQL's parts of several units as strftime's format, the digits of which are one number: `EXTRACT(YEAR_MONTH FROM d)` is 202402.
pub(super) fn composite(field: &str) -> Option<&'static str> {
    Some(match field.to_ascii_lowercase().as_str() {
        "year_month" => "%Y%m",
        "day_hour" => "%d%H",
        "day_minute" => "%d%H%M",
        "day_second" => "%d%H%M%S",
        "hour_minute" => "%H%M",
        "hour_second" => "%H%M%S",
        "minute_second" => "%M%S",
        _ => return None,
    })
}

/// `WIDTH_BUCKET(x, low, high, n)`: in which of n parts of the same width a number lies, 0 below them and n + 1 above
/// (PostgreSQL: functions-math; Snowflake, Oracle, Trino and Databricks the same).
pub(crate) fn width_bucket(x: &Expr, low: &Expr, high: &Expr, count: &Expr) -> Expr {
    let minus = |l: &Expr, r: &Expr| Expr::binary(BinaryOp::Sub, l.clone(), r.clone());
    let part = Expr::binary(
        BinaryOp::Div,
        Expr::binary(BinaryOp::Mul, minus(x, low).cast(Affinity::Real), count.clone()),
        minus(high, low),
    );
    let one_more = |n: Expr| Expr::binary(BinaryOp::Add, n, Expr::integer(1));
    let above = Expr::binary(BinaryOp::GtEq, x.clone(), high.clone());
    let below = Expr::binary(BinaryOp::Lt, x.clone(), low.clone());
    let inside = one_more(part.cast(Affinity::Integer));
    let known = x.clone().is_null().not();
    Expr::case(vec![(below, Expr::integer(0)), (above, one_more(count.clone())), (known, inside)], None)
}

/// MySQL's date format as strftime's, if each part of it has one.
pub(super) fn mysql_format(format: &str) -> Option<String> {
    let mut out = String::new();
    let mut chars = format.chars();
    while let Some(c) = chars.next() {
        if c != '%' {
            out.push(c);
            continue;
        }
        out.push_str(match chars.next()? {
            'Y' => "%Y",
            'm' => "%m",
            'd' => "%d",
            'H' => "%H",
            'i' => "%M",
            's' | 'S' => "%S",
            'j' => "%j",
            'w' => "%w",
            'T' => "%H:%M:%S",
            '%' => "%%",
            _ => return None,
        });
    }
    Some(out)
}

/// A scalar function's call by the names that SQLite has for it; what it has none for
/// stays as it is, an opaque function.
pub(super) fn common(dialect: Dialect, name: String, args: Vec<Expr>) -> Expr {
    if let Some(renamed) = function::sqlite_name(dialect, &name, args.len()) {
        return call(renamed, args);
    }
    match (name.as_str(), args.as_slice()) {
        ("to_date", [date, format]) if format.as_text() == Some("YYYY-MM-DD") => {
            call("date", vec![date.clone()])
        }
        ("locate" | "charindex", [part, whole]) => call("instr", vec![whole.clone(), part.clone()]),
        ("year" | "month" | "day" | "dayofmonth" | "hour" | "minute" | "second" | "dayofyear", [date]) => {
            extract(&name, date.clone())
        }
        // MySQL counts midnights: from 23:59 to 00:01 of the next day it is 1.
        ("datediff", [later, earlier]) => {
            let day = |e: &Expr| call("julianday", vec![call("date", vec![e.clone()])]);
            Expr::binary(BinaryOp::Sub, day(later), day(earlier)).cast(Affinity::Integer)
        }
        ("isnull", [e]) => e.clone().is_null(),
        // MySQL's CONCAT is NULL where an argument is, as || is; PostgreSQL's passes over it.
        ("concat", [_, _, ..]) if dialect.meaning().concat == WithNull::Null => {
            args.into_iter().reduce(|l, r| Expr::binary(BinaryOp::Concat, l, r)).unwrap_or(Expr::NULL)
        }
        ("concat", [e]) if dialect.meaning().concat == WithNull::Null => e.clone().cast(Affinity::Text),
        _ => call(&name, args),
    }
}

/// `left / right`.
///
/// `7 / 2` is 3 in SQLite and PostgreSQL, 3.5 in MySQL; the systems that `generic` stands for differ. SQLite looks at the values, PostgreSQL at the
/// declared types: a NUMERIC column that holds 7 is an integer for the first and has a fraction for the
/// second; `decimals` says that an operand has a fraction by its type although its values are whole. A cast to REAL says so in SQLite; a literal with a fraction needs none.
pub(super) fn divide(dialect: Dialect, left: Expr, right: Expr, decimals: bool, columns: &Columns) -> Expr {
    let fractional = |e: &Expr| matches!(e, Expr::Literal(Value::Real(_)));
    let class = |e: &Expr| info_of(e, columns).class;
    let any_number = decimals || class(&left) == TypeClass::Number || class(&right) == TypeClass::Number;
    let as_fraction = match dialect.meaning().division {
        Division::ByStorage => false,
        Division::ByType => any_number,
        Division::Fraction => true,
        Division::Unknown if any_number => true,
        // A function of no system: whole numbers may be cut to a whole number, or not.
        Division::Unknown => return call("generic_divide", vec![left, right]),
    };
    if as_fraction && !fractional(&left) && !fractional(&right) {
        Expr::binary(BinaryOp::Div, left.cast(Affinity::Real), right)
    } else {
        Expr::binary(BinaryOp::Div, left, right)
    }
}

/// MySQL's `left DIV right`: the quotient without its fraction.
pub(super) fn divide_whole(left: Expr, right: Expr, columns: &Columns) -> Expr {
    let integer = |e: &Expr| info_of(e, columns).class == TypeClass::Integer;
    if integer(&left) && integer(&right) {
        Expr::binary(BinaryOp::Div, left, right)
    } else {
        Expr::binary(BinaryOp::Div, left.cast(Affinity::Real), right).cast(Affinity::Integer)
    }
}

/// `expr LIKE pattern` where cases count: GLOB, its pattern rewritten. An escape that is
/// no constant, or a pattern that ends in it, leaves an opaque function.
///
/// SQLite's LIKE ignores the case of ASCII letters, its GLOB does not: `name LIKE 'A%_'` → `name GLOB
/// 'A*?'`, and what is special in GLOB alone stands in brackets.
pub(super) fn like_with_case(expr: Expr, pattern: Expr, escape: Option<char>) -> Expr {
    let Some(written) = pattern.as_text() else {
        // The same, done when the query runs: brackets first, for the others make some.
        let steps = [("[", "[[]"), ("*", "[*]"), ("?", "[?]"), ("%", "*"), ("_", "?")];
        let glob = steps
            .into_iter()
            .fold(pattern, |p, (from, to)| call("replace", vec![p, Expr::text(from), Expr::text(to)]));
        return Expr::binary(BinaryOp::Glob, expr, glob);
    };
    let mut glob = String::with_capacity(written.len());
    let mut chars = written.chars();
    while let Some(c) = chars.next() {
        if Some(c) == escape {
            match chars.next() {
                Some(next) => push_verbatim(&mut glob, next),
                None => return call("like_with_case", vec![expr, pattern]),
            }
            continue;
        }
        match c {
            '%' => glob.push('*'),
            '_' => glob.push('?'),
            other => push_verbatim(&mut glob, other),
        }
    }
    Expr::binary(BinaryOp::Glob, expr, Expr::text(&glob))
}

fn push_verbatim(glob: &mut String, c: char) {
    if matches!(c, '*' | '?' | '[') {
        glob.push('[');
        glob.push(c);
        glob.push(']');
    } else {
        glob.push(c);
    }
}
