//! Columns of truth values.

use crate::normalize::prelude::*;

pub(super) const BOOLEAN_TESTS: Rule = Rule {
    name: "boolean-tests",
    summary: "a condition on a column of truth values is = 1 or = 0: so WHERE paid, paid <> 0, NOT paid, paid > 0",
    why: "The column holds 0, 1 or NULL, and of these each test is true of one and NULL of NULL.",
    source: "SQL:1999, feature T031: BOOLEAN; https://sqlite.org/datatype3.html section 2.1 stores it as 0 and 1",
    needs: Needs::TYPED,
    examples: examples! {
        "nulls": "SELECT id FROM shift WHERE paid" == "SELECT id FROM shift WHERE paid = 1";
        "nulls": "SELECT id FROM shift WHERE NOT paid AND id > 3" == "SELECT id FROM shift WHERE paid = 0 AND id > 3";
        "nulls": "SELECT id FROM shift WHERE paid <> 0" == "SELECT id FROM shift WHERE paid = 1";
        "nulls": "SELECT id FROM shift WHERE paid IS TRUE" == "SELECT id FROM shift WHERE paid = 1";
        "nulls": "SELECT SUM(CASE WHEN paid THEN 1 ELSE 0 END) FROM shift" == "SELECT SUM(CASE WHEN paid = 1 THEN 1 ELSE 0 END) FROM shift";
        "nulls": "SELECT id FROM shift WHERE paid IS NOT TRUE" != "SELECT id FROM shift WHERE paid = 0";
        "nulls": "SELECT id FROM customer WHERE age" != "SELECT id FROM customer WHERE age = 1";
        "nulls": "SELECT id FROM customer WHERE NOT age" != "SELECT id FROM customer WHERE age <> 1";
    },
    apply: Apply::RelOf(Kinds::COMPUTING, boolean_tests),
};

fn boolean_tests(rel: &mut Rel, cx: &mut Context<'_>) -> Changed {
    if !rel.exprs().into_iter().any(|e| e.any(|e| is_truth(e, cx))) {
        return None;
    }
    let mut changed = false;
    for e in rel.condition_mut().into_iter().flatten() {
        changed |= alone(e, cx);
    }
    for e in rel.exprs_mut() {
        changed |= e.map(|e| test(e, cx));
    }
    changed.then_some(())
}

/// A column whose values are 0, 1 and NULL.
fn is_truth(e: &Expr, cx: &Context<'_>) -> bool {
    let info = e.as_column().and_then(|c| cx.info(c));
    info.is_some_and(|i| i.class == TypeClass::Boolean && i.affinity.is_some_and(Affinity::is_numeric))
}

/// A column that is a condition by itself.
fn alone(e: &mut Expr, cx: &Context<'_>) -> bool {
    let new = is_truth(e, cx).then(|| e.clone().eq(Expr::integer(1)));
    put(e, new).is_some()
}

fn test(e: &mut Expr, cx: &Context<'_>) -> bool {
    let equals = |x: &Expr, value: i64| x.clone().eq(Expr::integer(value));
    let new = match e {
        Expr::And(list) | Expr::Or(list) => return change_each(list, |e| alone(e, cx)),
        Expr::Case { operand: None, branches, otherwise: _ } => {
            return change_each(branches, |(condition, _)| alone(condition, cx));
        }
        Expr::Unary { op: UnaryOp::Not, expr } => match &**expr {
            x if is_truth(x, cx) => Some(equals(x, 0)),
            _ => None,
        },
        // NULL is neither true nor false: IS TRUE has become a test of NOT x, and that one of x = 0.
        Expr::Binary { op, .. } if op.is_null_safe() => None,
        Expr::Binary { .. } => {
            let zero = asked_of_zero(e).map(|(x, of_zero)| (x, i64::from(!of_zero)));
            let one = e.readings().find_map(|(x, op, n)| match (op, n.as_integer()?) {
                (BinaryOp::NotEq | BinaryOp::Lt, 1) => Some((x, 0)),
                (BinaryOp::GtEq, 1) => Some((x, 1)),
                _ => None,
            });
            let new = zero.or(one).filter(|(x, _)| is_truth(x, cx)).map(|(x, value)| equals(x, value));
            new.filter(|new| new != e)
        }
        _ => None,
    };
    put(e, new).is_some()
}
