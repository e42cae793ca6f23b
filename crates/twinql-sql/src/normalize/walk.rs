//! Walking trees: children, own expressions, substitution, produced and used columns.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use smallvec::{SmallVec, smallvec};

use crate::expr::{AggFunc, AggregateCall, Expr};
use crate::function;
use crate::rel::{ColumnId, Query, Rel, SetOpKind};

/// Children of a node. Nearly always a handful, asked for at every step of every rule: kept off
/// the heap.
pub(crate) type Few<T> = SmallVec<[T; 4]>;

/// What columns stand for.
pub(crate) type Substitution = BTreeMap<ColumnId, Expr>;

/// The relation that stands for a missing one: one row without columns.
pub(crate) fn unit() -> Rel {
    Rel::Values {
        columns: Vec::new(),
        rows: vec![Vec::new()],
    }
}

/// True for the relation of one row without columns.
pub(crate) fn is_unit(rel: &Rel) -> bool {
    matches!(rel, Rel::Values { columns, rows } if columns.is_empty() && rows.len() == 1)
}

/// Moves a relation out, leaving the unit relation.
pub(crate) fn take(rel: &mut Rel) -> Rel {
    std::mem::replace(rel, unit())
}

/// The arms in a chain of unions to the left; `columns` gives those of each union, the innermost
/// first. `None` for no arms.
pub(crate) fn union_chain(
    arms: Vec<Query>,
    all: bool,
    mut columns: impl FnMut(usize) -> Vec<ColumnId>,
) -> Option<Query> {
    let mut arms = arms.into_iter();
    let first = arms.next()?;
    Some(arms.enumerate().fold(first, |left, (at, right)| {
        let columns = columns(at);
        Query {
            output: columns.clone(),
            rel: Rel::SetOp {
                kind: SetOpKind::Union,
                all,
                left: Box::new(left),
                right: Box::new(right),
                columns,
            },
        }
    }))
}

/// Input relations that are not queries of their own.
pub(crate) fn inputs_mut(rel: &mut Rel) -> Few<&mut Rel> {
    match rel {
        Rel::Filter { input, .. }
        | Rel::Project { input, .. }
        | Rel::Aggregate { input, .. }
        | Rel::Distinct { input }
        | Rel::Sort { input, .. }
        | Rel::Window { input, .. } => smallvec![&mut **input],
        Rel::Join { inputs, .. } => inputs.iter_mut().collect(),
        Rel::OuterJoin { left, right, .. } => smallvec![&mut **left, &mut **right],
        Rel::Scan { .. }
        | Rel::Values { .. }
        | Rel::TableFunction { .. }
        | Rel::Recursive { .. }
        | Rel::RecursiveRef { .. }
        | Rel::SetOp { .. } => Few::new(),
    }
}

/// Input relations that are not queries of their own.
pub(crate) fn inputs(rel: &Rel) -> Few<&Rel> {
    match rel {
        Rel::Filter { input, .. }
        | Rel::Project { input, .. }
        | Rel::Aggregate { input, .. }
        | Rel::Distinct { input }
        | Rel::Sort { input, .. }
        | Rel::Window { input, .. } => smallvec![&**input],
        Rel::Join { inputs, .. } => inputs.iter().collect(),
        Rel::OuterJoin { left, right, .. } => smallvec![&**left, &**right],
        Rel::Scan { .. }
        | Rel::Values { .. }
        | Rel::TableFunction { .. }
        | Rel::Recursive { .. }
        | Rel::RecursiveRef { .. }
        | Rel::SetOp { .. } => Few::new(),
    }
}

/// Queries that are inputs of this node: arms of set operations and of recursion.
pub(crate) fn arms_mut(rel: &mut Rel) -> Few<&mut Query> {
    match rel {
        Rel::SetOp { left, right, .. } => smallvec![&mut **left, &mut **right],
        Rel::Recursive { seed, step, .. } => smallvec![&mut **seed, &mut **step],
        _ => Few::new(),
    }
}

/// Queries that are inputs of this node: arms of set operations and of recursion.
pub(crate) fn arms(rel: &Rel) -> Few<&Query> {
    match rel {
        Rel::SetOp { left, right, .. } => smallvec![&**left, &**right],
        Rel::Recursive { seed, step, .. } => smallvec![&**seed, &**step],
        _ => Few::new(),
    }
}

