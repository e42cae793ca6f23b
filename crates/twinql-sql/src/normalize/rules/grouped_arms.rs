//! Unions of groupings of one relation, as GROUPING SETS make them: a grouping that reads each aggregate from one arm is a
//! grouping of that relation, and one that counts in how many arms a row is stands for INTERSECT.

use super::predicates::fold_whole;
use super::rollup::merged;
use super::unions;
use crate::column_set::ColumnSet;
use crate::normalize::prelude::*;

/// Arms that are counted, at most.
const MAX_ARMS: usize = 8;

pub(super) const GROUPED_ARMS: Rule = Rule {
    name: "grouped-arms",
    summary: "a grouping of a UNION ALL of groupings of one relation, each aggregate of which sees one arm alone, is a grouping of that relation",
    why: "Each arm has a row for each group, and an aggregate that passes over the rows of all other arms is one of that arm.",
    source: "Gupta, Harinarayan & Quass 1995; Apache Calcite expands DISTINCT aggregates to GROUPING SETS so",
    needs: Needs::NOTHING,
    examples: examples! {
        "nulls": "SELECT city, COUNT(a) FILTER (WHERE g = 1), MIN(s) FILTER (WHERE g = 2) FROM (SELECT city, age AS a, NULL AS s, 1 AS g FROM customer GROUP BY city, age UNION ALL SELECT city, NULL, SUM(score), 2 FROM customer GROUP BY city) GROUP BY city"
            == "SELECT city, COUNT(DISTINCT age), SUM(score) FROM customer GROUP BY city";
        "nulls": "SELECT COUNT(a) FILTER (WHERE g = 1), COUNT(b) FILTER (WHERE g = 2) FROM (SELECT age AS a, NULL AS b, 1 AS g FROM customer GROUP BY age UNION ALL SELECT NULL, city, 2 FROM customer GROUP BY city)"
            == "SELECT COUNT(DISTINCT age), COUNT(DISTINCT city) FROM customer";
        "nulls": "SELECT city, COUNT(a) FILTER (WHERE g = 1), MIN(s) FILTER (WHERE g = 2) FROM (SELECT city, age AS a, NULL AS s, 1 AS g FROM customer GROUP BY city, age UNION ALL SELECT name, NULL, SUM(score), 2 FROM customer GROUP BY name) GROUP BY city"
            != "SELECT city, COUNT(DISTINCT age), SUM(score) FROM customer GROUP BY city";
        "nulls": "SELECT city, COUNT(a), MIN(s) FILTER (WHERE g = 2) FROM (SELECT city, age AS a, NULL AS s, 1 AS g FROM customer GROUP BY city, age UNION ALL SELECT city, 3, SUM(score), 2 FROM customer GROUP BY city) GROUP BY city"
            != "SELECT city, COUNT(DISTINCT age), SUM(score) FROM customer GROUP BY city";
    },
    apply: Apply::RelOf(rels::AGGREGATE, grouped_arms),
};

/// An arm of such a union: what it groups, and what it gives for each column of the union.
struct Arm<'a> {
    grouping: Grouping<'a>,
    given: Substitution,
    /// The columns of what it groups as those of the first arm.
    images: Substitution,
}

