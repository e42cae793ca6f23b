//! Scans that say nothing new where duplicates do not matter, and groups that hold all of
//! several values as self-joins.

use std::collections::{BTreeMap, BTreeSet};

use super::equalities::{column_equality, equal_columns};
use super::joins::refers_to_key;
use crate::algebra::Grouping;
use crate::columns::Reads;
use crate::expr::{AggFunc, BinaryOp, Expr};
use crate::normalize::context::{Context, Role};
use crate::normalize::rule::{Apply, Needs, Rule};
use crate::rel::{ColumnId, Query, Rel};
use crate::substitution::Substitution;
use crate::tree::Tree;
use crate::value::Value;

/// Produced ids with column positions, as a scan has them.
type ScanColumns = Vec<(ColumnId, usize)>;

/// Inputs of a block that are compared with each other, at most.
const MAX_INPUTS: usize = 8;

/// Values that one group is asked to hold, at most.
const MAX_VALUES: usize = 4;

pub(super) const REDUNDANT_SCAN: Rule = Rule {
    name: "redundant-scan",
    summary: "under DISTINCT, MIN and MAX, a scan goes of which another scan of the same table meets every condition",
    source: "Chandra & Merlin 1977, minimal conjunctive queries",
    needs: Needs::TYPED,
    apply: Apply::Rel(redundant_scan),
};

fn redundant_scan(rel: &mut Rel, cx: &mut Context<'_>) -> bool {
    let Rel::Aggregate { input, keys, calls } = rel else {
        return false;
    };
    let grouping = Grouping { input, keys, calls };
    if !grouping.ignores_duplicates() {
        return false;
    }
    let Rel::Join { inputs, on } = &mut **input else {
        return false;
    };
    let mut read = BTreeSet::new();
    for (_, e) in keys.iter() {
        e.reads_into(&mut read);
    }
    for (_, call) in calls.iter() {
        for e in call.args.iter().chain(&call.filter) {
            e.reads_into(&mut read);
        }
    }
    let Some(map) = fold(inputs, on, &read, &[], cx) else {
        return false;
    };
    let (inputs, on) = (std::mem::take(inputs), std::mem::take(on));
    **input = Rel::join(inputs, on);
    for (_, e) in keys.iter_mut() {
        e.substitute(&map);
    }
    for (_, call) in calls.iter_mut() {
        for e in call.args.iter_mut().chain(&mut call.filter) {
            e.substitute(&map);
        }
    }
    true
}

pub(super) const REDUNDANT_EXISTS: Rule = Rule {
    name: "redundant-exists",
    summary: "in EXISTS, a scan goes of which another, or the enclosing query's row, meets every condition; EXISTS over no table is its condition",
    source: "Chandra & Merlin 1977, minimal conjunctive queries",
    needs: Needs::TYPED,
    apply: Apply::Expr(redundant_exists),
};

fn redundant_exists(e: &mut Expr, cx: &mut Context<'_>) -> bool {
    let Expr::Exists(query) = e else { return false };
    if let Rel::Filter { input, predicate } = &mut query.rel
        && input.is_unit()
        && predicate.iter().all(Expr::is_boolean)
    {
        let mut list = std::mem::take(predicate);
        let all = match (list.pop(), list.is_empty()) {
            (Some(one), true) => one,
            (Some(last), false) => {
                list.push(last);
                Expr::And(list)
            }
            (None, _) => Expr::Literal(Value::Integer(1)),
        };
        // NULL is not true, and EXISTS is never NULL.
        *e = if cx.may_be_null(&all, &BTreeSet::new()) {
            Expr::binary(BinaryOp::Is, all, Expr::Literal(Value::Integer(1)))
        } else {
            all
        };
        return true;
    }
    if !query.output.is_empty() || !matches!(query.rel, Rel::Join { .. } | Rel::Filter { .. }) {
        return false;
    }
    let (mut inputs, mut on) = query.rel.take().into_block();
    let outer = cx.outer_scans.clone();
    let folded = fold(&mut inputs, &mut on, &BTreeSet::new(), &outer, cx);
    query.rel = if inputs.is_empty() {
        Rel::Filter {
            input: Box::new(Rel::unit()),
            predicate: on,
        }
    } else {
        Rel::join(inputs, on)
    };
    folded.is_some()
}

