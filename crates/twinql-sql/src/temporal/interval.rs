//! A span of time as PostgreSQL keeps it: months, days and microseconds, apart.

use std::cmp::Ordering;
use std::fmt;

use super::calendar::{DAY, HOUR, MINUTE, Part, SECOND, clock, write_time};

/// A span of time. A month has no fixed number of days, a day no fixed number of hours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Interval {
    /// Months.
    pub months: i64,
    /// Days.
    pub days: i64,
    /// Microseconds.
    pub micros: i64,
}

/// A unit of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)] // the names are the units
pub enum Unit {
    Microsecond,
    Millisecond,
    Second,
    Minute,
    Hour,
    Day,
    Week,
    Month,
    Quarter,
    Year,
    Decade,
    Century,
    Millennium,
}

impl Unit {
    /// The unit that PostgreSQL and MySQL call so.
    pub fn named(name: &str) -> Option<Unit> {
        let lower = name.trim().to_ascii_lowercase();
        Some(match lower.as_str() {
            "microsecond" | "microseconds" | "us" => Unit::Microsecond,
            "millisecond" | "milliseconds" | "ms" => Unit::Millisecond,
            "second" | "seconds" | "sec" | "secs" | "s" => Unit::Second,
            "minute" | "minutes" | "min" | "mins" | "m" => Unit::Minute,
            "hour" | "hours" | "hr" | "hrs" | "h" => Unit::Hour,
            "day" | "days" | "d" => Unit::Day,
            "week" | "weeks" | "w" => Unit::Week,
            "month" | "months" | "mon" | "mons" => Unit::Month,
            "quarter" | "quarters" => Unit::Quarter,
            "year" | "years" | "yr" | "yrs" | "y" => Unit::Year,
            "decade" | "decades" => Unit::Decade,
            "century" | "centuries" => Unit::Century,
            "millennium" | "millennia" | "millenniums" => Unit::Millennium,
            _ => return None,
        })
    }

    /// One of it.
    pub fn span(self) -> Interval {
        let of = |months, days, micros| Interval { months, days, micros };
        match self {
            Unit::Microsecond => of(0, 0, 1),
            Unit::Millisecond => of(0, 0, 1_000),
            Unit::Second => of(0, 0, SECOND),
            Unit::Minute => of(0, 0, MINUTE),
            Unit::Hour => of(0, 0, HOUR),
            Unit::Day => of(0, 1, 0),
            Unit::Week => of(0, 7, 0),
            Unit::Month => of(1, 0, 0),
            Unit::Quarter => of(3, 0, 0),
            Unit::Year => of(12, 0, 0),
            Unit::Decade => of(120, 0, 0),
            Unit::Century => of(1_200, 0, 0),
            Unit::Millennium => of(12_000, 0, 0),
        }
    }
}

impl Interval {
    /// The span that PostgreSQL reads in a text: `1 year 2 months`, `3 days 04:05:06`,
    /// `-1 week`, `2 hours ago`, `1.5 days`. A number without a unit is of `default`, if
    /// that is given, else seconds.
    pub fn parse(text: &str, default: Option<Unit>) -> Option<Interval> {
        let mut total = Interval::default();
        let mut rest = text.trim().trim_start_matches('@').trim_start();
        if rest.is_empty() {
            return None;
        }
        while !rest.is_empty() {
            if rest.eq_ignore_ascii_case("ago") {
                return Some(total.negated());
            }
            let (negative, unsigned) = match rest.strip_prefix('-') {
                Some(after) => (true, after),
                None => (false, rest.strip_prefix('+').unwrap_or(rest)),
            };
            let (span, after) = match clock(unsigned, 2, 9) {
                Some((micros, after)) => (Interval { micros, ..Interval::default() }, after),
                None => amount(unsigned, default)?,
            };
            total = total.plus(if negative { span.negated() } else { span })?;
            rest = after.trim_start();
        }
        Some(total)
    }

    /// The sum of two spans, field by field.
    pub fn plus(self, other: Interval) -> Option<Interval> {
        Some(Interval {
            months: self.months.checked_add(other.months)?,
            days: self.days.checked_add(other.days)?,
            micros: self.micros.checked_add(other.micros)?,
        })
    }

    /// The span so many times, field by field.
    pub(crate) fn checked_mul(self, n: i64) -> Option<Interval> {
        Some(Interval {
            months: self.months.checked_mul(n)?,
            days: self.days.checked_mul(n)?,
            micros: self.micros.checked_mul(n)?,
        })
    }

    /// The span backwards.
    #[must_use]
    pub fn negated(self) -> Interval {
        Interval {
            months: self.months.saturating_neg(),
            days: self.days.saturating_neg(),
            micros: self.micros.saturating_neg(),
        }
    }

    /// The span so many times. What is left of months becomes days of a month of 30, what
    /// is left of days becomes time (PostgreSQL).
    pub fn times(self, factor: f64) -> Option<Interval> {
        let (months, days) = (self.months as f64 * factor, self.days as f64 * factor);
        let from_months = (months - months.trunc()) * 30.0;
        let left = (days - days.trunc()) + (from_months - from_months.trunc());
        let micros = self.micros as f64 * factor + left * DAY as f64;
        let whole = |x: f64| (x.is_finite() && x.abs() < 9e15).then_some(x as i64);
        Some(Interval {
            months: whole(months.trunc())?,
            days: whole(days.trunc())?.checked_add(whole(from_months.trunc())?)?,
            micros: whole(micros.round())?,
        })
    }