impl<'a> Arm<'a> {
    fn of(arm: &'a Query, columns: &[ColumnId], first: Option<&Rel>) -> Option<Arm<'a>> {
        let (grouping, computed) = match &arm.rel {
            Rel::Project { input, exprs } => (input.as_grouping()?, exprs.as_slice()),
            rel => (rel.as_grouping()?, [].as_slice()),
        };
        let value = |c: ColumnId| {
            let computed = computed.iter().find(|(id, _)| *id == c);
            computed.map_or(Expr::Column(c), |(_, e)| e.clone())
        };
        let given = columns.iter().copied().zip(arm.output.iter().map(|c| value(*c))).collect();
        let images = same_rows(first.unwrap_or(grouping.input), grouping.input)?;
        (!grouping.has_bare() && grouping.input.is_deterministic()).then_some(Arm { grouping, given, images })
    }

    /// What the arm's key is of, in the columns of the first arm.
    fn key(&self, e: &Expr) -> Option<(ColumnId, Expr)> {
        let c = e.as_column()?;
        let (_, of) = self.grouping.keys.iter().find(|(k, _)| *k == c)?;
        of.is_deterministic().then(|| (c, of.substituted(&self.images)))
    }

    /// The call as the arm's rows see it: `None` if it passes over all of them, and nothing at all where that is not known.
    fn seen(&self, call: &AggregateCall, cx: &mut Context<'_>) -> Option<Option<AggregateCall>> {
        let mut own = call.clone();
        change_each(own.exprs_mut(), |e| e.substitute(&self.given));
        let idle = match own.filter.take() {
            None => false,
            Some(mut filter) => {
                fold_whole(&mut filter, cx);
                filter.is_literal().then(|| filter.is_never_true())?
            }
        };
        let strict = !matches!(call.func, AggFunc::Bare | AggFunc::Other(_) | AggFunc::GroupConcat);
        let nothing = strict && own.args.iter().any(Expr::is_null_literal);
        Some((!idle && !nothing).then_some(own))
    }
}

/// The ids of `other` as those of `one`, if the two are one relation but for its ids.
fn same_rows(one: &Rel, other: &Rel) -> Option<Substitution> {
    let (a, b) = (one.produced_within(), other.produced_within());
    let ids: BTreeMap<ColumnId, ColumnId> = b.iter().copied().zip(a.iter().copied()).collect();
    let mut copy = Query { rel: other.clone(), output: Vec::new() };
    copy.map_ids(|c| *c = ids.get(c).copied().unwrap_or(*c));
    let same = a.len() == b.len() && copy.rel == *one;
    same.then(|| ids.into_iter().map(|(c, image)| (c, Expr::Column(image))).collect())
}

/// The keys have to be keys of all arms, of the same columns: then each arm has rows for all groups. What a call makes of the
/// rows of its arm is asked as of a grouping of a grouping; where the arm has one row for each group, its extreme is the row.
fn grouped_arms(rel: &mut Rel, cx: &mut Context<'_>) -> Changed {
    let Grouping { input, keys, calls } = rel.as_grouping()?;
    let (_, _, columns) = input.as_union_all()?;
    if calls.is_empty() {
        return None;
    }
    let mut queries = Vec::new();
    unions::leaves(input.clone(), columns, true, &mut queries);
    let mut arms: Vec<Arm<'_>> = Vec::new();
    for query in &queries {
        let first = arms.first().map(|arm| arm.grouping.input);
        arms.push(Arm::of(query, columns, first)?);
    }
    // The keys of the arms that are keys of the whole.
    let mut shared = ColumnSet::new();
    let mut new_keys = Vec::new();
    for (c, e) in keys {
        let mut of = None;
        for arm in &arms {
            let (key, own) = arm.key(arm.given.get(&e.as_column()?)?)?;
            shared.insert(key);
            if *of.get_or_insert_with(|| own.clone()) != own {
                return None;
            }
        }
        new_keys.push((*c, of?));
    }
    let below = arms.first()?.grouping.input.clone();
    let known = cx.not_null(&below);
    let mut new_calls = Vec::new();
    for (c, call) in calls {
        let mut found = None;
        for arm in &arms {
            if let Some(own) = arm.seen(call, cx)? {
                // It sees two arms.
                if found.replace((arm, own)).is_some() {
                    return None;
                }
            }
        }
        let (arm, own) = found?;
        let Grouping { keys: inner, calls: parts, .. } = arm.grouping;
        let single = inner.iter().all(|(k, _)| shared.contains(k));
        let part = own.argument().and_then(Expr::as_column);
        let part = parts.iter().find(|(id, _)| Some(*id) == part && single && own.func.is_extreme());
        let mut new = match part {
            Some((_, part)) => part.clone(),
            None => {
                let apart = |c: ColumnId| inner.iter().all(|(k, _)| *k == c || shared.contains(k));
                let never_null = |e: &Expr| !cx.may_be_null(&e.substituted(&arm.images), &known);
                merged(&own, inner, parts, !keys.is_empty() || inner.is_empty(), &apart, &never_null)?
            }
        };
        change_each(new.exprs_mut(), |e| e.substitute(&arm.images));
        new_calls.push((*c, new));
    }
    *rel = Rel::aggregate(below, new_keys, new_calls);
    Some(())
}

pub(super) const COUNTED_ARMS: Rule = Rule {
    name: "counted-arms",
    summary: "the rows that all arms of a UNION ALL of distinct rows have, which their COUNT(*) tells, are INTERSECT",
    why: "An arm gives a row once or not at all, so that a row which comes as often as there are arms is in each of them.",
    source: "Apache Calcite rewrites INTERSECT to a grouping of UNION ALL so",
    needs: Needs::NOTHING,
    examples: examples! {
        "strict": "SELECT x FROM (SELECT DISTINCT city AS x FROM customer UNION ALL SELECT DISTINCT day FROM orders) GROUP BY x HAVING COUNT(*) = 2"
            == "SELECT city FROM customer INTERSECT SELECT day FROM orders";
        "strict": "SELECT x FROM (SELECT city AS x FROM customer UNION ALL SELECT DISTINCT day FROM orders) GROUP BY x HAVING COUNT(*) = 2"
            != "SELECT city FROM customer INTERSECT SELECT day FROM orders";
        "strict": "SELECT x FROM (SELECT DISTINCT city AS x FROM customer UNION ALL SELECT DISTINCT day FROM orders) GROUP BY x HAVING COUNT(*) = 1"
            != "SELECT city FROM customer INTERSECT SELECT day FROM orders";
    },
    apply: Apply::RelOf(rels::FILTER, counted_arms),
};

/// The groups have to be of whole rows of the union, or two rows of an arm would fall into one.
fn counted_arms(rel: &mut Rel, cx: &mut Context<'_>) -> Changed {
    let (input, on) = rel.as_filter()?;
    let Grouping { input, keys, calls } = input.as_grouping()?;
    let (_, _, columns) = input.as_union_all()?;
    let [(count, call)] = calls else { return None };
    let bare: ColumnSet = keys.iter().filter_map(|(_, e)| e.as_column()).collect();
    if !call.counts_rows() || keys.len() != columns.len() || !columns.iter().all(|c| bare.contains(c)) {
        return None;
    }
    let wanted: Vec<ColumnId> = keys.iter().filter_map(|(_, e)| e.as_column()).collect();
    let mut arms = Vec::new();
    unions::leaves(input.clone(), &wanted, true, &mut arms);
    let all = i64::try_from(arms.len()).ok()?;
    let asked = |e: &Expr| {
        e.readings().any(|(x, op, n)| {
            let every = matches!(op, BinaryOp::Eq | BinaryOp::GtEq) && n.as_integer() == Some(all);
            every && x.as_column() == Some(*count)
        })
    };
    let at = on.iter().position(asked)?;
    let distinct = |arm: &Query| {
        let outputs = arm.output.iter().copied();
        cx.compare_alike(&arm.output, &wanted) && cx.dependencies(&arm.rel).unique(outputs)
    };
    if arms.len() > MAX_ARMS || !arms.iter().all(distinct) {
        return None;
    }
    let mut rest = on.clone();
    rest.remove(at);
    let (ids, count): (Vec<ColumnId>, ColumnId) = (keys.iter().map(|(c, _)| *c).collect(), *count);
    let mut arms = arms.into_iter();
    let mut left = arms.next()?;
    let last = arms.len().checked_sub(1)?;
    for (at, right) in arms.enumerate() {
        let columns: Vec<ColumnId> =
            if at == last { ids.clone() } else { ids.iter().map(|c| cx.fresh_like(*c)).collect() };
        let (kind, all) = (SetOpKind::Intersect, false);
        let (first, right) = (Box::new(left), Box::new(right));
        left = Query { output: columns.clone(), rel: Rel::SetOp { kind, all, left: first, right, columns } };
    }
    cx.replace(count, Expr::integer(all));
    let replaced: Substitution = [(count, Expr::integer(all))].into();
    change_each(&mut rest, |e| e.substitute(&replaced));
    *rel = Rel::filter(left.rel, rest);
    Some(())
}
