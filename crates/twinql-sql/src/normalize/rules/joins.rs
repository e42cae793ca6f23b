//! Joins that add nothing, groupings that group nothing, and outer joins that are none.

use std::collections::{BTreeMap, BTreeSet};

use super::super::context::{Context, Role};
use super::super::facts::rejects_null;
use super::super::rule::{Apply, Needs, Rule};
use super::super::walk::{self, Substitution};
use super::blocks::{add_filter, own_columns};
use super::equalities::equal_columns;
use super::predicates::integer;
use crate::expr::{BinaryOp, Expr, UnaryOp};
use crate::rel::{ColumnId, JoinKind, Query, Rel};
use crate::value::Value;

pub(super) const NULL_TESTS: Rule = Rule {
    name: "null-tests",
    summary: "IS NULL on what is never NULL is false; x = x is x IS NOT NULL",
    source: "three-valued logic; which columns are never NULL follows from the schema and the semantics",
    needs: Needs::NOT_NULL,
    apply: Apply::Rel(null_tests),
};

fn null_tests(rel: &mut Rel, cx: &mut Context<'_>) -> bool {
    let worth = walk::own_exprs(rel).into_iter().any(|e| {
        walk::any_expr(e, &mut |x| match x {
            Expr::Unary {
                op: UnaryOp::IsNull, ..
            } => true,
            Expr::Binary {
                op: BinaryOp::Eq | BinaryOp::Is,
                left,
                right,
            } => left == right || matches!(x, Expr::Binary { op: BinaryOp::Is, .. }),
            _ => false,
        })
    });
    if !worth {
        return false;
    }
    let known: BTreeSet<ColumnId> = walk::inputs(rel)
        .into_iter()
        .flat_map(|r| cx.not_null(r))
        .collect();
    let mut changed = false;
    for e in walk::own_exprs_mut(rel) {
        changed |= null_test(e, &known, cx);
    }
    // In a conjunct, `x = x` is true where x is not NULL.
    if let Rel::Filter { predicate: on, .. } | Rel::Join { on, .. } = rel {
        for e in on {
            if let Expr::Binary {
                op: BinaryOp::Eq,
                left,
                right,
            } = e
                && left == right
                && matches!(**left, Expr::Column(_))
            {
                *e = Expr::Unary {
                    op: UnaryOp::Not,
                    expr: Box::new(Expr::Unary {
                        op: UnaryOp::IsNull,
                        expr: left.clone(),
                    }),
                };
                changed = true;
            }
        }
    }
    changed
}

fn null_test(e: &mut Expr, known: &BTreeSet<ColumnId>, cx: &Context<'_>) -> bool {
    let mut changed = false;
    for operand in walk::operands_mut(e) {
        changed |= null_test(operand, known, cx);
    }
    let new = match e {
        Expr::Unary {
            op: UnaryOp::IsNull,
            expr,
        } if walk::is_deterministic(expr) && !cx.may_be_null(expr, known) => Some(integer(0)),
        Expr::Binary {
            op: BinaryOp::Is,
            left,
            right,
        } if !cx.may_be_null(left, known) && !cx.may_be_null(right, known) => Some(Expr::Binary {
            op: BinaryOp::Eq,
            left: left.clone(),
            right: right.clone(),
        }),
        _ => None,
    };
    if let Some(new) = new {
        *e = new;
        changed = true;
    }
    changed
}

pub(super) const SELF_JOIN: Rule = Rule {
    name: "key-self-join",
    summary: "a table joined with itself, or with the enclosing query's, on its key is one table",
    source: "Chakravarthy, Grant & Minker 1990, join elimination",
    needs: Needs::KEYS,
    apply: Apply::Rel(self_join),
};

type Columns = Vec<(ColumnId, usize)>;

