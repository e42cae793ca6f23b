//! The canonical order of everything that has no order, and the canonical ids: equal plans come out equal
//! whatever ids and orders they came with.
//!
//! This is canonical labelling of a graph, done as McKay's nauty does it: colours are refined (`color`), and
//! where several columns keep one colour each of them is told apart in turn and the least of the resulting
//! forms is taken. With all columns of different colours the order of everything follows from them, and
//! numbering the columns as the ordered tree makes them gives the ids. Where positions in the schema would count,
//! names do (`scan_names`), so that a form does not change with the order of tables and columns.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::color::{Colors, is_symmetric};
use super::scan_names::ScanNames;
use super::twins;
use crate::expr::{BinaryOp, Expr};
use crate::rel::{ColumnId, Columns, Query, Rel, SetOpKind};
use crate::schema::Schema;
use crate::tree::{Next, NodeMut, Tree};

/// How many choices between columns that look alike are tried; beyond them the first is
/// taken, and two equal plans may come out unequal.
const MAX_CHOICES: usize = 48;

/// Orders and renumbers a query; also the old id of each new one. The flag is false where
/// the choices were too many.
pub(super) fn canonical_form(
    mut query: Query,
    columns: &Columns,
    schema: &Schema,
    any_column_order: bool,
) -> (Query, Vec<ColumnId>, bool) {
    let names = ScanNames::of(&query, schema);
    names.enter(&mut query);
    let mut search = Search { any_column_order, best: None, choices: 0 };
    for variant in twins::variants(&query, columns) {
        let colors = Colors::new(&variant, &names, any_column_order);
        search.run(&variant, colors);
    }
    let complete = search.choices <= MAX_CHOICES;
    #[expect(clippy::expect_used, reason = "a search goes on until it has a candidate, whatever was tried")]
    let (mut query, order) = search.best.expect("the query itself is a variant, and leads to a candidate");
    names.leave(&mut query);
    (query, order, complete)
}

/// The search for the least form among all choices between columns of one colour.
struct Search {
    any_column_order: bool,
    best: Option<(Query, Vec<ColumnId>)>,
    choices: usize,
}

impl Search {
    /// Orders the query by its colours, if they tell all columns apart; otherwise gives each column of the
    /// first tied colour one of its own in turn. The choice is not cut short before there is a candidate.
    fn run(&mut self, query: &Query, colors: Colors<'_>) {
        let tied = colors.tied();
        if tied.is_empty() {
            let mut candidate = query.clone();
            order_rel(&mut candidate.rel, &colors);
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
        _ if expr.as_column_equality().is_some() => 1,
        Expr::Binary { op: BinaryOp::Eq, .. } => 2,
        Expr::Binary { .. } => 3,
        Expr::Unary { .. } | Expr::InList { .. } | Expr::Function { .. } => 4,
        Expr::Literal(_) => 9,
        _ => 5,
    }
}

/// Where an expression stands among others: by its class, then by its hash.
fn expr_key(expr: &Expr, colors: &Colors<'_>) -> (u8, u64) {
    (rank(expr), colors.expr(expr))
}

/// Where a relation stands among the inputs of a join: scans first, by the table's name, so that forms are easy to read.
fn rel_key(rel: &Rel, colors: &Colors<'_>) -> (u8, usize, u64) {
    match rel {
        Rel::Scan { table, .. } => (0, *table, colors.rel(rel)),
        _ => (1, 0, colors.rel(rel)),
    }
}

/// Conjuncts or operands in their canonical order.
fn sort_exprs(list: &mut [Expr], colors: &Colors<'_>) {
    list.sort_by_cached_key(|e| expr_key(e, colors));
}

/// Orders what has no order, from the leaves up: the hash of a node does not depend on the order of its
/// parts, so it is the same before and after.
fn order_rel(rel: &mut Rel, colors: &Colors<'_>) {
    for expr in rel.exprs_mut() {
        order_expr(expr, colors);
    }
    for input in rel.inputs_mut() {
        order_rel(input, colors);
    }
    for arm in rel.arms_mut() {
        order_rel(&mut arm.rel, colors);
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
        Rel::SetOp { kind, left, right, columns, .. } => {
            order_set_op(*kind, left, right, columns, colors);
            order_union(rel, colors);
        }
        _ => {}
    }
}

/// Orders the arms of a chain of unions, nested to the left.
fn order_union(rel: &mut Rel, colors: &Colors<'_>) {
    let Rel::SetOp { kind: SetOpKind::Union, all, columns, .. } = &*rel else {
        return;
    };
    let (all, columns) = (*all, columns.clone());
    let mut found = Vec::new();
    rel.union_arms(&columns, all, &mut found);
    if found.len() < 3 {
        return;
    }
    let mut arms: Vec<Query> =
        found.into_iter().map(|(rel, output)| Query { rel: rel.clone(), output }).collect();
    arms.sort_by_cached_key(|q| {
        let links: Vec<u64> = q.output.iter().map(|c| colors.get(*c)).collect();
        (rel_size_key(&q.rel), rel_key(&q.rel, colors), links)
    });
    // The columns of the unions inside are used again.
    let mut inner: Vec<Vec<ColumnId>> = Vec::new();
    inner_columns(rel, all, &mut inner);
    // A union inside of which not all columns are passed on is an arm of its own, and no link of the chain.
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
        if let Rel::SetOp { kind: SetOpKind::Union, all: own, columns, .. } = &arm.rel
            && *own == all
        {
            inner_columns(&arm.rel, all, into);
            into.push(columns.clone());
        }
    }
}

