//! BigQuery's dates and times: DATE, DATETIME and TIMESTAMP, the last in UTC
//! (<https://cloud.google.com/bigquery/docs/reference/standard-sql/date_functions>, and `datetime_functions`,
//! `timestamp_functions` beside it). A function of a time zone other than UTC is known only where it moves a constant by hours.

use crate::dialects::Dialect;
use crate::dialects::words::{self, call, word};
use crate::expr::{BinaryOp, Expr};
use crate::plan::{ForeignType, Planner};
use crate::schema::{Affinity, TypeClass};
use crate::temporal::{Moment, Unit};

/// The days after Monday on which `WEEK`, `WEEK(TUESDAY)` and `ISOWEEK` begin a week; Sunday is the day before.
fn week(unit: &str) -> Option<i64> {
    Some(match unit.replace(' ', "").as_str() {
        "week" | "week(sunday)" => -1,
        "isoweek" | "week(monday)" => 0,
        "week(tuesday)" => 1,
        "week(wednesday)" => 2,
        "week(thursday)" => 3,
        "week(friday)" => 4,
        "week(saturday)" => 5,
        _ => return None,
    })
}

/// A unit other than a week.
fn unit(name: &str) -> Option<&'static str> {
    ["microsecond", "millisecond", "second", "minute", "hour", "day", "month", "quarter", "year"]
        .into_iter()
        .find(|known| *known == name)
}

/// Whether a third argument, a time zone, is absent or UTC.
fn is_utc(zone: Option<&Expr>) -> bool {
    let names = ["utc", "etc/utc", "gmt", "+0", "+00", "+00:00", "+0:00"];
    zone.is_none_or(|z| word(z).is_some_and(|z| names.contains(&z.as_str())))
}

/// What a time zone such as `+8:00` is ahead of UTC, in seconds.
fn offset(zone: &Expr) -> Option<i64> {
    let zone = word(zone)?;
    let (sign, rest) = match zone.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, zone.strip_prefix('+')?),
    };
    let (hours, minutes) = rest.split_once(':').unwrap_or((rest, "0"));
    Some(sign * (hours.parse::<i64>().ok()? * 3_600 + minutes.parse::<i64>().ok()? * 60))
}

fn shifted(planner: &Planner<'_>, at: &Expr, days: i64) -> Expr {
    if days == 0 { at.clone() } else { planner.later(at, &Expr::integer(days), "day") }
}

/// The beginnings of a unit between two moments.
fn beginnings(planner: &Planner<'_>, name: &str, from: &Expr, to: &Expr) -> Option<Expr> {
    let between = |unit: &str| planner.boundaries(unit, from, to);
    Some(match week(name) {
        Some(-1) => between("week"),
        Some(days) => {
            let at = |moment| shifted(planner, moment, -days);
            planner.boundaries("isoweek", &at(from), &at(to))
        }
        None if name == "isoyear" => {
            let year = |at| planner.date_part("isoyear", at);
            Expr::binary(BinaryOp::Sub, year(to), year(from))
        }
        None => between(unit(name)?),
    })
}

/// `DATE_DIFF(to, from, unit)` of two dates, or of one and a DATETIME. Of two timestamps it counts as TIMESTAMP_DIFF does; which
/// of the two a moment is, is known of columns alone.
pub(super) fn date_diff(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [to, from, name] = args else { return None };
    let declared =
        |expr: &Expr, kind: &str| planner.declared(expr).is_some_and(|d| d.eq_ignore_ascii_case(kind));
    // A date goes with no TIMESTAMP.
    let civil = |expr: &Expr| planner.is_day(expr) || declared(expr, "DATETIME");
    match () {
        () if civil(to) || civil(from) => beginnings(planner, &word(name)?, from, to),
        () if declared(to, "TIMESTAMP") || declared(from, "TIMESTAMP") => timestamp_diff(planner, args),
        () => None,
    }
}

/// `DATETIME_DIFF(to, from, unit)`.
pub(super) fn datetime_diff(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [to, from, name] = args else { return None };
    beginnings(planner, &word(name)?, from, to)
}

/// `TIMESTAMP_DIFF(to, from, unit)`: whole units, a day at most.
pub(super) fn timestamp_diff(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [to, from, name] = args else { return None };
    let unit = unit(&word(name)?).filter(|u| !matches!(*u, "month" | "quarter" | "year"))?;
    Some(planner.whole_units(unit, from, to))
}

