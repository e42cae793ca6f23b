//! Where only the first row counts, and comparisons with the extreme of a whole table.

use super::aggregates::determined_bare;
use crate::normalize::prelude::*;

pub(super) const SCALAR_FIRST_ROW: Rule = Rule {
    name: "scalar-first-row",
    summary: "a subquery as a value that may have several rows has LIMIT 1, whatever limit is written",
    why: "The value of a subquery is that of its first row, which any larger limit keeps.",
    source: "https://sqlite.org/lang_expr.html: the value of a subquery is its first row",
    needs: Needs::NOTHING,
    examples: examples! {
        "strict": "SELECT name FROM customer WHERE age > (SELECT total FROM orders ORDER BY day LIMIT 4)"
            == "SELECT name FROM customer WHERE age > (SELECT total FROM orders ORDER BY day)";
        "default": "SELECT name FROM customer WHERE age > (SELECT total FROM orders ORDER BY day LIMIT 4 OFFSET 1)"
            != "SELECT name FROM customer WHERE age > (SELECT total FROM orders ORDER BY day)";
        "default": "SELECT name FROM customer WHERE age IN (SELECT total FROM orders ORDER BY day LIMIT 4)"
            != "SELECT name FROM customer WHERE age IN (SELECT total FROM orders ORDER BY day LIMIT 1)";
    },
    apply: Apply::Query(scalar_first_row),
};

/// A limit is put where there is none and more than one row may come: the planner leaves it unsaid, and LIMIT
/// 1 is then one form for both. LIMIT 0 stays, as it makes the value NULL.
fn scalar_first_row(query: &mut Query, role: Role, cx: &mut Context<'_>) -> Changed {
    if role != Role::Scalar {
        return None;
    }
    if let Rel::Sort { limit: Some(n), .. } = &mut query.rel {
        // A negative limit is none, so it is a larger one as well.
        let more = n.as_integer().filter(|n| !matches!(n, 0 | 1));
        return put(n, more.map(|_| Expr::integer(1)));
    }
    if cx.at_most_one_row(&query.rel) {
        return None;
    }
    match &mut query.rel {
        Rel::Sort { limit, offset: None, .. } => *limit = Some(Expr::integer(1)),
        // An offset without a limit is not SQLite's, and is left as it is.
        Rel::Sort { .. } => return None,
        rel => *rel = Rel::sort(rel.take(), Vec::new(), Some(Expr::integer(1))),
    }
    Some(())
}

pub(super) const FIRST_OF_DISTINCT: Rule = Rule {
    name: "first-of-distinct",
    summary: "DISTINCT and GROUP BY without aggregates do nothing below LIMIT 1",
    why: "Removing later duplicates does not change which row comes first.",
    source: "the first of the rows by an order of their columns is the first of the different ones",
    needs: Needs::NOTHING,
    examples: examples! {
        "strict": "SELECT DISTINCT age, city FROM customer ORDER BY age DESC LIMIT 1" == "SELECT age, city FROM customer ORDER BY age DESC LIMIT 1";
        "default": "SELECT DISTINCT age, city FROM customer ORDER BY age DESC LIMIT 2" != "SELECT age, city FROM customer ORDER BY age DESC LIMIT 2";
        "default": "SELECT DISTINCT age, city FROM customer ORDER BY age DESC LIMIT 1 OFFSET 1"
            != "SELECT age, city FROM customer ORDER BY age DESC LIMIT 1 OFFSET 1";
        "default": "SELECT name FROM customer GROUP BY city ORDER BY age LIMIT 1" != "SELECT name FROM customer ORDER BY age LIMIT 1";
    },
    apply: Apply::RelOf(rels::SORT, first_of_distinct),
};

