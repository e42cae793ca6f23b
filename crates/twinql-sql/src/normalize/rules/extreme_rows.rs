//! Rows that hold an extreme, as the first row by an order, and first rows below joins.

use std::collections::BTreeSet;

use super::first_rows::extreme_of;
use crate::expr::{AggFunc, AggregateCall, BinaryOp, Expr};
use crate::normalize::context::{Context, Role};
use crate::normalize::example::examples;
use crate::normalize::rule::{Apply, Needs, Rule};
use crate::normalize::scan::position;
use crate::rel::{ColumnId, Direction, NullsOrder, Query, Rel, SortKey};
use crate::schema::ColumnRef;
use crate::tree::Tree;
use crate::value::Value;

pub(super) const LIMIT_BELOW_JOIN: Rule = Rule {
    name: "limit-below-join",
    summary: "the first row of a join is the join with the first row, where a foreign key gives each row exactly one partner",
    why: "Each row finds exactly one partner, so the join neither drops the first row nor puts another before it.",
    source: "Carey & Kossmann 1997, stopping early below non-reductive joins",
    needs: Needs::FOREIGN_KEYS,
    examples: examples! {
        "default": "SELECT c.name FROM customer c JOIN orders o ON o.customer_id = c.id ORDER BY o.total DESC LIMIT 1"
            == "SELECT name FROM customer WHERE id = (SELECT customer_id FROM orders ORDER BY total DESC LIMIT 1)";
        "default": "SELECT c.name FROM customer c JOIN orders o ON o.customer_id = c.id GROUP BY c.id ORDER BY COUNT(*) DESC LIMIT 1"
            == "SELECT name FROM customer WHERE id = (SELECT customer_id FROM orders GROUP BY customer_id ORDER BY COUNT(*) DESC LIMIT 1)";
        "no-fk": "SELECT c.name FROM customer c JOIN orders o ON o.customer_id = c.id ORDER BY o.total DESC LIMIT 1"
            != "SELECT name FROM customer WHERE id = (SELECT customer_id FROM orders ORDER BY total DESC LIMIT 1)";
        "no-fk": "SELECT c.name FROM customer c JOIN orders o ON o.customer_id = c.id GROUP BY c.id ORDER BY COUNT(*) DESC LIMIT 1"
            != "SELECT name FROM customer WHERE id = (SELECT customer_id FROM orders GROUP BY customer_id ORDER BY COUNT(*) DESC LIMIT 1)";
    },
    apply: Apply::Rel(limit_below_join),
};

/// True for LIMIT 1.
fn is_one(limit: Option<&Expr>) -> bool {
    matches!(limit, Some(Expr::Literal(Value::Integer(1))))
}

/// The partner has to be a whole table, joined through its key by one class of equal columns, one of which
/// refers to that key and is never NULL; and the order must not read it. More than one row is not taken:
/// above the join their order would be lost.
///
/// ```sql
/// SELECT c.name FROM customer c JOIN orders o ON o.customer_id = c.id ORDER BY o.total DESC LIMIT 1
/// -- is
/// SELECT c.name FROM customer c JOIN (SELECT * FROM orders ORDER BY total DESC LIMIT 1) o
///   ON o.customer_id = c.id
/// ```
fn limit_below_join(rel: &mut Rel, cx: &mut Context<'_>) -> bool {
    let Rel::Sort { input, keys, limit, offset: None } = rel else {
        return false;
    };
    let Rel::Join { inputs, on } = &**input else {
        return false;
    };
    if keys.is_empty() || !is_one(limit.as_ref()) || !on.iter().all(Expr::is_deterministic) {
        return false;
    }
    let ordered: BTreeSet<ColumnId> = keys.iter().flat_map(|k| k.expr.free_columns()).collect();
    let classes = cx.equal_columns(on);
    for (i, h) in inputs.iter().enumerate() {
        let Rel::Scan { table, columns } = h else {
            continue;
        };
        let own = h.output_set();
        if !own.is_disjoint(&ordered) {
            continue;
        }
        let mut others = Vec::new();
        let mut fits = true;
        for e in on {
            let of = e.free_columns();
            if of.is_disjoint(&own) {
                others.push(e.clone());
            } else {
                fits &= cx.column_equality(e).is_some();
            }
        }
        // Two classes would be two conditions on the partner, of which the second may fail.
        let mut linked = classes.iter().filter(|c| c.iter().any(|x| own.contains(x)));
        let (Some(class), None, true) = (linked.next(), linked.next(), fits) else {
            continue;
        };
        let made: BTreeSet<ColumnId> = inputs.iter().flat_map(Rel::outputs).collect();
        let (mine, theirs): (Vec<ColumnId>, Vec<ColumnId>) =
            class.iter().copied().partition(|c| own.contains(c));
        let ([key], [first, rest @ ..]) = (mine.as_slice(), theirs.as_slice()) else {
            continue;
        };
        let Some(column) = position(columns, *key) else {
            continue;
        };
        let key_column = ColumnRef { table: *table, column };
        if !theirs.iter().all(|c| made.contains(c))
            || !cx.is_key(key_column)
            || !theirs.iter().any(|c| cx.refers_to_key(*c, key_column, i, inputs))
        {
            continue;
        }
        let equal = |a: ColumnId, b: ColumnId| Expr::Column(a).eq(Expr::Column(b));
        others.extend(rest.iter().map(|c| equal(*first, *c)));
        let link = equal(*key, *first);
        let mut below = inputs.clone();
        let partner = below.remove(i);
        let sorted = Rel::sort(Rel::join(below, others), std::mem::take(keys), limit.take());
        *rel = Rel::join(vec![partner, sorted], vec![link]);
        return true;
    }
    false
}

