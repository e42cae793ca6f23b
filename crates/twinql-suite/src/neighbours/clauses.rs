//! Mutations of clauses.
//!
//! They change what errors of Text-to-SQL systems change: a clause that is missing or too much, a wrong
//! table, a join of the wrong kind or on the wrong columns, a set operation in place of another. Each takes
//! the number of a place, changes the query there and says whether it did; see [`super::Mutation`]. What
//! comes out need not compile: the caller asks SQLite.

use std::ops::ControlFlow;

use sqlparser::ast::{
    BinaryOperator, Distinct, Expr, GroupByExpr, Ident, JoinConstraint, JoinOperator, LimitClause,
    ObjectName, OrderByKind, OrderBySort, Query, Select, SelectItem, SetExpr, SetOperator, SetQuantifier,
    TableFactor, Value as Lit, VisitorMut,
};

use twinql_sql::syntax::{self, Named};

use super::expressions::named;
use super::{Context, Turn};

/// Offers queries, the outer ones first, until one is changed.
struct Queries<'a>(&'a mut dyn FnMut(&mut Query) -> bool);

impl VisitorMut for Queries<'_> {
    type Break = ();

    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<()> {
        if (self.0)(query) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// Offers SELECTs, the outer ones first, until one is changed.
struct Selects<'a>(&'a mut dyn FnMut(&mut Select) -> bool);

impl VisitorMut for Selects<'_> {
    type Break = ();

    fn pre_visit_select(&mut self, select: &mut Select) -> ControlFlow<()> {
        if (self.0)(select) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// Offers every query and subquery to `change` until it says that it has changed one.
pub(crate) fn on_queries(query: &mut Query, mut change: impl FnMut(&mut Query) -> bool) -> bool {
    syntax::change(query, &mut Queries(&mut change)).is_break()
}

/// Offers every SELECT to `change` until it says that it has changed one.
fn on_selects(query: &mut Query, mut change: impl FnMut(&mut Select) -> bool) -> bool {
    syntax::change(query, &mut Selects(&mut change)).is_break()
}

/// The tables that the query and its subqueries read, by the name that each goes by.
pub(super) fn sources(query: &mut Query) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    on_selects(query, |s| {
        for (shown, table) in named_tables(s) {
            let pair = (shown.value.clone(), table.value.clone());
            if !found.contains(&pair) {
                found.push(pair);
            }
        }
        false
    });
    found
}

/// The tables that stand in FROM by a name: what each goes by in the SELECT (its alias if it has one), and
/// its own name.
fn named_tables(select: &Select) -> impl Iterator<Item = (&Ident, &Ident)> {
    let factors = select
        .from
        .iter()
        .flat_map(|f| std::iter::once(&f.relation).chain(f.joins.iter().map(|j| &j.relation)));
    factors.filter_map(|factor| {
        let Named { name, alias, called: _ } = Named::of(factor)?;
        let table = name.0.last().and_then(|p| p.as_ident())?;
        Some((alias.map_or(table, |a| &a.name), table))
    })
}

/// `SELECT a` ↔ `SELECT DISTINCT a`: told apart by rows that repeat.
pub(super) fn distinct(query: &mut Query, site: usize, _: &mut Context<'_>) -> bool {
    let mut turn = Turn::new(site);
    on_selects(query, |s| {
        if !turn.due() {
            return false;
        }
        s.distinct = match s.distinct {
            Some(Distinct::Distinct) => None,
            _ => Some(Distinct::Distinct),
        };
        true
    })
}

/// `… WHERE p` → `…`.
pub(super) fn drop_where(query: &mut Query, site: usize, _: &mut Context<'_>) -> bool {
    let mut turn = Turn::new(site);
    on_selects(query, |s| s.selection.is_some() && turn.due() && s.selection.take().is_some())
}

/// `… HAVING p` → `…`.
pub(super) fn drop_having(query: &mut Query, site: usize, _: &mut Context<'_>) -> bool {
    let mut turn = Turn::new(site);
    on_selects(query, |s| s.having.is_some() && turn.due() && s.having.take().is_some())
}

/// `GROUP BY a, b` → `GROUP BY b`. With its last key a query loses HAVING too, which SQLite takes only beside
/// GROUP BY or aggregates.
pub(super) fn drop_group_key(query: &mut Query, site: usize, context: &mut Context<'_>) -> bool {
    let mut turn = Turn::new(site);
    on_selects(query, |s| {
        let GroupByExpr::Expressions(keys, _) = &mut s.group_by else {
            return false;
        };
        if keys.is_empty() || !turn.due() {
            return false;
        }
        let at = context.dice.below(keys.len());
        keys.remove(at);
        if keys.is_empty() {
            s.having = None;
        }
        true
    })
}

