//! Window functions that say what other operators say. All other windows are compared as they stand.

use crate::normalize::prelude::*;

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
    apply: Apply::RelOf(rels::WINDOW, whole_window),
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
fn whole_window(rel: &mut Rel, cx: &mut Context<'_>) -> Changed {
    let Rel::Window { input, calls } = rel else {
        return None;
    };
    let (at, id, mut call) =
        calls.iter().enumerate().find_map(|(at, (c, call))| Some((at, *c, aggregate(call)?)))?;
    if input.size() > MAX_COPIED || !input.is_deterministic() || limited(input) {
        return None;
    }
    let (mut below, map) = cx.copy(input);
    change_each(call.exprs_mut(), |e| e.substitute(&map));
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
    Some(())
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
    apply: Apply::RelOf(rels::FILTER, first_ranks),
};

/// True for a conjunct that lets rank 1 alone through.
fn asks_for_first(e: &Expr, rank: ColumnId) -> bool {
    e.readings().any(|(x, op, n)| {
        let first = matches!(
            (op, n.as_integer()),
            (BinaryOp::Eq | BinaryOp::LtEq, Some(1)) | (BinaryOp::Lt, Some(2))
        );
        first && x.as_column() == Some(rank)
    })
}

/// The rank must be asked for in a filter right above, and a row number alone there: then it is 1 for whoever
/// reads it. Rank 1 is the extreme, if no x is NULL: NULLs would rank first in ascending order, where MIN
/// leaves them out.
fn first_ranks(rel: &mut Rel, cx: &mut Context<'_>) -> Changed {
    let (input, predicate) = rel.as_filter_mut()?;
    let Rel::Window { input: below, calls } = input else {
        return None;
    };
    let [(id, call)] = calls.as_slice() else {
        return None;
    };
    if !call.partition_by.is_empty() || call.order_by.is_empty() || call.filter.is_some() {
        return None;
    }
    let id = *id;
    match call.func.as_str() {
        "row_number" => {
            // Of several first rows the number itself may be read above.
            if predicate.len() != 1 || !predicate.iter().all(|e| asks_for_first(e, id)) {
                return None;
            }
            let keys = call.order_by.clone();
            *rel = Rel::sort(below.take(), keys, Some(Expr::integer(1)));
        }
        "rank" | "dense_rank" => {
            let [SortKey { expr, direction, .. }] = call.order_by.as_slice() else {
                return None;
            };
            let at = predicate.iter().position(|e| asks_for_first(e, id))?;
            // The input is copied into the subquery of the extreme: small, the same each time, and of this
            // query alone.
            if cx.may_be_null(expr, &cx.not_null(below))
                || predicate.iter().enumerate().any(|(i, e)| i != at && e.reads().contains(&id))
                || below.size() > MAX_COPIED
                || !below.is_deterministic()
                || !expr.is_deterministic()
                || limited(below)
                || !below.free_columns().is_empty()
            {
                return None;
            }
            let (x, func) = (expr.clone(), first_in(*direction));
            let (inner, map) = cx.copy(below);
            let arg = x.substituted(&map);
            let known = x.as_column().and_then(|c| cx.info(c).cloned());
            // MIN and MAX have no affinity, whatever their column has.
            let info = ColumnInfo { affinity: None, ..known.unwrap_or_else(|| computed("extreme")) };
            let new = cx.fresh(info);
            let calls = vec![(new, AggregateCall::new(func, vec![arg]))];
            let value = Expr::scalar(Rel::aggregate(inner, Vec::new(), calls), new);
            let below = below.take();
            *input = below;
            if let Some(e) = predicate.get_mut(at) {
                *e = x.eq(value);
            }
        }
        _ => return None,
    }
    cx.replace(id, Expr::integer(1));
    Some(())
}

pub(super) const FIRST_VALUE: Rule = Rule {
    name: "first-value",
    summary: "NTH_VALUE(x, 1) is FIRST_VALUE(x)",
    why: "Both are the value in the first row of the frame.",
    source: "SQL:2011 window functions",
    needs: Needs::NOTHING,
    examples: examples! {
        "strict": "SELECT NTH_VALUE(age, 1) OVER (PARTITION BY city ORDER BY id) FROM customer"
            == "SELECT FIRST_VALUE(age) OVER (PARTITION BY city ORDER BY id) FROM customer";
        "default": "SELECT NTH_VALUE(age, 2) OVER (ORDER BY id) FROM customer" != "SELECT FIRST_VALUE(age) OVER (ORDER BY id) FROM customer";
    },
    apply: Apply::RelOf(rels::WINDOW, first_value),
};

fn first_value(rel: &mut Rel, _cx: &mut Context<'_>) -> Changed {
    let Rel::Window { calls, .. } = rel else {
        return None;
    };
    let first = |call: &mut WindowCall| {
        let one = call.func == "nth_value" && call.args.get(1).and_then(Expr::as_integer) == Some(1);
        if one {
            call.func = "first_value".to_owned();
            call.args.truncate(1);
        }
        one
    };
    change_each(calls, |(_, call)| first(call)).then_some(())
}
