//! ORDER BY that orders nothing, or not enough.

use std::collections::BTreeSet;

use twinql_sql::columns::Reads;
use twinql_sql::{AggFunc, AggregateCall, ColumnId, Expr, Rel, SortKey};

use super::limits::{decided, key_name, told_by};
use crate::check::{Apply, Check, Sink};
use crate::finding::Severity;
use crate::gold::{Gold, Role};

pub(super) const IDLE_ORDER: Check = Check {
    id: "idle-order",
    severity: Severity::Note,
    summary: "ORDER BY that orders nothing",
    why: "The order of a subquery without LIMIT is lost, and one row has no order.",
    source: "https://sqlite.org/lang_select.html#orderby",
    undetermined: false,
    finds: &[
        "SELECT name FROM customer WHERE id IN (SELECT customer_id FROM orders ORDER BY total)",
        "SELECT count(*) FROM customer ORDER BY count(*) DESC LIMIT 1",
        "SELECT name FROM customer WHERE id = 3 ORDER BY name",
    ],
    misses: &[
        "SELECT name FROM customer ORDER BY name",
        "SELECT name FROM customer WHERE id IN (SELECT customer_id FROM orders ORDER BY total LIMIT 3)",
    ],
    apply: Apply::Plan(idle),
};

pub(super) const LIMIT_OF_ONE_ROW: Check = Check {
    id: "limit-of-one-row",
    severity: Severity::Warning,
    summary: "ORDER BY and LIMIT behind an aggregate of all rows",
    why: "An aggregate without GROUP BY has one row, over all rows: ORDER BY and LIMIT pick none of these, and come too late.",
    source: "the order in which the clauses of a SELECT are evaluated, https://sqlite.org/lang_select.html",
    undetermined: false,
    finds: &[
        "SELECT count(*) FROM orders ORDER BY total DESC LIMIT 1",
        "SELECT avg(total) FROM orders ORDER BY day LIMIT 10",
    ],
    misses: &[
        "SELECT count(*) FROM orders GROUP BY customer_id ORDER BY customer_id DESC LIMIT 1",
        "SELECT avg(total) FROM (SELECT total FROM orders ORDER BY day, id LIMIT 10)",
        "SELECT max(total) FROM orders ORDER BY max(total) LIMIT 1",
        "SELECT max(total) FROM orders ORDER BY total DESC LIMIT 1",
    ],
    apply: Apply::Plan(too_late),
};

pub(crate) const ORDER_TIES: Check = Check {
    id: "order-ties",
    severity: Severity::Note,
    summary: "ORDER BY that leaves open which of several rows comes first",
    why: "Rows with the same sort keys come in any order, so that answers may only be compared up to these ties.",
    source: "https://sqlite.org/lang_select.html#orderby; Zhong, Yu and Klein 2020 compare lists in order",
    undetermined: true,
    finds: &[
        "SELECT name FROM customer ORDER BY age",
        "SELECT city, count(*) FROM customer GROUP BY city ORDER BY count(*) DESC",
    ],
    misses: &[
        "SELECT name FROM customer ORDER BY age, id",
        "SELECT age FROM customer ORDER BY age",
        "SELECT city, count(*) FROM customer GROUP BY city ORDER BY city",
        "SELECT name FROM customer WHERE id = 3 ORDER BY age",
        "SELECT name FROM customer WHERE id IN (SELECT customer_id FROM orders ORDER BY total)",
    ],
    apply: Apply::Plan(ties),
};

/// The order of the answer; a LIMIT is another check's.
fn ties(gold: &Gold<'_>, sink: &mut Sink<'_>) {
    let mut rel = &gold.plan.query.rel;
    while let Rel::Project { input, .. } = rel {
        rel = input;
    }
    let Rel::Sort { input, keys, limit: None, offset: None } = rel else { return };
    if keys.is_empty() || decided(gold, rel, input, &told_by(input, keys)) {
        return;
    }
    let at = keys.iter().find_map(|k| gold.found(&k.expr));
    let named: Vec<String> = keys.iter().map(|k| key_name(gold, &k.expr)).collect();
    let reason = format!("several rows may have the same {}, and come in any order", named.join(", "));
    sink.add(at, reason).remedy("order by a key as well");
}

