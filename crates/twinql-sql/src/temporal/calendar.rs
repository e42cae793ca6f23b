//! The calendar and the clock that moments and spans are reckoned with.

use std::fmt;

pub(super) const SECOND: i64 = 1_000_000;
pub(super) const MINUTE: i64 = 60 * SECOND;
pub(super) const HOUR: i64 = 60 * MINUTE;
pub(super) const DAY: i64 = 24 * HOUR;

/// What may be read from a moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)] // the names are the parts
pub enum Part {
    Year,
    Quarter,
    Month,
    Day,
    Hour,
    Minute,
    Second,
    /// Sunday is 0.
    DayOfWeek,
    /// Monday is 1.
    IsoDayOfWeek,
    DayOfYear,
    /// The week that ISO 8601 counts.
    Week,
    IsoYear,
    Decade,
    Century,
    Millennium,
    /// Seconds since 1970-01-01.
    Epoch,
    Millisecond,
    Microsecond,
}

impl Part {
    /// The part that PostgreSQL and MySQL call so.
    pub fn named(name: &str) -> Option<Part> {
        let lower = name.to_ascii_lowercase();
        Some(match lower.as_str() {
            "year" | "years" | "y" => Part::Year,
            "quarter" | "quarters" | "qtr" => Part::Quarter,
            "month" | "months" | "mon" => Part::Month,
            "day" | "days" | "d" | "dayofmonth" => Part::Day,
            "hour" | "hours" | "h" => Part::Hour,
            "minute" | "minutes" | "min" => Part::Minute,
            "second" | "seconds" | "sec" | "s" => Part::Second,
            "dow" => Part::DayOfWeek,
            "isodow" => Part::IsoDayOfWeek,
            "doy" | "dayofyear" => Part::DayOfYear,
            "week" | "weeks" | "w" => Part::Week,
            "isoyear" => Part::IsoYear,
            "decade" => Part::Decade,
            "century" => Part::Century,
            "millennium" => Part::Millennium,
            "epoch" => Part::Epoch,
            "millisecond" | "milliseconds" => Part::Millisecond,
            "microsecond" | "microseconds" => Part::Microsecond,
            _ => return None,
        })
    }
}

/// Days since 1970-01-01 of a date of the Gregorian calendar (Hinnant, "chrono-compatible low-level date algorithms").
pub fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// The year, month and day of the Gregorian calendar, so many days after 1970-01-01.
pub fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let of_era = days.rem_euclid(146_097);
    let years = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * years + years / 4 - years / 100);
    let shifted = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = years + era * 400 + i64::from(month <= 2);
    (year, month, day)
}

/// The number of days of a month.
pub(super) fn length_of_month(year: i64, month: i64) -> i64 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// The digits at the start of a text as a number, and the rest.
pub(super) fn digits(text: &str, least: usize, most: usize) -> Option<(i64, &str)> {
    let length = text.bytes().take(most).take_while(u8::is_ascii_digit).count();
    if length < least {
        return None;
    }
    Some((text.get(..length)?.parse().ok()?, text.get(length..)?))
}

/// `04:05:06.5` in microseconds, and what follows. Minutes and seconds have at least `least` digits, hours at
/// most `most`.
pub(super) fn clock(text: &str, least: usize, most: usize) -> Option<(i64, &str)> {
    let (hours, rest) = digits(text, 1, most)?;
    let (minutes, mut rest) = digits(rest.strip_prefix(':')?, least, 2)?;
    let (mut seconds, mut micros) = (0, 0);
    if let Some(after) = rest.strip_prefix(':') {
        (seconds, rest) = digits(after, least, 2)?;
        if let Some(after) = rest.strip_prefix('.') {
            (micros, rest) = fraction(after, after.len())?;
        }
    }
    let exists = minutes < 60 && seconds < 60;
    exists.then_some((hours * HOUR + minutes * MINUTE + seconds * SECOND + micros, rest))
}

/// The digits behind a decimal point, at most `most`, as microseconds, and what follows.
pub(super) fn fraction(text: &str, most: usize) -> Option<(i64, &str)> {
    let length = text.bytes().take(most).take_while(u8::is_ascii_digit).count();
    let written: String = text.chars().take(length).chain("000000".chars()).take(6).collect();
    Some((written.parse().ok()?, text.get(length..)?))
}

/// `HH:MM:SS`, with the fraction that there is.
pub(super) fn write_time(f: &mut fmt::Formatter<'_>, micros: i64) -> fmt::Result {
    let (hours, rest) = (micros / HOUR, micros % HOUR);
    write!(f, "{hours:02}:{:02}:{:02}", rest / MINUTE, rest % MINUTE / SECOND)?;
    let fraction = format!("{:06}", rest % SECOND);
    let fraction = fraction.trim_end_matches('0');
    if fraction.is_empty() { Ok(()) } else { write!(f, ".{fraction}") }
}
