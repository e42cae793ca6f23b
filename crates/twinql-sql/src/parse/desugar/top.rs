//! SQL Server's TOP and the standard's FETCH FIRST beyond a number of rows.
//!
//! | written | in plainer words |
//! |---|---|
//! | `SELECT TOP 5 a FROM t ORDER BY b` | `SELECT a FROM t ORDER BY b LIMIT 5` |
//! | `SELECT TOP 5 WITH TIES a FROM t ORDER BY b` | `SELECT a FROM t QUALIFY RANK() OVER (ORDER BY b) <= 5 ORDER BY b` |
//! | `SELECT TOP 5 PERCENT a FROM t` | `SELECT a FROM t LIMIT (SELECT (COUNT(*) * 5 + 99) / 100 FROM (SELECT a FROM t))` |
//!
//! <https://learn.microsoft.com/sql/t-sql/queries/top-transact-sql>: a percentage is rounded up.

use sqlparser::ast::{
    self, BinaryOperator, Expr, Fetch, Ident, LimitClause, OrderBy, OrderByExpr, OrderByKind, Query, Select,
    SelectItem, SetExpr, Spanned, TableAlias, TableFactor, TopQuantity, WindowSpec, WindowType,
};
use sqlparser::tokenizer::Span;

use super::build::{call, number, query as query_of};
use crate::error::{SqlError, unsupported};

/// How many rows a query gives.
struct Wanted {
    quantity: Expr,
    with_ties: bool,
    percent: bool,
}

/// Writes out TOP, and of FETCH what LIMIT does not say.
pub(super) fn write_out(query: &mut Query) -> Result<(), SqlError> {
    let span = query.span();
    if let SetExpr::SetOperation { left, right, op: _, set_quantifier: _ } = &mut *query.body {
        apart(left);
        apart(right);
    }
    let Some(wanted) = wanted(query, span) else {
        return Ok(());
    };
    if query.limit_clause.is_some() || query.fetch.is_some() {
        return unsupported("TOP beside OFFSET or FETCH", span);
    }
    let limit = match (wanted.percent, wanted.with_ties) {
        (false, true) => return with_ties(query, wanted.quantity, span),
        (true, true) => return unsupported("PERCENT WITH TIES", span),
        (false, false) => wanted.quantity,
        (true, false) => share(query, wanted.quantity, span)?,
    };
    query.limit_clause =
        Some(LimitClause::LimitOffset { limit: Some(limit), offset: None, limit_by: Vec::new() });
    Ok(())
}

/// Takes TOP, or a FETCH with ties or of a share, out of a query.
fn wanted(query: &mut Query, span: Span) -> Option<Wanted> {
    if let SetExpr::Select(select) = &mut *query.body
        && let Some(ast::Top { with_ties, percent, quantity }) = select.top.take()
    {
        select.top_before_distinct = false;
        let quantity = match quantity? {
            TopQuantity::Constant(n) => number(i64::try_from(n).unwrap_or(i64::MAX), span),
            TopQuantity::Expr(expr) => expr,
        };
        return Some(Wanted { quantity, with_ties, percent });
    }
    match &query.fetch {
        Some(Fetch { with_ties, percent, quantity: Some(quantity) }) if *with_ties || *percent => {
            let wanted = Wanted { quantity: quantity.clone(), with_ties: *with_ties, percent: *percent };
            query.fetch = None;
            Some(wanted)
        }
        _ => None,
    }
}

/// Makes a query of its own of a SELECT with TOP among set operators.
fn apart(arm: &mut Box<SetExpr>) {
    match &mut **arm {
        SetExpr::SetOperation { left, right, op: _, set_quantifier: _ } => {
            apart(left);
            apart(right);
        }
        SetExpr::Select(select) if select.top.is_some() => {
            let body = arm.clone();
            **arm = SetExpr::Query(Box::new(Query {
                with: None,
                body,
                order_by: None,
                limit_clause: None,
                fetch: None,
                locks: Vec::new(),
                for_clause: None,
                settings: None,
                format_clause: None,
                pipe_operators: Vec::new(),
            }));
        }
        _ => {}
    }
}

/// The output that a key of ORDER BY names, by its place or its alias.
fn output(select: &Select, key: &Expr) -> Option<Expr> {
    let place = match key {
        Expr::Value(value) => match &value.value {
            ast::Value::Number(digits, _) => digits.parse::<usize>().ok().and_then(|n| n.checked_sub(1)),
            _ => None,
        },
        _ => None,
    };
    let item = match (place, key) {
        (Some(place), _) => select.projection.get(place),
        (None, Expr::Identifier(name)) => select.projection.iter().find(|item| {
            matches!(item, SelectItem::ExprWithAlias { expr: _, alias } if alias.value.eq_ignore_ascii_case(&name.value))
        }),
        _ => None,
    };
    match item? {
        SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, alias: _ } => Some(expr.clone()),
        _ => None,
    }
}

fn with_ties(query: &mut Query, quantity: Expr, span: Span) -> Result<(), SqlError> {
    let keys = match &query.order_by {
        Some(OrderBy { kind: OrderByKind::Expressions(keys), interpolate: None }) => keys.clone(),
        _ => return unsupported("WITH TIES without ORDER BY", span),
    };
    let SetExpr::Select(select) = &mut *query.body else {
        return unsupported("WITH TIES behind a set operator", span);
    };
    if select.distinct.is_some() {
        return unsupported("WITH TIES beside DISTINCT", span);
    }
    let order_by: Vec<OrderByExpr> = keys
        .into_iter()
        .map(|key| OrderByExpr { expr: output(select, &key.expr).unwrap_or(key.expr), ..key })
        .collect();
    let mut rank = call("rank", Vec::new(), span);
    if let Expr::Function(function) = &mut rank {
        function.over = Some(WindowType::WindowSpec(WindowSpec {
            window_name: None,
            partition_by: Vec::new(),
            order_by,
            window_frame: None,
        }));
    }
    let first = Expr::BinaryOp { left: Box::new(rank), op: BinaryOperator::LtEq, right: Box::new(quantity) };
    select.qualify = Some(match select.qualify.take() {
        Some(other) => {
            Expr::BinaryOp { left: Box::new(other), op: BinaryOperator::And, right: Box::new(first) }
        }
        None => Expr::Nested(Box::new(first)),
    });
    Ok(())
}

/// So many hundredths of a query's rows, rounded up.
fn share(query: &Query, percent: Expr, span: Span) -> Result<Expr, SqlError> {
    let is_whole = matches!(&percent, Expr::Value(v) if matches!(&v.value, ast::Value::Number(n, _) if n.parse::<i64>().is_ok()));
    if !is_whole {
        return unsupported("PERCENT that is no whole number written out", span);
    }
    let mut all = query.clone();
    all.order_by = None;
    let made = query_of("SELECT (COUNT(*) * \"$1\" + 99) / 100 FROM counted", &[percent]);
    let Some(mut made) = made else {
        return unsupported("PERCENT", span);
    };
    if let SetExpr::Select(select) = &mut *made.body
        && let Some(from) = select.from.first_mut()
    {
        from.relation = TableFactor::Derived {
            lateral: false,
            subquery: Box::new(all),
            alias: Some(TableAlias {
                explicit: true,
                name: Ident::with_span(span, "counted"),
                columns: Vec::new(),
                at: None,
            }),
            sample: None,
        };
    }
    Ok(Expr::Subquery(made))
}
