//! Joins that only ask whether there is a partner, and outer joins that ask nothing.

use std::collections::{BTreeMap, BTreeSet};

use super::joins::{Uses, count_expr, count_query, count_rel};
use crate::algebra::{BlockMut, Grouping};
use crate::columns::Reads;
use crate::expr::{BinaryOp, Expr, UnaryOp};
use crate::normalize::context::{Context, Role};
use crate::normalize::rule::{Apply, Needs, Rule};
use crate::rel::{ColumnId, JoinKind, Query, Rel};
use crate::substitution::Substitution;
use crate::tree::Tree;

pub(super) const DISTINCT_JOIN: Rule = Rule {
    name: "distinct-join",
    summary: "a join with DISTINCT rows on all their columns is EXISTS",
    source: "Dayal 1987; Galindo-Legaria & Joshi 2001: semi-join as a join with a grouping",
    needs: Needs::TYPED,
    apply: Apply::Rel(distinct_join),
};

fn distinct_join(rel: &mut Rel, cx: &mut Context<'_>) -> bool {
    let Rel::Join { inputs, on } = rel else {
        return false;
    };
    for (i, input) in inputs.iter().enumerate() {
        let Rel::Aggregate {
            input: below,
            keys,
            calls,
        } = input
        else {
            continue;
        };
        if !calls.is_empty() || keys.is_empty() || !input.is_deterministic() {
            continue;
        }
        let own: BTreeSet<ColumnId> = keys.iter().map(|(c, _)| *c).collect();
        // What each key equals outside, and the conjuncts that say so.
        let mut links: BTreeMap<ColumnId, Expr> = BTreeMap::new();
        let mut linking: Vec<usize> = Vec::new();
        for (at, e) in on.iter().enumerate() {
            let Expr::Binary {
                op: BinaryOp::Eq,
                left,
                right,
            } = e
            else {
                continue;
            };
            for (a, b) in [(left, right), (right, left)] {
                let (Expr::Column(k), x) = (&**a, &**b) else {
                    continue;
                };
                let same = match x {
                    Expr::Column(c) => cx.same_storage(*k, *c),
                    _ => false,
                };
                if own.contains(k) && !links.contains_key(k) && same && x.reads().is_disjoint(&own) {
                    links.insert(*k, x.clone());
                    linking.push(at);
                    break;
                }
            }
        }
        let pinned: BTreeMap<ColumnId, Expr> = keys
            .iter()
            .filter(|(_, e)| matches!(e, Expr::Literal(_)))
            .cloned()
            .collect();
        if !own
            .iter()
            .all(|c| links.contains_key(c) || pinned.contains_key(c))
        {
            continue;
        }
        let mut inner = (**below).clone();
        for (k, e) in keys {
            if let Some(x) = links.get(k) {
                inner.add_conjunct(e.clone().eq(x.clone()));
            }
        }
        let mut map: Substitution = pinned;
        map.extend(links);
        let mut others = inputs.clone();
        others.remove(i);
        let mut rest: Vec<Expr> = Vec::new();
        for (at, e) in on.iter().enumerate() {
            if !linking.contains(&at) {
                let mut e = e.clone();
                cx.substitute(&mut e, &map);
                rest.push(e);
            }
        }
        rest.push(Expr::exists(inner));
        *rel = Rel::join(others, rest);
        for (c, e) in map {
            cx.replace(c, e);
        }
        return true;
    }
    false
}

pub(super) const ONE_SIDED: Rule = Rule {
    name: "outer-join-predicates",
    summary: "what an outer join's ON asks of the filled-up side alone filters that side; FULL is LEFT or inner, and a LEFT JOIN below a rejecting ON is inner, where their filled-up rows are lost",
    source: "Galindo-Legaria & Rosenthal 1997",
    needs: Needs::NOT_NULL,
    apply: Apply::Rel(one_sided),
};

fn one_sided(rel: &mut Rel, cx: &mut Context<'_>) -> bool {
    let mut changed = full_joins(rel, cx);
    let Rel::OuterJoin {
        kind: JoinKind::Left,
        left,
        right,
        on,
    } = rel
    else {
        return changed;
    };
    let made = right.output_set();
    let others = left.output_set();
    let mut stay = Vec::new();
    for e in std::mem::take(on) {
        let of = e.free_columns();
        let local = !of.is_disjoint(&made) && of.is_disjoint(&others) && e.is_deterministic();
        if local {
            right.add_conjunct(e);
            changed = true;
        } else {
            stay.push(e);
        }
    }
    *on = stay;
    // Rows that the side below fills up meet no row of this side.
    let mut rejected = BTreeSet::new();
    for e in on.iter() {
        crate::normalize::facts::rejects_null(e, &mut rejected);
    }
    changed | inner_below(right, &rejected)
}

