//! Colours of columns: a hash of everything that a column's id-free surroundings say, refined until no more
//! columns can be told apart (Weisfeiler and Leman's colour refinement, on operator trees).
//!
//! Equal plans come with other ids and in other orders, so a colour may depend on neither. Where an operator
//! has no order (inputs of an inner join, conjuncts, arms of a union), hashes of its parts are added up;
//! where it has one they are chained. In each round a column's colour takes in where it stands (its context)
//! and, through the hashes of expressions, the colours of the columns around it. What stays of one colour at
//! the end is either exchangeable or told apart by trying, which `canonical` does.
//!
//! The numbers in the hashes only set kinds of nodes and places apart. They decide in which order columns
//! come out, so to change one is to change canonical forms.

use std::collections::BTreeMap;

use super::scan_names::ScanNames;
use crate::expr::{AggregateCall, BinaryOp, Expr, WindowCall};
use crate::hash::{hash_of, mix};
use crate::rel::{ColumnId, Query, Rel, SetOpKind, SortKey};

/// True for operators whose operands may be exchanged. COLLATE on an operand makes the
/// left one special.
pub(super) fn is_symmetric(op: BinaryOp, left: &Expr, right: &Expr) -> bool {
    let plain = |e: &Expr| !matches!(e, Expr::Collate { .. } | Expr::Row(_));
    op.is_commutative() && plain(left) && plain(right)
}

/// By column, the sum of the places where it stands. A sum does not depend on the order in which they are met.
type Contexts = BTreeMap<ColumnId, u64>;

/// Colours by column id.
#[derive(Clone)]
pub(super) struct Colors<'n> {
    colors: BTreeMap<ColumnId, u64>,
    /// What the tables and columns of scans are called.
    names: &'n ScanNames,
    /// Output columns of the outermost query have no order.
    any_output_order: bool,
}

impl<'n> Colors<'n> {
    /// Refines from nothing.
    pub(super) fn new(query: &Query, names: &'n ScanNames, any_output_order: bool) -> Colors<'n> {
        let mut colors = Colors { colors: BTreeMap::new(), names, any_output_order };
        colors.refine(query);
        colors
    }

    /// The colour of a column.
    pub(super) fn get(&self, c: ColumnId) -> u64 {
        self.colors.get(&c).copied().unwrap_or(1)
    }

    /// How many colours there are: refinement ends where a round adds none.
    fn distinct(&self) -> usize {
        let mut all: Vec<u64> = self.colors.values().copied().collect();
        all.sort_unstable();
        all.dedup();
        all.len()
    }

    /// Columns of one colour, of the smallest colour that several share.
    pub(super) fn tied(&self) -> Vec<ColumnId> {
        let mut by_color: BTreeMap<u64, Vec<ColumnId>> = BTreeMap::new();
        for (c, color) in &self.colors {
            by_color.entry(*color).or_default().push(*c);
        }
        by_color.into_values().find(|class| class.len() > 1).unwrap_or_default()
    }

    /// Gives one column a colour of its own and refines again.
    pub(super) fn individualize(&mut self, c: ColumnId, query: &Query) {
        let color = mix(self.get(c), 0x0006_9e5d);
        self.colors.insert(c, color);
        self.refine(query);
    }

    /// Recolours all columns until a round tells no more of them apart. The new colour is made of the old
    /// one, so what was told apart stays so. A column learns of another over as many rounds as lie between
    /// them, so the rounds are bounded; what is tied by then is told apart by trying.
    fn refine(&mut self, query: &Query) {
        let mut known = self.distinct();
        for round in 0..16 {
            let mut contexts = Contexts::new();
            let ordered = !self.any_output_order;
            self.query_context(query, 17, ordered, &mut contexts);
            for (c, context) in contexts {
                let color = mix(self.get(c), context);
                self.colors.insert(c, color);
            }
            let now = self.distinct();
            if now == known && round > 0 {
                break;
            }
            known = now;
        }
    }

    /// Expressions in their order.
    fn exprs<'a>(&self, exprs: impl IntoIterator<Item = &'a Expr>) -> u64 {
        exprs.into_iter().fold(3, |h, e| mix(h, self.expr(e)))
    }

