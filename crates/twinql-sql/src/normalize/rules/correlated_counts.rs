//! Counts over correlated rows, as EXISTS, groupings and joins. What sets COUNT apart from other aggregates
//! is that over no rows it is 0 and not NULL, so each rule asks which comparisons 0 passes.

use std::collections::BTreeSet;

use super::sole_aggregate;
use crate::algebra::BlockMut;
use crate::columns::Reads;
use crate::expr::{AggFunc, BinaryOp, Expr, UnaryOp};
use crate::normalize::context::Context;
use crate::normalize::example::examples;
use crate::normalize::rule::{Apply, Needs, Rule};
use crate::normalize::scan::position;
use crate::rel::{ColumnId, Rel};
use crate::schema::ColumnRef;
use crate::tree::Tree;

/// The input of `(SELECT COUNT(*) …)`.
fn counted(e: &Expr) -> Option<&Rel> {
    let Expr::Scalar(q) = e else { return None };
    let (input, _, call) = sole_aggregate(q)?;
    call.counts_rows().then_some(input)
}

pub(super) const COUNT_AS_EXISTS: Rule = Rule {
    name: "count-as-exists",
    summary: "(SELECT COUNT(*) …) > 0 is EXISTS, and = 0 is NOT EXISTS",
    why: "A count is above 0 if and only if there is a row.",
    source: "a count is never NULL and never negative",
    needs: Needs::NOTHING,
    examples: examples! {
        "strict": "SELECT name FROM customer c WHERE (SELECT COUNT(*) FROM orders o WHERE o.customer_id = c.id) = 0"
            == "SELECT name FROM customer c WHERE NOT EXISTS (SELECT 1 FROM orders o WHERE o.customer_id = c.id)";
        "strict": "SELECT name FROM customer c WHERE (SELECT COUNT(*) FROM orders o WHERE o.total > c.age) > 0"
            == "SELECT name FROM customer c WHERE EXISTS (SELECT 1 FROM orders o WHERE o.total > c.age)";
        "default": "SELECT name FROM customer c WHERE EXISTS (SELECT 1 FROM orders o WHERE o.customer_id = c.id)"
            != "SELECT name FROM customer c WHERE (SELECT COUNT(*) FROM orders o WHERE o.customer_id = c.id) > 1";
    },
    apply: Apply::Expr(count_as_exists),
};

fn count_as_exists(e: &mut Expr, _cx: &mut Context<'_>) -> bool {
    let found = asks(e, &counted);
    let Some((rel, some)) = found else { return false };
    let test = Expr::exists(rel.clone());
    *e = if some { test } else { test.not() };
    true
}

/// What is counted, and whether the comparison asks for some or for none. All ways to ask, with the count on either side:
/// `= 0`, `<= 0` and `< 1`; `<> 0`, and `0 <` and `1 <=`, which `> 0` and `>= 1` have become.
fn asks<'a, T>(e: &'a Expr, counted: &dyn Fn(&'a Expr) -> Option<T>) -> Option<(T, bool)> {
    let Expr::Binary { op, left, right } = e else {
        return None;
    };
    match (counted(left), right.as_integer(), left.as_integer(), counted(right)) {
        (Some(rel), Some(n), _, _) => match (*op, n) {
            (BinaryOp::Eq | BinaryOp::LtEq, 0) | (BinaryOp::Lt, 1) => Some((rel, false)),
            (BinaryOp::NotEq, 0) => Some((rel, true)),
            _ => None,
        },
        (_, _, Some(n), Some(rel)) => match (*op, n) {
            (BinaryOp::Eq, 0) => Some((rel, false)),
            (BinaryOp::NotEq | BinaryOp::Lt, 0) | (BinaryOp::LtEq, 1) => Some((rel, true)),
            _ => None,
        },
        _ => None,
    }
}

pub(super) const COUNTED_TEST: Rule = Rule {
    name: "counted-test",
    summary: "what is computed of nothing but whether COUNT(*) is above 0 is computed of EXISTS",
    why: "A count is above 0 if and only if there is a row, and either query has one row.",
    source: "a count is never NULL and never negative",
    needs: Needs::NOTHING,
    examples: examples! {
        "strict": "SELECT CASE WHEN COUNT(*) > 0 THEN 'yes' ELSE 'no' END FROM customer WHERE city = 'a'"
            == "SELECT CASE WHEN EXISTS (SELECT 1 FROM customer WHERE city = 'a') THEN 'yes' ELSE 'no' END";
        "strict": "SELECT COUNT(*) = 0 FROM customer WHERE city = 'a'"
            == "SELECT NOT EXISTS (SELECT 1 FROM customer WHERE city = 'a')";
        "strict": "SELECT CASE WHEN COUNT(*) > 1 THEN 'yes' ELSE 'no' END FROM customer WHERE city = 'a'"
            != "SELECT CASE WHEN EXISTS (SELECT 1 FROM customer WHERE city = 'a') THEN 'yes' ELSE 'no' END";
        "strict": "SELECT CASE WHEN COUNT(*) > 0 THEN 'yes' ELSE 'no' END FROM customer GROUP BY city"
            != "SELECT CASE WHEN EXISTS (SELECT 1 FROM customer) THEN 'yes' ELSE 'no' END";
    },
    apply: Apply::Rel(counted_test),
};