/// Removes one input that another scan of its table, or one of `outer`, stands for: what
/// the block says of the other one follows from what it says already. `read` are the
/// columns that are read above.
fn fold(
    inputs: &mut Vec<Rel>,
    on: &mut Vec<Expr>,
    read: &BTreeSet<ColumnId>,
    outer: &[(usize, ScanColumns)],
    cx: &Context<'_>,
) -> Option<Substitution> {
    if inputs.len() > MAX_INPUTS || !on.iter().all(Expr::is_deterministic) {
        return None;
    }
    let scans: Vec<(usize, usize, ScanColumns)> = inputs
        .iter()
        .enumerate()
        .filter_map(|(i, r)| match r {
            Rel::Scan { table, columns } => Some((i, *table, columns.clone())),
            _ => None,
        })
        .collect();
    let twice = |t: usize| scans.iter().filter(|s| s.1 == t).count() > 1 || outer.iter().any(|o| o.0 == t);
    if !scans.iter().any(|s| twice(s.1)) {
        return None;
    }
    let classes = equal_columns(on, cx);
    let representative = |c: ColumnId| {
        classes
            .iter()
            .find(|class| class.contains(&c))
            .and_then(|class| class.first().copied())
            .unwrap_or(c)
    };
    let to_classes: Substitution = classes
        .iter()
        .flatten()
        .map(|c| (*c, Expr::Column(representative(*c))))
        .collect();
    let in_classes = |e: &Expr| {
        let mut e = e.clone();
        e.substitute(&to_classes);
        e
    };
    let said: BTreeSet<Expr> = on.iter().map(in_classes).collect();
    let lateral: BTreeSet<ColumnId> = inputs.iter().flat_map(Rel::free_columns).collect();
    for (i, table, columns) in &scans {
        if columns.iter().any(|(c, _)| lateral.contains(c)) {
            continue;
        }
        let near = scans.iter().filter(|s| s.1 == *table && s.0 != *i).map(|s| &s.2);
        let far = outer.iter().filter(|o| o.0 == *table).map(|o| &o.1);
        for (by, from_outside) in far.map(|c| (c, true)).chain(near.map(|c| (c, false))) {
            let map: Substitution = columns
                .iter()
                .filter_map(|(c, at)| {
                    let (b, _) = by.iter().find(|(_, p)| p == at)?;
                    Some((*c, Expr::Column(*b)))
                })
                .collect();
            if map.len() != columns.len() || map.iter().any(|(c, e)| *e == Expr::Column(*c)) {
                continue;
            }
            let image = |c: ColumnId| match map.get(&c) {
                Some(Expr::Column(b)) => *b,
                _ => c,
            };
            let equal = |a: ColumnId, b: ColumnId| representative(a) == representative(b);
            let implied = |e: &Expr| {
                if let Some((a, b)) = column_equality(e, cx) {
                    let (a, b) = (image(a), image(b));
                    // A column equals itself where it is not NULL.
                    let same = a == b && from_outside && cx.outer_may_be_null(a);
                    return equal(a, b) && !same;
                }
                let mut e = e.clone();
                e.substitute(&map);
                said.contains(&in_classes(&e))
            };
            let fits = columns
                .iter()
                .all(|(c, _)| !read.contains(c) || equal(*c, image(*c)))
                && on.iter().all(|e| {
                    let of = e.free_columns();
                    !columns.iter().any(|(c, _)| of.contains(c)) || implied(e)
                });
            if !fits {
                continue;
            }
            inputs.remove(*i);
            for e in on.iter_mut() {
                e.substitute(&map);
            }
            // `a = a` is left only where a is known not to be NULL.
            on.retain(|e| match e {
                Expr::Binary {
                    op: BinaryOp::Eq,
                    left,
                    right,
                } => !(from_outside && left == right && matches!(**left, Expr::Column(_))),
                _ => true,
            });
            return Some(map);
        }
    }
    None
}

pub(super) const ALL_VALUES: Rule = Rule {
    name: "all-values",
    summary: "groups with x IN (a, b) and COUNT(DISTINCT x) = 2 hold both values: a self-join on the keys, as INTERSECT is",
    source: "relational division over a constant list; COUNT(*) counts alike where keys and x tell rows apart",
    needs: Needs::TYPED,
    apply: Apply::Rel(all_values),
};

