//! Window functions beside grouping sets.
//!
//! Grouping sets are a union of groupings, and a window sees the rows of all of them, so it stands above the union:
//!
//! `SELECT a, sum(b), rank() OVER (PARTITION BY grouping(a) ORDER BY sum(b)) FROM t GROUP BY ROLLUP (a)` becomes
//!
//! `SELECT g1, g2, rank() OVER (PARTITION BY g3 ORDER BY g2) FROM (SELECT a AS g1, sum(b) AS g2, grouping(a) AS g3 FROM t
//! GROUP BY ROLLUP (a)) AS grouped`
//!
//! What stands outside of windows and holds none is one column of the inner query.

use sqlparser::ast::{
    Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, GroupByExpr, Ident, NamedWindowExpr,
    OrderBy, OrderByExpr, OrderByKind, Query, Select, SelectItem, SetExpr, Spanned, TableFactor, Value,
    WindowSpec, WindowType,
};

use super::build::query;
use crate::error::{SqlError, unsupported};
use crate::syntax::any_expression;

/// Whether an expression holds a window function.
fn has_window(expr: &Expr) -> bool {
    any_expression(expr, &mut |e| matches!(e, Expr::Function(f) if f.over.is_some()))
}

/// Whether a window function stands in the outputs, in QUALIFY or in the order.
pub(super) fn has_windows(select: &Select, order: Option<&OrderBy>) -> bool {
    let of_item = |item: &SelectItem| match item {
        SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, alias: _ } => has_window(expr),
        _ => false,
    };
    let of_order = |order: &OrderBy| match &order.kind {
        OrderByKind::Expressions(keys) => keys.iter().any(|k| has_window(&k.expr)),
        OrderByKind::All(_) => false,
    };
    select.projection.iter().any(of_item) || select.qualify.is_some() || order.is_some_and(of_order)
}

/// The columns of the inner query.
struct Columns {
    exprs: Vec<Expr>,
    /// Aliases of the outputs with what they stand for: a window above the grouping may name them.
    aliases: Vec<(Ident, Expr)>,
}

impl Columns {
    /// The name of the column that holds an expression.
    fn name(&mut self, expr: &Expr) -> Ident {
        let at = match self.exprs.iter().position(|e| e == expr) {
            Some(at) => at,
            None => {
                self.exprs.push(expr.clone());
                self.exprs.len() - 1
            }
        };
        Ident::with_span(expr.span(), format!("g{}", at + 1))
    }

    /// Makes columns of the largest parts of an expression that hold no window; `kept` are names that mean outputs.
    fn lift(&mut self, expr: &mut Expr, kept: &[Ident]) -> Result<(), SqlError> {
        match expr {
            Expr::Value(value) if !matches!(value.value, Value::Placeholder(_)) => return Ok(()),
            Expr::Identifier(name) if kept.iter().any(|k| k.value.eq_ignore_ascii_case(&name.value)) => {
                return Ok(());
            }
            Expr::Function(function) if function.over.is_some() => return self.lift_window(function),
            _ => {}
        }
        let names_output = |e: &Expr| matches!(e, Expr::Identifier(n) if kept.iter().any(|k| k.value.eq_ignore_ascii_case(&n.value)));
        if !has_window(expr) && !any_expression(&*expr, &mut |e| names_output(e)) {
            *expr = Expr::Identifier(self.name(expr));
            return Ok(());
        }
        if any_expression(&*expr, &mut |e| {
            matches!(e, Expr::Subquery(_) | Expr::Exists { subquery: _, negated: _ })
        }) {
            return unsupported("a subquery beside a window function and grouping sets", expr.span());
        }
        let mut failure = None;
        super::children::each(expr, &mut |child| {
            if failure.is_none() {
                failure = self.lift(child, kept).err();
            }
        });
        failure.map_or(Ok(()), Err)
    }

    /// What is lifted out of a window, where an alias stands for its output.
    fn lift_part(&mut self, expr: &mut Expr) -> Result<(), SqlError> {
        if let Expr::Identifier(name) = expr
            && let Some((_, output)) =
                self.aliases.iter().find(|(alias, _)| alias.value.eq_ignore_ascii_case(&name.value))
        {
            *expr = output.clone();
        }
        self.lift(expr, &[])
    }

    fn lift_window(&mut self, function: &mut Function) -> Result<(), SqlError> {
        if let FunctionArguments::List(list) = &mut function.args {
            for arg in &mut list.args {
                match arg {
                    FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => self.lift(expr, &[])?,
                    FunctionArg::Unnamed(FunctionArgExpr::Wildcard) => {}
                    other => return unsupported(format!("argument {other}"), function.name.span()),
                }
            }
        }
        if let Some(filter) = &mut function.filter {
            self.lift(filter, &[])?;
        }
        match &mut function.over {
            Some(WindowType::WindowSpec(spec)) => self.lift_spec(spec),
            _ => Ok(()),
        }
    }

