//! One SELECT.

use std::collections::HashSet;

use sqlparser::ast::{self, Distinct, GroupByExpr, Select, SelectItem, Spanned};
use sqlparser::tokenizer::Span;

use super::aggregate::Groups;
use super::expr::{binary, conjuncts, unwrap_nested};
use super::from::filter;
use super::scope::{Allow, Scope, ScopeTable};
use super::set_op::Limits;
use super::walk::{columns_of, rewrite_window};
use super::{Planned, Planner, Result, invalid, last_ident, types, unsupported};
use crate::dialect::Dialect;
use crate::expr::{AggFunc, AggregateCall, BinaryOp, Expr, WindowCall};
use crate::rel::{ColumnId, ColumnInfo, Direction, NullsOrder, Query, Rel, SortKey};
use crate::schema::TypeClass;
use crate::spans::Clause;
use crate::value::Value;

/// One output of a SELECT.
struct Item {
    expr: Expr,
    name: String,
}

/// What a term of ORDER BY orders by.
enum Term {
    Output(usize),
    Other(Expr),
}

/// A term with what else stands in it.
struct OrderTerm<'a> {
    term: Term,
    collation: Option<String>,
    key: &'a ast::OrderByExpr,
}

/// A key of an order, with the dialect's default for NULLs.
pub(crate) fn sort_key(dialect: Dialect, expr: Expr, key: &ast::OrderByExpr) -> Result<SortKey> {
    let direction = match &key.options.sort {
        None | Some(ast::OrderBySort::Asc) => Direction::Asc,
        Some(ast::OrderBySort::Desc) => Direction::Desc,
        Some(_) => return unsupported("ORDER BY USING", key.expr.span()),
    };
    let first = key
        .options
        .nulls_first
        .unwrap_or((direction == Direction::Asc) != dialect.nulls_are_greatest());
    Ok(SortKey {
        expr,
        direction,
        nulls: if first {
            NullsOrder::First
        } else {
            NullsOrder::Last
        },
    })
}

/// A term without the COLLATE around it.
pub(crate) fn strip_collate(expr: &ast::Expr) -> (&ast::Expr, Option<String>) {
    match unwrap_nested(expr) {
        ast::Expr::Collate { expr, collation } => (
            unwrap_nested(expr),
            last_ident(collation).map(|c| c.value.to_ascii_uppercase()),
        ),
        other => (other, None),
    }
}

/// The output that an integer in ORDER BY or GROUP BY names, from 0.
pub(crate) fn ordinal(term: &ast::Expr, outputs: usize, at: usize, clause: &str) -> Result<Option<usize>> {
    let ast::Expr::Value(value) = unwrap_nested(term) else {
        return Ok(None);
    };
    let ast::Value::Number(digits, _) = &value.value else {
        return Ok(None);
    };
    let Ok(position) = digits.parse::<usize>() else {
        return Ok(None);
    };
    if position == 0 || position > outputs {
        return invalid(
            format!(
                "{clause} term {} out of range: should be between 1 and {outputs}",
                at + 1
            ),
            value.span,
        );
    }
    Ok(Some(position - 1))
}

