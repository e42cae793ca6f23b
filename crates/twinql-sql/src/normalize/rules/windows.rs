//! Window functions that say what other operators say. All other windows are compared as they stand.

use std::collections::BTreeSet;

use crate::columns::Reads;
use crate::expr::{AggFunc, AggregateCall, BinaryOp, Expr, WindowCall};
use crate::normalize::context::{self, Context};
use crate::normalize::example::examples;
use crate::normalize::rule::{Apply, Needs, Rule};
use crate::rel::{ColumnId, Direction, Rel, SortKey};
use crate::tree::Tree;
use crate::value::Value;

/// Nodes of a relation that is copied, at most.
const MAX_COPIED: usize = 120;

pub(super) const WHOLE_WINDOW: Rule = Rule {
    name: "window-over-all",
    summary: "an aggregate OVER () is the scalar subquery with that aggregate",
    why: "Without PARTITION BY and ORDER BY every row sees the aggregate over all rows.",
    source: "SQL:2003 window functions: without PARTITION BY and ORDER BY the window is all rows",
    needs: Needs::NOTHING,
    examples: examples! {
        "default": "SELECT name, AVG(age) OVER () FROM customer" == "SELECT name, (SELECT AVG(age) FROM customer) FROM customer";
        "default": "SELECT name, AVG(age) OVER (PARTITION BY city) FROM customer" != "SELECT name, (SELECT AVG(age) FROM customer) FROM customer";
    },
    apply: Apply::Rel(whole_window),
};

/// The aggregate that a window function over all rows is.
fn aggregate(call: &WindowCall) -> Option<AggregateCall> {
    let func = match call.func.as_str() {
        "count" => AggFunc::Count,
        "sum" => AggFunc::Sum,
        "total" => AggFunc::Total,
        "avg" => AggFunc::Avg,
        "min" => AggFunc::Min,
        "max" => AggFunc::Max,
        _ => return None,
    };
    let plain = call.partition_by.is_empty() && call.order_by.is_empty() && call.frame.is_none();
    plain.then(|| AggregateCall {
        func,
        distinct: call.distinct,
        args: call.args.clone(),
        filter: call.filter.clone(),
    })
}

/// The subquery reads a copy of the input, so the input has to be small and the same each time it is read: no
/// RANDOM(), no LIMIT that may cut ties otherwise.
fn whole_window(rel: &mut Rel, cx: &mut Context<'_>) -> bool {
    let Rel::Window { input, calls } = rel else {
        return false;
    };
    let Some(at) = calls.iter().position(|(_, c)| aggregate(c).is_some()) else {
        return false;
    };
    if input.size() > MAX_COPIED || !input.is_deterministic() || limited(input) {
        return false;
    }
    let Some((id, mut call)) = calls.get(at).and_then(|(c, call)| Some((*c, aggregate(call)?))) else {
        return false;
    };
    let (mut below, map) = cx.copy(input);
    for e in call.exprs_mut() {
        e.substitute(&map);
    }
    calls.remove(at);
    if calls.is_empty() {
        *rel = input.take();
    }
    // Sorting changes no aggregate.
    while let Rel::Sort { input, .. } = &mut below {
        below = input.take();
    }
    let new = cx.fresh_like(id);
    let value = Expr::scalar(Rel::aggregate(below, Vec::new(), vec![(new, call)]), new);
    cx.replace(id, value);
    true
}

/// True if which rows there are depends on an order that may have ties.
fn limited(rel: &Rel) -> bool {
    rel.any(|r| matches!(r, Rel::Sort { limit, offset, .. } if limit.is_some() || offset.is_some()))
}

pub(super) const FIRST_RANKS: Rule = Rule {
    name: "first-ranks",
    summary: "ROW_NUMBER() OVER (ORDER BY x) = 1 alone is LIMIT 1; RANK() or DENSE_RANK() = 1 is x = the MIN or MAX of x",
    why: "Numbering rows in an order and keeping number 1 is LIMIT 1 in that order, and rank 1 is given to all rows that share the first value.",
    source: "SQL:2003 window functions; rows of rank 1 are all those with the first value",
    needs: Needs::NOT_NULL,
    examples: examples! {
        "default": "SELECT name FROM (SELECT name, ROW_NUMBER() OVER (ORDER BY id) AS n FROM customer) WHERE n = 1"
            == "SELECT name FROM customer ORDER BY id LIMIT 1";
        "default": "SELECT name FROM (SELECT name, RANK() OVER (ORDER BY age DESC) AS r FROM customer) WHERE r = 1"
            == "SELECT name FROM customer WHERE age = (SELECT MAX(age) FROM customer)";
        "default": "SELECT name FROM (SELECT name, ROW_NUMBER() OVER (PARTITION BY city ORDER BY id) AS n FROM customer) WHERE n = 1"
            != "SELECT name FROM customer ORDER BY id LIMIT 1";
        "nulls": "SELECT name FROM (SELECT name, RANK() OVER (ORDER BY age) AS r FROM customer) WHERE r = 1"
            != "SELECT name FROM customer WHERE age = (SELECT MIN(age) FROM customer)";
    },
    apply: Apply::Rel(first_ranks),
};

