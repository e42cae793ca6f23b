//! SQLite's functions of dates and times, for texts that are a date or a timestamp.

use twinql_sql::Value;
use twinql_sql::temporal::Moment;

use super::numbers::{real, text};
use super::{Cell, Result, Stop};

/// The moment that every query is evaluated at: the one of the suite's sandbox.
const NOW: &str = "2020-06-15 12:00:00";
/// The Julian day of 1970-01-01, midnight.
const EPOCH: f64 = 2_440_587.5;
/// Microseconds of a day.
const DAY: f64 = 86_400_000_000.0;

/// The moment that a time value and modifiers name; `None` for NULL.
fn moment(args: &[Cell<'_>]) -> Result<Option<Moment>> {
    let Some(first) = args.first() else { return Ok(Moment::parse(NOW)) };
    let mut moment = match &**first {
        Value::Null => return Ok(None),
        Value::Text(s) => match parse(s)? {
            Some(moment) => moment,
            None => return Ok(None),
        },
        // Numbers are Julian days: nobody means them.
        _ => return Err(Stop::Unsupported("Julian days")),
    };
    for modifier in args.iter().skip(1) {
        let Some(modifier) = text(modifier) else { return Ok(None) };
        moment = modified(moment, &modifier.trim().to_ascii_lowercase())?;
    }
    Ok(Some(moment))
}

/// The moment that a text is. SQLite takes `YYYY-MM-DD` with two digits each, and `HH:MM[:SS[.SSS]]` after it.
fn parse(s: &str) -> Result<Option<Moment>> {
    let s = s.trim_end();
    if s.eq_ignore_ascii_case("now") {
        return Ok(Moment::parse(NOW));
    }
    let shape: String = s.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    let dated = match shape.as_str() {
        "0000-00-00" => true,
        other => match other.strip_prefix("0000-00-00").and_then(|rest| rest.strip_prefix([' ', 'T'])) {
            Some("00:00" | "00:00:00") => true,
            Some(time) => {
                time.strip_prefix("00:00:00.").is_some_and(|f| !f.is_empty() && f.bytes().all(|b| b == b'0'))
            }
            None => false,
        },
    };
    if dated {
        // A thirty-first of February is the third of March to SQLite.
        return Moment::parse(s).map(Some).ok_or(Stop::Unsupported("date that is none"));
    }
    // A time alone, a zone, a Julian day: not known here. Anything else is no date, which gives NULL.
    let mut bytes = shape.bytes();
    match bytes.next() {
        Some(b'0' | b'-' | b'+' | b'.' | b' ') => Err(Stop::Unsupported("time value")),
        _ => Ok(None),
    }
}

/// A moment after one modifier. Only those that occur in queries are known; another one, such as `weekday 1`, ends the
/// evaluation and is never taken for none.
fn modified(moment: Moment, modifier: &str) -> Result<Moment> {
    let unknown = Stop::Unsupported("modifier of a date");
    let (year, month, _) = moment.civil();
    match modifier {
        "localtime" | "utc" => return Ok(moment),
        "start of day" => return Ok(moment.to_date()),
        "start of month" => return Moment::date(year, month, 1).ok_or(unknown),
        "start of year" => return Moment::date(year, 1, 1).ok_or(unknown),
        _ => {}
    }
    let (count, unit) = modifier.split_once(' ').ok_or(unknown)?;
    let count: i64 = count.parse().map_err(|_| unknown)?;
    let micros = |each: i64| {
        let at = count.checked_mul(each).and_then(|by| moment.epoch().checked_add(by));
        at.and_then(Moment::of_epoch)
    };
    // A month more may be a day that is not there, which SQLite carries into the next month.
    let months = |n: i64| {
        count.checked_mul(n).and_then(|n| moment.plus_months(n)).filter(|m| m.civil().2 == moment.civil().2)
    };
    let later = match unit.trim_end_matches('s') {
        "day" => moment.plus_days(count),
        "month" => months(1),
        "year" => months(12),
        "hour" => micros(3_600_000_000),
        "minute" => micros(60_000_000),
        "second" => micros(1_000_000),
        _ => None,
    };
    later.ok_or(unknown)
}

/// Hour, minute and second.
fn clock(moment: Moment) -> (i64, i64, i64) {
    let seconds = moment.time_of_day() / 1_000_000;
    (seconds / 3600, seconds / 60 % 60, seconds % 60)
}

/// A function that writes a moment, NULL where there is none.
fn written(args: &[Cell<'_>], f: impl Fn(Moment) -> String) -> Result<Value> {
    Ok(moment(args)?.map_or(Value::Null, |m| Value::Text(f(m))))
}

/// As DATE writes it.
fn day(m: Moment) -> String {
    let (year, month, day) = m.civil();
    format!("{year:04}-{month:02}-{day:02}")
}

/// As TIME writes it: without fractions of a second.
fn hours(m: Moment) -> String {
    let (hour, minute, second) = clock(m);
    format!("{hour:02}:{minute:02}:{second:02}")
}

/// `DATE(time value, modifiers…)`.
pub(super) fn date(args: &[Cell<'_>]) -> Result<Value> {
    written(args, day)
}

/// `TIME(time value, modifiers…)`.
pub(super) fn time(args: &[Cell<'_>]) -> Result<Value> {
    written(args, hours)
}

/// `DATETIME(time value, modifiers…)`.
pub(super) fn datetime(args: &[Cell<'_>]) -> Result<Value> {
    written(args, |m| format!("{} {}", day(m), hours(m)))
}

/// `JULIANDAY(time value, modifiers…)`, a double, so that differences are days and their parts.
pub(super) fn julianday(args: &[Cell<'_>]) -> Result<Value> {
    Ok(moment(args)?.map_or(Value::Null, |m| real(EPOCH + m.epoch() as f64 / DAY)))
}

/// `STRFTIME(format, time value, modifiers…)`. SQLite gives NULL for a format that it does not know, and knows more
/// than these, with its version; so another one ends the evaluation.
pub(super) fn strftime(args: &[Cell<'_>]) -> Result<Value> {
    let Some((format, rest)) = args.split_first() else { return Ok(Value::Null) };
    let Some(format) = text(format) else { return Ok(Value::Null) };
    let Some(m) = moment(rest)? else { return Ok(Value::Null) };
    let (year, month, date) = m.civil();
    let (hour, minute, second) = clock(m);
    let mut out = String::new();
    let mut chars = format.chars();
    while let Some(c) = chars.next() {
        if c != '%' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some('Y') => out.push_str(&format!("{year:04}")),
            Some('m') => out.push_str(&format!("{month:02}")),
            Some('d') => out.push_str(&format!("{date:02}")),
            Some('H') => out.push_str(&format!("{hour:02}")),
            Some('M') => out.push_str(&format!("{minute:02}")),
            Some('S') => out.push_str(&format!("{second:02}")),
            Some('F') => out.push_str(&day(m)),
            Some('T') => out.push_str(&hours(m)),
            // 1970-01-01 was a Thursday.
            Some('w') => out.push_str(&(m.day_number() + 4).rem_euclid(7).to_string()),
            Some('j') => {
                let first = Moment::date(year, 1, 1).map_or(0, Moment::day_number);
                out.push_str(&format!("{:03}", m.day_number() - first + 1));
            }
            Some('s') => out.push_str(&m.epoch().div_euclid(1_000_000).to_string()),
            Some('%') => out.push('%'),
            _ => return Err(Stop::Unsupported("format of a date")),
        }
    }
    Ok(Value::Text(out))
}
