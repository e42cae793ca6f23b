//! Guards against a division by zero, which is NULL as it is.
//!
//! SQLite, MySQL and Spark answer a division by zero with NULL. Elsewhere it fails, and a query that fails on a database
//! has no answer there to be compared, so a guard is told apart from none by no database.

use crate::normalize::prelude::*;

use super::is_number;

pub(super) const GUARDED_DIVISORS: Rule = Rule {
    name: "guarded-divisors",
    summary: "x / NULLIF(y, 0), CASE WHEN y <> 0 THEN x / y END and CASE WHEN y = 0 THEN NULL ELSE x / y END are x / y",
    why: "Where the guard applies, the quotient is NULL without it.",
    source: "SQLite and MySQL: a division by 0 is NULL; where it fails, there is no answer",
    needs: Needs::NOTHING,
    examples: examples! {
        "nulls": "SELECT SUM(total) / NULLIF(COUNT(day), 0) FROM orders" == "SELECT SUM(total) / COUNT(day) FROM orders";
        "nulls": "SELECT 100 * score / CAST(NULLIF(age, 0) AS REAL) FROM customer" == "SELECT 100 * score / CAST(age AS REAL) FROM customer";
        "nulls": "SELECT id % NULLIF(age, 0) FROM customer" == "SELECT id % age FROM customer";
        "nulls": "SELECT CASE WHEN age <> 0 THEN ROUND(score / age, 2) END FROM customer" == "SELECT ROUND(score / age, 2) FROM customer";
        "nulls": "SELECT CASE WHEN age = 0 THEN NULL ELSE score * 1.0 / age END FROM customer" == "SELECT score * 1.0 / age FROM customer";
        "nulls": "SELECT SUM(total) / NULLIF(COUNT(day), 1) FROM orders" != "SELECT SUM(total) / COUNT(day) FROM orders";
        "nulls": "SELECT CASE WHEN age > 0 THEN score / age END FROM customer" != "SELECT score / age FROM customer";
        "nulls": "SELECT CASE WHEN age = 0 THEN 0 ELSE score / age END FROM customer" != "SELECT score / age FROM customer";
        "nulls": "SELECT COALESCE(score / NULLIF(age, 0), 0) FROM customer" != "SELECT score / age FROM customer";
    },
    apply: Apply::Expr(guarded_divisor),
};

fn guarded_divisor(e: &mut Expr, _cx: &mut Context<'_>) -> Changed {
    if let Expr::Binary { op: BinaryOp::Div | BinaryOp::Mod, right, .. } = e {
        return unguarded(right);
    }
    let (test, then, otherwise) = e.as_conditional()?;
    let (of, is_zero) = compared_with_zero(test)?;
    let (quotient, none) = if is_zero { (otherwise?, Some(then)) } else { (then, otherwise) };
    let idle = none.is_none_or(Expr::is_null_literal) && of.is_deterministic() && null_by_zero(quotient, of);
    let new = idle.then(|| quotient.clone());
    put(e, new)
}

/// Takes the guard from a divisor, or from a factor of it.
fn unguarded(divisor: &mut Expr) -> Changed {
    match divisor {
        Expr::Cast { expr, .. } | Expr::Unary { op: UnaryOp::Neg | UnaryOp::Plus, expr } => unguarded(expr),
        Expr::Binary { op: BinaryOp::Mul, left, right } => {
            let (one, two) = (unguarded(left), unguarded(right));
            one.or(two)
        }
        e => {
            let new = null_at_zero(e).cloned();
            put(e, new)
        }
    }
}

/// What an expression is, but for NULL in the place of 0: NULLIF as it is written, and as CASE.
fn null_at_zero(e: &Expr) -> Option<&Expr> {
    if let Some((name, args)) = e.as_function() {
        return match args.as_slice() {
            [y, zero] if name == "nullif" && is_number(zero, 0.0) => Some(y),
            _ => None,
        };
    }
    let (test, then, otherwise) = e.as_conditional()?;
    let (of, is_zero) = compared_with_zero(test)?;
    let (y, none) = if is_zero { (otherwise?, Some(then)) } else { (then, otherwise) };
    (none.is_none_or(Expr::is_null_literal) && bare(y) == bare(of) && of.is_deterministic()).then_some(y)
}

/// What is compared with 0, and whether the comparison is true of 0.
fn compared_with_zero(test: &Expr) -> Option<(&Expr, bool)> {
    test.readings().find_map(|(x, op, n)| match op {
        BinaryOp::Eq if is_number(n, 0.0) => Some((x, true)),
        BinaryOp::NotEq if is_number(n, 0.0) => Some((x, false)),
        _ => None,
    })
}

/// True if an expression is NULL wherever `of` is 0 or NULL: it is a quotient by it, or computed of one by operators and
/// functions that pass NULL on.
fn null_by_zero(e: &Expr, of: &Expr) -> bool {
    match e {
        Expr::Binary { op: BinaryOp::Div | BinaryOp::Mod, left, right } => {
            zero_with(right, of) || null_by_zero(left, of) || null_by_zero(right, of)
        }
        Expr::Binary { op, left, right } if op.is_arithmetic() => {
            null_by_zero(left, of) || null_by_zero(right, of)
        }
        Expr::Cast { expr, .. } | Expr::Unary { op: UnaryOp::Neg | UnaryOp::Plus, expr } => {
            null_by_zero(expr, of)
        }
        Expr::Function { name, args } if name == "round" || name == "abs" => {
            args.first().is_some_and(|first| null_by_zero(first, of))
        }
        _ => false,
    }
}

/// True if a divisor is 0 or NULL wherever `of` is.
fn zero_with(divisor: &Expr, of: &Expr) -> bool {
    match divisor {
        e if bare(e) == bare(of) => true,
        Expr::Cast { expr, .. } | Expr::Unary { op: UnaryOp::Neg | UnaryOp::Plus, expr } => {
            zero_with(expr, of)
        }
        Expr::Binary { op: BinaryOp::Mul, left, right } => zero_with(left, of) || zero_with(right, of),
        _ => false,
    }
}

/// Without the sign that takes an affinity away.
fn bare(e: &Expr) -> &Expr {
    e.as_plus().map_or(e, bare)
}
