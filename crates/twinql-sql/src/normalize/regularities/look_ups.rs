//! Look-ups: a subquery that names one row by what people call it.

use super::names::is_name;
use crate::normalize::prelude::*;
use crate::normalize::rules::rows_as_set;

pub(super) const LOOK_UP: Rule = Rule {
    name: "look-up",
    summary: "where a row is asked for by its name, LIMIT 1 without an order does nothing, and x = (a subquery) is a join with it",
    why: "Who asks for any one row, or compares with a subquery, knows that there is one: what people look up by is unique.",
    source: "a habit of language models; SQLite takes a subquery's first row",
    needs: Needs::NOTHING,
    examples: examples! {
        "bird": "SELECT o.day FROM orders o JOIN customer c ON o.customer_id = c.id WHERE c.name = 'Ann'"
            == "SELECT day FROM orders WHERE customer_id = (SELECT id FROM customer WHERE name = 'Ann')";
        "bird": "SELECT city FROM customer WHERE name = 'Ann' LIMIT 1" == "SELECT city FROM customer WHERE name = 'Ann'";
        "bird": "SELECT day FROM orders WHERE customer_id = (SELECT id FROM customer WHERE name = 'Ann')"
            != "SELECT day FROM orders WHERE customer_id = (SELECT id FROM customer WHERE city = 'Ann')";
    },
    apply: Apply::Root(look_up),
};

/// Where the row is asked for by its name. A subquery that remains a value keeps the LIMIT 1 that `scalar-first-row`
/// gives it: nothing else can be made of it.
fn look_up(query: &mut Query, cx: &mut Context<'_>) -> Changed {
    let mut changed = false;
    query.map_up_deep(|node| {
        if let NodeMut::Rel(rel @ (Rel::Filter { .. } | Rel::Join { .. })) = node {
            changed |= change_each(rel.inputs_mut(), |input| without_limit(input, cx).is_some());
        }
    });
    let mut rel = &mut query.rel;
    while let Rel::Project { input, .. } | Rel::Aggregate { input, .. } = rel {
        rel = input;
    }
    if without_limit(rel, cx).is_some() {
        // Of one row no duplicates were to be removed.
        if cx.semantics.rows_as_set {
            rows_as_set(query, cx);
        }
        changed = true;
    }
    changed.then_some(())
}

/// Takes LIMIT 1 off, where there is one row, or no order says which row that is, and a name does.
fn without_limit(rel: &mut Rel, cx: &Context<'_>) -> Changed {
    let (input, keys) = rel.as_first_row_mut()?;
    let idle = cx.at_most_one_row(input) || keys.is_empty() && is_named(input, cx);
    let new = idle.then(|| input.take());
    put(rel, new)
}

/// True if a name is asked for in it.
fn is_named(rel: &Rel, cx: &Context<'_>) -> bool {
    rel.any(|r| r.as_block().is_some_and(|block| block.on.iter().any(|e| names_row(e, cx))))
}

/// `name = 'Ann'`.
fn names_row(e: &Expr, cx: &Context<'_>) -> bool {
    let Expr::Binary { op: BinaryOp::Eq | BinaryOp::Like, left, right } = e else {
        return false;
    };
    let (Expr::Column(c), Expr::Literal(_)) = (&**left, &**right) else {
        return false;
    };
    cx.origin(*c).is_some_and(|at| is_name(at, cx))
}
