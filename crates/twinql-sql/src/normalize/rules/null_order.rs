//! Where NULLs stand in an order.

use crate::normalize::prelude::*;

pub(in super::super) const NULL_ORDER: Rule = Rule {
    name: "null-order",
    summary: "ORDER BY x IS NULL, x is ORDER BY x NULLS LAST, so with CASE; NULLS LAST and FIRST say nothing of a key that is never NULL",
    why: "The first key sets the NULLs apart, and among themselves they are equal; without NULLs there is nothing to set apart.",
    source: "SQL:2003, feature T611: NULLS FIRST and LAST",
    needs: Needs::NOT_NULL,
    examples: examples! {
        "nulls": "SELECT name FROM customer ORDER BY CASE WHEN age IS NULL THEN 1 ELSE 0 END, age" == "SELECT name FROM customer ORDER BY age NULLS LAST";
        "nulls": "SELECT name FROM customer ORDER BY CASE WHEN age IS NOT NULL THEN 0 ELSE 9 END DESC, age DESC LIMIT 3"
            == "SELECT name FROM customer ORDER BY age DESC NULLS FIRST LIMIT 3";
        "nulls": "SELECT name FROM customer ORDER BY age IS NOT NULL, age DESC" == "SELECT name FROM customer ORDER BY age DESC NULLS FIRST";
        "nulls": "SELECT name FROM customer ORDER BY id NULLS LAST" == "SELECT name FROM customer ORDER BY id";
        "nulls": "SELECT city FROM customer GROUP BY city ORDER BY COUNT(*) DESC NULLS FIRST" == "SELECT city FROM customer GROUP BY city ORDER BY COUNT(*) DESC";
        "nulls": "SELECT name FROM customer ORDER BY age IS NULL, id" != "SELECT name FROM customer ORDER BY id";
        "nulls": "SELECT age FROM customer ORDER BY age NULLS LAST" != "SELECT age FROM customer ORDER BY age";
        "nulls": "SELECT name FROM customer ORDER BY age IS NULL DESC, age DESC" != "SELECT name FROM customer ORDER BY age DESC NULLS LAST";
    },
    apply: Apply::Rel(null_order),
};

fn null_order(rel: &mut Rel, cx: &mut Context<'_>) -> Changed {
    let Rel::Sort { input, keys, .. } = rel else { return None };
    let mut changed = places(keys, input);
    let known = cx.not_null(input);
    for key in keys {
        let usual = match key.direction {
            Direction::Asc => NullsOrder::First,
            Direction::Desc => NullsOrder::Last,
        };
        if key.nulls != usual && !cx.may_be_null(&key.expr, &known) {
            key.nulls = usual;
            changed = true;
        }
    }
    changed.then_some(())
}

/// The same of a whole query as it is written, before any rule finds a NULL test to be constant: one that stands before its own
/// key asks for no NULLs.
pub(in super::super) fn tests_as_places(query: &mut Query) -> bool {
    let mut changed = false;
    query.map_deep(|node| {
        if let NodeMut::Rel(Rel::Sort { input, keys, .. }) = node {
            changed |= places(keys, input);
        }
        Next::Below
    });
    changed
}

/// Takes out each NULL test that stands before its own key, and says with the key where NULLs stand.
fn places(keys: &mut Vec<SortKey>, input: &Rel) -> bool {
    let before = keys.len();
    let mut at = 0;
    while let [test, key, ..] = keys.get_mut(at..).unwrap_or_default() {
        let of = computed_by(&key.expr, input);
        let test_of = null_test(computed_by(&test.expr, input)).filter(|(x, _)| computed_by(x, input) == of);
        match test_of.filter(|_| of.is_deterministic()) {
            Some((_, of_nulls)) => {
                // False stands before true.
                let last = of_nulls == (test.direction == Direction::Asc);
                key.nulls = if last { NullsOrder::Last } else { NullsOrder::First };
                keys.remove(at);
            }
            None => at += 1,
        }
    }
    keys.len() < before
}

/// What a column is computed by in the projection right below.
fn computed_by<'e>(e: &'e Expr, below: &'e Rel) -> &'e Expr {
    match (e, below) {
        (Expr::Column(c), Rel::Project { exprs, .. }) => {
            exprs.iter().find(|(made, _)| made == c).map_or(e, |(_, by)| by)
        }
        _ => e,
    }
}

/// What is tested for NULL, and whether the test is true of NULL.
fn null_test(e: &Expr) -> Option<(&Expr, bool)> {
    match e {
        Expr::Unary { op: UnaryOp::Not, expr } => null_test(expr).map(|(x, of_nulls)| (x, !of_nulls)),
        Expr::Case { operand: None, branches, otherwise: Some(otherwise) } => {
            let [(test, then)] = branches.as_slice() else { return None };
            // Of NULL the test has one value, of all else the other: the smaller one stands first.
            let (then, otherwise) = (then.as_integer()?, otherwise.as_integer()?);
            let (x, of_nulls) = null_test(test).filter(|_| then != otherwise)?;
            Some((x, of_nulls == (then > otherwise)))
        }
        // What CASE WHEN p THEN 1 ELSE 0 END has become.
        Expr::Binary { op, left, right } if op.is_null_safe() => match right.as_integer()? {
            1 => null_test(left).map(|(x, of_nulls)| (x, of_nulls == (*op == BinaryOp::Is))),
            _ => None,
        },
        e => e.as_null_test().map(|x| (x, true)),
    }
}
