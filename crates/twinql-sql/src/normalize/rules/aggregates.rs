//! Grouping and aggregates: DISTINCT is a grouping, and what keys, counts and HAVING say twice goes. Whether
//! a grouping is needed at all is asked in `grouping`, groupings of groupings are in `rollup`.

use std::collections::BTreeSet;

use crate::algebra::BlockMut;
use crate::columns::Reads;
use crate::expr::{AggFunc, AggregateCall, BinaryOp, Expr};
use crate::normalize::context::Context;
use crate::normalize::example::examples;
use crate::normalize::rule::{Apply, Needs, Rule};
use crate::rel::{ColumnId, Rel};
use crate::schema::Affinity;
use crate::tree::Tree;
use crate::value::Value;

pub(super) const DISTINCT_AS_GROUPING: Rule = Rule {
    name: "distinct-as-grouping",
    summary: "SELECT DISTINCT is GROUP BY all its columns, without aggregates",
    why: "Both keep one row of each class of rows that are equal with NULLs taken as equal.",
    source: "both compare rows by the same equality, NULLs alike",
    needs: Needs::NOTHING,
    examples: examples! {
        "strict": "SELECT DISTINCT city FROM customer" == "SELECT city FROM customer GROUP BY city";
        "default": "SELECT DISTINCT city FROM customer" != "SELECT city FROM customer";
    },
    apply: Apply::Rel(distinct),
};

/// Over a projection the keys are its expressions; over anything else they are the columns, under new ids, as
/// an id must not be produced twice.
fn distinct(rel: &mut Rel, cx: &mut Context<'_>) -> bool {
    let Rel::Distinct { input } = rel else {
        return false;
    };
    if let Rel::Project { input: below, exprs } = &mut **input {
        *rel = Rel::distinct_by(below.take(), std::mem::take(exprs));
        return true;
    }
    let input = input.take();
    let mut keys = Vec::new();
    for c in input.outputs() {
        let new = cx.fresh_like(c);
        keys.push((new, Expr::Column(c)));
        cx.replace(c, Expr::Column(new));
    }
    *rel = Rel::distinct_by(input, keys);
    true
}

pub(super) const KEY_CLEANUP: Rule = Rule {
    name: "group-key-cleanup",
    summary: "group keys and aggregates that stand twice are one; constant keys beside others go; a bare column that the keys determine is a key",
    why: "Adding a key that the others determine, or a constant one, splits no group.",
    source: "functional dependencies: Paulley & Larson 1994; SQLite's bare columns",
    needs: Needs::NOTHING,
    examples: examples! {
        "no-fk": "SELECT c.name, SUM(o.total) FROM customer c JOIN orders o ON o.customer_id = c.id GROUP BY c.id"
            == "SELECT c.name, SUM(o.total) FROM customer c JOIN orders o ON o.customer_id = c.id GROUP BY c.id, c.name";
        "default": "SELECT name, COUNT(*) FROM customer GROUP BY name" != "SELECT name, COUNT(*) FROM customer GROUP BY name, age";
        "default": "SELECT city, COUNT(*) FROM customer GROUP BY city, age" != "SELECT city, COUNT(*) FROM customer GROUP BY city";
    },
    apply: Apply::Rel(clean_keys),
};