impl<'a> Planner<'a> {
    /// Plans a SELECT with the order and the limits on top of it.
    pub(crate) fn plan_select(
        &mut self,
        select: &'a Select,
        order_by: &'a [ast::OrderByExpr],
        limits: Limits,
    ) -> Result<Planned> {
        refuse_foreign_clauses(select)?;
        let scope = Scope {
            aliases: aliases(select),
            named_windows: &select.named_window,
            ..Scope::default()
        };
        let (mut rel, mut predicate) = self.plan_from(&select.from, scope)?;
        self.allow(false, true, true);
        let mut items = self.plan_items(select)?;
        if let Some(selection) = &select.selection {
            self.allow(true, false, false);
            predicate.extend(conjuncts(self.plan_expr(selection)?));
        }
        rel = filter(rel, predicate);
        let (keys, is_grouped) = self.plan_group_by(select, &mut items)?;
        let mut having = match &select.having {
            Some(having) => {
                // An aggregate in HAVING alone does not make a query an aggregate one (SQLite).
                if !is_grouped && self.scopes.last().is_none_or(|s| s.aggregates.is_empty()) {
                    return invalid("HAVING clause on a non-aggregate query", having.span());
                }
                self.allow(true, true, false);
                conjuncts(self.plan_expr(having)?)
            }
            None => Vec::new(),
        };
        // As in HAVING: an aggregate in ORDER BY alone is a misuse (SQLite).
        let is_aggregate = is_grouped || self.scopes.last().is_some_and(|s| !s.aggregates.is_empty());
        self.allow(true, is_aggregate, true);
        let mut order = self.plan_order(order_by, &items)?;
        let mut qualify = match &select.qualify {
            Some(qualify) => conjuncts(self.plan_expr(qualify)?),
            None => Vec::new(),
        };
        if let Some(Distinct::On(on)) = &select.distinct {
            qualify.push(self.first_of_each(on, &items, &order)?);
        }

        let mut scope = self.scopes.pop().unwrap_or_default();
        let input: HashSet<ColumnId> = scope
            .tables
            .iter()
            .flat_map(|t| t.columns.iter().map(|c| c.id))
            .collect();
        if is_aggregate {
            for (id, call) in &scope.aggregates {
                let mut info = types::aggregate_info(call, is_grouped, &self.columns);
                if let Some(slot) = self.columns.get_mut(id.0 as usize) {
                    std::mem::swap(slot, &mut info);
                }
            }
            let mut groups = Groups {
                keys,
                calls: std::mem::take(&mut scope.aggregates),
                input,
            };
            for item in &mut items {
                groups.lift(self, &mut item.expr)?;
            }
            for conjunct in &mut having {
                groups.lift(self, conjunct)?;
            }
            for term in &mut order {
                if let Term::Other(expr) = &mut term.term {
                    groups.lift(self, expr)?;
                }
            }
            for conjunct in &mut qualify {
                groups.lift(self, conjunct)?;
            }
            for (_, call) in &mut scope.windows {
                let mut failure = None;
                rewrite_window(call, &mut |e| match groups.lift_node(self, e) {
                    Ok(done) => done,
                    Err(error) => {
                        failure = Some(error);
                        true
                    }
                });
                if let Some(error) = failure {
                    return Err(error);
                }
            }
            rel = Rel::Aggregate {
                input: Box::new(rel),
                keys: groups.keys,
                calls: groups.calls,
            };
            rel = filter(rel, having);
        }
        if !scope.windows.is_empty() {
            rel = Rel::Window {
                input: Box::new(rel),
                calls: scope.windows,
            };
        }
        rel = filter(rel, qualify);
        self.project(rel, select, items, order, limits)
    }

    fn allow(&mut self, aliases: bool, aggregates: bool, windows: bool) {
        self.restore_allow(Allow {
            aliases,
            aggregates,
            windows,
        });
    }

    fn plan_items(&mut self, select: &'a Select) -> Result<Vec<Item>> {
        let mut items = Vec::new();
        for item in &select.projection {
            match item {
                SelectItem::UnnamedExpr(expr) => {
                    let name = match unwrap_nested(expr) {
                        ast::Expr::Identifier(i) => i.value.clone(),
                        ast::Expr::CompoundIdentifier(parts) => {
                            parts.last().map(|i| i.value.clone()).unwrap_or_default()
                        }
                        other => other.to_string(),
                    };
                    let written = expr;
                    let expr = self.plan_item(expr)?;
                    self.note_expr(Clause::Output, &expr, || written.span());
                    items.push(Item { expr, name });
                }
                SelectItem::ExprWithAlias { expr, alias } => {
                    let written = expr;
                    let expr = self.plan_item(expr)?;
                    self.note_expr(Clause::Output, &expr, || written.span());
                    let name = alias.value.clone();
                    items.push(Item { expr, name });
                }
                SelectItem::Wildcard(_) => {
                    let all = self.expand(|_| true);
                    if all.is_empty() {
                        return invalid("no tables specified", item.span());
                    }
                    items.extend(all);
                }
                SelectItem::QualifiedWildcard(ast::SelectItemQualifiedWildcardKind::ObjectName(name), _) => {
                    let Some(table) = last_ident(name) else {
                        return unsupported(item.to_string(), item.span());
                    };
                    let named = |t: &ScopeTable| t.name.eq_ignore_ascii_case(&table.value);
                    let known = self.scopes.last().is_some_and(|s| s.tables.iter().any(named));
                    if !known {
                        return Err(crate::error::SqlError::UnknownTable {
                            name: table.value.clone(),
                            place: super::place(table.span),
                        });
                    }
                    items.extend(self.expand(named));
                }
                other => return unsupported(other.to_string(), other.span()),
            }
        }
        Ok(items)
    }