/// Finds ORDER BY and LIMIT above an aggregate without GROUP BY, by a column of the rows that were aggregated. It is
/// certain that they pick nothing, for there is one row. To sort by the aggregate itself is idle and another check's;
/// of `max(x) … ORDER BY x DESC LIMIT 1` the answer is the one that was meant.
fn too_late(gold: &Gold<'_>, sink: &mut Sink<'_>) {
    for key in gold.relations().into_iter().filter_map(late_key) {
        let at = gold.place(&key.expr);
        sink.add(at, "the aggregate is over all rows, and has one row: ORDER BY and LIMIT come too late")
            .remedy("aggregate over a subquery that has the ORDER BY and LIMIT");
    }
}

/// The key of a limited sort, above an aggregate of all rows, that is a value of one of these rows.
fn late_key(rel: &Rel) -> Option<&SortKey> {
    let Rel::Sort { input, keys, limit: Some(_), .. } = rel else { return None };
    let (mut below, mut made) = (&**input, Vec::new());
    while let Rel::Project { input, exprs } = below {
        made.extend(exprs);
        below = input;
    }
    let Rel::Aggregate { keys: groups, calls, .. } = below else { return None };
    let bare = |c: &ColumnId| calls.iter().any(|(id, call)| id == c && call.func == AggFunc::Bare);
    let reads = |e: &Expr| {
        let of = |c: &ColumnId| bare(c) || made.iter().any(|(id, e)| id == c && e.reads().iter().any(bare));
        e.reads().iter().any(of)
    };
    // The extreme of the key itself is that of the row that was meant.
    let of_key = |call: &AggregateCall| {
        matches!(call.func, AggFunc::Min | AggFunc::Max)
            && keys.iter().any(|k| {
                let bare = |c: ColumnId| calls.iter().find(|(id, _)| *id == c).map(|(_, bare)| &bare.args);
                call.args.first() == Some(&k.expr)
                    || matches!(&k.expr, Expr::Column(c) if bare(*c) == Some(&call.args))
            })
    };
    let mut aggregates = calls.iter().map(|(_, call)| call).filter(|call| call.func != AggFunc::Bare);
    if aggregates.all(of_key) {
        return None;
    }
    keys.iter().find(|k| groups.is_empty() && reads(&k.expr))
}

/// Finds ORDER BY in a subquery whose order nobody reads, or over one row. An order that is read is no finding: that of
/// the answer, of a LIMIT, of a scalar subquery's first row, or of a derived table whose rows a window, GROUP_CONCAT or
/// a bare column takes in turn.
fn idle(gold: &Gold<'_>, sink: &mut Sink<'_>) {
    let mut top: BTreeSet<*const Rel> = BTreeSet::new();
    for (role, query) in gold.queries() {
        let mut rel = &query.rel;
        while let Rel::Project { input, .. } = rel {
            rel = input;
        }
        // The first row of a scalar subquery is that of its order.
        if matches!(role, Role::Root | Role::Scalar) {
            top.insert(std::ptr::from_ref(rel));
        }
    }
    // Calls that take their values in the order of a derived table.
    let ordered = |rel: &&Rel| {
        matches!(rel, Rel::Window { .. })
            || matches!(rel, Rel::Aggregate { calls, .. } if calls.iter().any(|(_, c)| matches!(c.func, AggFunc::GroupConcat | AggFunc::Bare | AggFunc::Other(_))))
    };
    let kept = gold.relations().iter().any(ordered);
    for rel in gold.relations() {
        let Rel::Sort { input, keys, limit, offset } = rel else { continue };
        let Some(key) = keys.first() else { continue };
        // Another check says more of it.
        if late_key(rel).is_some() {
            continue;
        }
        let inner = !top.contains(&std::ptr::from_ref(rel));
        let limited = limit.is_some() || offset.is_some();
        let reason = if inner && !limited && !kept {
            "the order of a subquery without LIMIT is lost"
        } else if gold.known.is_unique(input, []) {
            "there is one row at most"
        } else {
            continue;
        };
        let at = gold.place(&key.expr);
        sink.add(at, reason);
    }
}
