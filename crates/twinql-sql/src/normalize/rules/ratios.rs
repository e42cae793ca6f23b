//! Averages and shares as quotients of aggregates.
//!
//! A share of rows is written in many ways: AVG of 1s and 0s, SUM of them or COUNT of a CASE over COUNT(*),
//! with FILTER, IIF or a bare predicate. The form here is COUNT(CASE WHEN p THEN 1 END), which is never NULL,
//! and quotients of it; where SUM and COUNT of one expression are divided in reals it is AVG.

use crate::column_set::ColumnSet;
use crate::normalize::prelude::*;

pub(super) const COUNT_IF: Rule = Rule {
    name: "count-if",
    summary: "COUNT(*) FILTER (WHERE p), COUNT of a CASE of p, and in a group SUM of 1s and 0s by p, are COUNT(CASE WHEN p THEN 1 END)",
    why: "All of these count the rows for which p is true; SUM differs over no rows alone, where it is NULL.",
    source: "SQL: COUNT leaves NULL out; a group has a row, so SUM over it is a number",
    needs: Needs::NOT_NULL,
    examples: examples! {
        "nulls": "SELECT city, SUM(CASE WHEN age > 30 THEN 1 ELSE 0 END) FROM customer GROUP BY city"
            == "SELECT city, COUNT(CASE WHEN age > 30 THEN 1 END) FROM customer GROUP BY city";
        "nulls": "SELECT SUM(CASE WHEN age > 30 THEN 1 ELSE 0 END) FROM customer" != "SELECT COUNT(CASE WHEN age > 30 THEN 1 END) FROM customer";
    },
    apply: Apply::RelOf(rels::AGGREGATE, count_if),
};

/// The predicate that an argument is 1 for, being 0 otherwise.
fn indicated(e: &Expr) -> Option<Expr> {
    match e {
        Expr::Case { operand: None, branches, otherwise: Some(no) } => {
            match (branches.as_slice(), is_number(no, 0.0)) {
                ([(p, yes)], true) if is_number(yes, 1.0) => Some(p.clone()),
                _ => None,
            }
        }
        Expr::Function { name, args } if name == "iif" || name == "if" => match args.as_slice() {
            [p, yes, no] if is_number(yes, 1.0) && is_number(no, 0.0) => Some(p.clone()),
            _ => None,
        },
        _ => None,
    }
}

/// True for a literal of this value, be it whole or real.
pub(in crate::normalize) fn is_number(e: &Expr, n: f64) -> bool {
    matches!(e, Expr::Literal(v) if v.as_f64() == Some(n))
}

/// 1s and 0s that are whole: a SUM of them is a whole number.
pub(in crate::normalize) fn whole_indicator(e: &Expr) -> bool {
    let whole = |e: &Expr| matches!(e, Expr::Literal(Value::Integer(_)));
    match e {
        Expr::Case { branches, otherwise, .. } => {
            branches.iter().all(|(_, t)| whole(t)) && otherwise.as_deref().is_none_or(whole)
        }
        Expr::Function { args, .. } => args.iter().skip(1).all(whole),
        _ => true,
    }
}

/// COUNT(CASE WHEN p THEN 1 END), the form of a count of rows for which p is true.
fn counted(p: Expr) -> AggregateCall {
    AggregateCall::new(
        AggFunc::Count,
        vec![Expr::Case { operand: None, branches: vec![(p, Expr::integer(1))], otherwise: None }],
    )
}

/// Puts the count of the rows for which p is true in the place of a call; what is known of its column changes with it.
pub(in crate::normalize) fn count_instead(
    c: ColumnId,
    call: &mut AggregateCall,
    p: Expr,
    cx: &mut Context<'_>,
) {
    *call = counted(p);
    if let Some(info) = c.info_mut(&mut cx.columns) {
        info.class = TypeClass::Integer;
        info.affinity = None;
        info.nullable = false;
    }
}