/// `ORDER BY a DESC` ↔ `ORDER BY a`: each key of each ORDER BY is a place.
pub(super) fn direction(query: &mut Query, site: usize, _: &mut Context<'_>) -> bool {
    let mut turn = Turn::new(site);
    on_queries(query, |q| {
        let Some(order) = &mut q.order_by else {
            return false;
        };
        let OrderByKind::Expressions(keys) = &mut order.kind else {
            return false;
        };
        for key in keys {
            if turn.due() {
                key.options.sort = match key.options.sort {
                    Some(OrderBySort::Desc) => None,
                    _ => Some(OrderBySort::Desc),
                };
                return true;
            }
        }
        false
    })
}

/// `… ORDER BY a` → `…`, which matters for the outermost query and beside LIMIT.
pub(super) fn drop_order(query: &mut Query, site: usize, _: &mut Context<'_>) -> bool {
    let mut turn = Turn::new(site);
    on_queries(query, |q| q.order_by.is_some() && turn.due() && q.order_by.take().is_some())
}

/// The number in a LIMIT.
fn count(expr: &mut Expr) -> Option<&mut String> {
    match expr {
        Expr::Value(v) => match &mut v.value {
            Lit::Number(text, _) => Some(text),
            _ => None,
        },
        _ => None,
    }
}

/// `LIMIT 3` → `LIMIT 4`, `LIMIT 2`, none. `LIMIT 1` becomes `LIMIT 3` and not `LIMIT 0`, which
/// nearly every database tells apart.
pub(super) fn limit(query: &mut Query, site: usize, context: &mut Context<'_>) -> bool {
    let mut turn = Turn::new(site);
    on_queries(query, |q| {
        let Some(clause) = &mut q.limit_clause else {
            return false;
        };
        if !turn.due() {
            return false;
        }
        let kept = match clause {
            LimitClause::LimitOffset { limit, offset: _, limit_by: _ } => limit.as_mut(),
            LimitClause::OffsetCommaLimit { limit, offset: _ } => Some(limit),
        };
        let text = kept.and_then(count);
        match (text, context.outcome) {
            (Some(text), 0) => *text = shifted(text, 1),
            (Some(text), 1) if text != "1" => *text = shifted(text, -1),
            (Some(text), 1) => *text = shifted(text, 2),
            _ => q.limit_clause = None,
        }
        true
    })
}

/// The number as text, moved by `by`.
fn shifted(text: &str, by: i64) -> String {
    text.parse::<i64>().unwrap_or(1).saturating_add(by).to_string()
}

/// `… ORDER BY a` → `… ORDER BY a LIMIT 1`, for the outermost query.
pub(super) fn add_limit(query: &mut Query, site: usize, _: &mut Context<'_>) -> bool {
    if site > 0 || query.order_by.is_none() || query.limit_clause.is_some() {
        return false;
    }
    query.limit_clause = Some(LimitClause::LimitOffset {
        limit: Some(Expr::value(Lit::Number("1".into(), false))),
        offset: None,
        limit_by: Vec::new(),
    });
    true
}

/// `a JOIN b ON p` ↔ `a LEFT JOIN b ON p`: told apart by a row without a partner. CROSS JOIN has no condition
/// that could fail.
pub(super) fn join_type(query: &mut Query, site: usize, _: &mut Context<'_>) -> bool {
    let mut turn = Turn::new(site);
    on_selects(query, |s| {
        for join in s.from.iter_mut().flat_map(|f| &mut f.joins) {
            let other = match &join.join_operator {
                JoinOperator::Join(c) | JoinOperator::Inner(c)
                    if matches!(c, JoinConstraint::On(_) | JoinConstraint::Using(_)) =>
                {
                    JoinOperator::Left(c.clone())
                }
                JoinOperator::Left(c) | JoinOperator::LeftOuter(c) => JoinOperator::Join(c.clone()),
                _ => continue,
            };
            if turn.due() {
                join.join_operator = other;
                return true;
            }
        }
        false
    })
}

/// `a JOIN b ON p` → `a`: told apart by rows that have no partner, or several.
pub(super) fn drop_join(query: &mut Query, site: usize, _: &mut Context<'_>) -> bool {
    let mut turn = Turn::new(site);
    on_selects(query, |s| {
        s.from.iter_mut().any(|f| !f.joins.is_empty() && turn.due() && f.joins.pop().is_some())
    })
}

