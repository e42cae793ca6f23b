//! Functions that several systems have, whatever each calls them.

use std::collections::HashSet;

use serde_json::Value as Json;
use twinql_sql::Value;
use twinql_sql::temporal::Moment;

use super::json::document;
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