    /// An output, which must be one value.
    fn plan_item(&mut self, expr: &'a ast::Expr) -> Result<Expr> {
        let planned = self.plan_expr(expr)?;
        match &planned {
            Expr::Row(_) => invalid("row value misused", expr.span()),
            Expr::Scalar(query) if query.output.len() != 1 => invalid(
                format!("the subquery returns {} columns, 1 expected", query.output.len()),
                expr.span(),
            ),
            _ => Ok(planned),
        }
    }

    /// The columns of `*` or `t.*`.
    fn expand(&self, tables: impl Fn(&ScopeTable) -> bool) -> Vec<Item> {
        let Some(scope) = self.scopes.last() else {
            return Vec::new();
        };
        let single = scope.tables.iter().filter(|t| tables(t));
        single
            .flat_map(|t| &t.columns)
            .filter(|c| !c.hidden)
            .map(|c| Item {
                expr: c.value(),
                name: c.name.clone(),
            })
            .collect()
    }

    /// The keys of GROUP BY; an output that a term names becomes the key.
    fn plan_group_by(
        &mut self,
        select: &'a Select,
        items: &mut [Item],
    ) -> Result<(Vec<(ColumnId, Expr)>, bool)> {
        let GroupByExpr::Expressions(terms, modifiers) = &select.group_by else {
            return unsupported("GROUP BY ALL", select.span());
        };
        if !modifiers.is_empty() {
            return unsupported("GROUP BY with a modifier", select.span());
        }
        let mut keys: Vec<(ColumnId, Expr)> = Vec::new();
        for (at, term) in terms.iter().enumerate() {
            if let ast::Expr::Function(call) = unwrap_nested(term)
                && let Some(name) = last_ident(&call.name)
                && ["rollup", "cube", "grouping"].contains(&name.value.to_ascii_lowercase().as_str())
            {
                return unsupported(format!("GROUP BY {}", name.value), name.span);
            }
            let output = match ordinal(term, items.len(), at, "GROUP BY")? {
                Some(position) => Some(position),
                None => self.alias_term(select, term)?,
            };
            let expr = match output.and_then(|p| items.get(p)) {
                Some(item) => {
                    self.refuse_calls(&item.expr, term.span())?;
                    item.expr.clone()
                }
                None => {
                    self.allow(true, false, false);
                    self.plan_expr(term)?
                }
            };
            self.note_expr(Clause::Group, &expr, || term.span());
            let known = keys.iter().find(|(_, key)| *key == expr).map(|(id, _)| *id);
            let id = match (known, &expr) {
                (Some(id), _) => id,
                (None, Expr::Column(id)) => *id,
                (None, _) => {
                    let name = output
                        .and_then(|p| items.get(p))
                        .map_or_else(|| term.to_string(), |i| i.name.clone());
                    self.new_column_of(&name, &expr)?
                }
            };
            if known.is_none() {
                keys.push((id, expr));
            }
            // The output is the key itself: a subquery in it is planned once.
            if let Some(item) = output.and_then(|p| items.get_mut(p)) {
                item.expr = Expr::Column(id);
            }
        }
        Ok((keys, !terms.is_empty()))
    }

