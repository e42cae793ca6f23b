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
mod equalities;
pub mod example;
pub(crate) mod facts;
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
mod vacuous;

use std::collections::{BTreeMap, BTreeSet};

use context::{Context, Role};
pub use regularities::ALL as REGULARITIES;
use rule::{Apply, Changed};
pub use rule::{Needs, Precedence, Rule};
pub use rules::{ALL as RULES, ORDER};
pub use stopped::Stopped;

use crate::assumption::Assumption;
use crate::expr::Expr;
use crate::plan::Plan;
use crate::rel::{ColumnId, JoinKind, Query, Rel};
use crate::schema::Schema;
use crate::semantics::Semantics;
use crate::spans::Spans;
use crate::tree::Tree;
use crate::value::Value;

/// How often the whole tree is passed over, at most.
pub const MAX_PASSES: usize = 24;

/// How often rules may change one node in one pass, at most.
const MAX_CHANGES: usize = 64;

/// Trees nested deeper than this are left as they are.
pub const MAX_DEPTH: usize = 160;

/// Trees with more nodes than this are left as they are, and rules stop where a tree
/// grows beyond it.
pub const MAX_SIZE: usize = 20_000;

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
    let mut driver = Driver {
        cx: Context::new(schema, semantics, plan.columns),
        rules: Vec::new(),
        applied: Vec::new(),
        last: "none",
        keep_bare: false,
    };
    let mut query = plan.query;
    let mut seen = BTreeSet::new();
    if !driver.freshen_query(&mut query, &mut seen) {
        return stopped(Stopped::RepeatedId);
    }
    driver.cx.replaced.clear();
    driver.cx.only_ordered_by = vacuous::only_ordered_by(&query);
    rules::semantic_prepass(&mut query, &mut driver.cx);
    let mut complete = true;
    for rules in stages {
        driver.rules = rules;
        match driver.passes(&mut query) {
            Some(ended) => complete &= ended,
            None => return stopped(Stopped::Grew { rule: driver.last }),
        }
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

/// What applies the rules: they and their order, and what is noted of those that changed something.
struct Driver<'a> {
    cx: Context<'a>,
    rules: Vec<&'static Rule>,
    applied: Vec<&'static str>,
    /// The rule that changed something last.
    last: &'static str,
    /// The relation to be visited next is filled up with NULLs by the join that reads it.
    keep_bare: bool,
}

/// A side of an outer join that is filled up with NULLs.
struct FilledUp {
    /// What it produced before it was visited.
    visible: BTreeSet<ColumnId>,
    /// What was replaced in the visit; before it, what was replaced already.
    entered: BTreeSet<ColumnId>,
}

