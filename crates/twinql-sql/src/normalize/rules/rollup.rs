//! Groupings of groupings, and groupings of unions of groupings.
//!
//! The inner groups lie within the outer ones, so an aggregate of aggregates is one aggregate of the rows
//! below if its function is made of parts: SUM, MIN, MAX, and COUNT as a sum of counts. AVG is not; COUNT of
//! inner rows counts different keys.

use super::unions;
use crate::column_set::ColumnSet;
use crate::normalize::prelude::*;

pub(super) const ROLLUP: Rule = Rule {
    name: "aggregate-rollup",
    summary: "a grouping of a grouping is one: SUM of SUMs or COUNTs, MIN of MINs, MAX of MAXs, and aggregates of inner keys as DISTINCT ones; the rows of SELECT DISTINCT x, where x is never NULL, are COUNT(DISTINCT x); through UNION ALL as well",
    why: "The inner groups partition the outer ones, and these aggregates of a whole are made of those of its parts.",
    source: "Gupta, Harinarayan & Quass 1995, generalised projections; Yan & Larson 1994",
    needs: Needs::NOTHING,
    examples: examples! {
        "default": "SELECT COUNT(*) FROM (SELECT DISTINCT city FROM customer)" == "SELECT COUNT(DISTINCT city) FROM customer";
        "nulls": "SELECT city, SUM(n), MAX(m) FROM (SELECT city, age, COUNT(*) AS n, MAX(score) AS m FROM customer GROUP BY city, age) GROUP BY city"
            == "SELECT city, COUNT(*), MAX(score) FROM customer GROUP BY city";
        "nulls": "SELECT x, SUM(n) FROM (SELECT city AS x, COUNT(*) AS n FROM customer GROUP BY city UNION ALL SELECT day, COUNT(*) FROM orders GROUP BY day) GROUP BY x"
            == "SELECT x, COUNT(*) FROM (SELECT city AS x FROM customer UNION ALL SELECT day FROM orders) GROUP BY x";
        "nulls": "SELECT city, COUNT(age), SUM(age) FROM (SELECT DISTINCT city, age FROM customer) GROUP BY city"
            == "SELECT city, COUNT(DISTINCT age), SUM(DISTINCT age) FROM customer GROUP BY city";
        "nulls": "SELECT COUNT(*) FROM (SELECT DISTINCT city FROM customer)" != "SELECT COUNT(DISTINCT city) FROM customer";
        "nulls": "SELECT SUM(n) FROM (SELECT city, COUNT(*) AS n FROM customer GROUP BY city)" != "SELECT COUNT(*) FROM customer";
        "nulls": "SELECT AVG(n) FROM (SELECT city, AVG(age) AS n FROM customer GROUP BY city)" != "SELECT AVG(age) FROM customer";
        "nulls": "SELECT city, COUNT(n) FROM (SELECT city, age, COUNT(*) AS n FROM customer GROUP BY city, age) GROUP BY city"
            != "SELECT city, COUNT(*) FROM customer GROUP BY city";
    },
    apply: Apply::RelOf(rels::AGGREGATE, rollup),
};

/// Aggregates with the columns they make.
type Calls = Vec<(ColumnId, AggregateCall)>;
/// Group keys, or entries of a projection, with the columns they make.
type Keys = Vec<(ColumnId, Expr)>;

/// True for an aggregate of all rows, each as often as it comes.
fn plain(call: &AggregateCall) -> bool {
    !call.distinct && call.filter.is_none()
}

