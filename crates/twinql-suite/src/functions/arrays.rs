//! PostgreSQL's arrays, which are kept as the text of a JSON array.

use serde_json::Value as Json;
use twinql_sql::Value;

use super::json::{as_text, elements};
use super::{Returned, Stop, exactly, text, texts, truth};

/// A value as an element.
fn element(value: &Value) -> Json {
    match value {
        Value::Null => Json::Null,
        Value::Integer(i) => Json::from(*i),
        Value::Real(r) => Json::from(r.0),
        other => text(other).map_or(Json::Null, Json::String),
    }
}

/// ARRAY[…]: the text of an array.
pub(super) fn of<'v>(values: impl Iterator<Item = &'v Value>) -> Value {
    written(values.map(element).collect())
}

fn written(list: Vec<Json>) -> Value {
    Value::Text(Json::Array(list).to_string())
}

/// The elements of the first argument.
fn first(args: &[Value]) -> Result<Vec<Json>, Stop> {
    args.first().and_then(elements).ok_or(Stop::Null)
}

/// An array in the one form that it is kept in; NULL for what is none.
pub(super) fn of_value(args: &[Value]) -> Returned {
    first(args).map(written)
}

/// Of two arrays, whether each element of the second is one of the first. Elements are compared as text: those of one
/// array are of one type.
fn found(args: &[Value]) -> Result<Vec<bool>, Stop> {
    let [a, b] = exactly(args)?;
    let (a, b) = elements(a).zip(elements(b)).ok_or(Stop::Null)?;
    let among = |wanted: &Json| {
        let wanted = as_text(Some(wanted));
        wanted != Value::Null && a.iter().any(|e| as_text(Some(e)) == wanted)
    };
    Ok(b.iter().map(among).collect())
}

/// `a @> b`: every element of b is one of a.
pub(super) fn contains(args: &[Value]) -> Returned {
    Ok(truth(!found(args)?.contains(&false)))
}

/// `a && b`: they have an element in common.
pub(super) fn overlaps(args: &[Value]) -> Returned {
    Ok(truth(found(args)?.contains(&true)))
}

/// CARDINALITY.
pub(super) fn length(args: &[Value]) -> Returned {
    i64::try_from(first(args)?.len()).map(Value::Integer).map_err(|_| Stop::Null)
}

/// `a || b`: a NULL is no array.
pub(super) fn cat(args: &[Value]) -> Returned {
    let [a, b] = exactly(args)?;
    match (elements(a), elements(b)) {
        (None, None) => Err(Stop::Null),
        (a, b) => Ok(written(a.into_iter().chain(b).flatten().collect())),
    }
}

/// Arrays side by side, as long as the longest.
pub(super) fn zip(args: &[Value]) -> Returned {
    let lists: Vec<Vec<Json>> = args.iter().map(|a| elements(a).unwrap_or_default()).collect();
    let longest = lists.iter().map(Vec::len).max().unwrap_or(0);
    let row = |at: usize| lists.iter().map(|list| list.get(at).cloned().unwrap_or(Json::Null)).collect();
    Ok(written((0..longest).map(|at| Json::Array(row(at))).collect()))
}

/// ARRAY_TO_STRING: NULLs are left out, or stand as the third argument says.
pub(super) fn to_string(args: &[Value]) -> Returned {
    let list = first(args)?;
    let by = args.get(1).and_then(text).ok_or(Stop::Null)?;
    let absent = args.get(2).and_then(text);
    let parts: Vec<String> =
        list.iter().filter_map(|e| text(&as_text(Some(e))).or_else(|| absent.clone())).collect();
    Ok(Value::Text(parts.join(&by)))
}

/// STRING_TO_ARRAY.
pub(super) fn of_string(args: &[Value]) -> Returned {
    let [subject, by] = texts(args)?;
    let string = |part: &str| Json::String(part.to_owned());
    Ok(written(match (subject.is_empty(), by.is_empty()) {
        (true, _) => Vec::new(),
        (false, true) => vec![string(&subject)],
        (false, false) => subject.split(by.as_str()).map(string).collect(),
    }))
}
