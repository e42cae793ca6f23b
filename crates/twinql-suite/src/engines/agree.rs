//! Whether an engine's printed answer is the sandbox's.

use twinql_sql::temporal::Moment;
use twinql_sql::{Dialect, Value};

use super::Printed;

/// Relative difference of two numbers that are the same: systems compute in binary or in decimals, and print fewer digits.
const TOLERANCE: f64 = 1e-6;

/// Whether two answers hold the same rows, in any order.
///
/// MySQL's numbers may be cut to the digits that it prints (a division gives four more than its operands have), and which of
/// the texts of a group that differ in case it shows is open.
pub fn agree(ours: &[Vec<Value>], theirs: &Printed, dialect: Dialect) -> bool {
    let mysql = dialect == Dialect::Mysql;
    if ours.len() != theirs.len() {
        return false;
    }
    let mut left: Vec<&Vec<Option<String>>> = theirs.iter().collect();
    ours.iter().all(|row| {
        let found = left.iter().position(|other| {
            row.len() == other.len() && row.iter().zip(*other).all(|(a, b)| same(a, b.as_deref(), mysql))
        });
        found.map(|at| left.swap_remove(at)).is_some()
    })
}

/// Whether a printed value is this one.
fn same(ours: &Value, theirs: Option<&str>, mysql: bool) -> bool {
    let number = |a: f64, text: &str| {
        let truth = match text {
            "t" | "true" => Some(1.0),
            "f" | "false" => Some(0.0),
            _ => None,
        };
        let Some(b) = truth.or_else(|| text.trim().parse::<f64>().ok()) else { return false };
        let digits = text.split_once('.').map_or(0, |(_, digits)| digits.len());
        let cut =
            if mysql && digits > 0 { 0.5 * 10f64.powi(-i32::try_from(digits).unwrap_or(0)) } else { 0.0 };
        (a - b).abs() <= (TOLERANCE * a.abs().max(b.abs()).max(1e-9)).max(cut * 1.000_001)
    };
    match (ours, theirs) {
        (Value::Null, None) => true,
        (Value::Null, Some(_)) | (_, None) => false,
        (Value::Integer(a), Some(text)) => number(*a as f64, text),
        (Value::Real(a), Some(text)) => number(a.0, text),
        (Value::Text(a), Some(b)) => {
            a == b || moments(a, b) || documents(a, b) || a.parse().is_ok_and(|a| number(a, b))
        }
        (Value::Blob(_), Some(_)) => false,
    }
}

/// Whether two texts are one moment: a date is its midnight.
fn moments(a: &str, b: &str) -> bool {
    match (Moment::parse(a), Moment::parse(b)) {
        (Some(a), Some(b)) => a.to_timestamp().epoch() == b.to_timestamp().epoch(),
        _ => false,
    }
}

/// Whether two texts are one document; an array may stand in braces.
fn documents(a: &str, b: &str) -> bool {
    let read = |text: &str| serde_json::from_str::<serde_json::Value>(text).ok();
    let Some(ours) = read(a) else { return false };
    // PostgreSQL writes an array in braces, and quotes in it what needs it.
    let bracketed = || {
        let inner = b.strip_prefix('{')?.strip_suffix('}')?;
        let element = |e: &str| match (e, read(e)) {
            ("NULL", _) => "null".to_owned(),
            (_, Some(serde_json::Value::String(_) | serde_json::Value::Number(_))) => e.to_owned(),
            (text, _) => serde_json::Value::from(text).to_string(),
        };
        let elements: Vec<String> =
            inner.split(',').filter(|e| !inner.is_empty() || !e.is_empty()).map(element).collect();
        read(&format!("[{}]", elements.join(",")))
    };
    read(b).as_ref() == Some(&ours) || bracketed().as_ref() == Some(&ours)
}
