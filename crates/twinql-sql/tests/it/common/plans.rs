//! Plans changed so that what they leave open shows: limits, ties, first rows.

use std::collections::BTreeSet;

use twinql_sql::tree::{Node, NodeMut, Tree};
use twinql_sql::{Direction, Expr, NullsOrder, Plan, Rel, Schema, SortKey};

/// Only the tables a plan reads, and what they refer to, hold rows.
pub fn reduced(schema: &Schema, plan: &Plan) -> Schema {
    let mut used: BTreeSet<usize> = BTreeSet::new();
    plan.query.for_each_deep(|node| {
        if let Node::Rel(Rel::Scan { table, .. }) = node {
            used.insert(*table);
        }
    });
    let mut all: Vec<usize> = used.iter().copied().collect();
    while let Some(t) = all.pop() {
        for f in &schema.tables[t].foreign_keys {
            if used.insert(f.target) {
                all.push(f.target);
            }
        }
    }
    let mut small = schema.clone();
    small.tables = used.iter().map(|t| schema.tables[*t].clone()).collect();
    let place = |t: usize| used.iter().position(|u| *u == t).unwrap();
    for table in &mut small.tables {
        for f in &mut table.foreign_keys {
            f.target = place(f.target);
        }
    }
    small
}

/// The plan with every limit taken away, in its subqueries too: where two queries differ
/// by the ties that a limit cuts, they agree without it.
pub fn unlimited(plan: &Plan) -> Plan {
    let mut plan = plan.clone();
    edit(&mut plan, |r| {
        if let Rel::Sort { limit, offset, .. } = r {
            *limit = None;
            *offset = None;
        }
    });
    plan
}

/// The plan with `shake()` wherever it leaves open which row comes first: at the end of
/// every order, below bare columns and concatenations, and in scalar subqueries. `None`
/// where nothing is left open.
pub fn shaken(plan: &Plan) -> Option<Plan> {
    let mut plan = plan.clone();
    let mut open = 0;
    edit(&mut plan, |r| match r {
        Rel::Sort { keys, .. } => {
            open += 1;
            keys.push(shake());
        }
        Rel::Aggregate { input, calls, .. } if calls.iter().any(|(_, c)| c.func.depends_on_order()) => {
            open += 1;
            // A subquery's order is kept where it has a limit.
            **input = Rel::sort(input.take(), vec![shake()], Some(Expr::integer(i64::MAX)));
        }
        _ => {}
    });
    (open > 0).then_some(plan)
}

/// True if the answer of the plan has an order.
pub fn ordered(rel: &Rel) -> bool {
    match rel {
        Rel::Sort { keys, .. } => !keys.is_empty(),
        Rel::Project { input, .. } => ordered(input),
        _ => false,
    }
}

fn shake() -> SortKey {
    SortKey { expr: Expr::function("shake", Vec::new()), direction: Direction::Asc, nulls: NullsOrder::First }
}

/// Changes every relation, and scalar subqueries that may have several rows and no order as if they had an empty one:
/// the first row of such a subquery is any.
fn edit(plan: &mut Plan, mut f: impl FnMut(&mut Rel)) {
    plan.query.map_up_deep(|node| match node {
        NodeMut::Rel(rel) => f(rel),
        NodeMut::Expr(Expr::Scalar(query)) => {
            let one = query.rel.as_grouping().is_some_and(|g| g.keys.is_empty());
            if !one && !ends_sorted(&query.rel) {
                query.rel = Rel::sort(query.rel.take(), Vec::new(), None);
                f(&mut query.rel);
            }
        }
        _ => {}
    });
}

fn ends_sorted(rel: &Rel) -> bool {
    match rel {
        Rel::Sort { .. } => true,
        Rel::Project { input, .. } | Rel::Filter { input, .. } => ends_sorted(input),
        _ => false,
    }
}