/// The outer call over the inner grouping's rows as a call over the inner grouping's
/// input. `grouped`: each outer group has an inner row. `apart`: within an outer group, the
/// inner rows differ in this key alone.
pub(super) fn merged(
    outer: &AggregateCall,
    keys: &[(ColumnId, Expr)],
    calls: &[(ColumnId, AggregateCall)],
    grouped: bool,
    apart: &dyn Fn(ColumnId) -> bool,
    never_null: &dyn Fn(&Expr) -> bool,
) -> Option<AggregateCall> {
    if outer.filter.is_some() {
        return None;
    }
    if outer.func == AggFunc::Count && outer.args.is_empty() {
        // Inner rows that differ in one key alone are as many as its values.
        let mut alone = keys.iter().filter(|(k, e)| apart(*k) && never_null(e));
        let (_, e) = alone.next()?;
        return Some(AggregateCall { distinct: true, args: vec![e.clone()], ..outer.clone() });
    }
    // MIN and MAX do not count how often a value comes; the other functions would, and over an expression
    // rows
    // that differ may give one value.
    let [Expr::Column(c)] = outer.args.as_slice() else {
        // An expression over inner keys.
        let [e] = outer.args.as_slice() else { return None };
        let of = e.reads();
        let insensitive = outer.func.is_extreme();
        let over_keys = of.iter().all(|c| keys.iter().any(|(k, _)| k == c));
        if !insensitive || !over_keys || e.has_subquery() || !e.is_deterministic() {
            return None;
        }
        let map: Substitution = keys.iter().cloned().collect();
        let mut e = e.clone();
        e.substitute(&map);
        return Some(AggregateCall { args: vec![e], ..outer.clone() });
    };
    // An aggregate of an inner key. Where inner rows differ in this key alone, its values are different ones, and
    // the aggregate below is DISTINCT; otherwise they repeat, and only what is DISTINCT anyway will do.
    if let Some((_, e)) = keys.iter().find(|(k, _)| k == c) {
        let distinct = match outer.func {
            AggFunc::Min | AggFunc::Max => false,
            AggFunc::Count | AggFunc::Sum | AggFunc::Avg if outer.distinct || apart(*c) => true,
            _ => return None,
        };
        return Some(AggregateCall {
            func: outer.func.clone(),
            distinct,
            args: vec![e.clone()],
            filter: None,
        });
    }
    let (_, inner) = calls.iter().find(|(k, _)| k == c)?;
    // An aggregate of an inner aggregate. SUM of COUNTs over no inner rows is NULL, the COUNT 0.
    let fits = match (&outer.func, &inner.func) {
        (AggFunc::Sum, AggFunc::Sum) | (AggFunc::Total, AggFunc::Sum | AggFunc::Total) => {
            plain(outer) && !inner.distinct
        }
        (AggFunc::Sum, AggFunc::Count) => grouped && plain(outer) && !inner.distinct,
        (AggFunc::Min, AggFunc::Min) | (AggFunc::Max, AggFunc::Max) => true,
        _ => false,
    };
    if !fits {
        return None;
    }
    Some(AggregateCall {
        func: match (&outer.func, &inner.func) {
            (AggFunc::Total, _) => AggFunc::Total,
            (_, func) => func.clone(),
        },
        ..inner.clone()
    })
}

/// The outer grouping over the input of the inner one, or over the union of the inputs of the inner ones.
fn rollup(rel: &mut Rel, cx: &mut Context<'_>) -> Changed {
    let (input, keys, calls) = rel.as_aggregate_mut()?;
    let new = if let Some((below, inner_keys, inner_calls)) = input.as_aggregate() {
        let (keys, calls) = over_grouping(keys, calls, below, inner_keys, inner_calls, cx)?;
        Rel::aggregate(below.clone(), keys, calls)
    } else {
        let (_, _, columns) = input.as_union_all()?;
        let mut arms = Vec::new();
        unions::leaves(input.clone(), columns, true, &mut arms);
        over_union(keys, calls, columns, &arms, cx)?
    };
    put(rel, Some(new))
}

/// Keys and calls of the one grouping that two are. The outer keys have to be made of inner keys, so that no
/// inner group is split, and all calls have to merge. Bare columns below would be taken from other rows.
fn over_grouping(
    keys: &Keys,
    calls: &Calls,
    below: &Rel,
    inner_keys: &Keys,
    inner_calls: &Calls,
    cx: &Context<'_>,
) -> Option<(Keys, Calls)> {
    if AggregateCall::any_bare(inner_calls) || calls.is_empty() && keys.is_empty() {
        return None;
    }
    // An inner grouping without keys has a row in any case.
    let grouped = !keys.is_empty() || inner_keys.is_empty();
    let bare: ColumnSet = keys.iter().filter_map(|(_, e)| e.as_column()).collect();
    let map: Substitution = inner_keys.iter().cloned().collect();
    let mut new_keys = Vec::new();
    for (c, e) in keys {
        let over_keys = e.reads().iter().all(|c| map.contains_key(c));
        if !over_keys || e.has_subquery() || !e.is_deterministic() {
            return None;
        }
        let mut e = e.clone();
        e.substitute(&map);
        new_keys.push((*c, e));
    }
    if !inner_keys.iter().all(|(_, e)| e.is_deterministic()) {
        return None;
    }
    let known = cx.not_null(below);
    let never_null = |e: &Expr| !cx.may_be_null(e, &known);
    // Of the inner keys all others are outer keys: within an outer group inner rows differ in `c` alone.
    let apart = |c: ColumnId| inner_keys.iter().all(|(k, _)| *k == c || bare.contains(k));
    let new_calls: Option<Calls> = calls
        .iter()
        .map(|(c, call)| {
            let new = merged(call, inner_keys, inner_calls, grouped, &apart, &never_null)?;
            Some((*c, new))
        })
        .collect();
    Some((new_keys, new_calls?))
}

