//! Normalisation: from a planned query to the canonical one.
//!
//! Rules ([`RULES`]) are applied to every node, inputs before the nodes that read them,
//! again and again until none changes anything; then everything that has no order gets a
//! canonical one, and columns get canonical ids. Two queries with equal canonical forms
//! return the same answer on every database that meets the [`Semantics`]; the reverse
//! need not hold.
//!
//! In the normal form, inner joins and filters are one n-ary join over inputs that are
//! neither, DISTINCT is a grouping without aggregates, projections stand at the top of a
//! (sub)query alone, and semi-joins that cannot multiply rows are joins.

mod canonical;
mod color;
pub(crate) mod context;
mod driver;
mod equalities;
pub mod example;
pub(crate) mod facts;
mod ids;
mod kinds;
mod numbers;
mod prelude;
mod pushdown;
mod regularities;
mod rule;
mod rules;
mod scan;
mod scan_names;
mod shorthand;
mod stopped;
mod twins;
mod unknown;
mod vacuous;

use std::collections::BTreeMap;

use context::Context;
use driver::Driver;
pub use regularities::ALL as REGULARITIES;
pub use rule::{Needs, Precedence, Rule};
pub use rules::{ALL as RULES, FAMILIES, Family, ORDER};
pub use stopped::{MAX_DEPTH, MAX_PASSES, MAX_SIZE, Stopped};

use crate::assumption::Assumption;
use crate::column_set::ColumnSet;
use crate::plan::Plan;
use crate::rel::ColumnId;
use crate::schema::Schema;
use crate::semantics::Semantics;
use crate::spans::Spans;
use crate::tree::Tree;

/// A normalised query.
#[derive(Debug, Clone, PartialEq)]
pub struct Canonical {
    /// The canonical tree; `plan.query` of equivalent queries compare equal, `plan.columns`
    /// may differ in names.
    pub plan: Plan,
    /// Names of the rules that changed something, in the order of their first use.
    pub applied: Vec<&'static str>,
    /// False where a limit ended the work ([`Canonical::stopped`] says which); the plan is
    /// right all the same, and a proof by equal plans holds, but unequal plans say less.
    pub complete: bool,
    /// Why the work ended early; `None` exactly where it is complete.
    pub stopped: Option<Stopped>,
    /// Assumptions of the semantics by which alone a part of the query would have no rows, or
    /// one value in all of them: `side IS NULL` where no column holds NULL. The plan is the
    /// canonical form *without* these assumptions, so that nothing is equal because both are
    /// empty. None for most queries.
    pub vacuous: Vec<Assumption>,
    /// The canonical form with these assumptions, where there are any: what they leave of the
    /// query.
    pub emptied: Option<Box<Plan>>,
}

impl Canonical {
    /// Whether a function of which nothing is known may aggregate or give rows where nothing reads it.
    pub(crate) fn has_unknown_rows(&self) -> bool {
        matches!(self.stopped, Some(Stopped::Unknown { .. }))
    }

    /// The regularities that changed something, in their order in [`REGULARITIES`].
    pub fn regularities(&self) -> impl Iterator<Item = &'static str> {
        REGULARITIES.iter().map(|rule| rule.name).filter(|name| self.applied.contains(name))
    }
}

/// Brings a plan into canonical form under the assumptions of `semantics`.
pub fn normalize(schema: &Schema, plan: Plan, semantics: &Semantics) -> Canonical {
    normalize_with(schema, plan, semantics, &|_| true)
}

/// [`normalize`], with the places of the canonical tree's parts ([`Spans`] says which are
/// kept).
pub fn normalize_with_spans(
    schema: &Schema,
    plan: Plan,
    spans: &Spans,
    semantics: &Semantics,
) -> (Canonical, Spans) {
    let rules: Vec<&Rule> = RULES.iter().collect();
    let (canonical, origins) = normalize_noting(schema, plan, semantics, &[&rules]);
    let spans = match origins {
        Some(origins) => spans.renumbered(origins),
        None => spans.clone(),
    };
    (canonical, spans)
}

/// [`normalize`] with only those rules for which `wanted` holds: to find out which rule
/// does what.
pub fn normalize_with(
    schema: &Schema,
    plan: Plan,
    semantics: &Semantics,
    wanted: &dyn Fn(&Rule) -> bool,
) -> Canonical {
    let rules: Vec<&Rule> = RULES.iter().filter(|r| wanted(r)).collect();
    normalize_noting(schema, plan, semantics, &[&rules]).0
}

/// [`normalize_with`], and then the [`REGULARITIES`] beside the rules, for queries that are asked about plausible
/// databases. Equal forms are no proof: what the regularities take for granted no schema says. What the rules alone make
/// alike they leave alike, but for the letters of a LIKE: those are taken as they are written.
pub fn normalize_plausible(
    schema: &Schema,
    plan: Plan,
    semantics: &Semantics,
    wanted: &dyn Fn(&Rule) -> bool,
) -> Canonical {
    let rules: Vec<&Rule> = RULES.iter().filter(|r| wanted(r)).collect();
    let all: Vec<&Rule> = rules.iter().copied().chain(REGULARITIES.iter().filter(|r| wanted(r))).collect();
    let first: Vec<&Rule> = regularities::AS_WRITTEN.iter().filter(|r| wanted(r)).collect();
    normalize_noting(schema, plan, semantics, &[&first, &rules, &all]).0
}

