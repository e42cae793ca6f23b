//! The order of the answer, where the gold asks for less of it than the prediction gives.

use crate::expr::Expr;
use crate::normalize::{Canonical, normalize};
use crate::plan::Plan;
use crate::rel::Rel;
use crate::schema::Schema;
use crate::semantics::Semantics;

/// How many numbers of sort keys are tried.
const MAX_TRIES: usize = 8;

/// The relation below the outermost projections.
fn below_projections(rel: &mut Rel) -> &mut Rel {
    match rel {
        Rel::Project { input, .. } => below_projections(input),
        other => other,
    }
}

/// The outermost ORDER BY without LIMIT, seen through projections.
fn outer_sort(rel: &mut Rel) -> Option<&mut Rel> {
    let top = below_projections(rel);
    matches!(top, Rel::Sort { limit: None, offset: None, .. }).then_some(top)
}

/// The number of sort keys that the answer's order has; `None` where a LIMIT stands above
/// them, since they then decide which rows there are.
fn keys(rel: &Rel) -> Option<usize> {
    match rel {
        Rel::Project { input, .. } => keys(input),
        Rel::Sort { limit: None, offset: None, keys, .. } => Some(keys.len()),
        Rel::Sort { .. } => None,
        _ => Some(0),
    }
}

/// The prediction's canonical form with fewer sort keys, if that is the gold's: an answer is compared in the
/// gold's order alone, and rows that tie there may stand in any order. The reverse is no rule: an order that the
/// gold asks for and the prediction lacks is a difference.
pub(super) fn relaxed(
    schema: &Schema,
    semantics: &Semantics,
    gold: &Canonical,
    pred: &Canonical,
    planned: &Plan,
) -> Option<Canonical> {
    if let Some(cut) = cut_in_no_order(schema, semantics, gold, planned) {
        return Some(cut);
    }
    let (wanted, given) = (keys(&gold.plan.query.rel)?, keys(&pred.plan.query.rel)?);
    if given <= wanted {
        return None;
    }
    // From the plan rather than from the canonical form: what only the dropped keys read
    // must go as well, and the canonical form has been numbered already. Some of the
    // plan's keys say nothing, so more of them than the gold has may have to stay.
    let all = keys(&planned.query.rel)?;
    (wanted..all).take(MAX_TRIES).find_map(|n| {
        let mut plan = planned.clone();
        keep_keys(outer_sort(&mut plan.query.rel)?, n);
        let form = normalize(schema, plan, semantics);
        (form.plan.query == gold.plan.query).then_some(form)
    })
}

/// The prediction's form in no order, if that is the gold's: the first rows by some keys, which the gold has from a derived
/// table and the prediction in an order of its own.
fn cut_in_no_order(
    schema: &Schema,
    semantics: &Semantics,
    gold: &Canonical,
    planned: &Plan,
) -> Option<Canonical> {
    let mut top = &gold.plan.query.rel;
    while let Rel::Project { input, .. } = top {
        top = input;
    }
    if !matches!(top, Rel::Sort { limit: Some(_), offset, .. } if *offset == Some(Expr::integer(0))) {
        return None;
    }
    let mut plan = planned.clone();
    match below_projections(&mut plan.query.rel) {
        Rel::Sort { limit: Some(_), offset: offset @ None, .. } => *offset = Some(Expr::integer(0)),
        _ => return None,
    }
    let form = normalize(schema, plan, semantics);
    (form.plan.query == gold.plan.query).then_some(form)
}

/// Leaves the first `n` sort keys; without any, no sort.
fn keep_keys(sort: &mut Rel, n: usize) {
    if let Rel::Sort { input, keys, .. } = sort {
        keys.truncate(n);
        if n == 0 {
            *sort = input.take();
        }
    }
}
