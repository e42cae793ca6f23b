//! Unions: in one chain, without columns that nothing reads, with what is computed of them computed in their
//! arms.
//!
//! A chain is nested to the left and its arms are ordered by `canonical`; these rules see to it that equal
//! unions are chains of the same arms.

use std::hash::{DefaultHasher, Hash, Hasher};

use crate::column_set::ColumnSet;
use crate::normalize::canonical::canonical_form;
use crate::normalize::prelude::*;

/// Arms of a chain that are looked at, at most.
const MAX_ARMS: usize = 32;

pub(super) const CHAIN: Rule = Rule {
    name: "union-chain",
    summary: "unions of unions are one chain; within a UNION, UNION ALL and DISTINCT do nothing, and an arm that stands twice counts once",
    why: "Union is associative and commutative, and UNION at the top makes distinct whatever the arms repeat.",
    source: "relational algebra: ∪ is associative, commutative and, on sets, idempotent",
    needs: Needs::NOTHING,
    examples: examples! {
        "nulls": "SELECT city FROM customer UNION SELECT * FROM (SELECT day FROM orders UNION ALL SELECT product FROM line)"
            == "SELECT city FROM customer UNION SELECT day FROM orders UNION SELECT product FROM line";
        "nulls": "SELECT city FROM customer UNION SELECT day FROM orders UNION SELECT city FROM customer"
            == "SELECT city FROM customer UNION SELECT day FROM orders";
        "nulls": "SELECT city, name FROM customer GROUP BY city UNION SELECT city, name FROM customer GROUP BY city"
            != "SELECT city, name FROM customer GROUP BY city"
            as "which name a group shows is open, and SQLite takes the same one in both arms";
        "nulls": "SELECT city FROM customer UNION ALL SELECT city FROM customer" != "SELECT city FROM customer";
        "nulls": "SELECT city FROM customer UNION SELECT day FROM orders UNION ALL SELECT product FROM line"
            != "SELECT city FROM customer UNION ALL SELECT day FROM orders UNION SELECT product FROM line";
        "default": "SELECT city FROM customer UNION SELECT city FROM customer" != "SELECT city FROM customer";
    },
    apply: Apply::RelOf(rels::SET_OP, chain),
};

/// The arms of a chain of unions, with what each gives for the topmost columns (`wanted`). A UNION within a
/// UNION ALL (`all`) removes duplicates of its own and is an arm; so is one that does not make all of these
/// columns.
pub(super) fn leaves(rel: Rel, wanted: &[ColumnId], all: bool, into: &mut Vec<Query>) {
    match rel {
        Rel::SetOp { kind: SetOpKind::Union, all: own, left, right, columns }
            if (own || !all) && wanted.iter().all(|c| columns.contains(c)) =>
        {
            for arm in [*left, *right] {
                let place = |c: &ColumnId| columns.iter().position(|k| k == c);
                let output: Vec<ColumnId> =
                    wanted.iter().filter_map(|c| arm.output.get(place(c)?).copied()).collect();
                leaves(arm.rel, &output, all, into);
            }
        }
        rel => into.push(Query { rel, output: wanted.to_vec() }),
    }
}

/// A chain of unions of `arms`, nested to the left.
pub(super) fn chained(
    arms: Vec<Query>,
    all: bool,
    columns: &[ColumnId],
    cx: &mut Context<'_>,
) -> Option<Rel> {
    let last = arms.len().saturating_sub(2);
    let ids = |at: usize| {
        if at == last { columns.to_vec() } else { columns.iter().map(|c| cx.fresh_like(*c)).collect() }
    };
    Query::union_chain(arms, all, ids).map(|query| query.rel)
}

