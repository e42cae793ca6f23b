//! PIVOT and UNPIVOT of a subquery, or a common table expression, that lists its columns.
//!
//! | written | in plainer words |
//! |---|---|
//! | `(SELECT g, k, v FROM t) s PIVOT (SUM(v) FOR k IN ([1], [2])) p` | `(SELECT g, SUM(CASE WHEN k = 1 THEN v END) AS "1", SUM(CASE WHEN k = 2 THEN v END) AS "2" FROM (…) s GROUP BY g) p` |
//! | `(SELECT g, a, b FROM t) s UNPIVOT (v FOR k IN (a, b)) u` | `(SELECT g, a AS v, 'a' AS k FROM (…) s WHERE a IS NOT NULL UNION ALL …) u` |
//!
//! The columns that are neither counted nor compared are the groups
//! (<https://learn.microsoft.com/sql/t-sql/queries/from-using-pivot-and-unpivot>,
//! <https://docs.oracle.com/en/database/oracle/oracle-database/19/sqlrf/SELECT.html>). Where an aggregate has an alias, BigQuery
//! writes it before the value in a column's name, Oracle and DuckDB behind it, Databricks behind it where there are several
//! (<https://cloud.google.com/bigquery/docs/reference/standard-sql/query-syntax#pivot_operator>,
//! <https://docs.databricks.com/en/sql/language-manual/sql-ref-syntax-qry-select-pivot.html>).

use std::collections::HashMap;

use sqlparser::ast::{
    self, Expr, ExprWithAlias, FunctionArg, FunctionArgExpr, FunctionArguments, GroupByExpr, Ident,
    NullInclusion, ObjectName, PivotValueSource, Query, SelectItem, SetExpr, Spanned, TableAlias,
    TableFactor,
};
use sqlparser::tokenizer::Span;

use super::build::{number, plain_table, query as query_of, string};
use crate::dialects::Dialect;
use crate::error::{SqlError, unsupported};
use crate::syntax::{Named, any_expression};

/// Writes out a PIVOT or an UNPIVOT in FROM.
pub(super) fn write_out(factor: &mut TableFactor, dialect: Dialect, known: &Known) -> Result<(), SqlError> {
    let (span, written) = match &*factor {
        TableFactor::Pivot {
            table,
            alias,
            aggregate_functions: _,
            value_column: _,
            value_source: _,
            default_on_null: _,
        } => (table.span(), (pivot(factor, dialect, known, table.span()), alias.clone())),
        TableFactor::Unpivot { table, alias, value: _, name: _, columns: _, null_inclusion: _ } => {
            (table.span(), (unpivot(factor, dialect, known, table.span()), alias.clone()))
        }
        _ => return Ok(()),
    };
    match written {
        (Some(subquery), alias) => {
            *factor = TableFactor::Derived { lateral: false, subquery, alias, sample: None };
            Ok(())
        }
        (None, _) => {
            unsupported("PIVOT or UNPIVOT of this form (write a subquery that lists its columns)", span)
        }
    }
}

/// The columns of common table expressions that list them, by the lower-case names of these; none where two of one name differ.
#[derive(Default)]
pub(super) struct Known(HashMap<String, Option<Vec<Ident>>>);

impl Known {
    /// Notes those of a query.
    pub(super) fn note(&mut self, query: &Query) {
        for cte in query.with.iter().flat_map(|with| &with.cte_tables) {
            let listed = match cte.alias.columns.as_slice() {
                [] => listed(&cte.query),
                columns => Some(columns.iter().map(|c| c.name.clone()).collect()),
            };
            let name = cte.alias.name.value.to_ascii_lowercase();
            self.0
                .entry(name)
                .and_modify(|known| *known = known.take().filter(|k| Some(k) == listed.as_ref()))
                .or_insert(listed);
        }
    }
}

/// The columns of a source, by the names that its query lists.
fn columns(source: &TableFactor, known: &Known) -> Option<Vec<Ident>> {
    if let TableFactor::Derived { subquery, alias, lateral: false, sample: None } = source {
        let renamed = alias.as_ref().is_some_and(|a| !a.columns.is_empty());
        return listed(subquery).filter(|_| !renamed);
    }
    match plain_table(source)? {
        (Named { name: ObjectName(parts), alias, args: None }, _) => match parts.as_slice() {
            [one] if alias.is_none_or(|a| a.columns.is_empty()) => {
                known.0.get(&one.as_ident()?.value.to_ascii_lowercase())?.clone()
            }
            _ => None,
        },
        _ => None,
    }
}

