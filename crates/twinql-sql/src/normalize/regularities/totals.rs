//! Totals under a condition: of the rows that meet it, or of a CASE.

use crate::normalize::prelude::*;
use crate::normalize::rules::{count_instead, indicator, is_number, whole_indicator};

pub(super) const TOTALS: Rule = Rule {
    name: "totals",
    summary: "SUM(CASE WHEN p THEN 1 ELSE 0 END) is COUNT(CASE WHEN p THEN 1 END), and SUM(CASE WHEN p THEN x ELSE 0 END) is SUM(CASE WHEN p THEN x END)",
    why: "Some row meets the condition, so the sum is a number either way.",
    source: "SQL: SUM over no rows is NULL",
    needs: Needs::NOTHING,
    examples: examples! {
        "bird": "SELECT SUM(CASE WHEN age > 30 THEN 1 ELSE 0 END) FROM customer" == "SELECT COUNT(CASE WHEN age > 30 THEN 1 END) FROM customer";
        "bird": "SELECT SUM(CASE WHEN age > 30 THEN score ELSE 0 END), COUNT(*) FROM customer"
            == "SELECT SUM(CASE WHEN age > 30 THEN score END), COUNT(*) FROM customer";
        "bird": "SELECT AVG(CASE WHEN age > 30 THEN score ELSE 0 END), COUNT(*) FROM customer"
            != "SELECT AVG(CASE WHEN age > 30 THEN score END), COUNT(*) FROM customer";
    },
    apply: Apply::Rel(totals),
};

/// In groups `count-if` has made a count of the sum of 1s and 0s already.
fn totals(rel: &mut Rel, cx: &mut Context<'_>) -> Changed {
    let (input, _, calls) = rel.as_aggregate_mut()?;
    let mut changed = false;
    for (c, call) in calls {
        let (AggFunc::Sum, [e], None, false) =
            (&call.func, call.args.as_mut_slice(), &call.filter, call.distinct)
        else {
            continue;
        };
        if whole_indicator(e)
            && let Some(p) = indicator(e, &cx.not_null(input), cx)
        {
            count_instead(*c, call, p, cx);
            changed = true;
        } else if let Expr::Case { operand: None, branches, otherwise } = e
            && branches.len() == 1
            && otherwise.as_deref().is_some_and(|e| is_number(e, 0.0))
        {
            *otherwise = None;
            changed = true;
        }
    }
    changed.then_some(())
}

pub(super) const COUNTED_ALONE: Rule = Rule {
    name: "counted-alone",
    summary: "where all aggregates over everything are of CASE WHEN p … THEN … END, p is in WHERE",
    why: "The rows that do not meet the condition have no part in any of them.",
    source: "SQL: aggregates leave NULL out",
    needs: Needs::NOTHING,
    examples: examples! {
        "bird": "SELECT SUM(CASE WHEN age > 30 THEN 1 ELSE 0 END) FROM customer" == "SELECT COUNT(*) FROM customer WHERE age > 30";
        "bird": "SELECT SUM(CASE WHEN city = 'Rome' THEN score ELSE 0 END) FROM customer" == "SELECT SUM(score) FROM customer WHERE city = 'Rome'";
        "bird": "SELECT COUNT(CASE WHEN city = 'Rome' AND age > 3 THEN 1 END) * 1.0 / COUNT(CASE WHEN city = 'Rome' THEN 1 END) FROM customer"
            == "SELECT COUNT(CASE WHEN age > 3 THEN 1 END) * 1.0 / COUNT(*) FROM customer WHERE city = 'Rome'";
        "bird": "SELECT SUM(CASE WHEN city = 'Rome' THEN score ELSE 0 END), COUNT(*) FROM customer"
            != "SELECT SUM(score), COUNT(*) FROM customer WHERE city = 'Rome'";
    },
    apply: Apply::Rel(counted_alone),
};

/// The condition of an aggregate's only argument, and the argument where it holds.
pub(super) fn conditional(call: &AggregateCall) -> Option<(&Expr, &Expr)> {
    match call.argument()?.as_conditional()? {
        (p, then, None) if call.filter.is_none() => Some((p, then)),
        _ => None,
    }
}

/// The aggregate of an argument where a condition is taken care of: COUNT of 1 counts rows.
pub(super) fn of_argument(call: &AggregateCall, then: Expr) -> AggregateCall {
    let rows = call.func == AggFunc::Count && !call.distinct && then.is_literal() && !then.is_null_literal();
    let args = if rows { Vec::new() } else { vec![then] };
    AggregateCall { func: call.func.clone(), distinct: call.distinct, args, filter: None }
}

