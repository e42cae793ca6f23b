//! Aggregates over correlated rows, as joins with a grouping (Kim 1982, type JA). COUNT is not among them:
//! over no rows it is 0, which a comparison may take, while the join loses the row. It is in
//! `correlated_counts`.

use crate::column_set::ColumnSet;
use crate::normalize::prelude::*;

pub(super) const GROUPED_SCALAR: Rule = Rule {
    name: "grouped-scalar",
    summary: "a comparison with an aggregate over the rows that equal the outer row in some columns is a join with the grouping by these columns",
    why: "The aggregate over the rows that match the outer row is the aggregate of their group, and where there is no group the comparison is with NULL and keeps nothing.",
    source: "Kim 1982, type JA nesting; Dayal 1987; the aggregate over no rows is NULL, which no comparison takes",
    needs: Needs::TYPED,
    examples: examples! {
        "nulls": "SELECT c.name, o.day FROM customer c JOIN orders o ON o.customer_id = c.id WHERE o.total = (SELECT MAX(x.total) FROM orders x WHERE x.customer_id = c.id)"
            == "SELECT c.name, o.day FROM customer c JOIN orders o ON o.customer_id = c.id JOIN (SELECT customer_id AS k, MAX(total) AS m FROM orders GROUP BY customer_id) g ON g.k = c.id WHERE o.total = g.m";
        "no-fk": "SELECT day FROM orders o WHERE total = (SELECT MAX(total) FROM orders p WHERE p.customer_id = o.customer_id)"
            == "SELECT day FROM orders o JOIN (SELECT customer_id AS k, MAX(total) AS m FROM orders GROUP BY customer_id) t ON o.customer_id = t.k AND o.total = t.m";
        "nulls": "SELECT name FROM customer c WHERE age > (SELECT COUNT(*) FROM orders x WHERE x.customer_id = c.id)"
            != "SELECT name FROM customer c JOIN (SELECT customer_id AS k, COUNT(*) AS m FROM orders GROUP BY customer_id) g ON g.k = c.id WHERE age > g.m";
        "default": "SELECT day FROM orders o WHERE total = (SELECT MAX(total) FROM orders p WHERE p.customer_id = o.customer_id)"
            != "SELECT day FROM orders o WHERE total = (SELECT MAX(total) FROM orders p)";
    },
    apply: Apply::RelOf(Kinds::BLOCKS, grouped_scalar),
};

/// Looks at conjuncts that are comparisons: a row without a group compares with NULL and is dropped, just as
/// the join drops it. The equalities that correlated the subquery join the grouping by all its keys, so that
/// no row meets two groups. `>` and `>=` are written `<` and `<=` by now.
///
/// ```sql
/// WHERE o.total = (SELECT MAX(x.total) FROM orders x WHERE x.customer_id = c.id)
/// -- is
/// JOIN (SELECT customer_id AS k, MAX(total) AS m FROM orders GROUP BY customer_id) g
///   ON g.k = c.id WHERE o.total = g.m
/// ```
fn grouped_scalar(rel: &mut Rel, cx: &mut Context<'_>) -> Changed {
    let aggregated = |e: &Expr| matches!(e, Expr::Scalar(q) if matches!(q.rel, Rel::Aggregate { .. }));
    let scalar = |e: &&Expr| matches!(e, Expr::Binary { .. }) && e.any(aggregated);
    rel.as_block()?.on.iter().find(scalar)?;
    let local = rel.output_set();
    let BlockMut { on, .. } = rel.as_block_mut()?;
    let mut joined = Vec::new();
    let mut links: Vec<Expr> = Vec::new();
    for e in on.iter_mut() {
        let Expr::Binary { op: BinaryOp::Eq | BinaryOp::NotEq | BinaryOp::Lt | BinaryOp::LtEq, left, right } =
            e
        else {
            continue;
        };
        for side in [left, right] {
            if let Some(scalar) = strict_scalar(side)
                && let Some((grouping, on, value)) = decorrelated(scalar, &local, cx)
            {
                joined.push(grouping);
                links.extend(on);
                *scalar = Expr::Column(value);
            }
        }
    }
    if joined.is_empty() {
        return None;
    }
    let (mut inputs, mut on) = rel.take().into_block();
    inputs.extend(joined);
    on.extend(links);
    *rel = Rel::join(inputs, on);
    Some(())
}

/// The scalar subquery whose NULL makes the expression NULL, so that over no rows the comparison is NULL, too.
fn strict_scalar(e: &mut Expr) -> Option<&mut Expr> {
    match e {
        Expr::Scalar(_) => Some(e),
        Expr::Unary { op: UnaryOp::Neg, expr } | Expr::Cast { expr, .. } => strict_scalar(expr),
        Expr::Binary { op: BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div, left, right } => {
            if left.has_subquery() {
                strict_scalar(left)
            } else {
                strict_scalar(right)
            }
        }
        _ => None,
    }
}