    /// Its length in microseconds, a month being 30 days: how PostgreSQL compares spans.
    pub fn length(self) -> i128 {
        (i128::from(self.months) * 30 + i128::from(self.days)) * i128::from(DAY) + i128::from(self.micros)
    }

    /// How PostgreSQL orders spans.
    pub fn compare(self, other: Interval) -> Ordering {
        self.length().cmp(&other.length())
    }

    /// Seconds in it, in millionths: a year is 365.25 days (PostgreSQL's EXTRACT(EPOCH)).
    pub fn epoch(self) -> i128 {
        let years = i128::from(self.months / 12) * i128::from(DAY) * 1_461 / 4;
        let months = i128::from(self.months % 12) * 30 * i128::from(DAY);
        years + months + i128::from(self.days) * i128::from(DAY) + i128::from(self.micros)
    }

    /// A part, in millionths.
    pub fn part(self, part: Part) -> Option<i128> {
        let of = |x: i64| i128::from(x) * 1_000_000;
        Some(match part {
            Part::Year => of(self.months / 12),
            Part::Quarter => of(self.months % 12 / 3 + 1),
            Part::Month => of(self.months % 12),
            Part::Day => of(self.days),
            Part::Hour => of(self.micros / HOUR),
            Part::Minute => of(self.micros / MINUTE % 60),
            Part::Second => i128::from(self.micros % MINUTE),
            Part::Epoch => self.epoch(),
            Part::Decade => of(self.months / 120),
            Part::Century => of(self.months / 1_200),
            Part::Millennium => of(self.months / 12_000),
            Part::Millisecond => i128::from(self.micros % MINUTE) * 1_000,
            Part::Microsecond => of(self.micros % MINUTE),
            Part::DayOfWeek | Part::IsoDayOfWeek | Part::DayOfYear | Part::Week | Part::IsoYear => {
                return None;
            }
        })
    }
}

/// `3 days`, `1.5hours`, and what follows.
fn amount(text: &str, default: Option<Unit>) -> Option<(Interval, &str)> {
    let length = text.bytes().take_while(|b| b.is_ascii_digit() || *b == b'.').count();
    if length == 0 || length > 15 {
        return None;
    }
    let number = text.get(..length)?;
    let rest = text.get(length..)?.trim_start();
    let word = rest.bytes().take_while(u8::is_ascii_alphabetic).count();
    let (unit, after) = match rest.get(..word)? {
        "" => (default.unwrap_or(Unit::Second), rest),
        name if name.eq_ignore_ascii_case("ago") => (default.unwrap_or(Unit::Second), rest),
        name => (Unit::named(name)?, rest.get(word..)?),
    };
    let one = unit.span();
    let span = match number.parse::<i64>() {
        Ok(n) => one.checked_mul(n)?,
        Err(_) => one.times(number.parse().ok()?)?,
    };
    Some((span, after))
}

impl fmt::Display for Interval {
    /// As PostgreSQL shows it: `1 year 2 mons 3 days 04:05:06`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        for (count, name) in [(self.months / 12, "year"), (self.months % 12, "mon"), (self.days, "day")] {
            if count != 0 {
                let s = if count == 1 { "" } else { "s" };
                parts.push(format!("{count} {name}{s}"));
            }
        }
        f.write_str(&parts.join(" "))?;
        if self.micros == 0 && !parts.is_empty() {
            return Ok(());
        }
        if !parts.is_empty() {
            f.write_str(" ")?;
        }
        if self.micros < 0 {
            f.write_str("-")?;
        }
        write_time(f, self.micros.saturating_abs())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_spans() {
        for (written, shown) in [
            ("1 month", "1 mon"),
            ("12 months", "1 year"),
            ("1 year 2 months 3 days 04:05:06", "1 year 2 mons 3 days 04:05:06"),
            ("3 days", "3 days"),
            ("1 week", "7 days"),
            ("-1 day", "-1 days"),
            ("2 hours ago", "-02:00:00"),
            ("1.5 days", "1 day 12:00:00"),
            ("90 minutes", "01:30:00"),
            ("1.5 hours", "01:30:00"),
            ("0", "00:00:00"),
            ("1 quarter", "3 mons"),
            ("1 mon -1 day", "1 mon -1 days"),
        ] {
            let span = Interval::parse(written, None).unwrap();
            assert_eq!(span.to_string(), shown, "{written}");
            assert_eq!(Interval::parse(&span.to_string(), None).unwrap(), span);
        }
        assert_eq!(Interval::parse("3", Some(Unit::Day)).unwrap().to_string(), "3 days");
        for bad in ["", "x", "1 fortnight", "1:2", "é", "1 é", "99999999999999999999 days", "- -1 day"] {
            assert_eq!(Interval::parse(bad, None), None, "{bad}");
        }
    }

    #[test]
    fn spans_are_compared_by_length() {
        let span = |text| Interval::parse(text, None).unwrap();
        assert_eq!(span("1 month").compare(span("30 days")), Ordering::Equal);
        assert_eq!(span("1 day").compare(span("25 hours")), Ordering::Less);
        assert_eq!(span("36 hours").times(0.5).unwrap(), span("18 hours"));
        assert_eq!(span("1 day").times(0.5).unwrap(), span("12 hours"));
        assert_eq!(span("1 month").times(0.5).unwrap(), span("15 days"));
    }
}
