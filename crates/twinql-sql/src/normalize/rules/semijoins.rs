//! Joins that only ask whether there is a partner, and outer joins that ask nothing.

use crate::column_set::ColumnSet;
use crate::normalize::prelude::*;

pub(super) const DISTINCT_JOIN: Rule = Rule {
    name: "distinct-join",
    summary: "a join with DISTINCT rows on all their columns is EXISTS",
    why: "Among distinct rows at most one equals the outer row in all columns, so the join keeps it once or not at all.",
    source: "Dayal 1987; Galindo-Legaria & Joshi 2001: semi-join as a join with a grouping",
    needs: Needs::TYPED,
    examples: examples! {
        "nulls": "SELECT c.name FROM customer c JOIN (SELECT DISTINCT customer_id AS k FROM orders WHERE total > 3) o ON o.k = c.id"
            == "SELECT name FROM customer WHERE id IN (SELECT customer_id FROM orders WHERE total > 3)";
        "nulls": "SELECT c.name FROM customer c JOIN (SELECT DISTINCT customer_id AS k, day FROM orders) o ON o.k = c.id"
            != "SELECT name FROM customer WHERE id IN (SELECT customer_id FROM orders)";
    },
    apply: Apply::RelOf(rels::JOIN, distinct_join),
};

/// Takes an input that is a DISTINCT each of whose columns is equated with a column outside it, or is a
/// constant. What the columns are equal to stands for them above.
fn distinct_join(rel: &mut Rel, cx: &mut Context<'_>) -> Changed {
    let (inputs, on) = rel.as_join_mut()?;
    for (i, input) in inputs.iter().enumerate() {
        let Rel::Aggregate { input: below, keys, calls } = input else {
            continue;
        };
        if !calls.is_empty() || keys.is_empty() || !input.is_deterministic() {
            continue;
        }
        let own: ColumnSet = keys.iter().map(|(c, _)| *c).collect();
        // What each key equals outside, and the conjuncts that say so.
        let mut links: BTreeMap<ColumnId, Expr> = BTreeMap::new();
        let mut linking: Vec<usize> = Vec::new();
        for (at, e) in on.iter().enumerate() {
            let Some((a, b)) = e.as_column_equality() else {
                continue;
            };
            for (k, x) in [(a, b), (b, a)] {
                let same = cx.same_storage(k, x);
                if own.contains(&k) && !links.contains_key(&k) && same && !own.contains(&x) {
                    links.insert(k, Expr::Column(x));
                    linking.push(at);
                    break;
                }
            }
        }
        // A key that is a constant links nothing and need not.
        let pinned: BTreeMap<ColumnId, Expr> =
            keys.iter().filter(|(_, e)| matches!(e, Expr::Literal(_))).cloned().collect();
        if !own.iter().all(|c| links.contains_key(c) || pinned.contains_key(c)) {
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
        return Some(());
    }
    None
}

pub(super) const ONE_SIDED: Rule = Rule {
    name: "outer-join-predicates",
    summary: "what an outer join's ON asks of the filled-up side alone filters that side; FULL is LEFT or inner, and a LEFT JOIN below a rejecting ON is inner, where their filled-up rows are lost",
    why: "A row of the filled-up side that fails a condition on that side alone has no partner, whether it is asked before the join or in it.",
    source: "Galindo-Legaria & Rosenthal 1997",
    needs: Needs::NOT_NULL,
    examples: examples! {
        "nulls": "SELECT c.name, o.day FROM customer c LEFT JOIN orders o ON o.customer_id = c.id AND o.total > 3"
            == "SELECT c.name, o.day FROM customer c LEFT JOIN (SELECT * FROM orders WHERE total > 3) o ON o.customer_id = c.id";
        "nulls": "SELECT c.name, o.day FROM customer c FULL JOIN orders o ON o.customer_id = c.id WHERE c.age > 3"
            == "SELECT c.name, o.day FROM customer c LEFT JOIN orders o ON o.customer_id = c.id WHERE c.age > 3";
        "nulls": "SELECT c.name, o.day FROM customer c LEFT JOIN orders o ON o.customer_id = c.id AND c.age > 3"
            != "SELECT c.name, o.day FROM customer c LEFT JOIN orders o ON o.customer_id = c.id WHERE c.age > 3";
        "nulls": "SELECT c.name, o.day FROM customer c FULL JOIN orders o ON o.customer_id = c.id WHERE c.city IS NULL"
            != "SELECT c.name, o.day FROM customer c LEFT JOIN orders o ON o.customer_id = c.id WHERE c.city IS NULL";
    },
    apply: Apply::RelOf(Kinds::CONDITIONS, one_sided),
};

/// Conjuncts about the left side alone stay in ON: there they keep a row and only leave it without partner.
/// One that reads neither side stays as well.
fn one_sided(rel: &mut Rel, _cx: &mut Context<'_>) -> Changed {
    let mut changed = full_joins(rel);
    let Rel::OuterJoin { kind: JoinKind::Left, left, right, on } = rel else {
        return changed.then_some(());
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
    (changed | inner_below(right, &rejected(on.iter()))).then_some(())
}

/// An outer join whose filled-up rows lose their columns' values to a condition above: `rejected` are the
/// columns that may not be NULL there.
fn inner_below(rel: &mut Rel, rejected: &ColumnSet) -> bool {
    match rel {
        Rel::OuterJoin { kind: JoinKind::Left, right, .. } if !right.output_set().is_disjoint(rejected) => {
            rel.make_inner()
        }
        Rel::OuterJoin { kind: JoinKind::Full, left, right, on } => {
            let new = reduced(left, right, on, rejected);
            put(rel, new).is_some()
        }
        _ => false,
    }
}

/// A FULL JOIN of which some filled-up rows are lost above. Rows of the right side alone have NULL on the left,
/// and the reverse; without both kinds it is inner, without one LEFT, the sides exchanged if need be.
fn reduced(left: &mut Rel, right: &mut Rel, on: &mut Vec<Expr>, rejected: &ColumnSet) -> Option<Rel> {
    let no_right_alone = !left.output_set().is_disjoint(rejected);
    let no_left_alone = !right.output_set().is_disjoint(rejected);
    if !no_right_alone && !no_left_alone {
        return None;
    }
    let (mut left, mut right) = (left.take(), right.take());
    let on = std::mem::take(on);
    if no_right_alone && no_left_alone {
        return Some(Rel::Join { inputs: vec![left, right], on });
    }
    if no_left_alone {
        std::mem::swap(&mut left, &mut right);
    }
    Some(Rel::OuterJoin { kind: JoinKind::Left, left: Box::new(left), right: Box::new(right), on })
}

/// FULL JOINs below a filter or an inner join.
fn full_joins(rel: &mut Rel) -> bool {
    let Some(BlockMut { inputs, on }) = rel.as_block_mut() else {
        return false;
    };
    let mut known = None;
    let mut changed = false;
    for input in inputs {
        if let Rel::OuterJoin { kind: JoinKind::Full, left, right, on: own } = input {
            let new = reduced(left, right, own, known.get_or_insert_with(|| rejected(on.iter())));
            changed |= put(input, new).is_some();
        }
    }
    changed
}

pub(super) const UNREAD_SIDE: Rule = Rule {
    name: "outer-join-removal",
    summary: "a LEFT JOIN with at most one partner that nothing reads goes; one that is only asked for NULL is NOT EXISTS",
    why: "A LEFT JOIN keeps each row of its left side, and with at most one partner keeps it once.",
    source: "Bhargava, Goel & Iyer 1995, outer-join elimination by keys",
    needs: Needs::NOTHING,
    examples: examples! {
        "nulls": "SELECT o.day FROM orders o LEFT JOIN customer c ON o.customer_id = c.id" == "SELECT day FROM orders";
        "nulls": "SELECT o.day FROM orders o LEFT JOIN customer c ON o.code = c.name AND c.id = o.id WHERE c.id IS NOT NULL OR o.total > 3"
            == "SELECT day FROM orders o WHERE total > 3 OR EXISTS (SELECT 1 FROM customer c WHERE o.code = c.name AND c.id = o.id)";
        "nulls": "SELECT c.name FROM customer c LEFT JOIN orders o ON o.customer_id = c.id" != "SELECT name FROM customer";
        "strict": "SELECT o.day FROM orders o LEFT JOIN customer c ON o.customer_id = c.id" != "SELECT day FROM orders";
    },
    apply: Apply::Query(unread_side),
};

/// A rule for whole queries: how often a column is read, and how often only tested for NULL, is counted over
/// all of it.
fn unread_side(query: &mut Query, role: Role, cx: &mut Context<'_>) -> Changed {
    let left_join = |rel: &Rel| matches!(rel, Rel::OuterJoin { kind, .. } if *kind == JoinKind::Left);
    if role != Role::Root || !query.any_deep(|node| matches!(node, Node::Rel(rel) if left_join(rel))) {
        return None;
    }
    let mut used = Uses::new();
    count_uses(query, &mut used);
    // How often a column is only tested for NULL.
    let mut tests = Uses::new();
    count_tests(query, &mut tests);
    let found = query.find_deep(|node| match node {
        NodeMut::Rel(rel) => without_side(rel, &used, &tests, cx),
        _ => None,
    });
    let map = found?;
    if !map.is_empty() {
        replace_tests(query, &map);
    }
    Some(())
}

/// How often columns are read.
type Uses = BTreeMap<ColumnId, usize>;

/// Counts how often columns are read.
fn count_uses(tree: &impl Tree, used: &mut Uses) {
    let mut count = |c: &ColumnId| *used.entry(*c).or_default() += 1;
    tree.for_each_deep(|node| match node {
        Node::Expr(Expr::Column(c)) => count(c),
        Node::Query(query) => query.output.iter().for_each(&mut count),
        _ => {}
    });
}

/// The column of `c IS NULL`.
fn tested(e: &Expr) -> Option<ColumnId> {
    e.as_null_test()?.as_column()
}

/// Counts how often columns are only tested for NULL.
fn count_tests(tree: &impl Tree, into: &mut Uses) {
    tree.for_each_deep(|node| {
        if let Node::Expr(e) = node
            && let Some(c) = tested(e)
        {
            *into.entry(c).or_default() += 1;
        }
    });
}

/// Removes a LEFT JOIN whose right side nothing reads, or only tests for NULL; what these tests become. The test
/// must be of a column that no matched row has NULL in: then `c IS NULL` says that there is no partner. Reads
/// inside the join itself go with it, so they are taken off the counts.
fn without_side(rel: &mut Rel, used: &Uses, tests: &Uses, cx: &Context<'_>) -> Option<Substitution> {
    let (left, right, on) = rel.as_left_join_mut()?;
    if !right.is_deterministic() || !on.iter().all(Expr::is_deterministic) {
        return None;
    }
    let mut inside = Uses::new();
    count_uses(&*right, &mut inside);
    on.iter().for_each(|e| count_uses(e, &mut inside));
    let mut tested_inside = Uses::new();
    count_tests(&*right, &mut tested_inside);
    on.iter().for_each(|e| count_tests(e, &mut tested_inside));
    let of = |uses: &Uses, c: &ColumnId| uses.get(c).copied().unwrap_or(0);
    // The right side as one row of the left meets it: columns of the left are constants there.
    let matched = Rel::filter(right.clone(), on.clone());
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
    // With two partners the row comes twice.
    if !cx.at_most_one_row(&matched) {
        return None;
    }
    let map: Substitution = asked.into_iter().map(|c| (c, Expr::exists(matched.clone()).not())).collect();
    *rel = left.take();
    Some(map)
}

/// `c IS NULL` by what it asks.
fn replace_tests(query: &mut Query, map: &Substitution) {
    query.map_deep(|node| {
        if let NodeMut::Expr(e) = node
            && let Some(new) = tested(e).and_then(|c| map.get(&c))
        {
            *e = new.clone();
            return Next::Past;
        }
        Next::Below
    });
}

pub(super) const UNREAD_PARTNERS: Rule = Rule {
    name: "outer-join-under-distinct",
    summary: "under DISTINCT, MIN and MAX a LEFT JOIN whose partners nothing reads goes",
    why: "A LEFT JOIN keeps each row at least once, and how often does not matter here.",
    source: "how often a row comes does not matter there, and LEFT JOIN keeps each at least once",
    needs: Needs::NOTHING,
    examples: examples! {
        "strict": "SELECT DISTINCT c.name FROM customer c LEFT JOIN orders o ON o.customer_id = c.id" == "SELECT DISTINCT name FROM customer";
        "nulls": "SELECT DISTINCT c.city FROM customer c LEFT JOIN customer d ON d.age = c.age INTERSECT SELECT name FROM customer"
            == "SELECT DISTINCT c.city FROM customer c INTERSECT SELECT name FROM customer";
        "nulls": "SELECT c.name, COUNT(*) FROM customer c LEFT JOIN orders o ON o.customer_id = c.id GROUP BY c.name"
            != "SELECT name, COUNT(*) FROM customer GROUP BY name";
    },
    apply: Apply::RelOf(rels::AGGREGATE, unread_partners),
};

/// Through one filter, whose columns count as read.
fn unread_partners(rel: &mut Rel, _cx: &mut Context<'_>) -> Changed {
    let (input, keys, calls) = rel.as_aggregate_mut()?;
    let grouping = Grouping { input, keys, calls };
    if !grouping.ignores_duplicates() {
        return None;
    }
    let mut read = grouping.reads();
    let mut below = input;
    if let Rel::Filter { input, predicate } = below {
        predicate.iter().for_each(|e| e.reads_into(&mut read));
        below = input;
    }
    let (left, right, on) = below.as_left_join_mut()?;
    let idle = right.output_set().is_disjoint(&read)
        && on.iter().all(Expr::is_deterministic)
        && right.is_deterministic();
    if idle {
        *below = left.take();
    }
    idle.then_some(())
}