/// `DATE_TRUNC(at, unit)` and its like: what it is given, a date or a moment, comes out.
pub(super) fn trunc(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let (at, name) = (args.first()?, word(args.get(1)?)?);
    let known = planner.kind(at).is_some() || at.as_text().and_then(Moment::parse).is_some();
    if !known || !is_utc(args.get(2)) {
        return None;
    }
    Some(match week(&name) {
        Some(days) => {
            let start = planner.start_of("week", &shifted(planner, at, -days));
            shifted(planner, &start, days)
        }
        None => planner.start_of(unit(&name)?, at),
    })
}

/// `TIMESTAMP_TRUNC(at, unit)`, `DATETIME_TRUNC(at, unit)`: a moment, whatever it is given.
pub(super) fn moment_trunc(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let mut args = args.to_vec();
    let at = args.first_mut()?;
    *at = as_moment(planner, at);
    trunc(planner, &args)
}

/// A moment where a date or a text may stand.
fn as_moment(planner: &Planner<'_>, at: &Expr) -> Expr {
    match planner.kind(at) {
        Some(ForeignType::Timestamp) => at.clone(),
        _ => planner.timestamp(at),
    }
}

/// `DATE_ADD(at, INTERVAL n unit)`: a date stays one where the unit is a day or more.
pub(super) fn add(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [at, span] = args else { return None };
    moved(planner, at, span, 1)
}

/// `DATE_SUB(at, INTERVAL n unit)`.
pub(super) fn sub(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [at, span] = args else { return None };
    moved(planner, at, span, -1)
}

/// `DATETIME_ADD(at, INTERVAL n unit)`, `TIMESTAMP_ADD`.
pub(super) fn moment_add(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [at, span] = args else { return None };
    moved(planner, &as_moment(planner, at), span, 1)
}

/// `DATETIME_SUB(at, INTERVAL n unit)`, `TIMESTAMP_SUB`.
pub(super) fn moment_sub(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [at, span] = args else { return None };
    moved(planner, &as_moment(planner, at), span, -1)
}

/// A moment later by a span that is a number of one unit: months, days or seconds.
fn moved(planner: &Planner<'_>, at: &Expr, span: &Expr, sign: i64) -> Option<Expr> {
    let Expr::Function { name, args } = span else { return None };
    let (count, factor, unit) = match (name.as_str(), args.as_slice()) {
        ("pg_interval", [months, days, seconds]) => {
            match (months.as_integer(), days.as_integer(), seconds.as_integer()) {
                (Some(n), Some(0), Some(0)) if n != 0 => (months, 1, "month"),
                (Some(0), Some(_), Some(0)) => (days, 1, "day"),
                (Some(0), Some(0), Some(_)) => (seconds, 1, "second"),
                _ => return None,
            }
        }
        ("pg_interval_of", [count, unit]) => {
            let one = Unit::named(unit.as_text()?)?.span();
            match (one.months, one.days, one.micros) {
                (n @ 1.., 0, 0) => (count, n, "month"),
                (0, n @ 1.., 0) => (count, n, "day"),
                (0, 0, n) if n % 1_000_000 == 0 => (count, n / 1_000_000, "second"),
                (_, _, n) => (count, n, "microsecond"),
            }
        }
        _ => return None,
    };
    let factor = factor.checked_mul(sign)?;
    let count = match count.as_integer() {
        Some(n) => Expr::integer(n.checked_mul(factor)?),
        None if factor == 1 => count.clone(),
        None => Expr::binary(BinaryOp::Mul, count.clone(), Expr::integer(factor)),
    };
    Some(planner.later(at, &count, unit))
}

/// `EXTRACT(part FROM at)`; Sunday is day 1, and days before the first Sunday (WEEK) or Monday (WEEK(MONDAY)) are week 0.
pub(super) fn extract(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [name, at] = args else { return None };
    // How many days are in a difference of moments is another for TIMESTAMP and DATETIME.
    if let Some((span, [_, days, seconds])) =
        at.as_function().and_then(|(n, a)| Some((n, a.first_chunk::<3>()?)))
        && span == "pg_interval"
        && days.as_integer() == Some(0)
        && seconds.as_integer().is_none()
        && !matches!(word(name)?.as_str(), "minute" | "second")
    {
        return None;
    }
    let part = |part: &str| planner.date_part(part, at);
    Some(match word(name)?.as_str() {
        "dayofweek" => Expr::binary(BinaryOp::Add, part("dow"), Expr::integer(1)),
        "dayofyear" => part("doy"),
        "isoweek" => part("week"),
        "isoyear" => part("isoyear"),
        "week" | "week(sunday)" => {
            call("my_date_format", vec![at.clone(), Expr::text("%U")]).cast(Affinity::Integer)
        }
        "week(monday)" => call("strftime", vec![Expr::text("%W"), at.clone()]).cast(Affinity::Integer),
        "date" => planner.day(at),
        name @ ("year" | "quarter" | "month" | "day" | "hour" | "minute" | "second") => part(name),
        _ => return None,
    })
}

