//! Mathematics, as SQLite's own functions of these names have it, and GREATEST and LEAST.

use std::cmp::Ordering;

use twinql_sql::Value;

use super::{Returned, Stop, exactly, number, order, real, whole};

/// EXP, LN, SQRT and the like.
pub(super) fn of_one(args: &[Value], f: fn(f64) -> f64) -> Returned {
    args.first().and_then(number).map(|x| real(f(x))).ok_or(Stop::Null)
}

fn of_two(args: &[Value], f: fn(f64, f64) -> f64) -> Returned {
    let [x, y] = exactly(args)?;
    number(x).zip(number(y)).map(|(x, y)| real(f(x, y))).ok_or(Stop::Null)
}

/// CEIL, FLOOR, TRUNC: integers stay what they are.
pub(super) fn rounded(args: &[Value], f: fn(f64) -> f64) -> Returned {
    match args.first() {
        Some(Value::Integer(i)) => Ok(Value::Integer(*i)),
        _ => of_one(args, f),
    }
}

/// ROUND of a binary number: halves go to the even one.
pub(super) fn round_even(args: &[Value]) -> Returned {
    rounded(args, f64::round_ties_even)
}

/// ROUND and TRUNC to a number of digits, to tens and hundreds where it is negative.
pub(super) fn to_digits(args: &[Value], f: fn(f64) -> f64) -> Returned {
    let ([x, _], digits) = (exactly(args)?, args.get(1).and_then(whole).ok_or(Stop::Null)?);
    let digits = digits.clamp(-30, 30) as i32;
    if digits >= 0
        && let Value::Integer(_) = x
    {
        return Ok(x.clone());
    }
    let number = number(x).ok_or(Stop::Null)?;
    let scale = 10_f64.powi(digits.abs());
    // Through its decimal form, as these systems have it: 1.005 is not a little less.
    let shifted = if digits < 0 { number / scale } else { decimal(number * scale) };
    let cut = f(shifted);
    let back = if digits < 0 { cut * scale } else { cut / scale };
    Ok(match x {
        Value::Integer(_) if back.abs() < 9e15 => Value::Integer(back as i64),
        _ => real(back),
    })
}

/// A number without the noise behind its fifteenth digit.
pub(super) fn decimal(x: f64) -> f64 {
    format!("{x:.14e}").parse().unwrap_or(x)
}

/// LOG: of one argument to the base of ten, of two to that of the first.
pub(super) fn log(args: &[Value]) -> Returned {
    match args.len() {
        2 => of_two(args, |base, x| x.ln() / base.ln()),
        _ => of_one(args, f64::log10),
    }
}

/// POWER.
pub(super) fn power(args: &[Value]) -> Returned {
    of_two(args, f64::powf)
}

/// MOD: the remainder, with the sign of the first.
pub(super) fn modulo(args: &[Value]) -> Returned {
    match args {
        [Value::Integer(x), Value::Integer(y)] => x.checked_rem(*y).map(Value::Integer).ok_or(Stop::Null),
        _ => of_two(args, |x, y| x % y),
    }
}

/// PostgreSQL's GREATEST and LEAST, which leave NULLs out; of equals the first.
pub(super) fn extreme(args: &[Value], wanted: Ordering) -> Returned {
    let values = args.iter().filter(|v| **v != Value::Null);
    let best = values.reduce(|best, value| if order(value, best) == wanted { value } else { best });
    best.cloned().ok_or(Stop::Null)
}