/// SUM is taken with group keys only, as over no rows it is NULL and COUNT is 0, and of whole 1s and 0s only,
/// as a sum of reals is a real. What is known of the call's column changes with it.
fn count_if(rel: &mut Rel, cx: &mut Context<'_>) -> Changed {
    let (input, keys, calls) = rel.as_aggregate_mut()?;
    let mut known = None;
    let mut changed = false;
    for (c, call) in calls {
        if call.distinct {
            continue;
        }
        let new = match (&call.func, call.args.as_slice(), &call.filter) {
            (AggFunc::Count, [], Some(p)) => Some(p.clone()),
            // A value that is never NULL where p holds: 1 does as well.
            (AggFunc::Count, [Expr::Case { operand: None, branches, otherwise }], None) => {
                let idle = otherwise.as_deref().is_none_or(|e| matches!(e, Expr::Literal(Value::Null)));
                match branches.as_slice() {
                    [(p, then)] if idle && (otherwise.is_some() || *then != Expr::integer(1)) => {
                        let known = known.get_or_insert_with(|| cx.not_null(input));
                        (then.is_deterministic() && !cx.may_be_null(then, known)).then(|| p.clone())
                    }
                    _ => None,
                }
            }
            (AggFunc::Sum, [e], None) if !keys.is_empty() && whole_indicator(e) => {
                let known = known.get_or_insert_with(|| cx.not_null(input));
                indicator(e, known, cx)
            }
            _ => None,
        };
        if let Some(p) = new {
            count_instead(*c, call, p, cx);
            changed = true;
        }
    }
    changed.then_some(())
}

/// [`indicated`], or the argument itself where it is a predicate that is never NULL.
pub(in crate::normalize) fn indicator(e: &Expr, known: &ColumnSet, cx: &Context<'_>) -> Option<Expr> {
    indicated(e).or_else(|| {
        let predicate = e.is_boolean() && !matches!(e, Expr::Literal(_)) && e.is_deterministic();
        (predicate && !cx.may_be_null(e, known)).then(|| e.clone())
    })
}

pub(super) const AVERAGE: Rule = Rule {
    name: "average",
    summary: "SUM(x) / COUNT(x) in reals is AVG(x); a share SUM(1s and 0s by p) / COUNT(*), or their AVG, is COUNT(CASE WHEN p …) / COUNT(*)",
    why: "An average is the sum over the count by definition, and over no rows the division by 0 gives the NULL that AVG is.",
    source: "SQL: AVG is the sum over the count; over no rows each is NULL, by division by 0",
    needs: Needs { typed: true, not_null: true, ..Needs::NOTHING },
    examples: examples! {
        "default": "SELECT CAST(SUM(age) AS REAL) / COUNT(*) FROM customer" == "SELECT AVG(age) FROM customer";
        "nulls": "SELECT SUM(age) * 1.0 / COUNT(age) FROM customer" == "SELECT AVG(age) FROM customer";
        "default": "SELECT CAST(SUM(CASE WHEN city = 'Rome' THEN 1 ELSE 0 END) AS REAL) * 100 / COUNT(id) FROM customer"
            == "SELECT COUNT(CASE WHEN city = 'Rome' THEN 1 END) * 100.0 / COUNT(*) FROM customer";
        "default": "SELECT SUM(age) / COUNT(*) FROM customer" != "SELECT AVG(age) FROM customer";
        "nulls": "SELECT SUM(age) * 1.0 / COUNT(*) FROM customer" != "SELECT AVG(age) FROM customer";
        "default": "SELECT SUM(CASE WHEN city = 'Rome' THEN 1 ELSE 0 END) * 100 / COUNT(id) FROM customer"
            != "SELECT COUNT(CASE WHEN city = 'Rome' THEN 1 END) * 100.0 / COUNT(*) FROM customer";
    },
    apply: Apply::RelOf(rels::PROJECT, average),
};

/// The column of a call, which is added to the grouping unless it is there.
fn new_call(
    call: AggregateCall,
    calls: &mut Vec<(ColumnId, AggregateCall)>,
    cx: &mut Context<'_>,
) -> ColumnId {
    if let Some((c, _)) = calls.iter().find(|(_, k)| *k == call) {
        return *c;
    }
    let count = call.func == AggFunc::Count;
    let mut info = computed(if count { "count" } else { "avg" });
    info.class = if count { TypeClass::Integer } else { TypeClass::Number };
    info.nullable = !count;
    let id = cx.fresh(info);
    calls.push((id, call));
    id
}

/// `count / all` in reals.
fn quotient(count: ColumnId, all: ColumnId) -> Expr {
    Expr::binary(BinaryOp::Div, Expr::Column(count).cast(Affinity::Real), Expr::Column(all))
}

/// The aggregate from which a projection reads.
fn aggregate_below(rel: &mut Rel) -> Option<&mut Rel> {
    match rel {
        Rel::Aggregate { .. } => Some(rel),
        Rel::Filter { input, .. } | Rel::Sort { input, .. } => aggregate_below(input),
        _ => None,
    }
}