/// Rebuilds a union that is not nested to the left, or that has arms which count once: under UNION also UNION
/// ALL inside and repeated arms. Of one arm a DISTINCT is left.
fn chain(rel: &mut Rel, cx: &mut Context<'_>) -> Changed {
    let (all, left, right, columns) = rel.as_union_mut()?;
    let nested = |arm: &Query, all: bool| matches!(&arm.rel, Rel::SetOp { kind: SetOpKind::Union, all: own, .. } if *own || !all);
    // A chain to the left of the same kind is what a chain is.
    let mixed = matches!(&left.rel, Rel::SetOp { kind: SetOpKind::Union, all: own, .. } if own != all);
    // An arm on the right that is a union, or a union of the other kind on the left, is to be taken in.
    let rebuild = nested(right, *all) || mixed && nested(left, *all);
    if !rebuild && *all {
        return None;
    }
    let (all, columns) = (*all, columns.clone());
    let mut arms = Vec::new();
    leaves(rel.clone(), &columns, all, &mut arms);
    if arms.len() > MAX_ARMS {
        return None;
    }
    let before = arms.len();
    if !all {
        drop_repeated(&mut arms, cx);
    }
    if !rebuild && arms.len() == before {
        return None;
    }
    if arms.len() == 1
        && let Some(one) = arms.pop()
    {
        *rel = Rel::distinct_by(
            one.rel,
            columns.iter().copied().zip(one.output.iter().map(|c| Expr::Column(*c))).collect(),
        );
        return Some(());
    }
    put(rel, chained(arms, all, &columns, cx))
}

pub(super) const SAME_ARMS: Rule = Rule {
    name: "same-arms",
    summary: "a query INTERSECT itself is its distinct rows, and EXCEPT itself nothing",
    why: "Every row of a query is a row of the same query.",
    source: "relational algebra: A ∩ A = A, A − A = ∅",
    needs: Needs::NOTHING,
    examples: examples! {
        "nulls": "SELECT city, COUNT(*) FROM customer GROUP BY city INTERSECT SELECT city, COUNT(*) FROM customer GROUP BY city"
            == "SELECT city, COUNT(*) FROM customer GROUP BY city";
        "nulls": "SELECT AVG(age) FROM customer EXCEPT SELECT AVG(age) FROM customer" == "SELECT id FROM customer LIMIT 0";
        "nulls": "SELECT city FROM customer EXCEPT SELECT city FROM customer" == "SELECT city FROM customer LIMIT 0";
        "nulls": "SELECT city, name FROM customer GROUP BY city INTERSECT SELECT city, name FROM customer GROUP BY city"
            != "SELECT city, name FROM customer GROUP BY city"
            as "which name a group shows is open";
        "nulls": "SELECT city FROM customer INTERSECT SELECT city FROM customer" != "SELECT city FROM customer";
        "nulls": "SELECT AVG(age) FROM customer EXCEPT SELECT MAX(age) FROM customer" != "SELECT id FROM customer LIMIT 0";
    },
    apply: Apply::RelOf(rels::SET_OP, same_arms),
};

/// INTERSECT and EXCEPT of one query. What is empty then may be so by an assumption that made the arms alike,
/// and is counted.
fn same_arms(rel: &mut Rel, cx: &mut Context<'_>) -> Changed {
    let Rel::SetOp { kind: kind @ (SetOpKind::Intersect | SetOpKind::Except), all, left, right, columns } =
        rel
    else {
        return None;
    };
    let is_intersect = *kind == SetOpKind::Intersect;
    if is_intersect && *all || left.output.len() != columns.len() {
        return None;
    }
    let mut arms = vec![(**left).clone(), (**right).clone()];
    drop_repeated(&mut arms, cx);
    if arms.len() == 2 {
        return None;
    }
    if is_intersect {
        let keys = columns.iter().zip(&left.output).map(|(c, l)| (*c, Expr::Column(*l))).collect();
        *rel = Rel::distinct_by(left.rel.take(), keys);
    } else {
        cx.vacated += 1;
        *rel = Rel::empty(columns.clone());
    }
    Some(())
}

/// Drops arms that are the same query as one before them.
fn drop_repeated(arms: &mut Vec<Query>, cx: &Context<'_>) {
    // The form of an arm costs more than all else here: most arms have leaves of their own.
    let bags: Vec<u64> = arms.iter().map(|arm| bag(&arm.rel)).collect();
    let mut at = 0;
    let mut seen: Vec<Query> = Vec::new();
    arms.retain(|arm| {
        let own = bags.get(at);
        at += 1;
        let alone = bags.iter().filter(|other| Some(*other) == own).count() < 2;
        // Of what SQL leaves open, one arm may give one answer and the other another.
        if alone
            || !arm.rel.free_columns().is_empty()
            || !arm.rel.is_deterministic()
            || cx.leaves_open(&arm.rel)
            || matches!(arm.rel, Rel::RecursiveRef { .. } | Rel::Recursive { .. })
        {
            return true;
        }
        let mut own = arm.clone();
        super::prune_scans(&mut own);
        let (form, _, _) = canonical_form(own, &cx.columns, cx.schema, false);
        let known = seen.contains(&form);
        if !known {
            seen.push(form);
        }
        !known
    });
}

