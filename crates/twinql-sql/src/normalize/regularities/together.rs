//! Totals that are asked for one by one, of the same rows.

use super::extremes::renaming;
use super::totals::{case, conditional, of_argument};
use crate::column_set::ColumnSet;
use crate::normalize::prelude::*;

pub(super) const TOGETHER: Rule = Rule {
    name: "totals-together",
    summary: "subqueries that aggregate the same tables under different conditions are aggregates of CASEs over one scan",
    why: "Each aggregate sees the rows that meet its own condition, whether these are filtered or chosen by a CASE.",
    source: "a habit of language models: a share as the quotient of two subqueries",
    needs: Needs::NOTHING,
    examples: examples! {
        "bird": "SELECT (SELECT COUNT(*) FROM customer WHERE city = 'Rome') - (SELECT COUNT(*) FROM customer WHERE city = 'Oslo')"
            == "SELECT SUM(CASE WHEN city = 'Rome' THEN 1 ELSE 0 END) - SUM(CASE WHEN city = 'Oslo' THEN 1 ELSE 0 END) FROM customer";
        "bird": "SELECT COUNT(*) * 100.0 / (SELECT COUNT(*) FROM customer) FROM customer WHERE city = 'Rome'"
            == "SELECT SUM(CASE WHEN city = 'Rome' THEN 1 ELSE 0 END) * 100.0 / COUNT(*) FROM customer";
        "bird": "SELECT (SELECT COUNT(*) FROM customer WHERE city = 'Rome') - (SELECT COUNT(*) FROM customer WHERE age = 3)"
            != "SELECT (SELECT COUNT(*) FROM customer WHERE city = 'Rome') - (SELECT COUNT(*) FROM customer WHERE age = 4)";
    },
    apply: Apply::Query(together),
};

/// An aggregate of some rows: where its column is read, the block, the call.
struct Member {
    column: ColumnId,
    inputs: Vec<Rel>,
    on: Vec<Expr>,
    call: AggregateCall,
}

/// In a projection over one row: over no table, or over an aggregate of everything, whose own calls take part.
fn together(query: &mut Query, role: Role, _cx: &mut Context<'_>) -> Changed {
    let grouping = query.rel.as_grouping().is_some_and(|g| !g.calls.is_empty());
    if !matches!(role, Role::Root | Role::Scalar | Role::Arm) || grouping {
        return None;
    }
    // DISTINCT of one row does nothing.
    let (Rel::Project { input, exprs } | Rel::Aggregate { input, keys: exprs, calls: _ }) = &mut query.rel
    else {
        return None;
    };
    let mut members = Vec::new();
    match &**input {
        rel if rel.is_unit() => {}
        Rel::Aggregate { input, keys, calls } if keys.is_empty() => {
            let (inputs, on) = input.as_ref().clone().into_block();
            members.extend(calls.iter().map(|(c, call)| Member {
                column: *c,
                inputs: inputs.clone(),
                on: on.clone(),
                call: call.clone(),
            }));
        }
        _ => return None,
    }
    let own = members.len();
    for (_, e) in exprs.iter() {
        if !subqueries(e, &mut members) {
            return None;
        }
    }
    if members.len() < 2 || members.len() == own {
        return None;
    }
    let merged = merge(&members)?;
    let mut exprs = std::mem::take(exprs);
    let column = |e: &Expr| match e.as_scalar()?.output.as_slice() {
        [c] => Some(Expr::Column(*c)),
        _ => None,
    };
    change_each(&mut exprs, |(_, e)| e.map(|e| put(e, column(e)).is_some()));
    query.rel = Rel::project(merged, exprs);
    Some(())
}

/// Adds the subqueries of an expression; false if one is no single aggregate over tables.
fn subqueries(e: &Expr, members: &mut Vec<Member>) -> bool {
    let mut fine = true;
    e.for_each(|e| match e {
        Expr::Scalar(query) => match sole_aggregate(query) {
            Some((input, column, call)) => {
                let (inputs, on) = input.clone().into_block();
                members.push(Member { column, inputs, on, call: call.clone() });
            }
            None => fine = false,
        },
        e => fine &= e.subquery().is_none(),
    });
    fine
}

/// One aggregate for all: over the conditions that all share, each call under its own others.
fn merge(members: &[Member]) -> Option<Rel> {
    let (first, others) = members.split_first()?;
    let tables = tables(&first.inputs)?;
    let mut said = vec![(first.on.clone(), first.call.clone())];
    for member in others {
        if self::tables(&member.inputs)? != tables {
            return None;
        }
        let mut map = Substitution::new();
        for read in &member.inputs {
            map.extend(first.inputs.iter().find_map(|own| renaming(read, own))?);
        }
        let on = member.on.iter().map(|e| e.substituted(&map)).collect();
        let mut call = member.call.clone();
        for e in call.exprs_mut() {
            e.substitute(&map);
        }
        said.push((on, call));
    }
    let allowed = said.iter().all(|(on, call)| {
        call.filter.is_none()
            && !matches!(call.func, AggFunc::Bare | AggFunc::Other(_))
            && !on.iter().any(Expr::has_subquery)
    });
    let made: ColumnSet = first.inputs.iter().flat_map(Rel::outputs).collect();
    let closed = said.iter().all(|(on, call)| {
        let reads = on.iter().chain(call.exprs()).flat_map(Expr::free_columns).collect::<ColumnSet>();
        reads.is_subset(&made)
    });
    if !allowed || !closed {
        return None;
    }
    let shared: Vec<Expr> =
        first.on.iter().filter(|e| said.iter().all(|(on, _)| on.contains(e))).cloned().collect();
    let calls = members.iter().zip(said).map(|(member, (on, call))| {
        let own: Vec<Expr> = on.into_iter().filter(|e| !shared.contains(e)).collect();
        (member.column, under(call, own))
    });
    let calls = calls.collect();
    Some(Rel::aggregate(Rel::join(first.inputs.clone(), shared), Vec::new(), calls))
}

/// The tables of a block of scans, each once.
fn tables(inputs: &[Rel]) -> Option<BTreeSet<usize>> {
    let scanned = |rel: &Rel| match rel {
        Rel::Scan { table, .. } => Some(*table),
        _ => None,
    };
    let all: BTreeSet<usize> = inputs.iter().filter_map(scanned).collect();
    (all.len() == inputs.len()).then_some(all)
}

/// The call over those rows alone that meet the conditions.
fn under(call: AggregateCall, conditions: Vec<Expr>) -> AggregateCall {
    if conditions.is_empty() {
        return call;
    }
    let (mut all, of) = match conditional(&call) {
        Some((p, then)) => (p.clone().conjuncts(), of_argument(&call, then.clone())),
        None => (Vec::new(), call),
    };
    all.extend(conditions);
    all.sort();
    all.dedup();
    let then = of.args.first().cloned().unwrap_or_else(|| Expr::integer(1));
    AggregateCall { args: vec![case(all, then)], ..of }
}
