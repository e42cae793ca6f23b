//! Constants as SQLite stores them.

use ordered_float::OrderedFloat;
use serde::{Deserialize, Serialize};

/// A constant: one of SQLite's five storage classes.
///
/// `Eq` and `Ord` are structural (`Integer(1) != Real(1.0)`), which is what comparing
/// trees needs; SQL comparison is left to SQLite.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Value {
    /// SQL NULL.
    Null,
    /// A 64-bit signed integer; TRUE and FALSE are 1 and 0.
    Integer(i64),
    /// A double; never NaN (SQLite turns NaN into NULL).
    Real(OrderedFloat<f64>),
    /// Text in UTF-8.
    Text(String),
    /// Bytes.
    Blob(Vec<u8>),
}

impl Value {
    /// The number this value is, if it is stored as one.
    pub fn as_f64(&self) -> Option<f64> {
        match self {
            Value::Integer(i) => Some(*i as f64),
            Value::Real(r) => Some(r.0),
            _ => None,
        }
    }
}

/// The number that numeric affinity makes of a text, if it makes one: the whole text has to be a number, space
/// around it aside. What Rust reads and SQLite does not (`inf`, `nan`) is left out by the letters it takes.
pub(crate) fn number_in(text: &str) -> Option<Value> {
    let t = text.trim_matches([' ', '\t', '\n', '\r', '\u{b}', '\u{c}']);
    let plain = !t.is_empty()
        && t.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'+' | b'-' | b'.' | b'e' | b'E'));
    if !plain {
        return None;
    }
    if let Ok(i) = t.parse::<i64>() {
        return Some(Value::Integer(i));
    }
    let r: f64 = t.parse().ok()?;
    r.is_finite().then(|| Value::Real(r.into()))
}
