//! Functions that several systems have, whatever each calls them.

use std::collections::HashSet;

use serde_json::Value as Json;
use twinql_sql::Value;
use twinql_sql::temporal::Moment;

use super::json::{as_text, document};
use super::patterns::compiled;
use super::{Returned, Stop, exactly, number, real, shown, text, texts, whole};

/// Elements that a series may have.
const MAX_ELEMENTS: i64 = 10_000;

/// A timestamp so many units after 1970-01-01; the second argument says how many are a second.
pub(super) fn of_epoch(args: &[Value]) -> Returned {
    let [count, per_second] = exactly(args)?;
    let per_second = whole(per_second).filter(|n| *n > 0).ok_or(Stop::Null)?;
    let micros = match count {
        Value::Integer(n) if 1_000_000 % per_second == 0 => n.checked_mul(1_000_000 / per_second),
        other => number(other)
            .map(|n| (n / per_second as f64 * 1e6).round())
            .filter(|n| n.abs() < 9e18)
            .map(|n| n as i64),
    };
    shown(micros.and_then(Moment::of_epoch))
}

/// Snowflake's TO_TIMESTAMP of a value of any type: a number counts seconds, a text is read.
pub(super) fn to_timestamp(args: &[Value]) -> Returned {
    match args.first() {
        Some(value @ (Value::Integer(_) | Value::Real(_))) => of_epoch(&[value.clone(), Value::Integer(1)]),
        Some(value) => shown(text(value).and_then(|t| Moment::parse(&t)).map(Moment::to_timestamp)),
        None => Err(Stop::Null),
    }
}

/// A number, or NULL where a text is none.
pub(super) fn try_number(args: &[Value]) -> Returned {
    match args.first() {
        Some(value @ (Value::Integer(_) | Value::Real(_))) => Ok(value.clone()),
        Some(value) => {
            let written = text(value).ok_or(Stop::Null)?;
            let written = written.trim();
            // No word is a number: Rust reads inf and nan.
            if !written.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'+' | b'-' | b'.' | b'e' | b'E')) {
                return Err(Stop::Null);
            }
            match written.parse::<i64>() {
                Ok(n) => Ok(Value::Integer(n)),
                Err(_) => written.parse::<f64>().map(real).map_err(|_| Stop::Null),
            }
        }
        None => Err(Stop::Null),
    }
}

/// The text of a document, or NULL where a text is none.
pub(super) fn try_json(args: &[Value]) -> Returned {
    let read = args.first().and_then(document).ok_or(Stop::Null)?;
    Ok(Value::Text(read.to_string()))
}

/// What stands between the separators; an empty separator separates nothing.
pub(super) fn split(args: &[Value]) -> Returned {
    let [subject, by] = texts(args)?;
    let parts: Vec<&str> = if by.is_empty() { vec![&subject] } else { subject.split(by.as_str()).collect() };
    Ok(written(parts.into_iter().map(|p| Json::String(p.to_owned())).collect()))
}

/// One match of a regular expression, or one of its groups: text, pattern, flags, which match from 1, which group.
pub(super) fn regexp_extract(args: &[Value]) -> Returned {
    let [subject, pattern, flags] = texts(args)?;
    let number =
        |at: usize| args.get(at).and_then(whole).and_then(|n| usize::try_from(n).ok()).ok_or(Stop::Null);
    let (occurrence, group) = (number(3)?, number(4)?);
    let before = occurrence.checked_sub(1).ok_or(Stop::Null)?;
    let found = compiled(&pattern, &flags)?
        .captures_iter(&subject)
        .nth(before)
        .and_then(|c| c.get(group).map(|m| m.as_str().to_owned()));
    found.map(Value::Text).ok_or(Stop::Null)
}

/// How often a regular expression is found.
pub(super) fn regexp_count(args: &[Value]) -> Returned {
    let [subject, pattern, flags] = texts(args)?;
    let count = compiled(&pattern, &flags)?.find_iter(&subject).count();
    i64::try_from(count).map(Value::Integer).map_err(|_| Stop::Null)
}

