//! Window functions that say what other operators say. All other windows are compared as they stand.

use crate::normalize::prelude::*;

/// Nodes of a relation that is copied, at most.
const MAX_COPIED: usize = 120;

pub(super) const WHOLE_WINDOW: Rule = Rule {
    name: "window-over-all",
    summary: "an aggregate OVER () is the scalar subquery with that aggregate, and FIRST_VALUE without PARTITION BY that of the first row",
    why: "Without PARTITION BY every row sees the same first row, and without ORDER BY the aggregate over all rows.",
    source: "SQL:2003 window functions: without PARTITION BY and ORDER BY the window is all rows",
    needs: Needs::NOTHING,
    examples: examples! {
        "default": "SELECT name, AVG(age) OVER () FROM customer" == "SELECT name, (SELECT AVG(age) FROM customer) FROM customer";
        "default": "SELECT name, FIRST_VALUE(age) OVER (ORDER BY id DESC) FROM customer" == "SELECT name, (SELECT age FROM customer ORDER BY id DESC LIMIT 1) FROM customer";
        "default": "SELECT name, AVG(age) OVER (PARTITION BY city) FROM customer" != "SELECT name, (SELECT AVG(age) FROM customer) FROM customer";
        "default": "SELECT name, LAST_VALUE(age) OVER (ORDER BY id DESC) FROM customer" != "SELECT name, (SELECT age FROM customer ORDER BY id LIMIT 1) FROM customer";
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

/// A value that a window function gives to every row alike.
enum OfAll {
    /// An aggregate of all rows.
    Aggregate(AggregateCall),
    /// The value in the first row by these keys.
    First(Expr, Vec<SortKey>),
}

/// FIRST_VALUE in an order of all rows, whose frame begins with the first one.
fn first_of_all(call: &WindowCall) -> Option<OfAll> {
    let [x] = call.args.as_slice() else { return None };
    let from_first =
        call.frame.as_deref().is_none_or(|frame| frame.contains("BETWEEN UNBOUNDED PRECEDING AND"));
    let whole = call.partition_by.is_empty() && !call.order_by.is_empty() && call.filter.is_none();
    let first = call.func == "first_value"
        && whole
        && from_first
        && !call.frame.as_deref().is_some_and(|f| f.contains("EXCLUDE"));
    first.then(|| OfAll::First(x.clone(), call.order_by.clone()))
}

/// The subquery reads a copy of the input, so the input has to be small and the same each time it is read: no
/// RANDOM(), no LIMIT that may cut ties otherwise.
fn whole_window(rel: &mut Rel, cx: &mut Context<'_>) -> Changed {
    let Rel::Window { input, calls } = rel else {
        return None;
    };
    let of_all = |call: &WindowCall| {
        let first = || first_of_all(call).filter(|_| cx.dependencies(input).unique(places(call)));
        aggregate(call).map(OfAll::Aggregate).or_else(first)
    };
    let (at, id, mut value) =
        calls.iter().enumerate().find_map(|(at, (c, call))| Some((at, *c, of_all(call)?)))?;
    if input.size() > MAX_COPIED || !input.is_deterministic() || limited(input) {
        return None;
    }
    let (mut below, map) = cx.copy(input);
    match &mut value {
        OfAll::Aggregate(call) => change_each(call.exprs_mut(), |e| e.substitute(&map)),
        OfAll::First(x, keys) => {
            let keys = keys.iter_mut().map(|key| &mut key.expr);
            change_each(std::iter::once(x).chain(keys), |e| e.substitute(&map))
        }
    };
    calls.remove(at);
    if calls.is_empty() {
        *rel = input.take();
    }
    // Sorting changes no aggregate, nor a first row of an order of its own.
    while let Rel::Sort { input, .. } = &mut below {
        below = input.take();
    }
    let new = cx.fresh_like(id);
    let one = match value {
        OfAll::Aggregate(call) => Rel::aggregate(below, Vec::new(), vec![(new, call)]),
        OfAll::First(x, keys) => Rel::project(Rel::sort(below, keys, Some(Expr::integer(1))), vec![(new, x)]),
    };
    cx.replace(id, Expr::scalar(one, new));
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

pub(super) const ROW_FRAMES: Rule = Rule {
    name: "row-frames",
    summary: "ROWS up to the current row is the frame that is there unsaid, where no two rows of a partition stand at one place",
    why: "The two frames differ by the rows that are equal to the current one in the order.",
    source: "https://sqlite.org/windowfunctions.html section 2: the default frame, and peers",
    needs: Needs::KEYS,
    examples: examples! {
        "nulls": "SELECT id, SUM(age) OVER (ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) FROM customer"
            == "SELECT id, SUM(age) OVER (ORDER BY id) FROM customer";
        "nulls": "SELECT product, SUM(amount) OVER (PARTITION BY product ORDER BY order_id ROWS UNBOUNDED PRECEDING) FROM line WHERE order_id IS NOT NULL"
            == "SELECT product, SUM(amount) OVER (PARTITION BY product ORDER BY order_id) FROM line WHERE order_id IS NOT NULL";
        "nulls": "SELECT id, SUM(id) OVER (ORDER BY age ROWS UNBOUNDED PRECEDING) FROM customer" != "SELECT id, SUM(id) OVER (ORDER BY age) FROM customer";
    },
    apply: Apply::RelOf(rels::WINDOW, row_frames),
};

fn row_frames(rel: &mut Rel, cx: &mut Context<'_>) -> Changed {
    let Rel::Window { input, calls } = rel else { return None };
    let by_row = |frame: &str| {
        frame.split_once(' ').is_some_and(|(unit, frame)| {
            matches!(unit, "ROWS" | "GROUPS") && frame == "BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW"
        })
    };
    if !calls.iter().any(|(_, call)| call.frame.as_deref().is_some_and(by_row)) {
        return None;
    }
    let known = cx.dependencies(input);
    let apart = |call: &mut WindowCall| {
        let idle = call.frame.as_deref().is_some_and(by_row) && known.unique(places(call));
        idle.then(|| call.frame = None).is_some()
    };
    change_each(calls, |(_, call)| apart(call)).then_some(())
}

/// The columns that a window divides and orders its rows by.
fn places(call: &WindowCall) -> impl Iterator<Item = ColumnId> {
    let order = call.order_by.iter().map(|key| &key.expr);
    call.partition_by.iter().chain(order).filter_map(Expr::as_column)
}
