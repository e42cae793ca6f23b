//! One SELECT: what it reads, computes and groups (`project` does the rest).
//!
//! The clauses are not planned in the order in which they are executed. An alias may stand in any clause but
//! the outputs (SQLite), GROUP BY may name an output, HAVING and ORDER BY may hold aggregates that belong to
//! the grouping. So everything is planned over the rows of FROM first; the scope collects the aggregates and
//! windows met on the way; and only when all are known are the expressions above the grouping rewritten to
//! read the groups ([`Groups`]).

use std::collections::HashMap;

use sqlparser::ast::{self, Distinct, GroupByExpr, Select, SelectItem, Spanned};
use sqlparser::tokenizer::Span;

use super::aggregate::Groups;
use super::order::{Term, ordinal};
use super::planner::Item;
use super::refuse::refuse_present;
use super::set_op::Limits;
use super::sight::{Allow, Scope};
use super::{Planned, Planner, Result, invalid, last_ident, types, unsupported, unwrap_nested};
use crate::columns::Reads;
use crate::dialects::Dialect;
use crate::expr::Expr;
use crate::rel::{ColumnId, Rel};
use crate::spans::Clause;

/// Keys of a grouping.
type Keys = Vec<(ColumnId, Expr)>;

impl<'a> Planner<'a> {
    /// Plans a SELECT with the order and the limits on top of it.
    ///
    /// Each `allow` says what the next clause may use: aliases, aggregates, windows. WHERE takes no
    /// aggregate and no window, since both come after it; the outputs take no alias, since SQLite resolves
    /// those there as columns alone.
    pub(crate) fn plan_select(
        &mut self,
        select: &'a Select,
        order_by: &'a [ast::OrderByExpr],
        limits: Limits,
    ) -> Result<Planned> {
        let Clauses { distinct, projection, from, selection, group_by, having, named_window, qualify } =
            Clauses::read(select)?;
        let outer = self.hides_aliases.replace(false);
        let scope = Scope { aliases: aliases(projection), named_windows: named_window, ..Scope::default() };
        let (mut rel, mut predicate) = self.plan_from(from, scope)?;
        self.allow(false, true, true);
        let mut items = self.plan_items(projection)?;
        if let Some(selection) = selection {
            self.allow(true, false, false);
            self.hides_aliases.set(true);
            predicate.extend(self.plan_expr(selection)?.conjuncts());
            self.hides_aliases.set(false);
        }
        rel = Rel::filter(rel, predicate);
        let (keys, is_grouped, represented) = self.plan_group_by(group_by, projection, &mut items, select)?;
        let mut having = match having {
            Some(having) => {
                // An aggregate in HAVING alone does not make a query an aggregate one (SQLite).
                let aggregates = is_grouped || self.scopes.last().is_some_and(|s| !s.aggregates.is_empty());
                // MySQL's is then a second WHERE, which may name outputs
                // (<https://dev.mysql.com/doc/refman/8.0/en/select.html>).
                if !aggregates && self.dialect != Dialect::Mysql {
                    return invalid("HAVING clause on a non-aggregate query", having.span());
                }
                self.allow(true, aggregates, false);
                self.hides_aliases.set(aggregates);
                let planned = self.plan_expr(having)?.conjuncts();
                self.hides_aliases.set(false);
                if aggregates {
                    planned
                } else {
                    rel = Rel::filter(rel, planned);
                    Vec::new()
                }
            }
            None => Vec::new(),
        };
        // As in HAVING: an aggregate in ORDER BY alone is a misuse (SQLite).
        let is_aggregate = is_grouped || self.scopes.last().is_some_and(|s| !s.aggregates.is_empty());
        self.allow(true, is_aggregate, true);
        let mut order = self.plan_order(order_by, &items)?;
        let mut qualify = match qualify {
            Some(qualify) => {
                // WITH TIES is written out as one in parentheses that stands where its query begins, as no other does.
                let of_ties = matches!(qualify, ast::Expr::Nested(_))
                    && qualify.span().start <= select.select_token.0.span.start;
                if !of_ties {
                    self.check_qualify(qualify.span());
                }
                self.plan_expr(qualify)?.conjuncts()
            }
            None => Vec::new(),
        };
        if let Some(Distinct::On(on)) = distinct {
            qualify.push(self.first_of_each(on, &items, &order)?);
        }

        // From here on nothing is resolved: all names are columns.
        let mut scope = self.leave_scope();
        self.hides_aliases.set(outer);
        let tables = scope.tables.iter().enumerate();
        let input: HashMap<ColumnId, usize> =
            tables.flat_map(|(at, t)| t.ids().map(move |id| (id, at))).collect();
        if is_aggregate {
            // Now that it is known whether there are groups, so is whether a result may be NULL: `max(a)`
            // over a whole table may find no row, in a group there is one.
            for (id, call) in &scope.aggregates {
                let mut info = types::aggregate_info(call, is_grouped, &self.columns);
                if let Some(slot) = id.info_mut(&mut self.columns) {
                    std::mem::swap(slot, &mut info);
                }
            }
            let mut groups =
                Groups { keys, calls: std::mem::take(&mut scope.aggregates), input, represented };
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
            // Windows run over the groups: `rank() OVER (ORDER BY count(*))`.
            for (_, call) in &mut scope.windows {
                for expr in call.exprs_mut() {
                    groups.lift(self, expr)?;
                }
            }
            rel = Rel::aggregate(rel, groups.keys, groups.calls);
            rel = Rel::filter(rel, having);
        }
        if !scope.windows.is_empty() {
            rel = Rel::Window { input: Box::new(rel), calls: scope.windows };
        }
        rel = Rel::filter(rel, qualify);
        self.project(rel, distinct, items, order, limits)
    }

