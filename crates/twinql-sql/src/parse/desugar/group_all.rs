//! `GROUP BY ALL` and `ORDER BY ALL`: the outputs by their positions.
//!
//! `SELECT a, b + 1, sum(c) FROM t GROUP BY ALL` → `… GROUP BY 1, 2`. Snowflake: constructs/group-by; DuckDB:
//! query_syntax/groupby, query_syntax/orderby; Databricks: sql-ref-syntax-qry-select-groupby.

use sqlparser::ast::{
    Expr, GroupByExpr, OrderBy, OrderByExpr, OrderByKind, Query, Select, SelectItem, SetExpr, Spanned, Value,
    ValueWithSpan,
};

use super::build::{last_name, number};
use crate::error::{SqlError, unsupported};
use crate::plan::is_aggregate;
use crate::syntax::any_expression;

/// Writes out the keys of one SELECT.
pub(super) fn write_out(select: &mut Select) -> Result<(), SqlError> {
    let GroupByExpr::All(modifiers) = &select.group_by else {
        return Ok(());
    };
    let mut keys = Vec::new();
    for (at, item) in select.projection.iter().enumerate() {
        let expr = match item {
            SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, alias: _ } => expr,
            SelectItem::ExprWithAliases { expr: _, aliases: _ }
            | SelectItem::QualifiedWildcard(_, _)
            | SelectItem::Wildcard(_) => return unsupported("* beside GROUP BY ALL", item.span()),
        };
        if !aggregates(expr) {
            if !is_constant(expr) {
                keys.push(number(i64::try_from(at + 1).unwrap_or(i64::MAX), expr.span()));
            }
        } else if !aggregates_alone(expr) {
            // Which of its columns are keys the systems do not agree on.
            return unsupported("a column beside an aggregate in one output, with GROUP BY ALL", expr.span());
        }
    }
    select.group_by = GroupByExpr::Expressions(keys, modifiers.clone());
    Ok(())
}

/// Writes out `ORDER BY ALL` of a query.
pub(super) fn order(query: &mut Query) -> Result<(), SqlError> {
    let Some(OrderBy { kind, interpolate: _ }) = &mut query.order_by else {
        return Ok(());
    };
    let OrderByKind::All(options) = kind else {
        return Ok(());
    };
    let mut body = &*query.body;
    while let SetExpr::SetOperation { left, op: _, set_quantifier: _, right: _ } = body {
        body = left;
    }
    let SetExpr::Select(select) = body else {
        return unsupported("ORDER BY ALL of this query", body.span());
    };
    let star = |i: &SelectItem| matches!(i, SelectItem::Wildcard(_) | SelectItem::QualifiedWildcard(_, _));
    if select.projection.iter().any(star) {
        return unsupported("* beside ORDER BY ALL", body.span());
    }
    let key = |at: usize| OrderByExpr {
        expr: number(i64::try_from(at).unwrap_or(i64::MAX), body.span()),
        options: options.clone(),
        with_fill: None,
    };
    *kind = OrderByKind::Expressions((1..=select.projection.len()).map(key).collect());
    Ok(())
}

/// Whether an expression is an aggregate's call, and no window's.
fn is_call(expr: &Expr) -> bool {
    matches!(expr, Expr::Function(f) if f.over.is_none()
        && last_name(&f.name).is_some_and(|name| is_aggregate(&name)))
}

fn aggregates(expr: &Expr) -> bool {
    any_expression(expr, &mut |e| is_call(e))
}

/// Whether every column of an expression stands inside an aggregate.
fn aggregates_alone(expr: &Expr) -> bool {
    if is_call(expr) {
        return true;
    }
    if matches!(expr, Expr::Identifier(_) | Expr::CompoundIdentifier(_)) {
        return false;
    }
    let (mut alone, mut copy) = (true, expr.clone());
    super::children::each(&mut copy, &mut |child| alone &= aggregates_alone(child));
    alone
}

fn is_constant(expr: &Expr) -> bool {
    matches!(
        expr,
        Expr::Value(ValueWithSpan {
            value: Value::Number(_, _) | Value::SingleQuotedString(_) | Value::Null,
            span: _
        })
    )
}
