//! PostgreSQL's operators over JSON documents, which are kept as text.

use serde_json::Value as Json;
use twinql_sql::Value;

use super::{Returned, text, truth};

pub(super) fn document(value: &Value) -> Option<Json> {
    match value {
        Value::Text(s) => serde_json::from_str(s).ok(),
        _ => None,
    }
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

fn as_document(json: Option<&Json>) -> Value {
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

fn at_key(args: &[Value], show: fn(Option<&Json>) -> Value) -> Returned {
    let [json, key] = args else {
        return Ok(Value::Null);
    };
    let json = document(json);
    Ok(show(json.as_ref().and_then(|j| member(j, key))))
}

/// `doc -> key`.
pub(super) fn get(args: &[Value]) -> Returned {
    at_key(args, as_document)
}

/// `doc ->> key`.
pub(super) fn text_of(args: &[Value]) -> Returned {
    at_key(args, as_text)
}

fn at_path(args: &[Value], show: fn(Option<&Json>) -> Value) -> Returned {
    let [json, path] = args else {
        return Ok(Value::Null);
    };
    let Some(steps) = super::arrays::elements(path) else {
        return Ok(Value::Null);
    };
    let json = document(json);
    let mut found = json.as_ref();
    for step in steps {
        let step = as_text(Some(&step));
        let by_number = text(&step).and_then(|t| t.parse().ok()).map(Value::Integer);
        found = found.and_then(|j| match j {
            Json::Array(_) => member(j, by_number.as_ref()?),
            _ => member(j, &step),
        });
    }
    Ok(show(found))
}

/// `doc #> path`.
pub(super) fn path(args: &[Value]) -> Returned {
    at_path(args, as_document)
}

/// `doc #>> path`.
pub(super) fn path_text(args: &[Value]) -> Returned {
    at_path(args, as_text)
}

/// `doc ? key`: a member of that name, or an element that is that string.
pub(super) fn has(args: &[Value]) -> Returned {
    let [json, key] = args else {
        return Ok(Value::Null);
    };
    let (Some(json), Some(key)) = (document(json), text(key)) else {
        return Ok(Value::Null);
    };
    Ok(truth(match &json {
        Json::Object(members) => members.contains_key(&key),
        Json::Array(list) => list.iter().any(|m| m.as_str() == Some(&key)),
        Json::String(s) => *s == key,
        _ => false,
    }))
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
    let [a, b] = args else {
        return Ok(Value::Null);
    };
    let (Some(a), Some(b)) = (document(a), document(b)) else {
        return Ok(Value::Null);
    };
    Ok(truth(holds(&a, &b, true)))
}
