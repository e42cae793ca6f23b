//! Scalar subqueries that compute with one aggregate.

use super::subqueries::exists_cleanup;
use crate::normalize::prelude::*;

pub(super) const SCALAR_OUTPUT: Rule = Rule {
    name: "scalar-output",
    summary: "what a scalar subquery computes of its one aggregate over everything is computed outside it; one of a constant is the constant",
    why: "An aggregate without GROUP BY gives one row in any case, so nothing is computed more or less often.",
    source: "SQL: an aggregate without GROUP BY gives one row",
    needs: Needs::NOTHING,
    examples: examples! {
        "strict": "SELECT name FROM customer WHERE age > (SELECT 2 * AVG(age) FROM customer)"
            == "SELECT name FROM customer WHERE age > 2 * (SELECT AVG(age) FROM customer)";
        "strict": "SELECT name FROM customer WHERE age > (SELECT 4)" == "SELECT name FROM customer WHERE age > 4";
        "strict": "SELECT (SELECT ROUND(MAX(score), 1) FROM customer)" == "SELECT ROUND((SELECT MAX(score) FROM customer), 1)";
        "strict": "SELECT name FROM customer WHERE age > (SELECT 2 * age FROM customer WHERE city = 'a')"
            != "SELECT name FROM customer WHERE age > 2 * (SELECT AVG(age) FROM customer WHERE city = 'a')";
    },
    apply: Apply::ExprOf(exprs::SCALAR, scalar_output),
};

fn scalar_output(e: &mut Expr, _cx: &mut Context<'_>) -> Changed {
    let query = e.as_scalar_mut()?;
    let new = computed_outside(query);
    put(e, new)
}

/// The expression around the subquery of the aggregate alone. It is to read that aggregate once, as a second time would
/// need a second subquery, and nothing else; a collation would be lost on its way out.
fn computed_outside(query: &Query) -> Option<Expr> {
    let (Rel::Project { input, exprs }, [output]) = (&query.rel, query.output.as_slice()) else {
        return None;
    };
    let (_, e) = exprs.iter().find(|(c, _)| c == output)?;
    if **input == Rel::unit() && e.is_literal() {
        return Some(e.clone());
    }
    let grouping = input.as_grouping().filter(|g| g.keys.is_empty())?;
    if e.as_column().is_some()
        || !e.is_deterministic()
        || e.has_subquery()
        || e.any(|x| matches!(x, Expr::Collate { .. }))
    {
        return None;
    }
    let mut uses: Vec<ColumnId> = Vec::new();
    e.for_each(|x| uses.extend(x.as_column()));
    let [c] = uses.as_slice() else {
        return None;
    };
    // A bare column comes from the row that a MIN or MAX beside it takes.
    let call = grouping.calls.iter().find(|(id, call)| id == c && call.func != AggFunc::Bare)?;
    let below = Rel::aggregate(grouping.input.clone(), Vec::new(), vec![call.clone()]);
    let map: Substitution = [(*c, Expr::scalar(below, *c))].into_iter().collect();
    Some(e.substituted(&map))
}

pub(super) const SCALAR_NULL_TEST: Rule = Rule {
    name: "scalar-null-test",
    summary: "a subquery as a value whose rows hold no NULL is NULL where it has no row: IS NULL is NOT EXISTS",
    why: "A subquery as a value is NULL over no rows, and otherwise the value of a row.",
    source: "SQL: scalar subqueries over no rows",
    needs: Needs::NOT_NULL,
    examples: examples! {
        "nulls": "SELECT name FROM customer c WHERE (SELECT 1 FROM orders o WHERE o.customer_id = c.id LIMIT 1) IS NOT NULL"
            == "SELECT name FROM customer c WHERE EXISTS (SELECT 1 FROM orders o WHERE o.customer_id = c.id)";
        "nulls": "SELECT name, (SELECT total FROM orders o WHERE o.id = c.age) IS NULL FROM customer c"
            != "SELECT name, NOT EXISTS (SELECT 1 FROM orders o WHERE o.id = c.age) FROM customer c";
    },
    apply: Apply::ExprOf(exprs::UNARY, scalar_null_test),
};

/// An aggregate over everything has a row over nothing, too; it is NULL there, so that it is none of these.
fn scalar_null_test(e: &mut Expr, cx: &mut Context<'_>) -> Changed {
    let query = e.as_null_test()?.as_scalar()?;
    let sure = !query.output.is_empty() && query.rel.is_deterministic() && cx.output_not_null(query);
    let mut rows = sure.then(|| query.clone())?;
    // What LIMIT leaves is not asked, and without it EXISTS may be a join.
    exists_cleanup(&mut rows, Role::Exists, cx);
    *e = Expr::exists(rows.rel).not();
    Some(())
}

pub(super) const ONE_ROW_SIDE: Rule = Rule {
    name: "one-row-side",
    summary: "a LEFT JOIN ON TRUE with an aggregate over everything, or with constants, is an inner join",
    why: "The right side has one row, so that each row of the left one has it for a partner.",
    source: "SQL: an aggregate without GROUP BY has one row",
    needs: Needs::NOTHING,
    examples: examples! {
        "strict": "SELECT c.name, m FROM customer c LEFT JOIN (SELECT MAX(total) AS m FROM orders) o ON 1 = 1"
            == "SELECT c.name, m FROM customer c CROSS JOIN (SELECT MAX(total) AS m FROM orders) o";
        "strict": "SELECT c.name, m FROM customer c LEFT JOIN (SELECT MAX(total) AS m FROM orders) o ON m > 3"
            != "SELECT c.name, m FROM customer c JOIN (SELECT MAX(total) AS m FROM orders) o ON m > 3";
        "strict": "SELECT c.name, m FROM customer c LEFT JOIN (SELECT MAX(total) AS m FROM orders GROUP BY day) o ON 1 = 1"
            != "SELECT c.name, m FROM customer c CROSS JOIN (SELECT MAX(total) AS m FROM orders GROUP BY day) o";
    },
    apply: Apply::RelOf(rels::OUTER_JOIN, one_row_side),
};

fn one_row_side(rel: &mut Rel, _cx: &mut Context<'_>) -> Changed {
    let (_, right, on) = rel.as_left_join()?;
    let mut below = right;
    while let Rel::Project { input, .. } = below {
        below = input;
    }
    let one = below.is_unit() || below.as_grouping().is_some_and(Grouping::is_global);
    (one && on.is_empty() && rel.make_inner()).then_some(())
}
