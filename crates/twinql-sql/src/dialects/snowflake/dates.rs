//! Snowflake's dates (<https://docs.snowflake.com/en/sql-reference/functions-date-time>), with its parameters as they are where
//! nobody sets them: WEEK_START 0 and WEEK_OF_YEAR_POLICY 0 are the weeks of ISO 8601, TIMESTAMP_TYPE_MAPPING has no zone.

use crate::dialects::Dialect;
use crate::dialects::words::{self, call, format_of, formatted, of_epoch, scaled, word};
use crate::expr::Expr;
use crate::plan::Planner;
use crate::schema::{Affinity, TypeClass};

/// A unit of DATEADD, DATEDIFF, DATE_TRUNC and LAST_DAY, in all its spellings.
fn unit(expr: &Expr) -> Option<&'static str> {
    Some(match word(expr)?.as_str() {
        "year" | "y" | "yy" | "yyy" | "yyyy" | "yr" | "years" | "yrs" => "year",
        "quarter" | "q" | "qtr" | "qtrs" | "quarters" => "quarter",
        "month" | "mm" | "mon" | "mons" | "months" => "month",
        "week" | "w" | "wk" | "weekofyear" | "woy" | "wy" | "weeks" => "week",
        "day" | "d" | "dd" | "days" | "dayofmonth" => "day",
        "hour" | "h" | "hh" | "hr" | "hours" | "hrs" => "hour",
        "minute" | "m" | "mi" | "min" | "minutes" | "mins" => "minute",
        "second" | "s" | "sec" | "seconds" | "secs" => "second",
        "millisecond" | "ms" | "msec" | "milliseconds" => "millisecond",
        "microsecond" | "us" | "usec" | "microseconds" => "microsecond",
        _ => return None,
    })
}

/// A part of DATE_PART and EXTRACT, by the name that PostgreSQL has for it.
pub(in crate::dialects) fn part(name: &str) -> Option<&'static str> {
    Some(match name.to_ascii_lowercase().as_str() {
        "dayofweek" | "weekday" | "dow" | "dw" => "dow",
        "dayofweekiso" | "weekday_iso" | "dow_iso" | "dw_iso" | "dayofweek_iso" => "isodow",
        "dayofyear" | "yearday" | "doy" | "dy" => "doy",
        "weekiso" | "week_iso" | "weekofyeariso" | "weekofyear_iso" => "week",
        "yearofweek" | "yearofweekiso" => "isoyear",
        "epoch_second" | "epoch" | "epoch_seconds" => "epoch",
        other => return unit(&Expr::text(other)).filter(|u| !u.ends_with("cond") || *u == "second"),
    })
}

/// `DATEADD(unit, count, at)`.
pub(super) fn add(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [name, count, at] = args else { return None };
    Some(planner.later(at, count, unit(name)?))
}

/// `DATEDIFF(unit, from, to)` counts beginnings of the unit.
pub(super) fn difference(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [name, from, to] = args else { return None };
    let unit = match unit(name)? {
        "week" => "isoweek",
        other => other,
    };
    Some(planner.boundaries(unit, from, to))
}

/// `DATE_TRUNC(unit, at)`.
pub(super) fn truncated(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [name, at] = args else { return None };
    Some(planner.start_of(unit(name)?, at))
}

/// `TRUNC(at, unit)` of a moment, `TRUNC(x, digits)` of a number.
pub(super) fn trunc(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    match args {
        [x] => Some(call("trunc", vec![x.clone()])),
        [at, name] if name.as_text().is_some() => Some(planner.start_of(unit(name)?, at)),
        _ => Some(call("pg_trunc_to", args.to_vec())),
    }
}

/// `DATE_PART(part, at)`.
pub(super) fn date_part(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [name, at] = args else { return None };
    Some(planner.date_part(part(&word(name)?)?, at))
}

/// `LAST_DAY(at, unit)`.
pub(super) fn last_day(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [at, name] = args else { return None };
    words::last_of(planner, unit(name)?, at)
}

/// Parts of a format, in MySQL's words.
const FORMAT: &[(&str, &str)] = &[
    ("YYYY", "%Y"),
    ("MMMM", "%M"),
    ("MON", "%b"),
    ("HH24", "%H"),
    ("HH12", "%h"),
    ("FF6", "%f"),
    ("YY", "%y"),
    ("MM", "%m"),
    ("DD", "%d"),
    ("DY", "%a"),
    ("MI", "%i"),
    ("SS", "%s"),
    ("AM", "%p"),
    ("PM", "%p"),
    ("T", "T"),
    ("Z", "Z"),
];

/// A format, in MySQL's words.
fn format(expr: &Expr) -> Option<String> {
    format_of(expr.as_text()?, FORMAT, '"', false)
}