/// Without OFFSET: to skip one row is not to skip all its duplicates. Keys that are drawn anew each time are
/// left alone.
fn first_of_distinct(rel: &mut Rel, cx: &mut Context<'_>) -> Changed {
    let (input, _) = rel.as_first_row_mut()?;
    let (below, keys, calls) = input.as_aggregate_mut()?;
    if keys.is_empty() || !keys.iter().all(|(_, e)| e.is_deterministic()) {
        return None;
    }
    // A bare column that the keys determine is as good as one.
    if !calls.is_empty() {
        let known = cx.dependencies(below).closure(bare(keys));
        if !calls.iter().all(|(_, call)| determined_bare(call, &known)) {
            return None;
        }
    }
    keys.extend(
        std::mem::take(calls).into_iter().filter_map(|(c, call)| Some((c, call.args.into_iter().next()?))),
    );
    *input = Rel::project(below.take(), std::mem::take(keys));
    Some(())
}

pub(super) const BEYOND_EXTREME: Rule = Rule {
    name: "beyond-extreme",
    summary: "x <= MIN(x) over the whole table is x = MIN(x), and x <> MIN(x) is x > MIN(x); so for MAX",
    why: "No value lies beyond the extreme of its own column, so at most is equal and different is strictly inside.",
    source: "no value of a column is below its minimum",
    needs: Needs::NOTHING,
    examples: examples! {
        "nulls": "SELECT name, city FROM customer WHERE age <= (SELECT MIN(age) FROM customer)"
            == "SELECT name, city FROM customer WHERE age = (SELECT MIN(age) FROM customer)";
        "nulls": "SELECT name, city FROM customer WHERE age <> (SELECT MAX(age) FROM customer)"
            == "SELECT name, city FROM customer WHERE age < (SELECT MAX(age) FROM customer)";
        "default": "SELECT name, city FROM customer WHERE age <= (SELECT MIN(age) FROM customer WHERE city = 'a')"
            != "SELECT name, city FROM customer WHERE age = (SELECT MIN(age) FROM customer WHERE city = 'a')";
        "default": "SELECT name, city FROM customer WHERE id <= (SELECT MIN(age) FROM customer)"
            != "SELECT name, city FROM customer WHERE id = (SELECT MIN(age) FROM customer)";
    },
    apply: Apply::ExprOf(exprs::BINARY, beyond_extreme),
};

/// The column has to be the very column of which the subquery takes the extreme over the whole table: with a
/// WHERE inside, or another column outside, values beyond it exist. A comparison with the subquery on the
/// left is turned first; the result is written with = and < alone, as `comparison-orientation` has it.
fn beyond_extreme(e: &mut Expr, cx: &mut Context<'_>) -> Changed {
    let (x, op, query) = e.readings().find_map(|(x, op, q)| Some((x.as_column()?, op, q.as_scalar()?)))?;
    let (func, _) = extreme_of(query).filter(|(_, of)| cx.origin(x) == Some(*of))?;
    // `x < MIN(x)` and `x >= MIN(x)` are left: never true, and true of all but NULL.
    let (new, scalar_first) = match (func, op) {
        (AggFunc::Min, BinaryOp::LtEq) | (AggFunc::Max, BinaryOp::GtEq) => (BinaryOp::Eq, false),
        (AggFunc::Min, BinaryOp::NotEq) => (BinaryOp::Lt, true),
        (AggFunc::Max, BinaryOp::NotEq) => (BinaryOp::Lt, false),
        _ => return None,
    };
    let (x, query) = (Expr::Column(x), Expr::Scalar(Box::new(query.clone())));
    let (one, two) = if scalar_first { (query, x) } else { (x, query) };
    *e = Expr::binary(new, one, two);
    Some(())
}

/// MIN or MAX of a column over all rows of its table, if the subquery is that.
pub(super) fn extreme_of(query: &Query) -> Option<(AggFunc, ColumnRef)> {
    let (input, _, call) = sole_aggregate(query)?;
    let (table, columns) = input.as_scan()?;
    let column = position(columns, call.as_extreme()?)?;
    Some((call.func.clone(), ColumnRef { table: *table, column }))
}
