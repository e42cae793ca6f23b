//! Mathematics, as SQLite's own functions of these names have it, and GREATEST and LEAST.

use std::cmp::Ordering;

use twinql_sql::Value;

use super::{Returned, number, order, real};

fn of_one(args: &[Value], f: fn(f64) -> f64) -> Returned {
    Ok(args.first().and_then(number).map_or(Value::Null, |x| real(f(x))))
}

/// Integers stay what they are.
fn rounded(args: &[Value], f: fn(f64) -> f64) -> Returned {
    match args.first() {
        Some(Value::Integer(i)) => Ok(Value::Integer(*i)),
        _ => of_one(args, f),
    }
}

/// CEIL.
pub(super) fn ceil(args: &[Value]) -> Returned {
    rounded(args, f64::ceil)
}

/// FLOOR.
pub(super) fn floor(args: &[Value]) -> Returned {
    rounded(args, f64::floor)
}

/// TRUNC.
pub(super) fn trunc(args: &[Value]) -> Returned {
    rounded(args, f64::trunc)
}

/// EXP.
pub(super) fn exp(args: &[Value]) -> Returned {
    of_one(args, f64::exp)
}

/// LN.
pub(super) fn ln(args: &[Value]) -> Returned {
    of_one(args, f64::ln)
}

/// LOG10.
pub(super) fn log10(args: &[Value]) -> Returned {
    of_one(args, f64::log10)
}

/// LOG2.
pub(super) fn log2(args: &[Value]) -> Returned {
    of_one(args, f64::log2)
}

/// LOG: of one argument to the base of ten, of two to that of the first.
pub(super) fn log(args: &[Value]) -> Returned {
    match args {
        [base, x] => {
            Ok(number(base).zip(number(x)).map_or(Value::Null, |(base, x)| real(x.ln() / base.ln())))
        }
        _ => log10(args),
    }
}

/// SQRT.
pub(super) fn sqrt(args: &[Value]) -> Returned {
    of_one(args, f64::sqrt)
}

/// POWER.
pub(super) fn power(args: &[Value]) -> Returned {
    let [x, y] = args else {
        return Ok(Value::Null);
    };
    Ok(number(x).zip(number(y)).map_or(Value::Null, |(x, y)| real(x.powf(y))))
}

/// MOD: the remainder, with the sign of the first.
pub(super) fn modulo(args: &[Value]) -> Returned {
    match args {
        [Value::Integer(x), Value::Integer(y)] => Ok(x.checked_rem(*y).map_or(Value::Null, Value::Integer)),
        [x, y] => Ok(number(x).zip(number(y)).map_or(Value::Null, |(x, y)| real(x % y))),
        _ => Ok(Value::Null),
    }
}

/// PI.
pub(super) fn pi(_: &[Value]) -> Returned {
    Ok(real(std::f64::consts::PI))
}

fn extreme(args: &[Value], wanted: Ordering) -> Returned {
    let mut best: Option<&Value> = None;
    for value in args.iter().filter(|v| **v != Value::Null) {
        if best.is_none_or(|b| order(value, b) == wanted) {
            best = Some(value);
        }
    }
    Ok(best.cloned().unwrap_or(Value::Null))
}

/// PostgreSQL's GREATEST, which leaves NULLs out.
pub(super) fn greatest(args: &[Value]) -> Returned {
    extreme(args, Ordering::Greater)
}

/// PostgreSQL's LEAST, which leaves NULLs out.
pub(super) fn least(args: &[Value]) -> Returned {
    extreme(args, Ordering::Less)
}