fn inner_below(rel: &mut Rel, rejected: &BTreeSet<ColumnId>) -> bool {
    match rel {
        Rel::OuterJoin {
            kind: JoinKind::Left,
            left,
            right,
            on,
        } if !right.output_set().is_disjoint(rejected) => {
            *rel = Rel::Join {
                inputs: vec![left.take(), right.take()],
                on: std::mem::take(on),
            };
            true
        }
        Rel::OuterJoin {
            kind: JoinKind::Full,
            left,
            right,
            on,
        } => match reduced(left, right, on, rejected) {
            Some(new) => {
                *rel = new;
                true
            }
            None => false,
        },
        _ => false,
    }
}

/// A FULL JOIN of which some filled-up rows are lost above.
fn reduced(
    left: &mut Rel,
    right: &mut Rel,
    on: &mut Vec<Expr>,
    rejected: &BTreeSet<ColumnId>,
) -> Option<Rel> {
    let no_right_alone = !left.output_set().is_disjoint(rejected);
    let no_left_alone = !right.output_set().is_disjoint(rejected);
    if !no_right_alone && !no_left_alone {
        return None;
    }
    let (mut left, mut right) = (left.take(), right.take());
    let on = std::mem::take(on);
    if no_right_alone && no_left_alone {
        return Some(Rel::Join {
            inputs: vec![left, right],
            on,
        });
    }
    if no_left_alone {
        std::mem::swap(&mut left, &mut right);
    }
    Some(Rel::OuterJoin {
        kind: JoinKind::Left,
        left: Box::new(left),
        right: Box::new(right),
        on,
    })
}

fn full_joins(rel: &mut Rel, _cx: &mut Context<'_>) -> bool {
    let Some(BlockMut { inputs, on }) = rel.as_block_mut() else {
        return false;
    };
    let mut rejected = BTreeSet::new();
    let mut changed = false;
    for input in inputs {
        if let Rel::OuterJoin {
            kind: JoinKind::Full,
            left,
            right,
            on: own,
        } = input
        {
            if rejected.is_empty() {
                for e in on.iter() {
                    crate::normalize::facts::rejects_null(e, &mut rejected);
                }
            }
            if let Some(new) = reduced(left, right, own, &rejected) {
                *input = new;
                changed = true;
            }
        }
    }
    changed
}

pub(super) const UNREAD_SIDE: Rule = Rule {
    name: "outer-join-removal",
    summary: "a LEFT JOIN with at most one partner that nothing reads goes; one that is only asked for NULL is NOT EXISTS",
    source: "Bhargava, Goel & Iyer 1995, outer-join elimination by keys",
    needs: Needs::NOTHING,
    apply: Apply::Query(unread_side),
};

fn unread_side(query: &mut Query, role: Role, cx: &mut Context<'_>) -> bool {
    if role != Role::Root || !any_outer_join(&query.rel) {
        return false;
    }
    let mut used = Uses::new();
    count_query(query, &mut used);
    // How often a column is only tested for NULL.
    let mut tests = Uses::new();
    count_tests(query, &mut tests);
    let Some(map) = find(&mut query.rel, &used, &tests, cx) else {
        return false;
    };
    if !map.is_empty() {
        replace_tests(&mut query.rel, &map);
    }
    true
}

fn any_outer_join(rel: &Rel) -> bool {
    let of_expr = |e: &Expr| e.any(|e| e.subquery().is_some_and(|q| any_outer_join(&q.rel)));
    matches!(
        rel,
        Rel::OuterJoin {
            kind: JoinKind::Left,
            ..
        }
    ) || rel.inputs().into_iter().any(any_outer_join)
        || rel.arms().into_iter().any(|q| any_outer_join(&q.rel))
        || rel.exprs().into_iter().any(of_expr)
}

fn tested(e: &Expr) -> Option<ColumnId> {
    match e {
        Expr::Unary {
            op: UnaryOp::IsNull,
            expr,
        } => match &**expr {
            Expr::Column(c) => Some(*c),
            _ => None,
        },
        _ => None,
    }
}

fn count_tests(query: &Query, into: &mut Uses) {
    count_tests_rel(&query.rel, into);
}

fn count_tests_rel(rel: &Rel, into: &mut Uses) {
    for e in rel.exprs() {
        count_tests_expr(e, into);
    }
    for input in rel.inputs() {
        count_tests_rel(input, into);
    }
    for arm in rel.arms() {
        count_tests(arm, into);
    }
}

fn count_tests_expr(e: &Expr, into: &mut Uses) {
    if let Some(c) = tested(e) {
        *into.entry(c).or_default() += 1;
    }
    for operand in e.operands() {
        count_tests_expr(operand, into);
    }
    if let Some(query) = e.subquery() {
        count_tests(query, into);
    }
}

