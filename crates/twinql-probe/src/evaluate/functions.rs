//! Scalar functions: one entry for each, by its name in SQLite.

use twinql_sql::Value;
use twinql_suite::compare::order;

use super::moments;
use super::numbers::{double, numeric, real, text};
use super::patterns::like;
use super::{Cell, Result, Stop};

/// A function of values.
pub(super) type Call = fn(&[Cell<'_>]) -> Result<Value>;

/// Every function that is written here, but those that do not evaluate all their arguments: these stand with the
/// expressions. What is rare the sandbox is asked for, and so it is for arguments that are not known here.
pub(super) const FUNCTIONS: &[(&str, Call)] = &[
    ("abs", abs),
    ("date", moments::date),
    ("datetime", moments::datetime),
    ("instr", instr),
    ("julianday", moments::julianday),
    ("length", length),
    ("like", escaped_like),
    ("likelihood", first),
    ("likely", first),
    ("lower", |a| of_text(a, |s| s.to_ascii_lowercase())),
    ("ltrim", |a| trim(a, true, false)),
    ("max", |a| extreme(a, true)),
    ("min", |a| extreme(a, false)),
    ("replace", replace),
    ("round", round),
    ("rtrim", |a| trim(a, false, true)),
    ("strftime", moments::strftime),
    ("substr", substr),
    ("substring", substr),
    ("time", moments::time),
    ("trim", |a| trim(a, true, true)),
    ("unlikely", first),
    ("upper", |a| of_text(a, |s| s.to_ascii_uppercase())),
];

/// Bytes of a text that REPLACE may make.
const MAX_TEXT: usize = 1 << 16;

/// Calls a function; `None` for one that is not written here.
///
/// # Errors
/// It is not known with such arguments.
pub(super) fn call(name: &str, args: &[Cell<'_>]) -> Option<Result<Value>> {
    let found = FUNCTIONS.binary_search_by(|(n, _)| (*n).cmp(name));
    let entry = found.ok().and_then(|i| FUNCTIONS.get(i));
    entry.map(|(_, call)| call(args))
}

/// The text of an argument; `None` where it is NULL or missing.
fn argument<'a>(args: &'a [Cell<'_>], i: usize) -> Option<std::borrow::Cow<'a, str>> {
    args.get(i).and_then(|v| text(v))
}

/// The integer that SQLite takes an argument for: of a text its numeric prefix, cut off at the point.
fn integer(value: &Value) -> Option<i64> {
    match numeric(value) {
        Value::Integer(i) => Some(i),
        Value::Real(r) => Some(r.0 as i64),
        _ => None,
    }
}

/// A function of one text, NULL for NULL. Only letters of ASCII change case, as in SQLite without ICU.
fn of_text(args: &[Cell<'_>], f: impl Fn(&str) -> String) -> Result<Value> {
    Ok(argument(args, 0).map_or(Value::Null, |s| Value::Text(f(&s))))
}

/// What tells SQLite's planner how often a condition holds, and is the condition.
fn first(args: &[Cell<'_>]) -> Result<Value> {
    Ok(args.first().map_or(Value::Null, |v| v.clone().into_owned()))
}

/// The least integer has no absolute value: SQLite ends the query with an error.
fn abs(args: &[Cell<'_>]) -> Result<Value> {
    Ok(match args.first().map(|v| numeric(v)) {
        Some(Value::Integer(i)) => Value::Integer(i.checked_abs().ok_or(Stop::Failed)?),
        Some(Value::Real(r)) => real(r.0.abs()),
        _ => Value::Null,
    })
}

/// Characters, and not bytes; of a number those of its text.
fn length(args: &[Cell<'_>]) -> Result<Value> {
    Ok(argument(args, 0).map_or(Value::Null, |s| Value::Integer(s.chars().count() as i64)))
}

/// The place in characters from 1, and 0 where the part is not in it.
fn instr(args: &[Cell<'_>]) -> Result<Value> {
    let (Some(within), Some(part)) = (argument(args, 0), argument(args, 1)) else { return Ok(Value::Null) };
    let before = within.find(&*part).and_then(|at| within.get(..at));
    Ok(Value::Integer(before.map_or(0, |before| before.chars().count() as i64 + 1)))
}

/// REPLACE with an empty text to look for gives the text as it is.
fn replace(args: &[Cell<'_>]) -> Result<Value> {
    let (Some(within), Some(old), Some(new)) = (argument(args, 0), argument(args, 1), argument(args, 2))
    else {
        return Ok(Value::Null);
    };
    if old.is_empty() {
        return Ok(Value::Text(within.into_owned()));
    }
    // The result may be as long as both lengths multiplied.
    if (within.len() / old.len()).saturating_mul(new.len()) > MAX_TEXT {
        return Err(Stop::Steps);
    }
    Ok(Value::Text(within.replace(&*old, &new)))
}

/// TRIM and its like: without a second argument spaces alone, else every character of it.
fn trim(args: &[Cell<'_>], start: bool, end: bool) -> Result<Value> {
    let Some(of) = argument(args, 0) else { return Ok(Value::Null) };
    let set: Vec<char> = match (args.len(), argument(args, 1)) {
        (1, _) => vec![' '],
        (_, Some(set)) => set.chars().collect(),
        (_, None) => return Ok(Value::Null),
    };
    let mut rest = &*of;
    if start {
        rest = rest.trim_start_matches(|c| set.contains(&c));
    }
    if end {
        rest = rest.trim_end_matches(|c| set.contains(&c));
    }
    Ok(Value::Text(rest.to_owned()))
}

/// `SUBSTR(text, from[, length])`: places count from 1, or from the end where negative; a negative length takes what
/// stands before.
fn substr(args: &[Cell<'_>]) -> Result<Value> {
    let (Some(of), Some(from)) = (argument(args, 0), args.get(1).and_then(|v| integer(v))) else {
        return Ok(Value::Null);
    };
    let chars: Vec<char> = of.chars().collect();
    let size = chars.len() as i64;
    let length = match args.get(2) {
        None => i64::MAX / 4,
        Some(value) => match integer(value) {
            Some(n) => n.clamp(-(i64::MAX / 4), i64::MAX / 4),
            None => return Ok(Value::Null),
        },
    };
    let from = from.clamp(-(i64::MAX / 4), i64::MAX / 4);
    // Where the first character that is taken would stand, from 0.
    let start = if from > 0 {
        from - 1
    } else if from < 0 {
        size + from
    } else {
        -1
    };
    let (start, end) = if length >= 0 { (start, start + length) } else { (start + length, start) };
    // The place before the first is 0, which counts as a character that is not there.
    let (start, end) = (start.clamp(0, size) as usize, end.clamp(0, size) as usize);
    Ok(Value::Text(chars.get(start..end.max(start)).unwrap_or_default().iter().collect()))
}

/// `ROUND(x[, digits])`: half away from zero.
fn round(args: &[Cell<'_>]) -> Result<Value> {
    let Some(x) = args.first().and_then(|v| double(v)) else { return Ok(Value::Null) };
    let digits = match args.get(1) {
        None => 0,
        Some(value) => match integer(value) {
            Some(n) => n.clamp(0, 30),
            None => return Ok(Value::Null),
        },
    };
    // From 2 to the power of 52 a double has no fraction.
    if x.abs() > 4_503_599_627_370_496.0 {
        return Ok(real(x));
    }
    if digits == 0 {
        return Ok(real((x + if x < 0.0 { -0.5 } else { 0.5 }).trunc()));
    }
    // SQLite rounds the decimal digits of the double, of which it keeps sixteen or so: a half that is not exact in
    // binary is written as one first.
    let written = format!("{:.*}", digits as usize, x);
    let nearest: f64 = written.parse().unwrap_or(x);
    let scale = 10f64.powi(digits as i32);
    let half = (x * scale).fract().abs();
    if (half - 0.5).abs() < 1e-9 {
        let away = ((x * scale).abs().floor() + 1.0) / scale;
        return Ok(real(if x < 0.0 { -away } else { away }));
    }
    Ok(real(nearest))
}

/// MIN and MAX of one row's values, which are NULL if one of them is, unlike the aggregates of the same name. Of equal
/// values the first is given.
fn extreme(args: &[Cell<'_>], greatest: bool) -> Result<Value> {
    if args.iter().any(|v| **v == Value::Null) {
        return Ok(Value::Null);
    }
    let better = |a: &Value, b: &Value| if greatest { order(a, b).is_gt() } else { order(a, b).is_lt() };
    let found = args.iter().fold(None::<&Cell<'_>>, |best, v| match best {
        Some(best) if !better(v, best) => Some(best),
        _ => Some(v),
    });
    Ok(found.map_or(Value::Null, |v| v.clone().into_owned()))
}

/// `LIKE(pattern, text[, escape])`.
fn escaped_like(args: &[Cell<'_>]) -> Result<Value> {
    let (Some(pattern), Some(of)) = (argument(args, 0), argument(args, 1)) else { return Ok(Value::Null) };
    let escape = argument(args, 2).and_then(|s| s.chars().next());
    Ok(super::numbers::logical(Some(like(&of, &pattern, escape))))
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::*;

    #[test]
    fn the_registry_is_in_order() {
        assert!(FUNCTIONS.is_sorted_by(|a, b| a.0 < b.0));
    }

    #[test]
    fn places_of_a_text_count_from_one() {
        let sub = |from, length: Option<i64>| {
            let mut args = vec![Value::Text("abcde".into()), Value::Integer(from)];
            args.extend(length.map(Value::Integer));
            let args: Vec<Cell<'_>> = args.into_iter().map(Cow::Owned).collect();
            substr(&args)
        };
        let text = |s: &str| Ok(Value::Text(s.to_owned()));
        assert_eq!(sub(2, Some(3)), text("bcd"));
        assert_eq!(sub(-2, None), text("de"));
        assert_eq!(sub(0, Some(3)), text("ab"));
        assert_eq!(sub(4, Some(-2)), text("bc"));
        assert_eq!(sub(-9, Some(6)), text("ab"));
    }
}