    /// The output that a name in GROUP BY means: an alias that is no column of the tables.
    fn alias_term(&mut self, select: &'a Select, term: &'a ast::Expr) -> Result<Option<usize>> {
        let ast::Expr::Identifier(name) = unwrap_nested(term) else {
            return Ok(None);
        };
        if let Some(scope) = self.scopes.last()
            && super::scope::find_column(&scope.tables, None, name)?.is_some()
        {
            return Ok(None);
        }
        let has_star = select
            .projection
            .iter()
            .any(|i| matches!(i, SelectItem::Wildcard(_) | SelectItem::QualifiedWildcard(..)));
        if has_star {
            return Ok(None);
        }
        Ok(select.projection.iter().position(|item| {
            matches!(item, SelectItem::ExprWithAlias { alias, .. }
                if alias.value.eq_ignore_ascii_case(&name.value))
        }))
    }

    /// Refuses aggregates and windows in a group key.
    fn refuse_calls(&self, expr: &Expr, span: Span) -> Result<()> {
        let Some(scope) = self.scopes.last() else {
            return Ok(());
        };
        let calls: Vec<ColumnId> = scope
            .aggregates
            .iter()
            .map(|(id, _)| *id)
            .chain(scope.windows.iter().map(|(id, _)| *id))
            .collect();
        if columns_of(expr).iter().any(|id| calls.contains(id)) {
            return invalid("aggregate functions are not allowed in the GROUP BY clause", span);
        }
        Ok(())
    }