/// A grouping over a UNION ALL of groupings as one grouping over the union of what these read.
fn over_union(
    keys: &Keys,
    calls: &Calls,
    columns: &[ColumnId],
    arms: &[Query],
    cx: &mut Context<'_>,
) -> Option<Rel> {
    if calls.is_empty() {
        return None;
    }
    // Which places are keys of all arms, and which one and the same aggregate.
    let mut key_places = BTreeSet::new();
    for (_, e) in keys {
        if e.has_subquery() || !e.is_deterministic() {
            return None;
        }
        for c in e.reads() {
            key_places.insert(columns.iter().position(|k| *k == c)?);
        }
    }
    // What each arm gives for each outer call: its argument, if it has one.
    let mut new_calls: Vec<Option<AggregateCall>> = vec![None; calls.len()];
    let mut new_arms: Vec<Arm> = Vec::new();
    for arm in arms {
        let outer = (keys, calls, columns);
        new_arms.push(Arm::of(arm, outer, &key_places, &mut new_calls)?);
    }
    // COUNT(*) and COUNT(x) are both there: count what is not NULL.
    let has_argument = |i: usize| move |arm: &Arm| matches!(arm.args.get(i), Some(Some(_)));
    let counted: Vec<bool> = (0..calls.len()).map(|i| new_arms.iter().any(has_argument(i))).collect();
    let queries: Vec<Query> = new_arms.into_iter().map(|arm| arm.query(&counted, cx)).collect();
    let first = queries.first()?;
    let ids: Vec<ColumnId> = first.output.iter().map(|c| cx.fresh_like(*c)).collect();
    let map: Substitution = key_places
        .iter()
        .filter_map(|at| columns.get(*at).copied())
        .zip(ids.iter().map(|c| Expr::Column(*c)))
        .collect();
    let mut rest = ids.iter().skip(key_places.len());
    let mut out_calls: Calls = Vec::new();
    for (((c, _), call), counted) in calls.iter().zip(new_calls).zip(counted) {
        let mut call = call?;
        call.args = if counted { vec![Expr::Column(*rest.next()?)] } else { Vec::new() };
        out_calls.push((*c, call));
    }
    let out_keys = keys.iter().map(|(c, e)| (*c, e.substituted(&map))).collect();
    let union = unions::chained(queries, true, &ids, cx)?;
    Some(Rel::aggregate(union, out_keys, out_calls))
}

/// An arm of a union of groupings: what it groups, what its keys are, and what each outer call is over.
struct Arm {
    input: Rel,
    keys: Keys,
    args: Vec<Option<Expr>>,
}

