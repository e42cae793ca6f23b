//! Rows that hold an extreme, as the first row by an order, and first rows below joins.

use super::first_rows::extreme_of;
use crate::column_set::ColumnSet;
use crate::normalize::prelude::*;

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
    apply: Apply::RelOf(rels::SORT, limit_below_join),
};

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
fn limit_below_join(rel: &mut Rel, cx: &mut Context<'_>) -> Changed {
    let (input, keys) = rel.as_first_row_mut()?;
    let (inputs, on) = input.as_join()?;
    if keys.is_empty() || !on.iter().all(Expr::is_deterministic) {
        return None;
    }
    let ordered: ColumnSet = keys.iter().flat_map(|k| k.expr.free_columns()).collect();
    let made: ColumnSet = inputs.iter().flat_map(Rel::outputs).collect();
    let classes = cx.equal_columns(on);
    let (at, link, others) = inputs.iter().enumerate().find_map(|(at, partner)| {
        let (table, columns) = partner.as_scan()?;
        let own = partner.output_set();
        let (mut others, linking): (Vec<Expr>, Vec<Expr>) =
            on.iter().cloned().partition(|e| e.free_columns().is_disjoint(&own));
        if !own.is_disjoint(&ordered) || linking.iter().any(|e| cx.column_equality(e).is_none()) {
            return None;
        }
        // Two classes would be two conditions on the partner, of which the second may fail.
        let mut linked = classes.iter().filter(|c| c.iter().any(|x| own.contains(x)));
        let (Some(class), None) = (linked.next(), linked.next()) else {
            return None;
        };
        let (mine, theirs): (Vec<ColumnId>, Vec<ColumnId>) =
            class.iter().copied().partition(|c| own.contains(c));
        let ([key], [first, rest @ ..]) = (mine.as_slice(), theirs.as_slice()) else {
            return None;
        };
        let key_column = ColumnRef { table: *table, column: position(columns, *key)? };
        let equal = |a: ColumnId, b: ColumnId| Expr::Column(a).eq(Expr::Column(b));
        others.extend(rest.iter().map(|c| equal(*first, *c)));
        let one_partner = theirs.iter().all(|c| made.contains(c))
            && cx.is_key(key_column)
            && theirs.iter().any(|c| cx.refers_to_key(*c, key_column, at, inputs));
        one_partner.then(|| (at, equal(*key, *first), others))
    })?;
    let mut below = inputs.clone();
    let partner = below.remove(at);
    let sorted = Rel::sort(Rel::join(below, others), std::mem::take(keys), Some(Expr::integer(1)));
    *rel = Rel::join(vec![partner, sorted], vec![link]);
    Some(())
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
    apply: Apply::RelOf(rels::FILTER, extreme_row),
};

/// The first row by `c`, with NULLs where SQLite has them unless told otherwise. The column holds none.
pub(in crate::normalize) fn first_by(input: Rel, c: ColumnId, func: &AggFunc) -> Rel {
    let (direction, nulls) = match func {
        AggFunc::Max => (Direction::Desc, NullsOrder::Last),
        _ => (Direction::Asc, NullsOrder::First),
    };
    Rel::sort(input, vec![SortKey { expr: Expr::Column(c), direction, nulls }], Some(Expr::integer(1)))
}

/// The comparison has to be the only conjunct: `id = (SELECT MAX(id) …) AND city = 'a'` may keep no row,
/// while some row is the first of those with this city. And the column has to be a key: several rows may hold
/// the extreme of another one, of which LIMIT 1 keeps one.
fn extreme_row(rel: &mut Rel, cx: &mut Context<'_>) -> Changed {
    let (input, predicate) = rel.as_filter_mut()?;
    let equality = predicate.first().filter(|e| predicate.len() == 1 && e.as_equality().is_some())?;
    let (c, query) = equality.readings().find_map(|(x, _, q)| Some((x.as_column()?, q.as_scalar()?)))?;
    let (table, columns) = input.as_scan()?;
    let own = ColumnRef { table: *table, column: position(columns, c)? };
    let (func, _) = extreme_of(query).filter(|(_, of)| *of == own)?;
    if !cx.dependencies(input).unique([c]) || !cx.not_null(input).contains(&c) {
        return None;
    }
    *rel = first_by(input.take(), c, &func);
    Some(())
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
    apply: Apply::Root(bare_extreme),
};

/// Over a whole table. Over no rows the aggregate would give a row of NULLs and the first row none; and where the column
/// may be NULL, NULLs come first in ascending order while MIN leaves them out. Only for the answer: beside other
/// operators it would count that MIN has no affinity and its column has.
fn bare_extreme(query: &mut Query, cx: &mut Context<'_>) -> Changed {
    first_row_of(query, true, cx, |input, c, cx| {
        input.as_scan().is_some() && !cx.semantics.empty_tables && cx.not_null(input).contains(&c)
    })
}

/// Makes an answer of exactly one MIN or MAX, with bare columns beside it or without, the first row by its column;
/// `fits` has a say in of which input and column.
pub(in crate::normalize) fn first_row_of(
    query: &mut Query,
    beside_bare: bool,
    cx: &mut Context<'_>,
    fits: impl FnOnce(&Rel, ColumnId, &Context<'_>) -> bool,
) -> Changed {
    let (input, keys, calls) = query.rel.as_aggregate_mut()?;
    let (bare, rest): (Vec<_>, Vec<_>) = calls.iter().partition(|(_, call)| call.func == AggFunc::Bare);
    let ([(id, call)], true) = (rest.as_slice(), keys.is_empty() && bare.is_empty() != beside_bare) else {
        return None;
    };
    let c = call.as_extreme()?;
    // Beside MAX(DISTINCT x) a bare column may come from another row.
    let plain = |call: &AggregateCall| call.filter.is_none() && !call.distinct && call.args.len() == 1;
    if beside_bare && !calls.iter().all(|(_, call)| plain(call)) || !fits(input, c, cx) {
        return None;
    }
    let read = bare.iter().filter_map(|(id, call)| Some((*id, call.argument()?.clone())));
    let replaced: Vec<(ColumnId, Expr)> = read.chain([(*id, Expr::Column(c))]).collect();
    let func = call.func.clone();
    query.rel = first_by(input.take(), c, &func);
    cx.replace_all(replaced);
    Some(())
}