/// Four clean-ups in turn: repeated keys, constant keys, repeated aggregates, and bare columns.
fn clean_keys(rel: &mut Rel, cx: &mut Context<'_>) -> bool {
    let Rel::Aggregate { input, keys, calls } = rel else {
        return false;
    };
    let mut changed = false;
    let mut kept: Vec<(ColumnId, Expr)> = Vec::new();
    for (c, e) in std::mem::take(keys) {
        match kept.iter().find(|(_, k)| *k == e && k.is_deterministic()) {
            Some((id, _)) => {
                cx.replace(c, Expr::Column(*id));
                changed = true;
            }
            None => kept.push((c, e)),
        }
    }
    *keys = kept;
    // `GROUP BY city, 1 + 1` is `GROUP BY city`. A constant alone stays: over no rows `GROUP BY 1 + 1` has no
    // group, and without GROUP BY there would be a row.
    let constant = |e: &Expr| matches!(e, Expr::Literal(_));
    if keys.iter().any(|(_, e)| constant(e)) && keys.iter().any(|(_, e)| !constant(e)) {
        for (c, e) in keys.iter().filter(|(_, e)| constant(e)) {
            cx.replace(*c, e.clone());
        }
        keys.retain(|(_, e)| !constant(e));
        changed = true;
    }
    let mut seen: Vec<(ColumnId, AggregateCall)> = Vec::new();
    for (c, call) in std::mem::take(calls) {
        match seen.iter().find(|(_, s)| *s == call) {
            Some((id, _)) => {
                cx.replace(c, Expr::Column(*id));
                changed = true;
            }
            None => seen.push((c, call)),
        }
    }
    *calls = seen;
    // Without keys a bare column must not become one, for the same reason.
    if !keys.is_empty() && AggregateCall::any_bare(calls) {
        let deps = cx.dependencies(input);
        let known: BTreeSet<ColumnId> = deps.closure(keys.iter().filter_map(|(_, e)| e.as_column()));
        let (bare, rest): (Vec<_>, Vec<_>) = std::mem::take(calls).into_iter().partition(|(_, c)| {
            c.func == AggFunc::Bare
                && c.filter.is_none()
                && c.args.len() == 1
                && c.args.iter().all(|e| e.is_deterministic() && e.reads().is_subset(&known))
        });
        *calls = rest;
        changed |= !bare.is_empty();
        // The call's column is the key's now, so nothing above changes.
        for (c, call) in bare {
            keys.extend(call.args.into_iter().map(|e| (c, e)));
        }
    }
    changed
}

pub(super) const COUNT_STAR: Rule = Rule {
    name: "count-star",
    summary: "COUNT(x) is COUNT(*) where x is never NULL; MIN, MAX need no DISTINCT where no bare column stands beside them",
    why: "COUNT(x) passes over NULLs alone, and a value that comes twice is no larger or smaller than one that comes once.",
    source: "SQL: COUNT(x) counts the rows in which x is not NULL",
    needs: Needs::NOT_NULL,
    examples: examples! {
        "nulls": "SELECT COUNT(name), COUNT(1) FROM customer" == "SELECT COUNT(*), COUNT(id) FROM customer";
        "strict": "SELECT city, MAX(DISTINCT age) FROM customer GROUP BY city" == "SELECT city, MAX(age) FROM customer GROUP BY city";
        "nulls": "SELECT city, COUNT(name) FROM customer GROUP BY city" == "SELECT city, COUNT(*) FROM customer GROUP BY city";
        "nulls": "SELECT city, MIN(DISTINCT age) FROM customer GROUP BY city" == "SELECT city, MIN(age) FROM customer GROUP BY city";
        "nulls": "SELECT COUNT(city) FROM customer" != "SELECT COUNT(*) FROM customer";
        "default": "SELECT name, MAX(DISTINCT age) FROM customer" != "SELECT name, MAX(age) FROM customer";
        "nulls": "SELECT city, COUNT(age) FROM customer GROUP BY city" != "SELECT city, COUNT(*) FROM customer GROUP BY city";
        "strict": "SELECT COUNT(NULL) FROM customer" != "SELECT COUNT(*) FROM customer";
        "default": "SELECT SUM(DISTINCT age) FROM customer" != "SELECT SUM(age) FROM customer";
        "default": "SELECT product, MAX(DISTINCT amount) FROM line" != "SELECT product, MAX(amount) FROM line";
    },
    apply: Apply::Rel(count_star),
};