    fn plan_order(&mut self, keys: &'a [ast::OrderByExpr], items: &[Item]) -> Result<Vec<OrderTerm<'a>>> {
        let mut order = Vec::with_capacity(keys.len());
        for (at, key) in keys.iter().enumerate() {
            let (term, collation) = strip_collate(&key.expr);
            let aliased = |name: &ast::Ident| {
                let scope = self.scopes.last()?;
                let (_, expr) = scope
                    .aliases
                    .iter()
                    .find(|(alias, _)| alias.value.eq_ignore_ascii_case(&name.value))?;
                Some(*expr)
            };
            let by_alias = match term {
                ast::Expr::Identifier(name) if name.quote_style != Some('\'') => aliased(name),
                _ => None,
            };
            let term = match (ordinal(term, items.len(), at, "ORDER BY")?, by_alias) {
                (Some(position), _) => Term::Output(position),
                (None, Some(_)) => {
                    let name = match term {
                        ast::Expr::Identifier(name) => name.value.as_str(),
                        _ => "",
                    };
                    match items.iter().position(|i| i.name.eq_ignore_ascii_case(name)) {
                        Some(position) => Term::Output(position),
                        None => Term::Other(self.plan_expr(term)?),
                    }
                }
                (None, None) => {
                    let expr = self.plan_expr(term)?;
                    match items.iter().position(|i| i.expr == expr) {
                        Some(position) => Term::Output(position),
                        None => Term::Other(expr),
                    }
                }
            };
            order.push(OrderTerm { term, collation, key });
        }
        Ok(order)
    }

    /// Outputs, duplicate elimination, order and limits.
    fn project(
        &mut self,
        rel: Rel,
        select: &'a Select,
        items: Vec<Item>,
        order: Vec<OrderTerm<'a>>,
        limits: Limits,
    ) -> Result<Planned> {
        let mut exprs: Vec<(ColumnId, Expr)> = Vec::with_capacity(items.len());
        let mut output = Vec::with_capacity(items.len());
        let mut names = Vec::with_capacity(items.len());
        for item in items {
            let id = match &item.expr {
                Expr::Column(id) => *id,
                expr => self.new_column_of(&item.name, expr)?,
            };
            if !exprs.iter().any(|(known, _)| *known == id) {
                exprs.push((id, item.expr));
            }
            output.push(id);
            names.push(item.name);
        }
        let visible: Vec<ColumnId> = exprs.iter().map(|(id, _)| *id).collect();
        let below: HashSet<ColumnId> = produced(&rel);
        let mut extra: Vec<ColumnId> = Vec::new();
        let mut keys = Vec::with_capacity(order.len());
        for OrderTerm { term, collation, key } in order {
            let mut expr = match term {
                Term::Output(position) => match output.get(position) {
                    Some(id) => Expr::Column(*id),
                    None => continue,
                },
                Term::Other(expr) => {
                    if let Some((id, _)) = exprs.iter().find(|(_, e)| *e == expr) {
                        Expr::Column(*id)
                    } else {
                        let readable = columns_of(&expr)
                            .iter()
                            .all(|id| visible.contains(id) || !below.contains(id));
                        if readable {
                            expr
                        } else {
                            let id = match &expr {
                                Expr::Column(id) => *id,
                                expr => self.new_column_of("order", expr)?,
                            };
                            exprs.push((id, expr));
                            extra.push(id);
                            Expr::Column(id)
                        }
                    }
                }
            };
            if let Some(collation) = collation {
                expr = Expr::Collate {
                    expr: Box::new(expr),
                    collation,
                };
            }
            self.note_expr(Clause::Order, &expr, || key.expr.span());
            keys.push(sort_key(self.dialect, expr, key)?);
        }
        let mut rel = Rel::Project {
            input: Box::new(rel),
            exprs,
        };
        match &select.distinct {
            // DISTINCT ON has chosen its rows already.
            None | Some(Distinct::All | Distinct::On(_)) => {}
            Some(Distinct::Distinct) if extra.is_empty() => {
                rel = Rel::Distinct { input: Box::new(rel) };
            }
            Some(Distinct::Distinct) => {
                rel = self.distinct_with_extra(rel, &visible, &mut extra, &mut keys)?;
            }
        }
        if !keys.is_empty() || !limits.is_empty() {
            rel = Rel::Sort {
                input: Box::new(rel),
                keys,
                limit: limits.limit,
                offset: limits.offset,
            };
        }
        if !extra.is_empty() {
            rel = Rel::Project {
                input: Box::new(rel),
                exprs: visible.iter().map(|&id| (id, Expr::Column(id))).collect(),
            };
        }
        Ok(Planned {
            query: Query { rel, output },
            names,
        })
    }

    /// `SELECT DISTINCT ON (a) … ORDER BY a, b` (PostgreSQL) keeps the first row of each
    /// `a`: the condition that the row is number 1 of them.
    fn first_of_each(
        &mut self,
        on: &'a [ast::Expr],
        items: &[Item],
        order: &[OrderTerm<'a>],
    ) -> Result<Expr> {
        let span = on
            .first()
            .map_or_else(sqlparser::tokenizer::Span::empty, Spanned::span);
        let mut partition_by = Vec::with_capacity(on.len());
        for (at, term) in on.iter().enumerate() {
            partition_by.push(match ordinal(term, items.len(), at, "DISTINCT ON")? {
                Some(position) => items
                    .get(position)
                    .map_or(Expr::Literal(Value::Null), |i| i.expr.clone()),
                None => self.plan_expr(term)?,
            });
        }
        let mut order_by = Vec::with_capacity(order.len());
        for OrderTerm { term, collation, key } in order {
            let mut expr = match term {
                Term::Output(position) => match items.get(*position) {
                    Some(item) => item.expr.clone(),
                    None => continue,
                },
                Term::Other(expr) => expr.clone(),
            };
            if let Some(collation) = collation {
                expr = Expr::Collate {
                    expr: Box::new(expr),
                    collation: collation.clone(),
                };
            }
            order_by.push(sort_key(self.dialect, expr, key)?);
        }
        let windows: Vec<ColumnId> = self
            .scopes
            .last()
            .map(|s| s.windows.iter().map(|(id, _)| *id).collect())
            .unwrap_or_default();
        let all = partition_by.iter().chain(order_by.iter().map(|k| &k.expr));
        for expr in all {
            if super::walk::has_subquery(expr) || columns_of(expr).iter().any(|c| windows.contains(c)) {
                return unsupported("DISTINCT ON with a subquery or a window function", span);
            }
        }
        let id = self.new_column(ColumnInfo {
            name: "row_number".into(),
            origin: None,
            affinity: None,
            class: TypeClass::Integer,
            nullable: false,
        })?;
        let call = WindowCall {
            func: "row_number".into(),
            args: Vec::new(),
            distinct: false,
            filter: None,
            partition_by,
            order_by,
            frame: None,
        };
        if let Some(scope) = self.scopes.last_mut() {
            scope.windows.push((id, call));
        }
        Ok(binary(
            BinaryOp::Eq,
            Expr::Column(id),
            Expr::Literal(Value::Integer(1)),
        ))
    }

    /// `SELECT DISTINCT a … ORDER BY b`: one row for each `a`, ordered by the `b` of one of
    /// the rows that have it, which is a bare column.
    fn distinct_with_extra(
        &mut self,
        rel: Rel,
        visible: &[ColumnId],
        extra: &mut [ColumnId],
        keys: &mut [SortKey],
    ) -> Result<Rel> {
        let mut calls = Vec::with_capacity(extra.len());
        for id in extra {
            let call = AggregateCall {
                func: AggFunc::Bare,
                distinct: false,
                args: vec![Expr::Column(*id)],
                filter: None,
            };
            let info = types::aggregate_info(&call, true, &self.columns);
            let bare = self.new_column(info)?;
            for key in &mut *keys {
                super::walk::rewrite(&mut key.expr, &mut |e| {
                    if *e == Expr::Column(*id) {
                        *e = Expr::Column(bare);
                    }
                    false
                });
            }
            calls.push((bare, call));
            *id = bare;
        }
        Ok(Rel::Aggregate {
            input: Box::new(rel),
            keys: visible.iter().map(|&id| (id, Expr::Column(id))).collect(),
            calls,
        })
    }
}

/// The columns that a relation produces.
fn produced(rel: &Rel) -> HashSet<ColumnId> {
    let mut found = HashSet::new();
    let mut pending = vec![rel];
    while let Some(rel) = pending.pop() {
        match rel {
            Rel::Scan { columns, .. } => found.extend(columns.iter().map(|(id, _)| *id)),
            Rel::Values { columns, .. }
            | Rel::TableFunction { columns, .. }
            | Rel::Recursive { columns, .. }
            | Rel::RecursiveRef { columns, .. }
            | Rel::SetOp { columns, .. } => found.extend(columns),
            Rel::Filter { input, .. } | Rel::Distinct { input } | Rel::Sort { input, .. } => {
                pending.push(input);
            }
            Rel::Project { exprs, .. } => found.extend(exprs.iter().map(|(id, _)| *id)),
            Rel::Join { inputs, .. } => pending.extend(inputs),
            Rel::OuterJoin { left, right, .. } => pending.extend([&**left, &**right]),
            Rel::Aggregate { keys, calls, .. } => {
                found.extend(keys.iter().map(|(id, _)| *id));
                found.extend(calls.iter().map(|(id, _)| *id));
            }
            Rel::Window { input, calls } => {
                found.extend(calls.iter().map(|(id, _)| *id));
                pending.push(input);
            }
        }
    }
    found
}

fn aliases(select: &Select) -> Vec<(&ast::Ident, &ast::Expr)> {
    select
        .projection
        .iter()
        .filter_map(|item| match item {
            SelectItem::ExprWithAlias { expr, alias } => Some((alias, expr)),
            _ => None,
        })
        .collect()
}

/// Clauses that sqlparser knows from other dialects.
fn refuse_foreign_clauses(select: &Select) -> Result<()> {
    let foreign = [
        (select.top.is_some(), "TOP"),
        (select.into.is_some(), "INTO"),
        (!select.lateral_views.is_empty(), "LATERAL VIEW"),
        (select.prewhere.is_some(), "PREWHERE"),
        (!select.connect_by.is_empty(), "CONNECT BY"),
        (!select.cluster_by.is_empty(), "CLUSTER BY"),
        (!select.distribute_by.is_empty(), "DISTRIBUTE BY"),
        (!select.sort_by.is_empty(), "SORT BY"),
        (select.exclude.is_some(), "EXCLUDE"),
    ];
    match foreign.iter().find(|(used, _)| *used) {
        Some((_, name)) => unsupported(*name, select.span()),
        None => Ok(()),
    }
}
