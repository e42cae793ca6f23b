//! Unions whose arms cannot have a row in common.

use super::unions::{chained, leaves};
use crate::normalize::prelude::*;

/// Arms that are looked at, at most.
const MAX_ARMS: usize = 32;

pub(super) const DISJOINT_ARMS: Rule = Rule {
    name: "disjoint-arms",
    summary: "a UNION of distinct rows, whose arms each hold another constant in one column, is a UNION ALL",
    why: "No arm repeats a row, and rows of two arms differ in that column.",
    source: "every optimiser: a UNION of disjoint inputs that are keyed needs no duplicate elimination",
    needs: Needs::NOTHING,
    examples: examples! {
        "nulls": "SELECT 'orders', COUNT(*) FROM orders UNION SELECT 'customers', COUNT(*) FROM customer UNION SELECT 'late', COUNT(day) FROM orders"
            == "SELECT 'orders', COUNT(*) FROM orders UNION ALL SELECT 'customers', COUNT(*) FROM customer UNION ALL SELECT 'late', COUNT(day) FROM orders";
        "nulls": "SELECT 1, id, city FROM customer UNION SELECT 2, id, day FROM orders"
            == "SELECT 1, id, city FROM customer UNION ALL SELECT 2, id, day FROM orders";
        "nulls": "SELECT 1, city FROM customer UNION SELECT 2, day FROM orders"
            != "SELECT 1, city FROM customer UNION ALL SELECT 2, day FROM orders";
        "strict": "SELECT 'a', COUNT(*) FROM orders UNION SELECT 'a', COUNT(*) FROM customer"
            != "SELECT 'a', COUNT(*) FROM orders UNION ALL SELECT 'a', COUNT(*) FROM customer";
        "strict": "SELECT 'a', 'b', COUNT(*) FROM orders UNION SELECT 'a', 'c', COUNT(*) FROM customer UNION SELECT 'a', 'b', COUNT(day) FROM orders"
            != "SELECT 'a', 'b', COUNT(*) FROM orders UNION ALL SELECT 'a', 'c', COUNT(*) FROM customer UNION ALL SELECT 'a', 'b', COUNT(day) FROM orders";
    },
    apply: Apply::Query(disjoint_arms),
};

/// A rule for whole queries: only there it shows which union is the topmost of a chain.
fn disjoint_arms(query: &mut Query, role: Role, cx: &mut Context<'_>) -> Changed {
    let distinct =
        |node: Node<'_>| matches!(node, Node::Rel(Rel::SetOp { kind: SetOpKind::Union, all: false, .. }));
    if role != Role::Root || !query.any_deep(distinct) {
        return None;
    }
    let mut changed = false;
    query.map_deep(|node| match node {
        NodeMut::Rel(rel @ Rel::SetOp { kind: SetOpKind::Union, all: false, .. }) => {
            changed |= keep_all(rel, cx).is_some();
            Next::Past
        }
        _ => Next::Below,
    });
    changed.then_some(())
}

/// Makes a UNION of a chain a UNION ALL where no row comes twice.
fn keep_all(rel: &mut Rel, cx: &mut Context<'_>) -> Changed {
    let (_, _, _, columns) = rel.as_union_mut()?;
    let columns = columns.clone();
    let mut arms = Vec::new();
    leaves(rel.clone(), &columns, false, &mut arms);
    let apart = |place: usize| {
        let constants: Option<Vec<&Value>> = arms.iter().map(|arm| constant(arm, place)).collect();
        constants.is_some_and(|all| {
            all.iter().enumerate().all(|(i, one)| all.iter().take(i).all(|other| never_equal(one, other)))
        })
    };
    // A union compares texts as its first arm does, and numbers as every arm does.
    let number = |c: &ColumnId| matches!(cx.column_affinity(*c), Some(Affinity::Integer | Affinity::Numeric));
    let distinct = |arm: &Query| {
        !is_distinct(&arm.rel)
            && arm.rel.is_deterministic()
            && cx.dependencies(&arm.rel).unique(arm.output.iter().copied().filter(number))
    };
    if arms.len() > MAX_ARMS || !(0..columns.len()).any(apart) || !arms.iter().all(distinct) {
        return None;
    }
    put(rel, chained(arms, true, &columns, cx))
}

/// A DISTINCT within a UNION, which does nothing there: other rules take it away, and the arm is not distinct by itself.
fn is_distinct(rel: &Rel) -> bool {
    match rel {
        Rel::Distinct { .. } => true,
        Rel::Project { input, .. } => is_distinct(input),
        Rel::Aggregate { keys, calls, .. } => !keys.is_empty() && calls.is_empty(),
        _ => false,
    }
}

/// The constant that an arm gives for the column at a place.
fn constant(arm: &Query, place: usize) -> Option<&Value> {
    let Rel::Project { exprs, .. } = &arm.rel else { return None };
    let column = arm.output.get(place)?;
    match exprs.iter().find(|(id, _)| id == column)? {
        (_, Expr::Literal(value)) => Some(value),
        _ => None,
    }
}

/// Whether two constants are different ones however texts are compared: without regard to case, or to blanks at their ends.
fn never_equal(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Text(a), Value::Text(b)) => {
            a.is_ascii() && b.is_ascii() && !a.trim_end().eq_ignore_ascii_case(b.trim_end())
        }
        (Value::Integer(a), Value::Integer(b)) => a != b,
        _ => false,
    }
}
