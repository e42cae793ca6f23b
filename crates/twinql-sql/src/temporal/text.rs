//! Moments as text after a pattern: TO_CHAR, DATE_FORMAT, STR_TO_DATE.

use std::fmt::Write;

use super::calendar::{HOUR, MINUTE, Part, SECOND, digits, fraction};
use super::moment::Moment;

const MONTHS: [&str; 12] = words![
    January February March April May June July August September October November December
];
const DAYS: [&str; 7] = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

fn month_name(moment: Moment) -> &'static str {
    let (_, month, _) = moment.civil();
    usize::try_from(month - 1).ok().and_then(|i| MONTHS.get(i)).copied().unwrap_or_default()
}

fn day_name(moment: Moment) -> &'static str {
    usize::try_from(moment.part(Part::DayOfWeek) / 1_000_000)
        .ok()
        .and_then(|i| DAYS.get(i))
        .copied()
        .unwrap_or_default()
}

fn short(name: &str) -> &str {
    name.get(..3).unwrap_or(name)
}

/// The hour of twelve.
fn of_twelve(hour: i64) -> i64 {
    (hour + 11) % 12 + 1
}

fn ordinal(n: i64) -> &'static str {
    match (n % 10, n % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    }
}

/// The parts of a template of TO_CHAR, longest first, with strftime's for those that
/// SQLite has.
const PARTS: [(&str, &str); 32] = [
    ("MONTH", ""),
    ("HH24", "%H"),
    ("HH12", ""),
    ("YYYY", "%Y"),
    ("IYYY", ""),
    ("IDDD", ""),
    ("A.M.", ""),
    ("P.M.", ""),
    ("MON", ""),
    ("DAY", ""),
    ("DDD", "%j"),
    ("YYY", ""),
    ("IYY", ""),
    ("HH", ""),
    ("MI", "%M"),
    ("SS", "%S"),
    ("MS", ""),
    ("US", ""),
    ("AM", ""),
    ("PM", ""),
    ("YY", ""),
    ("IY", ""),
    ("MM", "%m"),
    ("DD", "%d"),
    ("DY", ""),
    ("ID", ""),
    ("IW", ""),
    ("WW", ""),
    ("CC", ""),
    ("D", ""),
    ("Q", ""),
    ("W", ""),
];

/// One piece of a template.
enum Piece<'a> {
    /// A part by its upper-case name, as written, and whether FM stands before it.
    Part(&'static str, &'a str, bool),
    /// As it stands.
    Text(&'a str),
    /// `th` after the part before it.
    Ordinal,
}

/// The pieces of a template, or `None` where a letter in it means nothing here.
fn pieces(template: &str) -> Option<Vec<Piece<'_>>> {
    let mut out: Vec<Piece<'_>> = Vec::new();
    let mut rest = template;
    let mut bare = false;
    while let Some(c) = rest.chars().next() {
        let starts = |name: &str| rest.get(..name.len()).is_some_and(|s| s.eq_ignore_ascii_case(name));
        if c == '"' {
            let (quoted, after) = rest.get(1..)?.split_once('"')?;
            out.push(Piece::Text(quoted));
            rest = after;
        } else if starts("FM") {
            bare = true;
            rest = rest.get(2..)?;
        } else if starts("TH") && matches!(out.last(), Some(Piece::Part(..))) {
            out.push(Piece::Ordinal);
            rest = rest.get(2..)?;
        } else if let Some((name, _)) = PARTS.iter().find(|(name, _)| starts(name)) {
            out.push(Piece::Part(name, rest.get(..name.len())?, std::mem::take(&mut bare)));
            rest = rest.get(name.len()..)?;
        } else if c.is_alphabetic() {
            return None;
        } else {
            out.push(Piece::Text(rest.get(..c.len_utf8())?));
            rest = rest.get(c.len_utf8()..)?;
        }
    }
    Some(out)
}

/// PostgreSQL's template of TO_CHAR as strftime's format, if SQLite has every part.
pub fn to_strftime(template: &str) -> Option<String> {
    let mut out = String::new();
    for piece in pieces(template)? {
        match piece {
            Piece::Part(name, _, false) => {
                let (_, format) = PARTS.iter().find(|(known, _)| *known == name)?;
                if format.is_empty() {
                    return None;
                }
                out.push_str(format);
            }
            Piece::Text(text) => out.push_str(&text.replace('%', "%%")),
            Piece::Part(..) | Piece::Ordinal => return None,
        }
    }
    Some(out)
}