/// `a JOIN b ON p` → `a JOIN b`, a cross join.
pub(super) fn drop_join_condition(query: &mut Query, site: usize, _: &mut Context<'_>) -> bool {
    let mut turn = Turn::new(site);
    on_selects(query, |s| {
        for join in s.from.iter_mut().flat_map(|f| &mut f.joins) {
            if let JoinOperator::Join(c) | JoinOperator::Inner(c) = &mut join.join_operator
                && !matches!(c, JoinConstraint::None)
                && turn.due()
            {
                *c = JoinConstraint::None;
                return true;
            }
        }
        false
    })
}

/// Reads another table of the schema in a table's place. The alias stays, so that qualified names do as well;
/// where the other table lacks a column, SQLite refuses the text.
pub(super) fn table(query: &mut Query, site: usize, context: &mut Context<'_>) -> bool {
    let mut turn = Turn::new(site);
    let schema = context.schema;
    on_selects(query, |s| {
        let factors = s.from.iter_mut().flat_map(|f| {
            std::iter::once(&mut f.relation).chain(f.joins.iter_mut().map(|j| &mut j.relation))
        });
        for factor in factors {
            let TableFactor::Table {
                name,
                alias: _,
                args: _,
                with_hints: _,
                version: _,
                with_ordinality: _,
                partitions: _,
                json_path: _,
                sample: _,
                index_hints: _,
            } = factor
            else {
                continue;
            };
            let current =
                name.0.last().and_then(|p| p.as_ident()).map(|i| i.value.clone()).unwrap_or_default();
            let others: Vec<&str> = schema
                .tables
                .iter()
                .filter(|t| !t.name.eq_ignore_ascii_case(&current))
                .map(|t| t.name.as_str())
                .collect();
            if others.is_empty() || !turn.due() {
                continue;
            }
            if let Some(other) = context.dice.pick(&others) {
                *name = ObjectName::from(vec![named(other)]);
            }
            return true;
        }
        false
    })
}

/// `a UNION b` → `a INTERSECT b`, and every other pair but INTERSECT ALL and EXCEPT ALL, which SQLite lacks.
pub(super) fn set_operator(query: &mut Query, site: usize, context: &mut Context<'_>) -> bool {
    let mut turn = Turn::new(site);
    on_queries(query, |q| {
        let SetExpr::SetOperation { op, set_quantifier, left: _, right: _ } = &mut *q.body else {
            return false;
        };
        if !turn.due() {
            return false;
        }
        let all = matches!(set_quantifier, SetQuantifier::All);
        // All that SQLite has.
        let others: Vec<(SetOperator, bool)> = [
            (SetOperator::Union, false),
            (SetOperator::Union, true),
            (SetOperator::Intersect, false),
            (SetOperator::Except, false),
        ]
        .into_iter()
        .filter(|(o, a)| (o, *a) != (&*op, all))
        .collect();
        if let Some((other, all)) = context.dice.pick(&others) {
            *op = *other;
            *set_quantifier = if *all { SetQuantifier::All } else { SetQuantifier::None };
        }
        true
    })
}

/// `a UNION b` → `a` or `b`.
pub(super) fn drop_arm(query: &mut Query, site: usize, context: &mut Context<'_>) -> bool {
    let mut turn = Turn::new(site);
    on_queries(query, |q| {
        let SetExpr::SetOperation { left, right, op: _, set_quantifier: _ } = &*q.body else {
            return false;
        };
        if !turn.due() {
            return false;
        }
        q.body = if context.outcome == 0 { left.clone() } else { right.clone() };
        true
    })
}

/// `SELECT a, b` → `SELECT b`: of another width, which every comparison notices; rarely a hard one.
pub(super) fn drop_item(query: &mut Query, site: usize, context: &mut Context<'_>) -> bool {
    let mut turn = Turn::new(site);
    on_selects(query, |s| {
        if s.projection.len() < 2 || !turn.due() {
            return false;
        }
        let at = context.dice.below(s.projection.len());
        s.projection.remove(at);
        true
    })
}

/// `SELECT a` → `SELECT a, b`, where b is a column of any table that the query mentions.
pub(super) fn add_item(query: &mut Query, site: usize, context: &mut Context<'_>) -> bool {
    let mut turn = Turn::new(site);
    let names = context.column_names();
    on_selects(query, |s| {
        if names.is_empty() || !turn.due() {
            return false;
        }
        if let Some(name) = context.dice.pick(&names) {
            s.projection.push(SelectItem::UnnamedExpr(Expr::Identifier(named(name))));
        }
        true
    })
}

/// Both conditions, where there are two.
fn both(one: Option<Expr>, two: Option<Expr>) -> Option<Expr> {
    match (one, two) {
        (Some(one), Some(two)) => Some(Expr::BinaryOp {
            left: Box::new(Expr::Nested(Box::new(one))),
            op: BinaryOperator::And,
            right: Box::new(Expr::Nested(Box::new(two))),
        }),
        (one, two) => one.or(two),
    }
}

