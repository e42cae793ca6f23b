//! PostgreSQL's operators over JSON documents, which are kept as text.

use serde_json::Value as Json;
use twinql_sql::Value;

use super::{Returned, Stop, exactly, text, truth};

pub(super) fn document(value: &Value) -> Option<Json> {
    match value {
        Value::Text(s) => serde_json::from_str(s).ok(),
        _ => None,
    }
}

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

/// A document as `jsonb` shows it: members by the length of their names, then the names;
/// a space behind commas and colons.
pub(super) fn shown(json: &Json, out: &mut String) {
    match json {
        Json::Array(list) => {
            out.push('[');
            for (i, member) in list.iter().enumerate() {
                if i > 0 {
                    out.push_str(", ");
                }
                shown(member, out);
            }
            out.push(']');
        }
        Json::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            members.sort_by_key(|(name, _)| (name.len(), *name));
            out.push('{');
            for (i, (name, member)) in members.into_iter().enumerate() {
                if i > 0 {
                    out.push_str(", ");
                }
                out.push_str(&Json::String(name.clone()).to_string());
                out.push_str(": ");
                shown(member, out);
            }
            out.push('}');
        }
        other => out.push_str(&other.to_string()),
    }
}

pub(super) fn as_document(json: Option<&Json>) -> Value {
    json.map_or(Value::Null, |json| {
        let mut out = String::new();
        shown(json, &mut out);
        Value::Text(out)
    })
}

/// As text: a string without its quotes, `null` as NULL.
pub(super) fn as_text(json: Option<&Json>) -> Value {
    match json {
        None | Some(Json::Null) => Value::Null,
        Some(Json::String(s)) => Value::Text(s.clone()),
        other => as_document(other),
    }
}

/// The member with a name, or the element with a number, from the end where it is negative.
fn member<'j>(json: &'j Json, key: &Value) -> Option<&'j Json> {
    match (json, key) {
        (Json::Object(members), Value::Text(name)) => members.get(name),
        (Json::Array(list), Value::Integer(at)) => {
            let at = if *at < 0 { i64::try_from(list.len()).ok()?.checked_add(*at)? } else { *at };
            list.get(usize::try_from(at).ok()?)
        }
        _ => None,
    }
}

/// `doc -> key`, `doc ->> key`.
pub(super) fn at_key(args: &[Value], show: fn(Option<&Json>) -> Value) -> Returned {
    let [json, key] = exactly(args)?;
    Ok(show(document(json).as_ref().and_then(|j| member(j, key))))
}

/// `doc #> path`, `doc #>> path`.
pub(super) fn at_path(args: &[Value], show: fn(Option<&Json>) -> Value) -> Returned {
    let [json, path] = exactly(args)?;
    let steps = elements(path).ok_or(Stop::Null)?;
    let json = document(json);
    let found = json.as_ref().and_then(|json| {
        steps.iter().try_fold(json, |json, step| {
            let step = as_text(Some(step));
            let by_number = || text(&step).and_then(|t| t.parse().ok()).map(Value::Integer);
            match json {
                Json::Array(_) => member(json, &by_number()?),
                _ => member(json, &step),
            }
        })
    });
    Ok(show(found))
}

/// `doc ? key`: a member of that name, or an element that is that string.
pub(super) fn has(args: &[Value]) -> Returned {
    let [json, key] = exactly(args)?;
    let (json, key) = document(json).zip(text(key)).ok_or(Stop::Null)?;
    Ok(truth(match &json {
        Json::Object(members) => members.contains_key(&key),
        Json::Array(list) => list.iter().any(|m| m.as_str() == Some(&key)),
        Json::String(s) => *s == key,
        _ => false,
    }))
}

/// MySQL's JSON_LENGTH: a value that holds no others is one.
pub(super) fn length(args: &[Value]) -> Returned {
    let [json] = exactly(args)?;
    let length = match document(json).ok_or(Stop::Null)? {
        Json::Array(list) => list.len(),
        Json::Object(members) => members.len(),
        _ => 1,
    };
    i64::try_from(length).map(Value::Integer).map_err(|_| Stop::Null)
}

fn equal(a: &Json, b: &Json) -> bool {
    match (a, b) {
        (Json::Number(a), Json::Number(b)) => a == b || a.as_f64() == b.as_f64(),
        _ => a == b,
    }
}

fn holds(a: &Json, b: &Json, top: bool) -> bool {
    match (a, b) {
        (Json::Object(a), Json::Object(b)) => {
            b.iter().all(|(name, wanted)| a.get(name).is_some_and(|found| holds(found, wanted, false)))
        }
        (Json::Array(a), Json::Array(b)) => {
            b.iter().all(|wanted| a.iter().any(|found| holds(found, wanted, false)))
        }
        // An array may contain a primitive value (PostgreSQL).
        (Json::Array(a), b) if top && !b.is_object() => a.iter().any(|found| equal(found, b)),
        (a, b) => equal(a, b),
    }
}

/// `a @> b`.
pub(super) fn contains(args: &[Value]) -> Returned {
    let [a, b] = exactly(args)?;
    let (a, b) = document(a).zip(document(b)).ok_or(Stop::Null)?;
    Ok(truth(holds(&a, &b, true)))
}