pub(super) const EXTREME_ROW: Rule = Rule {
    name: "extreme-row",
    summary: "the row whose key is the MIN or MAX of the key is the first row by it",
    why: "A key is there once, so the one row that holds its extreme is the first in the order by it.",
    source: "ESM+ 2024, table 1",
    needs: Needs::NOTHING,
    examples: examples! {
        "default": "SELECT name FROM customer WHERE id = (SELECT MAX(id) FROM customer)" == "SELECT name FROM customer ORDER BY id DESC LIMIT 1";
        "default": "SELECT name FROM customer WHERE score = (SELECT MIN(score) FROM customer)" != "SELECT name FROM customer ORDER BY score LIMIT 1";
    },
    apply: Apply::Rel(extreme_row),
};

/// The first row by `c`, with NULLs where SQLite has them unless told otherwise. The column holds none.
pub(in crate::normalize) fn first_by(input: Rel, c: ColumnId, func: &AggFunc) -> Rel {
    let (direction, nulls) = match func {
        AggFunc::Max => (Direction::Desc, NullsOrder::Last),
        _ => (Direction::Asc, NullsOrder::First),
    };
    Rel::sort(
        input,
        vec![SortKey { expr: Expr::Column(c), direction, nulls }],
        Some(Expr::Literal(Value::Integer(1))),
    )
}

/// The comparison has to be the only conjunct: `id = (SELECT MAX(id) …) AND city = 'a'` may keep no row,
/// while some row is the first of those with this city. And the column has to be a key: several rows may hold
/// the extreme of another one, of which LIMIT 1 keeps one.
fn extreme_row(rel: &mut Rel, cx: &mut Context<'_>) -> bool {
    let Rel::Filter { input, predicate } = rel else {
        return false;
    };
    let [Expr::Binary { op: BinaryOp::Eq, left, right }] = predicate.as_slice() else {
        return false;
    };
    let (c, q) = match (&**left, &**right) {
        (Expr::Column(c), Expr::Scalar(q)) | (Expr::Scalar(q), Expr::Column(c)) => (*c, q),
        _ => return false,
    };
    let Some(func) = whole_extreme(input, c, q) else {
        return false;
    };
    if !cx.dependencies(input).unique([c]) || !cx.not_null(input).contains(&c) {
        return false;
    }
    *rel = first_by(input.take(), c, &func);
    true
}

pub(super) const EXTREME_BARE: Rule = Rule {
    name: "bare-beside-extreme",
    summary: "an answer of one MIN or MAX and bare columns is the first row by it",
    why: "SQLite takes bare columns from the row that holds the extreme, which is the first in the order by it.",
    source: "https://sqlite.org/lang_select.html: bare columns beside MIN and MAX come from the row that holds it",
    needs: Needs::NO_EMPTY_TABLES,
    examples: examples! {
        "default": "SELECT name, MAX(id) FROM customer" == "SELECT name, id FROM customer ORDER BY id DESC LIMIT 1";
        "nulls": "SELECT name, MAX(id) FROM customer" != "SELECT name, id FROM customer ORDER BY id DESC LIMIT 1";
    },
    apply: Apply::Query(bare_extreme),
};

/// Exactly one MIN or MAX beside bare columns, over a whole table. Over no rows the aggregate would give a
/// row of NULLs and the first row none; and where the column may be NULL, NULLs come first in ascending order
/// while MIN leaves them out.
fn bare_extreme(query: &mut Query, role: Role, cx: &mut Context<'_>) -> bool {
    // Beside other operators it would count that MIN has no affinity and its column has.
    let rel = match role {
        Role::Root => &mut query.rel,
        _ => return false,
    };
    let Rel::Aggregate { input, keys, calls } = rel else {
        return false;
    };
    if !keys.is_empty() || calls.len() < 2 {
        return false;
    }
    let (bare, rest): (Vec<_>, Vec<_>) = calls.iter().partition(|(_, c)| c.func == AggFunc::Bare);
    let [(id, call)] = rest.as_slice() else {
        return false;
    };
    let [Expr::Column(c)] = call.args.as_slice() else {
        return false;
    };
    // Beside MAX(DISTINCT x) a bare column may come from another row.
    let plain = |c: &AggregateCall| c.filter.is_none() && !c.distinct && c.args.len() == 1;
    if !call.func.is_extreme()
        || !plain(call)
        || !bare.iter().all(|(_, b)| plain(b))
        || !matches!(**input, Rel::Scan { .. })
        || cx.semantics.empty_tables
        || !cx.not_null(input).contains(c)
    {
        return false;
    }
    let replaced: Vec<(ColumnId, Expr)> = bare
        .iter()
        .filter_map(|(id, b)| Some((*id, b.args.first()?.clone())))
        .chain([(*id, Expr::Column(*c))])
        .collect();
    let (c, func) = (*c, call.func.clone());
    *rel = first_by(input.take(), c, &func);
    for (id, e) in replaced {
        cx.replace(id, e);
    }
    true
}

/// MIN or MAX, if the subquery is that of column `c` of the whole table that `input` scans.
fn whole_extreme(input: &Rel, c: ColumnId, query: &Query) -> Option<AggFunc> {
    let Rel::Scan { table, columns } = input else {
        return None;
    };
    let own = ColumnRef { table: *table, column: position(columns, c)? };
    extreme_of(query).filter(|(_, of)| *of == own).map(|(func, _)| func)
}