/// `TIME(at)`: the time of day of a moment. `TIME(hour, minute, second)`.
pub(super) fn time(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    match args {
        [at] => planner.is_moment(at).then(|| call("time", vec![at.clone()])),
        [hour, minute, second] => {
            let day = [2000, 1, 1].map(Expr::integer);
            let parts: Vec<Expr> =
                day.into_iter().chain([hour.clone(), minute.clone(), second.clone()]).collect();
            Some(call("time", vec![words::moment_of_parts(planner, &parts)?]))
        }
        _ => None,
    }
}

/// `DATE(at)`, `DATE(at, zone)`, `DATE(year, month, day)`.
pub(super) fn date(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    match args {
        [at] => Some(planner.day(at)),
        [at, zone] if is_utc(Some(zone)) => Some(planner.day(at)),
        [_, _, _] => Some(planner.as_in(Dialect::Postgres, "make_date", args.to_vec())),
        _ => None,
    }
}

/// `DATETIME(at)`, `DATETIME(at, zone)`, `DATETIME(day, time)`, `DATETIME(year, month, day, hour, minute, second)`.
pub(super) fn datetime(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    match args {
        [at] => Some(as_moment(planner, at)),
        [at, zone] if is_utc(Some(zone)) && zone.as_text().is_some() => Some(as_moment(planner, at)),
        [day, Expr::Function { name, args }] if name == "time" => {
            let text = |expr: Expr| Expr::binary(BinaryOp::Concat, expr, Expr::text(" "));
            let moment = Expr::binary(BinaryOp::Concat, text(planner.day(day)), call("time", args.clone()));
            Some(call("datetime", vec![moment]))
        }
        _ => words::moment_of_parts(planner, args),
    }
}

/// `TIMESTAMP(at)`, `TIMESTAMP(text, zone)`.
pub(super) fn timestamp(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    match args {
        [at] if planner.class(at) == TypeClass::Text
            && at.as_text().is_none()
            && planner.kind(at).is_none() =>
        {
            Some(call("pg_timestamptz", vec![at.clone()]))
        }
        [at] => Some(as_moment(planner, at)),
        [at, zone] if is_utc(Some(zone)) => Some(as_moment(planner, at)),
        [at, zone] => {
            let ahead = offset(zone)?;
            Some(planner.later(&as_moment(planner, at), &Expr::integer(ahead.checked_neg()?), "second"))
        }
        _ => None,
    }
}

/// A format in MySQL's words; `None` where it has a part that those lack. `reads` of one that is read, not written
/// (<https://cloud.google.com/bigquery/docs/reference/standard-sql/format-elements#format_elements_date_time>).
fn format_of(format: &str, reads: bool) -> Option<String> {
    let mut out = String::new();
    let mut chars = format.chars();
    while let Some(c) = chars.next() {
        if c != '%' {
            out.push(c);
            continue;
        }
        out.push_str(match chars.next()? {
            'Y' => "%Y",
            'y' => "%y",
            'm' => "%m",
            'd' => "%d",
            'e' if reads => "%e",
            'F' => "%Y-%m-%d",
            'D' => "%m/%d/%y",
            'H' => "%H",
            'I' => "%h",
            'M' => "%i",
            'S' => "%s",
            'T' => "%H:%i:%s",
            'R' => "%H:%i",
            'x' => "%m/%d/%y",
            'X' => "%H:%i:%s",
            'p' => "%p",
            'B' => "%M",
            'b' | 'h' => "%b",
            'A' => "%W",
            'a' => "%a",
            'j' if !reads => "%j",
            'w' if !reads => "%w",
            'U' if !reads => "%U",
            'V' if !reads => "%v",
            'G' if !reads => "%x",
            '%' => "%%",
            _ => return None,
        });
    }
    Some(out)
}

