//! MySQL's INTERVAL, which stands beside `+`, `-` and in DATE_ADD and its relatives alone:
//! all of them become `my_date_add(moment, count, unit)`.

use sqlparser::ast::{BinaryOperator, Expr, Interval, Spanned};

use super::build::{call as build_call, number, plain_call, string, text, whole};
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
            let name = text(unit)?;
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
        last_field,
        fractional_seconds_precision: None,
    }) = span
    else {
        return None;
    };
    let unit = Unit::named(&unit.to_string())?;
    let Some(last) = last_field else {
        return count_of(moment, (**value).clone(), unit, back);
    };
    let last = Unit::named(&last.to_string())?;
    count_of(moment, number(in_the_last(value, unit, last)?, value.span()), last, back)
}

/// `'1:30' HOUR_MINUTE` as a number of minutes. Of fewer numbers than parts the first parts are meant to be 0, and a minus
/// before them is that of all (<https://dev.mysql.com/doc/refman/8.0/en/expressions.html#temporal-intervals>).
fn in_the_last(value: &Expr, first: Unit, last: Unit) -> Option<i64> {
    // Each with how many of it the one before has.
    const MONTHS: &[(Unit, i64)] = &[(Unit::Year, 1), (Unit::Month, 12)];
    const SECONDS: &[(Unit, i64)] =
        &[(Unit::Day, 1), (Unit::Hour, 24), (Unit::Minute, 60), (Unit::Second, 60)];
    let units = if first == Unit::Year { MONTHS } else { SECONDS };
    let place = |unit: Unit| units.iter().position(|(u, _)| *u == unit);
    let units = units.get(place(first)?..=place(last)?)?;
    let written = match whole(value, false) {
        Some(n) => n.to_string(),
        None => text(value)?.trim().to_owned(),
    };
    let (sign, digits) = written.strip_prefix('-').map_or((1, &*written), |rest| (-1, rest));
    let numbers =
        digits.split(|c: char| !c.is_ascii_digit()).map(str::parse).collect::<Result<Vec<i64>, _>>();
    let numbers = numbers.ok().filter(|numbers| numbers.len() <= units.len())?;
    let units = units.get(units.len() - numbers.len()..)?;
    let add = |sum: i64, (n, (_, times)): (&i64, &(Unit, i64))| sum.checked_mul(*times)?.checked_add(*n);
    numbers.iter().zip(units).try_fold(0, add)?.checked_mul(sign)
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
