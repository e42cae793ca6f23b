//! The canonical order of everything that has no order, and the canonical ids: equal
//! plans come out equal whatever ids and orders they came with.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::color::{Colors, is_symmetric};
use super::twins;
use crate::expr::{BinaryOp, Expr};
use crate::rel::{ColumnId, Columns, Query, Rel, SetOpKind};
use crate::tree::Tree;

/// How many choices between columns that look alike are tried; beyond them the first is
/// taken, and two equal plans may come out unequal.
const MAX_CHOICES: usize = 48;

/// Orders and renumbers a query; also the old id of each new one. The flag is false where
/// the choices were too many.
pub(super) fn canonical_form(
    query: Query,
    columns: &Columns,
    any_column_order: bool,
) -> (Query, Vec<ColumnId>, bool) {
    let mut search = Search {
        any_column_order,
        best: None,
        choices: 0,
    };
    for variant in twins::variants(&query, columns) {
        let colors = Colors::new(&variant, any_column_order);
        search.run(&variant, colors);
    }
    let complete = search.choices <= MAX_CHOICES;
    match search.best {
        Some((query, order)) => (query, order, complete),
        None => {
            let all = (0..columns.len()).map(|i| ColumnId(i as u32)).collect();
            (query, all, false)
        }
    }
}

struct Search {
    any_column_order: bool,
    best: Option<(Query, Vec<ColumnId>)>,
    choices: usize,
}

impl Search {
    fn run(&mut self, query: &Query, colors: Colors) {
        let tied = colors.tied();
        if tied.is_empty() {
            let mut candidate = query.clone();
            order_query(&mut candidate, &colors);
            reuse_ids(&mut candidate);
            let order = renumber(&mut candidate, self.any_column_order);
            if self.best.as_ref().is_none_or(|(q, _)| candidate < *q) {
                self.best = Some((candidate, order));
            }
            return;
        }
        for c in tied {
            self.choices += 1;
            if self.choices > MAX_CHOICES && self.best.is_some() {
                return;
            }
            let mut next = colors.clone();
            next.individualize(c, query);
            self.run(query, next);
        }
    }
}

/// The class of an expression in the order of conjuncts and operands: columns first,
/// constants last.
fn rank(expr: &Expr) -> u8 {
    match expr {
        Expr::Column(_) => 0,
        Expr::Binary {
            op: BinaryOp::Eq,
            left,
            right,
        } => match (&**left, &**right) {
            (Expr::Column(_), Expr::Column(_)) => 1,
            _ => 2,
        },
        Expr::Binary { .. } => 3,
        Expr::Unary { .. } | Expr::InList { .. } | Expr::Function { .. } => 4,
        Expr::Literal(_) => 9,
        _ => 5,
    }
}

fn expr_key(expr: &Expr, colors: &Colors) -> (u8, u64) {
    (rank(expr), colors.expr(expr))
}

fn rel_key(rel: &Rel, colors: &Colors) -> (u8, usize, u64) {
    match rel {
        Rel::Scan { table, .. } => (0, *table, colors.rel(rel)),
        _ => (1, 0, colors.rel(rel)),
    }
}

fn sort_exprs(list: &mut [Expr], colors: &Colors) {
    list.sort_by_cached_key(|e| expr_key(e, colors));
}

fn order_query(query: &mut Query, colors: &Colors) {
    order_rel(&mut query.rel, colors);
}

fn order_rel(rel: &mut Rel, colors: &Colors) {
    for expr in rel.exprs_mut() {
        order_expr(expr, colors);
    }
    for input in rel.inputs_mut() {
        order_rel(input, colors);
    }
    for arm in rel.arms_mut() {
        order_query(arm, colors);
    }
    match rel {
        Rel::Scan { columns, .. } => columns.sort_by_key(|(_, at)| *at),
        Rel::Filter { predicate, .. } => sort_exprs(predicate, colors),
        Rel::Join { inputs, on } => {
            inputs.sort_by_cached_key(|r| rel_key(r, colors));
            sort_exprs(on, colors);
        }
        Rel::OuterJoin { on, .. } => sort_exprs(on, colors),
        Rel::Project { exprs, .. } => {
            exprs.sort_by_cached_key(|(c, e)| (expr_key(e, colors), colors.get(*c)));
        }
        Rel::Aggregate { keys, calls, .. } => {
            keys.sort_by_cached_key(|(c, e)| (expr_key(e, colors), colors.get(*c)));
            calls.sort_by_cached_key(|(c, call)| (call.func.clone(), call.distinct, colors.get(*c)));
        }
        Rel::Window { calls, .. } => {
            for (_, call) in calls.iter_mut() {
                sort_exprs(&mut call.partition_by, colors);
            }
            calls.sort_by_cached_key(|(c, call)| (call.func.clone(), colors.get(*c)));
        }
        Rel::SetOp {
            kind,
            left,
            right,
            columns,
            ..
        } => {
            order_set_op(*kind, left, right, columns, colors);
            order_union(rel, colors);
        }
        _ => {}
    }
}

