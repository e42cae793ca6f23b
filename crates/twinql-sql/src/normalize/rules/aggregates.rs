//! Grouping and aggregates: DISTINCT is a grouping, and what keys, counts and HAVING say twice goes. Whether
//! a grouping is needed at all is asked in `grouping`, groupings of groupings are in `rollup`.

use crate::column_set::ColumnSet;
use crate::normalize::prelude::*;

pub(super) const DISTINCT_AS_GROUPING: Rule = Rule {
    name: "distinct-as-grouping",
    summary: "SELECT DISTINCT is GROUP BY all its columns, without aggregates",
    why: "Both keep one row of each class of rows that are equal with NULLs taken as equal.",
    source: "both compare rows by the same equality, NULLs alike",
    needs: Needs::NOTHING,
    examples: examples! {
        "strict": "SELECT DISTINCT city FROM customer" == "SELECT city FROM customer GROUP BY city";
        "default": "SELECT DISTINCT city FROM customer" != "SELECT city FROM customer";
    },
    apply: Apply::RelOf(rels::DISTINCT, distinct),
};

/// Over a projection the keys are its expressions; over anything else they are the columns, under new ids, as
/// an id must not be produced twice.
fn distinct(rel: &mut Rel, cx: &mut Context<'_>) -> Changed {
    let Rel::Distinct { input } = rel else {
        return None;
    };
    if let Rel::Project { input: below, exprs } = &mut **input {
        *rel = Rel::distinct_by(below.take(), std::mem::take(exprs));
        return Some(());
    }
    let keys = cx.renamed(input);
    *rel = Rel::distinct_by(input.take(), keys);
    Some(())
}

pub(super) const KEY_CLEANUP: Rule = Rule {
    name: "group-key-cleanup",
    summary: "group keys and aggregates that stand twice are one; constant keys beside others go, and alone are one 1; a bare column that the keys determine is a key",
    why: "Adding a key that the others determine, or a constant one, splits no group.",
    source: "functional dependencies: Paulley & Larson 1994; SQLite's bare columns",
    needs: Needs::NOTHING,
    examples: examples! {
        "no-fk": "SELECT c.name, SUM(o.total) FROM customer c JOIN orders o ON o.customer_id = c.id GROUP BY c.id"
            == "SELECT c.name, SUM(o.total) FROM customer c JOIN orders o ON o.customer_id = c.id GROUP BY c.id, c.name";
        "nulls": "SELECT 'a', COUNT(*) FROM customer GROUP BY 'a', 2 + 3" == "SELECT 'a', COUNT(*) FROM customer GROUP BY NULL";
        "nulls": "SELECT COUNT(*) FROM customer GROUP BY 'a'" != "SELECT COUNT(*) FROM customer";
        "default": "SELECT name, COUNT(*) FROM customer GROUP BY name" != "SELECT name, COUNT(*) FROM customer GROUP BY name, age";
        "default": "SELECT city, COUNT(*) FROM customer GROUP BY city, age" != "SELECT city, COUNT(*) FROM customer GROUP BY city";
    },
    apply: Apply::RelOf(rels::AGGREGATE, clean_keys),
};

/// Four clean-ups in turn: repeated keys, constant keys, repeated aggregates, and bare columns.
fn clean_keys(rel: &mut Rel, cx: &mut Context<'_>) -> Changed {
    let (input, keys, calls) = rel.as_aggregate_mut()?;
    let mut changed = drop_repeated(keys, Expr::is_deterministic, cx);
    // `GROUP BY city, 1 + 1` is `GROUP BY city`. A constant alone stays: over no rows `GROUP BY 1 + 1` has no
    // group, and without GROUP BY there would be a row.
    let constant = |e: &Expr| matches!(e, Expr::Literal(_));
    if keys.iter().any(|(_, e)| constant(e)) && keys.iter().any(|(_, e)| !constant(e)) {
        for (c, e) in keys.iter().filter(|(_, e)| constant(e)) {
            cx.replace(*c, e.clone());
        }
        keys.retain(|(_, e)| !constant(e));
        changed = true;
    }
    // Which constants these are is seen by no group.
    let settled = matches!(keys.as_slice(), [] | [(_, Expr::Literal(Value::Integer(1)))]);
    if !settled && keys.iter().all(|(_, e)| constant(e)) {
        cx.replace_all(std::mem::take(keys));
        keys.push((cx.fresh(computed("group")), Expr::integer(1)));
        changed = true;
    }
    changed |= drop_repeated(calls, |_| true, cx);
    // Without keys a bare column must not become one, for the same reason.
    if !keys.is_empty() && AggregateCall::any_bare(calls) {
        let deps = cx.dependencies(input);
        let known = deps.closure(bare(keys));
        let before = keys.len();
        // The call's column is the key's now, so nothing above changes.
        keys.extend(
            calls
                .extract_if(.., |(_, c)| determined_bare(c, &known))
                .flat_map(|(c, call)| call.args.into_iter().map(move |e| (c, e))),
        );
        changed |= keys.len() != before;
    }
    changed.then_some(())
}