/// The grouping, the equalities that join it, and its value. `local` are the columns of the block in which the
/// subquery stands: each conjunct that reads one has to equate it with a column inside that is stored alike,
/// or the rows in question are no group. Everything else inside must do without them.
fn decorrelated(
    scalar: &Expr,
    local: &ColumnSet,
    cx: &mut Context<'_>,
) -> Option<(Rel, Vec<Expr>, ColumnId)> {
    let query = scalar.as_scalar()?;
    // The subquery may stand elsewhere, too: the join gets ids of its own.
    let (rel, ids) = cx.copy(&query.rel);
    let output = query.output.iter().map(|c| ids.get(c)?.as_column()).collect::<Option<_>>()?;
    let query = Query { rel, output };
    let (input, value, call) = sole_aggregate(&query)?;
    if !matches!(call.func, AggFunc::Min | AggFunc::Max | AggFunc::Sum | AggFunc::Avg)
        || !query.rel.is_deterministic()
    {
        return None;
    }
    let (inputs, on) = input.clone().into_block();
    let inside: ColumnSet = inputs.iter().flat_map(Rel::outputs).collect();
    let (mut kept, mut new_keys, mut links) = (Vec::new(), Vec::new(), Vec::new());
    for e in on {
        let of = e.free_columns();
        if of.is_disjoint(local) {
            kept.push(e);
            continue;
        }
        let (a, b) = e.as_column_equality()?;
        let correlates = |a: ColumnId, b: ColumnId| inside.contains(&a) && local.contains(&b);
        let (own, outer) = match (correlates(a, b), correlates(b, a)) {
            (true, _) => (a, b),
            (_, true) => (b, a),
            _ => return None,
        };
        if !cx.same_storage(own, outer) {
            return None;
        }
        let key = cx.fresh_like(own);
        new_keys.push((key, Expr::Column(own)));
        links.push(Expr::Column(outer).eq(Expr::Column(key)));
    }
    let grouping = Rel::aggregate(Rel::join(inputs, kept), new_keys, vec![(value, call.clone())]);
    (!links.is_empty() && grouping.free_columns().is_disjoint(local)).then_some((grouping, links, value))
}

pub(super) const GROUPED_OUTER_JOIN: Rule = Rule {
    name: "grouped-outer-join",
    summary: "a LEFT JOIN with a grouping on all its keys gives the aggregate over the rows that equal the outer row, as a scalar subquery does",
    why: "The outer row meets the group of its own values or none, and over no rows MIN, MAX, SUM and AVG are NULL, as the filled-up row is.",
    source: "Kim 1982, type JA nesting; Galindo-Legaria & Joshi 2001, APPLY of a scalar aggregate as an outer join",
    needs: Needs::TYPED,
    examples: examples! {
        "nulls": "SELECT c.name, g.m FROM customer c LEFT JOIN (SELECT customer_id AS k, MAX(total) AS m FROM orders GROUP BY customer_id) g ON g.k = c.id"
            == "SELECT name, (SELECT MAX(total) FROM orders o WHERE o.customer_id = c.id) FROM customer c";
        "nulls": "SELECT c.name, g.n FROM customer c LEFT JOIN (SELECT customer_id AS k, COUNT(*) AS n FROM orders GROUP BY customer_id) g ON g.k = c.id"
            != "SELECT name, (SELECT COUNT(*) FROM orders o WHERE o.customer_id = c.id) FROM customer c";
        "nulls": "SELECT c.name, g.m FROM customer c LEFT JOIN (SELECT customer_id AS k, day, MAX(total) AS m FROM orders GROUP BY customer_id, day) g ON g.k = c.id"
            != "SELECT name, (SELECT MAX(total) FROM orders o WHERE o.customer_id = c.id) FROM customer c";
    },
    apply: Apply::RelOf(rels::OUTER_JOIN, grouped_outer_join),
};

/// Nodes of a grouping that is copied for each of its aggregates, at most.
const MAX_COPIED: usize = 40;

/// The keys are looked up in the same way: in the group of the outer row the key is its own smallest value.
///
/// ```sql
/// SELECT c.name, g.m FROM customer c
///   LEFT JOIN (SELECT customer_id AS k, MAX(total) AS m FROM orders GROUP BY customer_id) g ON g.k = c.id
/// -- is
/// SELECT c.name, (SELECT MAX(total) FROM orders o WHERE o.customer_id = c.id) FROM customer c
/// ```
fn grouped_outer_join(rel: &mut Rel, cx: &mut Context<'_>) -> Changed {
    let (left, right, on) = rel.as_left_join()?;
    let Grouping { input, keys, calls } = right.as_grouping()?;
    let valued =
        |call: &AggregateCall| matches!(call.func, AggFunc::Min | AggFunc::Max | AggFunc::Sum | AggFunc::Avg);
    if keys.is_empty()
        || keys.len() != on.len()
        || calls.is_empty()
        || !calls.iter().all(|(_, call)| valued(call))
        || input.size() > MAX_COPIED
        || !right.is_deterministic()
        || cx.leaves_open(input)
    {
        return None;
    }
    let kept = left.output_set();
    let mut links = Vec::new();
    for (key, e) in keys {
        let outer = on.iter().find_map(|e| {
            let (a, b) = cx.column_equality(e)?;
            let other = if a == *key { b } else { a };
            ([a, b].contains(key) && kept.contains(&other)).then_some(other)
        })?;
        // A key that is computed would be compared otherwise than the column it makes.
        links.push(Expr::Column(e.as_column()?).eq(Expr::Column(outer)));
    }
    let rows = Rel::filter(input.clone(), links);
    let lowest = |e: &Expr| AggregateCall::new(AggFunc::Min, vec![e.clone()]);
    let all = keys.iter().map(|(c, e)| (*c, lowest(e)));
    let values: Vec<(ColumnId, AggregateCall)> = all.chain(calls.iter().cloned()).collect();
    let left = left.clone();
    for (c, call) in values {
        let (rows, ids) = cx.copy(&rows);
        let mut call = call;
        change_each(call.exprs_mut(), |e| e.substitute(&ids));
        let new = cx.fresh_like(c);
        cx.replace(c, Expr::scalar(Rel::aggregate(rows, Vec::new(), vec![(new, call)]), new));
    }
    *rel = left;
    Some(())
}
