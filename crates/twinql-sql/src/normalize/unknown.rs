//! Functions of which nothing is known: `SELECT kurtosis(age) FROM pet` has one row if it aggregates, and one for each pet if
//! not. As long as a form holds the call, the same call means the same; rules that drop an output that nothing reads would
//! drop the grouping with it.

use std::collections::BTreeSet;

use crate::expr::Expr;
use crate::function;
use crate::rel::{Query, Rel};
use crate::tree::{Node, Tree as _};

/// A function of which nothing is known that an output of `before` calls and nothing in `after` does.
pub(super) fn lost(before: &Query, after: &Query) -> Option<String> {
    let mut called = BTreeSet::new();
    before.for_each_deep(|node| {
        if let Node::Rel(Rel::Project { exprs, .. }) = node {
            exprs.iter().for_each(|(_, expr)| note(expr, &mut called));
        }
    });
    if called.is_empty() {
        return None;
    }
    after.for_each_deep(|node| {
        if let Node::Expr(Expr::Function { name, .. }) = node {
            called.remove(name);
        }
    });
    called.into_iter().next()
}

/// Notes the functions of which nothing is known in an expression.
fn note(expr: &Expr, names: &mut BTreeSet<String>) {
    expr.any(|part| {
        if let Expr::Function { name, .. } = part
            && function::is_unknown(name)
        {
            names.insert(name.clone());
        }
        false
    });
}

#[cfg(test)]
mod tests {
    use crate::prove::{Proof, prove};
    use crate::{Dialect, Schema, Semantics, translate};

    /// Proved equal, read in a dialect.
    fn proved(dialect: Dialect, [gold, pred]: [&str; 2]) -> bool {
        let ddl = "CREATE TABLE emp (id INTEGER PRIMARY KEY, name VARCHAR(9) NOT NULL, sal INTEGER NOT NULL)";
        let schema = Schema::from_ddl("work", ddl).unwrap();
        let [gold, pred] = [gold, pred].map(|sql| translate(&schema, sql, dialect).unwrap().sql);
        matches!(prove(&schema, &gold, &pred, &Semantics::default()), Ok(Proof::Equal(_)))
    }

    #[test]
    fn what_may_aggregate_is_not_dropped() {
        let count = "SELECT COUNT(*) FROM emp";
        for (dialect, pred) in [
            (Dialect::Duckdb, "SELECT COUNT(*) FROM (SELECT kurtosis(sal) AS k FROM emp) t"),
            (Dialect::Snowflake, "WITH s AS (SELECT SKEW(sal) AS k FROM emp) SELECT COUNT(*) FROM s"),
            (
                Dialect::Postgres,
                "SELECT COUNT(*) FROM (SELECT id, string_to_table(name, 'a') AS q FROM emp) t",
            ),
            (Dialect::Trino, "SELECT COUNT(*) FROM (SELECT max(sal, 2) AS q FROM emp) t"),
        ] {
            assert!(!proved(dialect, [count, pred]), "{dialect}: {pred}");
        }
        let kept =
            ["SELECT frob(sal) FROM emp WHERE NOT id <= 3", "SELECT frob(e.sal) FROM emp e WHERE 3 < id"];
        assert!(proved(Dialect::Bigquery, kept));
    }
}
