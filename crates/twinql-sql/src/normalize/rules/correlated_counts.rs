//! Counts over correlated rows, as EXISTS, groupings and joins. What sets COUNT apart from other aggregates
//! is that over no rows it is 0 and not NULL, so each rule asks which comparisons 0 passes.

use crate::column_set::ColumnSet;
use crate::normalize::prelude::*;

/// The input of `(SELECT COUNT(*) …)`.
fn counted(e: &Expr) -> Option<&Rel> {
    let q = e.as_scalar()?;
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
    apply: Apply::ExprOf(exprs::BINARY, count_as_exists),
};

fn count_as_exists(e: &mut Expr, _cx: &mut Context<'_>) -> Changed {
    let (count, none) = asked_of_zero(e)?;
    *e = asserted(Expr::exists(counted(count)?.clone()), !none);
    Some(())
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
    apply: Apply::RelOf(rels::PROJECT, counted_test),
};

/// In a projection over a COUNT(*) alone that asks once. What it counts moves into the subquery.
fn counted_test(rel: &mut Rel, _cx: &mut Context<'_>) -> Changed {
    let (input, exprs) = rel.as_project_mut()?;
    let grouping = input.as_grouping().filter(|g| g.keys.is_empty())?;
    let (c, _) =
        grouping.calls.first().filter(|(_, call)| grouping.calls.len() == 1 && call.counts_rows())?;
    let mut new = exprs.clone();
    let mut asked = 0;
    for (_, e) in &mut new {
        e.map(|e| {
            let found = asked_of_zero(e).filter(|(count, _)| count.as_column() == Some(*c));
            let test = found.map(|(_, none)| asserted(Expr::exists(grouping.input.clone()), !none));
            asked += usize::from(test.is_some());
            put(e, test).is_some()
        });
    }
    if asked != 1 || new.iter().any(|(_, e)| e.reads().contains(c)) {
        return None;
    }
    *rel = Rel::project(Rel::unit(), new);
    Some(())
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
    apply: Apply::RelOf(Kinds::BLOCKS, correlated_count),
};

/// Conjuncts alone, for the EXISTS is false where the comparison may be NULL.
fn correlated_count(rel: &mut Rel, cx: &mut Context<'_>) -> Changed {
    let BlockMut { on: list, .. } = rel.as_block_mut()?;
    change_each(list, |e| put(e, grouped(e, cx)).is_some()).then_some(())
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
    let (query, op, n) =
        e.readings().find_map(|(count, op, n)| Some((count.as_scalar()?, op, n.as_integer()?)))?;
    let (input, c, call) = sole_aggregate(query)?;
    let fails_over_nothing = match op {
        BinaryOp::Eq | BinaryOp::GtEq => n >= 1,
        BinaryOp::Gt => n >= 0,
        _ => false,
    };
    if call.func != AggFunc::Count || !fails_over_nothing || !query.rel.is_deterministic() {
        return None;
    }
    let (inputs, on) = input.clone().into_block();
    let made: ColumnSet = inputs.iter().flat_map(Rel::outputs).collect();
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
    let in_call = call.exprs().all(|e| e.free_columns().is_subset(&made));
    if links.is_empty() || !below.free_columns().is_empty() || !in_call {
        return None;
    }
    let mut new_keys = Vec::new();
    let mut test = e.clone();
    test.map(|e| put(e, e.as_scalar().map(|_| Expr::Column(c))).is_some());
    let mut tests = vec![test];
    for (inner, outer) in links {
        let id = cx.fresh_like(inner);
        new_keys.push((id, Expr::Column(inner)));
        tests.push(Expr::Column(id).eq(Expr::Column(outer)));
    }
    let groups = Rel::aggregate(below, new_keys, vec![(c, call.clone())]);
    Some(Expr::exists(Rel::filter(groups, tests)))
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
    apply: Apply::ExprOf(exprs::UNARY, foreign_key_anti_join),
};

/// The reference must not be NULL, for NULL refers to no row, and of no row NOT EXISTS is true. The other
/// conjuncts must not be NULL either: NOT EXISTS keeps a row for which p is NULL, NOT p does not.
fn foreign_key_anti_join(e: &mut Expr, cx: &mut Context<'_>) -> Changed {
    let (input, predicate) = e.as_not()?.as_exists()?.rel.as_filter()?;
    let (table, columns) = input.as_scan()?;
    let own: ColumnSet = columns.iter().map(|(c, _)| *c).collect();
    let known = cx.not_null(input);
    let refers = |key: ColumnId, outer: ColumnId| {
        position(columns, key).zip(cx.origin(outer)).is_some_and(|(column, from)| {
            let to = ColumnRef { table: *table, column };
            cx.is_key(to)
                && !own.contains(&outer)
                && !cx.outer_may_be_null(outer)
                && cx.schema.sole_reference(from, to)
        })
    };
    let links = |p: &Expr| cx.column_equality(p).is_some_and(|(a, b)| refers(a, b) || refers(b, a));
    let mut rest = predicate.clone();
    let link = rest.remove(predicate.iter().position(links)?);
    // NOT of NULL is not true.
    let certain = |p: &Expr| p.is_boolean() && p.is_deterministic() && !cx.may_be_null(p, &known);
    if rest.is_empty() || !rest.iter().all(certain) {
        return None;
    }
    let fails = Expr::or_all(rest.into_iter().map(Expr::not).collect());
    *e = Expr::exists(Rel::filter(input.clone(), vec![link, fails]));
    Some(())
}
