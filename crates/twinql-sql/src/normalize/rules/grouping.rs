//! Groupings that group nothing, and joins that can wait until after grouping.
//!
//! Both rest on functional dependencies: rows that a key among the group keys tells apart are not grouped at
//! all, and a table whose key is equal to group keys gives each group one row, before the grouping as after
//! it.

use crate::column_set::ColumnSet;
use crate::normalize::prelude::*;

pub(super) const GROUPING_REMOVAL: Rule = Rule {
    name: "grouping-removal",
    summary: "DISTINCT over rows that a key tells apart goes; tables joined only to filter them become EXISTS",
    why: "Where a key is among the columns no two rows are equal, so there are no duplicates to remove.",
    source: "Paulley & Larson 1994, DISTINCT elimination by keys",
    needs: Needs::NOTHING,
    examples: examples! {
        "nulls": "SELECT DISTINCT id, city FROM customer" == "SELECT id, city FROM customer";
        "no-fk": "SELECT DISTINCT c.id, c.name FROM customer c JOIN orders o ON o.customer_id = c.id"
            == "SELECT id, name FROM customer WHERE id IN (SELECT customer_id FROM orders)";
        "default": "SELECT DISTINCT id FROM customer GROUP BY city HAVING COUNT(*) > 2"
            == "SELECT id FROM customer GROUP BY city HAVING COUNT(*) > 2";
        "nulls": "SELECT id FROM customer UNION SELECT id FROM customer" == "SELECT id FROM customer";
        "default": "SELECT DISTINCT order_id FROM line" != "SELECT order_id FROM line";
        "default": "SELECT DISTINCT name FROM customer GROUP BY city HAVING COUNT(*) > 2"
            != "SELECT name FROM customer GROUP BY city HAVING COUNT(*) > 2";
    },
    apply: Apply::RelOf(rels::AGGREGATE, grouping_removal),
};

/// Three ways to see that nothing is grouped, the cheapest first:
///
/// - the keys tell the rows of the input apart;
/// - they tell those of the inputs apart that give a key; the other inputs only say which rows stay, and become
///   EXISTS, so that they multiply nothing;
/// - they do so for one input that has, for each key, the key or a column equal to it.
fn grouping_removal(rel: &mut Rel, cx: &mut Context<'_>) -> Changed {
    let (input, keys, calls) = rel.as_aggregate_mut()?;
    if !calls.is_empty() || keys.is_empty() {
        return None;
    }
    let mut read = ColumnSet::new();
    for (_, e) in keys.iter() {
        if !e.is_deterministic() || e.has_subquery() {
            return None;
        }
        e.reads_into(&mut read);
    }
    let bare: Vec<ColumnId> = keys.iter().filter_map(|(_, e)| e.as_column()).collect();
    if cx.dependencies(input).unique(bare.iter().copied()) {
        *rel = Rel::project(input.take(), std::mem::take(keys));
        return Some(());
    }
    let (inputs, on) = input.as_join()?;
    // The inputs that give a key, and those that do not.
    let (mut kept, mut rest): (Vec<Rel>, Vec<Rel>) =
        inputs.iter().cloned().partition(|r| r.outputs().iter().any(|c| read.contains(c)));
    // One input that has an equal column for each key will do.
    let classes = cx.equal_columns(on);
    let mut moved = Substitution::new();
    if bare.len() == keys.len() && !cx.dependencies(&Rel::join(kept.clone(), Vec::new())).unique(bare.clone())
    {
        for (i, one) in inputs.iter().enumerate() {
            let own = one.output_set();
            let equal = |c: &ColumnId| {
                let class = classes.iter().find(|class| class.contains(c));
                class.and_then(|class| class.iter().find(|b| own.contains(b)).copied())
            };
            let map: Option<Substitution> = bare
                .iter()
                .filter(|c| !own.contains(c))
                .map(|c| Some((*c, Expr::Column(equal(c)?))))
                .collect();
            let Some(map) = map else { continue };
            let mapped = bare.iter().map(|c| match map.get(c) {
                Some(Expr::Column(b)) => *b,
                _ => *c,
            });
            // What is asked of this input alone may pin a column of its key.
            let local = on.iter().filter(|e| {
                let of = e.free_columns();
                inputs.iter().enumerate().all(|(j, r)| j == i || r.outputs_among(&of).is_empty())
            });
            let alone = Rel::filter(one.clone(), local.cloned().collect());
            if inputs.len() > 1 && cx.dependencies(&alone).unique(mapped) {
                moved = map;
                kept = vec![one.clone()];
                rest = inputs.clone();
                rest.remove(i);
                break;
            }
        }
    }
    if rest.is_empty() || kept.is_empty() {
        return None;
    }
    let bare: Vec<ColumnId> = bare
        .into_iter()
        .map(|c| match moved.get(&c) {
            Some(Expr::Column(b)) => *b,
            _ => c,
        })
        .collect();
    // A conjunct that reads one of the others goes into the EXISTS with them.
    let others: ColumnSet = rest.iter().flat_map(Rel::outputs).collect();
    let (outside, inside): (Vec<Expr>, Vec<Expr>) = on.iter().cloned().partition(|e| {
        let of = e.free_columns();
        !of.is_disjoint(&others)
    });
    let kept = Rel::join(kept, inside);
    if !on.iter().all(Expr::is_deterministic) || !cx.dependencies(&kept).unique(bare) {
        return None;
    }
    let mut kept = kept;
    kept.add_conjunct(Expr::Exists(Box::new(Query { rel: Rel::join(rest, outside), output: Vec::new() })));
    for (_, e) in keys.iter_mut() {
        e.substitute(&moved);
    }
    *rel = Rel::project(kept, std::mem::take(keys));
    Some(())
}