/// A CASE or COALESCE may be never NULL as well as a column: any deterministic argument is asked. Which
/// columns below are never NULL is found out only where a COUNT(x) stands.
fn count_star(rel: &mut Rel, cx: &mut Context<'_>) -> bool {
    let Rel::Aggregate { input, calls, .. } = rel else {
        return false;
    };
    let mut changed = false;
    let mut known = None;
    let bare = AggregateCall::any_bare(calls);
    for (_, call) in calls {
        match call.func {
            AggFunc::Count if !call.distinct && call.args.len() == 1 => {
                let known = known.get_or_insert_with(|| cx.not_null(input));
                let counts_all = call.args.first().is_some_and(|e| match e {
                    Expr::Literal(v) => *v != Value::Null,
                    e => e.is_deterministic() && !cx.may_be_null(e, known),
                });
                if counts_all {
                    call.args.clear();
                    changed = true;
                }
            }
            // Beside MAX(x), SQLite takes a bare column from the row of the maximum; beside MAX(DISTINCT x) a
            // later row, whose x has come before, takes its place.
            AggFunc::Min | AggFunc::Max if call.distinct && !bare => {
                call.distinct = false;
                changed = true;
            }
            _ => {}
        }
    }
    changed
}

pub(super) const COUNT_DISTINCT_KEY: Rule = Rule {
    name: "distinct-key-aggregate",
    summary: "DISTINCT goes inside COUNT, SUM and AVG where no two rows agree in the argument",
    why: "Where no two rows of a group share the argument there are no duplicates for DISTINCT to leave out.",
    source: "keys: rows of the input are unique by the argument (and the group keys)",
    needs: Needs::NOTHING,
    examples: examples! {
        "nulls": "SELECT COUNT(DISTINCT id) FROM customer" == "SELECT COUNT(*) FROM customer";
        "no-fk": "SELECT COUNT(DISTINCT c.id) FROM customer c JOIN orders o ON o.customer_id = c.id"
            != "SELECT COUNT(c.id) FROM customer c JOIN orders o ON o.customer_id = c.id";
    },
    apply: Apply::Rel(distinct_key),
};

/// Rows of a group agree in its keys. If keys and argument together determine the row, no two rows of a group
/// agree in the argument. Without keys this asks for an argument that is unique in the whole input.
fn distinct_key(rel: &mut Rel, cx: &mut Context<'_>) -> bool {
    let Rel::Aggregate { input, keys, calls } = rel else {
        return false;
    };
    if !calls.iter().any(|(_, c)| c.distinct) {
        return false;
    }
    let deps = cx.dependencies(input);
    let grouped: Vec<ColumnId> = keys.iter().filter_map(|(_, e)| e.as_column()).collect();
    let mut changed = false;
    for (_, call) in calls {
        let known = matches!(call.func, AggFunc::Count | AggFunc::Sum | AggFunc::Avg);
        if call.distinct
            && known
            && let [Expr::Column(c)] = call.args.as_slice()
            && deps.unique(grouped.iter().copied().chain([*c]))
        {
            call.distinct = false;
            changed = true;
        }
    }
    changed
}

pub(super) const TRIVIAL_HAVING: Rule = Rule {
    name: "trivial-having",
    summary: "COUNT(*) >= 1 holds for every group, <= 1 is = 1 and <> 1 is >= 2; so for COUNT(x) and COUNT(DISTINCT x) of what is never NULL; in AVG, a cast of a number to REAL does nothing",
    why: "A group has at least one row, so its count is never below 1.",
    source: "a group has a row; SQLite's AVG is a REAL",
    needs: Needs::TYPED,
    examples: examples! {
        "strict": "SELECT city FROM customer GROUP BY city HAVING COUNT(*) > 0" == "SELECT DISTINCT city FROM customer";
        "strict": "SELECT city FROM customer GROUP BY city HAVING COUNT(*) <> 1" == "SELECT city FROM customer GROUP BY city HAVING COUNT(*) > 1";
        "nulls": "SELECT age FROM customer GROUP BY age HAVING COUNT(DISTINCT name) <= 1"
            == "SELECT age FROM customer GROUP BY age HAVING COUNT(DISTINCT name) = 1";
        "default": "SELECT MAX(age) FROM customer GROUP BY age HAVING COUNT(*) >= 1" == "SELECT age FROM customer GROUP BY age";
        "default": "SELECT city FROM customer GROUP BY city HAVING COUNT(*) > 1" != "SELECT DISTINCT city FROM customer";
        "nulls": "SELECT age FROM customer GROUP BY age HAVING COUNT(DISTINCT city) <= 1"
            != "SELECT age FROM customer GROUP BY age HAVING COUNT(DISTINCT city) = 1";
        "nulls": "SELECT city FROM customer GROUP BY city HAVING COUNT(age) >= 1" != "SELECT city FROM customer GROUP BY city";
        "default": "SELECT COUNT(*) FROM customer GROUP BY age HAVING MAX(age) = '30'"
            != "SELECT COUNT(*) FROM customer GROUP BY age HAVING age = '30'";
    },
    apply: Apply::Rel(trivial_having),
};