/// The greatest rank that a conjunct lets through.
fn bound(e: &Expr, c: ColumnId) -> Option<i64> {
    let Expr::Binary { op, left, right } = e else {
        return None;
    };
    let column = |e: &Expr| *e == Expr::Column(c);
    match (op, &**left, &**right) {
        (BinaryOp::Eq, x, Expr::Literal(Value::Integer(1)))
        | (BinaryOp::Eq, Expr::Literal(Value::Integer(1)), x)
            if column(x) =>
        {
            Some(1)
        }
        (BinaryOp::LtEq, x, Expr::Literal(Value::Integer(n))) if column(x) => Some(*n),
        (BinaryOp::Lt, x, Expr::Literal(Value::Integer(n))) if column(x) => n.checked_sub(1),
        _ => None,
    }
}

/// The rank must be asked for in a filter right above, and a row number alone there: then it is 1 for whoever
/// reads it. Rank 1 is the extreme, if no x is NULL: NULLs would rank first in ascending order, where MIN
/// leaves them out.
fn first_ranks(rel: &mut Rel, cx: &mut Context<'_>) -> bool {
    let Rel::Filter { input, predicate } = rel else {
        return false;
    };
    let Rel::Window { input: below, calls } = &mut **input else {
        return false;
    };
    let [(id, call)] = calls.as_slice() else {
        return false;
    };
    if !call.partition_by.is_empty() || call.order_by.is_empty() || call.filter.is_some() {
        return false;
    }
    let id = *id;
    let reads = |e: &Expr| e.reads().contains(&id);
    match call.func.as_str() {
        "row_number" => {
            let [only] = predicate.as_slice() else {
                return false;
            };
            // Of several first rows the number itself may be read above.
            if bound(only, id) != Some(1) {
                return false;
            }
            let keys = call.order_by.clone();
            *rel = Rel::sort(below.take(), keys, Some(Expr::integer(1)));
            cx.replace(id, Expr::integer(1));
            true
        }
        "rank" | "dense_rank" => {
            let [SortKey { expr, direction, .. }] = call.order_by.as_slice() else {
                return false;
            };
            let Some(at) = predicate.iter().position(|e| bound(e, id) == Some(1)) else {
                return false;
            };
            let known: BTreeSet<ColumnId> = cx.not_null(below);
            // The input is copied into the subquery of the extreme: small, the same each time, and of this
            // query alone.
            if cx.may_be_null(expr, &known)
                || predicate.iter().enumerate().any(|(i, e)| i != at && reads(e))
                || below.size() > MAX_COPIED
                || !below.is_deterministic()
                || !expr.is_deterministic()
                || limited(below)
                || !below.free_columns().is_empty()
            {
                return false;
            }
            let func = match direction {
                Direction::Asc => AggFunc::Min,
                Direction::Desc => AggFunc::Max,
            };
            let x = expr.clone();
            let (inner, map) = cx.copy(below);
            let arg = x.substituted(&map);
            let mut info = context::computed("extreme");
            if let Expr::Column(c) = &x
                && let Some(known) = cx.info(*c)
            {
                info = known.clone();
                // MIN and MAX have no affinity, whatever their column has.
                info.affinity = None;
            }
            let new = cx.fresh(info);
            let calls = vec![(new, AggregateCall::new(func, vec![arg]))];
            let value = Expr::scalar(Rel::aggregate(inner, Vec::new(), calls), new);
            let below = below.take();
            **input = below;
            if let Some(e) = predicate.get_mut(at) {
                *e = x.eq(value);
            }
            cx.replace(id, Expr::Literal(Value::Integer(1)));
            true
        }
        _ => false,
    }
}