/// `FORMAT_DATE(format, at)` and its like.
pub(super) fn format(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let (format, at) = (args.first()?.as_text()?, args.get(1)?);
    if !is_utc(args.get(2)) {
        return None;
    }
    // MySQL has no part for the quarter.
    let mut pieces = Vec::new();
    for (i, piece) in format.split("%Q").enumerate() {
        if i > 0 {
            pieces.push(planner.date_part("quarter", at));
        }
        let written = format_of(piece, false)?;
        if written.contains('%') {
            pieces.push(planner.as_in(Dialect::Mysql, "date_format", vec![at.clone(), Expr::text(written)]));
        } else if !written.is_empty() {
            pieces.push(Expr::text(written));
        }
    }
    let one = pieces.len() == 1 && !format.contains("%Q");
    let joined = pieces.into_iter().reduce(|l, r| Expr::binary(BinaryOp::Concat, l, r))?;
    Some(if one { joined } else { joined.cast(Affinity::Text) })
}

/// What a text says of a moment by a format, and whether it says a time. What it leaves out is that of 1970-01-01.
fn parsed(args: &[Expr]) -> Option<(Expr, bool)> {
    let (format, text) = (args.first()?.as_text()?, args.get(1)?);
    let mut format = format_of(format, true).filter(|_| is_utc(args.get(2)))?;
    let timed = ["%H", "%h", "%i", "%s"].iter().any(|part| format.contains(part));
    let mut rest = String::new();
    for (parts, part, value) in [
        (&["%Y", "%y"][..], " %Y", " 1970"),
        (&["%m", "%b", "%M"], " %m", " 01"),
        (&["%d", "%e"], " %d", " 01"),
    ] {
        if !parts.iter().any(|p| format.contains(p)) {
            format.push_str(part);
            rest.push_str(value);
        }
    }
    let text = match rest.is_empty() {
        true => text.clone(),
        false => Expr::binary(BinaryOp::Concat, text.clone(), Expr::text(rest)),
    };
    Some((call("my_str_to_date", vec![text, Expr::text(format)]), timed))
}

/// `PARSE_DATE(format, text)`.
pub(super) fn parse_date(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let (read, timed) = parsed(args)?;
    Some(if timed { planner.day(&read) } else { read })
}

/// `PARSE_TIMESTAMP(format, text)`, `PARSE_DATETIME`.
pub(super) fn parse_moment(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let (read, timed) = parsed(args)?;
    Some(if timed { read } else { planner.timestamp(&read) })
}

/// `UNIX_MICROS(at)`.
pub(super) fn unix_micros(_: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let seconds = call("pg_extract", vec![Expr::text("epoch"), args.first()?.clone()]);
    let micros = Expr::binary(BinaryOp::Mul, seconds, Expr::integer(1_000_000));
    Some(call("round", vec![micros]).cast(Affinity::Integer))
}

/// `UNIX_MILLIS(at)`: what is less than a millisecond is cut off.
pub(super) fn unix_millis(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let micros = unix_micros(planner, args)?;
    let thousandth = Expr::binary(BinaryOp::Div, micros.cast(Affinity::Real), Expr::integer(1_000));
    Some(call("floor", vec![thousandth]).cast(Affinity::Integer))
}

/// `LAST_DAY(day[, MONTH])`.
pub(super) fn last_day(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    match args {
        [at] => Some(call("my_last_day", vec![at.clone()])),
        [at, unit] => match word(unit)?.as_str() {
            "month" => Some(call("my_last_day", vec![at.clone()])),
            "isoweek" | "week(monday)" => words::last_of(planner, "week", at),
            unit @ ("quarter" | "year") => words::last_of(planner, unit, at),
            _ => None,
        },
        _ => None,
    }
}

/// `CURRENT_DATE('UTC')`, `CURRENT_DATETIME()`.
pub(super) fn now(_: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    is_utc(args.first()).then(|| call("current_timestamp", Vec::new()))
}

/// `CURRENT_DATE('UTC')`.
pub(super) fn today(_: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    is_utc(args.first()).then(|| call("current_date", Vec::new()))
}

/// `GENERATE_DATE_ARRAY(from, to[, INTERVAL n unit])`.
pub(in crate::dialects) fn date_array(_: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let (from, to) = (args.first()?.clone(), args.get(1)?.clone());
    let (count, unit) = match args.get(2) {
        None => (Expr::integer(1), "day"),
        Some(Expr::Function { name, args }) if name == "pg_interval" => match args.as_slice() {
            [months, days, seconds] if seconds.as_integer() == Some(0) => {
                match (months.as_integer()?, days.as_integer()?) {
                    (0, n) => (Expr::integer(n), "day"),
                    (n, 0) => (Expr::integer(n), "month"),
                    _ => return None,
                }
            }
            _ => return None,
        },
        Some(_) => return None,
    };
    Some(call("bq_generate_date_array", vec![from, to, count, Expr::text(unit)]))
}
