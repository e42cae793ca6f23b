//! Oracle's functions (<https://docs.oracle.com/en/database/oracle/oracle-database/19/sqlrf/Functions.html>).

use crate::dialects::Dialect;
use crate::dialects::aggregates::{Aggregate, To as Over, aggregate, listagg, median};
use crate::dialects::functions::{Function, MANY, To, function};
use crate::dialects::words;
use crate::expr::{BinaryOp, Expr};
use crate::plan::Planner;
use crate::schema::{Affinity, TypeClass};
use crate::temporal::Moment;

/// Every function that is known here.
#[rustfmt::skip]
pub(super) const ALL: &[Function] = &[
    // Choices.
    function("nvl", (2, 2), To::Call("coalesce")),
    function("nvl2", (3, 3), To::Written(words::nvl2)),
    function("decode", (3, MANY), To::Written(decode)),
    function("greatest", (1, 16), To::Call("max")),
    function("least", (1, 16), To::Call("min")),
    // Texts.
    function("length", (1, 1), To::Call("length")),
    function("substr", (2, 3), To::Written(substr)),
    function("instr", (3, 4), To::Call("ora_instr")),
    function("concat", (2, 2), To::Written(concat)),
    function("initcap", (1, 1), To::Call("pg_initcap")),
    function("lpad", (2, 3), To::Call("pg_lpad")),
    function("rpad", (2, 3), To::Call("pg_rpad")),
    function("reverse", (1, 1), To::Call("pg_reverse")),
    function("translate", (3, 3), To::Call("pg_translate")),
    function("chr", (1, 1), To::Call("char")),
    function("ascii", (1, 1), To::Call("unicode")),
    function("regexp_like", (2, 2), To::As(Dialect::Postgres)),
    function("regexp_like", (3, 3), To::Call("pg_regexp")),
    function("regexp_replace", (3, 3), To::Written(regexp_replace)),
    function("regexp_substr", (2, 2), To::Written(|_, args| Some(words::extracted(args.first()?, args.get(1)?, 1, 0)))),
    function("regexp_count", (2, 2), To::Written(words::counts_matches)),
    function("regexp_instr", (2, 2), To::Written(words::place_of_match)),
    function("replace", (2, 3), To::Written(replace)),
    function("trim", (1, 2), To::Written(|planner, args| trim(planner, "trim", args))),
    function("ltrim", (1, 2), To::Written(|planner, args| trim(planner, "ltrim", args))),
    function("rtrim", (1, 2), To::Written(|planner, args| trim(planner, "rtrim", args))),
    function("json_value", (2, 2), To::Call("bq_json_value")),
    function("sys_guid", (0, 0), To::Written(words::any_text)),
    // Numbers.
    function("bitand", (2, 2), To::Written(words::bits_of_both)),
    function("width_bucket", (4, 4), To::Written(words::width_bucket)),
    function("round", (1, 2), To::Written(round)),
    function("trunc", (1, 2), To::Written(trunc)),
    function("log", (2, 2), To::Call("log")),
    function("mod", (2, 2), To::As(Dialect::Postgres)),
    // Conversions.
    function("to_char", (1, 2), To::Written(to_char)),
    function("to_date", (2, 2), To::Written(to_date)),
    function("to_timestamp", (2, 2), To::Written(to_timestamp)),
    function("to_number", (1, 1), To::Written(to_number)),
    // Dates.
    function("add_months", (2, 2), To::Call("ora_add_months")),
    function("months_between", (2, 2), To::Call("ora_months_between")),
    function("next_day", (2, 2), To::Written(words::next_day)),
    function("numtodsinterval|numtoyminterval", (2, 2), To::Written(span_of)),
    function("last_day", (1, 1), To::Call("my_last_day")),
];

