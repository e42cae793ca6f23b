//! SQL Server's CROSS APPLY and OUTER APPLY, which are LATERAL joins, its hints at tables, which say how an answer is computed, and
//! its names of collations.
//!
//! `FROM t CROSS APPLY (SELECT TOP 1 …) AS x` → `FROM t CROSS JOIN LATERAL (SELECT TOP 1 …) AS x`
//! (<https://learn.microsoft.com/sql/t-sql/queries/from-transact-sql#left_table_source--cross--outer--apply-right_table_source>).

use sqlparser::ast::{
    Expr, FunctionArg, FunctionArgExpr, Ident, JoinConstraint, JoinOperator, ObjectName, SetExpr, Spanned,
    TableFactor, TableFunctionArgs, TableWithJoins, Value,
};

use super::build::call_in_from;

/// Hints at tables (<https://learn.microsoft.com/sql/t-sql/queries/hints-transact-sql-table>).
const HINTS: [&str; 15] = words![
    nolock readuncommitted readcommitted readcommittedlock repeatableread serializable snapshot holdlock rowlock
    paglock tablock tablockx updlock xlock forceseek
];

/// Writes out the joins of a SELECT.
pub(super) fn write_out(body: &mut SetExpr) {
    match body {
        SetExpr::Select(select) => select.from.iter_mut().for_each(joined),
        SetExpr::SetOperation { left, right, op: _, set_quantifier: _ } => {
            write_out(left);
            write_out(right);
        }
        _ => {}
    }
}

/// `x COLLATE SQL_Latin1_General_CP1_CI_AS` is x, since that is the default; `_CS_` and `_BIN` tell cases apart
/// (<https://learn.microsoft.com/sql/t-sql/statements/windows-collation-name-transact-sql>).
pub(super) fn collation(expr: &mut Expr) {
    let Expr::Collate { expr: inner, collation } = expr else {
        return;
    };
    let name = collation.to_string().to_ascii_uppercase();
    if name.contains("_CI_AS") {
        *expr = (**inner).clone();
    } else if name.contains("_CS_AS") || name.ends_with("_BIN") || name.ends_with("_BIN2") {
        *collation = ObjectName::from(vec![Ident::new("BINARY")]);
    }
}

fn joined(tables: &mut TableWithJoins) {
    plain(&mut tables.relation);
    for join in &mut tables.joins {
        plain(&mut join.relation);
        let operator = match join.join_operator {
            JoinOperator::CrossApply => JoinOperator::CrossJoin(JoinConstraint::None),
            JoinOperator::OuterApply => {
                let one = || Box::new(Expr::Value(Value::Number("1".into(), false).with_empty_span()));
                let always =
                    Expr::BinaryOp { left: one(), op: sqlparser::ast::BinaryOperator::Eq, right: one() };
                JoinOperator::LeftOuter(JoinConstraint::On(always))
            }
            _ => continue,
        };
        join.join_operator = operator;
        if let TableFactor::Derived { lateral, subquery: _, alias: _, sample: _ } = &mut join.relation {
            *lateral = true;
        }
    }
}

/// Takes hints from a table: `posts WITH (NOLOCK)`, `posts (NOLOCK)`.
fn plain(factor: &mut TableFactor) {
    let is_hint = |expr: &Expr| match expr {
        Expr::Identifier(name) => HINTS.contains(&name.value.to_ascii_lowercase().as_str()),
        _ => false,
    };
    match factor {
        TableFactor::Table {
            args,
            with_hints,
            alias,
            // What else stands with a table the planner reads, or refuses.
            name: _,
            version: _,
            with_ordinality: _,
            partitions: _,
            json_path: _,
            sample: _,
            index_hints: _,
        } => {
            if let Some(alias) = alias
                && alias
                    .columns
                    .iter()
                    .all(|c| c.data_type.is_none() && is_hint(&Expr::Identifier(c.name.clone())))
            {
                alias.columns.clear();
            }
            if with_hints.iter().all(is_hint) {
                with_hints.clear();
            }
            let old = matches!(args, Some(TableFunctionArgs { args, settings: None })
            if !args.is_empty() && args.iter().all(|arg| {
                matches!(arg, FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) if is_hint(expr))
            }));
            if old {
                *args = None;
            }
        }
        // Keys and values as JSON's own functions name them
        // (<https://learn.microsoft.com/sql/t-sql/functions/openjson-transact-sql>).
        TableFactor::OpenJsonTable { json_expr, json_path, columns, alias } if columns.is_empty() => {
            let path = json_path.iter().map(|path| Expr::Value(path.clone()));
            let args = std::iter::once(json_expr.clone()).chain(path).collect();
            *factor = call_in_from("json_each", args, alias.clone(), json_expr.span());
        }
        TableFactor::NestedJoin { table_with_joins, alias: _ } => joined(table_with_joins),
        _ => {}
    }
}
