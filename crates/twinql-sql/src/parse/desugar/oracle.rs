//! Oracle's pseudo-columns and its older joins.
//!
//! | written | in plainer words |
//! |---|---|
//! | `SELECT a FROM t WHERE ROWNUM <= 5` | `SELECT a FROM t LIMIT 5` |
//! | `SELECT * FROM (SELECT a FROM t ORDER BY b) WHERE ROWNUM <= 5` | `SELECT a FROM t ORDER BY b LIMIT 5` |
//! | `SELECT LEVEL FROM DUAL CONNECT BY LEVEL <= 5` | `SELECT LEVEL FROM generate_series(1, 5) AS connect_by (LEVEL)` |
//! | `FROM t, u WHERE t.a = u.a (+)` | `FROM t LEFT JOIN u ON t.a = u.a` |
//! | `SYSDATE`, `''` | `CURRENT_TIMESTAMP`, `NULL` |
//!
//! <https://docs.oracle.com/en/database/oracle/oracle-database/19/sqlrf/ROWNUM-Pseudocolumn.html>,
//! <https://docs.oracle.com/en/database/oracle/oracle-database/19/sqlrf/Joins.html>,
//! <https://docs.oracle.com/en/database/oracle/oracle-database/19/sqlrf/Nulls.html>

use std::ops::ControlFlow;

use sqlparser::ast::{
    self, BinaryOperator, ConnectByKind, Expr, FunctionArg, FunctionArgExpr, GroupByExpr, Ident, Join,
    JoinConstraint, JoinOperator, LimitClause, ObjectName, Query, Select, SelectItem, SetExpr, Spanned,
    TableAlias, TableAliasColumnDef, TableFactor, TableWithJoins,
};
use sqlparser::tokenizer::Span;

use super::build::{call, called, last_name, null, number, plain_table};
use crate::error::{SqlError, unsupported};
use crate::plan::is_aggregate;
use crate::syntax::{Named, any_expression, change_expressions};

/// Words that stand for a value without parentheses, and `''`, which is NULL.
pub(super) fn plain(expr: &mut Expr) {
    now(expr);
    match &*expr {
        Expr::Value(value) if matches!(&value.value, ast::Value::SingleQuotedString(text) if text.is_empty()) =>
        {
            *expr = null(value.span);
        }
        _ => {}
    }
}

/// SYSDATE, which is called without parentheses; in Redshift too.
pub(super) fn now(expr: &mut Expr) {
    if let Expr::Identifier(name) = &*expr
        && name.quote_style.is_none()
        && ["sysdate", "systimestamp"].contains(&name.value.to_ascii_lowercase().as_str())
    {
        *expr = call("current_timestamp", Vec::new(), name.span);
    }
}

/// Writes out what a query has of these.
pub(super) fn write_out(query: &mut Query) -> Result<(), SqlError> {
    let span = query.span();
    each_select(&mut query.body, &mut |select| {
        series(select, span)?;
        dual(select);
        outer_joins(select, span)
    })?;
    first_rows(query, span)
}

fn each_select(
    body: &mut SetExpr,
    f: &mut dyn FnMut(&mut Select) -> Result<(), SqlError>,
) -> Result<(), SqlError> {
    match body {
        SetExpr::Select(select) => f(select),
        SetExpr::SetOperation { left, right, op: _, set_quantifier: _ } => {
            each_select(left, f)?;
            each_select(right, f)
        }
        _ => Ok(()),
    }
}

/// Whether FROM names DUAL and nothing else.
fn is_dual(tables: &TableWithJoins) -> bool {
    let TableWithJoins { relation, joins } = tables;
    joins.is_empty()
        && plain_table(relation).is_some_and(|(Named { name, alias: _, args }, bare)| {
            bare && args.is_none() && last_name(name).as_deref() == Some("dual")
        })
}

/// `FROM DUAL`, a table of one row.
fn dual(select: &mut Select) {
    if matches!(select.from.as_slice(), [one] if is_dual(one)) {
        select.from.clear();
    }
}

fn is_word(expr: &Expr, word: &str) -> bool {
    matches!(expr, Expr::Identifier(name) if name.quote_style.is_none() && name.value.eq_ignore_ascii_case(word))
}

