//! What is empty only because the semantics says so.
//!
//! Where no column holds NULL, `side IS NULL` has no rows, and any two queries that ask for
//! such rows would be equal. That says nothing of the queries. So what is found to have no
//! rows, or one value in all of them, has to be found so with nothing assumed (`1 = 0`);
//! where it is not, the query is normalised without the assumptions that emptied it.

use std::collections::{BTreeMap, BTreeSet};

use super::{Run, walk};
use crate::assumption::Assumption;
use crate::expr::{BinaryOp, Expr};
use crate::rel::{ColumnId, Query, Rel};
use crate::semantics::Semantics;

/// The order in which assumptions are taken back: those on which most proofs rest first, so
/// that what a later one alone empties is laid to its charge.
const TAKEN_BACK: [Assumption; 5] = [
    Assumption::NoNulls,
    Assumption::Typed,
    Assumption::Keys,
    Assumption::NoEmptyTables,
    Assumption::ForeignKeys,
];

/// The normalisation of a query under as many assumptions of `semantics` as empty no part of
/// it; `run` normalises under one semantics.
pub(super) fn settled(semantics: &Semantics, run: &mut dyn FnMut(&Semantics) -> Run) -> Run {
    let first = run(semantics);
    if first.vacated == 0 {
        return first;
    }
    let without = |list: &[Assumption]| list.iter().fold(semantics.clone(), |s, a| a.without(&s));
    let mut left_out: Vec<Assumption> = TAKEN_BACK.into_iter().filter(|a| a.made_by(semantics)).collect();
    let mut best = run(&without(&left_out));
    // What is empty on every database.
    let own = best.vacated;
    if own >= first.vacated {
        return first;
    }
    for assumption in TAKEN_BACK {
        let fewer: Vec<Assumption> = left_out.iter().copied().filter(|a| *a != assumption).collect();
        if fewer.len() == left_out.len() || fewer.is_empty() {
            continue;
        }
        let next = run(&without(&fewer));
        if next.vacated <= own {
            best = next;
            left_out = fewer;
        }
    }
    left_out.sort_unstable();
    best.canonical.vacuous = left_out;
    best
}

/// How many parts of a canonical form have one value that no rule takes out: `x <> x`, an
/// aggregate whose FILTER is never true, an answer that reads no table any more.
pub(super) fn left_in(form: &Query, original: &Query) -> usize {
    usize::from(!reads_tables(&form.rel) && reads_tables(&original.rel)) + constants(&form.rel)
}

fn reads_tables(rel: &Rel) -> bool {
    matches!(rel, Rel::Scan { .. })
        || walk::inputs(rel).into_iter().any(reads_tables)
        || walk::arms(rel).into_iter().any(|q| reads_tables(&q.rel))
        || walk::own_exprs(rel).into_iter().any(|e| {
            walk::any_expr(e, &mut |e| {
                walk::subquery(e).is_some_and(|q| reads_tables(&q.rel))
            })
        })
}

fn constants(rel: &Rel) -> usize {
    let below: usize = walk::inputs(rel).into_iter().map(constants).sum();
    let arms: usize = walk::arms(rel).into_iter().map(|q| constants(&q.rel)).sum();
    let own: usize = walk::own_exprs(rel).into_iter().map(constants_in).sum();
    let filters = match rel {
        Rel::Aggregate { calls, .. } => calls
            .iter()
            .filter(|(_, call)| matches!(call.filter, Some(Expr::Literal(_))))
            .count(),
        _ => 0,
    };
    below + arms + own + filters
}

fn constants_in(e: &Expr) -> usize {
    let here = match e {
        Expr::Binary {
            op: BinaryOp::NotEq | BinaryOp::Lt | BinaryOp::Gt | BinaryOp::Sub,
            left,
            right,
        } => usize::from(left == right && !matches!(**left, Expr::Literal(_))),
        _ => 0,
    };
    let operands: usize = walk::operands(e).into_iter().map(constants_in).sum();
    here + operands + walk::subquery(e).map_or(0, |q| constants(&q.rel))
}

/// Columns that nothing but an ORDER BY without LIMIT reads: one value in all rows takes nothing
/// from the answer there.
pub(super) fn only_ordered_by(query: &Query) -> BTreeSet<ColumnId> {
    let mut uses = BTreeMap::new();
    count(&query.rel, &mut uses);
    for c in &query.output {
        uses.entry(*c).or_insert_with(Uses::default).others = true;
    }
    let ordering = uses.into_iter().filter(|(_, uses)| uses.order && !uses.others);
    ordering.map(|(c, _)| c).collect()
}

/// What reads a column.
#[derive(Default)]
struct Uses {
    order: bool,
    others: bool,
}

fn count(rel: &Rel, into: &mut BTreeMap<ColumnId, Uses>) {
    let orders = matches!(
        rel,
        Rel::Sort {
            limit: None,
            offset: None,
            ..
        }
    );
    for e in walk::own_exprs(rel) {
        let mut read = BTreeSet::new();
        walk::expr_columns(e, &mut read);
        for c in read {
            let uses = into.entry(c).or_default();
            *(if orders { &mut uses.order } else { &mut uses.others }) = true;
        }
        walk::any_expr(e, &mut |e| {
            if let Some(query) = walk::subquery(e) {
                count(&query.rel, into);
            }
            false
        });
    }
    for input in walk::inputs(rel) {
        count(input, into);
    }
    for arm in walk::arms(rel) {
        for c in &arm.output {
            into.entry(*c).or_default().others = true;
        }
        count(&arm.rel, into);
    }
}
