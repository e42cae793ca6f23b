//! `SELECT SINGLE_VALUE(x) FROM t` → `SELECT (SELECT x FROM t)`.
//!
//! Apache Calcite's plans: the value of the one row, NULL where there is none, and an error where there are two, as of the
//! standard's scalar subquery.

use sqlparser::ast::{Expr, GroupByExpr, Query, SelectItem, SetExpr};

use super::build::plain_call;

/// Writes out a query of one such value.
pub(super) fn write_out(query: &mut Query) {
    let SetExpr::Select(select) = &*query.body else {
        return;
    };
    let grouped = match &select.group_by {
        GroupByExpr::Expressions(terms, modifiers) => !terms.is_empty() || !modifiers.is_empty(),
        GroupByExpr::All(_) => true,
    };
    let beside = query.order_by.is_some() || query.limit_clause.is_some() || query.fetch.is_some();
    let [SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, alias: _ }] =
        select.projection.as_slice()
    else {
        return;
    };
    let value = match plain_call(expr) {
        Some((name, args)) if name == "single_value" => match args.as_slice() {
            [value] => (*value).clone(),
            _ => return,
        },
        _ => return,
    };
    if grouped || beside || select.having.is_some() || select.distinct.is_some() {
        return;
    }
    let (mut rows, mut outer) = (select.clone(), select.clone());
    rows.projection = vec![SelectItem::UnnamedExpr(value)];
    let mut inner = Box::new(query.clone());
    inner.with = None;
    *inner.body = SetExpr::Select(rows);
    outer.from.clear();
    outer.selection = None;
    for item in &mut outer.projection {
        if let SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, alias: _ } = item {
            *expr = Expr::Subquery(inner.clone());
        }
    }
    *query.body = SetExpr::Select(outer);
}
