//! SQL Server's functions of dates (<https://learn.microsoft.com/sql/t-sql/functions/date-and-time-data-types-and-functions-transact-sql>).
//!
//! A number in the place of a date counts days since 1900-01-01, a text is a `datetime`.

use crate::expr::{BinaryOp, Expr};
use crate::plan::Planner;
use crate::schema::{Affinity, TypeClass};
use crate::temporal::Moment;

fn call(name: &str, args: Vec<Expr>) -> Expr {
    Expr::function(name, args)
}

/// The unit or part that the abbreviations of DATEADD, DATEDIFF and DATEPART stand for
/// (<https://learn.microsoft.com/sql/t-sql/functions/datepart-transact-sql#datepart-argument>).
pub(crate) fn unit(name: &str) -> Option<&'static str> {
    Some(match name.to_ascii_lowercase().as_str() {
        "year" | "yy" | "yyyy" => "year",
        "quarter" | "qq" | "q" => "quarter",
        "month" | "mm" | "m" => "month",
        "dayofyear" | "dy" | "y" => "dayofyear",
        "day" | "dd" | "d" => "day",
        "week" | "wk" | "ww" => "week",
        "weekday" | "dw" | "w" => "weekday",
        "hour" | "hh" => "hour",
        "minute" | "mi" | "n" => "minute",
        "second" | "ss" | "s" => "second",
        "millisecond" | "ms" => "millisecond",
        "iso_week" | "isowk" | "isoww" => "iso_week",
        _ => return None,
    })
}

/// A date that a call is given.
fn moment(planner: &Planner<'_>, date: &Expr) -> Option<Expr> {
    if let Expr::Literal(_) = date {
        let at = match date.as_integer() {
            Some(days) => Moment::date(1900, 1, 1)?.plus_days(days)?,
            None => Moment::parse(planner.with_dashes(date.clone()).as_text()?)?,
        };
        return Some(Expr::text(at.to_timestamp().to_string()));
    }
    match planner.class(date) {
        TypeClass::Text => Some(call("pg_timestamp", vec![date.clone()])),
        TypeClass::Integer | TypeClass::Number | TypeClass::Boolean => None,
        TypeClass::Time | TypeClass::Other => Some(date.clone()),
    }
}

/// A number of units, its fraction cut off.
fn count(planner: &Planner<'_>, number: &Expr) -> Expr {
    match planner.class(number) {
        TypeClass::Number | TypeClass::Text => number.clone().cast(Affinity::Integer),
        _ => number.clone(),
    }
}

/// `DATEADD(unit, n, date)`.
///
/// `DATEADD(month, DATEDIFF(month, 0, d), 0)` is the beginning of the month.
pub(super) fn add(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [unit, number, date] = args else { return None };
    let unit = match unit.as_text()? {
        "dayofyear" | "weekday" => "day",
        "iso_week" => return None,
        other => other,
    };
    let at = moment(planner, date)?;
    if let Expr::Function { name, args } = number
        && let [its_unit, from, of] = args.as_slice()
        && name == "ms_datediff"
        && its_unit.as_text() == Some(unit)
        && *from == at
        && date.as_integer() == Some(0)
        && unit != "week"
    {
        return Some(call("pg_date_trunc", vec![Expr::text(unit), of.clone()]));
    }
    if unit == "day"
        && date.as_integer() == Some(0)
        && let Some(of) = days_since_1900(number)
    {
        return Some(call("pg_date_trunc", vec![Expr::text(unit), of.clone()]));
    }
    Some(call("my_date_add", vec![at, count(planner, number), Expr::text(unit)]))
}

/// The moment of which `DATEDIFF(day, 0, d)` was written.
fn days_since_1900(expr: &Expr) -> Option<&Expr> {
    let Expr::Cast { expr, affinity: Affinity::Integer } = expr else { return None };
    let Expr::Binary { op: BinaryOp::Sub, left, right } = &**expr else { return None };
    (**right == julian(&Expr::text("1900-01-01 00:00:00"))).then_some(())?;
    let Expr::Function { name, args } = &**left else { return None };
    let [Expr::Function { name: inner, args: of }] = args.as_slice() else { return None };
    (name == "julianday" && inner == "date").then_some(())?;
    of.first()
}

fn julian(date: &Expr) -> Expr {
    call("julianday", vec![call("date", vec![date.clone()])])
}

/// `DATEDIFF(unit, from, to)`: how many beginnings of a unit lie between.
pub(super) fn difference(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [unit, from, to] = args else { return None };
    let (from, to) = (moment(planner, from)?, moment(planner, to)?);
    let unit = match unit.as_text()? {
        "dayofyear" | "weekday" => "day",
        "iso_week" => return None,
        other => other,
    };
    Some(match unit {
        "year" => Expr::binary(BinaryOp::Sub, planner.extract("year", to), planner.extract("year", from)),
        "day" => Expr::binary(BinaryOp::Sub, julian(&to), julian(&from)).cast(Affinity::Integer),
        unit => call("ms_datediff", vec![Expr::text(unit), from, to]),
    })
}

/// `DATEPART(part, date)`. Weeks begin on Sunday, which is the first day of a week.
pub(super) fn part(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [part, date] = args else { return None };
    let at = moment(planner, date)?;
    let next = |value: Expr| Expr::binary(BinaryOp::Add, value, Expr::integer(1));
    Some(match part.as_text()? {
        "weekday" => next(planner.extract("dow", at)),
        "week" => {
            let first = call("date", vec![at.clone(), Expr::text("start of year")]);
            next(call("ms_datediff", vec![Expr::text("week"), first, at]))
        }
        "iso_week" => planner.extract("week", at),
        part @ ("year" | "quarter" | "month" | "dayofyear" | "day" | "hour" | "minute" | "second") => {
            planner.extract(part, at)
        }
        _ => return None,
    })
}