/// `TO_CHAR(x)`, `TO_CHAR(at, format)`. Of numbers nothing is known where a format says how they look.
pub(super) fn to_char(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    match args {
        [x] => Some(x.clone().cast(Affinity::Text)),
        [at, template] if !planner.is_number(at) => Some(formatted(planner, at, format(template)?)),
        // Digits and groups, and zeros behind the point: <https://docs.snowflake.com/en/sql-reference/sql-format-models>.
        [_, template] => {
            let digits = template.as_text()?;
            let digits = digits.strip_prefix("FM").unwrap_or(digits);
            let (before, after) = digits.split_once('.').unwrap_or((digits, "0"));
            let plain = !before.is_empty() && before.bytes().all(|b| matches!(b, b'9' | b'0' | b','));
            (plain && !after.is_empty() && after.bytes().all(|b| b == b'0'))
                .then(|| call("ora_number_text", args.to_vec()))
        }
        _ => None,
    }
}

/// `TO_TIME(at)`: the time of day of a moment.
pub(super) fn time(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [at] = args else { return None };
    planner.is_moment(at).then(|| call("time", vec![at.clone()]))
}

/// `CONVERT_TIMEZONE('UTC', at)`, `CONVERT_TIMEZONE('UTC', 'UTC', at)`: the moment as it is.
pub(super) fn in_zone(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let (at, zones) = args.split_last()?;
    let utc = |zone: &Expr| word(zone).is_some_and(|z| matches!(z.as_str(), "utc" | "etc/utc" | "gmt"));
    zones.iter().all(utc).then(|| planner.timestamp(at))
}

/// A text read by a format; NULL where it does not fit, where TO_DATE ends with an error.
fn read(args: &[Expr]) -> Option<Expr> {
    let [text, template] = args else { return None };
    Some(call("my_str_to_date", vec![text.clone().cast(Affinity::Text), Expr::text(format(template)?)]))
}

/// `TO_DATE(x)`, `TO_DATE(text, format)`: a number counts seconds since 1970.
pub(super) fn to_date(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    match args {
        [x] if planner.is_number(x) => Some(call("date", vec![of_epoch(x, 1)])),
        [x] if matches!(planner.class(x), TypeClass::Other) => {
            Some(call("date", vec![call("sf_to_timestamp", vec![x.clone()])]))
        }
        [x] => Some(planner.day(x)),
        _ => Some(call("date", vec![read(args)?])),
    }
}

/// `TO_TIMESTAMP(x)`, `TO_TIMESTAMP(number, scale)`, `TO_TIMESTAMP(text, format)`. A number counts seconds, at scale 3 milliseconds.
pub(super) fn to_timestamp(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    match args {
        [x] if planner.is_number(x) => Some(of_epoch(x, 1)),
        // What a document holds decides by its own kind.
        [x] if matches!(planner.class(x), TypeClass::Other) => Some(call("sf_to_timestamp", vec![x.clone()])),
        [x] => Some(planner.timestamp(x)),
        [x, scale] if planner.is_number(x) || scale.as_integer().is_some() => {
            let scale = u32::try_from(scale.as_integer()?).ok().filter(|s| *s <= 9)?;
            Some(of_epoch(x, 10_i64.checked_pow(scale)?))
        }
        _ => Some(call("pg_timestamp", vec![read(args)?])),
    }
}

/// `TIMESTAMP_FROM_PARTS(y, m, d, h, mi, s)`.
pub(super) fn of_parts(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let (day, time) = (args.get(..3)?, args.get(3..6)?);
    let mut at = planner.timestamp(&words::date_of_parts(planner, day)?);
    for (count, unit) in time.iter().zip(["hour", "minute", "second"]) {
        at = planner.later(&at, count, unit);
    }
    Some(at)
}

/// `TO_NUMBER(x)`, `TO_NUMBER(x, precision, scale)`: rounded to the scale, which is 0 where none is said.
pub(super) fn to_number(_: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let (x, scale) = number_and_scale(args)?;
    Some(scaled(x.clone(), scale))
}

/// TRY_TO_NUMBER: NULL where the text is no number.
pub(super) fn try_to_number(_: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let (x, scale) = number_and_scale(args)?;
    Some(call("round", vec![call("sql_try_number", vec![x.clone()]), Expr::integer(scale)]))
}

fn number_and_scale(args: &[Expr]) -> Option<(&Expr, i64)> {
    match args {
        [x] => Some((x, 0)),
        [x, precision] => precision.as_integer().map(|_| (x, 0)),
        [x, precision, scale] => precision.as_integer().and(scale.as_integer()).map(|scale| (x, scale)),
        _ => None,
    }
}

/// `TRY_TO_DOUBLE(x)`.
pub(super) fn try_to_double(_: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    Some(call("sql_try_number", vec![args.first()?.clone()]).cast(Affinity::Real))
}

/// `TO_DOUBLE(x)`.
pub(super) fn to_double(_: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    Some(args.first()?.clone().cast(Affinity::Real))
}

/// `TO_BOOLEAN(x)`.
pub(super) fn to_boolean(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [x] = args else { return None };
    Some(match planner.class(x) {
        TypeClass::Boolean => x.clone(),
        _ => call("pg_boolean", vec![x.clone()]),
    })
}

/// LEFT, RIGHT: a count below 0 is none, as MySQL has it.
pub(super) const SIDES: crate::dialects::functions::To = crate::dialects::functions::To::As(Dialect::Mysql);