/// Every aggregate that others call otherwise.
pub(super) const AGGREGATES: &[Aggregate] = &[
    // <https://docs.oracle.com/en/database/oracle/oracle-database/19/sqlrf/MEDIAN.html>
    aggregate("median", (1, 1), Over::Written(median)),
    // <https://docs.oracle.com/en/database/oracle/oracle-database/19/sqlrf/LISTAGG.html>
    aggregate("listagg", (1, 2), Over::Written(listagg)),
    // <https://docs.oracle.com/en/database/oracle/oracle-database/19/sqlrf/STATS_MODE.html>
    aggregate("stats_mode", (1, 1), Over::Call("pg_mode")),
    aggregate("any_value", (1, 1), Over::Call("sql_any_value")),
    aggregate("approx_count_distinct", (1, 1), Over::Call("sql_approx_count_distinct")),
    // Of one row 0, where STDDEV_SAMP is NULL: <https://docs.oracle.com/en/database/oracle/oracle-database/19/sqlrf/STDDEV.html>
    aggregate("stddev|variance", (1, 1), Over::Written(|_, _| None)),
];

fn call(name: &str, args: Vec<Expr>) -> Expr {
    Expr::function(name, args)
}

/// `NUMTODSINTERVAL(n, 'DAY')`, `NUMTOYMINTERVAL(n, 'MONTH')`.
fn span_of(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [count, unit] = args else { return None };
    let unit = words::word(unit)?;
    let known = ["year", "month", "day", "hour", "minute", "second"].contains(&unit.as_str());
    known.then(|| planner.span(count, &unit))
}

/// `DECODE(x, a, b, …, otherwise)`: b where x is a, NULL included.
fn decode(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let (value, rest) = args.split_first()?;
    if value.has_subquery() {
        return None;
    }
    let pairs = rest.chunks_exact(2);
    let otherwise = pairs.remainder().first().cloned();
    let branches = pairs.filter_map(|pair| {
        let [wanted, then] = pair else { return None };
        let is = match wanted {
            Expr::Literal(_) if wanted.is_null_literal() => value.clone().is_null(),
            Expr::Literal(_) => planner.compare(BinaryOp::Eq, value.clone(), wanted.clone()),
            _ => planner.compare(BinaryOp::Is, value.clone(), wanted.clone()),
        };
        Some((is, then.clone()))
    });
    Some(Expr::case(branches.collect(), otherwise))
}

/// `SUBSTR(x, from[, count])`: from the end where `from` is negative, NULL where that is before the first character.
fn substr(_: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let counted = match args.get(2) {
        None => true,
        Some(n) => n.as_integer().is_some_and(|n| n > 0),
    };
    Some(match args.get(1).and_then(Expr::as_integer) {
        Some(1..) if counted => or_null(call("substr", args.to_vec())),
        Some(0) if counted => {
            let first = args.first().cloned().into_iter().chain([Expr::integer(1)]);
            or_null(call("substr", first.chain(args.get(2).cloned()).collect()))
        }
        _ => call("ora_substr", args.to_vec()),
    })
}

/// What a function gives, NULL where that is the empty text, which Oracle does not have
/// (<https://docs.oracle.com/en/database/oracle/oracle-database/19/sqlrf/Nulls.html>).
fn or_null(text: Expr) -> Expr {
    call("nullif", vec![text, Expr::text("")])
}

/// `REPLACE(x, part[, by])`: a null `by` takes the parts away, and a null part leaves the text as it is.
fn replace(_: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let is_null = |e: &Expr| e.is_null_literal() || e.as_text() == Some("");
    let (text, part) = (args.first()?, args.get(1)?);
    match args.get(2) {
        _ if is_null(part) => Some(text.clone()),
        Some(by) if !is_null(by) => match (part, by) {
            // Either may be NULL.
            (Expr::Literal(_), Expr::Literal(_)) => Some(or_null(call("replace", args.to_vec()))),
            _ => None,
        },
        _ => match part {
            Expr::Literal(_) => {
                Some(or_null(call("replace", vec![text.clone(), part.clone(), Expr::text("")])))
            }
            _ => None,
        },
    }
}

