//! Oracle's functions.

use twinql_sql::Value;
use twinql_sql::temporal::Moment;

use super::dates::moment;
use super::{Returned, Stop, real, shown, texts, whole};

/// Whether a day is the last of its month.
fn is_last(at: Moment) -> bool {
    at.last_of_month().is_some_and(|last| last.civil() == at.civil())
}

/// ADD_MONTHS: of the last day of a month the last day of the other.
pub(super) fn add_months(args: &[Value]) -> Returned {
    let [at, months] = super::exactly(args)?;
    let (at, months) = moment(at).zip(whole(months)).ok_or(Stop::Null)?;
    let later = at.plus_months(months).ok_or(Stop::Null)?;
    if !is_last(at) {
        return shown(Some(later));
    }
    let last = later.last_of_month().ok_or(Stop::Null)?;
    let days = last.day_number() - later.day_number();
    shown(later.plus_days(days))
}

/// MONTHS_BETWEEN: whole between the same days of months and between their last ones, else with a fraction of 31 days.
pub(super) fn months_between(args: &[Value]) -> Returned {
    let [later, earlier] = super::exactly(args)?;
    let (later, earlier) = moment(later).zip(moment(earlier)).ok_or(Stop::Null)?;
    let ((y1, m1, d1), (y2, m2, d2)) = (later.civil(), earlier.civil());
    let months = ((y1 - y2) * 12 + m1 - m2) as f64;
    if d1 == d2 || is_last(later) && is_last(earlier) {
        return Ok(real(months));
    }
    let day = |d: i64, at: Moment| d as f64 + at.time_of_day() as f64 / 86_400_000_000.0;
    Ok(real(months + (day(d1, later) - day(d2, earlier)) / 31.0))
}

/// The place of the n-th occurrence of a part from a place on, backwards from a negative one; 0 where there is none.
pub(super) fn instr(args: &[Value]) -> Returned {
    let [subject, part] = texts(args)?;
    let from = args.get(2).and_then(whole).ok_or(Stop::Null)?;
    let wanted = match args.get(3) {
        Some(n) => whole(n).ok_or(Stop::Null)?,
        None => 1,
    };
    let (subject, part): (Vec<char>, Vec<char>) = (subject.chars().collect(), part.chars().collect());
    let nth = usize::try_from(wanted - 1)
        .map_err(|_| Stop::Error("INSTR of an occurrence before the first".into()))?;
    if part.is_empty() {
        return Err(Stop::Null);
    }
    let length = i64::try_from(subject.len()).unwrap_or(i64::MAX);
    let starts: Vec<usize> =
        subject.windows(part.len()).enumerate().filter(|(_, w)| *w == part).map(|(at, _)| at).collect();
    let place = |at: usize| i64::try_from(at).unwrap_or(i64::MAX) + 1;
    let found = match from {
        0 => None,
        1.. => starts.into_iter().filter(|at| place(*at) >= from).nth(nth),
        _ => starts.into_iter().rev().filter(|at| place(*at) <= length + from + 1).nth(nth),
    };
    Ok(Value::Integer(found.map_or(0, place)))
}

/// SUBSTR: from the end where the place is negative; an empty text is NULL.
pub(super) fn substr(args: &[Value]) -> Returned {
    let [subject] = texts(args)?;
    let characters: Vec<char> = subject.chars().collect();
    let length = i64::try_from(characters.len()).unwrap_or(i64::MAX);
    let from = match args.get(1).and_then(whole).ok_or(Stop::Null)? {
        0 => 0,
        n @ 1.. => n - 1,
        n => length.saturating_add(n),
    };
    let count = match args.get(2) {
        Some(n) => whole(n).ok_or(Stop::Null)?,
        None => i64::MAX,
    };
    let from = usize::try_from(from).map_err(|_| Stop::Null)?;
    let count = usize::try_from(count).map_err(|_| Stop::Null)?;
    let part: String = characters.into_iter().skip(from).take(count).collect();
    if part.is_empty() { Err(Stop::Null) } else { Ok(Value::Text(part)) }
}