impl Arm {
    /// Reads an arm that is a grouping; `merged_calls` are what the outer calls become, the same in all arms.
    fn of(
        arm: &Query,
        (keys, calls, columns): (&Keys, &Calls, &[ColumnId]),
        key_places: &BTreeSet<usize>,
        merged_calls: &mut [Option<AggregateCall>],
    ) -> Option<Arm> {
        let (grouping, renamed) = match &arm.rel {
            Rel::Project { input, exprs } => (&**input, Some(exprs)),
            rel => (rel, None),
        };
        let inner = grouping.as_grouping()?;
        // An arm without keys has a row over nothing, too; so has the whole.
        if inner.keys.is_empty() != keys.is_empty() || inner.has_bare() {
            return None;
        }
        let meaning = |at: usize| -> Option<Expr> {
            let c = *arm.output.get(at)?;
            match renamed {
                Some(exprs) => exprs.iter().find(|(id, _)| *id == c).map(|(_, e)| e.clone()),
                None => Some(Expr::Column(c)),
            }
        };
        let map: Substitution = inner.keys.iter().cloned().collect();
        let mut arm_keys = Vec::new();
        for at in key_places {
            let e = meaning(*at)?;
            if !e.reads().iter().all(|c| map.contains_key(c)) || !e.is_deterministic() {
                return None;
            }
            arm_keys.push((*columns.get(*at)?, e.substituted(&map)));
        }
        let mut args = Vec::new();
        for ((_, call), slot) in calls.iter().zip(merged_calls) {
            let [Expr::Column(c)] = call.args.as_slice() else {
                return None;
            };
            let mut own = call.clone();
            own.args = vec![meaning(columns.iter().position(|k| k == c)?)?];
            let mut new = merged(&own, inner.keys, inner.calls, true, &|_| false, &|_| false)?;
            if new.filter.is_some() || new.args.len() > 1 || new.distinct {
                return None;
            }
            args.push(new.args.pop());
            let known = slot.get_or_insert_with(|| new.clone());
            if known.func != new.func {
                return None;
            }
        }
        Some(Arm { input: inner.input.clone(), keys: arm_keys, args })
    }

    /// The arm without its grouping: keys, and arguments of those calls that are `counted`.
    fn query(self, counted: &[bool], cx: &mut Context<'_>) -> Query {
        let mut exprs: Keys = Vec::new();
        for (c, e) in self.keys {
            exprs.push((cx.fresh_like(c), e));
        }
        for (arg, counted) in self.args.into_iter().zip(counted) {
            if *counted {
                let known = arg.as_ref().and_then(Expr::as_column);
                let info = known.and_then(|c| cx.info(c).cloned());
                let info = info.unwrap_or_else(|| computed("value"));
                exprs.push((cx.fresh(info), arg.unwrap_or_else(|| Expr::integer(1))));
            }
        }
        Query { output: exprs.iter().map(|(c, _)| *c).collect(), rel: Rel::project(self.input, exprs) }
    }
}

pub(super) const SINGLE_ROWS: Rule = Rule {
    name: "groups-of-one-row",
    summary: "aggregates over groups of one row each, by a key, are what they are of that row",
    why: "Over one row SUM, MIN, MAX and AVG are the row's value and COUNT is whether it has one.",
    source: "Paulley & Larson 1994: a key among the group keys",
    needs: Needs::TYPED,
    examples: examples! {
        "nulls": "SELECT id, COUNT(*), SUM(age), MIN(city), COUNT(city) FROM customer GROUP BY id"
            == "SELECT id, 1, age, city, city IS NOT NULL FROM customer";
        "nulls": "SELECT order_id, SUM(amount) FROM line GROUP BY order_id" != "SELECT order_id, amount FROM line";
        "default": "SELECT COUNT(*) FROM customer GROUP BY city, age" != "SELECT COUNT(*) FROM customer GROUP BY city";
    },
    apply: Apply::RelOf(rels::AGGREGATE, single_rows),
};

/// SUM and AVG only of what is stored as a number of its kind: SUM of a text is a number, and not the text.
fn single_rows(rel: &mut Rel, cx: &mut Context<'_>) -> Changed {
    let (input, keys, calls) = rel.as_aggregate_mut()?;
    if calls.is_empty() || keys.is_empty() {
        return None;
    }
    let bare = keys.iter().filter_map(|(_, e)| e.as_column());
    let bare: Vec<ColumnId> = bare.collect();
    if bare.is_empty() || !cx.dependencies(input).unique(bare) {
        return None;
    }
    let numeric = |e: &Expr| match e {
        Expr::Column(c) => cx.info(*c).is_some_and(|i| {
            i.class == TypeClass::Integer && i.affinity == Some(Affinity::Integer)
                || i.class == TypeClass::Number && i.affinity == Some(Affinity::Real)
        }),
        Expr::Literal(v) => matches!(v, Value::Integer(_) | Value::Real(_)),
        _ => false,
    };
    let value = |call: &AggregateCall| -> Option<Expr> {
        if call.filter.is_some() {
            return None;
        }
        match (&call.func, call.args.as_slice()) {
            (AggFunc::Count, []) => Some(Expr::integer(1)),
            (AggFunc::Count, [e]) if e.is_deterministic() => Some(e.clone().is_null().not()),
            (AggFunc::Min | AggFunc::Max | AggFunc::Bare, [e]) => Some(e.clone()),
            (AggFunc::Sum, [e]) if numeric(e) => Some(e.clone()),
            (AggFunc::Avg, [e]) if numeric(e) => Some(e.clone().cast(Affinity::Real)),
            _ => None,
        }
    };
    let values: Option<Keys> = calls.iter().map(|(c, call)| Some((*c, value(call)?))).collect();
    let values = values?;
    let mut exprs = std::mem::take(keys);
    exprs.extend(values);
    *rel = Rel::project(input.take(), exprs);
    Some(())
}

