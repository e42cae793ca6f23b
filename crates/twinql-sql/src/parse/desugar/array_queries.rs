//! Arrays of rows, and calls of BigQuery with clauses of their own
//! (<https://cloud.google.com/bigquery/docs/reference/standard-sql/array-functions#array>,
//! <https://cloud.google.com/bigquery/docs/reference/standard-sql/aggregate-function-calls>).
//!
//! | written | written out |
//! |---|---|
//! | `ARRAY(SELECT a FROM t ORDER BY b)` | `(SELECT json_group_array(value ORDER BY key_1) FROM (SELECT a, b FROM t) AS elements (value, key_1))` |
//! | `SELECT AS STRUCT a, b FROM t` | `SELECT STRUCT(a, b) FROM t` |
//! | `ARRAY_AGG(a IGNORE NULLS LIMIT 2)` | `bq_first_elements(ARRAY_AGG(a) FILTER (WHERE a IS NOT NULL), 2)` |
//! | `SAFE.f(a)` | `f(a)`, which is NULL here where it would end with an error |

use sqlparser::ast::{
    DictionaryField, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArgumentClause, FunctionArguments,
    HavingBound, HavingBoundKind, Ident, NullTreatment, ObjectName, ObjectNamePart, OrderByExpr, OrderByKind,
    Query, Select, SelectItem, SetExpr, Spanned, TableAliasColumnDef, TableFactor, Value, ValueTableMode,
    ValueWithSpan,
};

use super::build::{call, last_name, query};
use crate::error::{SqlError, unsupported};

/// `SELECT AS STRUCT` and `SELECT AS VALUE` as an ordinary SELECT of one output; one that holds a star is left alone.
pub(super) fn as_value(select: &mut Select) {
    let is_struct = match select.value_table_mode {
        Some(ValueTableMode::AsStruct) => true,
        Some(ValueTableMode::AsValue) => false,
        _ => return,
    };
    if is_struct {
        let values: Option<Vec<Expr>> = select
            .projection
            .iter()
            .map(|item| match item {
                SelectItem::UnnamedExpr(expr) => Some(expr.clone()),
                SelectItem::ExprWithAlias { expr, alias } => {
                    Some(Expr::Named { expr: Box::new(expr.clone()), name: alias.clone() })
                }
                _ => None,
            })
            .collect();
        let Some(values) = values else { return };
        select.projection = vec![SelectItem::UnnamedExpr(Expr::Struct { values, fields: Vec::new() })];
    }
    select.value_table_mode = None;
}

/// Writes out a call.
pub(super) fn write_out(expr: &mut Expr) -> Result<(), SqlError> {
    let Expr::Function(function) = expr else {
        return Ok(());
    };
    without_prefix(&mut function.name);
    let Some(function) = of_rows(expr)? else {
        return Ok(());
    };
    if function.over.is_none() {
        without_nulls(function);
        at_extreme(function);
    }
    if let Some(count) = take_limit(function) {
        let span = expr.span();
        let array = std::mem::replace(expr, Expr::Value(Value::Null.with_empty_span()));
        *expr = call("bq_first_elements", vec![array, count], span);
    }
    Ok(())
}

/// `ARRAY(SELECT …)`, which PostgreSQL has too; another call is given back.
pub(super) fn of_rows(expr: &mut Expr) -> Result<Option<&mut Function>, SqlError> {
    if let Expr::Function(function) = &*expr
        && let FunctionArguments::Subquery(rows) = &function.args
        && last_name(&function.name).as_deref() == Some("array")
    {
        let span = rows.span();
        return match array_of(rows.clone()) {
            Some(written) => {
                *expr = written;
                Ok(None)
            }
            None => unsupported("ARRAY of this kind of subquery", span),
        };
    }
    Ok(match expr {
        Expr::Function(function) => Some(function),
        _ => None,
    })
}

/// DuckDB's `{'a': 1}` is `STRUCT(1 AS a)` (sql/data_types/struct).
pub(super) fn record(expr: &mut Expr) {
    if let Expr::Dictionary(fields) = expr {
        let field = |f: DictionaryField| Expr::Named { expr: f.value, name: f.key };
        let values = std::mem::take(fields).into_iter().map(field).collect();
        *expr = Expr::Struct { values, fields: Vec::new() };
    }
}

/// `SAFE.f` is `f`.
fn without_prefix(name: &mut ObjectName) {
    if let [ObjectNamePart::Identifier(prefix), ObjectNamePart::Identifier(last)] = name.0.as_slice()
        && prefix.value.eq_ignore_ascii_case("safe")
    {
        *name = ObjectName(vec![ObjectNamePart::Identifier(last.clone())]);
    }
}

