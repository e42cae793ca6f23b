//! Casts that SQLite lacks.

use twinql_sql::Value;

use super::{Returned, Stop, text, truth};

/// PostgreSQL's cast to BOOLEAN: a number is true unless it is 0, a text is a word for true or false or
/// the beginning of one. Where PostgreSQL stops with an error, this is NULL.
pub(super) fn boolean(args: &[Value]) -> Returned {
    let holds = match args.first() {
        Some(Value::Integer(i)) => Some(*i != 0),
        Some(Value::Real(r)) => Some(r.0 != 0.0),
        other => other.and_then(text).and_then(|t| word(&t)),
    };
    holds.map(truth).ok_or(Stop::Null)
}

/// The truth that a word stands for.
fn word(text: &str) -> Option<bool> {
    let text = text.trim().to_ascii_lowercase();
    let begins = |word: &str, least: usize| text.len() >= least && word.starts_with(&text);
    if text == "1" || begins("true", 1) || begins("yes", 1) || begins("on", 2) {
        return Some(true);
    }
    (text == "0" || begins("false", 1) || begins("no", 1) || begins("off", 2)).then_some(false)
}

/// A cast to a type whose values SQLite has no form for: its form in the plan tells it from others, and
/// nothing can execute it.
pub(super) fn opaque(args: &[Value]) -> Returned {
    let name = args.get(1).and_then(text).unwrap_or_default();
    Err(format!("a cast to {name} cannot be executed").into())
}