/// The scans of a query by each of their columns, for the columns in scope of a block.
fn self_join(rel: &mut Rel, cx: &mut Context<'_>) -> bool {
    let (inputs, on): (Vec<&Rel>, &[Expr]) = match &*rel {
        Rel::Filter { input, predicate } => (vec![&**input], predicate),
        Rel::Join { inputs, on } => (inputs.iter().collect(), on),
        _ => return false,
    };
    let classes = equal_columns(on, cx);
    if classes.is_empty() {
        return false;
    }
    let scan = |r: &Rel| match r {
        Rel::Scan { table, columns } => Some((*table, columns.clone())),
        _ => None,
    };
    let local: Vec<Option<(usize, Columns)>> = inputs.iter().map(|r| scan(r)).collect();
    let equated = |a: ColumnId, b: ColumnId| {
        classes
            .iter()
            .any(|class| class.contains(&a) && class.contains(&b))
    };
    let mut found: Option<(usize, Columns, Columns)> = None;
    for (i, one) in local.iter().enumerate() {
        let Some((table, columns)) = one else { continue };
        for key in cx.table_keys(*table) {
            let at = |list: &Columns, k: usize| list.iter().find(|(_, p)| *p == k).map(|(c, _)| *c);
            // Partners: scans of the same table in this block, and in enclosing queries.
            let near = local
                .iter()
                .enumerate()
                .filter(|(j, _)| *j < i)
                .filter_map(|(_, s)| s.as_ref())
                .filter(|(t, _)| t == table)
                .map(|(_, c)| c);
            let far = cx.outer_scans.iter().filter(|(t, _)| t == table).map(|(_, c)| c);
            let partner = far.chain(near).find(|other| {
                key.iter().all(|k| match (at(columns, *k), at(other, *k)) {
                    (Some(a), Some(b)) => a != b && equated(a, b),
                    _ => false,
                })
            });
            if let Some(other) = partner {
                found = Some((i, columns.clone(), other.clone()));
            }
        }
    }
    let Some((at, gone, by)) = found else {
        return false;
    };
    let mut map = Substitution::new();
    for (c, p) in &gone {
        match by.iter().find(|(_, q)| q == p) {
            Some((b, _)) => {
                map.insert(*c, Expr::Column(*b));
            }
            None => return false,
        }
    }
    let (mut inputs, mut on) = walk::into_block(walk::take(rel));
    inputs.remove(at);
    for e in &mut on {
        walk::substitute(e, &map);
    }
    *rel = walk::block(inputs, on);
    for (c, e) in map {
        cx.replace(c, e);
    }
    true
}

pub(super) const GROUPING_REMOVAL: Rule = Rule {
    name: "grouping-removal",
    summary: "DISTINCT over rows that a key tells apart goes; tables joined only to filter them become EXISTS",
    source: "Paulley & Larson 1994, DISTINCT elimination by keys",
    needs: Needs::NOTHING,
    apply: Apply::Rel(grouping_removal),
};

fn grouping_removal(rel: &mut Rel, cx: &mut Context<'_>) -> bool {
    let Rel::Aggregate { input, keys, calls } = rel else {
        return false;
    };
    if !calls.is_empty() || keys.is_empty() {
        return false;
    }
    let mut read = BTreeSet::new();
    for (_, e) in keys.iter() {
        if !walk::is_deterministic(e) || walk::has_subquery(e) {
            return false;
        }
        walk::expr_columns(e, &mut read);
    }
    let bare: Vec<ColumnId> = keys
        .iter()
        .filter_map(|(_, e)| match e {
            Expr::Column(c) => Some(*c),
            _ => None,
        })
        .collect();
    if cx.dependencies(input).unique(bare.iter().copied()) {
        *rel = Rel::Project {
            input: Box::new(walk::take(input)),
            exprs: std::mem::take(keys),
        };
        return true;
    }
    let Rel::Join { inputs, on } = &**input else {
        return false;
    };
    let (kept, rest): (Vec<Rel>, Vec<Rel>) = inputs
        .iter()
        .cloned()
        .partition(|r| walk::outputs(r).iter().any(|c| read.contains(c)));
    if rest.is_empty() || kept.is_empty() {
        return false;
    }
    let others: BTreeSet<ColumnId> = rest.iter().flat_map(walk::outputs).collect();
    let (outside, inside): (Vec<Expr>, Vec<Expr>) = on.iter().cloned().partition(|e| {
        let mut of = BTreeSet::new();
        own_columns(e, &mut of);
        !of.is_disjoint(&others)
    });
    let kept = walk::block(kept, inside);
    if !on.iter().all(walk::is_deterministic) || !cx.dependencies(&kept).unique(bare) {
        return false;
    }
    let mut kept = kept;
    add_filter(
        &mut kept,
        Expr::Exists(Box::new(Query {
            rel: walk::block(rest, outside),
            output: Vec::new(),
        })),
    );
    *rel = Rel::Project {
        input: Box::new(kept),
        exprs: std::mem::take(keys),
    };
    true
}