pub(super) const COUNTED_SUM: Rule = Rule {
    name: "sum-of-nothing",
    summary: "COALESCE(SUM of COUNTs, 0) over one grouping is the COUNT",
    why: "The counts of all groups add up to the count of all rows, and where there is no group the COALESCE gives the 0 that COUNT has.",
    source: "SQL: SUM over no rows is NULL, COUNT is 0",
    needs: Needs::NOTHING,
    examples: examples! {
        "nulls": "SELECT COALESCE(SUM(n), 0) FROM (SELECT city, COUNT(*) AS n FROM customer GROUP BY city)" == "SELECT COUNT(*) FROM customer";
        "nulls": "SELECT COALESCE(SUM(n), 1) FROM (SELECT city, COUNT(*) AS n FROM customer GROUP BY city)" != "SELECT COUNT(*) FROM customer";
    },
    apply: Apply::RelOf(rels::PROJECT, counted_sum),
};

/// `COALESCE(SUM(n), 0)` above a grouping without keys, where n is the COUNT of an inner
/// grouping. SUM of no counts is NULL, which COALESCE makes the 0 that COUNT gives; so all that reads the sum has
/// to read it through COALESCE, and every other call has to merge as well.
fn counted_sum(rel: &mut Rel, _cx: &mut Context<'_>) -> Changed {
    let (input, exprs) = rel.as_project_mut()?;
    let (below, keys, calls) = input.as_aggregate_mut()?;
    let (deepest, inner_keys, inner_calls) = below.as_aggregate()?;
    if !keys.is_empty() {
        return None;
    }
    // Every call must merge; sums of counts must be read as COALESCE(·, 0) alone.
    let mut new_calls = Vec::new();
    let mut filled: Vec<ColumnId> = Vec::new();
    for (c, call) in calls.iter() {
        let apart = |k: ColumnId| inner_keys.iter().all(|(own, _)| *own == k);
        let new = merged(call, inner_keys, inner_calls, true, &apart, &|_| false)?;
        if call.func == AggFunc::Sum && new.func == AggFunc::Count {
            filled.push(*c);
        }
        new_calls.push((*c, new));
    }
    if filled.is_empty() || AggregateCall::any_bare(inner_calls) {
        return None;
    }
    let is_filled = |e: &Expr| match e {
        Expr::Function { name, args } if name == "coalesce" => match args.as_slice() {
            [Expr::Column(c), zero] if zero.is_false() && filled.contains(c) => Some(*c),
            _ => None,
        },
        _ => None,
    };
    let times = |found: &dyn Fn(&Expr) -> bool| {
        let mut times = 0_usize;
        for (_, e) in exprs.iter() {
            e.any(|x| {
                times += usize::from(found(x));
                false
            });
        }
        times
    };
    let read_otherwise =
        |c: &ColumnId| times(&|e| e.as_column() == Some(*c)) != times(&|e| is_filled(e) == Some(*c));
    if filled.iter().any(read_otherwise) || exprs.iter().any(|(_, e)| e.has_subquery()) {
        return None;
    }
    for (_, e) in exprs.iter_mut() {
        e.map(|e| put(e, is_filled(e).map(Expr::Column)).is_some());
    }
    let deepest = deepest.clone();
    *calls = new_calls;
    *below = deepest;
    Some(())
}