/// The names that a query lists.
fn listed(query: &Query) -> Option<Vec<Ident>> {
    let SetExpr::Select(select) = &*query.body else {
        return None;
    };
    let name = |item: &SelectItem| match item {
        SelectItem::ExprWithAlias { expr: _, alias } => Some(alias.clone()),
        SelectItem::UnnamedExpr(Expr::Identifier(name)) => Some(name.clone()),
        SelectItem::UnnamedExpr(Expr::CompoundIdentifier(parts)) => parts.last().cloned(),
        _ => None,
    };
    select.projection.iter().map(name).collect()
}

fn same(a: &Ident, b: &Ident) -> bool {
    a.value.eq_ignore_ascii_case(&b.value)
}

/// The name of a column.
fn column(expr: &Expr) -> Option<&Ident> {
    match expr {
        Expr::Identifier(name) => Some(name),
        Expr::CompoundIdentifier(parts) => parts.last(),
        Expr::Nested(inner) => column(inner),
        _ => None,
    }
}

/// The source with a name.
fn named(source: &TableFactor, span: Span) -> TableFactor {
    let mut source = source.clone();
    if let TableFactor::Derived { alias: alias @ None, lateral: _, subquery: _, sample: _ } = &mut source {
        let name = Ident::with_span(span, "pivoted");
        *alias = Some(TableAlias { explicit: true, name, columns: Vec::new(), at: None });
    }
    source
}

/// A query over the source with these outputs.
fn over(sql: &str, args: &[Expr], source: TableFactor, items: Vec<SelectItem>) -> Option<Box<Query>> {
    let mut query = query_of(sql, args)?;
    let SetExpr::Select(select) = &mut *query.body else {
        return None;
    };
    select.projection = items;
    select.from.first_mut()?.relation = source;
    Some(query)
}

fn pivot(factor: &TableFactor, dialect: Dialect, known: &Known, span: Span) -> Option<Box<Query>> {
    let TableFactor::Pivot {
        table,
        aggregate_functions,
        value_column,
        value_source: PivotValueSource::List(values),
        default_on_null: None,
        alias: _,
    } = factor
    else {
        return None;
    };
    let [key] = value_column.as_slice() else {
        return None;
    };
    let key = column(key)?;
    let is_read = |name: &Ident| {
        aggregate_functions.iter().any(|aggregate| {
            any_expression(&aggregate.expr, &mut |e| matches!(e, Expr::Identifier(n) if same(n, name)))
        })
    };
    let groups: Vec<Ident> =
        columns(table, known)?.into_iter().filter(|name| !same(name, key) && !is_read(name)).collect();
    let mut items: Vec<SelectItem> =
        groups.iter().map(|name| SelectItem::UnnamedExpr(Expr::Identifier(name.clone()))).collect();
    let several = aggregate_functions.len() > 1;
    for value in values {
        for ExprWithAlias { expr, alias } in aggregate_functions {
            let mut item = counted(expr, key, value, dialect)?;
            if let SelectItem::ExprWithAlias { expr: _, alias: name } = &mut item {
                match (dialect, alias) {
                    (_, None) | (Dialect::Databricks, Some(_)) if !several => {}
                    (Dialect::Bigquery, Some(alias)) => {
                        name.value = format!("{}_{}", alias.value, name.value)
                    }
                    (Dialect::Oracle | Dialect::Databricks | Dialect::Duckdb, Some(alias)) => {
                        name.value = format!("{}_{}", name.value, alias.value);
                    }
                    _ => return None,
                }
            }
            items.push(item);
        }
    }
    // Without groups there is one row, if there is any.
    let mut query = over("SELECT 1 FROM pivoted HAVING COUNT(*) > 0", &[], named(table, span), items)?;
    if let SetExpr::Select(select) = &mut *query.body
        && !groups.is_empty()
    {
        select.having = None;
        let keys = groups.into_iter().map(Expr::Identifier).collect();
        select.group_by = GroupByExpr::Expressions(keys, Vec::new());
    }
    Some(query)
}