/// PostgreSQL's template of TO_DATE as MySQL's format of STR_TO_DATE, if that has every part; `None` for others.
pub fn to_mysql_format(template: &str) -> Option<String> {
    let mut out = String::new();
    for piece in pieces(template)? {
        match piece {
            Piece::Part(name, ..) => out.push_str(match name {
                "YYYY" => "%Y",
                "YY" => "%y",
                "MONTH" => "%M",
                "MON" => "%b",
                "MM" => "%m",
                "DDD" => "%j",
                "DD" => "%d",
                "HH24" => "%H",
                "HH12" | "HH" => "%h",
                "MI" => "%i",
                "SS" => "%s",
                "AM" | "PM" => "%p",
                _ => return None,
            }),
            Piece::Text(text) if !text.contains('%') => out.push_str(text),
            Piece::Text(_) | Piece::Ordinal => return None,
        }
    }
    Some(out)
}

/// A moment after a template of PostgreSQL's TO_CHAR; `None` where the template holds what
/// is not known here.
pub fn format_postgres(moment: Moment, template: &str) -> Option<String> {
    let mut out = String::new();
    let mut last = 0;
    for piece in pieces(template)? {
        match piece {
            Piece::Text(text) => out.push_str(text),
            Piece::Ordinal => out.push_str(ordinal(last)),
            Piece::Part(name, written, bare) => last = write_part(&mut out, moment, name, written, bare),
        }
    }
    Some(out)
}

/// Writes one part; gives its number, if it is one.
fn write_part(out: &mut String, moment: Moment, name: &str, written: &str, bare: bool) -> i64 {
    let part = |p: Part| moment.part(p) / 1_000_000;
    let (year, month, day) = moment.civil();
    let (iso_year, week) = moment.iso_week();
    let hour = moment.time_of_day() / HOUR;
    let (number, width) = match name {
        "YYYY" => (year, 4),
        "YYY" => (year % 1_000, 3),
        "YY" => (year % 100, 2),
        "IYYY" => (iso_year, 4),
        "IYY" => (iso_year % 1_000, 3),
        "IY" => (iso_year % 100, 2),
        "MM" => (month, 2),
        "DD" => (day, 2),
        "DDD" => (part(Part::DayOfYear), 3),
        "IDDD" => ((week - 1) * 7 + part(Part::IsoDayOfWeek), 3),
        "D" => (part(Part::DayOfWeek) + 1, 1),
        "ID" => (part(Part::IsoDayOfWeek), 1),
        "Q" => (part(Part::Quarter), 1),
        "W" => ((day - 1) / 7 + 1, 1),
        "WW" => ((part(Part::DayOfYear) - 1) / 7 + 1, 2),
        "IW" => (week, 2),
        "CC" => (part(Part::Century), 2),
        "HH24" => (hour, 2),
        "HH12" | "HH" => (of_twelve(hour), 2),
        "MI" => (moment.time_of_day() / MINUTE % 60, 2),
        "SS" => (moment.time_of_day() / SECOND % 60, 2),
        "MS" => (moment.time_of_day() % SECOND / 1_000, 3),
        "US" => (moment.time_of_day() % SECOND, 6),
        word => {
            write_word(out, moment, word, written, bare);
            return 0;
        }
    };
    let width = if bare { 0 } else { width };
    // Writing into a String cannot fail.
    let _ = write!(out, "{number:0width$}");
    number
}

/// Writes a name in the case that the template has.
fn write_word(out: &mut String, moment: Moment, name: &str, written: &str, bare: bool) {
    let afternoon = moment.time_of_day() >= 12 * HOUR;
    let (word, width) = match name {
        "MONTH" => (month_name(moment), 9),
        "MON" => (short(month_name(moment)), 0),
        "DAY" => (day_name(moment), 9),
        "DY" => (short(day_name(moment)), 0),
        "A.M." | "P.M." if afternoon => ("P.M.", 0),
        "A.M." | "P.M." => ("A.M.", 0),
        _ if afternoon => ("PM", 0),
        _ => ("AM", 0),
    };
    let mut letters = written.chars().filter(|c| c.is_alphabetic());
    let first = letters.next().is_some_and(char::is_uppercase);
    let second = letters.next().is_some_and(char::is_uppercase);
    let word = match (first, second) {
        (true, true) => word.to_uppercase(),
        (true, false) if width > 0 || matches!(name, "MON" | "DY") => word.to_owned(),
        _ => word.to_lowercase(),
    };
    let width = if bare { 0 } else { width };
    let _ = write!(out, "{word:width$}");
}

/// The week of MySQL's `%U`: weeks begin on Sunday, days before the first are in week 0.
fn week_of_year(moment: Moment) -> i64 {
    let part = |p: Part| moment.part(p) / 1_000_000;
    (part(Part::DayOfYear) + 6 - part(Part::DayOfWeek)) / 7
}

/// The year and the week of MySQL's `%X` and `%V`: days before the first Sunday are in the last week of the year before.
fn year_and_week(moment: Moment) -> (i64, i64) {
    let (year, _, _) = moment.civil();
    match week_of_year(moment) {
        0 => (year - 1, Moment::date(year - 1, 12, 31).map_or(0, week_of_year)),
        week => (year, week),
    }
}