pub(super) const LATE_JOIN: Rule = Rule {
    name: "grouping-before-join",
    summary: "a table joined by its key to a group key, and read by no aggregate, is joined after grouping",
    source: "Yan & Larson 1994, eager aggregation",
    needs: Needs::TYPED,
    apply: Apply::Rel(late_join),
};

fn late_join(rel: &mut Rel, cx: &mut Context<'_>) -> bool {
    let Rel::Aggregate { input, keys, calls } = rel else {
        return false;
    };
    let Rel::Join { inputs, on } = &**input else {
        return false;
    };
    if calls.is_empty() || keys.is_empty() || inputs.len() < 2 {
        return false;
    }
    let classes = equal_columns(on, cx);
    let mut in_calls = BTreeSet::new();
    for (_, call) in calls.iter() {
        for e in call.args.iter().chain(&call.filter) {
            walk::expr_columns(e, &mut in_calls);
        }
    }
    let grouped: BTreeSet<ColumnId> = keys
        .iter()
        .filter_map(|(_, e)| match e {
            Expr::Column(c) => Some(*c),
            _ => None,
        })
        .collect();
    for (i, h) in inputs.iter().enumerate() {
        let own = walk::output_set(h);
        if !own.is_disjoint(&in_calls) {
            continue;
        }
        // Its conjuncts: about it alone, or equalities of columns.
        let mut links: BTreeMap<ColumnId, ColumnId> = BTreeMap::new();
        let mut local = Vec::new();
        let mut others = Vec::new();
        let mut fits = true;
        for e in on {
            let mut of = BTreeSet::new();
            own_columns(e, &mut of);
            if of.is_disjoint(&own) {
                others.push(e.clone());
            } else if of.is_subset(&own) {
                local.push(e.clone());
            } else if super::equalities::column_equality(e, cx).is_none() {
                fits = false;
            }
        }
        for class in &classes {
            let (mine, theirs): (Vec<ColumnId>, Vec<ColumnId>) =
                class.iter().copied().partition(|c| own.contains(c));
            let Some(x) = mine.first().copied() else {
                continue;
            };
            if theirs.is_empty() {
                continue;
            }
            // The class is a group key if one of its columns is.
            if mine.len() > 1 || !class.iter().any(|c| grouped.contains(c)) {
                fits = false;
                continue;
            }
            let all = inputs
                .iter()
                .enumerate()
                .filter(|(j, _)| *j != i)
                .flat_map(|(_, r)| walk::outputs(r))
                .collect::<BTreeSet<_>>();
            match theirs
                .iter()
                .copied()
                .filter(|c| all.contains(c))
                .min_by_key(|c| {
                    let origin = cx.info(*c).and_then(|i| i.origin);
                    (!grouped.contains(c), origin.map(|o| (o.table, o.column)), *c)
                }) {
                Some(g) => {
                    links.insert(x, g);
                    // The rest of the class stays equal.
                    for c in theirs.iter().filter(|c| **c != g) {
                        others.push(Expr::Binary {
                            op: BinaryOp::Eq,
                            left: Box::new(Expr::Column(g)),
                            right: Box::new(Expr::Column(*c)),
                        });
                    }
                }
                None => fits = false,
            }
        }
        // Keys that are expressions over it cannot be computed before the join.
        fits &= keys
            .iter()
            .all(|(_, e)| matches!(e, Expr::Column(_)) || walk::columns_of(e).is_disjoint(&own));
        if !fits || links.is_empty() {
            continue;
        }
        let unique = cx
            .dependencies(&walk::filtered(h.clone(), local.clone()))
            .unique(links.keys().copied());
        if !unique {
            continue;
        }
        // Conjuncts among others that a class already covers stand twice; that is cleaned.
        others.retain(|e| {
            super::equalities::column_equality(e, cx)
                .is_none_or(|(a, b)| !own.contains(&a) && !own.contains(&b))
        });
        let h = h.clone();
        let mut rest = inputs.clone();
        rest.remove(i);
        let mut new_keys: Vec<(ColumnId, Expr)> = Vec::new();
        let mut gone = Substitution::new();
        for (c, e) in keys.iter() {
            match e {
                Expr::Column(x) if own.contains(x) => {
                    gone.insert(*c, Expr::Column(*x));
                }
                _ => new_keys.push((*c, e.clone())),
            }
        }
        let mut join_on = local;
        for (x, g) in links {
            let at = new_keys
                .iter()
                .find(|(_, e)| *e == Expr::Column(g))
                .map(|(c, _)| *c);
            let key = match at {
                Some(c) => c,
                None => {
                    let c = cx.fresh_like(g);
                    new_keys.push((c, Expr::Column(g)));
                    c
                }
            };
            join_on.push(Expr::Binary {
                op: BinaryOp::Eq,
                left: Box::new(Expr::Column(x)),
                right: Box::new(Expr::Column(key)),
            });
        }
        let inner = Rel::Aggregate {
            input: Box::new(walk::block(rest, others)),
            keys: new_keys,
            calls: std::mem::take(calls),
        };
        *rel = walk::block(vec![h, inner], join_on);
        for (c, e) in gone {
            cx.replace(c, e);
        }
        return true;
    }
    false
}