fn call_exprs(call: &AggregateCall) -> impl Iterator<Item = &Expr> {
    call.args.iter().chain(call.filter.as_ref())
}

/// The expressions that belong to this node itself, in a fixed order.
pub(crate) fn own_exprs(rel: &Rel) -> Few<&Expr> {
    match rel {
        Rel::Scan { .. } | Rel::RecursiveRef { .. } | Rel::Distinct { .. } => Few::new(),
        Rel::Recursive { .. } | Rel::SetOp { .. } => Few::new(),
        Rel::Values { rows, .. } => rows.iter().flatten().collect(),
        Rel::TableFunction { args, .. } => args.iter().collect(),
        Rel::Filter { predicate, .. } => predicate.iter().collect(),
        Rel::Project { exprs, .. } => exprs.iter().map(|(_, e)| e).collect(),
        Rel::Join { on, .. } | Rel::OuterJoin { on, .. } => on.iter().collect(),
        Rel::Aggregate { keys, calls, .. } => keys
            .iter()
            .map(|(_, e)| e)
            .chain(calls.iter().flat_map(|(_, c)| call_exprs(c)))
            .collect(),
        Rel::Sort {
            keys, limit, offset, ..
        } => keys.iter().map(|k| &k.expr).chain(limit).chain(offset).collect(),
        Rel::Window { calls, .. } => calls
            .iter()
            .flat_map(|(_, c)| {
                c.args
                    .iter()
                    .chain(c.filter.as_ref())
                    .chain(&c.partition_by)
                    .chain(c.order_by.iter().map(|k| &k.expr))
            })
            .collect(),
    }
}

/// The expressions that belong to this node itself, in the order of [`own_exprs`].
pub(crate) fn own_exprs_mut(rel: &mut Rel) -> Few<&mut Expr> {
    match rel {
        Rel::Scan { .. } | Rel::RecursiveRef { .. } | Rel::Distinct { .. } => Few::new(),
        Rel::Recursive { .. } | Rel::SetOp { .. } => Few::new(),
        Rel::Values { rows, .. } => rows.iter_mut().flatten().collect(),
        Rel::TableFunction { args, .. } => args.iter_mut().collect(),
        Rel::Filter { predicate, .. } => predicate.iter_mut().collect(),
        Rel::Project { exprs, .. } => exprs.iter_mut().map(|(_, e)| e).collect(),
        Rel::Join { on, .. } | Rel::OuterJoin { on, .. } => on.iter_mut().collect(),
        Rel::Aggregate { keys, calls, .. } => keys
            .iter_mut()
            .map(|(_, e)| e)
            .chain(
                calls
                    .iter_mut()
                    .flat_map(|(_, c)| c.args.iter_mut().chain(c.filter.as_mut())),
            )
            .collect(),
        Rel::Sort {
            keys, limit, offset, ..
        } => keys
            .iter_mut()
            .map(|k| &mut k.expr)
            .chain(limit)
            .chain(offset)
            .collect(),
        Rel::Window { calls, .. } => calls
            .iter_mut()
            .flat_map(|(_, c)| {
                c.args
                    .iter_mut()
                    .chain(c.filter.as_mut())
                    .chain(&mut c.partition_by)
                    .chain(c.order_by.iter_mut().map(|k| &mut k.expr))
            })
            .collect(),
    }
}

/// Operands of an expression that are expressions of the same scope.
pub(crate) fn operands(expr: &Expr) -> Few<&Expr> {
    match expr {
        Expr::Column(_) | Expr::Literal(_) | Expr::Exists(_) | Expr::Scalar(_) => Few::new(),
        Expr::Unary { expr, .. }
        | Expr::Cast { expr, .. }
        | Expr::Collate { expr, .. }
        | Expr::Quantified { expr, .. } => smallvec![&**expr],
        Expr::Binary { left, right, .. } => smallvec![&**left, &**right],
        Expr::And(list) | Expr::Or(list) | Expr::Row(list) => list.iter().collect(),
        Expr::Function { args, .. } => args.iter().collect(),
        Expr::Case {
            operand,
            branches,
            otherwise,
        } => operand
            .as_deref()
            .into_iter()
            .chain(branches.iter().flat_map(|(w, t)| [w, t]))
            .chain(otherwise.as_deref())
            .collect(),
        Expr::InList { expr, list } => std::iter::once(&**expr).chain(list).collect(),
        Expr::InSubquery { exprs, .. } => exprs.iter().collect(),
    }
}