/// A number that relations of the same tables and constants share, whatever their ids and orders.
fn bag(rel: &Rel) -> u64 {
    let hash = |what: &dyn Fn(&mut DefaultHasher)| {
        let mut hasher = DefaultHasher::new();
        what(&mut hasher);
        hasher.finish()
    };
    let mut sum = 0_u64;
    rel.for_each_deep(|node| {
        sum = sum.wrapping_add(match node {
            Node::Rel(Rel::Scan { table, .. }) => hash(&|h| table.hash(h)),
            Node::Expr(Expr::Literal(v)) => hash(&|h| v.hash(h)),
            _ => 0,
        });
    });
    sum
}

pub(super) const DISTINCT_UNION: Rule = Rule {
    name: "distinct-union",
    summary: "DISTINCT over a UNION ALL is a UNION, and over a UNION nothing",
    why: "UNION is by definition UNION ALL without duplicates.",
    source: "SQL: UNION is UNION ALL without duplicates",
    needs: Needs::NOTHING,
    examples: examples! {
        "nulls": "SELECT DISTINCT x FROM (SELECT city AS x FROM customer UNION ALL SELECT day FROM orders)"
            == "SELECT city FROM customer UNION SELECT day FROM orders";
        "nulls": "SELECT x FROM (SELECT city AS x FROM customer UNION ALL SELECT day FROM orders)"
            != "SELECT city FROM customer UNION SELECT day FROM orders";
    },
    apply: Apply::RelOf(rels::AGGREGATE, distinct_union),
};

/// The keys have to be columns of the union, none of them computed; in their order they are what the arms
/// give.
fn distinct_union(rel: &mut Rel, _cx: &mut Context<'_>) -> Changed {
    let (input, keys, calls) = rel.as_aggregate_mut()?;
    let (_, left, right, columns) = input.as_union_mut()?;
    if !calls.is_empty() || keys.is_empty() {
        return None;
    }
    let places: Option<Vec<usize>> = keys
        .iter()
        .map(|(_, e)| match e {
            Expr::Column(c) => columns.iter().position(|k| k == c),
            _ => None,
        })
        .collect();
    let places = places?;
    for arm in [&mut *left, &mut *right] {
        let output: Option<Vec<ColumnId>> = places.iter().map(|p| arm.output.get(*p).copied()).collect();
        let output = output?;
        arm.output = output;
    }
    *rel = Rel::SetOp {
        kind: SetOpKind::Union,
        all: false,
        left: Box::new(left.clone()),
        right: Box::new(right.clone()),
        columns: keys.iter().map(|(c, _)| *c).collect(),
    };
    Some(())
}

pub(super) const CONSTANT_COLUMNS: Rule = Rule {
    name: "union-constants",
    summary: "a column that is the same constant in all arms of a UNION ALL is that constant",
    why: "Every row of the union holds the constant, whichever arm it comes from.",
    source: "constant propagation, every optimiser",
    needs: Needs::NOTHING,
    examples: examples! {
        "nulls": "SELECT 2, city FROM customer UNION ALL SELECT 2, day FROM orders"
            == "SELECT 2, x FROM (SELECT city AS x FROM customer UNION ALL SELECT day FROM orders)";
        "nulls": "SELECT 2, city FROM customer UNION ALL SELECT 3, day FROM orders"
            != "SELECT 2, x FROM (SELECT city AS x FROM customer UNION ALL SELECT day FROM orders)";
    },
    apply: Apply::RelOf(rels::SET_OP, constant_columns),
};