/// Orders the arms of a chain of unions, nested to the left.
fn order_union(rel: &mut Rel, colors: &Colors) {
    let Rel::SetOp {
        kind: SetOpKind::Union,
        all,
        columns,
        ..
    } = &*rel
    else {
        return;
    };
    let (all, columns) = (*all, columns.clone());
    let mut found = Vec::new();
    rel.union_arms(&columns, all, &mut found);
    if found.len() < 3 {
        return;
    }
    let mut arms: Vec<Query> = found
        .into_iter()
        .map(|(rel, output)| Query {
            rel: rel.clone(),
            output,
        })
        .collect();
    arms.sort_by_cached_key(|q| {
        let links: Vec<u64> = q.output.iter().map(|c| colors.get(*c)).collect();
        (rel_size_key(&q.rel), rel_key(&q.rel, colors), links)
    });
    // The columns of the unions inside are used again.
    let mut inner: Vec<Vec<ColumnId>> = Vec::new();
    inner_columns(rel, all, &mut inner);
    if inner.len() + 2 != arms.len() || inner.iter().any(|ids| ids.len() != columns.len()) {
        return;
    }
    inner.push(columns);
    let mut inner = inner.into_iter();
    if let Some(chain) = Query::union_chain(arms, all, |_| inner.next().unwrap_or_default()) {
        *rel = chain.rel;
    }
}

/// The columns of the unions in a chain, the topmost left out.
fn inner_columns(rel: &Rel, all: bool, into: &mut Vec<Vec<ColumnId>>) {
    for arm in rel.arms() {
        if let Rel::SetOp {
            kind: SetOpKind::Union,
            all: own,
            columns,
            ..
        } = &arm.rel
            && *own == all
        {
            inner_columns(&arm.rel, all, into);
            into.push(columns.clone());
        }
    }
}

fn order_set_op(
    kind: SetOpKind,
    left: &mut Query,
    right: &mut Query,
    columns: &mut Vec<ColumnId>,
    colors: &Colors,
) {
    if left.output.len() != columns.len() || right.output.len() != columns.len() {
        return;
    }
    let mut places: Vec<(ColumnId, ColumnId, ColumnId)> = columns
        .iter()
        .zip(&left.output)
        .zip(&right.output)
        .map(|((c, l), r)| (*c, *l, *r))
        .collect();
    places.sort_by_key(|(c, _, _)| colors.get(*c));
    *columns = places.iter().map(|p| p.0).collect();
    left.output = places.iter().map(|p| p.1).collect();
    right.output = places.iter().map(|p| p.2).collect();
    if kind != SetOpKind::Except {
        let key = |q: &Query| (rel_size_key(&q.rel), rel_key(&q.rel, colors));
        if key(right) < key(left) {
            std::mem::swap(left, right);
        }
    }
}

/// Larger arms first, so that left-deep chains stay left-deep.
fn rel_size_key(rel: &Rel) -> Reverse<usize> {
    Reverse(rel.size())
}

fn order_expr(expr: &mut Expr, colors: &Colors) {
    for operand in expr.operands_mut() {
        order_expr(operand, colors);
    }
    if let Some(query) = expr.subquery_mut() {
        order_query(query, colors);
    }
    match expr {
        Expr::And(list) | Expr::Or(list) => sort_exprs(list, colors),
        Expr::InList { list, .. } => list.sort_by_cached_key(|e| match e {
            Expr::Literal(_) => (0, 0, Some(e.clone())),
            _ => (1, colors.expr(e), None),
        }),
        Expr::Binary { op, left, right }
            if is_symmetric(*op, left, right) && expr_key(right, colors) < expr_key(left, colors) =>
        {
            std::mem::swap(left, right);
        }
        _ => {}
    }
}

/// Gives a bare column above a projection or a grouping the id that it has below.
fn reuse_ids(query: &mut Query) {
    let mut renamed = BTreeMap::new();
    reuse_in_rel(&mut query.rel, &mut renamed);
    for c in &mut query.output {
        *c = resolve(*c, &renamed);
    }
}

fn resolve(c: ColumnId, renamed: &BTreeMap<ColumnId, ColumnId>) -> ColumnId {
    renamed.get(&c).copied().unwrap_or(c)
}

fn reuse_in_expr(expr: &mut Expr, renamed: &mut BTreeMap<ColumnId, ColumnId>) {
    if let Expr::Column(c) = expr {
        *c = resolve(*c, renamed);
    }
    for operand in expr.operands_mut() {
        reuse_in_expr(operand, renamed);
    }
    if let Some(query) = expr.subquery_mut() {
        reuse_in_query(query, renamed);
    }
}

fn reuse_in_query(query: &mut Query, renamed: &mut BTreeMap<ColumnId, ColumnId>) {
    reuse_in_rel(&mut query.rel, renamed);
    for c in &mut query.output {
        *c = resolve(*c, renamed);
    }
}