pub(super) const OUTER_TO_INNER: Rule = Rule {
    name: "outer-to-inner",
    summary: "a LEFT JOIN whose filled-up rows a filter rejects is an inner join; one of which only these are kept is NOT EXISTS",
    source: "Galindo-Legaria & Rosenthal 1997",
    needs: Needs::NOT_NULL,
    apply: Apply::Rel(outer_to_inner),
};

fn outer_to_inner(rel: &mut Rel, cx: &mut Context<'_>) -> bool {
    let (inputs, on): (Vec<&mut Rel>, &mut Vec<Expr>) = match rel {
        Rel::Filter { input, predicate } => (vec![&mut **input], predicate),
        Rel::Join { inputs, on } => (inputs.iter_mut().collect(), on),
        _ => return false,
    };
    let mut rejected = BTreeSet::new();
    for e in on.iter() {
        rejects_null(e, &mut rejected);
    }
    let mut nulls = BTreeSet::new();
    for e in on.iter() {
        if let Expr::Unary {
            op: UnaryOp::IsNull,
            expr,
        } = e
            && let Expr::Column(c) = &**expr
        {
            nulls.insert(*c);
        }
    }
    let mut map = Substitution::new();
    let mut changed = false;
    for input in inputs {
        let Rel::OuterJoin {
            kind: JoinKind::Left,
            left,
            right,
            on: own,
        } = input
        else {
            continue;
        };
        let made = walk::output_set(right);
        if !made.is_disjoint(&rejected) {
            *input = Rel::Join {
                inputs: vec![walk::take(left), walk::take(right)],
                on: std::mem::take(own),
            };
            changed = true;
            continue;
        }
        let matched = walk::filtered((**right).clone(), own.clone());
        if cx
            .not_null(&matched)
            .intersection(&nulls)
            .any(|c| made.contains(c))
        {
            let mut kept = walk::take(left);
            let inner = walk::filtered(walk::take(right), std::mem::take(own));
            add_filter(
                &mut kept,
                Expr::Unary {
                    op: UnaryOp::Not,
                    expr: Box::new(Expr::Exists(Box::new(Query {
                        rel: inner,
                        output: Vec::new(),
                    }))),
                },
            );
            *input = kept;
            for c in made {
                map.insert(c, Expr::Literal(Value::Null));
            }
            changed = true;
        }
    }
    for e in on.iter_mut() {
        walk::substitute(e, &map);
    }
    for (c, e) in map {
        cx.replace(c, e);
    }
    changed
}

