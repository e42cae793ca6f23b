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
