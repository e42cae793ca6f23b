//! Rows in JSON, with every value that SQLite has: JSON knows no infinite numbers, no blobs,
//! and not that 1.0 is a real.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use twinql_sql::Value;

/// Values by kind.
#[derive(Serialize, Deserialize)]
enum Wire {
    N,
    I(i64),
    /// The bits of a real.
    R(u64),
    T(String),
    B(Vec<u8>),
}

impl From<&Value> for Wire {
    fn from(value: &Value) -> Wire {
        match value {
            Value::Null => Wire::N,
            Value::Integer(i) => Wire::I(*i),
            Value::Real(r) => Wire::R(r.0.to_bits()),
            Value::Text(s) => Wire::T(s.clone()),
            Value::Blob(b) => Wire::B(b.clone()),
        }
    }
}

impl From<Wire> for Value {
    fn from(value: Wire) -> Value {
        match value {
            Wire::N => Value::Null,
            Wire::I(i) => Value::Integer(i),
            Wire::R(bits) => Value::Real(f64::from_bits(bits).into()),
            Wire::T(s) => Value::Text(s),
            Wire::B(b) => Value::Blob(b),
        }
    }
}

pub(crate) fn serialize<S: Serializer>(rows: &[Vec<Value>], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(rows.iter().map(|row| row.iter().map(Wire::from).collect::<Vec<_>>()))
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Vec<Value>>, D::Error> {
    let rows = Vec::<Vec<Wire>>::deserialize(from)?;
    Ok(rows.into_iter().map(|row| row.into_iter().map(Value::from).collect()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_survives() {
        #[derive(Serialize, Deserialize, PartialEq, Debug)]
        struct Rows(#[serde(with = "super")] Vec<Vec<Value>>);
        let reals = [0.1 + 0.2, 1.0, -0.0, f64::INFINITY, f64::NAN];
        let mut row: Vec<Value> = reals.into_iter().map(|r| Value::Real(r.into())).collect();
        row.extend([
            Value::Null,
            Value::Integer(i64::MIN),
            Value::Text("a\n\u{2028}é".into()),
            Value::Blob(vec![0, 255]),
        ]);
        let rows = Rows(vec![row, Vec::new()]);
        let text = serde_json::to_string(&rows).unwrap_or_default();
        assert!(!text.contains('\n'));
        assert_eq!(serde_json::from_str::<Rows>(&text).ok(), Some(rows));
    }
}
