//! Self-joins on a column: `a.x = b.x` leaves open which of the two stands for both. All
//! choices are tried, and the least canonical form is taken.

use std::collections::BTreeSet;

use crate::expr::{BinaryOp, Expr};
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

fn block_conjuncts(rel: &Rel) -> &[Expr] {
    match rel {
        Rel::Filter { predicate, .. } => predicate,
        Rel::Join { on, .. } => on,
        _ => &[],
    }
}

fn pair(e: &Expr) -> Option<(ColumnId, ColumnId)> {
    match e {
        Expr::Binary {
            op: BinaryOp::Eq,
            left,
            right,
        } => match (&**left, &**right) {
            (Expr::Column(a), Expr::Column(b)) => Some((*a, *b)),
            _ => None,
        },
        _ => None,
    }
}

fn collect(rel: &Rel, columns: &Columns, into: &mut Vec<(ColumnId, ColumnId)>) {
    let origin = |c: ColumnId| columns.get(c.0 as usize).and_then(|i| i.origin);
    let candidates: Vec<(ColumnId, ColumnId)> = block_conjuncts(rel).iter().filter_map(pair).collect();
    if !candidates.is_empty() {
        let made: BTreeSet<ColumnId> = rel.output_set();
        into.extend(candidates.into_iter().filter(|(a, b)| {
            a != b && made.contains(a) && made.contains(b) && origin(*a).is_some() && origin(*a) == origin(*b)
        }));
    }
    for e in rel.exprs() {
        collect_expr(e, columns, into);
    }
    for input in rel.inputs() {
        collect(input, columns, into);
    }
    for arm in rel.arms() {
        collect(&arm.rel, columns, into);
    }
}

fn collect_expr(e: &Expr, columns: &Columns, into: &mut Vec<(ColumnId, ColumnId)>) {
    for operand in e.operands() {
        collect_expr(operand, columns, into);
    }
    if let Some(query) = e.subquery() {
        collect(&query.rel, columns, into);
    }
}

fn swap_query(query: &mut Query, at: (ColumnId, ColumnId), map: &Substitution) {
    if swap_rel(&mut query.rel, at, map) {
        for c in &mut query.output {
            if let Some(Expr::Column(other)) = map.get(c) {
                *c = *other;
            }
        }
    }
}

/// Exchanges the two columns in the block that makes them equal and above it.
fn swap_rel(rel: &mut Rel, at: (ColumnId, ColumnId), map: &Substitution) -> bool {
    let mut here = block_conjuncts(rel).iter().filter_map(pair).any(|p| {
        let found = p == at || p == (at.1, at.0);
        found && rel.outputs().contains(&at.0) && rel.outputs().contains(&at.1)
    });
    for input in rel.inputs_mut() {
        here |= swap_rel(input, at, map);
    }
    for arm in rel.arms_mut() {
        swap_query(arm, at, map);
    }
    for e in rel.exprs_mut() {
        if here {
            e.substitute(map);
        } else {
            swap_expr(e, at, map);
        }
    }
    here
}

fn swap_expr(e: &mut Expr, at: (ColumnId, ColumnId), map: &Substitution) {
    for operand in e.operands_mut() {
        swap_expr(operand, at, map);
    }
    if let Some(query) = e.subquery_mut() {
        swap_query(query, at, map);
    }
}