/// A bound on a pseudo-column: `ROWNUM <= 5` and `ROWNUM < 6` are 5, as is `5 >= ROWNUM`.
fn bound(expr: &Expr, word: &str) -> Option<Expr> {
    let Expr::BinaryOp { left, op, right } = expr else {
        return match expr {
            Expr::Nested(inner) => bound(inner, word),
            _ => None,
        };
    };
    let (op, bound) = match (is_word(left, word), is_word(right, word), op) {
        (true, false, op) => (op.clone(), &**right),
        (false, true, BinaryOperator::GtEq) => (BinaryOperator::LtEq, &**left),
        (false, true, BinaryOperator::Gt) => (BinaryOperator::Lt, &**left),
        _ => return None,
    };
    let written = match bound {
        Expr::Value(value) => match &value.value {
            ast::Value::Number(digits, _) => digits.parse::<i64>().ok(),
            _ => None,
        },
        _ => None,
    };
    let n = match (op, written?) {
        (BinaryOperator::LtEq, n) => n,
        (BinaryOperator::Lt, n) => n.checked_sub(1)?,
        // The first row has the number 1; no row would be the second.
        (BinaryOperator::Eq, 1) => 1,
        _ => return None,
    };
    (n >= 0).then(|| number(n, bound.span()))
}

/// The conditions that AND joins.
fn conjuncts(expr: Expr, out: &mut Vec<Expr>) {
    match expr {
        Expr::BinaryOp { left, op: BinaryOperator::And, right } => {
            conjuncts(*left, out);
            conjuncts(*right, out);
        }
        Expr::Nested(inner)
            if matches!(&*inner, Expr::BinaryOp { op: BinaryOperator::And, left: _, right: _ }) =>
        {
            conjuncts(*inner, out);
        }
        other => out.push(other),
    }
}

fn all_of(list: Vec<Expr>) -> Option<Expr> {
    list.into_iter().reduce(|l, r| Expr::BinaryOp {
        left: Box::new(l),
        op: BinaryOperator::And,
        right: Box::new(r),
    })
}

/// ROWNUM as a bound on the rows.
fn first_rows(query: &mut Query, span: Span) -> Result<(), SqlError> {
    let bare = query.order_by.is_none() && query.limit_clause.is_none() && query.fetch.is_none();
    let SetExpr::Select(select) = &mut *query.body else {
        return Ok(());
    };
    let Some(selection) = select.selection.clone() else {
        return Ok(());
    };
    let mut list = Vec::new();
    conjuncts(selection, &mut list);
    let Some(at) = list.iter().position(|e| bound(e, "rownum").is_some()) else {
        return Ok(());
    };
    let limit = bound(&list.remove(at), "rownum");
    let groups = !matches!(&select.group_by, GroupByExpr::Expressions(keys, _) if keys.is_empty());
    let computes = |item: &SelectItem| match item {
        SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, alias: _ } => {
            any_expression(expr, &mut |e| match e {
                Expr::Function(f) => f.over.is_some() || last_name(&f.name).is_some_and(|n| is_aggregate(&n)),
                _ => false,
            })
        }
        _ => false,
    };
    if !bare || groups || select.distinct.is_some() || select.projection.iter().any(computes) {
        return unsupported("ROWNUM beside what is done with the rows that it counts", span);
    }
    let rest = all_of(list);
    let limit = LimitClause::LimitOffset { limit, offset: None, limit_by: Vec::new() };
    // The first rows of an ordered subquery.
    if rest.is_none()
        && let [
            TableWithJoins {
                relation: TableFactor::Derived { lateral: false, subquery, alias: _, sample: None },
                joins,
            },
        ] = select.from.as_mut_slice()
        && joins.is_empty()
        && subquery.order_by.is_some()
        && subquery.limit_clause.is_none()
        && subquery.fetch.is_none()
    {
        subquery.limit_clause = Some(limit);
        select.selection = None;
        let is_star = matches!(select.projection.as_slice(), [SelectItem::Wildcard(_)]);
        if is_star && query.with.is_none() {
            let inner = (**subquery).clone();
            *query = inner;
        }
        return Ok(());
    }
    select.selection = rest;
    query.limit_clause = Some(limit);
    Ok(())
}

/// CONNECT BY LEVEL <= n over DUAL: the numbers from 1 to n.
fn series(select: &mut Select, span: Span) -> Result<(), SqlError> {
    if select.connect_by.is_empty() {
        return Ok(());
    }
    let last = match select.connect_by.as_slice() {
        [ConnectByKind::ConnectBy { connect_token: _, nocycle: _, relationships }] => {
            match relationships.as_slice() {
                [condition] => bound(condition, "level"),
                _ => None,
            }
        }
        _ => None,
    };
    let (Some(last), [from]) = (last, select.from.as_mut_slice()) else {
        return unsupported("CONNECT BY of another kind than LEVEL <= n", span);
    };
    if !is_dual(from) {
        return unsupported("CONNECT BY LEVEL over a table", span);
    }
    let argument = |e: Expr| FunctionArg::Unnamed(FunctionArgExpr::Expr(e));
    let column = Ident::with_span(span, "LEVEL");
    from.relation = TableFactor::Function {
        lateral: false,
        name: ObjectName::from(vec![Ident::with_span(span, "generate_series")]),
        args: vec![argument(number(1, span)), argument(last)],
        with_ordinality: false,
        alias: Some(TableAlias {
            explicit: true,
            name: Ident::with_span(span, "connect_by"),
            columns: vec![TableAliasColumnDef { name: column, data_type: None }],
            at: None,
        }),
    };
    select.connect_by.clear();
    Ok(())
}

