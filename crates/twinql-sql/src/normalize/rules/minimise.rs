//! Scans that say nothing new where duplicates do not matter, and groups that hold all of
//! several values as self-joins.

use super::aggregates::compared_with_whole;
use crate::column_set::ColumnSet;
use crate::normalize::prelude::*;

/// Inputs of a block that are compared with each other, at most.
const MAX_INPUTS: usize = 8;

/// Values that one group is asked to hold, at most.
const MAX_VALUES: usize = 4;

pub(super) const REDUNDANT_SCAN: Rule = Rule {
    name: "redundant-scan",
    summary: "under DISTINCT, MIN and MAX, a scan goes of which another scan of the same table meets every condition",
    why: "Each row of the other scan can stand in for the one that goes, so the same combinations exist, only fewer times.",
    source: "Chandra & Merlin 1977, minimal conjunctive queries",
    needs: Needs::TYPED,
    examples: examples! {
        "default": "SELECT DISTINCT city FROM customer WHERE city IN (SELECT city FROM customer WHERE age > 35) AND city IN (SELECT city FROM customer WHERE age < 25)"
            == "SELECT city FROM customer WHERE age > 35 INTERSECT SELECT city FROM customer WHERE age < 25";
        "default": "SELECT city FROM customer WHERE city IN (SELECT city FROM customer WHERE age > 35) AND city IN (SELECT city FROM customer WHERE age < 25)"
            != "SELECT city FROM customer WHERE age > 35 INTERSECT SELECT city FROM customer WHERE age < 25";
    },
    apply: Apply::RelOf(rels::AGGREGATE, redundant_scan),
};

/// Where duplicates do not count, the join is a conjunctive query over sets. Columns of the scan that went
/// are called by those of the one that stands for it.
fn redundant_scan(rel: &mut Rel, cx: &mut Context<'_>) -> Changed {
    let (input, read) = read_as_set(rel)?;
    let (inputs, on) = input.as_join_mut()?;
    let map = fold(inputs, on, &read, &[], cx)?;
    let (inputs, on) = (std::mem::take(inputs), std::mem::take(on));
    *input = Rel::join(inputs, on);
    change_each(rel.exprs_mut(), |e| e.substitute(&map));
    Some(())
}

pub(super) const REDUNDANT_EXISTS: Rule = Rule {
    name: "redundant-exists",
    summary: "in EXISTS, a scan goes of which another, or the enclosing query's row, meets every condition; EXISTS over no table is its condition",
    why: "A row that meets every condition is there already, so asking for it says nothing new.",
    source: "Chandra & Merlin 1977, minimal conjunctive queries",
    needs: Needs::TYPED,
    examples: examples! {
        "default": "SELECT name FROM customer WHERE city IN (SELECT city FROM customer)" == "SELECT name FROM customer";
        "nulls": "SELECT name FROM customer WHERE city IN (SELECT city FROM customer)" != "SELECT name FROM customer";
    },
    apply: Apply::ExprOf(exprs::EXISTS, redundant_exists),
};

/// First the EXISTS of which nothing is left but conditions on outer rows; then scans within it, for which
/// also the scans of enclosing queries can stand, their rows being there.
fn redundant_exists(e: &mut Expr, cx: &mut Context<'_>) -> Changed {
    let Expr::Exists(query) = e else { return None };
    if let Rel::Filter { input, predicate } = &mut query.rel
        && input.is_unit()
        && predicate.iter().all(Expr::is_boolean)
    {
        let all = Expr::and_all(std::mem::take(predicate));
        // NULL is not true, and EXISTS is never NULL.
        *e = if cx.may_be_null(&all, &ColumnSet::new()) {
            Expr::binary(BinaryOp::Is, all, Expr::integer(1))
        } else {
            all
        };
        return Some(());
    }
    if !query.output.is_empty() || query.rel.as_block().is_none() {
        return None;
    }
    let (mut inputs, mut on) = query.rel.take().into_block();
    let outer = cx.outer_scans.clone();
    let folded = fold(&mut inputs, &mut on, &ColumnSet::new(), &outer, cx);
    query.rel = if inputs.is_empty() {
        Rel::Filter { input: Box::new(Rel::unit()), predicate: on }
    } else {
        Rel::join(inputs, on)
    };
    folded.map(|_| ())
}