/// The constant stands in a projection above, in place of the column. UNION without ALL keeps one column at
/// least to compare.
fn constant_columns(rel: &mut Rel, cx: &mut Context<'_>) -> Changed {
    let (all, left, right, columns) = rel.as_union_mut()?;
    let constant = |arm: &Query, c: &ColumnId| match &arm.rel {
        Rel::Project { exprs, .. } => exprs.iter().find_map(|(id, e)| match e {
            Expr::Literal(_) if id == c => Some(e.clone()),
            _ => None,
        }),
        _ => None,
    };
    let found: Vec<Option<Expr>> = left
        .output
        .iter()
        .zip(&right.output)
        .map(|(l, r)| constant(left, l).filter(|one| constant(right, r).as_ref() == Some(one)))
        .collect();
    // A column is left for UNION to compare.
    let left_over = found.iter().filter(|e| e.is_none()).count();
    if found.len() != columns.len() || left_over == columns.len() || left_over == 0 && !*all {
        return None;
    }
    let mut exprs = Vec::new();
    for (c, e) in columns.iter_mut().zip(&found) {
        let own = *c;
        let e = e.clone().unwrap_or_else(|| {
            *c = cx.fresh_like(own);
            Expr::Column(*c)
        });
        exprs.push((own, e));
    }
    let kept: Vec<bool> = found.iter().map(Option::is_none).collect();
    keep_places([&mut *columns, &mut left.output, &mut right.output], &kept);
    *rel = Rel::project(rel.take(), exprs);
    Some(())
}

pub(super) const REPEATED_COLUMNS: Rule = Rule {
    name: "union-repeated-columns",
    summary: "columns of a UNION that are the same in both arms are one",
    why: "Columns that agree in each arm agree in every row of the union.",
    source: "relational algebra: π distributes over ∪",
    needs: Needs::NOTHING,
    examples: examples! {
        "nulls": "SELECT a, b FROM (SELECT city AS a, city AS b FROM customer UNION ALL SELECT day, day FROM orders)"
            == "SELECT a, a FROM (SELECT city AS a FROM customer UNION ALL SELECT day FROM orders)";
        "nulls": "SELECT a, b FROM (SELECT city AS a, city AS b FROM customer UNION ALL SELECT day, code FROM orders)"
            != "SELECT a, a FROM (SELECT city AS a FROM customer UNION ALL SELECT day FROM orders)";
    },
    apply: Apply::RelOf(rels::SET_OP, repeated_columns),
};

/// Under UNION as well: rows that are equal in one of two such columns are equal in both.
fn repeated_columns(rel: &mut Rel, cx: &mut Context<'_>) -> Changed {
    let (_, left, right, columns) = rel.as_union_mut()?;
    if left.output.len() != columns.len() || right.output.len() != columns.len() {
        return None;
    }
    let mut changed = false;
    let mut at = 1;
    while at < columns.len() {
        let same = (0..at).find(|i| {
            left.output.get(*i) == left.output.get(at) && right.output.get(*i) == right.output.get(at)
        });
        match same.and_then(|i| columns.get(i).copied()) {
            Some(first) => {
                let gone = columns.remove(at);
                left.output.remove(at);
                right.output.remove(at);
                cx.replace(gone, Expr::Column(first));
                changed = true;
            }
            None => at += 1,
        }
    }
    changed.then_some(())
}

pub(super) const PROJECTION: Rule = Rule {
    name: "union-projection",
    summary: "what is computed of a UNION ALL's columns is computed in its arms",
    why: "Each row of a UNION ALL comes from one arm, and what is computed of it can be computed there.",
    source: "relational algebra: π distributes over ∪ of bags",
    needs: Needs::NOTHING,
    examples: examples! {
        "nulls": "SELECT a + 1 FROM (SELECT age AS a FROM customer UNION ALL SELECT id FROM orders)"
            == "SELECT age + 1 FROM customer UNION ALL SELECT id + 1 FROM orders";
        "nulls": "SELECT a + 1 FROM (SELECT age AS a FROM customer UNION SELECT id FROM orders)"
            != "SELECT age + 1 FROM customer UNION ALL SELECT id + 1 FROM orders";
    },
    apply: Apply::RelOf(rels::PROJECT.or(rels::AGGREGATE), projection),
};

