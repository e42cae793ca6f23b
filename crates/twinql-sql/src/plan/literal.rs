//! Constants as SQLite reads them.

use ordered_float::OrderedFloat;
use sqlparser::ast;

use super::{Result, invalid, unsupported};
use crate::expr::Expr;
use crate::value::Value;

/// A numeric literal. Digits that do not fit an integer are a real (SQLite).
pub(crate) fn number(text: &str) -> Option<Value> {
    let text = text.replace('_', "");
    if let Some(hex) = text.strip_prefix("0x").or(text.strip_prefix("0X")) {
        // Hexadecimal integers are two's complement.
        return u64::from_str_radix(hex, 16).ok().map(|v| Value::Integer(v.cast_signed()));
    }
    if let Ok(integer) = text.parse::<i64>() {
        return Some(Value::Integer(integer));
    }
    let real = text.parse::<f64>().ok()?;
    Some(Value::Real(OrderedFloat(real)))
}

fn blob(hex: &str) -> Option<Value> {
    let digits: Option<Vec<u8>> =
        hex.chars().map(|c| c.to_digit(16).and_then(|d| u8::try_from(d).ok())).collect();
    let digits = digits?;
    let pairs = digits.chunks_exact(2);
    if !pairs.remainder().is_empty() {
        return None;
    }
    Some(Value::Blob(pairs.map(|p| p.iter().fold(0, |b, d| (b << 4) | d)).collect()))
}

/// A literal of the AST.
///
/// TRUE and FALSE are 1 and 0 in SQLite. A parameter has no value here: two queries are compared with
/// theirs.
pub(crate) fn literal(value: &ast::ValueWithSpan) -> Result<Expr> {
    use ast::Value as V;
    let literal = match &value.value {
        V::Number(text, _) => number(text),
        V::SingleQuotedString(s)
        | V::DoubleQuotedString(s)
        | V::TripleSingleQuotedString(s)
        | V::TripleDoubleQuotedString(s)
        | V::EscapedStringLiteral(s)
        | V::UnicodeStringLiteral(s)
        | V::NationalStringLiteral(s)
        | V::SingleQuotedRawStringLiteral(s)
        | V::DoubleQuotedRawStringLiteral(s) => Some(Value::Text(s.clone())),
        V::DollarQuotedString(s) => Some(Value::Text(s.value.clone())),
        // sqlparser reads 0x1F and X'1F' as one kind; the length in the text tells them apart.
        V::HexStringLiteral(hex) => {
            let length = value.span.end.column.saturating_sub(value.span.start.column);
            if usize::try_from(length) == Ok(hex.len() + 2) { number(&format!("0x{hex}")) } else { blob(hex) }
        }
        V::Boolean(b) => Some(Value::Integer(i64::from(*b))),
        V::Null => Some(Value::Null),
        V::Placeholder(name) => {
            return unsupported(
                format!(
                    "parameter {name} (a query is compared with its values: write the value in its place)"
                ),
                value.span,
            );
        }
        other => return unsupported(format!("literal {other}"), value.span),
    };
    match literal {
        Some(value) => Ok(Expr::Literal(value)),
        None => invalid(format!("malformed literal {}", value.value), value.span),
    }
}