/// `TRIM(x)`, `LTRIM(x, characters)` and their like.
fn trim(planner: &Planner<'_>, name: &str, args: &[Expr]) -> Option<Expr> {
    Some(or_null(planner.as_in(Dialect::Postgres, name, args.to_vec())))
}

/// `CONCAT(a, b)` is `a || b`.
fn concat(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [left, right] = args else { return None };
    Some(planner.joined_texts(left.clone(), right.clone()))
}

/// `REGEXP_REPLACE(x, pattern, by)` replaces all of them.
fn regexp_replace(_: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    Some(call("pg_regexp_replace", args.iter().cloned().chain([Expr::text("g")]).collect()))
}

/// Whether a value is a date; where a function wants one or a number, a text of that form was written as `DATE '…'`.
fn is_date(planner: &Planner<'_>, value: &Expr) -> bool {
    planner.is_moment(value) || value.as_text().and_then(Moment::parse).is_some()
}

/// `ROUND(number[, places])`; of dates it is another function.
fn round(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    if is_date(planner, args.first()?) {
        return None;
    }
    Some(match args.get(1).map(Expr::as_integer) {
        None | Some(Some(0..)) => call("round", args.to_vec()),
        _ => call("pg_round_to", args.to_vec()),
    })
}

/// `TRUNC(number[, places])`, `TRUNC(date[, unit])`.
fn trunc(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let (value, rest) = args.split_first()?;
    if !is_date(planner, value) {
        let number = matches!(planner.class(value), TypeClass::Integer | TypeClass::Number);
        return match rest {
            _ if !number => None,
            [] => Some(call("trunc", args.to_vec())),
            _ => Some(call("pg_trunc_to", args.to_vec())),
        };
    }
    let start = |of: &str| call("date", vec![value.clone(), Expr::text(of)]);
    // <https://docs.oracle.com/en/database/oracle/oracle-database/19/sqlrf/ROUND-and-TRUNC-Date-Functions.html>
    Some(match rest.first().map(|unit| unit.as_text().map(str::to_ascii_uppercase)) {
        None => call("date", vec![value.clone()]),
        Some(unit) => match unit?.as_str() {
            "DDD" | "DD" | "J" => call("date", vec![value.clone()]),
            "MONTH" | "MON" | "MM" | "RM" => start("start of month"),
            "SYYYY" | "YYYY" | "YEAR" | "SYEAR" | "YYY" | "YY" | "Y" => start("start of year"),
            "Q" => call("date", vec![call("pg_date_trunc", vec![Expr::text("quarter"), value.clone()])]),
            "IW" => call("date", vec![call("pg_date_trunc", vec![Expr::text("week"), value.clone()])]),
            "HH" | "HH12" | "HH24" => call("pg_date_trunc", vec![Expr::text("hour"), value.clone()]),
            "MI" => call("pg_date_trunc", vec![Expr::text("minute"), value.clone()]),
            _ => return None,
        },
    })
}

/// The parts of a format of dates that are the same in Oracle and PostgreSQL, the longest first
/// (<https://docs.oracle.com/en/database/oracle/oracle-database/19/sqlrf/Format-Models.html#datetime-format-elements>).
const PARTS: [(&str, &str); 16] = [
    ("YYYY", "%Y"),
    ("HH24", "%H"),
    ("HH12", "%h"),
    ("IYYY", ""),
    ("MONTH", ""),
    ("MON", "%b"),
    ("DDD", "%j"),
    ("DAY", ""),
    ("DY", "%a"),
    ("YY", "%y"),
    ("MM", "%m"),
    ("DD", "%d"),
    ("MI", "%i"),
    ("SS", "%s"),
    ("HH", "%h"),
    ("AM", "%p"),
];