fn written(list: Vec<Json>) -> Value {
    Value::Text(Json::Array(list).to_string())
}

/// The elements of an array.
fn array(value: &Value) -> Result<Vec<Json>, Stop> {
    match document(value) {
        Some(Json::Array(list)) => Ok(list),
        _ => Err(Stop::Null),
    }
}

/// Two arrays as one.
pub(super) fn array_concat(args: &[Value]) -> Returned {
    let [left, right] = exactly(args)?;
    let mut list = array(left)?;
    list.extend(array(right)?);
    Ok(written(list))
}

/// An array without its NULLs.
pub(super) fn array_compact(args: &[Value]) -> Returned {
    let [list] = exactly(args)?;
    Ok(written(array(list)?.into_iter().filter(|e| !e.is_null()).collect()))
}

/// An array with each element once, in the order of their first.
pub(super) fn array_distinct(args: &[Value]) -> Returned {
    let [list] = exactly(args)?;
    let mut seen = HashSet::new();
    Ok(written(array(list)?.into_iter().filter(|e| seen.insert(e.to_string())).collect()))
}

/// An array of texts alone, or of numbers alone, in order; of others nothing is known.
pub(super) fn array_sort(args: &[Value]) -> Returned {
    let [list] = exactly(args)?;
    let mut list = array(list)?;
    if list.iter().all(Json::is_string) {
        list.sort_by(|a, b| a.as_str().cmp(&b.as_str()));
    } else if list.iter().all(Json::is_number) {
        list.sort_by(|a, b| a.as_f64().unwrap_or(0.0).total_cmp(&b.as_f64().unwrap_or(0.0)));
    } else {
        return Err("an array of values of several kinds cannot be sorted here".into());
    }
    Ok(written(list))
}

/// An array from its last element to its first.
pub(super) fn array_reverse(args: &[Value]) -> Returned {
    let [list] = exactly(args)?;
    Ok(written(array(list)?.into_iter().rev().collect()))
}

/// The elements from a place, counted from 0 and from the end where it is negative, to before another.
pub(super) fn array_slice(args: &[Value]) -> Returned {
    let [list, from, to] = exactly(args)?;
    let list = array(list)?;
    let length = i64::try_from(list.len()).map_err(|_| Stop::Null)?;
    let place = |value: &Value| {
        let at = whole(value).ok_or(Stop::Null)?;
        usize::try_from(if at < 0 { at.saturating_add(length).max(0) } else { at }).map_err(|_| Stop::Null)
    };
    let (from, to) = (place(from)?, place(to)?);
    Ok(written(list.into_iter().take(to).skip(from).collect()))
}

/// The place of a value in an array, from 0; NULL where it is no element.
pub(super) fn array_position(args: &[Value]) -> Returned {
    let [list, wanted] = exactly(args)?;
    let at = array(list)?.iter().position(|e| as_text(Some(e)) == as_text_value(wanted));
    at.and_then(|at| i64::try_from(at).ok()).map(Value::Integer).ok_or(Stop::Null)
}

/// An array without a value.
pub(super) fn array_remove(args: &[Value]) -> Returned {
    let [list, wanted] = exactly(args)?;
    let wanted = as_text_value(wanted);
    Ok(written(array(list)?.into_iter().filter(|e| as_text(Some(e)) != wanted).collect()))
}

/// The elements of the first array that are elements of the second.
pub(super) fn array_intersect(args: &[Value]) -> Returned {
    let [left, right] = exactly(args)?;
    let right = array(right)?;
    Ok(written(array(left)?.into_iter().filter(|e| right.contains(e)).collect()))
}