/// Looks at what a projection computes of the aggregates below it, through filters and sorts. Aggregates that
/// nothing reads any more go by `projection-pruning`.
fn average(rel: &mut Rel, cx: &mut Context<'_>) -> Changed {
    let (input, exprs) = rel.as_project_mut()?;
    let (input, keys, calls) = aggregate_below(input)?.as_aggregate_mut()?;
    let worth = calls
        .iter()
        .any(|(_, c)| matches!(c.func, AggFunc::Sum | AggFunc::Avg) && !c.distinct && c.filter.is_none());
    if !worth {
        return None;
    }
    let known = cx.not_null(input);
    // Averages of 1s and 0s are shares.
    let mut shares = Substitution::new();
    let mut sums: Vec<(ColumnId, Expr)> = Vec::new();
    for (c, call) in calls.clone() {
        let ([e], None, false) = (call.args.as_slice(), &call.filter, call.distinct) else {
            continue;
        };
        match call.func {
            AggFunc::Avg => {
                if let Some(p) = indicator(e, &known, cx) {
                    let count = new_call(counted(p), calls, cx);
                    let all = new_call(AggregateCall::new(AggFunc::Count, Vec::new()), calls, cx);
                    shares.insert(c, quotient(count, all));
                }
            }
            AggFunc::Sum => sums.push((c, e.clone())),
            _ => {}
        }
    }
    let mut changed = false;
    for (_, e) in exprs.iter_mut() {
        changed |= e.substitute(&shares);
        let mut state = State { sums: &sums, known: &known, grouped: !keys.is_empty(), calls, cx };
        changed |= state.visit(e, 24);
    }
    changed.then_some(())
}

/// What is known on the way through one output: the sums of the grouping with what they add up, columns that
/// are not NULL below it, whether it has keys, its calls.
struct State<'a, 'c> {
    sums: &'a [(ColumnId, Expr)],
    known: &'a ColumnSet,
    grouped: bool,
    calls: &'a mut Vec<(ColumnId, AggregateCall)>,
    cx: &'a mut Context<'c>,
}

impl State<'_, '_> {
    /// From the leaves up: SUM(x) / COUNT(x) is AVG(x), if the division is in reals (x is real, or the sum is
    /// cast) and the count is of the rows that AVG looks at: COUNT(x), or COUNT(*) where x is never NULL. In
    /// a dividend over COUNT(*) sums of 1s and 0s become counts; with keys `count-if` has done so.
    fn visit(&mut self, e: &mut Expr, depth: usize) -> bool {
        let Some(depth) = depth.checked_sub(1) else {
            return false;
        };
        let mut changed = false;
        for operand in e.operands_mut() {
            changed |= self.visit(operand, depth);
        }
        let Expr::Binary { op: BinaryOp::Div, left, right } = e else {
            return changed;
        };
        let Expr::Column(n) = **right else {
            return changed;
        };
        let Some((_, count)) = self.calls.iter().find(|(c, _)| *c == n) else {
            return changed;
        };
        if count.func != AggFunc::Count || count.distinct || count.filter.is_some() {
            return changed;
        }
        let counted_arg = count.args.first().cloned();
        // Division by a count of 0 is NULL, whether the dividend is NULL or 0.
        if counted_arg.is_none() && !self.grouped {
            changed |= self.shares(left, depth);
        }
        let sum = match &**left {
            Expr::Cast { expr, affinity: Affinity::Real } => match **expr {
                Expr::Column(s) => Some((s, true)),
                _ => None,
            },
            Expr::Column(s) => Some((*s, false)),
            _ => None,
        };
        let Some((s, cast)) = sum else { return changed };
        let Some((_, x)) = self.sums.iter().find(|(c, _)| *c == s) else {
            return changed;
        };
        let real = match self.cx.numbers(x) {
            Some(Numbers::Real) => true,
            Some(Numbers::Whole | Numbers::Either) => cast,
            None => false,
        };
        let counts_x = match &counted_arg {
            None => !self.cx.may_be_null(x, self.known),
            Some(e) => e == x,
        };
        if real && counts_x && x.is_deterministic() {
            let x = x.clone();
            let avg = new_call(AggregateCall::new(AggFunc::Avg, vec![x]), self.calls, self.cx);
            *e = Expr::Column(avg);
            changed = true;
        }
        changed
    }