pub(super) const FOREIGN_KEY_JOIN: Rule = Rule {
    name: "foreign-key-join",
    summary: "a table joined over a foreign key and read for its key alone is not joined",
    source: "Chakravarthy, Grant & Minker 1990: each row has exactly one partner",
    needs: Needs::FOREIGN_KEYS,
    apply: Apply::Query(foreign_key_join),
};

fn foreign_key_join(query: &mut Query, role: Role, cx: &mut Context<'_>) -> bool {
    if role != Role::Root {
        return false;
    }
    let mut used = BTreeMap::new();
    count_query(query, &mut used);
    let Some(map) = find_in_rel(&mut query.rel, &used, cx) else {
        return false;
    };
    walk::substitute_query(query, &map);
    true
}

type Uses = BTreeMap<ColumnId, usize>;

fn count_query(query: &Query, used: &mut Uses) {
    for c in &query.output {
        *used.entry(*c).or_default() += 1;
    }
    count_rel(&query.rel, used);
}

fn count_rel(rel: &Rel, used: &mut Uses) {
    for e in walk::own_exprs(rel) {
        count_expr(e, used);
    }
    for input in walk::inputs(rel) {
        count_rel(input, used);
    }
    for arm in walk::arms(rel) {
        count_query(arm, used);
    }
}

fn count_expr(e: &Expr, used: &mut Uses) {
    if let Expr::Column(c) = e {
        *used.entry(*c).or_default() += 1;
    }
    for operand in walk::operands(e) {
        count_expr(operand, used);
    }
    if let Some(query) = walk::subquery(e) {
        count_query(query, used);
    }
}

fn find_in_expr(e: &mut Expr, used: &Uses, cx: &Context<'_>) -> Option<Substitution> {
    for operand in walk::operands_mut(e) {
        if let Some(map) = find_in_expr(operand, used, cx) {
            return Some(map);
        }
    }
    find_in_rel(&mut walk::subquery_mut(e)?.rel, used, cx)
}

fn find_in_rel(rel: &mut Rel, used: &Uses, cx: &Context<'_>) -> Option<Substitution> {
    for input in walk::inputs_mut(rel) {
        if let Some(map) = find_in_rel(input, used, cx) {
            return Some(map);
        }
    }
    for arm in walk::arms_mut(rel) {
        if let Some(map) = find_in_rel(&mut arm.rel, used, cx) {
            return Some(map);
        }
    }
    for e in walk::own_exprs_mut(rel) {
        if let Some(map) = find_in_expr(e, used, cx) {
            return Some(map);
        }
    }
    let Rel::Join { inputs, on } = rel else {
        return None;
    };
    let classes = equal_columns(on, cx);
    for (i, input) in inputs.iter().enumerate() {
        let Rel::Scan { table, columns } = input else {
            continue;
        };
        let read: Vec<(ColumnId, usize)> = columns
            .iter()
            .copied()
            .filter(|(c, _)| used.contains_key(c))
            .collect();
        let [(key, at)] = read.as_slice() else {
            continue;
        };
        if !cx.table_keys(*table).contains(&[*at].as_slice()) {
            continue;
        }
        // A column of another input that holds a value of a foreign key to this key.
        let Some(class) = classes.iter().find(|class| class.contains(key)) else {
            continue;
        };
        let refers = |c: &&ColumnId| {
            let near = inputs
                .iter()
                .enumerate()
                .any(|(j, r)| j != i && walk::outputs(r).contains(c) && cx.not_null(r).contains(c));
            let origin = cx.info(**c).and_then(|info| info.origin);
            near && origin.is_some_and(|o| {
                cx.schema.tables.get(o.table).is_some_and(|t| {
                    t.foreign_keys.iter().any(|f| {
                        f.target == *table
                            && f.columns.as_slice() == [o.column]
                            && f.target_columns.as_slice() == [*at]
                    })
                })
            })
        };
        let Some(by) = class.iter().filter(|c| *c != key).find(refers) else {
            continue;
        };
        let mut map = Substitution::new();
        map.insert(*key, Expr::Column(*by));
        let (mut inputs, on) = walk::into_block(walk::take(rel));
        inputs.remove(i);
        *rel = walk::block(inputs, on);
        return Some(map);
    }
    None
}