/// Each arm gets the expression as one more output, and the union a column for it. The arms must have the
/// affinities of the whole, or a comparison in the expression would convert otherwise.
fn projection(rel: &mut Rel, cx: &mut Context<'_>) -> Changed {
    let (input, exprs) = match rel {
        Rel::Project { input, exprs } => (input, exprs.iter_mut().map(|(_, e)| e).collect::<Vec<_>>()),
        Rel::Aggregate { input, keys, calls } => (
            input,
            keys.iter_mut()
                .map(|(_, e)| e)
                .chain(calls.iter_mut().flat_map(|(_, c)| c.args.iter_mut()))
                .collect(),
        ),
        _ => return None,
    };
    let (left, right, columns) = input.as_union_all_mut()?;
    if !cx.compare_alike(&left.output, columns) || !cx.compare_alike(&right.output, columns) {
        return None;
    }
    let mut changed = false;
    for e in exprs {
        // A bare column is an output already, a constant needs no row, and a subquery would be copied.
        let worth = !matches!(e, Expr::Column(_) | Expr::Literal(_))
            && e.is_deterministic()
            && !e.has_subquery()
            && !e.reads().is_empty()
            && e.reads().iter().all(|c| columns.contains(c));
        if !worth {
            continue;
        }
        let mut info = computed("value");
        info.affinity = cx.affinity(e);
        for arm in [&mut *left, &mut *right] {
            let map: Substitution =
                columns.iter().copied().zip(arm.output.iter().map(|c| Expr::Column(*c))).collect();
            let mut own = e.clone();
            own.substitute(&map);
            let id = cx.fresh(info.clone());
            let mut entries = vec![(id, own)];
            // The arm's projection now makes its outputs, under new ids.
            for o in &mut arm.output {
                let new = cx.fresh_like(*o);
                entries.push((new, Expr::Column(*o)));
                *o = new;
            }
            arm.output.push(id);
            arm.rel = Rel::project(arm.rel.take(), entries);
        }
        let id = cx.fresh(info);
        columns.push(id);
        *e = Expr::Column(id);
        changed = true;
    }
    changed.then_some(())
}

pub(super) const UNREAD: Rule = Rule {
    name: "union-pruning",
    summary: "columns of a UNION ALL that nothing reads go",
    why: "UNION ALL compares no rows, so a column that nothing reads has no effect on them.",
    source: "projection pruning, every optimiser",
    needs: Needs::NOTHING,
    examples: examples! {
        "nulls": "SELECT a FROM (SELECT city AS a, id AS b FROM customer UNION ALL SELECT day, id FROM orders)"
            == "SELECT city FROM customer UNION ALL SELECT day FROM orders";
        "nulls": "SELECT a FROM (SELECT city AS a, id AS b FROM customer UNION SELECT day, id FROM orders)"
            != "SELECT city FROM customer UNION SELECT day FROM orders";
    },
    apply: Apply::Query(unread),
};

/// A rule for whole queries: only there it shows what is read.
fn unread(query: &mut Query, role: Role, _cx: &mut Context<'_>) -> Changed {
    let union_all = |rel: &Rel| matches!(rel, Rel::SetOp { all: true, .. });
    if role != Role::Root || !query.any_deep(|node| matches!(node, Node::Rel(rel) if union_all(rel))) {
        return None;
    }
    let used = query.reads();
    let mut changed = false;
    query.map_deep(|node| match node {
        // A DISTINCT compares all columns of its input.
        NodeMut::Rel(Rel::Distinct { .. }) => Next::Past,
        NodeMut::Rel(rel) => {
            changed |= drop_unread(rel, &used);
            Next::Below
        }
        _ => Next::Below,
    });
    changed.then_some(())
}

/// Drops the columns of a UNION ALL that nothing reads.
fn drop_unread(rel: &mut Rel, used: &ColumnSet) -> bool {
    let Rel::SetOp { kind: SetOpKind::Union, all: true, left, right, columns } = rel else {
        return false;
    };
    let kept: Vec<bool> = columns.iter().map(|c| used.contains(c)).collect();
    if !kept.contains(&false) || left.output.len() != kept.len() || right.output.len() != kept.len() {
        return false;
    }
    keep_places([columns, &mut left.output, &mut right.output], &kept);
    true
}

/// Drops the columns of a union, with what its arms give for them, at the places that are not kept.
fn keep_places(lists: [&mut Vec<ColumnId>; 3], kept: &[bool]) {
    for list in lists {
        debug_assert_eq!(list.len(), kept.len(), "each arm of a union gives each of its columns");
        let mut kept = kept.iter();
        list.retain(|_| kept.next() != Some(&false));
    }
}
