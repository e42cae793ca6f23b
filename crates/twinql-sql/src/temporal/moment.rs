//! A date, or a date with a time of day.

use super::calendar::{
    DAY, HOUR, MINUTE, Part, SECOND, civil_from_days, clock, days_from_civil, digits, length_of_month,
    write_time,
};
use super::interval::{Interval, Unit};

/// A moment without a time zone, from the year 1 to 9999.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment {
    /// Days since 1970-01-01.
    days: i64,
    /// Microseconds of the day.
    micros: i64,
    /// It is a date alone, which has no time of day.
    is_date: bool,
}

const MAX_YEAR: i64 = 9_999;

impl Moment {
    /// A date, if there is such a day.
    pub fn date(year: i64, month: i64, day: i64) -> Option<Moment> {
        let exists = (1..=MAX_YEAR).contains(&year)
            && (1..=12).contains(&month)
            && (1..=length_of_month(year, month)).contains(&day);
        exists.then(|| Moment { days: days_from_civil(year, month, day), micros: 0, is_date: true })
    }

    /// The moment so many microseconds after the start of a day, which may lie in another day.
    fn shifted(days: i64, micros: i64) -> Option<Moment> {
        let days = days.checked_add(micros.div_euclid(DAY))?;
        let first = days_from_civil(1, 1, 1);
        let last = days_from_civil(MAX_YEAR, 12, 31);
        (first..=last).contains(&days).then(|| Moment {
            days,
            micros: micros.rem_euclid(DAY),
            is_date: false,
        })
    }

    /// The date or timestamp that a text is: `2024-5-1`, `2024-05-01 12:30`,
    /// `2024-05-01T12:30:00.5Z`. One with another offset than UTC's is none: what the offset
    /// does depends on the type beside it.
    pub fn parse(text: &str) -> Option<Moment> {
        let text = text.trim();
        let (year, rest) = digits(text, 4, 4)?;
        let (month, rest) = digits(rest.strip_prefix('-')?, 1, 2)?;
        let (day, rest) = digits(rest.strip_prefix('-')?, 1, 2)?;
        let date = Moment::date(year, month, day)?;
        if rest.is_empty() {
            return Some(date);
        }
        let rest = rest.strip_prefix([' ', 'T', 't'])?;
        let (micros, zone) = clock(rest.trim_start(), 1, 2).filter(|(micros, _)| *micros < DAY)?;
        is_utc(zone.trim()).then(|| Moment::shifted(date.days, micros))?
    }

    /// Whether it is a date alone.
    pub fn is_date(self) -> bool {
        self.is_date
    }

    /// Year, month and day.
    pub fn civil(self) -> (i64, i64, i64) {
        civil_from_days(self.days)
    }

    /// Days since 1970-01-01.
    pub fn day_number(self) -> i64 {
        self.days
    }

    /// Microseconds since midnight.
    pub fn time_of_day(self) -> i64 {
        self.micros
    }

    /// The day alone.
    #[must_use]
    pub fn to_date(self) -> Moment {
        Moment { micros: 0, is_date: true, ..self }
    }

    /// The moment; of a date its midnight.
    #[must_use]
    pub fn to_timestamp(self) -> Moment {
        Moment { is_date: false, ..self }
    }

    /// Microseconds since 1970-01-01.
    pub fn epoch(self) -> i64 {
        self.days * DAY + self.micros
    }

    /// The moment so many microseconds after 1970-01-01.
    pub fn of_epoch(micros: i64) -> Option<Moment> {
        Moment::shifted(0, micros)
    }

    /// So many days later.
    pub fn plus_days(self, days: i64) -> Option<Moment> {
        let later = Moment::shifted(self.days.checked_add(days)?, self.micros)?;
        Some(Moment { is_date: self.is_date, ..later })
    }

    /// So many months later: the same day of the month, or the month's last.
    pub fn plus_months(self, months: i64) -> Option<Moment> {
        let (year, month, day) = self.civil();
        let count = (year * 12 + month - 1).checked_add(months)?;
        let (year, month) = (count.div_euclid(12), count.rem_euclid(12) + 1);
        let date = Moment::date(year, month, day.min(length_of_month(year, month)))?;
        Some(Moment { days: date.days, ..self })
    }

    /// So much later, as a timestamp: months first, then days, then time (PostgreSQL).
    pub fn plus(self, span: Interval) -> Option<Moment> {
        let moment = self.plus_months(span.months)?;
        Moment::shifted(moment.days.checked_add(span.days)?, moment.micros.checked_add(span.micros)?)
    }

    /// The time between two moments in days and time of day (PostgreSQL's `-`).
    pub fn since(self, earlier: Moment) -> Interval {
        let micros = self.epoch() - earlier.epoch();
        Interval { months: 0, days: micros / DAY, micros: micros % DAY }
    }