pub(super) const LATE_JOIN: Rule = Rule {
    name: "grouping-before-join",
    summary: "a table joined by its key to a group key, and read by no aggregate, is joined after grouping",
    why: "The group's key determines the joined row, so each group meets one row of that table before the grouping as after it.",
    source: "Yan & Larson 1994, eager aggregation",
    needs: Needs::TYPED,
    examples: examples! {
        "no-fk": "SELECT c.name FROM customer c JOIN orders o ON o.customer_id = c.id GROUP BY c.id HAVING COUNT(*) > 2"
            == "SELECT name FROM customer WHERE id IN (SELECT customer_id FROM orders GROUP BY customer_id HAVING COUNT(*) >= 3)";
        "no-fk": "SELECT c.name FROM customer c JOIN orders o ON o.customer_id = c.id GROUP BY c.name HAVING COUNT(*) > 2"
            != "SELECT name FROM customer WHERE id IN (SELECT customer_id FROM orders GROUP BY customer_id HAVING COUNT(*) >= 3)";
    },
    apply: Apply::RelOf(rels::AGGREGATE, late_join),
};

/// Puts the first input that can wait above the grouping. Its key columns are equal to group keys, so these
/// take their place, and what else the grouping had of its columns is read from the table itself above.
///
/// ```sql
/// SELECT c.name, COUNT(*) FROM customer c JOIN orders o ON o.customer_id = c.id GROUP BY c.id
/// -- is
/// SELECT c.name, g.n FROM customer c
///   JOIN (SELECT customer_id AS k, COUNT(*) AS n FROM orders GROUP BY customer_id) g ON g.k = c.id
/// ```
fn late_join(rel: &mut Rel, cx: &mut Context<'_>) -> Changed {
    let (input, keys, calls) = rel.as_aggregate_mut()?;
    let (inputs, on) = input.as_join()?;
    if calls.is_empty() || keys.is_empty() || inputs.len() < 2 {
        return None;
    }
    let grouping = Grouping { input, keys, calls };
    let in_calls = grouping.reads_of_calls();
    let classes = cx.equal_columns(on);
    let found = (0..inputs.len()).find_map(|i| Late::of(i, inputs, on, grouping, &in_calls, &classes, cx));
    let Late { place, links, local, others } = found?;
    let mut rest = inputs.clone();
    let late = rest.remove(place);
    let own = late.output_set();
    let (gone, mut new_keys): (Vec<_>, Vec<_>) =
        std::mem::take(keys).into_iter().partition(|(_, e)| e.as_column().is_some_and(|x| own.contains(&x)));
    let mut join_on = local;
    for (x, g) in links {
        // What the input is joined by has to come out of the grouping.
        let known = new_keys.iter().find(|(_, e)| *e == Expr::Column(g));
        let key = known.map(|(c, _)| *c).unwrap_or_else(|| {
            let c = cx.fresh_like(g);
            new_keys.push((c, Expr::Column(g)));
            c
        });
        join_on.push(Expr::Column(x).eq(Expr::Column(key)));
    }
    let inner = Rel::aggregate(Rel::join(rest, others), new_keys, std::mem::take(calls));
    *rel = Rel::join(vec![late, inner], join_on);
    let gone: Substitution = gone.into_iter().collect();
    for (c, e) in gone {
        cx.replace(c, e);
    }
    Some(())
}