/// A moment after a format of MySQL's DATE_FORMAT; `None` where the format holds what is
/// not known here.
pub fn format_mysql(moment: Moment, format: &str) -> Option<String> {
    let mut out = String::new();
    let mut chars = format.chars();
    let (year, month, day) = moment.civil();
    let (iso_year, week) = moment.iso_week();
    let time = moment.time_of_day();
    let (hour, minute, second) = (time / HOUR, time / MINUTE % 60, time / SECOND % 60);
    let half = if hour < 12 { "AM" } else { "PM" };
    while let Some(c) = chars.next() {
        if c != '%' {
            out.push(c);
            continue;
        }
        // Writing into a String cannot fail.
        let _ = match chars.next()? {
            'Y' => write!(out, "{year:04}"),
            'y' => write!(out, "{:02}", year % 100),
            'm' => write!(out, "{month:02}"),
            'c' => write!(out, "{month}"),
            'M' => write!(out, "{}", month_name(moment)),
            'b' => write!(out, "{}", short(month_name(moment))),
            'd' => write!(out, "{day:02}"),
            'e' => write!(out, "{day}"),
            'D' => write!(out, "{day}{}", ordinal(day)),
            'j' => write!(out, "{:03}", moment.part(Part::DayOfYear) / 1_000_000),
            'W' => write!(out, "{}", day_name(moment)),
            'a' => write!(out, "{}", short(day_name(moment))),
            'w' => write!(out, "{}", moment.part(Part::DayOfWeek) / 1_000_000),
            'v' => write!(out, "{week:02}"),
            'x' => write!(out, "{iso_year:04}"),
            'U' => write!(out, "{:02}", week_of_year(moment)),
            'V' => write!(out, "{:02}", year_and_week(moment).1),
            'X' => write!(out, "{:04}", year_and_week(moment).0),
            // As ISO 8601 counts them, but within the year: 0 before the first, 53 after the last.
            'u' => write!(
                out,
                "{:02}",
                match iso_year - year {
                    0 => week,
                    1 => moment.plus_days(-7).map_or(52, |before| before.iso_week().1) + 1,
                    _ => 0,
                }
            ),
            'H' => write!(out, "{hour:02}"),
            'k' => write!(out, "{hour}"),
            'h' | 'I' => write!(out, "{:02}", of_twelve(hour)),
            'l' => write!(out, "{}", of_twelve(hour)),
            'i' => write!(out, "{minute:02}"),
            's' | 'S' => write!(out, "{second:02}"),
            'f' => write!(out, "{:06}", time % SECOND),
            'p' => write!(out, "{half}"),
            'T' => write!(out, "{hour:02}:{minute:02}:{second:02}"),
            'r' => write!(out, "{:02}:{minute:02}:{second:02} {half}", of_twelve(hour)),
            '%' => write!(out, "%"),
            _ => return None,
        };
    }
    Some(out)
}

/// Takes a number of at most so many digits off the start of a text.
fn take(rest: &mut &str, most: usize) -> Option<i64> {
    let (n, after) = digits(rest, 1, most)?;
    *rest = after;
    Some(n)
}