/// A copy of a relation with ids of its own, and what its columns became.
pub(super) fn copy(rel: &Rel, cx: &mut Context<'_>) -> (Rel, BTreeMap<ColumnId, ColumnId>) {
    let made = rel.produced_within();
    let ids: BTreeMap<ColumnId, ColumnId> = made.into_iter().map(|c| (c, cx.fresh_like(c))).collect();
    let mut query = Query {
        rel: rel.clone(),
        output: Vec::new(),
    };
    query.map_ids(|c| {
        if let Some(new) = ids.get(c) {
            *c = *new;
        }
    });
    (query.rel, ids)
}

/// The number that a conjunct asks a column to be, or to reach.
fn asked(e: &Expr) -> Option<(ColumnId, i64)> {
    let Expr::Binary { op, left, right } = e else {
        return None;
    };
    match (op, &**left, &**right) {
        (BinaryOp::Eq, Expr::Column(c), Expr::Literal(Value::Integer(n)))
        | (BinaryOp::Eq | BinaryOp::LtEq, Expr::Literal(Value::Integer(n)), Expr::Column(c)) => {
            Some((*c, *n))
        }
        _ => None,
    }
}

fn all_values(rel: &mut Rel, cx: &mut Context<'_>) -> bool {
    if !matches!(rel, Rel::Filter { .. } | Rel::Join { .. }) {
        return false;
    }
    let on: &[Expr] = match rel {
        Rel::Filter { predicate, .. } => predicate,
        Rel::Join { on, .. } => on,
        _ => &[],
    };
    let candidates: Vec<(usize, ColumnId, i64)> = on
        .iter()
        .enumerate()
        .filter_map(|(i, e)| asked(e).map(|(c, n)| (i, c, n)))
        .filter(|(_, _, n)| (2..=MAX_VALUES as i64).contains(n))
        .collect();
    for (at, count, n) in candidates {
        let inputs: Vec<&mut Rel> = match rel {
            Rel::Filter { input, .. } => vec![&mut **input],
            Rel::Join { inputs, .. } => inputs.iter_mut().collect(),
            _ => return false,
        };
        for input in inputs {
            let Some(new) = divided(input, count, n, cx) else {
                continue;
            };
            *input = new;
            if let Rel::Filter { predicate: on, .. } | Rel::Join { on, .. } = rel {
                on.remove(at);
                let one: Substitution = [(count, Expr::Literal(Value::Integer(n)))].into();
                for e in on {
                    e.substitute(&one);
                }
            }
            // All of the n values are there, and no others are let in.
            cx.replace(count, Expr::Literal(Value::Integer(n)));
            return true;
        }
    }
    false
}

/// The groups of `rel` whose `count` of the values of a list is all `n` of them.
fn divided(rel: &Rel, count: ColumnId, n: i64, cx: &mut Context<'_>) -> Option<Rel> {
    let Rel::Aggregate { input, keys, calls } = rel else {
        return None;
    };
    let [(id, call)] = calls.as_slice() else {
        return None;
    };
    if *id != count || call.func != AggFunc::Count || call.filter.is_some() || keys.is_empty() {
        return None;
    }
    let (inputs, on) = (**input).clone().into_block();
    if inputs.len() > MAX_INPUTS || !input.is_deterministic() {
        return None;
    }
    let made = input.output_set();
    let grouped: Option<Vec<ColumnId>> = keys
        .iter()
        .map(|(_, e)| match e {
            Expr::Column(c) if made.contains(c) => Some(*c),
            _ => None,
        })
        .collect();
    let grouped = grouped?;
    let (at, x, list) = on.iter().enumerate().find_map(|(i, e)| match e {
        Expr::InList { expr, list } if list.len() == n as usize => match &**expr {
            Expr::Column(x) => Some((i, *x, list.clone())),
            _ => None,
        },
        _ => None,
    })?;
    let distinct = |list: &[Expr]| {
        let text = list.iter().all(|e| matches!(e, Expr::Literal(Value::Text(_))));
        let whole = list.iter().all(|e| matches!(e, Expr::Literal(Value::Integer(_))));
        let different: BTreeSet<&Expr> = list.iter().collect();
        (text || whole) && different.len() == list.len()
    };
    let counts_values = match call.args.as_slice() {
        [Expr::Column(c)] => call.distinct && *c == x,
        [] => {
            !call.distinct && {
                let deps = cx.dependencies(input);
                deps.unique(grouped.iter().copied().chain([x]))
            }
        }
        _ => false,
    };
    if !made.contains(&x) || !distinct(&list) || !counts_values {
        return None;
    }
    let known = cx.not_null(input);
    let equal = |op, left: Expr, right: Expr| Expr::binary(op, left, right);
    let (mut all, mut conjuncts) = (Vec::new(), Vec::new());
    for (i, value) in list.iter().enumerate() {
        let mut own = on.clone();
        if let Some(e) = own.get_mut(at) {
            *e = equal(BinaryOp::Eq, Expr::Column(x), value.clone());
        }
        let block = Rel::join(inputs.clone(), own);
        let (block, ids) = if i == 0 {
            (block, BTreeMap::new())
        } else {
            copy(&block, cx)
        };
        for g in grouped.iter().filter(|_| i > 0) {
            let op = if known.contains(g) {
                BinaryOp::Eq
            } else {
                BinaryOp::Is
            };
            let other = ids.get(g).copied()?;
            conjuncts.push(equal(op, Expr::Column(*g), Expr::Column(other)));
        }
        let (more, of) = block.into_block();
        all.extend(more);
        conjuncts.extend(of);
    }
    Some(Rel::distinct_by(Rel::join(all, conjuncts), keys.clone()))
}