impl Driver<'_> {
    /// Passes over the whole tree until nothing changes: whether that came to an end, and nothing where the tree grew
    /// beyond the limits.
    fn passes(&mut self, query: &mut Query) -> Option<bool> {
        for _ in 0..MAX_PASSES {
            self.cx.dirty = false;
            self.visit_query(query, Role::Root);
            self.cx.replaced.clear();
            self.separate(&mut query.rel, &mut BTreeSet::new());
            if !self.cx.dirty {
                return Some(true);
            }
            if query.rel.size() > MAX_SIZE || query.rel.deeper_than(2 * MAX_DEPTH) {
                return None;
            }
        }
        Some(false)
    }

    /// Tries the rules at one node in their order, and all of them again as long as one changed
    /// something: what a later rule leaves may be what an earlier one waits for. `apply` says
    /// whether a rule, if it is one for such nodes, changed this one. A pair of rules that undo
    /// each other ends at [`MAX_CHANGES`], and the form is then told to be incomplete by the
    /// passes, which find no end either.
    fn until_fixed(&mut self, mut apply: impl FnMut(&mut Self, Apply) -> Changed) {
        for _ in 0..MAX_CHANGES {
            let mut changed = false;
            let mut at = 0;
            while let Some(rule) = self.rules.get(at).copied() {
                at += 1;
                if apply(self, rule.apply).is_some() {
                    self.note(rule);
                    changed = true;
                }
            }
            if !changed {
                return;
            }
        }
    }

    /// Writes down that a rule changed something.
    fn note(&mut self, rule: &Rule) {
        self.cx.dirty = true;
        self.last = rule.name;
        if !self.applied.contains(&rule.name) {
            self.applied.push(rule.name);
        }
    }

    /// Gives bare columns of projections and groupings ids of their own, so that every id
    /// is produced once and a replacement cannot be caught by another meaning. False if
    /// an id is produced twice nevertheless.
    fn freshen_query(&mut self, query: &mut Query, seen: &mut BTreeSet<ColumnId>) -> bool {
        let before = self.cx.replaced.clone();
        let fine = self.freshen_rel(&mut query.rel, seen);
        for c in &mut query.output {
            if let Some(Expr::Column(new)) = self.cx.replaced.get(c) {
                *c = *new;
            }
        }
        self.cx.replaced = before;
        fine
    }

    /// Inputs before the node that reads them: it then reads new ids, which are entered on the way up.
    fn freshen_rel(&mut self, rel: &mut Rel, seen: &mut BTreeSet<ColumnId>) -> bool {
        let mut fine = true;
        for input in rel.inputs_mut() {
            fine &= self.freshen_rel(input, seen);
        }
        for arm in rel.arms_mut() {
            fine &= self.freshen_query(arm, seen);
        }
        for expr in rel.exprs_mut() {
            expr.substitute(&self.cx.replaced);
            fine &= self.freshen_expr(expr, seen);
        }
        match rel {
            Rel::Project { exprs, .. } => self.freshen_entries(exprs, seen),
            Rel::Aggregate { keys, calls, .. } => {
                self.freshen_entries(keys, seen);
                fine &= calls.iter().all(|(c, _)| seen.insert(*c));
            }
            other => other.introduced(&mut |c| fine &= seen.insert(c)),
        }
        fine
    }

    /// A bare column that an earlier operator made gets an id of its own where it is passed on.
    fn freshen_entries(&mut self, entries: &mut [(ColumnId, Expr)], seen: &mut BTreeSet<ColumnId>) {
        for (c, _) in entries {
            if !seen.insert(*c) {
                let new = self.cx.fresh_like(*c);
                seen.insert(new);
                self.cx.replaced.insert(*c, Expr::Column(new));
                *c = new;
            }
        }
    }

    fn freshen_expr(&mut self, expr: &mut Expr, seen: &mut BTreeSet<ColumnId>) -> bool {
        let mut fine = true;
        for operand in expr.operands_mut() {
            fine &= self.freshen_expr(operand, seen);
        }
        if let Some(query) = expr.subquery_mut() {
            fine &= self.freshen_query(query, seen);
        }
        fine
    }

    /// Gives copies of a subquery (a computed column that was read twice) ids of their own.
    fn separate(&mut self, rel: &mut Rel, seen: &mut BTreeSet<ColumnId>) {
        for input in rel.inputs_mut() {
            self.separate(input, seen);
        }
        for arm in rel.arms_mut() {
            self.separate(&mut arm.rel, seen);
        }
        for expr in rel.exprs_mut() {
            self.separate_expr(expr, seen);
        }
        seen.extend(rel.outputs());
    }

    fn separate_expr(&mut self, expr: &mut Expr, seen: &mut BTreeSet<ColumnId>) {
        for operand in expr.operands_mut() {
            self.separate_expr(operand, seen);
        }
        let Some(query) = expr.subquery_mut() else {
            return;
        };
        let made = query.rel.produced_within();
        let twice: BTreeMap<ColumnId, ColumnId> =
            made.intersection(seen).map(|c| (*c, self.cx.fresh_like(*c))).collect();
        if !twice.is_empty() {
            query.map_ids(|c| {
                if let Some(new) = twice.get(c) {
                    *c = *new;
                }
            });
        }
        self.separate(&mut query.rel, seen);
    }

    /// Brings a query's relation to its normal form, then tries the rules that look at whole queries.
    fn visit_query(&mut self, query: &mut Query, role: Role) {
        self.visit_rel(&mut query.rel);
        self.settle_output(query);
        self.until_fixed(|driver, rule| {
            match rule {
                Apply::Query(apply) => apply(query, role, &mut driver.cx)?,
                Apply::Root(apply) if role == Role::Root => apply(query, &mut driver.cx)?,
                _ => return None,
            }
            driver.settle_output(query);
            Some(())
        });
    }

    /// Outputs whose column was replaced: by another column, or by an expression, which
    /// then needs a projection.
    fn settle_output(&mut self, query: &mut Query) {
        if !query.output.iter().any(|c| self.cx.replaced.contains_key(c)) {
            return;
        }
        let produced = query.rel.output_set();
        let mut computed = false;
        for c in &mut query.output {
            match self.cx.replaced.get(c) {
                Some(Expr::Column(new)) if produced.contains(new) => {
                    self.cx.dirty = true;
                    *c = *new;
                }
                Some(Expr::Literal(_)) => computed = true,
                Some(_) if !produced.contains(c) => computed = true,
                _ => {}
            }
        }
        if !computed {
            return;
        }
        self.cx.dirty = true;
        let mut exprs = Vec::new();
        for c in &mut query.output {
            let expr = match self.cx.replaced.get(c) {
                Some(e @ Expr::Literal(_)) => {
                    self.cx.pinned = true;
                    e.clone()
                }
                Some(e) if !produced.contains(c) => e.clone(),
                _ => Expr::Column(*c),
            };
            let new = self.cx.fresh_like(*c);
            exprs.push((new, expr));
            *c = new;
        }
        query.rel = Rel::project(query.rel.take(), exprs);
    }

    /// Inputs first, then the arms of set operations, the node's own expressions, and the node itself. In
    /// between, what was replaced below is applied to what the node reads; around the expressions it is kept
    /// which columns and scans a subquery in them can see.
    fn visit_rel(&mut self, rel: &mut Rel) {
        let mut filled_up: Vec<FilledUp> = Vec::new();
        let keep_bare = std::mem::take(&mut self.keep_bare);
        let nulls = match rel {
            Rel::OuterJoin { kind, .. } => [*kind == JoinKind::Full, true],
            _ => [false; 2],
        };
        for (at, input) in rel.inputs_mut().into_iter().enumerate() {
            let filled = nulls.get(at).is_some_and(|n| *n);
            let before = filled.then(|| FilledUp {
                visible: input.output_set(),
                entered: self.cx.replaced.keys().copied().collect(),
            });
            self.keep_bare = filled;
            self.visit_rel(input);
            self.keep_bare = false;
            if let Some(mut side) = before {
                let all = self.cx.replaced.keys().copied();
                side.entered = all.filter(|c| !side.entered.contains(c)).collect();
                filled_up.push(side);
            }
        }
        let role = match rel {
            Rel::Recursive { .. } => Role::Recursive,
            _ => Role::Arm,
        };
        for arm in rel.arms_mut() {
            self.visit_query(arm, role);
        }
        match rel {
            // A column that is filled up with NULLs stays one, whatever it is before.
            Rel::Project { input, exprs } if keep_bare => {
                let below = input.output_set();
                for (_, e) in exprs {
                    let stays = matches!(e, Expr::Column(c) if below.contains(c)
                        && matches!(self.cx.replaced.get(c), Some(Expr::Literal(_))));
                    if !stays {
                        self.cx.dirty |= self.cx.substitute(e, &self.cx.replaced);
                    }
                }
            }
            _ => self.cx.apply_replaced(rel),
        }
        if !filled_up.is_empty() {
            self.settle_filled_up(rel, &filled_up, nulls);
        }
        let nested = rel.exprs().into_iter().any(Expr::has_subquery);
        let scans = self.cx.outer_scans.len();
        if nested {
            for input in rel.inputs() {
                visible_scans(input, &mut self.cx.outer_scans);
            }
            let known = rel.inputs().into_iter().flat_map(|r| self.cx.not_null(r)).collect();
            self.cx.outer_not_null.push(known);
        }
        let values = matches!(rel, Rel::Project { .. } | Rel::Aggregate { .. } | Rel::Window { .. });
        let around = std::mem::replace(&mut self.cx.in_values, values);
        for expr in rel.exprs_mut() {
            self.visit_expr(expr);
        }
        self.cx.in_values = around;
        if nested {
            self.cx.outer_scans.truncate(scans);
            self.cx.outer_not_null.pop();
        }
        self.until_fixed(|driver, rule| match rule {
            Apply::Rel(apply) => apply(rel, &mut driver.cx),
            _ => None,
        });
    }

    /// What columns of a side that is filled up with NULLs stand for holds in the join's
    /// own predicate. Above it a column of that side can stand for another one, but
    /// nothing that is not NULL in the filled-up rows can.
    fn settle_filled_up(&mut self, rel: &mut Rel, filled_up: &[FilledUp], nulls: [bool; 2]) {
        let Rel::OuterJoin { left, right, .. } = rel else {
            debug_assert!(false, "no other relation has sides that are filled up");
            return;
        };
        let sides = [(left, nulls[0]), (right, nulls[1])];
        let sides = sides.into_iter().filter(|(_, n)| *n).map(|(side, _)| side);
        for (side, new) in sides.zip(filled_up) {
            let made = side.output_set();
            let mut exprs = Vec::new();
            for c in &new.entered {
                let own = match self.cx.replaced.get(c) {
                    Some(Expr::Column(b)) => made.contains(b),
                    Some(Expr::Literal(Value::Null)) | None => true,
                    Some(_) => false,
                };
                if own {
                    continue;
                }
                // What the join's reader never saw it need not see: a merged projection may
                // yet lay it open.
                if let Some(e) = self.cx.replaced.remove(c)
                    && new.visible.contains(c)
                    && !made.contains(c)
                {
                    exprs.push((*c, e));
                }
            }
            if exprs.is_empty() {
                continue;
            }
            for c in side.outputs() {
                let new = self.cx.fresh_like(c);
                exprs.push((new, Expr::Column(c)));
                self.cx.replace(c, Expr::Column(new));
            }
            **side = Rel::project(side.take(), exprs);
            self.cx.dirty = true;
        }
        self.cx.apply_replaced(rel);
    }

    /// Operands first, then a subquery in its own scope, then the expression.
    fn visit_expr(&mut self, expr: &mut Expr) {
        for operand in expr.operands_mut() {
            self.visit_expr(operand);
        }
        let role = match expr {
            Expr::Exists(_) => Role::Exists,
            Expr::InSubquery { .. } | Expr::Quantified { .. } => Role::In,
            _ => Role::Scalar,
        };
        if let Some(query) = expr.subquery_mut() {
            // What was replaced in a subquery is read nowhere else, and what was replaced before
            // a rule made a relation a subquery does not reach into it. Were it applied, the
            // condition that made two columns equal would become `x = x`.
            let outer = query.reached_by(&self.cx.replaced).into_owned();
            let around = std::mem::replace(&mut self.cx.replaced, outer);
            self.visit_query(query, role);
            self.cx.replaced = around;
        }
        self.until_fixed(|driver, rule| match rule {
            Apply::Expr(apply) => apply(expr, &mut driver.cx),
            _ => None,
        });
    }
}

/// The scans whose columns a relation produces.
fn visible_scans(rel: &Rel, into: &mut Vec<(usize, Vec<(ColumnId, usize)>)>) {
    match rel {
        Rel::Scan { table, columns } => into.push((*table, columns.clone())),
        Rel::Project { .. } | Rel::Aggregate { .. } => {}
        _ => rel.inputs().into_iter().for_each(|r| visible_scans(r, into)),
    }
}