    fn allow(&mut self, aliases: bool, aggregates: bool, windows: bool) {
        self.restore_allow(Allow { aliases, aggregates, windows, aliases_before: None });
    }

    /// The outputs with their names. Without an alias SQLite calls a column by its name and anything else by
    /// its text.
    fn plan_items(&mut self, projection: &'a [SelectItem]) -> Result<Vec<Item>> {
        let mut items = Vec::new();
        let mut aliases = 0;
        for item in projection {
            // Where an output may name those before it.
            if self.dialect.names().outputs_see_aliases {
                self.set_allow(|allow| (allow.aliases, allow.aliases_before) = (true, Some(aliases)));
            }
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
                    self.refuse_alias(alias)?;
                    let written = expr;
                    let expr = self.plan_item(expr)?;
                    self.note_expr(Clause::Output, &expr, || written.span());
                    let name = self.stored(alias);
                    items.push(Item { expr, name });
                    aliases += 1;
                }
                SelectItem::Wildcard(options) => items.extend(self.plan_wildcard(options, item)?),
                SelectItem::QualifiedWildcard(kind, options) => {
                    items.extend(self.plan_qualified_wildcard(kind, options, item)?);
                }
                SelectItem::ExprWithAliases { expr: _, aliases: _ } => {
                    return unsupported(item.to_string(), item.span());
                }
            }
        }
        Ok(items)
    }

    /// An output, which must be one value.
    pub(super) fn plan_item(&mut self, expr: &'a ast::Expr) -> Result<Expr> {
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

    /// The keys of GROUP BY; an output that a term names becomes the key.
    fn plan_group_by(
        &mut self,
        group_by: &'a GroupByExpr,
        projection: &'a [SelectItem],
        items: &mut [Item],
        select: &Select,
    ) -> Result<(Keys, bool, Vec<Expr>)> {
        let (terms, modifiers) = match group_by {
            GroupByExpr::Expressions(terms, modifiers) => (terms, modifiers),
            GroupByExpr::All(_modifiers) => return unsupported("GROUP BY ALL", select.span()),
        };
        refuse_present(modifiers, "GROUP BY with a modifier", select)?;
        let mut keys: Vec<(ColumnId, Expr)> = Vec::new();
        let mut represented = Vec::new();
        for (at, term) in terms.iter().enumerate() {
            // The desugaring has expanded these where it could; a plain call of them is no key.
            if let ast::Expr::Function(call) = unwrap_nested(term)
                && let Some(name) = last_ident(&call.name)
                && ["rollup", "cube", "grouping"].contains(&name.value.to_ascii_lowercase().as_str())
            {
                return unsupported(format!("GROUP BY {}", name.value), name.span);
            }
            let output = match ordinal(term, items.len(), at, "GROUP BY") {
                Err(_) if self.dialect.names().groups_by_constants => None,
                Err(why) => return Err(why),
                Ok(Some(position)) => Some(position),
                Ok(None) => self.alias_term(projection, term)?,
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
            let folded = self.group_key(&expr);
            let is_folded = folded.is_some();
            if is_folded {
                represented.push(expr.clone());
            }
            let expr = folded.unwrap_or(expr);
            // `GROUP BY a, a` has one key. A key that is a column keeps its id, as everywhere.
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
            if let Some(item) = output.and_then(|p| items.get_mut(p)).filter(|_| !is_folded) {
                item.expr = Expr::Column(id);
            }
        }
        Ok((keys, !terms.is_empty(), represented))
    }

    /// The output that a name in GROUP BY means: an alias that is no column of the tables.
    ///
    /// Columns come first, but in BigQuery: in `SELECT b AS a, count(*) FROM t GROUP BY a` the key is `t.a` if there is one.
    /// Beside a `*` positions in the select list are not those of the outputs, and the alias is resolved as
    /// one in an expression.
    fn alias_term(&mut self, projection: &'a [SelectItem], term: &'a ast::Expr) -> Result<Option<usize>> {
        let ast::Expr::Identifier(name) = unwrap_nested(term) else {
            return Ok(None);
        };
        if !self.dialect.names().groups_by_aliases
            && let Some(scope) = self.scopes.last()
        {
            match super::scope::find_column(self.exact_names, &scope.tables, None, name) {
                Ok(None) => {}
                Ok(Some(_)) => return Ok(None),
                // Of several tables' columns MySQL takes the one that is an output.
                Err(error) => {
                    let named = |item: &SelectItem| {
                        matches!(item, SelectItem::UnnamedExpr(ast::Expr::CompoundIdentifier(parts))
                            if parts.last().is_some_and(|last| self.same(&self.stored(last), name)))
                    };
                    let place = projection.iter().position(named);
                    return match place {
                        Some(place) if self.dialect == Dialect::Mysql => Ok(Some(place)),
                        _ => Err(error),
                    };
                }
            }
        }
        let has_star = projection
            .iter()
            .any(|i| matches!(i, SelectItem::Wildcard(_) | SelectItem::QualifiedWildcard(_, _)));
        if has_star {
            return Ok(None);
        }
        Ok(projection.iter().position(|item| match item {
            SelectItem::ExprWithAlias { expr: _, alias } => self.same(&self.stored(alias), name),
            // `t.a` is called `a`.
            SelectItem::UnnamedExpr(ast::Expr::CompoundIdentifier(parts)) => {
                self.dialect.names().groups_by_aliases
                    && parts.last().is_some_and(|last| self.same(&self.stored(last), name))
            }
            _ => false,
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
        if expr.named().iter().any(|id| calls.contains(id)) {
            return invalid("aggregate functions are not allowed in the GROUP BY clause", span);
        }
        Ok(())
    }
}

fn aliases(projection: &[SelectItem]) -> Vec<(&ast::Ident, &ast::Expr)> {
    projection
        .iter()
        .filter_map(|item| match item {
            SelectItem::ExprWithAlias { expr, alias } => Some((alias, expr)),
            _ => None,
        })
        .collect()
}

/// The clauses of a SELECT that have a plan.
struct Clauses<'a> {
    distinct: Option<&'a Distinct>,
    projection: &'a [SelectItem],
    from: &'a [ast::TableWithJoins],
    selection: Option<&'a ast::Expr>,
    group_by: &'a GroupByExpr,
    having: Option<&'a ast::Expr>,
    named_window: &'a [ast::NamedWindowDefinition],
    qualify: Option<&'a ast::Expr>,
}

impl<'a> Clauses<'a> {
    /// Reads a SELECT; clauses that have no plan are refused.
    fn read(select: &'a Select) -> Result<Clauses<'a>> {
        let Select {
            select_token: _,
            // Hints say how an answer is computed, not what it is.
            optimizer_hints: _,
            distinct,
            select_modifiers,
            top,
            // Where TOP stands, which is refused.
            top_before_distinct: _,
            projection,
            exclude,
            into,
            from,
            lateral_views,
            prewhere,
            selection,
            connect_by,
            group_by,
            cluster_by,
            distribute_by,
            sort_by,
            having,
            named_window,
            qualify,
            // The order of two clauses.
            window_before_qualify: _,
            value_table_mode,
            flavor,
        } = select;
        if let Some(modifiers) = select_modifiers {
            // MySQL's hints: which plan, which buffer, which cache, and a count beside the answer.
            let ast::SelectModifiers {
                high_priority: _,
                straight_join: _,
                sql_small_result: _,
                sql_big_result: _,
                sql_buffer_result: _,
                sql_no_cache: _,
                sql_calc_found_rows: _,
            } = modifiers;
        }
        refuse_present(top, "TOP", select)?;
        refuse_present(exclude, "EXCLUDE", select)?;
        refuse_present(into, "INTO", select)?;
        refuse_present(lateral_views, "LATERAL VIEW", select)?;
        refuse_present(prewhere, "PREWHERE", select)?;
        refuse_present(connect_by, "CONNECT BY", select)?;
        refuse_present(cluster_by, "CLUSTER BY", select)?;
        refuse_present(distribute_by, "DISTRIBUTE BY", select)?;
        refuse_present(sort_by, "SORT BY", select)?;
        refuse_present(value_table_mode, "AS STRUCT or AS VALUE", select)?;
        match flavor {
            ast::SelectFlavor::Standard | ast::SelectFlavor::FromFirst => {}
            ast::SelectFlavor::FromFirstNoSelect => return unsupported("FROM without SELECT", select.span()),
        }
        Ok(Clauses {
            distinct: distinct.as_ref(),
            projection,
            from,
            selection: selection.as_ref(),
            group_by,
            having: having.as_ref(),
            named_window,
            qualify: qualify.as_ref(),
        })
    }
}