    fn lift_spec(&mut self, spec: &mut WindowSpec) -> Result<(), SqlError> {
        for expr in &mut spec.partition_by {
            self.lift_part(expr)?;
        }
        for key in &mut spec.order_by {
            self.lift_part(&mut key.expr)?;
        }
        Ok(())
    }
}

/// The query with its windows above the grouping, which still has its sets.
pub(super) fn above(
    select: &Select,
    sets: &[Vec<Expr>],
    order: Option<&mut OrderBy>,
) -> Result<Select, SqlError> {
    if !matches!(&select.group_by, GroupByExpr::Expressions(_, modifiers) if modifiers.is_empty()) {
        return unsupported("a window function beside WITH ROLLUP", select.span());
    }
    let alias = |item: &SelectItem| match item {
        SelectItem::ExprWithAlias { expr, alias } if !has_window(expr) => Some((alias.clone(), expr.clone())),
        _ => None,
    };
    let aliases = select.projection.iter().filter_map(alias).collect();
    let mut columns = Columns { exprs: Vec::new(), aliases };
    let mut outer = select.clone();
    let mut outputs: Vec<Ident> = Vec::new();
    for item in &mut outer.projection {
        let (expr, name) = match &*item {
            SelectItem::UnnamedExpr(expr) => {
                let name = match expr {
                    Expr::Identifier(name) => Some(name.clone()),
                    Expr::CompoundIdentifier(parts) => parts.last().cloned(),
                    _ => None,
                };
                (expr.clone(), name)
            }
            SelectItem::ExprWithAlias { expr, alias } => {
                outputs.push(alias.clone());
                (expr.clone(), Some(alias.clone()))
            }
            other => return unsupported("* beside grouping sets", other.span()),
        };
        let mut expr = expr;
        columns.lift(&mut expr, &[])?;
        *item = match name {
            Some(alias) => SelectItem::ExprWithAlias { expr, alias },
            None => SelectItem::UnnamedExpr(expr),
        };
    }
    if let Some(qualify) = &mut outer.qualify {
        columns.lift(qualify, &outputs)?;
    }
    for definition in &mut outer.named_window {
        if let NamedWindowExpr::WindowSpec(spec) = &mut definition.1 {
            columns.lift_spec(spec)?;
        }
    }
    if let Some(OrderBy { kind: OrderByKind::Expressions(keys), interpolate: _ }) = order {
        for OrderByExpr { expr, options: _, with_fill: _ } in keys {
            columns.lift(expr, &outputs)?;
        }
    }
    let mut inner = select.clone();
    // The outputs have other names and places now: keys that name one are written out.
    let sets = sets.iter().map(|set| set.iter().map(|key| written_out(key, select)).collect()).collect();
    inner.group_by = GroupByExpr::Expressions(vec![Expr::GroupingSets(sets)], Vec::new());
    inner.distinct = None;
    inner.qualify = None;
    inner.named_window = Vec::new();
    inner.projection = columns
        .exprs
        .iter()
        .enumerate()
        .map(|(at, expr)| SelectItem::ExprWithAlias {
            expr: expr.clone(),
            alias: Ident::with_span(expr.span(), format!("g{}", at + 1)),
        })
        .collect();
    let template = query("SELECT 1 FROM (SELECT 1) AS grouped", &[]);
    let from = template.and_then(|q| match *q.body {
        SetExpr::Select(select) => Some(select.from),
        _ => None,
    });
    let Some(mut from) = from else {
        return unsupported("a window function beside grouping sets", select.span());
    };
    for factor in &mut from {
        if let TableFactor::Derived { lateral: _, subquery, alias: _, sample: _ } = &mut factor.relation {
            *subquery.body = SetExpr::Select(Box::new(inner.clone()));
        }
    }
    outer.from = from;
    outer.selection = None;
    outer.having = None;
    outer.group_by = GroupByExpr::Expressions(Vec::new(), Vec::new());
    Ok(outer)
}

/// A key that is an output's alias, as the output's expression; a column of that name inside it would be meant itself.
fn written_out(key: &Expr, select: &Select) -> Expr {
    let Expr::Identifier(name) = key else {
        return key.clone();
    };
    let same = |other: &Ident| other.value.eq_ignore_ascii_case(&name.value);
    let aliased = select.projection.iter().find_map(|item| match item {
        SelectItem::ExprWithAlias { expr, alias } if same(alias) => Some(expr),
        _ => None,
    });
    match aliased {
        Some(expr) if !any_expression(expr, &mut |e| matches!(e, Expr::Identifier(n) if same(n))) => {
            expr.clone()
        }
        _ => key.clone(),
    }
}

/// The query inside, of which the sets are written out next.
pub(super) fn inner(outer: &mut Select) -> Option<&mut Query> {
    match &mut outer.from.first_mut()?.relation {
        TableFactor::Derived { lateral: _, subquery, alias: _, sample: _ } => Some(subquery),
        _ => None,
    }
}