/// Operands of an expression, in the order of [`operands`].
pub(crate) fn operands_mut(expr: &mut Expr) -> Few<&mut Expr> {
    match expr {
        Expr::Column(_) | Expr::Literal(_) | Expr::Exists(_) | Expr::Scalar(_) => Few::new(),
        Expr::Unary { expr, .. }
        | Expr::Cast { expr, .. }
        | Expr::Collate { expr, .. }
        | Expr::Quantified { expr, .. } => smallvec![&mut **expr],
        Expr::Binary { left, right, .. } => smallvec![&mut **left, &mut **right],
        Expr::And(list) | Expr::Or(list) | Expr::Row(list) => list.iter_mut().collect(),
        Expr::Function { args, .. } => args.iter_mut().collect(),
        Expr::Case {
            operand,
            branches,
            otherwise,
        } => operand
            .as_deref_mut()
            .into_iter()
            .chain(branches.iter_mut().flat_map(|(w, t)| [w, t]))
            .chain(otherwise.as_deref_mut())
            .collect(),
        Expr::InList { expr, list } => std::iter::once(&mut **expr).chain(list).collect(),
        Expr::InSubquery { exprs, .. } => exprs.iter_mut().collect(),
    }
}

/// The subquery of an expression, if it holds one itself.
pub(crate) fn subquery(expr: &Expr) -> Option<&Query> {
    match expr {
        Expr::InSubquery { query, .. } | Expr::Quantified { query, .. } => Some(query),
        Expr::Exists(query) | Expr::Scalar(query) => Some(query),
        _ => None,
    }
}

/// The subquery of an expression, if it holds one itself.
pub(crate) fn subquery_mut(expr: &mut Expr) -> Option<&mut Query> {
    match expr {
        Expr::InSubquery { query, .. } | Expr::Quantified { query, .. } => Some(query),
        Expr::Exists(query) | Expr::Scalar(query) => Some(query),
        _ => None,
    }
}

/// True if `test` holds for the expression or one of its operands (subqueries excluded).
pub(crate) fn any_expr(expr: &Expr, test: &mut dyn FnMut(&Expr) -> bool) -> bool {
    test(expr) || operands(expr).into_iter().any(|e| any_expr(e, test))
}

/// True if the expression holds a subquery.
pub(crate) fn has_subquery(expr: &Expr) -> bool {
    any_expr(expr, &mut |e| subquery(e).is_some())
}

/// Number of nodes of an expression, its subqueries included.
pub(crate) fn expr_size(expr: &Expr) -> usize {
    1 + operands(expr).into_iter().map(expr_size).sum::<usize>()
        + subquery(expr).map_or(0, |q| rel_size(&q.rel))
}

/// Number of nodes of a relation, its expressions included.
pub(crate) fn rel_size(rel: &Rel) -> usize {
    1 + own_exprs(rel).into_iter().map(expr_size).sum::<usize>()
        + inputs(rel).into_iter().map(rel_size).sum::<usize>()
        + arms(rel).into_iter().map(|q| rel_size(&q.rel)).sum::<usize>()
}

/// True if the tree is nested deeper than `limit`; stops at the limit.
pub(crate) fn deeper_than(rel: &Rel, limit: usize) -> bool {
    limit == 0
        || inputs(rel).into_iter().any(|r| deeper_than(r, limit - 1))
        || arms(rel).into_iter().any(|q| deeper_than(&q.rel, limit - 1))
        || own_exprs(rel).into_iter().any(|e| expr_deeper_than(e, limit - 1))
}

fn expr_deeper_than(expr: &Expr, limit: usize) -> bool {
    limit == 0
        || operands(expr).into_iter().any(|e| expr_deeper_than(e, limit - 1))
        || subquery(expr).is_some_and(|q| deeper_than(&q.rel, limit - 1))
}

