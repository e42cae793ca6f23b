//! Values of columns that hold arrays or JSON documents.
//!
//! Queries ask such values for members, names and paths. So they are made of the strings that the queries
//! name, as names and as members, and a few words of our own; nested documents come only as constants of the
//! queries.

use serde_json::{Map, Value as Json};
use twinql_sql::{Column, Value};

use crate::dice::Dice;

/// What such a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// A JSON array of strings: how the sandbox keeps PostgreSQL's arrays.
    Array,
    /// A JSON document.
    Document,
}

/// The shape of a column's values, if its declared type gives it one.
pub(super) fn shape(column: &Column) -> Option<Shape> {
    let declared = column.declared.trim().to_ascii_uppercase();
    if declared.ends_with(']') {
        return Some(Shape::Array);
    }
    matches!(declared.as_str(), "JSON" | "JSONB").then_some(Shape::Document)
}

/// The JSON that a text is.
fn read(value: &Value) -> Option<Json> {
    match value {
        Value::Text(text) => serde_json::from_str(text).ok(),
        _ => None,
    }
}

/// JSON as the text that is stored.
fn written(json: &Json) -> Value {
    Value::Text(json.to_string())
}

/// The value in the column's shape.
pub(super) fn fit(value: Value, shape: Shape) -> Value {
    let plain = match &value {
        Value::Null => return value,
        Value::Text(text) => Json::from(text.as_str()),
        Value::Integer(i) => Json::from(*i),
        Value::Real(r) => Json::from(r.0),
        Value::Blob(_) => Json::Null,
    };
    match (shape, read(&value)) {
        (Shape::Array, Some(Json::Array(_))) | (Shape::Document, Some(Json::Object(_) | Json::Array(_))) => {
            value
        }
        (Shape::Array, _) => written(&Json::Array(vec![plain])),
        (Shape::Document, _) => {
            let name = plain.as_str().unwrap_or("k").to_owned();
            written(&Json::Object(Map::from_iter([(name, plain)])))
        }
    }
}

/// Strings of a constant: itself, or the names and strings in a document.
fn strings(value: &Value, into: &mut Vec<String>) {
    match read(value) {
        Some(json @ (Json::Object(_) | Json::Array(_))) => of_document(&json, into),
        _ => match value {
            Value::Text(text) if !text.contains('%') && text.len() < 40 => into.push(text.clone()),
            _ => {}
        },
    }
}

/// The names and strings in a document, at any depth.
fn of_document(json: &Json, into: &mut Vec<String>) {
    match json {
        Json::Object(members) => {
            for (name, member) in members {
                into.push(name.clone());
                of_document(member, into);
            }
        }
        Json::Array(list) => list.iter().for_each(|member| of_document(member, into)),
        Json::String(text) => into.push(text.clone()),
        _ => {}
    }
}

/// A string, or the number or truth value that it spells.
fn scalar(text: &str, dice: &mut Dice) -> Json {
    match serde_json::from_str(text) {
        Ok(json @ (Json::Bool(_) | Json::Number(_))) if dice.chance(0.5) => json,
        _ => Json::from(text),
    }
}

/// Values for one database, made of the constants that the column is compared with and of
/// all constants of the queries.
pub(super) fn values(shape: Shape, compared: &[Value], all: &[&Value], dice: &mut Dice) -> Vec<Value> {
    let mut words = Vec::new();
    for value in compared.iter().chain(all.iter().copied()) {
        strings(value, &mut words);
    }
    words.truncate(24);
    let own = words.len();
    words.extend(["a", "b", "true", "7"].map(str::to_owned));
    let pick = |dice: &mut Dice| {
        let from = if own > 0 && dice.chance(0.75) { own } else { words.len() };
        words.get(dice.below(from)).cloned().unwrap_or_default()
    };
    let mut out = Vec::new();
    for _ in 0..8 {
        out.push(match shape {
            Shape::Array => {
                let length = dice.below(4);
                written(&Json::Array((0..length).map(|_| Json::from(pick(dice))).collect()))
            }
            Shape::Document => {
                let mut members = Map::new();
                for _ in 0..1 + dice.below(4) {
                    let (name, value) = (pick(dice), pick(dice));
                    let value = scalar(&value, dice);
                    members.insert(name, value);
                }
                written(&Json::Object(members))
            }
        });
    }
    // A document that the column is compared with, and one that holds more.
    for json in compared.iter().chain(all.iter().copied()).filter_map(read) {
        match (shape, json) {
            (Shape::Array, json @ Json::Array(_)) => out.push(written(&json)),
            (Shape::Document, Json::Object(mut members)) => {
                out.push(written(&Json::Object(members.clone())));
                members.insert(pick(dice), Json::from(pick(dice)));
                out.push(written(&Json::Object(members)));
            }
            _ => {}
        }
    }
    out
}
