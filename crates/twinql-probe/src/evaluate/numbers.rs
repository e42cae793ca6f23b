//! Numbers as SQLite reads, writes, converts and computes them.

use std::borrow::Cow;

use twinql_sql::{Affinity, BinaryOp, Value};
use twinql_suite::execute::call;

/// The number at the start of a text, and whether the text holds nothing else but spaces.
fn prefix(text: &str) -> (Value, bool) {
    let trimmed = text.trim_matches(|c: char| c.is_ascii_whitespace());
    let bytes = trimmed.as_bytes();
    let digits = |from: usize| bytes.iter().skip(from).take_while(|b| b.is_ascii_digit()).count();
    let sign = usize::from(matches!(bytes.first(), Some(b'+' | b'-')));
    let whole = digits(sign);
    let mut end = sign + whole;
    let mut is_real = false;
    let mut fraction = 0;
    if bytes.get(end) == Some(&b'.') {
        fraction = digits(end + 1);
        if whole + fraction > 0 {
            is_real = true;
            end += 1 + fraction;
        }
    }
    // A sign or a point alone is no number.
    if whole + fraction == 0 {
        return (Value::Integer(0), false);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let signed = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let exponent = digits(end + 1 + signed);
        if exponent > 0 {
            is_real = true;
            end += 1 + signed + exponent;
        }
    }
    let number = trimmed.get(..end).unwrap_or_default();
    let complete = end == bytes.len();
    // A whole number that is too large for an integer becomes a double.
    if !is_real && let Ok(i) = number.parse::<i64>() {
        return (Value::Integer(i), complete);
    }
    (real(number.parse().unwrap_or(0.0)), complete)
}

/// A double as a value: NaN is NULL.
pub(super) fn real(r: f64) -> Value {
    if r.is_nan() { Value::Null } else { Value::Real(r.into()) }
}

/// The number that arithmetic sees: of a text its numeric prefix.
pub(super) fn numeric(value: &Value) -> Value {
    match value {
        Value::Text(text) => prefix(text).0,
        Value::Blob(bytes) => prefix(&String::from_utf8_lossy(bytes)).0,
        other => other.clone(),
    }
}

/// The same as a double; `None` for NULL.
pub(super) fn double(value: &Value) -> Option<f64> {
    numeric(value).as_f64()
}

/// The number that SUM and AVG add up: a text that is not a whole number counts as a double.
pub(super) fn summand(value: &Value) -> Value {
    match value {
        Value::Text(text) => match prefix(text) {
            (Value::Integer(i), true) => Value::Integer(i),
            (number, _) => real(number.as_f64().unwrap_or(0.0)),
        },
        other => numeric(other),
    }
}

/// Whether a condition holds; `None` for NULL.
pub(super) fn truth(value: &Value) -> Option<bool> {
    match value {
        Value::Integer(i) => Some(*i != 0),
        other => double(other).map(|r| r != 0.0),
    }
}

/// A truth value: 1, 0 or NULL.
pub(super) fn logical(truth: Option<bool>) -> Value {
    truth.map_or(Value::Null, |t| Value::Integer(i64::from(t)))
}

/// A double as SQLite writes it. What fewer than 15 digits do not say SQLite writes with more, and is asked.
fn real_text(r: f64) -> String {
    let short = short_text(r);
    let mantissa = short.split('e').next().unwrap_or_default();
    let digits = mantissa.chars().filter(char::is_ascii_digit).skip_while(|c| *c == '0').count();
    match digits < 15 && short.parse() == Ok(r) || !r.is_finite() {
        true => short,
        false => match call("concat", &[Value::Real(r.into())]) {
            Ok(Value::Text(long)) => long,
            _ => short,
        },
    }
}

/// A double with 15 significant digits, and always with a point.
fn short_text(r: f64) -> String {
    if r.is_infinite() {
        return if r > 0.0 { "Inf".into() } else { "-Inf".into() };
    }
    if r == 0.0 {
        return "0.0".into();
    }
    let written = format!("{r:.14e}");
    let Some((mantissa, exponent)) = written.split_once('e') else { return written };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let (sign, mantissa) = mantissa.strip_prefix('-').map_or(("", mantissa), |m| ("-", m));
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    let digits = digits.trim_end_matches('0');
    let digits = if digits.is_empty() { "0" } else { digits };
    if !(-4..15).contains(&exponent) {
        let (first, rest) = digits.split_at(1);
        let rest = if rest.is_empty() { "0" } else { rest };
        let sign_of = if exponent < 0 { '-' } else { '+' };
        return format!("{sign}{first}.{rest}e{sign_of}{:02}", exponent.abs());
    }
    let point = exponent + 1;
    if point <= 0 {
        return format!("{sign}0.{}{digits}", "0".repeat(point.unsigned_abs() as usize));
    }
    let point = point as usize;
    if digits.len() <= point {
        return format!("{sign}{digits}{}.0", "0".repeat(point - digits.len()));
    }
    let (whole, fraction) = digits.split_at(point);
    format!("{sign}{whole}.{fraction}")
}

/// A value as text; `None` for NULL.
pub(super) fn text(value: &Value) -> Option<Cow<'_, str>> {
    Some(match value {
        Value::Null => return None,
        Value::Integer(i) => Cow::Owned(i.to_string()),
        Value::Real(r) => Cow::Owned(real_text(r.0)),
        Value::Text(s) => Cow::Borrowed(s),
        Value::Blob(bytes) => String::from_utf8_lossy(bytes),
    })
}