/// The table that the columns with `(+)` in a condition belong to; an error where there are several.
fn optional(condition: &Expr, span: Span) -> Result<Option<String>, SqlError> {
    let mut tables = Vec::new();
    let mut unqualified = false;
    any_expression(condition, &mut |e| {
        if let Expr::OuterJoin(column) = e {
            match &**column {
                Expr::CompoundIdentifier(parts) => {
                    let table = parts.iter().rev().nth(1).map(|i| i.value.to_ascii_lowercase());
                    tables.extend(table);
                }
                _ => unqualified = true,
            }
        }
        false
    });
    tables.sort();
    tables.dedup();
    match tables.as_slice() {
        [] if !unqualified => Ok(None),
        [one] if !unqualified => Ok(Some(one.clone())),
        _ => unsupported("(+) of a column without its table, or of two tables in one condition", span),
    }
}

/// The condition without its `(+)`.
fn unmarked(mut condition: Expr) -> Expr {
    let _: ControlFlow<()> = change_expressions(&mut condition, &mut |e| {
        if let Expr::OuterJoin(column) = e {
            *e = (**column).clone();
        }
        ControlFlow::Continue(())
    });
    condition
}

/// What a factor is called, in lower case.
fn called_lower(factor: &TableFactor) -> Option<String> {
    called(factor).map(|name| name.value.to_ascii_lowercase())
}

/// Joins with `(+)`: a table whose columns are marked is joined to the left ones by its conditions.
fn outer_joins(select: &mut Select, span: Span) -> Result<(), SqlError> {
    let Some(selection) = &select.selection else {
        return Ok(());
    };
    if !any_expression(selection, &mut |e| matches!(e, Expr::OuterJoin(_))) {
        return Ok(());
    }
    let mut list = Vec::new();
    conjuncts(selection.clone(), &mut list);
    let mut rest = Vec::new();
    let mut marked: Vec<(String, Vec<Expr>)> = Vec::new();
    for condition in list {
        match optional(&condition, span)? {
            None => rest.push(condition),
            Some(table) => {
                let condition = unmarked(condition);
                match marked.iter_mut().find(|(name, _)| *name == table) {
                    Some((_, conditions)) => conditions.push(condition),
                    None => marked.push((table, vec![condition])),
                }
            }
        }
    }
    let mut inner: Vec<TableFactor> = Vec::new();
    let mut outer: Vec<(TableFactor, Vec<Expr>)> = Vec::new();
    for TableWithJoins { relation, joins } in select.from.clone() {
        if !joins.is_empty() {
            return unsupported("(+) beside JOIN", span);
        }
        let name = called_lower(&relation);
        match marked.iter().position(|(table, _)| Some(table) == name.as_ref()) {
            Some(at) => outer.push((relation, marked.remove(at).1)),
            None => inner.push(relation),
        }
    }
    let names: Vec<String> = outer.iter().filter_map(|(table, _)| called_lower(table)).collect();
    if !marked.is_empty() || inner.is_empty() {
        return unsupported("(+) of a table that is not in FROM", span);
    }
    // A table that is joined to an optional one comes behind it.
    let reads = |conditions: &[Expr], name: &str| {
        conditions.iter().any(|c| {
            any_expression(c, &mut |e| match e {
                Expr::CompoundIdentifier(parts) => {
                    parts.iter().rev().nth(1).is_some_and(|i| i.value.eq_ignore_ascii_case(name))
                }
                _ => false,
            })
        })
    };
    let mut factors = inner.into_iter();
    let Some(relation) = factors.next() else {
        return Ok(());
    };
    let joined = |relation, join_operator| Join { relation, global: false, join_operator };
    let mut joins: Vec<Join> =
        factors.map(|f| joined(f, JoinOperator::CrossJoin(JoinConstraint::None))).collect();
    let mut waiting: Vec<String> = names;
    while !outer.is_empty() {
        let ready = outer.iter().position(|(table, conditions)| {
            let own = called_lower(table);
            waiting.iter().all(|other| Some(other) == own.as_ref() || !reads(conditions, other))
        });
        let Some(at) = ready else {
            return unsupported("tables that (+) joins in a circle", span);
        };
        let (table, conditions) = outer.remove(at);
        let own = called_lower(&table);
        waiting.retain(|name| Some(name) != own.as_ref());
        if let Some(on) = all_of(conditions) {
            joins.push(joined(table, JoinOperator::LeftOuter(JoinConstraint::On(on))));
        }
    }
    select.from = vec![TableWithJoins { relation, joins }];
    select.selection = all_of(rest);
    Ok(())
}
