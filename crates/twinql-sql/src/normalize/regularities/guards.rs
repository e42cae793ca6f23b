//! Guards against what does not happen: divisors of 0, totals of no rows.

use crate::expr::{BinaryOp, Expr};
use crate::normalize::context::Context;
use crate::normalize::example::examples;
use crate::normalize::rule::{Apply, Needs, Rule};
use crate::normalize::rules::is_number;
use crate::rel::Rel;
use crate::value::Value;

pub(super) const DEFAULTS: Rule = Rule {
    name: "defaults",
    summary: "COALESCE(x, 0) of what is computed is x",
    why: "There are rows to compute it of, so the other value is never needed.",
    source: "a habit of language models",
    needs: Needs::NOTHING,
    examples: examples! {
        "bird": "SELECT COALESCE(SUM(total), 0) FROM orders WHERE day = '2024'" == "SELECT SUM(total) FROM orders WHERE day = '2024'";
        "nulls": "SELECT COALESCE(age, 0) FROM customer" != "SELECT age FROM customer";
    },
    apply: Apply::Rel(defaults),
};

/// A rule of relations, so that `counted-sum`, which looks for the other value, comes first.
fn defaults(rel: &mut Rel, cx: &mut Context<'_>) -> bool {
    let mut changed = false;
    for e in rel.exprs_mut() {
        changed |= e.map(|e| default(e, cx));
    }
    changed
}

/// A column of a table is left: who gives another value for its NULLs knows that it holds some.
fn default(e: &mut Expr, cx: &Context<'_>) -> bool {
    let Expr::Function { name, args } = e else {
        return false;
    };
    let ("coalesce" | "ifnull", [x, Expr::Literal(_)]) = (name.as_str(), args.as_slice()) else {
        return false;
    };
    let stored = |x: &Expr| matches!(x, Expr::Column(c) if cx.origin(*c).is_some());
    if x.is_literal() || stored(x) {
        return false;
    }
    *e = x.clone();
    true
}

pub(super) const DIVISORS: Rule = Rule {
    name: "divisors",
    summary: "x / NULLIF(y, 0) and CASE WHEN y > 0 THEN x / y ELSE 0 END are x / y",
    why: "A quotient is asked for where there is something to divide by.",
    source: "a habit of language models; SQLite's division by 0 is NULL as it is",
    needs: Needs::NOTHING,
    examples: examples! {
        "bird": "SELECT SUM(total) / NULLIF(COUNT(day), 0) FROM orders" == "SELECT SUM(total) / COUNT(day) FROM orders";
        "bird": "SELECT CASE WHEN COUNT(*) > 0 THEN SUM(score) / COUNT(*) ELSE 0 END FROM customer WHERE age > 3"
            == "SELECT SUM(score) / COUNT(*) FROM customer WHERE age > 3";
        "bird": "SELECT SUM(CASE WHEN age > 0 THEN score ELSE 0 END) FROM customer" != "SELECT SUM(score) FROM customer";
        "bird": "SELECT SUM(total) / NULLIF(COUNT(day), 1) FROM orders" != "SELECT SUM(total) / COUNT(day) FROM orders";
    },
    apply: Apply::Expr(divisor),
};

fn divisor(e: &mut Expr, cx: &mut Context<'_>) -> bool {
    match e {
        Expr::Binary { op: BinaryOp::Div, right, .. } => match &**right {
            Expr::Function { name, args } if name == "nullif" => match args.as_slice() {
                [y, zero] if is_zero(zero) => {
                    **right = y.clone();
                    true
                }
                _ => false,
            },
            // NULLIF as the planner has it.
            Expr::Case { operand: None, branches, otherwise: Some(y) } => match branches.as_slice() {
                [(test, then)] if then.is_null_literal() && tested(test) == Some((&**y, true)) => {
                    let y = y.as_ref().clone();
                    **right = y;
                    true
                }
                _ => false,
            },
            _ => false,
        },
        Expr::Case { operand: None, branches, otherwise } => {
            let idle = |e: &Expr| is_zero(e) || e.is_null_literal();
            let [(test, then)] = branches.as_slice() else {
                return false;
            };
            let Some((of, zero_is)) = tested(test) else {
                return false;
            };
            let (quotient, other) = match (zero_is, otherwise.as_deref()) {
                (false, other) => (Some(then), other),
                (true, otherwise) => (otherwise, Some(then)),
            };
            // AVG divides by the count itself; a column of a table divides by nothing.
            let computed = |e: &Expr| e.as_column().is_some_and(|c| cx.origin(c).is_none());
            let average = |q: &Expr| computed(q) && computed(of);
            match quotient {
                Some(q) if other.is_none_or(idle) && (divides_by(q, of) || average(q)) => {
                    *e = q.clone();
                    true
                }
                _ => false,
            }
        }
        _ => false,
    }
}

fn is_zero(e: &Expr) -> bool {
    is_number(e, 0.0)
}

/// What is compared with 0, or as a whole number with 1, and whether the test holds for 0.
fn tested(e: &Expr) -> Option<(&Expr, bool)> {
    let Expr::Binary { op, left, right } = e else {
        return None;
    };
    let (of, op, bound) = match (&**left, &**right) {
        (of, Expr::Literal(Value::Integer(bound))) => (of, *op, *bound),
        (Expr::Literal(Value::Integer(bound)), of) => (of, op.flipped()?, *bound),
        _ => return None,
    };
    match (op, bound) {
        (BinaryOp::Eq | BinaryOp::LtEq, 0) | (BinaryOp::Lt, 1) => Some((of, true)),
        (BinaryOp::NotEq | BinaryOp::Gt, 0) | (BinaryOp::GtEq, 1) => Some((of, false)),
        _ => None,
    }
}

/// True if somewhere in it is a division by this, be it cast or not.
fn divides_by(e: &Expr, of: &Expr) -> bool {
    fn bare(e: &Expr) -> &Expr {
        match e {
            Expr::Cast { expr, .. } => bare(expr),
            e => e,
        }
    }
    e.any(|e| matches!(e, Expr::Binary { op: BinaryOp::Div, right, .. } if bare(right) == bare(of)))
}