/// `CAST(value AS …)`.
pub(super) fn cast(value: &Value, affinity: Affinity) -> Value {
    if *value == Value::Null {
        return Value::Null;
    }
    match affinity {
        Affinity::Text => Value::Text(text(value).unwrap_or_default().into_owned()),
        Affinity::Blob => match value {
            Value::Blob(_) => value.clone(),
            other => Value::Blob(text(other).unwrap_or_default().into_owned().into_bytes()),
        },
        Affinity::Real => real(double(value).unwrap_or(0.0)),
        Affinity::Integer => match value {
            Value::Integer(_) => value.clone(),
            // The casts of Rust saturate, as SQLite's do.
            Value::Real(r) => Value::Integer(r.0 as i64),
            other => {
                let text = text(other).unwrap_or_default();
                let trimmed = text.trim_start();
                let sign = usize::from(trimmed.starts_with(['+', '-']));
                let digits = trimmed.bytes().skip(sign).take_while(u8::is_ascii_digit).count();
                let number = trimmed.get(..sign + digits).unwrap_or_default();
                let limit = if trimmed.starts_with('-') { i64::MIN } else { i64::MAX };
                Value::Integer(if digits == 0 { 0 } else { number.parse().unwrap_or(limit) })
            }
        },
        Affinity::Numeric => match value {
            Value::Integer(_) | Value::Real(_) => value.clone(),
            other => whole_if_exact(numeric(other)),
        },
    }
}

/// A double without a fraction as an integer, where none is lost.
fn whole_if_exact(value: Value) -> Value {
    match value {
        Value::Real(r) if r.0.fract() == 0.0 && r.0.abs() < 9e15 => Value::Integer(r.0 as i64),
        other => other,
    }
}

/// A value as an affinity converts it before a comparison.
pub(super) fn applied(value: &Value, affinity: Affinity) -> Cow<'_, Value> {
    match (affinity, value) {
        (Affinity::Text, Value::Integer(_) | Value::Real(_)) => Cow::Owned(cast(value, Affinity::Text)),
        (Affinity::Numeric | Affinity::Integer | Affinity::Real, Value::Text(s)) => match prefix(s) {
            (number, true) => Cow::Owned(number),
            _ => Cow::Borrowed(value),
        },
        _ => Cow::Borrowed(value),
    }
}

/// `left op right` for an operator of arithmetic or of bits; `None` where it is no such operator.
pub(super) fn compute(op: BinaryOp, left: &Value, right: &Value) -> Option<Value> {
    let (left, right) = (numeric(left), numeric(right));
    let (Some(x), Some(y)) = (left.as_f64(), right.as_f64()) else { return Some(Value::Null) };
    let whole = |v: &Value| match v {
        Value::Real(r) => r.0 as i64,
        Value::Integer(i) => *i,
        _ => 0,
    };
    if let (Value::Integer(a), Value::Integer(b)) = (&left, &right) {
        let (a, b) = (*a, *b);
        let exact = match op {
            BinaryOp::Add => a.checked_add(b),
            BinaryOp::Sub => a.checked_sub(b),
            BinaryOp::Mul => a.checked_mul(b),
            BinaryOp::Div | BinaryOp::Mod if b == 0 => return Some(Value::Null),
            BinaryOp::Div => a.checked_div(b),
            BinaryOp::Mod => Some(a.checked_rem(b).unwrap_or(0)),
            _ => None,
        };
        if let Some(exact) = exact {
            return Some(Value::Integer(exact));
        }
    }
    let (a, b) = (whole(&left), whole(&right));
    Some(match op {
        BinaryOp::Add => real(x + y),
        BinaryOp::Sub => real(x - y),
        BinaryOp::Mul => real(x * y),
        BinaryOp::Div if y == 0.0 => Value::Null,
        BinaryOp::Div => real(x / y),
        BinaryOp::Mod if b == 0 => Value::Null,
        BinaryOp::Mod => real(a.checked_rem(b).unwrap_or(0) as f64),
        BinaryOp::BitAnd => Value::Integer(a & b),
        BinaryOp::BitOr => Value::Integer(a | b),
        BinaryOp::ShiftLeft | BinaryOp::ShiftRight => {
            let by = if op == BinaryOp::ShiftLeft { b } else { b.saturating_neg() };
            Value::Integer(match by {
                64.. => 0,
                0.. => a.wrapping_shl(by as u32),
                -63.. => a >> by.unsigned_abs(),
                _ if a < 0 => -1,
                _ => 0,
            })
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubles_are_written_as_sqlite_writes_them() {
        let cases =
            [(1.0, "1.0"), (0.1 + 0.2, "0.3"), (-2.5, "-2.5"), (1e15, "1.0e+15"), (123_456.75, "123456.75")];
        for (r, text) in
            cases.into_iter().chain([(0.0001, "0.0001"), (0.000_01, "1.0e-05"), (1e100, "1.0e+100")])
        {
            assert_eq!(short_text(r), text);
        }
    }

    #[test]
    fn a_text_is_the_number_that_it_starts_with() {
        assert_eq!(prefix("12abc"), (Value::Integer(12), false));
        assert_eq!(prefix(" -3.5e1 "), (real(-35.0), true));
        assert_eq!(prefix("."), (Value::Integer(0), false));
        assert_eq!(prefix("7e"), (Value::Integer(7), false));
    }
}