/// `DATENAME(part, date)`: the part as a text.
pub(super) fn name(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [part, date] = args else { return None };
    let named = |format: &str| Some(call("my_date_format", vec![moment(planner, date)?, Expr::text(format)]));
    match part.as_text()? {
        "month" => named("%M"),
        "weekday" => named("%W"),
        _ => Some(self::part(planner, args)?.cast(Affinity::Text)),
    }
}

/// `DATETRUNC(unit, date)`, a week from Sunday.
pub(super) fn truncated(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [unit, date] = args else { return None };
    let unit = unit
        .as_text()
        .filter(|unit| ["year", "quarter", "month", "day", "hour", "minute", "second"].contains(unit))?;
    Some(call("pg_date_trunc", vec![Expr::text(unit), moment(planner, date)?]))
}

/// `YEAR(date)`.
pub(super) fn year(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    Some(planner.extract("year", moment(planner, args.first()?)?))
}

/// `MONTH(date)`.
pub(super) fn month(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    Some(planner.extract("month", moment(planner, args.first()?)?))
}

/// `DAY(date)`.
pub(super) fn day(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    Some(planner.extract("day", moment(planner, args.first()?)?))
}

/// `EOMONTH(date[, months])`: the last day of the month, or of one so many months later.
pub(super) fn end_of_month(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let at = moment(planner, args.first()?)?;
    let at = match args.get(1) {
        Some(months) => call("my_date_add", vec![at, count(planner, months), Expr::text("month")]),
        None => at,
    };
    Some(call("my_last_day", vec![at]))
}

/// `DATEFROMPARTS(year, month, day)`.
pub(super) fn from_parts(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    Some(call("date", vec![planner.printed("%04d-%02d-%02d", args)]))
}

/// `DATETIMEFROMPARTS(year, month, day, hour, minute, second, 0)`.
pub(super) fn moment_from_parts(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let (thousandths, parts) = args.split_last()?;
    (thousandths.as_integer() == Some(0)).then_some(())?;
    Some(call("datetime", vec![planner.printed("%04d-%02d-%02d %02d:%02d:%02d", parts)]))
}

/// `FORMAT(x, format)` with .NET's custom formats of dates and the commonest ones of numbers
/// (<https://learn.microsoft.com/dotnet/standard/base-types/custom-date-and-time-format-strings>).
pub(super) fn format(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [value, format] = args else { return None };
    let format = format.as_text()?;
    match planner.class(value) {
        TypeClass::Integer | TypeClass::Number => {
            if let Some(of_hundred) = format.strip_suffix('%') {
                let (grouped, zeros) = places(of_hundred)?;
                let hundred = Expr::binary(BinaryOp::Mul, value.clone(), Expr::integer(100));
                let text = call("my_format", vec![hundred, Expr::integer(zeros)]);
                let text = match grouped {
                    true => text,
                    false => call("replace", vec![text, Expr::text(","), Expr::text("")]),
                };
                return Some(Expr::binary(BinaryOp::Concat, text, Expr::text("%")));
            }
            let places = places(format)?;
            let grouped = call("my_format", vec![value.clone(), Expr::integer(places.1)]);
            Some(match places.0 {
                true => grouped,
                false => call("replace", vec![grouped, Expr::text(","), Expr::text("")]),
            })
        }
        _ if planner.is_moment(value) => Some(planner.date_in_format(value.clone(), &of_net(format)?)),
        _ => None,
    }
}

/// Whether a format of numbers groups thousands, and how many places it shows.
fn places(format: &str) -> Option<(bool, i64)> {
    if let Some(places) = format.strip_prefix(['N', 'n']) {
        return Some((true, if places.is_empty() { 2 } else { places.parse().ok()? }));
    }
    if let Some(places) = format.strip_prefix(['F', 'f']) {
        return Some((false, if places.is_empty() { 2 } else { places.parse().ok()? }));
    }
    let (whole, fraction) = format.split_once('.').unwrap_or((format, ""));
    let zeros = fraction.bytes().all(|b| b == b'0').then(|| i64::try_from(fraction.len()).ok())??;
    match whole {
        "#,##0" | "#,0" => Some((true, zeros)),
        "0" => Some((false, zeros)),
        _ => None,
    }
}

/// A custom format of .NET in MySQL's words. A format of one letter is a standard one, which depends on the language.
fn of_net(format: &str) -> Option<String> {
    if format.chars().count() < 2 {
        return None;
    }
    let mut out = String::new();
    let mut rest = format;
    while let Some(first) = rest.chars().next() {
        let end = rest.find(|c| c != first).unwrap_or(rest.len());
        let (run, after) = rest.split_at(end);
        rest = after;
        out.push_str(match run {
            "yyyy" => "%Y",
            "yy" => "%y",
            "MMMM" => "%M",
            "MMM" => "%b",
            "MM" => "%m",
            "M" => "%c",
            "dddd" => "%W",
            "ddd" => "%a",
            "dd" => "%d",
            "d" => "%e",
            "HH" => "%H",
            "H" => "%k",
            "hh" => "%h",
            "h" => "%l",
            "mm" => "%i",
            "ss" => "%s",
            "tt" => "%p",
            _ if matches!(first, '-' | '/' | ' ' | '.' | ',' | ':') => run,
            _ => return None,
        });
    }
    Some(out)
}