pub(super) const FOREIGN_KEY_SEMI_JOIN: Rule = Rule {
    name: "foreign-key-semi-join",
    summary: "a table read for its key alone, where rows that refer to it EXIST, is the DISTINCT foreign key of those rows",
    source: "Chakravarthy, Grant & Minker 1990: each reference has a row",
    needs: Needs::FOREIGN_KEYS,
    apply: Apply::Query(foreign_key_semi_join),
};

fn foreign_key_semi_join(query: &mut Query, role: Role, cx: &mut Context<'_>) -> bool {
    if role != Role::Root {
        return false;
    }
    let used = query.reads();
    let Some(map) = semi_join_in(&mut query.rel, &used, cx) else {
        return false;
    };
    query.substitute(&map);
    true
}

fn semi_join_in(rel: &mut Rel, used: &BTreeSet<ColumnId>, cx: &mut Context<'_>) -> Option<Substitution> {
    for input in rel.inputs_mut() {
        if let Some(map) = semi_join_in(input, used, cx) {
            return Some(map);
        }
    }
    for arm in rel.arms_mut() {
        if let Some(map) = semi_join_in(&mut arm.rel, used, cx) {
            return Some(map);
        }
    }
    let Rel::Filter { input, predicate } = rel else {
        return None;
    };
    let Rel::Scan { table, columns } = &**input else {
        return None;
    };
    let read: Vec<(ColumnId, usize)> = columns
        .iter()
        .copied()
        .filter(|(c, _)| used.contains(c))
        .collect();
    let [(key, at)] = read.as_slice() else {
        return None;
    };
    if !cx.table_keys(*table).contains(&[*at].as_slice()) {
        return None;
    }
    let found = predicate.iter().enumerate().find_map(|(i, e)| {
        let Expr::Exists(q) = e else { return None };
        let (inputs, on) = q.rel.clone().into_block();
        let classes = equal_columns(&on, cx);
        let class = classes.iter().find(|class| class.contains(key))?;
        let by = class
            .iter()
            .find(|c| *c != key && refers_to_key(**c, (*table, *at), usize::MAX, &inputs, cx))?;
        Some((i, *by, inputs, on))
    });
    let (place, by, inputs, mut on) = found?;
    on.extend(
        predicate
            .iter()
            .enumerate()
            .filter(|(i, _)| *i != place)
            .map(|(_, e)| e.clone()),
    );
    // The key becomes the reference below, and a group key of its value above.
    let below: Substitution = [(*key, Expr::Column(by))].into();
    for e in &mut on {
        e.substitute(&below);
    }
    on.retain(|e| !matches!(e, Expr::Binary { op: BinaryOp::Eq, left, right } if left == right && **left == Expr::Column(by)));
    let new = cx.fresh_like(by);
    let above: Substitution = [(*key, Expr::Column(new))].into();
    *rel = Rel::distinct_by(Rel::join(inputs, on), vec![(new, Expr::Column(by))]);
    Some(above)
}