/// The arms of a chain of unions, with what each gives for the columns `wanted` of it.
pub(crate) fn union_arms<'a>(
    rel: &'a Rel,
    wanted: &[ColumnId],
    all: bool,
    into: &mut Vec<(&'a Rel, Vec<ColumnId>)>,
) {
    match rel {
        Rel::SetOp {
            kind: SetOpKind::Union,
            all: own,
            left,
            right,
            columns,
        } if *own == all && wanted.iter().all(|c| columns.contains(c)) => {
            for arm in [left, right] {
                let output: Vec<ColumnId> = wanted
                    .iter()
                    .filter_map(|c| arm.output.get(columns.iter().position(|k| k == c)?).copied())
                    .collect();
                union_arms(&arm.rel, &output, all, into);
            }
        }
        rel => into.push((rel, wanted.to_vec())),
    }
}

/// The columns a relation produces, in a fixed order.
pub(crate) fn outputs(rel: &Rel) -> Vec<ColumnId> {
    match rel {
        Rel::Scan { columns, .. } => columns.iter().map(|(c, _)| *c).collect(),
        Rel::Values { columns, .. }
        | Rel::TableFunction { columns, .. }
        | Rel::Recursive { columns, .. }
        | Rel::RecursiveRef { columns, .. }
        | Rel::SetOp { columns, .. } => columns.clone(),
        Rel::Filter { input, .. } | Rel::Distinct { input } | Rel::Sort { input, .. } => outputs(input),
        Rel::Project { exprs, .. } => exprs.iter().map(|(c, _)| *c).collect(),
        Rel::Join { inputs, .. } => inputs.iter().flat_map(outputs).collect(),
        Rel::OuterJoin { left, right, .. } => {
            let mut all = outputs(left);
            all.extend(outputs(right));
            all
        }
        Rel::Aggregate { keys, calls, .. } => keys
            .iter()
            .map(|(c, _)| *c)
            .chain(calls.iter().map(|(c, _)| *c))
            .collect(),
        Rel::Window { input, calls } => {
            let mut all = outputs(input);
            all.extend(calls.iter().map(|(c, _)| *c));
            all
        }
    }
}

/// The columns a relation produces, as a set.
pub(crate) fn output_set(rel: &Rel) -> BTreeSet<ColumnId> {
    outputs(rel).into_iter().collect()
}

/// Adds every column an expression refers to, those of its subqueries included.
pub(crate) fn expr_columns(expr: &Expr, into: &mut BTreeSet<ColumnId>) {
    if let Expr::Column(c) = expr {
        into.insert(*c);
    }
    for operand in operands(expr) {
        expr_columns(operand, into);
    }
    if let Some(query) = subquery(expr) {
        query_columns(query, into);
    }
}

/// Every column an expression refers to, those of its subqueries included.
pub(crate) fn columns_of(expr: &Expr) -> BTreeSet<ColumnId> {
    let mut set = BTreeSet::new();
    expr_columns(expr, &mut set);
    set
}

/// Adds every column a query refers to.
pub(crate) fn query_columns(query: &Query, into: &mut BTreeSet<ColumnId>) {
    into.extend(query.output.iter().copied());
    rel_columns(&query.rel, into);
}

/// Adds every column the expressions of a relation refer to.
pub(crate) fn rel_columns(rel: &Rel, into: &mut BTreeSet<ColumnId>) {
    for expr in own_exprs(rel) {
        expr_columns(expr, into);
    }
    for input in inputs(rel) {
        rel_columns(input, into);
    }
    for arm in arms(rel) {
        query_columns(arm, into);
    }
}

/// Replaces columns in an expression and its subqueries; true if one was.
pub(crate) fn substitute(expr: &mut Expr, map: &Substitution) -> bool {
    if let Expr::Column(c) = expr {
        return match map.get(c) {
            Some(new) => {
                *expr = new.clone();
                true
            }
            None => false,
        };
    }
    let mut hit = false;
    for operand in operands_mut(expr) {
        hit |= substitute(operand, map);
    }
    if let Some(query) = subquery_mut(expr) {
        let outer = reaching(query, map);
        hit |= substitute_query(query, &outer);
    }
    hit
}

