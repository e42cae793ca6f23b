//! Whether every column that is read is there to be read.
//!
//! Certificates are checked with this. What a subquery makes and what it takes from around it is worked out here once
//! more, from the operators alone: a mistake in [`crate::columns`], by which tableaux are made, cannot hide itself.

use std::collections::BTreeSet;

use crate::expr::Expr;
use crate::rel::{ColumnId, Query, Rel};

type Scope = BTreeSet<ColumnId>;

/// True if a relation reads no columns but its own.
pub(super) fn is_closed(rel: &Rel) -> bool {
    in_rel(rel, &Scope::new()).is_none()
}

/// A column that an expression or a subquery of it reads, and that nothing around it gives.
pub(super) fn unresolved(expr: &Expr, visible: &Scope) -> Option<ColumnId> {
    match expr {
        Expr::Column(c) => (!visible.contains(c)).then_some(*c),
        _ => {
            let operand = expr.operands().into_iter().find_map(|e| unresolved(e, visible));
            operand.or_else(|| in_query(expr.subquery()?, visible))
        }
    }
}

fn in_query(query: &Query, around: &Scope) -> Option<ColumnId> {
    let gives = given(&query.rel);
    let lost = query.output.iter().find(|c| !gives.contains(c) && !around.contains(c));
    in_rel(&query.rel, around).or(lost.copied())
}

/// An input of a join may read the other inputs' rows (LATERAL); the node's own expressions read all inputs'.
fn in_rel(rel: &Rel, around: &Scope) -> Option<ColumnId> {
    let inputs = rel.inputs();
    let below: Vec<Scope> = inputs.iter().map(|r| given(r)).collect();
    for (at, input) in inputs.iter().enumerate() {
        let beside = below.iter().enumerate().filter(|(other, _)| *other != at).flat_map(|(_, s)| s);
        let found = in_rel(input, &around.iter().chain(beside).copied().collect());
        if found.is_some() {
            return found;
        }
    }
    let own: Scope = around.iter().chain(below.iter().flatten()).copied().collect();
    let arm = rel.arms().into_iter().find_map(|arm| in_query(arm, around));
    arm.or_else(|| rel.exprs().into_iter().find_map(|e| unresolved(e, &own)))
}

/// The columns that the rows of a relation have.
fn given(rel: &Rel) -> Scope {
    match rel {
        Rel::Scan { columns, table: _ } => columns.iter().map(|(c, _)| *c).collect(),
        Rel::Values { columns, .. }
        | Rel::TableFunction { columns, .. }
        | Rel::Recursive { columns, .. }
        | Rel::RecursiveRef { columns, .. }
        | Rel::SetOp { columns, .. } => columns.iter().copied().collect(),
        Rel::Project { exprs, .. } => exprs.iter().map(|(c, _)| *c).collect(),
        Rel::Aggregate { keys, calls, .. } => {
            keys.iter().map(|(c, _)| *c).chain(calls.iter().map(|(c, _)| *c)).collect()
        }
        Rel::Window { input, calls } => {
            let mut all = given(input);
            all.extend(calls.iter().map(|(c, _)| *c));
            all
        }
        Rel::Join { inputs, .. } => inputs.iter().flat_map(given).collect(),
        Rel::OuterJoin { left, right, .. } => given(left).into_iter().chain(given(right)).collect(),
        Rel::Filter { input, .. } | Rel::Distinct { input } | Rel::Sort { input, .. } => given(input),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Schema, parse, plan};

    /// The conjuncts of a query's WHERE, and the columns of its table.
    fn condition(sql: &str) -> (Vec<Expr>, Scope) {
        let ddl = "CREATE TABLE a (id INTEGER PRIMARY KEY, x INTEGER); CREATE TABLE b (id INTEGER PRIMARY KEY, x INTEGER)";
        let plan = plan(&Schema::from_ddl("d", ddl).unwrap(), &parse(sql).unwrap()).unwrap();
        let (inputs, on) =
            plan.query.rel.as_project().map_or(&plan.query.rel, |(r, _)| r).clone().into_block();
        (on, inputs.iter().flat_map(given).collect())
    }

    #[test]
    fn outer_columns_are_read_from_around_wherever_they_stand() {
        for sql in [
            "SELECT id FROM a WHERE x IN (SELECT x FROM b WHERE b.id = a.id GROUP BY x HAVING SUM(b.id) > a.x)",
            "SELECT id FROM a WHERE EXISTS (SELECT a.id FROM b GROUP BY a.id, a.x)",
            "SELECT id FROM a WHERE x > (SELECT MAX(x) FROM b UNION SELECT a.id)",
        ] {
            let (on, visible) = condition(sql);
            assert_eq!(on.iter().find_map(|e| unresolved(e, &visible)), None, "{sql}");
            // Without the table around it they are nowhere.
            assert!(on.iter().any(|e| unresolved(e, &Scope::new()).is_some()), "{sql}");
        }
    }

    #[test]
    fn a_name_that_nothing_gives_is_found_inside() {
        let (mut on, visible) = condition("SELECT id FROM a WHERE EXISTS (SELECT 1 FROM b WHERE b.x = a.x)");
        let query = on[0].subquery_mut().unwrap();
        query.map_ids(|c| {
            if visible.contains(c) {
                *c = ColumnId(9_999);
            }
        });
        assert_eq!(unresolved(&on[0], &visible), Some(ColumnId(9_999)));
    }
}