/// Removes one input that another scan of its table, or one of `outer`, stands for: what
/// the block says of the other one follows from what it says already. `read` are the
/// columns that are read above.
///
/// This is a homomorphism of conjunctive queries that moves one scan alone: its columns are mapped to those of
/// the other scan by position, and the block has to say, of the images, all that it says of the scan. Conjuncts
/// are compared up to equal columns. A column that is read above has to be equal to its image.
fn fold(
    inputs: &mut Vec<Rel>,
    on: &mut Vec<Expr>,
    read: &ColumnSet,
    outer: &[(usize, ScanColumns)],
    cx: &Context<'_>,
) -> Option<Substitution> {
    if inputs.len() > MAX_INPUTS || !on.iter().all(Expr::is_deterministic) {
        return None;
    }
    let scan = |(i, r): (usize, &'_ Rel)| r.as_scan().map(|(table, columns)| (i, *table, columns.clone()));
    let scans: Vec<(usize, usize, ScanColumns)> = inputs.iter().enumerate().filter_map(scan).collect();
    let twice = |t: usize| scans.iter().filter(|s| s.1 == t).count() > 1 || outer.iter().any(|o| o.0 == t);
    if !scans.iter().any(|s| twice(s.1)) {
        return None;
    }
    let classes = cx.equal_columns(on);
    // Conjuncts are compared with each column written as the first of its class.
    let representative =
        |c: ColumnId| class_of(&classes, c).and_then(|class| class.first().copied()).unwrap_or(c);
    let to_classes: Substitution =
        classes.iter().flatten().map(|c| (*c, Expr::Column(representative(*c)))).collect();
    let in_classes = |e: &Expr| e.substituted(&to_classes);
    let said: BTreeSet<Expr> = on.iter().map(in_classes).collect();
    let lateral: ColumnSet = inputs.iter().flat_map(Rel::free_columns).collect();
    for (i, table, columns) in &scans {
        // Another input is computed from a row of this scan.
        if columns.iter().any(|(c, _)| lateral.contains(c)) {
            continue;
        }
        let near = scans.iter().filter(|s| s.1 == *table && s.0 != *i).map(|s| &s.2);
        let far = outer.iter().filter(|o| o.0 == *table).map(|o| &o.1);
        for (by, from_outside) in far.map(|c| (c, true)).chain(near.map(|c| (c, false))) {
            let other = |map: &Substitution| map.iter().all(|(c, e)| *e != Expr::Column(*c));
            let Some(map) = images(columns, by).filter(other) else { continue };
            let image = |c: ColumnId| map.get(&c).and_then(Expr::as_column).unwrap_or(c);
            let equal = |a: ColumnId, b: ColumnId| representative(a) == representative(b);
            let implied = |e: &Expr| {
                if let Some((a, b)) = cx.column_equality(e) {
                    let (a, b) = (image(a), image(b));
                    // A column equals itself where it is not NULL.
                    let same = a == b && from_outside && cx.outer_may_be_null(a);
                    return equal(a, b) && !same;
                }
                said.contains(&in_classes(&e.substituted(&map)))
            };
            let fits = columns.iter().all(|(c, _)| !read.contains(c) || equal(*c, image(*c)))
                && on.iter().all(|e| {
                    let of = e.free_columns();
                    !columns.iter().any(|(c, _)| of.contains(c)) || implied(e)
                });
            if !fits {
                continue;
            }
            inputs.remove(*i);
            change_each(on.iter_mut(), |e| e.substitute(&map));
            // `a = a` is left only where a is known not to be NULL.
            let itself = |e: &Expr| e.as_column_equality().is_some_and(|(a, b)| a == b);
            on.retain(|e| !(from_outside && itself(e)));
            return Some(map);
        }
    }
    None
}

pub(super) const ALL_VALUES: Rule = Rule {
    name: "all-values",
    summary: "groups with x IN (a, b) and COUNT(DISTINCT x) = 2 hold both values: a self-join on the keys, as INTERSECT is",
    why: "A group that holds two different values out of two holds both, and then a row with the one and a row with the other exist.",
    source: "relational division over a constant list; COUNT(*) counts alike where keys and x tell rows apart",
    needs: Needs::TYPED,
    examples: examples! {
        "default": "SELECT order_id FROM line WHERE product = 'pen' INTERSECT SELECT order_id FROM line WHERE product = 'ink'"
            == "SELECT order_id FROM line WHERE product IN ('ink', 'pen') GROUP BY order_id HAVING COUNT(DISTINCT product) = 2";
        "default": "SELECT city FROM customer WHERE name = 'Ann' INTERSECT SELECT city FROM customer WHERE name = 'Bob'"
            != "SELECT city FROM customer WHERE name IN ('Ann', 'Bob') GROUP BY city HAVING COUNT(*) = 2";
    },
    apply: Apply::RelOf(Kinds::BLOCKS, all_values),
};

/// The number that a conjunct asks a column to be, or to reach.
fn asked(e: &Expr) -> Option<(ColumnId, i64)> {
    let asks = |op| matches!(op, BinaryOp::Eq | BinaryOp::GtEq);
    compared_with_whole(e).filter(|(_, op, _)| asks(*op)).map(|(c, _, n)| (c, n))
}

/// The filter over the grouping asks for `count = n` or `count >= n`, which is the same where only n values
/// are let in; so the count is n above.
fn all_values(rel: &mut Rel, cx: &mut Context<'_>) -> Changed {
    let BlockMut { inputs, on } = rel.as_block_mut()?;
    let asked = on.iter().enumerate().filter_map(|(i, e)| Some((i, asked(e)?)));
    let few = 2..=MAX_VALUES as i64;
    let candidates: Vec<(usize, (ColumnId, i64))> = asked.filter(|(_, (_, n))| few.contains(n)).collect();
    for (at, (count, n)) in candidates {
        for input in inputs.iter_mut() {
            let Some(new) = divided(input, count, n, cx) else {
                continue;
            };
            *input = new;
            on.remove(at);
            let one: Substitution = [(count, Expr::integer(n))].into();
            change_each(on, |e| e.substitute(&one));
            // All of the n values are there, and no others are let in.
            cx.replace(count, Expr::integer(n));
            return Some(());
        }
    }
    None
}

/// The groups of `rel` whose `count` of the values of a list is all `n` of them: one copy of the grouping's input
/// for each value, joined on the group keys. The list must have n different values of one kind, and the count
/// be of different values: COUNT(DISTINCT x), or COUNT(*) where keys and x tell rows apart.
///
/// ```sql
/// SELECT order_id FROM line WHERE product IN ('ink', 'pen') GROUP BY order_id HAVING COUNT(DISTINCT product) = 2
/// -- is
/// SELECT DISTINCT a.order_id FROM line a JOIN line b ON a.order_id = b.order_id
///  WHERE a.product = 'ink' AND b.product = 'pen'
/// ```
fn divided(rel: &Rel, count: ColumnId, n: i64, cx: &mut Context<'_>) -> Option<Rel> {
    let (input, keys, calls) = rel.as_aggregate()?;
    let [(id, call)] = calls.as_slice() else {
        return None;
    };
    if *id != count || call.func != AggFunc::Count || call.filter.is_some() || keys.is_empty() {
        return None;
    }
    let (inputs, on) = input.clone().into_block();
    if inputs.len() > MAX_INPUTS || !input.is_deterministic() {
        return None;
    }
    let made = input.output_set();
    let bare = |e: &Expr| e.as_column().filter(|c| made.contains(c));
    let grouped: Vec<ColumnId> = keys.iter().map(|(_, e)| bare(e)).collect::<Option<_>>()?;
    let (at, x, list) = on.iter().enumerate().find_map(|(i, e)| match e {
        Expr::InList { expr, list } if list.len() == n as usize => Some((i, expr.as_column()?, list.clone())),
        _ => None,
    })?;
    let distinct = |list: &[Expr]| {
        let text = list.iter().all(|e| e.as_text().is_some());
        let whole = list.iter().all(|e| e.as_integer().is_some());
        let different: BTreeSet<&Expr> = list.iter().collect();
        (text || whole) && different.len() == list.len()
    };
    let counts_values = match call.args.as_slice() {
        [Expr::Column(c)] => call.distinct && *c == x,
        [] => !call.distinct && cx.dependencies(input).unique(grouped.iter().copied().chain([x])),
        _ => false,
    };
    if !made.contains(&x) || !distinct(&list) || !counts_values {
        return None;
    }
    let known = cx.not_null(input);
    let (mut all, mut conjuncts) = (Vec::new(), Vec::new());
    for (i, value) in list.iter().enumerate() {
        let mut own = on.clone();
        if let Some(e) = own.get_mut(at) {
            *e = Expr::Column(x).eq(value.clone());
        }
        let block = Rel::join(inputs.clone(), own);
        let (block, ids) = if i == 0 { (block, Substitution::new()) } else { cx.copy(&block) };
        for g in grouped.iter().filter(|_| i > 0) {
            // GROUP BY takes NULLs as equal, = does not.
            let op = if known.contains(g) { BinaryOp::Eq } else { BinaryOp::Is };
            let other = ids.get(g)?.clone();
            conjuncts.push(Expr::binary(op, Expr::Column(*g), other));
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
    why: "Every value of the foreign key is a key of the table, and a key is there once.",
    source: "Chakravarthy, Grant & Minker 1990: each reference has a row",
    needs: Needs::FOREIGN_KEYS,
    examples: examples! {
        "default": "SELECT id FROM customer WHERE id IN (SELECT customer_id FROM orders WHERE total > 1)"
            == "SELECT DISTINCT customer_id FROM orders WHERE total > 1";
        "no-fk": "SELECT id FROM customer WHERE id IN (SELECT customer_id FROM orders WHERE total > 1)"
            != "SELECT DISTINCT customer_id FROM orders WHERE total > 1";
    },
    apply: Apply::Root(foreign_key_semi_join),
};

/// A rule for whole queries: only there it shows that nothing but the key is read.
fn foreign_key_semi_join(query: &mut Query, cx: &mut Context<'_>) -> Changed {
    let used = query.reads();
    let map = query.rel.find(|rel| as_references(rel, &used, cx))?;
    query.substitute(&map);
    Some(())
}

/// A table that is read for its key alone as the rows that refer to it; what the key becomes. The reference has
/// to be a column inside the EXISTS that is never NULL; conditions on the key outside hold for the reference.
fn as_references(rel: &mut Rel, used: &ColumnSet, cx: &mut Context<'_>) -> Option<Substitution> {
    let (input, predicate) = rel.as_filter_mut()?;
    let (key, column) = read_for_one(input, used).filter(|(_, column)| cx.is_key(*column))?;
    let (place, by, inputs, mut on) = predicate.iter().enumerate().find_map(|(i, e)| {
        let (inputs, on) = e.as_exists()?.rel.clone().into_block();
        let classes = cx.equal_columns(&on);
        let mut others = class_of(&classes, key)?.iter().filter(|c| **c != key);
        let by = *others.find(|c| cx.refers_to_key(**c, column, usize::MAX, &inputs))?;
        Some((i, by, inputs, on))
    })?;
    on.extend(predicate.iter().enumerate().filter(|(i, _)| *i != place).map(|(_, e)| e.clone()));
    // The key becomes the reference below, and a group key of its value above.
    let below: Substitution = [(key, Expr::Column(by))].into();
    change_each(&mut on, |e| e.substitute(&below));
    on.retain(|e| e.as_column_equality() != Some((by, by)));
    let new = cx.fresh_like(by);
    let above: Substitution = [(key, Expr::Column(new))].into();
    *rel = Rel::distinct_by(Rel::join(inputs, on), vec![(new, Expr::Column(by))]);
    Some(above)
}