/// [`normalize`] with these rules alone, tried at a node in this order: to find out on which
/// orders a canonical form rests.
pub fn normalize_in_order(
    schema: &Schema,
    plan: Plan,
    semantics: &Semantics,
    rules: &[&'static Rule],
) -> Canonical {
    normalize_noting(schema, plan, semantics, &[rules]).0
}

/// The canonical form by these rules, tried in this order, one list after the other, and the plan's column that each of
/// its columns was; `None` where the plan is as it was.
fn normalize_noting(
    schema: &Schema,
    plan: Plan,
    semantics: &Semantics,
    stages: &[&[&'static Rule]],
) -> (Canonical, Option<Vec<ColumnId>>) {
    let run = vacuous::settled(semantics, &mut |weaker, without| {
        let holds = |rule: &&&'static Rule| rule.needs.hold_under(weaker) && !without.contains(&rule.name);
        let stages = stages.iter().map(|rules| rules.iter().filter(holds).copied().collect());
        normalize_once(schema, &plan, weaker, stages.collect())
    });
    (run.canonical, run.origins)
}

/// What came of one normalisation.
struct Run {
    canonical: Canonical,
    /// The plan's column that each canonical column was; `None` where the plan is as it was.
    origins: Option<Vec<ColumnId>>,
    /// How many parts were found to have no rows, or one value.
    vacated: usize,
}

/// One normalisation under exactly these assumptions, by rules that need no others: by one list of them until none
/// changes anything, then by the next.
fn normalize_once(
    schema: &Schema,
    original: &Plan,
    semantics: &Semantics,
    stages: Vec<Vec<&'static Rule>>,
) -> Run {
    let stopped = |why| Run {
        canonical: Canonical {
            plan: original.clone(),
            applied: Vec::new(),
            complete: false,
            stopped: Some(why),
            vacuous: Vec::new(),
            emptied: None,
        },
        origins: None,
        vacated: 0,
    };
    if original.query.rel.deeper_than(MAX_DEPTH) {
        return stopped(Stopped::TooDeep);
    }
    let nodes = original.query.rel.size();
    if nodes > MAX_SIZE {
        return stopped(Stopped::TooLarge { nodes });
    }
    let plan = original.clone();
    let mut driver = Driver::new(Context::new(schema, semantics, plan.columns));
    let mut query = plan.query;
    let mut seen = ColumnSet::new();
    if !driver.cx.freshen_query(&mut query, &mut seen) {
        return stopped(Stopped::RepeatedId);
    }
    driver.cx.replaced.clear();
    driver.cx.only_ordered_by = vacuous::only_ordered_by(&query);
    rules::semantic_prepass(&mut query, &mut driver.cx);
    let name = rules::NULL_ORDER.name;
    if stages.iter().flatten().any(|rule| rule.name == name) && rules::tests_as_places(&mut query) {
        driver.applied.push(name);
    }
    let mut complete = true;
    for rules in stages {
        driver.use_rules(rules);
        match driver.passes(&mut query) {
            Some(ended) => complete &= ended,
            None => return stopped(Stopped::Grew { rule: driver.last }),
        }
    }
    if let Some(function) = unknown::lost(&original.query, &query) {
        return stopped(Stopped::Unknown { function });
    }
    if driver.cx.pinned && !driver.applied.contains(&rules::PINNED_COLUMNS) {
        driver.applied.push(rules::PINNED_COLUMNS);
    }
    rules::prune_scans(&mut query);
    let (query, order, ordered) =
        canonical::canonical_form(query, &driver.cx.columns, driver.cx.schema, semantics.any_column_order);
    let vacated = driver.cx.vacated + vacuous::left_in(&query, &original.query);
    let columns = order.iter().filter_map(|old| old.info(&driver.cx.columns).cloned()).collect();
    let parents: BTreeMap<ColumnId, ColumnId> = driver.cx.parents.into_iter().collect();
    let written = |mut c: ColumnId| {
        // A column is made after the one it is like: the chain ends.
        while let Some(parent) = parents.get(&c) {
            c = *parent;
        }
        c
    };
    let origins = order.iter().map(|c| written(*c)).collect();
    let canonical = Canonical {
        plan: Plan { query, columns },
        applied: driver.applied,
        complete: complete && ordered,
        stopped: match (complete, ordered) {
            (false, _) => Some(Stopped::Passes { rule: driver.last }),
            (true, false) => Some(Stopped::LookAlikes),
            (true, true) => None,
        },
        vacuous: Vec::new(),
        emptied: None,
    };
    Run { canonical, origins: Some(origins), vacated }
}