/// Drops entries that stand twice, whose column is then the first one's; only those that are `fixed` are compared.
fn drop_repeated<T: PartialEq>(
    entries: &mut Vec<(ColumnId, T)>,
    fixed: fn(&T) -> bool,
    cx: &mut Context<'_>,
) -> bool {
    let before = entries.len();
    let mut kept: Vec<(ColumnId, T)> = Vec::with_capacity(before);
    for (c, e) in std::mem::take(entries) {
        match kept.iter().find(|(_, known)| *known == e && fixed(known)) {
            Some((first, _)) => cx.replace(c, Expr::Column(*first)),
            None => kept.push((c, e)),
        }
    }
    *entries = kept;
    entries.len() != before
}

/// True for a bare column whose value the columns of `known` determine: as good as a key.
pub(super) fn determined_bare(call: &AggregateCall, known: &ColumnSet) -> bool {
    call.func == AggFunc::Bare
        && call.filter.is_none()
        && matches!(call.args.as_slice(), [e] if e.is_deterministic() && e.reads().is_subset(known))
}

pub(super) const COUNT_STAR: Rule = Rule {
    name: "count-star",
    summary: "COUNT(x) is COUNT(*) where x is never NULL; MIN, MAX need no DISTINCT where no bare column stands beside them",
    why: "COUNT(x) passes over NULLs alone, and a value that comes twice is no larger or smaller than one that comes once.",
    source: "SQL: COUNT(x) counts the rows in which x is not NULL",
    needs: Needs::NOT_NULL,
    examples: examples! {
        "nulls": "SELECT COUNT(name), COUNT(1) FROM customer" == "SELECT COUNT(*), COUNT(id) FROM customer";
        "strict": "SELECT city, MAX(DISTINCT age) FROM customer GROUP BY city" == "SELECT city, MAX(age) FROM customer GROUP BY city";
        "nulls": "SELECT city, COUNT(name) FROM customer GROUP BY city" == "SELECT city, COUNT(*) FROM customer GROUP BY city";
        "nulls": "SELECT city, MIN(DISTINCT age) FROM customer GROUP BY city" == "SELECT city, MIN(age) FROM customer GROUP BY city";
        "nulls": "SELECT COUNT(city) FROM customer" != "SELECT COUNT(*) FROM customer";
        "default": "SELECT name, MAX(DISTINCT age) FROM customer" != "SELECT name, MAX(age) FROM customer";
        "nulls": "SELECT city, COUNT(age) FROM customer GROUP BY city" != "SELECT city, COUNT(*) FROM customer GROUP BY city";
        "strict": "SELECT COUNT(NULL) FROM customer" != "SELECT COUNT(*) FROM customer";
        "default": "SELECT SUM(DISTINCT age) FROM customer" != "SELECT SUM(age) FROM customer";
        "default": "SELECT product, MAX(DISTINCT amount) FROM line" != "SELECT product, MAX(amount) FROM line";
    },
    apply: Apply::RelOf(rels::AGGREGATE, count_star),
};

