//! Self-joins on a column: `a.x = b.x` leaves open which of the two stands for both. All choices are tried,
//! and the least canonical form is taken.
//!
//! The rule of equality classes lets one column stand for all that are equal to it, keys first, then by the
//! names of table and column. In `customer a JOIN customer b ON a.city = b.city` both have the same place, and what is then
//! read of the join (`a.city`) depends on how the query was written. Exchanging the two above their equality
//! gives the other way to write it.

use crate::expr::Expr;
use crate::rel::{ColumnId, Columns, Query, Rel};
use crate::substitution::Substitution;

/// How many such pairs are tried in all combinations.
const MAX_PAIRS: usize = 4;

/// The query in all its choices, itself first.
pub(super) fn variants(query: &Query, columns: &Columns) -> Vec<Query> {
    let mut pairs = Vec::new();
    collect(&query.rel, columns, &mut pairs);
    pairs.truncate(MAX_PAIRS);
    let mut all = vec![query.clone()];
    for (a, b) in pairs {
        let map: Substitution = [(a, Expr::Column(b)), (b, Expr::Column(a))].into();
        let mut swapped = all.clone();
        for q in &mut swapped {
            swap_query(q, (a, b), &map);
        }
        all.extend(swapped);
    }
    all
}

/// The pairs of columns of one schema column that a block makes equal and produces, all blocks of the tree.
fn collect(rel: &Rel, columns: &Columns, into: &mut Vec<(ColumnId, ColumnId)>) {
    let origin = |c: ColumnId| c.info(columns)?.origin;
    if let Some(block) = rel.as_block() {
        let mut pairs = block.on.iter().filter_map(Expr::as_column_equality).peekable();
        if pairs.peek().is_some() {
            let made = rel.output_set();
            into.extend(pairs.filter(|(a, b)| {
                let one_column = origin(*a).is_some() && origin(*a) == origin(*b);
                a != b && made.contains(a) && made.contains(b) && one_column
            }));
        }
    }
    for query in rel.exprs().into_iter().flat_map(Expr::subqueries) {
        collect(&query.rel, columns, into);
    }
    for input in rel.inputs() {
        collect(input, columns, into);
    }
    for arm in rel.arms() {
        collect(&arm.rel, columns, into);
    }
}

/// Exchanges the two columns in a query; its outputs where the block that equates them is part of its
/// relation.
fn swap_query(query: &mut Query, at: (ColumnId, ColumnId), map: &Substitution) {
    if swap_rel(&mut query.rel, at, map) {
        query.substitute_outputs(map);
    }
}

/// Exchanges the two columns in the block that makes them equal and above it.
fn swap_rel(rel: &mut Rel, at: (ColumnId, ColumnId), map: &Substitution) -> bool {
    let mut here = rel.as_block().is_some_and(|block| {
        let mut pairs = block.on.iter().filter_map(Expr::as_column_equality);
        let found = pairs.any(|p| p == at || p == (at.1, at.0));
        found && rel.outputs().contains(&at.0) && rel.outputs().contains(&at.1)
    });
    for input in rel.inputs_mut() {
        here |= swap_rel(input, at, map);
    }
    for arm in rel.arms_mut() {
        swap_query(arm, at, map);
    }
    for e in rel.exprs_mut() {
        // Above the equality both columns are in scope and the same; elsewhere only subqueries can hold it.
        if here {
            e.substitute(map);
        } else {
            swap_expr(e, at, map);
        }
    }
    here
}

/// The same in the subqueries of an expression.
fn swap_expr(e: &mut Expr, at: (ColumnId, ColumnId), map: &Substitution) {
    e.map(|e| {
        if let Some(query) = e.subquery_mut() {
            swap_query(query, at, map);
        }
        false
    });
}