/// In a projection over a COUNT(*) alone that asks once. What it counts moves into the subquery.
fn counted_test(rel: &mut Rel, _cx: &mut Context<'_>) -> bool {
    let Rel::Project { input, exprs } = rel else {
        return false;
    };
    let Some(grouping) = input.as_grouping().filter(|g| g.keys.is_empty()) else {
        return false;
    };
    let [(c, call)] = grouping.calls else {
        return false;
    };
    if !call.counts_rows() {
        return false;
    }
    let count = |e: &Expr| (e.as_column() == Some(*c)).then_some(());
    let mut new = exprs.clone();
    let mut asked = 0;
    for (_, e) in &mut new {
        e.map(|e| {
            let Some(((), some)) = asks(e, &count) else {
                return false;
            };
            let test = Expr::exists(grouping.input.clone());
            *e = if some { test } else { test.not() };
            asked += 1;
            true
        });
    }
    if asked != 1 || new.iter().any(|(_, e)| e.reads().contains(c)) {
        return false;
    }
    *rel = Rel::project(Rel::unit(), new);
    true
}

pub(super) const CORRELATED_COUNT: Rule = Rule {
    name: "correlated-count",
    summary: "a correlated COUNT that is asked to be 1 or more is EXISTS over the groups of what correlates it",
    why: "A count of 1 or more belongs to a group that exists, and the group holds just the rows that match the outer row.",
    source: "Kim 1982, type JA nesting; a count of 0 is what no rows give",
    needs: Needs::TYPED,
    examples: examples! {
        "no-fk": "SELECT name FROM customer c WHERE (SELECT COUNT(*) FROM orders o WHERE o.customer_id = c.id) >= 2"
            == "SELECT name FROM customer WHERE id IN (SELECT customer_id FROM orders GROUP BY customer_id HAVING COUNT(*) >= 2)";
        "default": "SELECT name FROM customer c WHERE (SELECT COUNT(*) FROM orders o WHERE o.customer_id = c.id) < 2"
            != "SELECT name FROM customer WHERE id IN (SELECT customer_id FROM orders GROUP BY customer_id HAVING COUNT(*) < 2)";
    },
    apply: Apply::Rel(correlated_count),
};

/// Conjuncts alone, for the EXISTS is false where the comparison may be NULL.
fn correlated_count(rel: &mut Rel, cx: &mut Context<'_>) -> bool {
    let Some(BlockMut { on: list, .. }) = rel.as_block_mut() else {
        return false;
    };
    let mut changed = false;
    for e in list {
        if let Some(new) = grouped(e, cx) {
            *e = new;
            changed = true;
        }
    }
    changed
}

/// One conjunct. The comparison has to fail for 0, the count of an outer row without a group, so only `= n`
/// and `>= n` for an n of 1 or more will do. The subquery may read the outer row in nothing but the
/// equalities that become its keys.
///
/// ```sql
/// (SELECT COUNT(*) FROM orders o WHERE o.customer_id = c.id) >= 2
/// -- is
/// EXISTS (SELECT 1 FROM (SELECT customer_id AS k, COUNT(*) AS n FROM orders GROUP BY customer_id)
///         WHERE n >= 2 AND k = c.id)
/// ```
fn grouped(e: &Expr, cx: &mut Context<'_>) -> Option<Expr> {
    let Expr::Binary { op, left, right } = e else {
        return None;
    };
    if !matches!(op, BinaryOp::Eq | BinaryOp::NotEq | BinaryOp::Lt | BinaryOp::LtEq) {
        return None;
    }
    let (query, on_left) = match (&**left, &**right) {
        (Expr::Scalar(_), Expr::Scalar(_)) => return None,
        (Expr::Scalar(q), _) => (q, true),
        (_, Expr::Scalar(q)) => (q, false),
        _ => return None,
    };
    let other = if on_left { right } else { left };
    let (input, c, call) = sole_aggregate(query)?;
    if other.has_subquery() || matches!(**other, Expr::Collate { .. }) {
        return None;
    }
    let fails_over_nothing = match (op, other.as_integer()) {
        (BinaryOp::Eq, Some(n)) => n >= 1,
        (BinaryOp::LtEq, Some(n)) => !on_left && n >= 1,
        (BinaryOp::Lt, Some(n)) => !on_left && n >= 0,
        _ => false,
    };
    if call.func != AggFunc::Count || !fails_over_nothing || !query.rel.is_deterministic() {
        return None;
    }
    let (inputs, on) = input.clone().into_block();
    let made: BTreeSet<ColumnId> = inputs.iter().flat_map(Rel::outputs).collect();
    let mut links: Vec<(ColumnId, ColumnId)> = Vec::new();
    let mut rest = Vec::new();
    for e in on {
        match cx.column_equality(&e) {
            Some((a, b)) if made.contains(&a) && !made.contains(&b) => links.push((a, b)),
            Some((a, b)) if made.contains(&b) && !made.contains(&a) => links.push((b, a)),
            _ => rest.push(e),
        }
    }
    let below = Rel::join(inputs, rest);
    let mut in_call = BTreeSet::new();
    for e in call.exprs() {
        in_call.extend(e.free_columns());
    }
    if links.is_empty() || !below.free_columns().is_empty() || !in_call.is_subset(&made) {
        return None;
    }
    let mut new_keys = Vec::new();
    let mut tests = vec![e.clone()];
    if let Some(Expr::Binary { left, right, .. }) = tests.first_mut() {
        **(if on_left { left } else { right }) = Expr::Column(c);
    }
    for (inner, outer) in links {
        let id = cx.fresh_like(inner);
        new_keys.push((id, Expr::Column(inner)));
        tests.push(Expr::Column(id).eq(Expr::Column(outer)));
    }
    let mut groups = Rel::aggregate(below, new_keys, vec![(c, call.clone())]);
    for test in tests {
        groups.add_conjunct(test);
    }
    Some(Expr::exists(groups))
}