fn find(rel: &mut Rel, used: &Uses, tests: &Uses, cx: &Context<'_>) -> Option<Substitution> {
    for input in rel.inputs_mut() {
        if let Some(map) = find(input, used, tests, cx) {
            return Some(map);
        }
    }
    for arm in rel.arms_mut() {
        if let Some(map) = find(&mut arm.rel, used, tests, cx) {
            return Some(map);
        }
    }
    for e in rel.exprs_mut() {
        if let Some(map) = find_in_expr(e, used, tests, cx) {
            return Some(map);
        }
    }
    let Rel::OuterJoin {
        kind: JoinKind::Left,
        left,
        right,
        on,
    } = rel
    else {
        return None;
    };
    if !right.is_deterministic() || !on.iter().all(Expr::is_deterministic) {
        return None;
    }
    let mut inside = Uses::new();
    count_rel(right, &mut inside);
    on.iter().for_each(|e| count_expr(e, &mut inside));
    let mut tested_inside = Uses::new();
    count_tests_rel(right, &mut tested_inside);
    on.iter().for_each(|e| count_tests_expr(e, &mut tested_inside));
    let of = |uses: &Uses, c: &ColumnId| uses.get(c).copied().unwrap_or(0);
    let matched = Rel::filter((**right).clone(), on.clone());
    let sure = cx.not_null(&matched);
    let mut asked: Vec<ColumnId> = Vec::new();
    for c in right.outputs() {
        let outside = of(used, &c) - of(&inside, &c);
        if outside == 0 {
            continue;
        }
        let only_tested = of(tests, &c) - of(&tested_inside, &c) == outside;
        if !only_tested || !sure.contains(&c) {
            return None;
        }
        asked.push(c);
    }
    if !cx.at_most_one_row(&matched) {
        return None;
    }
    let map: Substitution = asked
        .into_iter()
        .map(|c| (c, Expr::exists(matched.clone()).not()))
        .collect();
    *rel = left.take();
    Some(map)
}

fn find_in_expr(e: &mut Expr, used: &Uses, tests: &Uses, cx: &Context<'_>) -> Option<Substitution> {
    for operand in e.operands_mut() {
        if let Some(map) = find_in_expr(operand, used, tests, cx) {
            return Some(map);
        }
    }
    find(&mut e.subquery_mut()?.rel, used, tests, cx)
}

/// `c IS NULL` by what it asks.
fn replace_tests(rel: &mut Rel, map: &Substitution) {
    for e in rel.exprs_mut() {
        replace_tests_expr(e, map);
    }
    for input in rel.inputs_mut() {
        replace_tests(input, map);
    }
    for arm in rel.arms_mut() {
        replace_tests(&mut arm.rel, map);
    }
}

fn replace_tests_expr(e: &mut Expr, map: &Substitution) {
    if let Some(new) = tested(e).and_then(|c| map.get(&c)) {
        *e = new.clone();
        return;
    }
    for operand in e.operands_mut() {
        replace_tests_expr(operand, map);
    }
    if let Some(query) = e.subquery_mut() {
        replace_tests(&mut query.rel, map);
    }
}

pub(super) const UNREAD_PARTNERS: Rule = Rule {
    name: "outer-join-under-distinct",
    summary: "under DISTINCT, MIN and MAX a LEFT JOIN whose partners nothing reads goes",
    source: "how often a row comes does not matter there, and LEFT JOIN keeps each at least once",
    needs: Needs::NOTHING,
    apply: Apply::Rel(unread_partners),
};

fn unread_partners(rel: &mut Rel, _cx: &mut Context<'_>) -> bool {
    let Rel::Aggregate { input, keys, calls } = rel else {
        return false;
    };
    let grouping = Grouping { input, keys, calls };
    if !grouping.ignores_duplicates() {
        return false;
    }
    let mut read = BTreeSet::new();
    for (_, e) in keys.iter() {
        e.reads_into(&mut read);
    }
    for e in calls
        .iter()
        .flat_map(|(_, call)| call.args.iter().chain(&call.filter))
    {
        e.reads_into(&mut read);
    }
    let mut below = &mut **input;
    if let Rel::Filter { input, predicate } = below {
        predicate.iter().for_each(|e| e.reads_into(&mut read));
        below = input;
    }
    let Rel::OuterJoin {
        kind: JoinKind::Left,
        left,
        right,
        on,
    } = below
    else {
        return false;
    };
    let idle = right.output_set().is_disjoint(&read)
        && on.iter().all(Expr::is_deterministic)
        && right.is_deterministic();
    if idle {
        *below = left.take();
    }
    idle
}