/// The part of a substitution that reaches into a subquery: what a relation remembers does not
/// reach into the relation itself, even where a rule has just made it a subquery, or its
/// `a = b` would become `a = a`.
pub(crate) fn reaching<'m>(query: &Query, map: &'m Substitution) -> Cow<'m, Substitution> {
    let mut own = BTreeSet::new();
    born_within(&query.rel, &mut own);
    if map.keys().any(|c| own.contains(c)) {
        let mut outer = map.clone();
        outer.retain(|c, _| !own.contains(c));
        Cow::Owned(outer)
    } else {
        Cow::Borrowed(map)
    }
}

/// The columns that first arise in a relation: not those that it merely passes on.
fn born_within(rel: &Rel, into: &mut BTreeSet<ColumnId>) {
    let computed = |(c, e): &(ColumnId, Expr)| (*e != Expr::Column(*c)).then_some(*c);
    match rel {
        Rel::Project { exprs, .. } => into.extend(exprs.iter().filter_map(computed)),
        Rel::Aggregate { keys, calls, .. } => {
            into.extend(keys.iter().filter_map(computed));
            into.extend(calls.iter().map(|(c, _)| *c));
        }
        Rel::Window { calls, .. } => into.extend(calls.iter().map(|(c, _)| *c)),
        Rel::Scan { .. }
        | Rel::Values { .. }
        | Rel::TableFunction { .. }
        | Rel::Recursive { .. }
        | Rel::RecursiveRef { .. }
        | Rel::SetOp { .. } => into.extend(outputs(rel)),
        Rel::Filter { .. }
        | Rel::Join { .. }
        | Rel::OuterJoin { .. }
        | Rel::Distinct { .. }
        | Rel::Sort { .. } => {}
    }
    for input in inputs(rel) {
        born_within(input, into);
    }
    for arm in arms(rel) {
        born_within(&arm.rel, into);
    }
}

/// Replaces columns in every expression of a query; outputs only where the replacement
/// is a column (an outer column is never an output of a subquery otherwise).
pub(crate) fn substitute_query(query: &mut Query, map: &Substitution) -> bool {
    let mut hit = substitute_rel(&mut query.rel, map);
    for c in &mut query.output {
        if let Some(Expr::Column(new)) = map.get(c) {
            *c = *new;
            hit = true;
        }
    }
    hit
}

/// Replaces columns in every expression of a relation; true if one was.
pub(crate) fn substitute_rel(rel: &mut Rel, map: &Substitution) -> bool {
    let mut hit = false;
    for expr in own_exprs_mut(rel) {
        hit |= substitute(expr, map);
    }
    for input in inputs_mut(rel) {
        hit |= substitute_rel(input, map);
    }
    for arm in arms_mut(rel) {
        hit |= substitute_query(arm, map);
    }
    hit
}

/// The conjuncts of a predicate that may be an [`Expr::And`].
pub(crate) fn conjuncts(expr: Expr) -> Vec<Expr> {
    match expr {
        Expr::And(list) => list.into_iter().flat_map(conjuncts).collect(),
        other => vec![other],
    }
}

/// Wraps a relation in a filter, unless there is nothing to filter.
pub(crate) fn filtered(input: Rel, predicate: Vec<Expr>) -> Rel {
    if predicate.is_empty() {
        return input;
    }
    Rel::Filter {
        input: Box::new(input),
        predicate,
    }
}

/// The inner join of any number of inputs under `on`: no join node for fewer than two.
pub(crate) fn block(mut inputs: Vec<Rel>, on: Vec<Expr>) -> Rel {
    match inputs.len() {
        0 => filtered(unit(), on),
        1 => filtered(inputs.remove(0), on),
        _ => Rel::Join { inputs, on },
    }
}

/// Takes an inner-join block apart: its inputs and its conjuncts. The reverse of [`block`].
pub(crate) fn into_block(rel: Rel) -> (Vec<Rel>, Vec<Expr>) {
    match rel {
        Rel::Join { inputs, on } => (inputs, on),
        Rel::Filter { input, predicate } => (vec![*input], predicate),
        other => (vec![other], Vec::new()),
    }
}

