//! Guards against what does not happen: divisors of 0, totals of no rows.

use crate::normalize::prelude::*;
use crate::normalize::rules::is_number;

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
fn defaults(rel: &mut Rel, cx: &mut Context<'_>) -> Changed {
    change_each(rel.exprs_mut(), |e| e.map(|e| default(e, cx).is_some())).then_some(())
}

/// A column of a table is left: who gives another value for its NULLs knows that it holds some.
fn default(e: &mut Expr, cx: &Context<'_>) -> Changed {
    let (name, args) = e.as_function()?;
    let ("coalesce" | "ifnull", [x, Expr::Literal(_)]) = (name.as_str(), args.as_slice()) else {
        return None;
    };
    let stored = x.as_column().is_some_and(|c| cx.origin(c).is_some());
    let new = (!x.is_literal() && !stored).then(|| x.clone());
    put(e, new)
}

pub(super) const DIVISORS: Rule = Rule {
    name: "divisors",
    summary: "CASE WHEN y > 0 THEN x / y ELSE 0 END is x / y",
    why: "A quotient is asked for where there is something to divide by.",
    source: "a habit of language models; what is NULL at 0 already is the rule guarded-divisors",
    needs: Needs::NOTHING,
    examples: examples! {
        "bird": "SELECT CASE WHEN COUNT(*) > 0 THEN SUM(score) / COUNT(*) ELSE 0 END FROM customer WHERE age > 3"
            == "SELECT SUM(score) / COUNT(*) FROM customer WHERE age > 3";
        "bird": "SELECT SUM(CASE WHEN age > 0 THEN score ELSE 0 END) FROM customer" != "SELECT SUM(score) FROM customer";
    },
    apply: Apply::Expr(divisor),
};

fn divisor(e: &mut Expr, cx: &mut Context<'_>) -> Changed {
    let (test, then, otherwise) = e.as_conditional()?;
    let (of, zero_is) = asked_of_zero(test)?;
    let (quotient, other) = if zero_is { (otherwise?, Some(then)) } else { (then, otherwise) };
    // AVG divides by the count itself; a column of a table divides by nothing.
    let computed = |e: &Expr| e.as_column().is_some_and(|c| cx.origin(c).is_none());
    let average = computed(quotient) && computed(of);
    let idle = other.is_none_or(|e| is_number(e, 0.0) || e.is_null_literal());
    let new = (idle && (divides_by(quotient, of) || average)).then(|| quotient.clone());
    put(e, new)
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
