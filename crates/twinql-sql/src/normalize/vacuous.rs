//! What is empty only because the semantics says so.
//!
//! Where no column holds NULL, `side IS NULL` has no rows, and any two queries that ask for
//! such rows would be equal. That says nothing of the queries. So what is found to have no
//! rows, or one value in all of them, has to be found so with nothing assumed (`1 = 0`);
//! where it is not, the query is normalised without the assumptions that emptied it.

use std::collections::BTreeMap;

use super::{Run, rules};
use crate::assumption::Assumption;
use crate::column_set::ColumnSet;
use crate::columns::Reads;
use crate::expr::{BinaryOp, Expr};
use crate::rel::{ColumnId, Query, Rel};
use crate::semantics::Semantics;
use crate::tree::{Node, Tree};

/// What may be left out of a semantics so that it empties no part of a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Part {
    /// What it belongs to.
    assumption: Assumption,
    /// The rule by which alone it is left out; all that rests on the assumption if there is none.
    rule: Option<&'static str>,
}

/// All that rests on an assumption.
const fn whole(assumption: Assumption) -> Part {
    Part { assumption, rule: None }
}

/// What one rule makes of an assumption.
const fn only(assumption: Assumption, rule: &'static str) -> Part {
    Part { assumption, rule: Some(rule) }
}

/// The order in which parts are taken back: those on which most proofs rest first, so that what a
/// later one alone empties is laid to its charge. Of types, only that numbers are whole empties
/// anything; that a group by a key is one row does so more often than the rest of what keys say.
const TAKEN_BACK: [Part; 6] = [
    whole(Assumption::NoNulls),
    only(Assumption::Typed, rules::INTEGER_BOUNDS),
    whole(Assumption::Keys),
    only(Assumption::Keys, rules::SINGLE_ROWS),
    whole(Assumption::NoEmptyTables),
    whole(Assumption::ForeignKeys),
];

/// A semantics less some parts.
struct Weaker {
    semantics: Semantics,
    without: Vec<&'static str>,
}

impl Weaker {
    fn new(semantics: &Semantics, left_out: &[Part]) -> Weaker {
        let assumptions = left_out.iter().filter(|p| p.rule.is_none());
        Weaker {
            semantics: assumptions.fold(semantics.clone(), |s, p| p.assumption.without(&s)),
            without: left_out.iter().filter_map(|p| p.rule).collect(),
        }
    }
}

/// The normalisation of a query under as much of `semantics` as empties no part of it; `run`
/// normalises under one semantics, without some rules.
pub(super) fn settled(semantics: &Semantics, run: &mut dyn FnMut(&Semantics, &[&'static str]) -> Run) -> Run {
    let first = run(semantics, &[]);
    if first.vacated == 0 {
        return first;
    }
    let made = |part: &Part| part.assumption.made_by(semantics);
    let mut left_out: Vec<Part> = TAKEN_BACK.into_iter().filter(made).collect();
    let mut under = |left_out: &[Part]| {
        let weaker = Weaker::new(semantics, left_out);
        run(&weaker.semantics, &weaker.without)
    };
    let mut best = under(&left_out);
    // What is empty on every database.
    let own = best.vacated;
    if own >= first.vacated {
        return first;
    }
    for part in TAKEN_BACK {
        let fewer: Vec<Part> = left_out.iter().copied().filter(|p| *p != part).collect();
        // The rest of an assumption comes back before the rule, which needs it.
        let needed = part.rule.is_some() && fewer.contains(&whole(part.assumption));
        if fewer.len() == left_out.len() || fewer.is_empty() || needed {
            continue;
        }
        let next = under(&fewer);
        if next.vacated <= own {
            best = next;
            left_out = fewer;
        }
    }
    let mut vacuous: Vec<Assumption> = left_out.iter().map(|p| p.assumption).collect();
    vacuous.sort_unstable();
    vacuous.dedup();
    best.canonical.vacuous = vacuous;
    best.canonical.emptied = Some(Box::new(first.canonical.plan));
    best
}

/// How many parts of a canonical form have one value that no rule takes out: `x <> x`, an
/// aggregate whose FILTER is never true, an answer that reads no table any more.
pub(super) fn left_in(form: &Query, original: &Query) -> usize {
    usize::from(!reads_tables(&form.rel) && reads_tables(&original.rel)) + constants(&form.rel)
}

/// Whether there is a table in it or in a subquery of it.
fn reads_tables(rel: &Rel) -> bool {
    rel.any_deep(|node| matches!(node, Node::Rel(Rel::Scan { .. })))
}

/// Conditions and differences that have one value by their form: `x <> x`, `x - x`, FILTER (WHERE 0).
fn constants(rel: &Rel) -> usize {
    let mut found = 0;
    rel.for_each_deep(|node| match node {
        Node::Rel(Rel::Aggregate { calls, .. }) => {
            let filters = calls.iter().filter_map(|(_, call)| call.filter.as_ref());
            found += filters.filter(|e| e.is_literal()).count();
        }
        Node::Expr(Expr::Binary {
            op: BinaryOp::NotEq | BinaryOp::Lt | BinaryOp::Gt | BinaryOp::Sub,
            left,
            right,
        }) => found += usize::from(left == right && !left.is_literal()),
        _ => {}
    });
    found
}

/// Columns that nothing but an ORDER BY without LIMIT reads: one value in all rows takes nothing
/// from the answer there.
pub(super) fn only_ordered_by(query: &Query) -> ColumnSet {
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

/// What reads each column, all of the tree.
fn count(rel: &Rel, into: &mut BTreeMap<ColumnId, Uses>) {
    let orders = matches!(rel, Rel::Sort { limit: None, offset: None, .. });
    for e in rel.exprs() {
        for c in e.reads() {
            let uses = into.entry(c).or_default();
            *(if orders { &mut uses.order } else { &mut uses.others }) = true;
        }
        for query in e.subqueries() {
            count(&query.rel, into);
        }
    }
    for input in rel.inputs() {
        count(input, into);
    }
    for arm in rel.arms() {
        for c in &arm.output {
            into.entry(*c).or_default().others = true;
        }
        count(&arm.rel, into);
    }
}
