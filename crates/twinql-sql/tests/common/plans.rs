//! Plans changed so that what they leave open shows: limits, ties, first rows.

use std::collections::BTreeSet;

use twinql_sql::{AggFunc, Direction, Expr, NullsOrder, Plan, Query, Rel, Schema, SortKey, Value};

/// Only the tables a plan reads, and what they refer to, hold rows.
pub fn reduced(schema: &Schema, plan: &Plan) -> Schema {
    let mut used: BTreeSet<usize> = BTreeSet::new();
    let text = format!("{:?}", plan.query);
    for part in text.split("Scan { table: ").skip(1) {
        let digits: String = part.chars().take_while(char::is_ascii_digit).collect();
        used.extend(digits.parse::<usize>().ok());
    }
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
    edit_query(&mut plan.query, &mut |r| {
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
    edit_query(&mut plan.query, &mut |r| match r {
        Rel::Sort { keys, .. } => {
            open += 1;
            keys.push(shake());
        }
        Rel::Aggregate { input, calls, .. } => {
            let any = |f: &AggFunc| matches!(f, AggFunc::Bare | AggFunc::GroupConcat | AggFunc::Other(_));
            if calls.iter().any(|(_, c)| any(&c.func)) {
                open += 1;
                let below = std::mem::replace(&mut **input, nothing());
                **input = Rel::Sort {
                    input: Box::new(below),
                    keys: vec![shake()],
                    // A subquery's order is kept where it has a limit.
                    limit: Some(Expr::Literal(Value::Integer(i64::MAX))),
                    offset: None,
                };
            }
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

fn nothing() -> Rel {
    Rel::Values {
        columns: Vec::new(),
        rows: Vec::new(),
    }
}

fn shake() -> SortKey {
    SortKey {
        expr: Expr::Function {
            name: "shake".into(),
            args: Vec::new(),
        },
        direction: Direction::Asc,
        nulls: NullsOrder::First,
    }
}

fn edit_query(q: &mut Query, f: &mut dyn FnMut(&mut Rel)) {
    edit_rel(&mut q.rel, f);
}

fn edit_expr(e: &mut Expr, f: &mut dyn FnMut(&mut Rel)) {
    match e {
        Expr::Unary { expr, .. } | Expr::Cast { expr, .. } | Expr::Collate { expr, .. } => edit_expr(expr, f),
        Expr::Binary { left, right, .. } => {
            edit_expr(left, f);
            edit_expr(right, f);
        }
        Expr::And(list) | Expr::Or(list) | Expr::Row(list) => list.iter_mut().for_each(|e| edit_expr(e, f)),
        Expr::Function { args, .. } => args.iter_mut().for_each(|e| edit_expr(e, f)),
        Expr::InSubquery { query, .. } => edit_query(query, f),
        Expr::Exists(query) => edit_query(query, f),
        Expr::Scalar(query) => {
            edit_query(query, f);
            // The first row of a subquery without an order is any.
            let one = matches!(&query.rel, Rel::Aggregate { keys, .. } if keys.is_empty());
            if !one && !ends_sorted(&query.rel) {
                let mut sorted = Rel::Sort {
                    input: Box::new(std::mem::replace(&mut query.rel, nothing())),
                    keys: Vec::new(),
                    limit: None,
                    offset: None,
                };
                f(&mut sorted);
                query.rel = sorted;
            }
        }
        _ => {}
    }
}

fn ends_sorted(rel: &Rel) -> bool {
    match rel {
        Rel::Sort { .. } => true,
        Rel::Project { input, .. } | Rel::Filter { input, .. } => ends_sorted(input),
        _ => false,
    }
}

fn edit_rel(r: &mut Rel, f: &mut dyn FnMut(&mut Rel)) {
    match r {
        Rel::Sort { input, .. }
        | Rel::Aggregate { input, .. }
        | Rel::Distinct { input }
        | Rel::Window { input, .. } => {
            edit_rel(input, f);
        }
        Rel::Filter { input, predicate } => {
            predicate.iter_mut().for_each(|e| edit_expr(e, f));
            edit_rel(input, f);
        }
        Rel::Project { input, exprs } => {
            exprs.iter_mut().for_each(|(_, e)| edit_expr(e, f));
            edit_rel(input, f);
        }
        Rel::Join { inputs, on } => {
            on.iter_mut().for_each(|e| edit_expr(e, f));
            inputs.iter_mut().for_each(|r| edit_rel(r, f));
        }
        Rel::OuterJoin { left, right, on, .. } => {
            on.iter_mut().for_each(|e| edit_expr(e, f));
            edit_rel(left, f);
            edit_rel(right, f);
        }
        Rel::SetOp { left, right, .. } => {
            edit_query(left, f);
            edit_query(right, f);
        }
        _ => {}
    }
    f(r);
}