/// The greatest or the least element of an array of texts alone, or of numbers alone.
pub(super) fn array_extreme(args: &[Value], greatest: bool) -> Returned {
    let Value::Text(sorted) = array_sort(&[array_compact(args)?])? else { return Err(Stop::Null) };
    let list = array(&Value::Text(sorted))?;
    let found = if greatest { list.last() } else { list.first() };
    Ok(match found {
        Some(Json::Number(n)) => n.as_i64().map_or_else(|| real(n.as_f64().unwrap_or(0.0)), Value::Integer),
        other => as_text(other),
    })
}

/// A value as the text that an element is compared by.
fn as_text_value(value: &Value) -> Value {
    text(value).map_or(Value::Null, Value::Text)
}

/// Every match of a regular expression, or the group that is asked for, as an array: text, pattern, flags, group.
pub(super) fn regexp_extract_all(args: &[Value]) -> Returned {
    let [subject, pattern, flags] = texts(args)?;
    let group = args.get(3).and_then(whole).and_then(|n| usize::try_from(n).ok()).ok_or(Stop::Null)?;
    let compiled = compiled(&pattern, &flags)?;
    let found = compiled.captures_iter(&subject).map(|c| c.get(group).map(|m| m.as_str().to_owned()));
    Ok(written(found.map(|m| m.map_or(Json::Null, Json::String)).collect()))
}

/// The place, from 1, at which a regular expression is found first; 0 where it is not.
pub(super) fn regexp_place(args: &[Value]) -> Returned {
    let [subject, pattern, flags] = texts(args)?;
    let found = compiled(&pattern, &flags)?.find(&subject).and_then(|m| subject.get(..m.start()));
    let place = found.map_or(Some(0), |before| i64::try_from(before.chars().count() + 1).ok());
    place.map(Value::Integer).ok_or(Stop::Null)
}

/// How many characters have to be put in, left out or exchanged to make one text of the other (Levenshtein).
pub(super) fn edit_distance(args: &[Value]) -> Returned {
    let [left, right] = texts(args)?;
    let right: Vec<char> = right.chars().collect();
    if left.len().saturating_mul(right.len()) > 1 << 20 {
        return Err("string or blob too big".into());
    }
    let mut row: Vec<i64> = (0..).take(right.len() + 1).collect();
    for (at, c) in (1..).zip(left.chars()) {
        let mut next = vec![at];
        for (other, pair) in right.iter().zip(row.windows(2)) {
            let [aside, above] = pair else { continue };
            let before = next.last().copied().unwrap_or(at);
            next.push((aside + i64::from(c != *other)).min(above + 1).min(before + 1));
        }
        row = next;
    }
    row.last().copied().map(Value::Integer).ok_or(Stop::Null)
}

/// Kilometres between two points of a sphere by their latitudes and longitudes, in degrees.
pub(super) fn haversine(args: &[Value]) -> Returned {
    let numbers: Option<Vec<f64>> = args.iter().map(number).collect();
    let Some([y1, x1, y2, x2]) = numbers.as_deref() else { return Err(Stop::Null) };
    let half = |a: f64, b: f64| ((b - a).to_radians() / 2.0).sin().powi(2);
    let h = half(*y1, *y2) + y1.to_radians().cos() * y2.to_radians().cos() * half(*x1, *x2);
    Ok(real(2.0 * 6_371.0 * h.sqrt().min(1.0).asin()))
}

/// Whole numbers from the first argument to before the second.
pub(super) fn range(args: &[Value]) -> Returned {
    let [from, to] = exactly(args)?;
    let (from, to) = whole(from).zip(whole(to)).ok_or(Stop::Null)?;
    if to.saturating_sub(from) > MAX_ELEMENTS {
        return Err("string or blob too big".into());
    }
    Ok(written((from..to).map(Json::from).collect()))
}

/// The angle of a point: ATAN2(y, x).
pub(super) fn atan2(args: &[Value]) -> Returned {
    let [y, x] = exactly(args)?;
    number(y).zip(number(x)).map(|(y, x)| real(y.atan2(x))).ok_or(Stop::Null)
}