pub(super) const FOREIGN_KEY_ANTI_JOIN: Rule = Rule {
    name: "foreign-key-anti-join",
    summary: "that the row a foreign key refers to does NOT EXIST with p is that it exists with NOT p",
    why: "There is exactly one referenced row, so that none with p exists says that this row does not meet p, which is known to be TRUE or FALSE there.",
    source: "Chakravarthy, Grant & Minker 1990: each reference has exactly one row",
    needs: Needs::FOREIGN_KEYS,
    examples: examples! {
        "default": "SELECT day FROM orders o WHERE NOT EXISTS (SELECT 1 FROM customer c WHERE c.id = o.customer_id AND c.city = 'Rome')"
            == "SELECT o.day FROM orders o JOIN customer c ON c.id = o.customer_id WHERE c.city <> 'Rome'";
        "no-fk": "SELECT day FROM orders o WHERE NOT EXISTS (SELECT 1 FROM customer c WHERE c.id = o.customer_id AND c.city = 'Rome')"
            != "SELECT o.day FROM orders o JOIN customer c ON c.id = o.customer_id WHERE c.city <> 'Rome'";
    },
    apply: Apply::Expr(foreign_key_anti_join),
};

/// The reference must not be NULL, for NULL refers to no row, and of no row NOT EXISTS is true. The other
/// conjuncts must not be NULL either: NOT EXISTS keeps a row for which p is NULL, NOT p does not.
fn foreign_key_anti_join(e: &mut Expr, cx: &mut Context<'_>) -> bool {
    let Expr::Unary { op: UnaryOp::Not, expr } = e else {
        return false;
    };
    let Expr::Exists(query) = &**expr else {
        return false;
    };
    let Rel::Filter { input, predicate } = &query.rel else {
        return false;
    };
    let Rel::Scan { table, columns } = &**input else {
        return false;
    };
    let own: BTreeSet<ColumnId> = columns.iter().map(|(c, _)| *c).collect();
    let known = cx.not_null(input);
    let refers = |key: ColumnId, outer: ColumnId| {
        let (Some(column), Some(from)) = (position(columns, key), cx.origin(outer)) else {
            return false;
        };
        let to = ColumnRef { table: *table, column };
        cx.is_key(to)
            && !own.contains(&outer)
            && !cx.outer_may_be_null(outer)
            && cx.schema.sole_reference(from, to)
    };
    let link = predicate
        .iter()
        .position(|p| cx.column_equality(p).is_some_and(|(a, b)| refers(a, b) || refers(b, a)));
    let Some(link) = link else { return false };
    let rest: Vec<Expr> =
        predicate.iter().enumerate().filter(|(i, _)| *i != link).map(|(_, p)| p.clone()).collect();
    // NOT of NULL is not true.
    let certain = |p: &Expr| p.is_boolean() && p.is_deterministic() && !cx.may_be_null(p, &known);
    if rest.is_empty() || !rest.iter().all(certain) {
        return false;
    }
    let mut tests: Vec<Expr> = predicate.get(link).cloned().into_iter().collect();
    tests.push(Expr::or_all(rest.into_iter().map(Expr::not).collect()));
    let mut inner = (**input).clone();
    for t in tests {
        inner.add_conjunct(t);
    }
    *e = Expr::exists(inner);
    true
}