/// The aggregate over the rows whose key has one value.
fn counted(aggregate: &Expr, key: &Ident, value: &ExprWithAlias, dialect: Dialect) -> Option<SelectItem> {
    let ExprWithAlias { expr, alias } = value;
    // A value may be written as a name.
    let (value, name) = match expr {
        Expr::Identifier(name) => {
            let value = match name.value.parse::<i64>() {
                Ok(n) => number(n, name.span),
                Err(_) => string(name.value.as_str(), name.span),
            };
            (value, name.value.clone())
        }
        Expr::Value(literal) => match &literal.value {
            ast::Value::Number(digits, _) if dialect == Dialect::Bigquery => {
                (expr.clone(), format!("_{digits}"))
            }
            ast::Value::Number(digits, _) => (expr.clone(), digits.clone()),
            // There the column is called with the quotes.
            ast::Value::SingleQuotedString(_) if matches!(dialect, Dialect::Oracle | Dialect::Snowflake) => {
                (expr.clone(), expr.to_string())
            }
            ast::Value::SingleQuotedString(text) => (expr.clone(), text.clone()),
            _ => return None,
        },
        _ => return None,
    };
    let alias = alias.clone().unwrap_or_else(|| Ident::with_quote('"', name));
    let mut aggregate = aggregate.clone();
    let Expr::Function(function) = &mut aggregate else {
        return None;
    };
    let FunctionArguments::List(list) = &mut function.args else {
        return None;
    };
    let [argument] = list.args.as_mut_slice() else {
        return None;
    };
    let FunctionArg::Unnamed(counted) = argument else {
        return None;
    };
    let then = match counted {
        FunctionArgExpr::Expr(expr) => expr.clone(),
        FunctionArgExpr::Wildcard => number(1, alias.span),
        _ => return None,
    };
    let chosen = query_of(
        "SELECT CASE WHEN \"$1\" = \"$2\" THEN \"$3\" END",
        &[Expr::Identifier(key.clone()), value, then],
    )?;
    let SetExpr::Select(select) = *chosen.body else {
        return None;
    };
    let Some(SelectItem::UnnamedExpr(case)) = select.projection.into_iter().next() else {
        return None;
    };
    *counted = FunctionArgExpr::Expr(case);
    Some(SelectItem::ExprWithAlias { expr: aggregate, alias })
}

fn unpivot(factor: &TableFactor, dialect: Dialect, known: &Known, span: Span) -> Option<Box<Query>> {
    let TableFactor::Unpivot { table, value, name, columns: read, null_inclusion, alias: _ } = factor else {
        return None;
    };
    let names = dialect.names();
    let value = column(value)?;
    let read: Option<Vec<&Ident>> =
        read.iter().map(|ExprWithAlias { expr, alias }| column(expr).filter(|_| alias.is_none())).collect();
    let read = read?;
    let kept: Vec<Ident> =
        columns(table, known)?.into_iter().filter(|c| !read.iter().any(|r| same(r, c))).collect();
    let keeps_nulls = matches!(null_inclusion, Some(NullInclusion::IncludeNulls));
    let arms = read.into_iter().map(|column| {
        let mut items: Vec<SelectItem> =
            kept.iter().map(|c| SelectItem::UnnamedExpr(Expr::Identifier(c.clone()))).collect();
        let own = Expr::Identifier(column.clone());
        let called = match names.unpivots_in_capitals && column.quote_style.is_none() {
            true => string(column.value.to_uppercase(), column.span),
            false => string(column.value.as_str(), column.span),
        };
        let mut made = [(called, name.clone()), (own.clone(), value.clone())];
        if names.unpivots_values_first {
            made.reverse();
        }
        items.extend(made.map(|(expr, alias)| SelectItem::ExprWithAlias { expr, alias }));
        let sql = match keeps_nulls {
            true => "SELECT 1 FROM pivoted",
            false => "SELECT 1 FROM pivoted WHERE \"$1\" IS NOT NULL",
        };
        over(sql, &[own], named(table, span), items)
    });
    let arms: Option<Vec<Box<Query>>> = arms.collect();
    arms?.into_iter().reduce(|mut all, next| {
        let left = all.body.clone();
        *all.body = SetExpr::SetOperation {
            op: ast::SetOperator::Union,
            set_quantifier: ast::SetQuantifier::All,
            left,
            right: next.body,
        };
        all
    })
}