    /// In a dividend, sums of 1s and 0s as counts. Over no rows the sum is NULL and the count 0, but then the
    /// divisor is 0 and the quotient NULL in either form.
    fn shares(&mut self, e: &mut Expr, depth: usize) -> bool {
        let Some(depth) = depth.checked_sub(1) else {
            return false;
        };
        match e {
            Expr::Column(s) => {
                let Some((_, x)) = self.sums.iter().find(|(c, _)| c == s) else {
                    return false;
                };
                let p = whole_indicator(x).then(|| indicator(x, self.known, self.cx)).flatten();
                let Some(p) = p else { return false };
                let count = new_call(counted(p), self.calls, self.cx);
                *e = Expr::Column(count);
                true
            }
            Expr::Cast { expr, affinity: Affinity::Real | Affinity::Integer } => self.shares(expr, depth),
            Expr::Binary { op: BinaryOp::Mul | BinaryOp::Add | BinaryOp::Sub, left, right } => {
                self.shares(left, depth) | self.shares(right, depth)
            }
            _ => false,
        }
    }
}

pub(super) const MEAN_OF_COUNTS: Rule = Rule {
    name: "mean-of-counts",
    summary: "AVG of COUNTs by one key that is never NULL is COUNT / COUNT(DISTINCT the key) in reals; so of SUMs of whole numbers",
    why: "The counts of all groups add up to the count of all rows, and there are as many groups as the key has values.",
    source: "Gupta, Harinarayan & Quass 1995; over no rows each is NULL, by division by 0",
    needs: Needs { typed: true, not_null: true, ..Needs::NOTHING },
    examples: examples! {
        "nulls": "SELECT AVG(n) FROM (SELECT COUNT(*) AS n FROM orders GROUP BY customer_id)"
            == "SELECT CAST(COUNT(*) AS REAL) / COUNT(DISTINCT customer_id) FROM orders";
        "default": "SELECT AVG(n) FROM (SELECT SUM(age) AS n FROM customer GROUP BY city)"
            == "SELECT SUM(age) * 1.0 / COUNT(DISTINCT city) FROM customer";
        "nulls": "SELECT AVG(n) FROM (SELECT COUNT(customer_id) AS n FROM orders GROUP BY customer_id)"
            == "SELECT CAST(COUNT(customer_id) AS REAL) / COUNT(DISTINCT customer_id) FROM orders";
        "nulls": "SELECT AVG(n) FROM (SELECT COUNT(*) AS n FROM orders GROUP BY day)"
            != "SELECT CAST(COUNT(*) AS REAL) / COUNT(DISTINCT day) FROM orders";
        "default": "SELECT AVG(n) FROM (SELECT AVG(age) AS n FROM customer GROUP BY city)" != "SELECT AVG(age) FROM customer";
    },
    apply: Apply::RelOf(rels::AGGREGATE, mean_of_counts),
};

/// A SUM of what may be NULL could be NULL for a group, which AVG would leave out; one of reals adds up in another order.
fn mean_of_counts(rel: &mut Rel, cx: &mut Context<'_>) -> Changed {
    let (input, keys, calls) = rel.as_aggregate_mut()?;
    let ([(mean, outer)], true) = (calls.as_slice(), keys.is_empty()) else {
        return None;
    };
    let (AggFunc::Avg, false, None, [Expr::Column(n)]) =
        (&outer.func, outer.distinct, &outer.filter, outer.args.as_slice())
    else {
        return None;
    };
    let (below, inner, parts) = input.as_aggregate()?;
    let ([(_, key)], Some((_, part))) = (inner.as_slice(), parts.iter().find(|(c, _)| c == n)) else {
        return None;
    };
    let known = cx.not_null(below);
    let adds_up = match (&part.func, part.args.as_slice()) {
        (AggFunc::Count, _) => true,
        (AggFunc::Sum, [x]) => cx.numbers(x) == Some(Numbers::Whole) && !cx.may_be_null(x, &known),
        _ => false,
    };
    let plain = !part.distinct && part.filter.is_none() && part.exprs().all(Expr::is_deterministic);
    if !adds_up || !plain || !key.is_deterministic() || key.has_subquery() || cx.may_be_null(key, &known) {
        return None;
    }
    let (mean, part, key) = (*mean, part.clone(), key.clone());
    let below = below.clone();
    let mut calls = Vec::new();
    let all = new_call(part, &mut calls, cx);
    let values = AggregateCall { distinct: true, ..AggregateCall::new(AggFunc::Count, vec![key]) };
    let groups = new_call(values, &mut calls, cx);
    *rel = Rel::project(Rel::aggregate(below, Vec::new(), calls), vec![(mean, quotient(all, groups))]);
    Some(())
}