/// HAVING stands as conjuncts over the grouping. Only counts of groups are looked at, since without keys a
/// count may be 0, and only counts of what is never NULL, since a group may hold nothing but NULLs.
/// The cast inside AVG goes first. Not with DISTINCT: which values are the same is then asked after the cast.
fn trivial_having(rel: &mut Rel, cx: &mut Context<'_>) -> bool {
    let mut changed = false;
    if let Rel::Aggregate { calls, .. } = rel {
        for (_, call) in calls.iter_mut().filter(|(_, c)| c.func == AggFunc::Avg && !c.distinct) {
            if let [Expr::Cast { expr, affinity: Affinity::Real }] = call.args.as_mut_slice()
                && cx.affinity(expr).is_some_and(Affinity::is_numeric)
            {
                call.args = vec![(**expr).clone()];
                changed = true;
            }
        }
    }
    let Some(BlockMut { inputs, on }) = rel.as_block_mut() else {
        return changed;
    };
    // The counts that are never below 1.
    let mut counts: BTreeSet<ColumnId> = BTreeSet::new();
    for one in inputs {
        if let Rel::Aggregate { input, keys, calls } = one
            && !keys.is_empty()
        {
            let mut known = None;
            let mut sure = |e: &Expr| {
                let known = known.get_or_insert_with(|| cx.not_null(input));
                e.is_deterministic() && !cx.may_be_null(e, known)
            };
            for (c, call) in calls {
                if call.func == AggFunc::Count && call.filter.is_none() && call.args.iter().all(&mut sure) {
                    counts.insert(*c);
                }
            }
        }
    }
    if counts.is_empty() {
        return changed;
    }
    let before = on.len();
    on.retain_mut(|e| {
        let Some((op, c, n)) = compared_with_whole(e) else {
            return true;
        };
        if !counts.contains(&c) {
            return true;
        }
        let new = |op, left, right| Expr::binary(op, left, right);
        let whole = |n| Expr::Literal(Value::Integer(n));
        match (op, n) {
            (BinaryOp::GtEq, ..=1) | (BinaryOp::Gt | BinaryOp::NotEq, ..=0) => return false,
            (BinaryOp::LtEq, 1) | (BinaryOp::Lt, 2) => *e = new(BinaryOp::Eq, Expr::Column(c), whole(1)),
            (BinaryOp::NotEq, 1) => *e = new(BinaryOp::LtEq, whole(2), Expr::Column(c)),
            _ => return true,
        }
        changed = true;
        true
    });
    changed | (on.len() != before)
}

/// `c op n`, whichever side the column stands on.
fn compared_with_whole(e: &Expr) -> Option<(BinaryOp, ColumnId, i64)> {
    let Expr::Binary { op, left, right } = e else {
        return None;
    };
    match (&**left, &**right) {
        (Expr::Column(c), Expr::Literal(Value::Integer(n))) => Some((*op, *c, *n)),
        (Expr::Literal(Value::Integer(n)), Expr::Column(c)) => Some((op.flipped()?, *c, *n)),
        _ => None,
    }
}