    /// Expressions that have no order: a sum, the same however they are listed.
    fn exprs_unordered<'a>(&self, exprs: impl IntoIterator<Item = &'a Expr>) -> u64 {
        exprs.into_iter().fold(5, |h, e| h.wrapping_add(mix(7, self.expr(e))))
    }

    /// Sort keys in their order, each with its direction and where NULLs go.
    fn sort_keys(&self, keys: &[SortKey]) -> u64 {
        keys.iter().fold(9, |h, k| mix(mix(h, self.expr(&k.expr)), hash_of(&(k.direction, k.nulls))))
    }

    /// The hash of an expression.
    pub(super) fn expr(&self, expr: &Expr) -> u64 {
        match expr {
            Expr::Column(c) => mix(11, self.get(*c)),
            Expr::Literal(v) => mix(12, hash_of(v)),
            Expr::Unary { op, expr } => mix(mix(13, hash_of(op)), self.expr(expr)),
            Expr::Binary { op, left, right } => {
                let (l, r) = (self.expr(left), self.expr(right));
                let h = mix(14, hash_of(op));
                if is_symmetric(*op, left, right) {
                    mix(h, mix(7, l).wrapping_add(mix(7, r)))
                } else {
                    mix(mix(h, l), r)
                }
            }
            Expr::And(list) => mix(15, self.exprs_unordered(list)),
            Expr::Or(list) => mix(16, self.exprs_unordered(list)),
            Expr::Function { name, args } => mix(mix(17, hash_of(name)), self.exprs(args)),
            Expr::Case { operand, branches, otherwise } => {
                let h = mix(18, self.exprs(operand.as_deref()));
                let h = branches.iter().fold(h, |h, (w, t)| mix(mix(h, self.expr(w)), self.expr(t)));
                mix(h, self.exprs(otherwise.as_deref()))
            }
            Expr::Cast { expr, affinity } => mix(mix(19, hash_of(affinity)), self.expr(expr)),
            Expr::Collate { expr, collation } => mix(mix(20, hash_of(collation)), self.expr(expr)),
            Expr::InList { expr, list } => mix(mix(21, self.expr(expr)), self.exprs_unordered(list)),
            Expr::InSubquery { exprs, query } => mix(mix(22, self.exprs(exprs)), self.query(query)),
            Expr::Exists(query) => mix(23, self.query(query)),
            Expr::Scalar(query) => mix(24, self.query(query)),
            Expr::Quantified { expr, op, all, query } => {
                mix(mix(mix(25, hash_of(&(op, all))), self.expr(expr)), self.query(query))
            }
            Expr::Row(list) => mix(26, self.exprs(list)),
        }
    }

    /// A subquery, or an arm of a recursive one: its relation and its outputs in their order.
    fn query(&self, query: &Query) -> u64 {
        query.output.iter().fold(mix(31, self.rel(&query.rel)), |h, c| mix(h, self.get(*c)))
    }

    /// An arm of a set operation: its relation, and which of its columns become which of the whole. The order
    /// of the columns does not count, only the pairs do.
    fn arm(&self, arm: &Rel, output: &[ColumnId], columns: &[ColumnId]) -> u64 {
        let links = output
            .iter()
            .zip(columns)
            .fold(0u64, |h, (o, c)| h.wrapping_add(mix(self.get(*o), self.get(*c))));
        mix(mix(32, self.rel(arm)), links)
    }

    /// An aggregate, without the column it makes.
    fn call(&self, call: &AggregateCall) -> u64 {
        let h = mix(33, hash_of(&(&call.func, call.distinct)));
        mix(mix(h, self.exprs(&call.args)), self.exprs(&call.filter))
    }

    /// A window function, without the column it makes.
    fn window(&self, call: &WindowCall) -> u64 {
        let h = mix(34, hash_of(&(&call.func, call.distinct, &call.frame)));
        let h = mix(mix(h, self.exprs(&call.args)), self.exprs(&call.filter));
        let h = mix(h, self.exprs_unordered(&call.partition_by));
        mix(h, self.sort_keys(&call.order_by))
    }

    /// Columns in their order.
    fn ids(&self, columns: &[ColumnId]) -> u64 {
        columns.iter().fold(35, |h, c| mix(h, self.get(*c)))
    }

    /// The hash of a relation.
    pub(super) fn rel(&self, rel: &Rel) -> u64 {
        match rel {
            Rel::Scan { table, columns } => {
                let own = columns.iter().fold(0u64, |h, (c, at)| {
                    h.wrapping_add(mix(self.get(*c), self.names.column(*table, *at)))
                });
                mix(mix(41, self.names.table(*table)), own)
            }
            Rel::Values { columns, rows } => {
                rows.iter().fold(mix(42, self.ids(columns)), |h, row| mix(h, self.exprs(row)))
            }
            Rel::TableFunction { name, args, columns } => {
                mix(mix(mix(43, hash_of(name)), self.exprs(args)), self.ids(columns))
            }
            // Names of recursive relations are only names.
            Rel::Recursive { columns, seed, step, all, .. } => {
                mix(mix(mix(44, self.ids(columns)), u64::from(*all)), mix(self.query(seed), self.query(step)))
            }
            Rel::RecursiveRef { columns, .. } => mix(45, self.ids(columns)),
            Rel::Filter { input, predicate } => {
                mix(mix(46, self.rel(input)), self.exprs_unordered(predicate))
            }
            Rel::Project { input, exprs } => {
                let own =
                    exprs.iter().fold(0u64, |h, (c, e)| h.wrapping_add(mix(self.get(*c), self.expr(e))));
                mix(mix(47, self.rel(input)), own)
            }
            Rel::Join { inputs, on } => {
                let sides = inputs.iter().fold(0u64, |h, r| h.wrapping_add(mix(7, self.rel(r))));
                mix(mix(48, sides), self.exprs_unordered(on))
            }
            Rel::OuterJoin { kind, left, right, on } => mix(
                mix(mix(49, hash_of(kind)), mix(self.rel(left), self.rel(right))),
                self.exprs_unordered(on),
            ),
            Rel::Aggregate { input, keys, calls } => {
                let own = keys.iter().fold(0u64, |h, (c, e)| h.wrapping_add(mix(self.get(*c), self.expr(e))));
                let own =
                    calls.iter().fold(own, |h, (c, call)| h.wrapping_add(mix(self.get(*c), self.call(call))));
                mix(mix(50, self.rel(input)), own)
            }
            Rel::Distinct { input } => mix(51, self.rel(input)),
            Rel::Sort { input, keys, limit, offset } => {
                let h = mix(mix(52, self.rel(input)), self.sort_keys(keys));
                mix(mix(h, self.exprs(limit)), self.exprs(offset))
            }
            // The arms of a chain of unions, however they are nested.
            Rel::SetOp { kind: SetOpKind::Union, all, columns, .. } => {
                let mut arms = Vec::new();
                rel.union_arms(columns, *all, &mut arms);
                arms.into_iter().fold(mix(53, u64::from(*all)), |h, (arm, output)| {
                    h.wrapping_add(mix(7, self.arm(arm, &output, columns)))
                })
            }
            Rel::SetOp { kind, all, left, right, columns } => {
                let l = self.arm(&left.rel, &left.output, columns);
                let r = self.arm(&right.rel, &right.output, columns);
                let h = mix(53, hash_of(&(kind, all)));
                if *kind == SetOpKind::Except {
                    mix(mix(h, l), r)
                } else {
                    mix(h, mix(7, l).wrapping_add(mix(7, r)))
                }
            }
            Rel::Window { input, calls } => {
                let own = calls
                    .iter()
                    .fold(0u64, |h, (c, call)| h.wrapping_add(mix(self.get(*c), self.window(call))));
                mix(mix(54, self.rel(input)), own)
            }
        }
    }

    /// Adds one place where a column stands.
    fn note(contexts: &mut Contexts, c: ColumnId, context: u64) {
        let sum = contexts.entry(c).or_insert(0);
        *sum = sum.wrapping_add(mix(61, context));
    }

    /// Notes where a query names its outputs, and all that is below. `ordered`: the outputs have places.
    fn query_context(&self, query: &Query, context: u64, ordered: bool, to: &mut Contexts) {
        for (i, c) in query.output.iter().enumerate() {
            let place = if ordered { i as u64 + 1 } else { 0 };
            Self::note(to, *c, mix(mix(context, 62), place));
        }
        self.rel_context(&query.rel, mix(context, 63), to);
    }

    /// Notes which column of the whole each column of an arm becomes, and all that is below.
    fn arm_context(
        &self,
        arm: &Rel,
        output: &[ColumnId],
        columns: &[ColumnId],
        context: u64,
        to: &mut Contexts,
    ) {
        for (o, c) in output.iter().zip(columns) {
            Self::note(to, *o, mix(mix(context, 64), self.get(*c)));
        }
        self.rel_context(arm, mix(context, 65), to);
    }

    /// Notes what the relation and all below it say of columns; `context` is what stands above it.
    fn rel_context(&self, rel: &Rel, context: u64, to: &mut Contexts) {
        let base = mix(context, self.rel(rel));
        match rel {
            Rel::Scan { table, columns } => {
                for (c, at) in columns {
                    Self::note(to, *c, mix(base, self.names.column(*table, *at)));
                }
            }
            Rel::Values { columns, .. }
            | Rel::TableFunction { columns, .. }
            | Rel::RecursiveRef { columns, .. } => Self::note_places(columns, base, to),
            Rel::Recursive { columns, seed, step, .. } => {
                Self::note_places(columns, base, to);
                self.query_context(seed, mix(base, 66), true, to);
                self.query_context(step, mix(base, 67), true, to);
            }
            Rel::SetOp { kind: SetOpKind::Union, all, columns, .. } => {
                self.union_context(rel, *all, columns, base, to);
            }
            Rel::SetOp { kind, left, right, columns, .. } => {
                self.set_op_context(*kind, [left, right], columns, base, to);
            }
            Rel::Project { exprs, .. } => {
                for (c, e) in exprs {
                    Self::note(to, *c, mix(base, self.expr(e)));
                    self.expr_context(e, mix(base, self.get(*c)), to);
                }
            }
            Rel::Aggregate { keys, calls, .. } => {
                for (c, e) in keys {
                    Self::note(to, *c, mix(base, self.expr(e)));
                    self.expr_context(e, mix(mix(base, 70), self.get(*c)), to);
                }
                for (c, call) in calls {
                    let own = mix(base, self.call(call));
                    self.call_context(*c, &call.args, call.filter.as_ref(), own, to);
                }
            }
            Rel::Window { calls, .. } => {
                for (c, call) in calls {
                    let own = mix(base, self.window(call));
                    let own = self.call_context(*c, &call.args, call.filter.as_ref(), own, to);
                    for e in &call.partition_by {
                        self.expr_context(e, mix(own, 71), to);
                    }
                    for (i, k) in call.order_by.iter().enumerate() {
                        self.expr_context(&k.expr, mix(mix(own, 72), i as u64), to);
                    }
                }
            }
            Rel::Filter { .. } | Rel::Join { .. } | Rel::OuterJoin { .. } => {
                for e in rel.exprs() {
                    self.expr_context(e, mix(base, 73), to);
                }
            }
            Rel::Sort { .. } | Rel::Distinct { .. } => {}
        }
        // Where expressions have places.
        if let Rel::Values { .. } | Rel::TableFunction { .. } | Rel::Sort { .. } = rel {
            for (i, e) in rel.exprs().into_iter().enumerate() {
                self.expr_context(e, mix(mix(base, 74), i as u64), to);
            }
        }
        // The sides of an outer join differ; the inputs of an inner join have no order.
        let ordered = matches!(rel, Rel::OuterJoin { .. });
        for (i, input) in rel.inputs().into_iter().enumerate() {
            let place = if ordered { i as u64 } else { 0 };
            self.rel_context(input, mix(mix(base, 75), place), to);
        }
    }

    /// Columns that their relation makes in an order.
    fn note_places(columns: &[ColumnId], base: u64, to: &mut Contexts) {
        for (i, c) in columns.iter().enumerate() {
            Self::note(to, *c, mix(base, i as u64));
        }
    }

    /// A chain of unions, of which neither the order nor the nesting counts: a column is told by the sum of
    /// what the arms give for it, and all arms are told alike.
    fn union_context(&self, rel: &Rel, all: bool, columns: &[ColumnId], base: u64, to: &mut Contexts) {
        let mut arms = Vec::new();
        rel.union_arms(columns, all, &mut arms);
        for (i, c) in columns.iter().enumerate() {
            let of = |output: &Vec<ColumnId>| output.get(i).map_or(1, |o| self.get(*o));
            let sum = arms.iter().fold(0u64, |h, (_, output)| h.wrapping_add(mix(7, of(output))));
            Self::note(to, *c, mix(base, sum));
        }
        for (arm, output) in arms {
            self.arm_context(arm, &output, columns, mix(base, 68), to);
        }
    }

    /// INTERSECT, whose arms can change places, and EXCEPT, whose arms cannot.
    fn set_op_context(
        &self,
        kind: SetOpKind,
        [left, right]: [&Query; 2],
        columns: &[ColumnId],
        base: u64,
        to: &mut Contexts,
    ) {
        let ordered = kind == SetOpKind::Except;
        for ((l, r), c) in left.output.iter().zip(&right.output).zip(columns) {
            let (l, r) = (self.get(*l), self.get(*r));
            let pair = if ordered { mix(l, r) } else { mix(7, l).wrapping_add(mix(7, r)) };
            Self::note(to, *c, mix(base, pair));
        }
        self.arm_context(&left.rel, &left.output, columns, mix(base, 68), to);
        self.arm_context(&right.rel, &right.output, columns, mix(base, 68 + u64::from(ordered)), to);
    }

    /// The column `c` of a call, and what the call reads by its place in it; the context of what else the
    /// call reads. `own` is the call's hash in its surroundings.
    fn call_context(
        &self,
        c: ColumnId,
        args: &[Expr],
        filter: Option<&Expr>,
        own: u64,
        to: &mut Contexts,
    ) -> u64 {
        Self::note(to, c, own);
        let own = mix(own, self.get(c));
        for (i, e) in args.iter().chain(filter).enumerate() {
            self.expr_context(e, mix(own, i as u64), to);
        }
        own
    }

    /// Notes the columns of an expression by their places in it: operands of an operator that has no order
    /// all have one place, and so have the members of an IN-list.
    fn expr_context(&self, expr: &Expr, context: u64, to: &mut Contexts) {
        if let Expr::Column(c) = expr {
            Self::note(to, *c, context);
            return;
        }
        let base = mix(context, self.expr(expr));
        let unordered = match expr {
            Expr::And(_) | Expr::Or(_) => true,
            Expr::Binary { op, left, right } => is_symmetric(*op, left, right),
            _ => false,
        };
        for (i, operand) in expr.operands().into_iter().enumerate() {
            let place = match expr {
                _ if unordered => 0,
                Expr::InList { .. } => usize::from(i > 0),
                _ => i,
            };
            self.expr_context(operand, mix(base, place as u64), to);
        }
        if let Some(query) = expr.subquery() {
            self.query_context(query, mix(base, 76), true, to);
        }
    }
}
