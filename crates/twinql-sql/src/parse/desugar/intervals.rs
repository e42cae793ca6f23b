//! MySQL's INTERVAL, which stands beside `+`, `-` and in DATE_ADD and its relatives alone:
//! all of them become `my_date_add(moment, count, unit)`.

use sqlparser::ast::{BinaryOperator, Expr, Interval, Spanned};

use super::build::{call as build_call, number, plain_call, string, whole};
use crate::temporal::Unit;

/// Rewrites one expression.
pub(super) fn call(expr: &mut Expr) {
    let rewritten = match expr {
        Expr::BinaryOp { left, op, right } => match op {
            BinaryOperator::Plus => moved(left, right, false).or_else(|| moved(right, left, false)),
            BinaryOperator::Minus => moved(left, right, true),
            _ => None,
        },
        Expr::Function(_) => of_call(expr),
        _ => None,
    };
    if let Some(rewritten) = rewritten {
        *expr = rewritten;
    }
}

fn of_call(expr: &Expr) -> Option<Expr> {
    let (name, args) = plain_call(expr)?;
    match (name.as_str(), args.as_slice()) {
        ("date_add" | "adddate", [moment, span]) => {
            moved(moment, span, false).or_else(|| days(&name, moment, span, false))
        }
        ("date_sub" | "subdate", [moment, span]) => {
            moved(moment, span, true).or_else(|| days(&name, moment, span, true))
        }
        ("timestampadd", [unit, count, moment]) => {
            let name = super::build::text(unit)?;
            count_of(moment, (*count).clone(), Unit::named(name)?, false)
        }
        _ => None,
    }
}

/// ADDDATE and SUBDATE take a number of days too.
fn days(name: &str, moment: &Expr, count: &Expr, back: bool) -> Option<Expr> {
    if !matches!(name, "adddate" | "subdate") {
        return None;
    }
    count_of(moment, count.clone(), Unit::Day, back)
}

/// `moment + INTERVAL count unit`, or `-`.
fn moved(moment: &Expr, span: &Expr, back: bool) -> Option<Expr> {
    let Expr::Interval(Interval {
        value,
        leading_field: Some(unit),
        leading_precision: None,
        last_field: None,
        fractional_seconds_precision: None,
    }) = span
    else {
        return None;
    };
    let unit = Unit::named(&unit.to_string())?;
    count_of(moment, (**value).clone(), unit, back)
}

/// The call. A constant count is of months, days or seconds, so that 12 months are a year.
fn count_of(moment: &Expr, count: Expr, unit: Unit, back: bool) -> Option<Expr> {
    let span = count.span();
    let one = unit.span();
    let (factor, base) = match (one.months, one.days, one.micros) {
        (months @ 1.., 0, 0) => (months, "month"),
        (0, days @ 1.., 0) => (days, "day"),
        (0, 0, micros) if micros % 1_000_000 == 0 => (micros / 1_000_000, "second"),
        _ => (1, "microsecond"),
    };
    let sign = if back { -1 } else { 1 };
    let count = match whole(&count, true) {
        Some(n) => number(n.checked_mul(factor)?.checked_mul(sign)?, span),
        None => {
            let count = Box::new(Expr::Nested(Box::new(count)));
            let scaled = Expr::BinaryOp {
                left: count,
                op: BinaryOperator::Multiply,
                right: Box::new(number(factor.checked_mul(sign)?, span)),
            };
            Expr::Nested(Box::new(scaled))
        }
    };
    Some(build_call("my_date_add", vec![moment.clone(), count, string(base, span)], span))
}