/// A CASE or COALESCE may be never NULL as well as a column: any deterministic argument is asked. Which
/// columns below are never NULL is found out only where a COUNT(x) stands.
fn count_star(rel: &mut Rel, cx: &mut Context<'_>) -> Changed {
    let (input, _, calls) = rel.as_aggregate_mut()?;
    let mut changed = false;
    let mut known = None;
    let any_bare = AggregateCall::any_bare(calls);
    for (_, call) in calls {
        match call.func {
            AggFunc::Count if !call.distinct && call.args.len() == 1 => {
                let known = known.get_or_insert_with(|| cx.not_null(input));
                if call.args.iter().all(|e| e.is_deterministic() && !cx.may_be_null(e, known)) {
                    call.args.clear();
                    changed = true;
                }
            }
            // Beside MAX(x), SQLite takes a bare column from the row of the maximum; beside MAX(DISTINCT x) a
            // later row, whose x has come before, takes its place.
            AggFunc::Min | AggFunc::Max if call.distinct && !any_bare => {
                call.distinct = false;
                changed = true;
            }
            _ => {}
        }
    }
    changed.then_some(())
}

pub(super) const COUNT_DISTINCT_KEY: Rule = Rule {
    name: "distinct-key-aggregate",
    summary: "DISTINCT goes inside COUNT, SUM and AVG where no two rows agree in the argument",
    why: "Where no two rows of a group share the argument there are no duplicates for DISTINCT to leave out.",
    source: "keys: rows of the input are unique by the argument (and the group keys)",
    needs: Needs::NOTHING,
    examples: examples! {
        "nulls": "SELECT COUNT(DISTINCT id) FROM customer" == "SELECT COUNT(*) FROM customer";
        "no-fk": "SELECT COUNT(DISTINCT c.id) FROM customer c JOIN orders o ON o.customer_id = c.id"
            != "SELECT COUNT(c.id) FROM customer c JOIN orders o ON o.customer_id = c.id";
    },
    apply: Apply::RelOf(rels::AGGREGATE, distinct_key),
};

/// Rows of a group agree in its keys. If keys and argument together determine the row, no two rows of a group
/// agree in the argument. Without keys this asks for an argument that is unique in the whole input.
fn distinct_key(rel: &mut Rel, cx: &mut Context<'_>) -> Changed {
    let (input, keys, calls) = rel.as_aggregate_mut()?;
    if !calls.iter().any(|(_, c)| c.distinct) {
        return None;
    }
    let deps = cx.dependencies(input);
    let mut changed = false;
    for (_, call) in calls {
        let known = matches!(call.func, AggFunc::Count | AggFunc::Sum | AggFunc::Avg);
        if call.distinct
            && known
            && let [Expr::Column(c)] = call.args.as_slice()
            && deps.unique(bare(keys).chain([*c]))
        {
            call.distinct = false;
            changed = true;
        }
    }
    changed.then_some(())
}

pub(super) const TRIVIAL_HAVING: Rule = Rule {
    name: "trivial-having",
    summary: "COUNT(*) >= 1 holds for every group, <= 1 is = 1 and <> 1 is >= 2; so for COUNT(x) and COUNT(DISTINCT x) of what is never NULL; any count is >= 0, and <= 0 is = 0; in AVG, a cast of a number to REAL does nothing",
    why: "A group has at least one row, so its count is never below 1; and no count is below 0.",
    source: "a group has a row; SQLite's AVG is a REAL",
    needs: Needs::TYPED,
    examples: examples! {
        "strict": "SELECT city FROM customer GROUP BY city HAVING COUNT(*) > 0" == "SELECT DISTINCT city FROM customer";
        "strict": "SELECT city FROM customer GROUP BY city HAVING COUNT(*) <> 1" == "SELECT city FROM customer GROUP BY city HAVING COUNT(*) > 1";
        "nulls": "SELECT age FROM customer GROUP BY age HAVING COUNT(DISTINCT name) <= 1"
            == "SELECT age FROM customer GROUP BY age HAVING COUNT(DISTINCT name) = 1";
        "default": "SELECT MAX(age) FROM customer GROUP BY age HAVING COUNT(*) >= 1" == "SELECT age FROM customer GROUP BY age";
        "nulls": "SELECT n FROM (SELECT city, COUNT(age) AS n FROM customer GROUP BY city) WHERE n >= 0"
            == "SELECT COUNT(age) FROM customer GROUP BY city";
        "strict": "SELECT COUNT(*) FROM customer HAVING COUNT(*) < 1" == "SELECT COUNT(*) FROM customer HAVING COUNT(*) = 0";
        "strict": "SELECT COUNT(*) FROM customer HAVING COUNT(*) > 0" != "SELECT COUNT(*) FROM customer";
        "default": "SELECT city FROM customer GROUP BY city HAVING COUNT(*) > 1" != "SELECT DISTINCT city FROM customer";
        "nulls": "SELECT age FROM customer GROUP BY age HAVING COUNT(DISTINCT city) <= 1"
            != "SELECT age FROM customer GROUP BY age HAVING COUNT(DISTINCT city) = 1";
        "nulls": "SELECT city FROM customer GROUP BY city HAVING COUNT(age) >= 1" != "SELECT city FROM customer GROUP BY city";
        "default": "SELECT COUNT(*) FROM customer GROUP BY age HAVING MAX(age) = '30'"
            != "SELECT COUNT(*) FROM customer GROUP BY age HAVING age = '30'";
    },
    apply: Apply::RelOf(Kinds::BLOCKS.or(rels::AGGREGATE), trivial_having),
};