    /// The time between two moments in years, months, days and time of day (PostgreSQL's `age`).
    pub fn age(self, other: Moment) -> Interval {
        if self < other.to_kind(self) {
            return other.age(self).negated();
        }
        let (later, earlier) = (self.civil(), other.civil());
        let mut micros = self.micros - other.micros;
        let mut days = later.2 - earlier.2;
        let mut months = (later.0 - earlier.0) * 12 + later.1 - earlier.1;
        if micros < 0 {
            micros += DAY;
            days -= 1;
        }
        if days < 0 {
            // A month is as long as the one that the earlier date lies in.
            days += length_of_month(earlier.0, earlier.1);
            months -= 1;
        }
        Interval { months, days, micros }
    }

    fn to_kind(self, like: Moment) -> Moment {
        Moment { is_date: like.is_date, ..self }
    }

    /// The start of the unit that it lies in, as a timestamp.
    pub fn truncated(self, unit: Unit) -> Option<Moment> {
        let (year, month, _) = self.civil();
        let date = match unit {
            Unit::Microsecond => return Some(self.to_timestamp()),
            Unit::Millisecond => return Some(self.cut(1_000)),
            Unit::Second => return Some(self.cut(SECOND)),
            Unit::Minute => return Some(self.cut(MINUTE)),
            Unit::Hour => return Some(self.cut(HOUR)),
            Unit::Day => self.to_date(),
            Unit::Week => self.to_date().plus_days(-self.days_since_monday())?,
            Unit::Month => Moment::date(year, month, 1)?,
            Unit::Quarter => Moment::date(year, (month - 1) / 3 * 3 + 1, 1)?,
            Unit::Year => Moment::date(year, 1, 1)?,
            Unit::Decade => Moment::date((year / 10 * 10).max(1), 1, 1)?,
            Unit::Century => Moment::date((year - 1) / 100 * 100 + 1, 1, 1)?,
            Unit::Millennium => Moment::date((year - 1) / 1_000 * 1_000 + 1, 1, 1)?,
        };
        Some(date.to_timestamp())
    }

    fn cut(self, unit: i64) -> Moment {
        Moment { micros: self.micros / unit * unit, is_date: false, ..self }
    }

    fn days_since_monday(self) -> i64 {
        // 1970-01-01 was a Thursday.
        (self.days + 3).rem_euclid(7)
    }

    /// The year and the number of the week that ISO 8601 gives the day.
    pub fn iso_week(self) -> (i64, i64) {
        let thursday = self.days - self.days_since_monday() + 3;
        let (year, _, _) = civil_from_days(thursday);
        ((year), (thursday - days_from_civil(year, 1, 1)) / 7 + 1)
    }

    /// The last day of its month.
    pub fn last_of_month(self) -> Option<Moment> {
        let (year, month, _) = self.civil();
        Moment::date(year, month, length_of_month(year, month))
    }

    /// A part, in units of a millionth: seconds have a fraction.
    pub fn part(self, part: Part) -> i64 {
        let (year, month, day) = self.civil();
        let whole = match part {
            Part::Year => year,
            Part::Quarter => (month - 1) / 3 + 1,
            Part::Month => month,
            Part::Day => day,
            Part::Hour => self.micros / HOUR,
            Part::Minute => self.micros / MINUTE % 60,
            Part::DayOfWeek => (self.days_since_monday() + 1) % 7,
            Part::IsoDayOfWeek => self.days_since_monday() + 1,
            Part::DayOfYear => self.days - days_from_civil(year, 1, 1) + 1,
            Part::Week => self.iso_week().1,
            Part::IsoYear => self.iso_week().0,
            Part::Decade => year / 10,
            Part::Century => (year - 1) / 100 + 1,
            Part::Millennium => (year - 1) / 1_000 + 1,
            Part::Second => return self.micros % MINUTE,
            Part::Epoch => return self.epoch(),
            Part::Millisecond => return self.micros % MINUTE * 1_000,
            Part::Microsecond => self.micros % MINUTE,
        };
        whole * 1_000_000
    }
}

impl std::fmt::Display for Moment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (year, month, day) = self.civil();
        write!(f, "{year:04}-{month:02}-{day:02}")?;
        if self.is_date {
            return Ok(());
        }
        f.write_str(" ")?;
        write_time(f, self.micros)
    }
}