fn reuse_in_rel(rel: &mut Rel, renamed: &mut BTreeMap<ColumnId, ColumnId>) {
    for input in rel.inputs_mut() {
        reuse_in_rel(input, renamed);
    }
    for arm in rel.arms_mut() {
        reuse_in_query(arm, renamed);
    }
    for expr in rel.exprs_mut() {
        reuse_in_expr(expr, renamed);
    }
    let entries = match rel {
        Rel::Project { exprs, .. } => exprs,
        Rel::Aggregate { keys, .. } => keys,
        _ => return,
    };
    let mut taken: Vec<ColumnId> = Vec::new();
    for (c, e) in entries {
        if let Expr::Column(b) = e {
            if !taken.contains(b) && *b != *c {
                renamed.insert(*c, *b);
                *c = *b;
            }
            taken.push(*b);
        }
    }
}

/// Numbers columns in the order in which the tree produces them, from 0, and returns what
/// they were before.
fn renumber(query: &mut Query, any_column_order: bool) -> Vec<ColumnId> {
    let mut numbers = Numbers::default();
    numbers.produce_query(query);
    let mut names = BTreeMap::new();
    numbers.apply_query(query, &mut names);
    if any_column_order {
        query.output.sort_unstable();
    }
    numbers.order
}

#[derive(Default)]
struct Numbers {
    new: BTreeMap<ColumnId, ColumnId>,
    order: Vec<ColumnId>,
}

impl Numbers {
    fn produce(&mut self, c: ColumnId) {
        let next = ColumnId(self.order.len() as u32);
        if let std::collections::btree_map::Entry::Vacant(slot) = self.new.entry(c) {
            slot.insert(next);
            self.order.push(c);
        }
    }

    fn produce_query(&mut self, query: &Query) {
        self.produce_rel(&query.rel);
    }

    fn produce_expr(&mut self, expr: &Expr) {
        for operand in expr.operands() {
            self.produce_expr(operand);
        }
        if let Some(query) = expr.subquery() {
            self.produce_query(query);
        }
    }

    fn produce_rel(&mut self, rel: &Rel) {
        for input in rel.inputs() {
            self.produce_rel(input);
        }
        for arm in rel.arms() {
            self.produce_query(arm);
        }
        for expr in rel.exprs() {
            self.produce_expr(expr);
        }
        match rel {
            Rel::Filter { .. }
            | Rel::Join { .. }
            | Rel::OuterJoin { .. }
            | Rel::Sort { .. }
            | Rel::Distinct { .. } => {}
            Rel::Window { calls, .. } => calls.iter().for_each(|(c, _)| self.produce(*c)),
            _ => rel.outputs().into_iter().for_each(|c| self.produce(c)),
        }
    }

    fn number(&mut self, c: &mut ColumnId) {
        // A column that nothing produces stays a column that nothing produces.
        self.produce(*c);
        if let Some(new) = self.new.get(c) {
            *c = *new;
        }
    }

    fn apply_query(&mut self, query: &mut Query, names: &mut BTreeMap<String, String>) {
        self.apply_rel(&mut query.rel, names);
        for c in &mut query.output {
            self.number(c);
        }
    }

    fn apply_expr(&mut self, expr: &mut Expr, names: &mut BTreeMap<String, String>) {
        if let Expr::Column(c) = expr {
            self.number(c);
        }
        for operand in expr.operands_mut() {
            self.apply_expr(operand, names);
        }
        if let Some(query) = expr.subquery_mut() {
            self.apply_query(query, names);
        }
    }

    fn apply_rel(&mut self, rel: &mut Rel, names: &mut BTreeMap<String, String>) {
        if let Rel::Recursive { name, .. } | Rel::RecursiveRef { name, .. } = rel {
            let next = format!("r{}", names.len());
            *name = names.entry(std::mem::take(name)).or_insert(next).clone();
        }
        for input in rel.inputs_mut() {
            self.apply_rel(input, names);
        }
        for arm in rel.arms_mut() {
            self.apply_query(arm, names);
        }
        for expr in rel.exprs_mut() {
            self.apply_expr(expr, names);
        }
        match rel {
            Rel::Scan { columns, .. } => {
                columns.iter_mut().for_each(|(c, _)| self.number(c));
            }
            Rel::Values { columns, .. }
            | Rel::TableFunction { columns, .. }
            | Rel::Recursive { columns, .. }
            | Rel::RecursiveRef { columns, .. }
            | Rel::SetOp { columns, .. } => columns.iter_mut().for_each(|c| self.number(c)),
            Rel::Project { exprs, .. } => exprs.iter_mut().for_each(|(c, _)| self.number(c)),
            Rel::Aggregate { keys, calls, .. } => {
                keys.iter_mut().for_each(|(c, _)| self.number(c));
                calls.iter_mut().for_each(|(c, _)| self.number(c));
            }
            Rel::Window { calls, .. } => calls.iter_mut().for_each(|(c, _)| self.number(c)),
            Rel::Filter { .. }
            | Rel::Join { .. }
            | Rel::OuterJoin { .. }
            | Rel::Sort { .. }
            | Rel::Distinct { .. } => {}
        }
    }
}