/// `WHERE p GROUP BY a HAVING q` → `GROUP BY a HAVING p AND q`: a condition on rows becomes one on a row of
/// each group, and the other way round. SQLite lets HAVING name any column.
pub(super) fn having_where(query: &mut Query, site: usize, _: &mut Context<'_>) -> bool {
    let mut turn = Turn::new(site);
    on_selects(query, |s| {
        let grouped = matches!(&s.group_by, GroupByExpr::Expressions(keys, _) if !keys.is_empty());
        // Of rows without groups HAVING would make one group, or be refused.
        if grouped && s.selection.is_some() && turn.due() {
            s.having = both(s.selection.take(), s.having.take());
            return true;
        }
        if s.having.is_some() && turn.due() {
            s.selection = both(s.selection.take(), s.having.take());
            return true;
        }
        false
    })
}

/// `ORDER BY a, b` → `ORDER BY b`: told apart by ties.
pub(super) fn drop_order_key(query: &mut Query, site: usize, context: &mut Context<'_>) -> bool {
    let mut turn = Turn::new(site);
    on_queries(query, |q| {
        let Some(order) = &mut q.order_by else {
            return false;
        };
        let OrderByKind::Expressions(keys) = &mut order.kind else {
            return false;
        };
        if keys.len() < 2 || !turn.due() {
            return false;
        }
        keys.remove(context.outcome % keys.len());
        true
    })
}

/// Joins by another column on one side.
pub(super) fn join_key(query: &mut Query, site: usize, context: &mut Context<'_>) -> bool {
    let mut turn = Turn::new(site);
    let names = context.column_names();
    on_selects(query, |s| {
        for join in s.from.iter_mut().flat_map(|f| &mut f.joins) {
            let (JoinOperator::Join(JoinConstraint::On(on))
            | JoinOperator::Inner(JoinConstraint::On(on))
            | JoinOperator::Left(JoinConstraint::On(on))
            | JoinOperator::LeftOuter(JoinConstraint::On(on))) = &mut join.join_operator
            else {
                continue;
            };
            let Expr::BinaryOp { left, op: BinaryOperator::Eq, right } = on else {
                continue;
            };
            if !turn.due() {
                continue;
            }
            // The outcomes change the two sides in turn.
            let side = if context.outcome.is_multiple_of(2) { left } else { right };
            let ident = match &mut **side {
                Expr::Identifier(i) => Some(i),
                Expr::CompoundIdentifier(parts) => parts.last_mut(),
                _ => None,
            };
            if let (Some(ident), Some(name)) = (ident, context.dice.pick(&names)) {
                *ident = named(name);
            }
            return true;
        }
        false
    })
}

/// A column by its name, qualified or not.
fn is_column(e: &Expr) -> bool {
    matches!(e, Expr::Identifier(_) | Expr::CompoundIdentifier(_))
}

/// `SELECT name … GROUP BY id` → `SELECT name … GROUP BY name`: told apart by two that
/// share a name.
pub(super) fn group_output(query: &mut Query, site: usize, _: &mut Context<'_>) -> bool {
    let mut turn = Turn::new(site);
    on_selects(query, |s| {
        // Aggregates among the outputs are no keys.
        let output: Vec<Expr> = s
            .projection
            .iter()
            .filter_map(|item| match item {
                SelectItem::UnnamedExpr(e) | SelectItem::ExprWithAlias { expr: e, alias: _ }
                    if is_column(e) =>
                {
                    Some(e.clone())
                }
                _ => None,
            })
            .collect();
        let GroupByExpr::Expressions(keys, _) = &mut s.group_by else {
            return false;
        };
        if keys.is_empty() || output.is_empty() || *keys == output || !turn.due() {
            return false;
        }
        *keys = output;
        true
    })
}

/// Groups a query without GROUP BY by the key of one of its tables.
pub(super) fn add_group(query: &mut Query, site: usize, context: &mut Context<'_>) -> bool {
    let mut turn = Turn::new(site);
    let schema = context.schema;
    on_selects(query, |s| {
        let keys: Vec<Expr> = named_tables(s)
            .filter_map(|(shown, table)| {
                let definition = schema.table(&table.value)?;
                let key = definition.primary_key.first().and_then(|&c| definition.columns.get(c))?;
                Some(Expr::CompoundIdentifier(vec![shown.clone(), named(&key.name)]))
            })
            .collect();
        let GroupByExpr::Expressions(group, _) = &mut s.group_by else {
            return false;
        };
        if !group.is_empty() || keys.is_empty() || !turn.due() {
            return false;
        }
        if let Some(key) = keys.get(context.outcome % keys.len()) {
            group.push(key.clone());
        }
        true
    })
}