/// HAVING stands as conjuncts over the grouping. Only counts of groups are above 0, since without keys a
/// count may be 0, and only counts of what is never NULL, since a group may hold nothing but NULLs.
/// The cast inside AVG goes first. Not with DISTINCT: which values are the same is then asked after the cast.
fn trivial_having(rel: &mut Rel, cx: &mut Context<'_>) -> Changed {
    let mut changed = false;
    if let Rel::Aggregate { calls, .. } = rel {
        for (_, call) in calls.iter_mut().filter(|(_, c)| c.func == AggFunc::Avg && !c.distinct) {
            if let [Expr::Cast { expr, affinity: Affinity::Real }] = call.args.as_mut_slice()
                && cx.affinity(expr).is_some_and(Affinity::is_numeric)
            {
                call.args = vec![(**expr).clone()];
                changed = true;
            }
        }
    }
    let Some(BlockMut { inputs, on }) = rel.as_block_mut() else {
        return changed.then_some(());
    };
    // The counts that are never below 1, and all.
    let (mut counts, mut all) = (ColumnSet::new(), ColumnSet::new());
    for one in inputs {
        if let Rel::Aggregate { input, keys, calls } = one {
            let of_counts = calls.iter().filter(|(_, call)| call.func == AggFunc::Count);
            all.extend(of_counts.map(|(c, _)| *c));
            if keys.is_empty() {
                continue;
            }
            let mut known = None;
            let mut sure = |e: &Expr| {
                let known = known.get_or_insert_with(|| cx.not_null(input));
                e.is_deterministic() && !cx.may_be_null(e, known)
            };
            for (c, call) in calls {
                if call.func == AggFunc::Count && call.filter.is_none() && call.args.iter().all(&mut sure) {
                    counts.insert(*c);
                }
            }
        }
    }
    if all.is_empty() {
        return changed.then_some(());
    }
    let before = on.len();
    on.retain_mut(|e| {
        let Some((c, op, n)) = compared_with_whole(e).filter(|(c, ..)| all.contains(c)) else {
            return true;
        };
        let of_group = counts.contains(&c);
        *e = match (op, n) {
            (BinaryOp::GtEq, ..=0) | (BinaryOp::Gt | BinaryOp::NotEq, ..0) => return false,
            (BinaryOp::GtEq, 1) | (BinaryOp::Gt | BinaryOp::NotEq, 0) if of_group => return false,
            (BinaryOp::LtEq, 0) | (BinaryOp::Lt, 1) => Expr::Column(c).eq(Expr::integer(0)),
            (BinaryOp::LtEq, 1) | (BinaryOp::Lt, 2) if of_group => Expr::Column(c).eq(Expr::integer(1)),
            (BinaryOp::NotEq, 1) if of_group => {
                Expr::binary(BinaryOp::LtEq, Expr::integer(2), Expr::Column(c))
            }
            _ => return true,
        };
        changed = true;
        true
    });
    (changed | (on.len() != before)).then_some(())
}

/// `c op n`, whichever side the column stands on.
pub(super) fn compared_with_whole(e: &Expr) -> Option<(ColumnId, BinaryOp, i64)> {
    e.readings().find_map(|(x, op, n)| Some((x.as_column()?, op, n.as_integer()?)))
}