/// A format of dates in MySQL's words; `None` where it has other parts than numbers and short names.
fn of_dates(format: &str) -> Option<String> {
    let mut out = String::new();
    let upper = format.to_ascii_uppercase();
    let mut rest = upper.as_str();
    while let Some(first) = rest.chars().next() {
        if !first.is_ascii_alphanumeric() {
            // A percent sign would begin a part.
            if first == '%' || first == '"' || !first.is_ascii() {
                return None;
            }
            out.push(first);
            rest = rest.get(1..)?;
            continue;
        }
        let (part, written) = match rest.strip_prefix("PM") {
            Some(_) => ("PM", "%p"),
            None => PARTS.into_iter().find(|(part, _)| rest.starts_with(part))?,
        };
        if written.is_empty() {
            return None;
        }
        out.push_str(written);
        rest = rest.get(part.len()..)?;
    }
    Some(out)
}

/// `TO_CHAR(x[, format])`.
fn to_char(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let (value, rest) = args.split_first()?;
    let class = planner.class(value);
    let format = match rest {
        [] => {
            return match class {
                _ if is_date(planner, value) => None,
                TypeClass::Text => Some(value.clone()),
                TypeClass::Integer => Some(value.clone().cast(Affinity::Text)),
                _ => None,
            };
        }
        [format, ..] => format.as_text()?,
    };
    if matches!(class, TypeClass::Integer | TypeClass::Number) {
        // Digits, groups and a point: <https://docs.oracle.com/en/database/oracle/oracle-database/19/sqlrf/Format-Models.html#number-format-models>
        let digits = format.strip_prefix("FM").unwrap_or(format);
        let plain = digits.bytes().all(|b| matches!(b, b'9' | b'0' | b',' | b'.'));
        return plain.then(|| call("ora_number_text", args.to_vec()));
    }
    if !is_date(planner, value) {
        return None;
    }
    // Names in full are padded, and written as the format is.
    let upper = format.to_ascii_uppercase();
    if upper == format && (upper.contains("MON") || upper.contains("DY")) {
        return of_dates(format)
            .map(|format| call("upper", vec![planner.date_in_format(value.clone(), &format)]));
    }
    Some(match format {
        "Mon" => planner.date_in_format(value.clone(), "%b"),
        "Dy" => planner.date_in_format(value.clone(), "%a"),
        "FMMonth" | "fmMonth" => planner.date_in_format(value.clone(), "%M"),
        "FMDay" | "fmDay" => planner.date_in_format(value.clone(), "%W"),
        "Q" | "q" => planner.extract("quarter", value.clone()).cast(Affinity::Text),
        "IW" | "iw" => call("pg_to_char", vec![value.clone(), Expr::text("IW")]),
        _ if upper.contains("MON") || upper.contains("DY") => return None,
        _ => planner.date_in_format(value.clone(), &of_dates(format)?),
    })
}

/// `TO_DATE(text, format)`.
fn to_date(_: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [text, format] = args else { return None };
    let format = format.as_text()?.to_ascii_uppercase();
    if format == "YYYY-MM-DD" {
        return Some(call("date", vec![text.clone()]));
    }
    // Without a day it is the first of the month, without a month that of today.
    if !format.contains("DD") || !format.contains("MM") && !format.contains("MON") || !format.contains("YY") {
        return None;
    }
    Some(call("my_str_to_date", vec![text.clone(), Expr::text(of_dates(&format)?)]))
}

/// `TO_TIMESTAMP(text, format)`.
fn to_timestamp(_: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [text, format] = args else { return None };
    let format = format.as_text()?.to_ascii_uppercase();
    if format == "YYYY-MM-DD HH24:MI:SS" {
        return Some(call("pg_timestamp", vec![text.clone()]));
    }
    if !format.contains("DD") || !format.contains("MM") || !format.contains("YYYY") {
        return None;
    }
    let parsed = call("my_str_to_date", vec![text.clone(), Expr::text(of_dates(&format)?)]);
    Some(call("pg_timestamp", vec![parsed]))
}

/// `TO_NUMBER(text)`.
fn to_number(_: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [text] = args else { return None };
    Some(text.clone().cast(Affinity::Numeric))
}
