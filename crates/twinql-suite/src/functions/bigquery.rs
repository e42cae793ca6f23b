//! BigQuery's functions that other systems lack.

use serde_json::Value as Json;
use twinql_sql::Value;
use twinql_sql::temporal::{Moment, Unit};

use super::json::document;
use super::{Returned, Stop, exactly, number, order, text, whole};

/// Elements that an array may be made of.
const MAX_ELEMENTS: i64 = 10_000;

/// The elements as the text of an array.
fn written(list: Vec<Json>) -> Value {
    Value::Text(Json::Array(list).to_string())
}

/// SUBSTR: a start of 0, or before the text, is its first character; a negative one counts from the end.
pub(super) fn substr(args: &[Value]) -> Returned {
    let subject = args.first().and_then(text).ok_or(Stop::Null)?;
    let start = args.get(1).and_then(whole).ok_or(Stop::Null)?;
    let length = match args.get(2) {
        None => i64::MAX,
        Some(n) => whole(n).ok_or(Stop::Null)?,
    };
    if length < 0 {
        return Err("SUBSTR of a negative length".into());
    }
    let count = i64::try_from(subject.chars().count()).unwrap_or(i64::MAX);
    let before = if start < 0 { count.saturating_add(start).max(0) } else { (start - 1).max(0) };
    let skip = usize::try_from(before).unwrap_or(usize::MAX);
    let take = usize::try_from(length).unwrap_or(usize::MAX);
    Ok(Value::Text(subject.chars().skip(skip).take(take).collect()))
}

/// GENERATE_ARRAY: both ends belong to it.
pub(super) fn generate_array(args: &[Value]) -> Returned {
    let [from, to, step] = exactly(args)?;
    let too_long = || Stop::from("an array of too many elements");
    if let (Value::Integer(from), Value::Integer(to), Value::Integer(step)) = (from, to, step) {
        if *step == 0 {
            return Err("GENERATE_ARRAY with a step of 0".into());
        }
        let apart = i128::from(*to) - i128::from(*from);
        let count = (apart / i128::from(*step) + 1).max(0);
        let count = if apart != 0 && (apart < 0) != (*step < 0) { 0 } else { count };
        if count > i128::from(MAX_ELEMENTS) {
            return Err(too_long());
        }
        let (from, step) = (i128::from(*from), i128::from(*step));
        // Between the two ends, so it is no longer than they are.
        let elements = (0..count).filter_map(|i| i64::try_from(from + i * step).ok());
        return Ok(written(elements.map(Json::from).collect()));
    }
    let (from, to, step) =
        number(from).zip(number(to)).zip(number(step)).map(|((a, b), c)| (a, b, c)).ok_or(Stop::Null)?;
    if step == 0.0 {
        return Err("GENERATE_ARRAY with a step of 0".into());
    }
    let count = ((to - from) / step).floor() + 1.0;
    if count > MAX_ELEMENTS as f64 {
        return Err(too_long());
    }
    Ok(written((0..count.max(0.0) as i64).map(|i| Json::from(from + i as f64 * step)).collect()))
}

/// GENERATE_DATE_ARRAY: from a day to another, so many of a unit apart.
pub(super) fn generate_date_array(args: &[Value]) -> Returned {
    let [from, to, count, unit] = exactly(args)?;
    let day = |v: &Value| text(v).and_then(|t| Moment::parse(&t)).map(Moment::to_date);
    let (from, to) = day(from).zip(day(to)).ok_or(Stop::Null)?;
    let count = whole(count).filter(|n| *n != 0).ok_or("GENERATE_DATE_ARRAY with a step of 0")?;
    let one =
        text(unit).and_then(|u| Unit::named(&u)).ok_or("GENERATE_DATE_ARRAY of an unknown unit")?.span();
    let mut out = Vec::new();
    for i in 0..=MAX_ELEMENTS {
        let span = count.checked_mul(i).and_then(|n| one.times(n as f64));
        let next = span.and_then(|span| from.plus(span)).map(Moment::to_date).ok_or(Stop::Null)?;
        if if count > 0 { next.epoch() > to.epoch() } else { next.epoch() < to.epoch() } {
            return Ok(written(out));
        }
        out.push(Json::String(next.to_string()));
    }
    Err("an array of too many elements".into())
}