/// True where every evaluation gives the same value for the same row.
pub(crate) fn is_deterministic(expr: &Expr) -> bool {
    !any_expr(expr, &mut |e| {
        matches!(e, Expr::Function { name, .. } if function::is_volatile(name))
            || subquery(e).is_some_and(|q| !is_deterministic_rel(&q.rel))
    })
}

/// [`is_deterministic`] for all expressions of a relation.
pub(crate) fn is_deterministic_rel(rel: &Rel) -> bool {
    own_exprs(rel).into_iter().all(is_deterministic)
        && inputs(rel).into_iter().all(is_deterministic_rel)
        && arms(rel).into_iter().all(|q| is_deterministic_rel(&q.rel))
}

/// Visits every column id of a query, where it is produced and where it is read.
pub(crate) fn ids_of_query(query: &mut Query, f: &mut dyn FnMut(&mut ColumnId)) {
    ids_of_rel(&mut query.rel, f);
    query.output.iter_mut().for_each(f);
}

fn ids_of_expr(expr: &mut Expr, f: &mut dyn FnMut(&mut ColumnId)) {
    if let Expr::Column(c) = expr {
        f(c);
    }
    for operand in operands_mut(expr) {
        ids_of_expr(operand, f);
    }
    if let Some(query) = subquery_mut(expr) {
        ids_of_query(query, f);
    }
}

fn ids_of_rel(rel: &mut Rel, f: &mut dyn FnMut(&mut ColumnId)) {
    for input in inputs_mut(rel) {
        ids_of_rel(input, f);
    }
    for arm in arms_mut(rel) {
        ids_of_query(arm, f);
    }
    for expr in own_exprs_mut(rel) {
        ids_of_expr(expr, f);
    }
    match rel {
        Rel::Scan { columns, .. } => columns.iter_mut().for_each(|(c, _)| f(c)),
        Rel::Values { columns, .. }
        | Rel::TableFunction { columns, .. }
        | Rel::Recursive { columns, .. }
        | Rel::RecursiveRef { columns, .. }
        | Rel::SetOp { columns, .. } => columns.iter_mut().for_each(f),
        Rel::Project { exprs, .. } => exprs.iter_mut().for_each(|(c, _)| f(c)),
        Rel::Aggregate { keys, calls, .. } => {
            keys.iter_mut().for_each(|(c, _)| f(c));
            calls.iter_mut().for_each(|(c, _)| f(c));
        }
        Rel::Window { calls, .. } => calls.iter_mut().for_each(|(c, _)| f(c)),
        Rel::Filter { .. }
        | Rel::Join { .. }
        | Rel::OuterJoin { .. }
        | Rel::Sort { .. }
        | Rel::Distinct { .. } => {}
    }
}

/// Every column that some node of the relation produces, its subqueries included.
pub(crate) fn produced_within(rel: &Rel, into: &mut BTreeSet<ColumnId>) {
    into.extend(outputs(rel));
    for input in inputs(rel) {
        produced_within(input, into);
    }
    for arm in arms(rel) {
        produced_within(&arm.rel, into);
    }
    for e in own_exprs(rel) {
        produced_in_expr(e, into);
    }
}

fn produced_in_expr(e: &Expr, into: &mut BTreeSet<ColumnId>) {
    for operand in operands(e) {
        produced_in_expr(operand, into);
    }
    if let Some(query) = subquery(e) {
        produced_within(&query.rel, into);
    }
}

/// True if it makes no difference to a grouping how often a row of its input comes: it asks
/// for groups, extremes and distinct values alone. One of a single group without calls counts
/// as not so.
pub(crate) fn ignores_duplicates(keys: &[(ColumnId, Expr)], calls: &[(ColumnId, AggregateCall)]) -> bool {
    let insensitive = calls.iter().all(|(_, call)| {
        matches!(call.func, AggFunc::Min | AggFunc::Max)
            || call.distinct && matches!(call.func, AggFunc::Count | AggFunc::Sum | AggFunc::Avg)
    });
    insensitive && !(keys.is_empty() && calls.is_empty())
}