pub(super) const ONES: Rule = Rule {
    name: "sum-of-ones",
    summary: "SUM(1) of rows that are certain is COUNT(*)",
    why: "The sum of n ones is n, and there is at least one row for which COUNT and SUM agree.",
    source: "a group has a row, so SUM over it is a number",
    needs: Needs::NOTHING,
    examples: examples! {
        "default": "SELECT SUM(1) FROM customer" == "SELECT COUNT(*) FROM customer";
        "default": "SELECT SUM(1) FROM customer WHERE id > 100" != "SELECT COUNT(*) FROM customer WHERE id > 100";
    },
    apply: Apply::RelOf(rels::AGGREGATE, ones),
};

/// Over no rows SUM is NULL and COUNT is 0: there have to be group keys, or an input that is never empty.
fn ones(rel: &mut Rel, cx: &mut Context<'_>) -> Changed {
    let (input, keys, calls) = rel.as_aggregate_mut()?;
    let mut changed = false;
    for (c, call) in calls.iter_mut() {
        let one = matches!(call.args.as_slice(), [Expr::Literal(Value::Integer(1))]);
        if call.func != AggFunc::Sum || call.distinct || call.filter.is_some() || !one {
            continue;
        }
        if keys.is_empty() && !cx.never_empty(input) {
            continue;
        }
        call.func = AggFunc::Count;
        call.args.clear();
        if let Some(info) = c.info_mut(&mut cx.columns) {
            info.class = TypeClass::Integer;
            info.nullable = false;
        }
        changed = true;
    }
    changed.then_some(())
}

pub(super) const CONSTANT_IN_GROUP: Rule = Rule {
    name: "constant-in-group",
    summary: "an output MIN or MAX of what the group keys determine is it",
    why: "All rows of a group hold the same value, so it is their smallest and their largest.",
    source: "functional dependencies: Paulley & Larson 1994; no affinity counts in an answer",
    needs: Needs::NOTHING,
    examples: examples! {
        "nulls": "SELECT MAX(city), COUNT(*) FROM customer GROUP BY city" == "SELECT city, COUNT(*) FROM customer GROUP BY city";
        "default": "SELECT MAX(name), COUNT(*) FROM customer GROUP BY city" != "SELECT city, COUNT(*) FROM customer GROUP BY city";
    },
    apply: Apply::Root(constant_in_group),
};

/// Only for the answer, and only where nothing else reads the MIN or MAX.
fn constant_in_group(query: &mut Query, cx: &mut Context<'_>) -> Changed {
    // Beside other operators it would count that MIN has no affinity and its column has.
    let read = query.rel.reads();
    (fixed_in(&mut query.rel, &query.output, &read, cx)).then_some(())
}

/// The same in groupings below filters, sorts and joins. The MIN or MAX becomes the key, or a new key, which
/// splits no group, being determined by the others. It must be an output and nothing else: `read` are columns
/// that operators read.
fn fixed_in(rel: &mut Rel, output: &[ColumnId], read: &ColumnSet, cx: &mut Context<'_>) -> bool {
    let (input, keys, calls) = match rel {
        Rel::Aggregate { input, keys, calls } => (input, keys, calls),
        Rel::Filter { input, .. } | Rel::Sort { input, .. } => return fixed_in(input, output, read, cx),
        Rel::Join { inputs, .. } => {
            return inputs.iter_mut().fold(false, |hit, r| fixed_in(r, output, read, cx) | hit);
        }
        _ => return false,
    };
    let extreme = |(c, call): &(ColumnId, AggregateCall)| {
        call.func.is_extreme()
            && call.filter.is_none()
            && call.args.len() == 1
            && output.contains(c)
            && !read.contains(c)
    };
    // Which row a bare column comes from depends on the MIN and MAX beside it.
    if keys.is_empty() || AggregateCall::any_bare(calls) || !calls.iter().any(extreme) {
        return false;
    }
    let deps = cx.dependencies(input);
    let known = deps.closure(keys.iter().filter_map(|(_, e)| e.as_column()));
    let determined = |e: &Expr| matches!(e, Expr::Column(c) if known.contains(c));
    let (fixed, rest): (Vec<_>, Vec<_>) = std::mem::take(calls)
        .into_iter()
        .partition(|entry| extreme(entry) && entry.1.args.iter().all(determined));
    *calls = rest;
    let changed = !fixed.is_empty();
    for (c, call) in fixed {
        let Some(e) = call.args.into_iter().next() else {
            continue;
        };
        match keys.iter().find(|(_, k)| *k == e) {
            Some((k, _)) => cx.replace(c, Expr::Column(*k)),
            None => keys.push((c, e)),
        }
    }
    changed
}
