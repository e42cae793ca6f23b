//! `x = ANY (array)` and its relatives: of a written array a list of comparisons, of any
//! other one a subquery over its elements. `'{a,b}'::text[]` is a written array too.

use sqlparser::ast::{Array, BinaryOperator, DataType, Expr, SetExpr, Spanned};

use super::build::{number, plain_call, query, string, text};
use crate::error::SqlError;

/// Elements of a written array.
const MAX_ELEMENTS: usize = 5_000;

/// Rewrites one expression.
pub(super) fn write_out(expr: &mut Expr) -> Result<(), SqlError> {
    let declared = match &*expr {
        Expr::Cast { kind: _, expr: _, data_type, format: _ } => data_type.to_string(),
        _ => String::new(),
    };
    let rewritten = match expr {
        Expr::Cast { kind: _, expr: written, data_type: DataType::Array(_), format: None } => {
            match &**written {
                Expr::Array(array) => Some(Expr::Array(array.clone())),
                other => written_array(other, &declared),
            }
        }
        Expr::AnyOp { left, compare_op, right, is_some: _ } => compared(left, compare_op, right, false),
        Expr::AllOp { left, compare_op, right } => compared(left, compare_op, right, true),
        _ => one_of_patterns(expr),
    };
    if let Some(rewritten) = rewritten {
        *expr = rewritten;
    }
    Ok(())
}

/// The array that a string is in PostgreSQL's form, `{a,"b c"}`.
fn written_array(expr: &Expr, of: &str) -> Option<Expr> {
    let inner = text(expr)?.trim().strip_prefix('{')?.strip_suffix('}')?;
    let span = expr.span();
    // Arrays of arrays are another matter.
    if inner.contains(['{', '\\']) {
        return None;
    }
    let numeric = ["INT", "NUMERIC", "DEC", "REAL", "FLOAT", "DOUBLE", "SERIAL"]
        .iter()
        .any(|t| of.to_ascii_uppercase().contains(t));
    let mut elem = Vec::new();
    if !inner.trim().is_empty() {
        for part in split(inner)? {
            elem.push(match (part.parse::<i64>(), numeric) {
                (Ok(n), true) if n >= 0 => number(n, span),
                _ => string(part, span),
            });
        }
    }
    (elem.len() <= MAX_ELEMENTS).then_some(Expr::Array(Array { elem, named: true }))
}

/// The elements between commas; quotes may stand around one. NULL is no string.
fn split(inner: &str) -> Option<Vec<String>> {
    let mut parts = Vec::new();
    let mut rest = inner.trim();
    loop {
        if let Some(quoted) = rest.strip_prefix('"') {
            let (part, after) = quoted.split_once('"')?;
            parts.push(part.to_owned());
            rest = after.trim_start();
        } else {
            let end = rest.find(',').unwrap_or(rest.len());
            let part = rest.get(..end)?.trim();
            if part.is_empty() || part.eq_ignore_ascii_case("null") || part.contains('"') {
                return None;
            }
            parts.push(part.to_owned());
            rest = rest.get(end..)?;
        }
        match rest.strip_prefix(',') {
            Some(after) => rest = after.trim_start(),
            None if rest.is_empty() => return Some(parts),
            None => return None,
        }
    }
}

fn unwrapped(mut expr: &Expr) -> &Expr {
    while let Expr::Nested(inner) = expr {
        expr = inner;
    }
    expr
}

/// `x LIKE ANY ('a%', 'b%')` of Snowflake and Spark, `x LIKE ANY (ARRAY['a%', 'b%'])` and `x NOT LIKE ALL (ARRAY[…])` of
/// PostgreSQL: one of several patterns, or all of them (<https://docs.snowflake.com/en/sql-reference/functions/like_any>,
/// <https://www.postgresql.org/docs/15/functions-comparisons.html>).
fn one_of_patterns(expr: &Expr) -> Option<Expr> {
    let (Expr::Like { negated, any, expr: _, pattern, escape_char: _ }
    | Expr::ILike { negated, any, expr: _, pattern, escape_char: _ }) = expr
    else {
        return None;
    };
    let call = plain_call(pattern).filter(|(name, _)| name == "all");
    let (list, op): (Vec<&Expr>, BinaryOperator) = match (&**pattern, call) {
        (_, Some((_, args))) if !any => (args, BinaryOperator::And),
        (Expr::Tuple(list), _) if *any => (list.iter().collect(), BinaryOperator::Or),
        (Expr::Nested(one), _) if *any => (vec![&**one], BinaryOperator::Or),
        (Expr::Array(_), _) if *any => (vec![&**pattern], BinaryOperator::Or),
        _ => return None,
    };
    let patterns: Vec<&Expr> = match list.as_slice() {
        [Expr::Array(Array { elem, named: _ })] => elem.iter().collect(),
        // What NOT belongs to there is not said.
        _ if *negated => return None,
        _ => list,
    };
    let alone = |one: &Expr| {
        let mut alone = expr.clone();
        if let Expr::Like { negated: _, any, expr: _, pattern, escape_char: _ }
        | Expr::ILike { negated: _, any, expr: _, pattern, escape_char: _ } = &mut alone
        {
            *any = false;
            **pattern = one.clone();
        }
        alone
    };
    let both = |l: Expr, r: Expr| Expr::BinaryOp { left: Box::new(l), op: op.clone(), right: Box::new(r) };
    patterns.into_iter().map(alone).reduce(both).map(|all| Expr::Nested(Box::new(all)))
}

/// `left op ANY (array)`; `None` where the right side is a subquery already.
fn compared(left: &Expr, op: &BinaryOperator, right: &Expr, all: bool) -> Option<Expr> {
    let array = unwrapped(right);
    let written = match array {
        Expr::Subquery(_) => return None,
        Expr::Array(array) => Some(array.clone()),
        other => match written_array(other, "") {
            Some(Expr::Array(array)) => Some(array),
            _ => None,
        },
    };
    let nested = |e: Expr| Expr::Nested(Box::new(e));
    let Some(Array { elem, named: _ }) = written else {
        let mut elements = query(r#"SELECT * FROM unnest("$1")"#, std::slice::from_ref(array))?;
        if let SetExpr::Select(select) = &mut *elements.body {
            select.from.iter_mut().for_each(|from| super::series::as_call(&mut from.relation, false));
        }
        let (left, right) = (Box::new(left.clone()), Box::new(Expr::Subquery(elements)));
        return Some(if all {
            Expr::AllOp { left, compare_op: op.clone(), right }
        } else {
            Expr::AnyOp { left, compare_op: op.clone(), right, is_some: false }
        });
    };
    let listed =
        |negated: bool, list: Vec<Expr>| nested(Expr::InList { expr: Box::new(left.clone()), list, negated });
    match (op, all) {
        _ if elem.is_empty() => Some(number(i64::from(all), left.span())),
        (BinaryOperator::Eq, false) => Some(listed(false, elem)),
        (BinaryOperator::NotEq, true) => Some(listed(true, elem)),
        _ => {
            let joined = if all { BinaryOperator::And } else { BinaryOperator::Or };
            let compare = |e: Expr| Expr::BinaryOp {
                left: Box::new(nested(left.clone())),
                op: op.clone(),
                right: Box::new(nested(e)),
            };
            // Patterns are compared like values: x LIKE ANY (ARRAY[…]) has operators ~~.
            let list = elem.into_iter().map(compare);
            list.reduce(|l, r| Expr::BinaryOp { left: Box::new(l), op: joined.clone(), right: Box::new(r) })
                .map(nested)
        }
    }
}