/// Orders the columns of a set operation with what both arms give for them, and the two arms where they can
/// change places.
fn order_set_op(
    kind: SetOpKind,
    left: &mut Query,
    right: &mut Query,
    columns: &mut Vec<ColumnId>,
    colors: &Colors<'_>,
) {
    if left.output.len() != columns.len() || right.output.len() != columns.len() {
        return;
    }
    let mut places: Vec<(ColumnId, ColumnId, ColumnId)> =
        columns.iter().zip(&left.output).zip(&right.output).map(|((c, l), r)| (*c, *l, *r)).collect();
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

/// Orders operands that have no order; literals in an IN-list by their value, which reads better than by
/// hash.
fn order_expr(expr: &mut Expr, colors: &Colors<'_>) {
    for operand in expr.operands_mut() {
        order_expr(operand, colors);
    }
    if let Some(query) = expr.subquery_mut() {
        order_rel(&mut query.rel, colors);
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

/// Gives a bare column above a projection or a grouping the id that it has below. Rules need an id for
/// each place where a column is made; in the form `GROUP BY city` and `city` are to be one column.
fn reuse_ids(query: &mut Query) {
    let mut renamed: BTreeMap<ColumnId, ColumnId> = BTreeMap::new();
    query.map_up_deep(|node| {
        let rename = |c: &mut ColumnId| *c = renamed.get(c).copied().unwrap_or(*c);
        match node {
            NodeMut::Expr(Expr::Column(c)) => rename(c),
            NodeMut::Expr(_) => {}
            NodeMut::Query(query) => query.output.iter_mut().for_each(rename),
            NodeMut::Rel(Rel::Project { exprs: entries, .. } | Rel::Aggregate { keys: entries, .. }) => {
                reuse_in(entries, &mut renamed);
            }
            NodeMut::Rel(_) => {}
        }
    });
}

/// In the entries of one projection or grouping: the first entry of a column takes that column's id, further
/// entries keep ids of their own.
fn reuse_in(entries: &mut [(ColumnId, Expr)], renamed: &mut BTreeMap<ColumnId, ColumnId>) {
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

impl Query {
    /// The query with its columns numbered in the order in which its tree produces them. Ids that the planner gives
    /// follow the names of columns; queries over schemas that differ in names alone are the same once numbered.
    pub fn numbered(mut self) -> Query {
        renumber(&mut self, false);
        self
    }
}

/// Numbers columns in the order in which the tree produces them, from 0, and returns what
/// they were before.
fn renumber(query: &mut Query, any_column_order: bool) -> Vec<ColumnId> {
    let mut numbers = Numbers::default();
    query.map_up_deep(|node| {
        if let NodeMut::Rel(rel) = node {
            rel.introduced(&mut |c| {
                numbers.of(c);
            });
        }
    });
    let mut names: BTreeMap<String, String> = BTreeMap::new();
    query.map_deep(|node| {
        if let NodeMut::Rel(Rel::Recursive { name, .. } | Rel::RecursiveRef { name, .. }) = node {
            let next = format!("r{}", names.len());
            *name = names.entry(std::mem::take(name)).or_insert(next).clone();
        }
        Next::Below
    });
    // A column that nothing produces stays a column that nothing produces.
    query.map_ids(|c| *c = numbers.of(*c));
    if any_column_order {
        query.output.sort_unstable();
    }
    numbers.order
}

/// New ids in the order in which they are first asked for, and what each of them was.
#[derive(Default)]
struct Numbers {
    new: BTreeMap<ColumnId, ColumnId>,
    order: Vec<ColumnId>,
}

impl Numbers {
    /// The number of a column: the next one, if it has none yet.
    fn of(&mut self, c: ColumnId) -> ColumnId {
        *self.new.entry(c).or_insert_with(|| {
            self.order.push(c);
            ColumnId(self.order.len() as u32 - 1)
        })
    }
}