/// IGNORE NULLS of ARRAY_AGG as a filter.
fn without_nulls(function: &mut Function) {
    let is_array = last_name(&function.name).as_deref() == Some("array_agg");
    let FunctionArguments::List(list) = &mut function.args else {
        return;
    };
    let clause = |c: &FunctionArgumentClause| matches!(c, FunctionArgumentClause::IgnoreOrRespectNulls(_));
    let said = list.clauses.iter().find_map(|c| match c {
        FunctionArgumentClause::IgnoreOrRespectNulls(treatment) => Some(*treatment),
        _ => None,
    });
    match said {
        Some(NullTreatment::RespectNulls) => list.clauses.retain(|c| !clause(c)),
        Some(NullTreatment::IgnoreNulls) if is_array && function.filter.is_none() => {
            if let [FunctionArg::Unnamed(FunctionArgExpr::Expr(value))] = list.args.as_slice() {
                function.filter =
                    Some(Box::new(Expr::IsNotNull(Box::new(Expr::Nested(Box::new(value.clone()))))));
                list.clauses.retain(|c| !clause(c));
            }
        }
        _ => {}
    }
}

/// `ANY_VALUE(x HAVING MAX y)` is `MAX_BY(x, y)`
/// (<https://cloud.google.com/bigquery/docs/reference/standard-sql/aggregate_functions#any_value>).
fn at_extreme(function: &mut Function) {
    let is_any = last_name(&function.name).as_deref() == Some("any_value");
    let FunctionArguments::List(list) = &mut function.args else {
        return;
    };
    if let ([FunctionArgumentClause::Having(HavingBound(kind, by))], true) = (list.clauses.as_slice(), is_any)
    {
        let name = if *kind == HavingBoundKind::Max { "max_by" } else { "min_by" };
        list.args.push(FunctionArg::Unnamed(FunctionArgExpr::Expr(by.clone())));
        list.clauses.clear();
        function.name =
            ObjectName(vec![ObjectNamePart::Identifier(Ident::with_span(function.name.span(), name))]);
    }
}

/// The LIMIT of ARRAY_AGG.
fn take_limit(function: &mut Function) -> Option<Expr> {
    if last_name(&function.name).as_deref() != Some("array_agg") {
        return None;
    }
    let FunctionArguments::List(list) = &mut function.args else {
        return None;
    };
    let at = list.clauses.iter().position(|c| matches!(c, FunctionArgumentClause::Limit(_)))?;
    match list.clauses.remove(at) {
        FunctionArgumentClause::Limit(count) => Some(count),
        _ => None,
    }
}

/// The rows of a query with one output as an array, in their order.
fn array_of(mut rows: Box<Query>) -> Option<Expr> {
    if let SetExpr::Select(select) = &mut *rows.body {
        as_value(select);
    }
    let keys = match rows.order_by.as_ref().map(|o| &o.kind) {
        None => Vec::new(),
        Some(OrderByKind::Expressions(keys)) => keys.clone(),
        Some(OrderByKind::All(_)) => return None,
    };
    let span = rows.span();
    let value = Ident::with_span(span, "value");
    let mut columns = vec![value.clone()];
    let mut order: Vec<OrderByExpr> = Vec::new();
    for key in keys {
        let SetExpr::Select(select) = &mut *rows.body else {
            return None;
        };
        let by = match (is_output(select, &key.expr), select.distinct.is_some()) {
            (true, _) => value.clone(),
            (false, true) => return None,
            (false, false) => {
                select.projection.push(SelectItem::UnnamedExpr(key.expr.clone()));
                let name = Ident::with_span(span, format!("key_{}", columns.len()));
                columns.push(name.clone());
                name
            }
        };
        order.push(OrderByExpr { expr: Expr::Identifier(by), ..key });
    }
    if rows.limit_clause.is_none() && rows.fetch.is_none() {
        rows.order_by = None;
    }
    let mut outer =
        query("SELECT json_group_array(\"$1\") FROM (SELECT 1) AS elements", &[Expr::Identifier(value)])?;
    let SetExpr::Select(select) = &mut *outer.body else {
        return None;
    };
    if let TableFactor::Derived { subquery, alias: Some(alias), lateral: false, sample: None } =
        &mut select.from.first_mut()?.relation
    {
        *subquery = rows;
        alias.columns =
            columns.into_iter().map(|name| TableAliasColumnDef { name, data_type: None }).collect();
    }
    if let SelectItem::UnnamedExpr(Expr::Function(function)) = select.projection.first_mut()?
        && let FunctionArguments::List(list) = &mut function.args
        && !order.is_empty()
    {
        list.clauses.push(FunctionArgumentClause::OrderBy(order));
    }
    Some(Expr::Subquery(outer))
}

/// Whether a key of the order is the only output: by its place, its alias or as it is written.
fn is_output(select: &Select, key: &Expr) -> bool {
    let is_first =
        matches!(key, Expr::Value(ValueWithSpan { value: Value::Number(n, _), span: _ }) if n == "1");
    let output = match select.projection.first() {
        Some(SelectItem::ExprWithAlias { expr, alias }) => {
            matches!(key, Expr::Identifier(name) if name.value.eq_ignore_ascii_case(&alias.value))
                || expr == key
        }
        Some(SelectItem::UnnamedExpr(expr)) => expr == key,
        _ => false,
    };
    is_first || output
}