/// The part of a document that a path leads to: `$.a.b[0]`, `$['a b']`.
fn at_path(document: &Json, path: &str) -> Option<Json> {
    let mut rest = path.strip_prefix('$')?;
    let mut value = document;
    while !rest.is_empty() {
        let (name, after) = if let Some(inner) = rest.strip_prefix('[') {
            inner.split_once(']')?
        } else {
            let name = rest.strip_prefix('.')?;
            match name.strip_prefix('"') {
                Some(quoted) => quoted.split_once('"')?,
                None => name.split_at(name.find(['.', '[']).unwrap_or(name.len())),
            }
        };
        let name = name.trim_matches(['\'', '"']);
        value = match value {
            Json::Array(list) => list.get(name.parse::<usize>().ok()?)?,
            Json::Object(members) => members.get(name)?,
            _ => return None,
        };
        rest = after;
    }
    Some(value.clone())
}

fn part(args: &[Value]) -> Result<Json, Stop> {
    let [json, path] = exactly(args)?;
    let (json, path) = document(json).zip(text(path)).ok_or(Stop::Null)?;
    at_path(&json, &path).ok_or(Stop::Null)
}

/// JSON_VALUE: a text, a number or a truth value as text; NULL for what holds others.
pub(super) fn json_value(args: &[Value]) -> Returned {
    match part(args)? {
        Json::String(text) => Ok(Value::Text(text)),
        Json::Number(number) => Ok(Value::Text(number.to_string())),
        Json::Bool(truth) => Ok(Value::Text(truth.to_string())),
        Json::Null | Json::Array(_) | Json::Object(_) => Err(Stop::Null),
    }
}

/// JSON_QUERY_ARRAY: the elements as texts of documents.
pub(super) fn json_array(args: &[Value]) -> Returned {
    match part(args)? {
        Json::Array(list) => Ok(written(list.iter().map(|e| Json::String(e.to_string())).collect())),
        _ => Err(Stop::Null),
    }
}

/// The first elements of an array.
pub(super) fn first_elements(args: &[Value]) -> Returned {
    let [list, count] = exactly(args)?;
    let count = whole(count).and_then(|n| usize::try_from(n).ok()).ok_or(Stop::Null)?;
    match document(list) {
        Some(Json::Array(list)) => Ok(written(list.into_iter().take(count).collect())),
        _ => Err(Stop::Null),
    }
}

/// ANY_VALUE: the first that is no NULL.
pub(super) fn any_value(rows: &[Vec<Value>]) -> Returned {
    let found = rows.iter().filter_map(|row| row.first()).find(|v| **v != Value::Null);
    found.cloned().ok_or(Stop::Null)
}

/// APPROX_QUANTILES, exact: the least value, those at each of so many parts, and the greatest.
pub(super) fn approx_quantiles(rows: &[Vec<Value>]) -> Returned {
    let parts =
        rows.first().and_then(|row| row.get(1)).and_then(whole).filter(|n| (1..=MAX_ELEMENTS).contains(n));
    let parts = parts.ok_or(Stop::Null)?;
    let mut list: Vec<&Value> =
        rows.iter().filter_map(|row| row.first()).filter(|v| **v != Value::Null).collect();
    list.sort_by(|a, b| order(a, b));
    let last = list.len().checked_sub(1).ok_or(Stop::Null)?;
    let at = |i: i64| {
        let place = (last as f64 * i as f64 / parts as f64).round() as usize;
        match list.get(place) {
            Some(Value::Integer(n)) => Json::from(*n),
            Some(Value::Real(r)) => Json::from(r.0),
            Some(other) => text(other).map_or(Json::Null, Json::String),
            None => Json::Null,
        }
    };
    Ok(written((0..=parts).map(at).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_documents() {
        let json: Json = serde_json::from_str(r#"{"a": [{"b c": 1}, true], "d": "x"}"#).unwrap();
        for (path, found) in [
            ("$.a[0]['b c']", Some("1")),
            ("$.a[0].\"b c\"", Some("1")),
            ("$.a[1]", Some("true")),
            ("$", Some(r#"{"a":[{"b c":1},true],"d":"x"}"#)),
            ("$.x", None),
        ] {
            assert_eq!(at_path(&json, path).map(|j| j.to_string()).as_deref(), found, "{path}");
        }
    }
}