/// What MySQL's STR_TO_DATE reads in a text after a format; `None` where they do not fit,
/// and for formats that hold what is not known here. A format without parts of the time
/// gives a date.
pub fn parse_mysql(text: &str, format: &str) -> Option<Moment> {
    let (mut year, mut month, mut day) = (None, None, None);
    let (mut hour, mut minute, mut second, mut micros) = (0, 0, 0, 0);
    let (mut timed, mut afternoon) = (false, None);
    let mut rest = text.trim_start();
    let mut chars = format.chars();
    let name = |names: &[&str], rest: &str, whole: bool| -> Option<(i64, usize)> {
        let at = names.iter().position(|n| {
            let n = if whole { n } else { short(n) };
            rest.get(..n.len()).is_some_and(|s| s.eq_ignore_ascii_case(n))
        })?;
        let length = if whole { names.get(at)?.len() } else { 3 };
        Some((i64::try_from(at).ok()? + 1, length))
    };
    while let Some(c) = chars.next() {
        if c.is_whitespace() {
            rest = rest.trim_start();
            continue;
        }
        if c != '%' {
            rest = rest.strip_prefix(c)?;
            continue;
        }
        let part = chars.next()?;
        // Blanks before a part are skipped, whatever the format has there; so by PostgreSQL's templates.
        rest = rest.trim_start();
        match part {
            'Y' => year = Some(take(&mut rest, 4)?),
            'y' => {
                let n = take(&mut rest, 2)?;
                year = Some(if n < 70 { 2_000 + n } else { 1_900 + n });
            }
            'm' | 'c' => month = Some(take(&mut rest, 2)?),
            'M' | 'b' => {
                let (n, length) = name(&MONTHS, rest, part == 'M')?;
                (month, rest) = (Some(n), rest.get(length..)?);
            }
            'W' | 'a' => {
                let (_, length) = name(&DAYS, rest, part == 'W')?;
                rest = rest.get(length..)?;
            }
            'd' | 'e' => day = Some(take(&mut rest, 2)?),
            'H' | 'k' | 'h' | 'I' | 'l' => {
                hour = take(&mut rest, 2)?;
                if matches!(part, 'h' | 'I' | 'l') {
                    afternoon = afternoon.or(Some(false));
                }
            }
            'i' => minute = take(&mut rest, 2)?,
            's' | 'S' => second = take(&mut rest, 2)?,
            'f' => (micros, rest) = fraction(rest, 6)?,
            'p' => {
                let half = rest.get(..2)?;
                afternoon = Some(half.eq_ignore_ascii_case("pm"));
                if afternoon == Some(false) && !half.eq_ignore_ascii_case("am") {
                    return None;
                }
                rest = rest.get(2..)?;
            }
            'T' => {
                (hour, rest) = digits(rest, 1, 2)?;
                (minute, rest) = digits(rest.strip_prefix(':')?, 1, 2)?;
                (second, rest) = digits(rest.strip_prefix(':')?, 1, 2)?;
            }
            '%' => rest = rest.strip_prefix('%')?,
            _ => return None,
        }
        timed |= "HkhIlisSfT".contains(part);
    }
    if let Some(afternoon) = afternoon {
        hour = hour % 12 + if afternoon { 12 } else { 0 };
    }
    let date = Moment::date(year?, month?, day?)?;
    if !timed {
        return Some(date);
    }
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    Moment::of_epoch(date.epoch() + hour * HOUR + minute * MINUTE + second * SECOND + micros)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The answers are PostgreSQL's and MySQL's.
    #[test]
    fn patterns() {
        let at = |text| Moment::parse(text).unwrap();
        for (text, template, shown) in [
            ("2024-05-07 15:04:05", "YYYY-MM-DD HH24:MI:SS", "2024-05-07 15:04:05"),
            ("2024-05-07", "Month", "May      "),
            ("2024-05-07", "FMMonth YYYY", "May 2024"),
            ("2024-05-07", "DD Mon YYYY", "07 May 2024"),
            ("2024-05-07", "MON", "MAY"),
            ("2024-05-07", "Day", "Tuesday  "),
            ("2024-05-07", "dy", "tue"),
            ("2024-05-07", "YYYY-\"Q\"Q", "2024-Q2"),
            ("2024-12-30", "IYYY-IW", "2025-01"),
            ("2024-12-30", "YYYY-IW", "2024-01"),
            ("2024-05-07 15:04:05", "HH12:MI AM", "03:04 PM"),
            ("2024-05-03", "FMDDth", "3rd"),
            ("2024-05-07", "D ID DDD", "3 2 128"),
        ] {
            assert_eq!(format_postgres(at(text), template).as_deref(), Some(shown), "{template}");
        }
        assert_eq!(format_postgres(at("2024-05-07"), "YYYY x"), None);
        assert_eq!(to_strftime("YYYY-MM").as_deref(), Some("%Y-%m"));
        assert_eq!(to_strftime("IYYY-IW"), None);
        for (text, format, shown) in [
            ("2024-05-07 15:04:05", "%Y-%m-%d %T", "2024-05-07 15:04:05"),
            ("2024-05-07", "%M %e, %Y", "May 7, 2024"),
            ("2024-05-07", "%a %D %b %y", "Tue 7th May 24"),
            ("2024-12-30", "%x-%v", "2025-01"),
            ("2024-05-07 15:04:05", "%h:%i %p", "03:04 PM"),
        ] {
            assert_eq!(format_mysql(at(text), format).as_deref(), Some(shown), "{format}");
        }
        for (text, format, read) in [
            ("07/05/2024", "%d/%m/%Y", Some("2024-05-07")),
            ("07/05/2024", "%m/%d/%Y", Some("2024-07-05")),
            ("31/12/2024", "%m/%d/%Y", None),
            ("7/5/24 3:04 pm", "%d/%m/%y %h:%i %p", Some("2024-05-07 15:04:00")),
            ("May 7, 2024", "%M %e, %Y", Some("2024-05-07")),
            ("x", "%Y", None),
            ("é", "%Y-%m-%d", None),
        ] {
            let read_now = parse_mysql(text, format).map(|m| m.to_string());
            assert_eq!(read_now.as_deref(), read, "{text} {format}");
        }
    }
}
