//! Values of columns that hold arrays or JSON documents.
//!
//! Queries ask such values for members, names and paths. So they are made of the strings that the queries
//! name, as names and as members, and a few words of our own; nested documents come only as constants of the
//! queries.

use serde_json::{Map, Value as Json};
use twinql_sql::schema::Nested;
use twinql_sql::{Column, TypeClass, Value};

use crate::dice::Dice;

/// What such a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// A JSON array of strings: how the sandbox keeps PostgreSQL's arrays of texts.
    Array,
    /// A JSON document.
    Document,
    /// A JSON array whose elements are of a declared type.
    Elements,
    /// A JSON object with declared fields.
    Fields,
}

/// The shape of a column's values, if its declared type gives it one.
pub(crate) fn shape(column: &Column) -> Option<Shape> {
    let declared = column.declared.trim().to_ascii_uppercase();
    if declared.ends_with(']') {
        let of_texts = match Nested::of_declared(&declared) {
            Nested::Array(element) => {
                matches!(*element, Nested::Plain(of) if TypeClass::of_declared(&of) == TypeClass::Text)
            }
            _ => true,
        };
        return Some(if of_texts { Shape::Array } else { Shape::Elements });
    }
    if column.class != TypeClass::Text {
        return None;
    }
    match Nested::of_declared(&declared) {
        Nested::Array(_) => Some(Shape::Elements),
        Nested::Struct(_) => Some(Shape::Fields),
        Nested::Any => Some(Shape::Document),
        Nested::Plain(_) => None,
    }
}

/// The JSON that a text is.
fn read(value: &Value) -> Option<Json> {
    match value {
        Value::Text(text) => serde_json::from_str(text).ok(),
        _ => None,
    }
}

/// JSON as the text that is stored.
pub(super) fn written(json: &Json) -> Value {
    Value::Text(json.to_string())
}

/// The value in the column's shape.
pub(crate) fn fit(value: Value, shape: Shape) -> Value {
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
        (Shape::Elements, Some(Json::Array(_))) | (Shape::Fields, Some(Json::Object(_))) => value,
        (Shape::Elements, _) => written(&Json::Array(Vec::new())),
        (Shape::Fields, _) => written(&Json::Object(Map::new())),
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

/// The steps of a path, as SQLite and others write it: `$.a[0]."b c"`.
pub(super) fn steps(path: &str) -> Vec<String> {
    let mut steps = Vec::new();
    let mut step = String::new();
    let mut quoted = false;
    for c in path.trim_start_matches('$').chars() {
        match c {
            '"' => quoted = !quoted,
            '.' | '[' | ']' if !quoted => {
                if !step.is_empty() {
                    steps.push(std::mem::take(&mut step));
                }
            }
            c => step.push(c),
        }
    }
    if !step.is_empty() {
        steps.push(step);
    }
    steps
}

/// Places where a path may lead: a list has a few members at most.
const MAX_PLACE: usize = 4;

/// Writes a member where the steps lead, making what lies on the way. A number is a place in a list.
fn place(document: &mut Json, steps: &[String], member: Json) {
    let Some((step, rest)) = steps.split_first() else {
        *document = member;
        return;
    };
    match step.parse::<usize>() {
        Ok(at) if at < MAX_PLACE && !matches!(document, Json::Object(members) if !members.is_empty()) => {
            if !document.is_array() {
                *document = Json::Array(Vec::new());
            }
            if let Json::Array(list) = document {
                list.resize(list.len().max(at + 1), Json::from("a"));
                if let Some(inner) = list.get_mut(at) {
                    place(inner, rest, member);
                }
            }
        }
        _ => {
            if !document.is_object() {
                *document = Json::Object(Map::new());
            }
            if let Json::Object(members) = document {
                place(members.entry(step.clone()).or_insert(Json::Null), rest, member);
            }
        }
    }
}

/// Documents for one database in which most of the paths lead somewhere: to a constant that the queries compare
/// with, or to a small value of any kind.
pub(super) fn documents(paths: &[&str], compared: &[Value], dice: &mut Dice) -> Vec<Value> {
    let own =
        [Json::from(1), Json::from(2), Json::from("a"), Json::from("b"), Json::from(true), Json::from(1.5)];
    let list = Json::Array(vec![Json::from("a"), Json::from(2), Json::from("a")]);
    let nested = Json::Object(Map::from_iter([("k".to_owned(), Json::from(1))]));
    let constant = |dice: &mut Dice| match dice.pick(compared)? {
        Value::Integer(i) => Some(Json::from(*i)),
        Value::Real(r) => Some(Json::from(r.0)),
        Value::Text(text) => Some(Json::from(text.as_str())),
        _ => None,
    };
    let member = |dice: &mut Dice| match dice.below(10) {
        0..4 => constant(dice).or_else(|| dice.pick(&own).cloned()).unwrap_or_default(),
        4..7 => dice.pick(&own).cloned().unwrap_or_default(),
        7 => Json::Null,
        8 => list.clone(),
        _ => nested.clone(),
    };
    let document = |dice: &mut Dice| {
        let mut document = Json::Object(Map::new());
        for path in paths {
            if dice.chance(0.75) {
                let member = member(dice);
                place(&mut document, &steps(path), member);
            }
        }
        match document {
            Json::Object(_) | Json::Array(_) => document,
            plain => Json::Array(vec![plain]),
        }
    };
    (0..8).map(|_| written(&document(dice))).collect()
}

/// Points and rectangles in the small numbers that other columns hold, so that points lie within some, and apart from others.
pub(super) fn geographies(dice: &mut Dice) -> Vec<Value> {
    let mut all = Vec::new();
    for _ in 0..8 {
        let (x, y) = (dice.between(-3, 12), dice.between(-3, 12));
        all.push(Value::Text(match dice.below(3) {
            0 => {
                let (right, above) = (x + dice.between(1, 9), y + dice.between(1, 9));
                format!("POLYGON(({x} {y}, {right} {y}, {right} {above}, {x} {above}, {x} {y}))")
            }
            1 => format!("LINESTRING({x} {y}, {} {})", x + dice.between(1, 5), y + dice.between(-2, 4)),
            _ => format!("POINT({x} {y})"),
        }));
    }
    all
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
            Shape::Array | Shape::Elements => {
                let length = dice.below(4);
                written(&Json::Array((0..length).map(|_| Json::from(pick(dice))).collect()))
            }
            Shape::Document | Shape::Fields => {
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
