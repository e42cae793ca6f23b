//! PostgreSQL's arrays, which are kept as the text of a JSON array.

use serde_json::Value as Json;
use twinql_sql::Value;

use super::json::{as_text, document};
use super::{Returned, text, truth};

/// The elements of an array: a JSON array, or PostgreSQL's own text, `{a,b}`.
pub(super) fn elements(value: &Value) -> Option<Vec<Json>> {
    match document(value) {
        Some(Json::Array(list)) => return Some(list),
        Some(Json::Object(members)) if !members.is_empty() => return None,
        _ => {}
    }
    let written = text(value)?;
    let inner = written.trim().strip_prefix('{')?.strip_suffix('}')?;
    if inner.trim().is_empty() {
        return Some(Vec::new());
    }
    Some(inner.split(',').map(|e| Json::String(e.trim().trim_matches('"').to_owned())).collect())
}

/// A value as an element.
fn element(value: &Value) -> Json {
    match value {
        Value::Null => Json::Null,
        Value::Integer(i) => Json::from(*i),
        Value::Real(r) => Json::from(r.0),
        other => text(other).map_or(Json::Null, Json::String),
    }
}

/// The text of an array.
pub(super) fn of(values: impl Iterator<Item = Value>) -> Value {
    let list: Vec<Json> = values.map(|v| element(&v)).collect();
    Value::Text(Json::Array(list).to_string())
}

/// ARRAY[…].
pub(super) fn array(args: &[Value]) -> Returned {
    Ok(of(args.iter().cloned()))
}

/// An array in the one form that it is kept in; NULL for what is none.
pub(super) fn of_value(args: &[Value]) -> Returned {
    let list = args.first().and_then(elements);
    Ok(list.map_or(Value::Null, |list| Value::Text(Json::Array(list).to_string())))
}

fn both(args: &[Value]) -> Option<(Vec<Json>, Vec<Json>)> {
    let [a, b] = args else {
        return None;
    };
    elements(a).zip(elements(b))
}

/// Elements are compared as text: the elements of one array are of one type.
fn among(list: &[Json], wanted: &Json) -> bool {
    let wanted = as_text(Some(wanted));
    wanted != Value::Null && list.iter().any(|e| as_text(Some(e)) == wanted)
}

/// `a @> b`: every element of b is one of a.
pub(super) fn contains(args: &[Value]) -> Returned {
    Ok(both(args).map_or(Value::Null, |(a, b)| truth(b.iter().all(|e| among(&a, e)))))
}

/// `a && b`: they have an element in common.
pub(super) fn overlaps(args: &[Value]) -> Returned {
    Ok(both(args).map_or(Value::Null, |(a, b)| truth(b.iter().any(|e| among(&a, e)))))
}

/// CARDINALITY.
pub(super) fn length(args: &[Value]) -> Returned {
    let count = args.first().and_then(elements).map(|list| list.len());
    Ok(count.and_then(|n| i64::try_from(n).ok()).map_or(Value::Null, Value::Integer))
}

/// ARRAY_TO_STRING: NULLs are left out, or stand as the third argument says.
pub(super) fn to_string(args: &[Value]) -> Returned {
    let (Some(list), Some(by)) = (args.first().and_then(elements), args.get(1).and_then(text)) else {
        return Ok(Value::Null);
    };
    let absent = args.get(2).and_then(text);
    let parts: Vec<String> =
        list.iter().filter_map(|e| text(&as_text(Some(e))).or_else(|| absent.clone())).collect();
    Ok(Value::Text(parts.join(&by)))
}

/// STRING_TO_ARRAY.
pub(super) fn of_string(args: &[Value]) -> Returned {
    let [Some(subject), Some(by)] = [0, 1].map(|i| args.get(i).and_then(text)) else {
        return Ok(Value::Null);
    };
    if subject.is_empty() {
        return Ok(of(std::iter::empty()));
    }
    if by.is_empty() {
        return Ok(of(std::iter::once(Value::Text(subject))));
    }
    Ok(of(subject.split(by.as_str()).map(|s| Value::Text(s.to_owned()))))
}
