//! Scalar subqueries that compute with one aggregate.

use crate::normalize::prelude::*;

pub(super) const SCALAR_OUTPUT: Rule = Rule {
    name: "scalar-output",
    summary: "what a scalar subquery computes of its one aggregate over everything is computed outside it",
    why: "An aggregate without GROUP BY gives one row in any case, so nothing is computed more or less often.",
    source: "SQL: an aggregate without GROUP BY gives one row",
    needs: Needs::NOTHING,
    examples: examples! {
        "strict": "SELECT name FROM customer WHERE age > (SELECT 2 * AVG(age) FROM customer)"
            == "SELECT name FROM customer WHERE age > 2 * (SELECT AVG(age) FROM customer)";
        "strict": "SELECT (SELECT ROUND(MAX(score), 1) FROM customer)" == "SELECT ROUND((SELECT MAX(score) FROM customer), 1)";
        "strict": "SELECT name FROM customer WHERE age > (SELECT 2 * age FROM customer WHERE city = 'a')"
            != "SELECT name FROM customer WHERE age > 2 * (SELECT AVG(age) FROM customer WHERE city = 'a')";
    },
    apply: Apply::Expr(scalar_output),
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
    let grouping = input.as_grouping().filter(|g| g.keys.is_empty())?;
    let (_, e) = exprs.iter().find(|(c, _)| c == output)?;
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
