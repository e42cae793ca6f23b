//! One SELECT: what it reads, computes and groups (`project` does the rest).

use std::collections::HashSet;

use sqlparser::ast::{self, Distinct, GroupByExpr, Select, SelectItem, Spanned};
use sqlparser::tokenizer::Span;

use super::aggregate::Groups;
use super::expr::{conjuncts, unwrap_nested};
use super::from::filter;
use super::order::{Term, ordinal};
use super::scope::{Allow, Scope};
use super::set_op::Limits;
use super::walk::{columns_of, rewrite_window};
use super::{Planned, Planner, Result, invalid, last_ident, types, unsupported};
use crate::expr::Expr;
use crate::rel::{ColumnId, Rel};
use crate::spans::Clause;

/// One output of a SELECT.
pub(super) struct Item {
    pub(super) expr: Expr,
    pub(super) name: String,
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
                        ast::Expr::Identifier(i) => self.stored(i),
                        ast::Expr::CompoundIdentifier(parts) => {
                            parts.last().map(|i| self.stored(i)).unwrap_or_default()
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
                    let name = self.stored(alias);
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
                    let mut listed = Vec::new();
                    for (i, t) in self.scopes.last().iter().flat_map(|s| s.tables.iter().enumerate()) {
                        if self.is_named(t, name)? {
                            listed.push(i);
                        }
                    }
                    let known = !listed.is_empty();
                    if !known {
                        return Err(crate::error::SqlError::UnknownTable {
                            name: table.value.clone(),
                            place: super::place(table.span),
                        });
                    }
                    items.extend(self.expand(|i| listed.contains(&i)));
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
    fn expand(&self, tables: impl Fn(usize) -> bool) -> Vec<Item> {
        let Some(scope) = self.scopes.last() else {
            return Vec::new();
        };
        let single = scope.tables.iter().enumerate().filter(|(i, _)| tables(*i)).map(|(_, t)| t);
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
            && super::scope::find_column(self.exact_names, &scope.tables, None, name)?.is_some()
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
                if self.same(&self.stored(alias), name))
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