fn counted_alone(rel: &mut Rel, _cx: &mut Context<'_>) -> Changed {
    let (input, keys, calls) = rel.as_aggregate_mut()?;
    let conditions = |call: &AggregateCall| conditional(call).map(|(p, _)| p.clone().conjuncts());
    let mut shared = calls.first().and_then(|(_, call)| conditions(call))?;
    for (_, call) in calls.iter() {
        let own = conditions(call).unwrap_or_default();
        shared.retain(|p| own.contains(p) && !p.has_subquery());
    }
    if !keys.is_empty() || shared.is_empty() {
        return None;
    }
    for (_, call) in calls.iter_mut() {
        let Some((p, then)) = conditional(call) else {
            continue;
        };
        let mut left = p.clone().conjuncts();
        left.retain(|p| !shared.contains(p));
        let then = then.clone();
        *call = match left.is_empty() {
            true => of_argument(call, then),
            false => AggregateCall { args: vec![case(left, then)], ..call.clone() },
        };
    }
    shared.into_iter().for_each(|conjunct| input.add_conjunct(conjunct));
    Some(())
}

/// `CASE WHEN all of these THEN then END`.
pub(super) fn case(conditions: Vec<Expr>, then: Expr) -> Expr {
    Expr::case(vec![(Expr::and_all(conditions), then)], None)
}

pub(super) const AVERAGES: Rule = Rule {
    name: "averages",
    summary: "SUM(CASE WHEN p THEN x END) / COUNT(CASE WHEN p THEN 1 END) in reals is AVG(CASE WHEN p THEN x END)",
    why: "An average is the sum over the count, and x has a value in each row that is counted.",
    source: "SQL: AVG is the sum over the count",
    needs: Needs::NOTHING,
    examples: examples! {
        "bird": "SELECT CAST(SUM(CASE WHEN city = 'Rome' THEN score ELSE 0 END) AS REAL) / COUNT(CASE WHEN city = 'Rome' THEN id END), COUNT(*) FROM customer"
            == "SELECT AVG(CASE WHEN city = 'Rome' THEN score END), COUNT(*) FROM customer";
        "bird": "SELECT CAST(SUM(CASE WHEN city = 'Rome' THEN score ELSE 0 END) AS REAL) / COUNT(*), COUNT(*) FROM customer"
            != "SELECT AVG(CASE WHEN city = 'Rome' THEN score END), COUNT(*) FROM customer";
    },
    apply: Apply::Rel(averages),
};

fn averages(rel: &mut Rel, cx: &mut Context<'_>) -> Changed {
    let (input, exprs) = rel.as_project_mut()?;
    let (_, _, calls) = input.as_aggregate_mut()?;
    let mut new = Vec::new();
    for (_, e) in exprs {
        e.map(|e| {
            let Some(call) = average(e, calls) else { return false };
            let id = match calls.iter().chain(&new).find(|(_, known)| *known == call) {
                Some((id, _)) => *id,
                None => {
                    let id = cx.fresh(computed("avg"));
                    new.push((id, call));
                    id
                }
            };
            *e = Expr::Column(id);
            true
        });
    }
    let changed = !new.is_empty();
    calls.extend(new);
    changed.then_some(())
}

/// The average that a quotient of a sum and a count under one condition is.
fn average(e: &Expr, calls: &[(ColumnId, AggregateCall)]) -> Option<AggregateCall> {
    let Expr::Binary { op: BinaryOp::Div, left, right } = e else {
        return None;
    };
    let called = |e: &Expr| calls.iter().find(|(c, _)| e.as_column() == Some(*c)).map(|(_, call)| call);
    let sum = match &**left {
        Expr::Cast { expr, affinity: Affinity::Real } => called(expr)?,
        e => called(e)?,
    };
    let count = match &**right {
        Expr::Cast { expr, .. } => called(expr)?,
        e => called(e)?,
    };
    let plain = |call: &AggregateCall, func| call.func == func && !call.distinct && call.filter.is_none();
    if !plain(sum, AggFunc::Sum) || !plain(count, AggFunc::Count) {
        return None;
    }
    let ((p, _), (q, _)) = (conditional(sum)?, conditional(count)?);
    (p == q).then(|| AggregateCall { func: AggFunc::Avg, ..sum.clone() })
}
