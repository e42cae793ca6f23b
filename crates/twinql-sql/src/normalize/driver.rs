//! Rules applied to a whole tree: inputs before the nodes that read them, again and again until nothing changes.

use super::context::{Context, Role};
use super::kinds::{exprs, rels};
use super::rule::{Apply, Changed, Rule};
use super::scan::visible_scans;
use super::stopped::{MAX_DEPTH, MAX_PASSES, MAX_SIZE};
use crate::column_set::ColumnSet;
use crate::expr::Expr;
use crate::rel::{JoinKind, Query, Rel};
use crate::tree::Tree;
use crate::value::Value;

/// How often rules may change one node in one pass, at most.
const MAX_CHANGES: usize = 64;

/// What applies the rules: they and their order, and what is noted of those that changed something.
pub(super) struct Driver<'a> {
    pub(super) cx: Context<'a>,
    rules: ByKind,
    pub(super) applied: Vec<&'static str>,
    /// The rule that changed something last.
    pub(super) last: &'static str,
    /// The relation to be visited next is filled up with NULLs by the join that reads it.
    keep_bare: bool,
    /// Rules are asked of nodes of all kinds: to find out whether one changes a node of a kind that it does not name.
    pub(super) everywhere: bool,
}

/// Rules with their places in the order.
type InOrder = Vec<(usize, &'static Rule)>;

/// Rules by the kind of node that they are for.
#[derive(Default)]
struct ByKind {
    exprs: [InOrder; exprs::COUNT],
    rels: [InOrder; rels::COUNT],
    queries: InOrder,
}

/// A node that rules are asked of.
trait Asked {
    /// The rules for nodes of its type, by kind.
    fn lists(rules: &ByKind) -> &[InOrder];

    /// The number of its kind.
    fn number(&self) -> usize;
}

impl Asked for Expr {
    fn lists(rules: &ByKind) -> &[InOrder] {
        &rules.exprs
    }

    fn number(&self) -> usize {
        exprs::number(self)
    }
}

impl Asked for Rel {
    fn lists(rules: &ByKind) -> &[InOrder] {
        &rules.rels
    }

    fn number(&self) -> usize {
        rels::number(self)
    }
}

/// Queries are of one kind.
impl Asked for Query {
    fn lists(rules: &ByKind) -> &[InOrder] {
        std::slice::from_ref(&rules.queries)
    }

    fn number(&self) -> usize {
        0
    }
}

/// A side of an outer join that is filled up with NULLs.
struct FilledUp {
    /// What it produced before it was visited.
    visible: ColumnSet,
    /// What was replaced in the visit; before it, what was replaced already.
    entered: ColumnSet,
}

impl<'a> Driver<'a> {
    pub(super) fn new(cx: Context<'a>) -> Driver<'a> {
        Driver {
            cx,
            rules: ByKind::default(),
            applied: Vec::new(),
            last: "none",
            keep_bare: false,
            everywhere: false,
        }
    }

    /// Has these rules be tried from now on, in this order.
    pub(super) fn use_rules(&mut self, rules: Vec<&'static Rule>) {
        self.rules = ByKind::default();
        for entry in rules.into_iter().enumerate() {
            let lists: &mut [InOrder] = match entry.1.apply {
                Apply::Expr(_) | Apply::ExprOf(..) => &mut self.rules.exprs,
                Apply::Rel(_) | Apply::RelOf(..) => &mut self.rules.rels,
                Apply::Query(_) | Apply::Root(_) => std::slice::from_mut(&mut self.rules.queries),
            };
            for (number, list) in lists.iter_mut().enumerate() {
                if self.everywhere || entry.1.apply.kinds().has(number) {
                    list.push(entry);
                }
            }
        }
    }

    /// Passes over the whole tree until nothing changes: whether that came to an end, and nothing where the tree grew
    /// beyond the limits.
    pub(super) fn passes(&mut self, query: &mut Query) -> Option<bool> {
        for _ in 0..MAX_PASSES {
            self.cx.dirty = false;
            self.visit_query(query, Role::Root);
            self.cx.replaced.clear();
            self.cx.separate(&mut query.rel, &mut ColumnSet::new());
            if !self.cx.dirty {
                return Some(true);
            }
            if query.rel.size() > MAX_SIZE || query.rel.deeper_than(2 * MAX_DEPTH) {
                return None;
            }
        }
        Some(false)
    }

    /// Tries the rules of a node's kind in their order, and all of them again as long as one changed
    /// something: what a later rule leaves may be what an earlier one waits for. `apply` says
    /// whether a rule changed this node, which may then be of another kind: the rules of that which come later in the
    /// order are next. A pair of rules that undo
    /// each other ends at [`MAX_CHANGES`], and the form is then told to be incomplete by the
    /// passes, which find no end either.
    fn until_fixed<N: Asked>(
        &mut self,
        node: &mut N,
        mut apply: impl FnMut(&mut Self, &mut N, Apply) -> Changed,
    ) {
        for _ in 0..MAX_CHANGES {
            let mut changed = false;
            let (mut at, mut kind) = (0, node.number());
            while let Some((place, rule)) =
                N::lists(&self.rules).get(kind).and_then(|list| list.get(at)).copied()
            {
                at += 1;
                if apply(self, node, rule.apply).is_some() {
                    debug_assert!(
                        rule.apply.kinds().has(kind),
                        "{} is not for nodes of this kind",
                        rule.name
                    );
                    self.note(rule);
                    changed = true;
                    kind = node.number();
                    let list = N::lists(&self.rules).get(kind);
                    at = list.map_or(0, |list| list.partition_point(|(other, _)| *other <= place));
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

    /// Brings a query's relation to its normal form, then tries the rules that look at whole queries.
    fn visit_query(&mut self, query: &mut Query, role: Role) {
        self.visit_rel(&mut query.rel);
        self.settle_output(query);
        self.until_fixed(query, |driver, query, rule| {
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
        self.until_fixed(rel, |driver, rel, rule| match rule {
            Apply::Rel(apply) | Apply::RelOf(_, apply) => apply(rel, &mut driver.cx),
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
        self.until_fixed(expr, |driver, expr, rule| match rule {
            Apply::Expr(apply) | Apply::ExprOf(_, apply) => apply(expr, &mut driver.cx),
            _ => None,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::super::example::Example;
    use super::super::{REGULARITIES, RULES};
    use super::*;
    use crate::parse::parse;
    use crate::plan::plan;
    use crate::semantics::Semantics;

    /// Asked of all nodes of many queries, no rule changes one of a kind that it does not name.
    #[test]
    fn rules_are_for_the_kinds_that_they_name() {
        let schema = Example::schema().unwrap();
        let written = include_str!("../../tests/it/queries.sql").lines();
        let written = written.filter(|l| !l.is_empty() && !l.starts_with("--"));
        let shown = RULES.iter().chain(REGULARITIES).flat_map(|rule| rule.examples);
        for sql in shown.flat_map(|example| example.queries).chain(written) {
            let plan = plan(&schema, &parse(sql).unwrap()).unwrap();
            for preset in ["default", "declared", "strict"] {
                let semantics = Semantics::preset(preset).unwrap();
                let mut query = plan.query.clone();
                let mut driver = Driver::new(Context::new(&schema, &semantics, plan.columns.clone()));
                driver.everywhere = true;
                driver.use_rules(RULES.iter().filter(|rule| rule.needs.hold_under(&semantics)).collect());
                driver.passes(&mut query);
            }
        }
    }
}
