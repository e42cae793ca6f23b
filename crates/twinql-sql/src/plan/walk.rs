//! Walking over expressions and the queries inside them.

use crate::expr::{AggregateCall, Expr, WindowCall};
use crate::rel::{ColumnId, Rel, SortKey};

/// Calls `f` on an expression and, unless it answers true ("done"), on all expressions
/// inside it, those of subqueries included.
pub(crate) fn rewrite(expr: &mut Expr, f: &mut dyn FnMut(&mut Expr) -> bool) {
    if f(expr) {
        return;
    }
    match expr {
        Expr::Column(_) | Expr::Literal(_) => {}
        Expr::Unary { expr, .. } | Expr::Cast { expr, .. } | Expr::Collate { expr, .. } => {
            rewrite(expr, f);
        }
        Expr::Binary { left, right, .. } => {
            rewrite(left, f);
            rewrite(right, f);
        }
        Expr::And(list) | Expr::Or(list) | Expr::Row(list) | Expr::Function { args: list, .. } => {
            rewrite_all(list, f);
        }
        Expr::Case {
            operand,
            branches,
            otherwise,
        } => {
            if let Some(operand) = operand {
                rewrite(operand, f);
            }
            for (when, then) in branches {
                rewrite(when, f);
                rewrite(then, f);
            }
            if let Some(otherwise) = otherwise {
                rewrite(otherwise, f);
            }
        }
        Expr::InList { expr, list } => {
            rewrite(expr, f);
            rewrite_all(list, f);
        }
        Expr::InSubquery { exprs, query } => {
            rewrite_all(exprs, f);
            rewrite_rel(&mut query.rel, f);
        }
        Expr::Exists(query) | Expr::Scalar(query) => rewrite_rel(&mut query.rel, f),
        Expr::Quantified { expr, query, .. } => {
            rewrite(expr, f);
            rewrite_rel(&mut query.rel, f);
        }
    }
}

fn rewrite_all<'e>(exprs: impl IntoIterator<Item = &'e mut Expr>, f: &mut dyn FnMut(&mut Expr) -> bool) {
    for expr in exprs {
        rewrite(expr, f);
    }
}

fn rewrite_keys(keys: &mut [SortKey], f: &mut dyn FnMut(&mut Expr) -> bool) {
    rewrite_all(keys.iter_mut().map(|k| &mut k.expr), f);
}

/// [`rewrite`] for the expressions of a window call.
pub(crate) fn rewrite_window(call: &mut WindowCall, f: &mut dyn FnMut(&mut Expr) -> bool) {
    rewrite_all(&mut call.args, f);
    rewrite_all(&mut call.filter, f);
    rewrite_all(&mut call.partition_by, f);
    rewrite_keys(&mut call.order_by, f);
}

fn rewrite_aggregate(call: &mut AggregateCall, f: &mut dyn FnMut(&mut Expr) -> bool) {
    rewrite_all(&mut call.args, f);
    rewrite_all(&mut call.filter, f);
}

/// [`rewrite`] for all expressions of a relation.
pub(crate) fn rewrite_rel(rel: &mut Rel, f: &mut dyn FnMut(&mut Expr) -> bool) {
    match rel {
        Rel::Scan { .. } | Rel::RecursiveRef { .. } => {}
        Rel::Values { rows, .. } => rewrite_all(rows.iter_mut().flatten(), f),
        Rel::TableFunction { args, .. } => rewrite_all(args, f),
        Rel::Recursive { seed, step, .. } => {
            rewrite_rel(&mut seed.rel, f);
            rewrite_rel(&mut step.rel, f);
        }
        Rel::Filter { input, predicate } => {
            rewrite_rel(input, f);
            rewrite_all(predicate, f);
        }
        Rel::Project { input, exprs } => {
            rewrite_rel(input, f);
            rewrite_all(exprs.iter_mut().map(|(_, e)| e), f);
        }
        Rel::Join { inputs, on } => {
            for input in inputs {
                rewrite_rel(input, f);
            }
            rewrite_all(on, f);
        }
        Rel::OuterJoin { left, right, on, .. } => {
            rewrite_rel(left, f);
            rewrite_rel(right, f);
            rewrite_all(on, f);
        }
        Rel::Aggregate { input, keys, calls } => {
            rewrite_rel(input, f);
            rewrite_all(keys.iter_mut().map(|(_, e)| e), f);
            for (_, call) in calls {
                rewrite_aggregate(call, f);
            }
        }
        Rel::Distinct { input } => rewrite_rel(input, f),
        Rel::Sort {
            input,
            keys,
            limit,
            offset,
        } => {
            rewrite_rel(input, f);
            rewrite_keys(keys, f);
            rewrite_all(limit, f);
            rewrite_all(offset, f);
        }
        Rel::SetOp { left, right, .. } => {
            rewrite_rel(&mut left.rel, f);
            rewrite_rel(&mut right.rel, f);
        }
        Rel::Window { input, calls } => {
            rewrite_rel(input, f);
            for (_, call) in calls {
                rewrite_window(call, f);
            }
        }
    }
}

/// All columns that an expression names, subqueries included, in order of appearance.
pub(crate) fn columns_of(expr: &Expr) -> Vec<ColumnId> {
    let mut found = Vec::new();
    // The walk changes nothing; one mutable walker serves both uses.
    rewrite(&mut expr.clone(), &mut |e| {
        if let Expr::Column(id) = e {
            found.push(*id);
        }
        false
    });
    found
}

/// Whether an expression holds a subquery.
pub(crate) fn has_subquery(expr: &Expr) -> bool {
    let mut found = false;
    rewrite(&mut expr.clone(), &mut |e| {
        found |= matches!(
            e,
            Expr::Exists(_) | Expr::Scalar(_) | Expr::InSubquery { .. } | Expr::Quantified { .. }
        );
        found
    });
    found
}