/// Whether a time zone is none, or UTC.
fn is_utc(zone: &str) -> bool {
    ["", "z", "utc", "+00", "-00", "+00:00", "-00:00", "+0000"]
        .iter()
        .any(|name| zone.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Moment {
        Moment::parse(text).unwrap()
    }

    #[test]
    fn texts_of_moments() {
        for (written, read) in [
            ("2024-5-1", "2024-05-01"),
            ("2024-05-01 1:2", "2024-05-01 01:02:00"),
            ("2024-05-01T12:30:00.5Z", "2024-05-01 12:30:00.5"),
            ("2024-05-01 00:30:00+00", "2024-05-01 00:30:00"),
            ("2024-02-29", "2024-02-29"),
            ("0001-01-01", "0001-01-01"),
            ("9999-12-31 23:59:59", "9999-12-31 23:59:59"),
        ] {
            assert_eq!(at(written).to_string(), read, "{written}");
            assert_eq!(at(read), at(written));
        }
        for bad in [
            "",
            "2023-02-29",
            "2024-13-01",
            "2024-00-10",
            "2024-01-01 25:00",
            "2024-01-01x",
            "24-01-01",
            "abc",
            "2024-01-01 10",
            "é",
            "2024-01-01 10:00:00+99",
            "0001-01-01 00:00:00+14",
            "2024-01-01 10:00 é",
        ] {
            assert_eq!(Moment::parse(bad), None, "{bad}");
        }
    }

    /// The answers are PostgreSQL's.
    #[test]
    fn arithmetic() {
        let span = |months, days, micros| Interval { months, days, micros };
        for (from, by, to) in [
            ("2024-01-31", span(1, 0, 0), "2024-02-29 00:00:00"),
            ("2023-01-31", span(1, 1, 0), "2023-03-01 00:00:00"),
            ("2024-02-29", span(12, 0, 0), "2025-02-28 00:00:00"),
            ("2024-03-31", span(-1, 0, 0), "2024-02-29 00:00:00"),
            ("2024-01-01 23:30:00", span(0, 0, HOUR), "2024-01-02 00:30:00"),
        ] {
            assert_eq!(at(from).plus(by).unwrap().to_string(), to, "{from} {by}");
        }
        assert_eq!(at("9999-12-31").plus(span(0, 1, 0)), None);
        assert_eq!(at("2024-01-01").plus(span(i64::MAX, i64::MAX, i64::MAX)), None);
        for (a, b, age) in [
            ("2024-05-01", "2019-06-15", "4 years 10 mons 16 days"),
            ("2021-02-28", "2016-02-29", "4 years 11 mons 28 days"),
            ("2019-06-15", "2024-05-01", "-4 years -10 mons -16 days"),
            ("2024-01-01 10:00", "2024-01-01 12:00", "-02:00:00"),
            ("2001-04-10", "1957-06-13", "43 years 9 mons 27 days"),
        ] {
            assert_eq!(at(a).age(at(b)).to_string(), age, "{a} {b}");
        }
        let span = at("2024-01-03 06:00").since(at("2024-01-01 12:00"));
        assert_eq!(span.to_string(), "1 day 18:00:00");
    }

    #[test]
    fn parts_and_starts() {
        for (text, unit, start) in [
            ("2024-05-17 12:34:56.78", Unit::Month, "2024-05-01 00:00:00"),
            ("2024-05-17", Unit::Quarter, "2024-04-01 00:00:00"),
            ("2024-05-19 01:00", Unit::Week, "2024-05-13 00:00:00"),
            ("2024-05-17 12:34:56", Unit::Hour, "2024-05-17 12:00:00"),
            ("2001-01-01", Unit::Century, "2001-01-01 00:00:00"),
            ("2000-01-01", Unit::Century, "1901-01-01 00:00:00"),
        ] {
            assert_eq!(at(text).truncated(unit).unwrap().to_string(), start);
        }
        // Around New Year the week belongs to another year.
        for (text, week) in [
            ("2024-12-30", (2025, 1)),
            ("2021-01-03", (2020, 53)),
            ("2024-01-01", (2024, 1)),
            ("2023-01-01", (2022, 52)),
        ] {
            assert_eq!(at(text).iso_week(), week, "{text}");
        }
        let part = |text: &str, part| at(text).part(part);
        assert_eq!(part("2024-05-19", Part::DayOfWeek), 0);
        assert_eq!(part("2024-05-19", Part::IsoDayOfWeek), 7_000_000);
        assert_eq!(part("2024-12-31", Part::DayOfYear), 366_000_000);
        assert_eq!(part("2024-05-19 10:00:01.5", Part::Second), 1_500_000);
        assert_eq!(part("1970-01-02", Part::Epoch), DAY);
    }

    #[test]
    fn every_day_has_its_number() {
        let first = Moment::date(1, 1, 1).unwrap();
        let mut day = first;
        for number in 0..3_000_i64 {
            let (y, m, d) = day.civil();
            assert_eq!(Moment::date(y, m, d).unwrap().days, first.days + number * 1_217);
            match day.plus_days(1_217) {
                Some(next) => day = next,
                None => return,
            }
        }
    }
}