/// An input of a join that can be joined after grouping.
struct Late {
    place: usize,
    /// Its columns with the columns of group keys that they equal.
    links: BTreeMap<ColumnId, ColumnId>,
    /// Conjuncts about it alone.
    local: Vec<Expr>,
    /// Conjuncts about the other inputs, with what equals its columns made equal without it.
    others: Vec<Expr>,
}

impl Late {
    /// The input at `place`, if no aggregate reads it, its key equals group keys, and nothing else links it.
    fn of(
        place: usize,
        inputs: &[Rel],
        on: &[Expr],
        grouping: Grouping<'_>,
        in_calls: &ColumnSet,
        classes: &[Vec<ColumnId>],
        cx: &Context<'_>,
    ) -> Option<Late> {
        let input = inputs.get(place)?;
        let own = input.output_set();
        if !own.is_disjoint(in_calls) {
            return None;
        }
        // Its conjuncts: about it alone, or equalities of columns.
        let mut local = Vec::new();
        let mut others = Vec::new();
        for e in on {
            let of = e.free_columns();
            if of.is_disjoint(&own) {
                others.push(e.clone());
            } else if of.is_subset(&own) {
                local.push(e.clone());
            } else {
                cx.column_equality(e)?;
            }
        }
        let grouped: ColumnSet = grouping.bare_keys().collect();
        let beside = inputs.iter().enumerate().filter(|(j, _)| *j != place);
        let beside: ColumnSet = beside.flat_map(|(_, r)| r.outputs()).collect();
        let mut links: BTreeMap<ColumnId, ColumnId> = BTreeMap::new();
        for class in classes {
            let (mine, theirs): (Vec<ColumnId>, Vec<ColumnId>) =
                class.iter().copied().partition(|c| own.contains(c));
            let (Some(x), false) = (mine.first(), theirs.is_empty()) else {
                continue;
            };
            // The class is a group key if one of its columns is.
            if mine.len() > 1 || !class.iter().any(|c| grouped.contains(c)) {
                return None;
            }
            let known = theirs.iter().copied().filter(|c| beside.contains(c));
            let g = known.min_by_key(|c| (!grouped.contains(c), cx.standing(*c)))?;
            links.insert(*x, g);
            // The rest of the class stays equal.
            let rest = theirs.iter().filter(|c| **c != g);
            others.extend(rest.map(|c| Expr::Column(g).eq(Expr::Column(*c))));
        }
        // Keys that are expressions over it cannot be computed before the join.
        let mut computed = grouping.keys.iter().filter(|(_, e)| e.as_column().is_none());
        if links.is_empty() || computed.any(|(_, e)| !e.reads().is_disjoint(&own)) {
            return None;
        }
        let alone = Rel::filter(input.clone(), local.clone());
        if !cx.dependencies(&alone).unique(links.keys().copied()) {
            return None;
        }
        // Conjuncts among others that a class already covers stand twice; that is cleaned.
        others.retain(|e| {
            let equal = cx.column_equality(e);
            equal.is_none_or(|(a, b)| !own.contains(&a) && !own.contains(&b))
        });
        Some(Late { place, links, local, others })
    }
}
