//! Mutations of clauses.
//!
//! They change what errors of Text-to-SQL systems change: a clause that is missing or too much, a wrong
//! table, a join of the wrong kind or on the wrong columns, a set operation in place of another. Each takes
//! a SELECT or a query and changes it where the turn is at one of its places; see [`super::Mutation`]. What
//! comes out need not compile: the caller asks SQLite.

use std::ops::ControlFlow;

use sqlparser::ast::{
    BinaryOperator, Distinct, Expr, GroupByExpr, Ident, Join, JoinConstraint, JoinOperator, LimitClause,
    ObjectName, OrderByExpr, OrderByKind, OrderBySort, Query, Select, SelectItem, SetExpr, SetOperator,
    SetQuantifier, Value as Lit, VisitorMut,
};

use twinql_sql::syntax::{self, Named};

use super::expressions::named;
use super::turn::{Changed, Context, Outcome, Turn};

/// Offers queries and SELECTs, the outer ones first, until one is changed.
struct Offered<'a> {
    queries: &'a mut dyn FnMut(&mut Query) -> bool,
    selects: &'a mut dyn FnMut(&mut Select) -> bool,
}

/// Stops where something was changed.
fn until(changed: bool) -> ControlFlow<()> {
    if changed { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
}

impl VisitorMut for Offered<'_> {
    type Break = ();

    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<()> {
        until((self.queries)(query))
    }

    fn pre_visit_select(&mut self, select: &mut Select) -> ControlFlow<()> {
        until((self.selects)(select))
    }
}

/// Offers every query and subquery to `change` until it says that it has changed one.
pub(crate) fn on_queries(query: &mut Query, mut change: impl FnMut(&mut Query) -> bool) -> bool {
    let mut offered = Offered { queries: &mut change, selects: &mut |_| false };
    syntax::change(query, &mut offered).is_break()
}

/// Offers every SELECT to `change` until it says that it has changed one.
pub(crate) fn on_selects(query: &mut Query, mut change: impl FnMut(&mut Select) -> bool) -> bool {
    let mut offered = Offered { queries: &mut |_| false, selects: &mut change };
    syntax::change(query, &mut offered).is_break()
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
    syntax::factors(select).filter_map(|factor| {
        let Named { name, alias, args: _ } = Named::of(factor)?;
        let table = name.0.last().and_then(|p| p.as_ident())?;
        Some((alias.map_or(table, |a| &a.name), table))
    })
}

/// The joins of a SELECT.
fn joins(s: &mut Select) -> impl Iterator<Item = &mut Join> {
    s.from.iter_mut().flat_map(|f| &mut f.joins)
}

/// The keys of GROUP BY.
fn group_keys(s: &mut Select) -> Option<&mut Vec<Expr>> {
    match &mut s.group_by {
        GroupByExpr::Expressions(keys, _) => Some(keys),
        GroupByExpr::All(_) => None,
    }
}

/// The keys of ORDER BY.
fn sort_keys(q: &mut Query) -> Option<&mut Vec<OrderByExpr>> {
    match &mut q.order_by.as_mut()?.kind {
        OrderByKind::Expressions(keys) => Some(keys),
        OrderByKind::All(_) => None,
    }
}

/// Drops a clause that is there.
fn dropped<T>(clause: &mut Option<T>, turn: &mut Turn) -> Changed {
    clause.as_ref()?;
    turn.due()?;
    clause.take().map(drop)
}

/// `SELECT a` ↔ `SELECT DISTINCT a`: told apart by rows that repeat.
pub(super) fn distinct(s: &mut Select, turn: &mut Turn, _: &mut Context<'_>) -> Changed {
    turn.due()?;
    s.distinct = match s.distinct {
        Some(Distinct::Distinct) => None,
        _ => Some(Distinct::Distinct),
    };
    Some(())
}

/// `… WHERE p` → `…`.
pub(super) fn drop_where(s: &mut Select, turn: &mut Turn, _: &mut Context<'_>) -> Changed {
    dropped(&mut s.selection, turn)
}

/// `… HAVING p` → `…`.
pub(super) fn drop_having(s: &mut Select, turn: &mut Turn, _: &mut Context<'_>) -> Changed {
    dropped(&mut s.having, turn)
}

/// `GROUP BY a, b` → `GROUP BY b`. With its last key a query loses HAVING too, which SQLite takes only beside
/// GROUP BY or aggregates.
pub(super) fn drop_group_key(s: &mut Select, turn: &mut Turn, context: &mut Context<'_>) -> Changed {
    let keys = group_keys(s).filter(|keys| !keys.is_empty())?;
    turn.due()?;
    keys.remove(context.dice.below(keys.len()));
    if keys.is_empty() {
        s.having = None;
    }
    Some(())
}

/// `ORDER BY a DESC` ↔ `ORDER BY a`: each key of each ORDER BY is a place.
pub(super) fn direction(q: &mut Query, turn: &mut Turn, _: &mut Context<'_>) -> Changed {
    let key = sort_keys(q)?.iter_mut().find(|_| turn.due().is_some())?;
    key.options.sort = match key.options.sort {
        Some(OrderBySort::Desc) => None,
        _ => Some(OrderBySort::Desc),
    };
    Some(())
}

/// `… ORDER BY a` → `…`, which matters for the outermost query and beside LIMIT.
pub(super) fn drop_order(q: &mut Query, turn: &mut Turn, _: &mut Context<'_>) -> Changed {
    dropped(&mut q.order_by, turn)
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
pub(super) fn limit(q: &mut Query, turn: &mut Turn, context: &mut Context<'_>) -> Changed {
    let clause = q.limit_clause.as_mut()?;
    turn.due()?;
    let kept = match clause {
        LimitClause::LimitOffset { limit, offset: _, limit_by: _ } => limit.as_mut(),
        LimitClause::OffsetCommaLimit { limit, offset: _ } => Some(limit),
    };
    match (kept.and_then(count), context.outcome) {
        (Some(text), 0) => *text = shifted(text, 1),
        (Some(text), 1) if text != "1" => *text = shifted(text, -1),
        (Some(text), 1) => *text = shifted(text, 2),
        _ => q.limit_clause = None,
    }
    Some(())
}

/// The number as text, moved by `by`.
fn shifted(text: &str, by: i64) -> String {
    text.parse::<i64>().unwrap_or(1).saturating_add(by).to_string()
}

/// `… ORDER BY a` → `… ORDER BY a LIMIT 1`, for the outermost query.
pub(super) fn add_limit(query: &Query, site: usize, _: &mut Context<'_>) -> Outcome {
    if site > 0 || query.order_by.is_none() || query.limit_clause.is_some() {
        return Outcome::NoPlace;
    }
    let mut limited = Box::new(query.clone());
    limited.limit_clause = Some(LimitClause::LimitOffset {
        limit: Some(Expr::value(Lit::Number("1".into(), false))),
        offset: None,
        limit_by: Vec::new(),
    });
    Outcome::Query(limited)
}

/// `a JOIN b ON p` ↔ `a LEFT JOIN b ON p`: told apart by a row without a partner. CROSS JOIN has no condition
/// that could fail.
pub(super) fn join_type(s: &mut Select, turn: &mut Turn, _: &mut Context<'_>) -> Changed {
    joins(s).find_map(|join| {
        let other = match &join.join_operator {
            JoinOperator::Join(c) | JoinOperator::Inner(c)
                if matches!(c, JoinConstraint::On(_) | JoinConstraint::Using(_)) =>
            {
                JoinOperator::Left(c.clone())
            }
            JoinOperator::Left(c) | JoinOperator::LeftOuter(c) => JoinOperator::Join(c.clone()),
            _ => return None,
        };
        turn.due()?;
        join.join_operator = other;
        Some(())
    })
}

/// `a JOIN b ON p` → `a`: told apart by rows that have no partner, or several.
pub(super) fn drop_join(s: &mut Select, turn: &mut Turn, _: &mut Context<'_>) -> Changed {
    let from = s.from.iter_mut().find(|f| !f.joins.is_empty() && turn.due().is_some())?;
    from.joins.pop().map(drop)
}

/// `a JOIN b ON p` → `a JOIN b`, a cross join.
pub(super) fn drop_join_condition(s: &mut Select, turn: &mut Turn, _: &mut Context<'_>) -> Changed {
    joins(s).find_map(|join| match &mut join.join_operator {
        JoinOperator::Join(c) | JoinOperator::Inner(c) if !matches!(c, JoinConstraint::None) => {
            turn.due()?;
            *c = JoinConstraint::None;
            Some(())
        }
        _ => None,
    })
}

/// Reads another table of the schema in a table's place. The alias stays, so that qualified names do as well;
/// where the other table lacks a column, SQLite refuses the text.
pub(super) fn table(s: &mut Select, turn: &mut Turn, context: &mut Context<'_>) -> Changed {
    let schema = context.schema;
    syntax::factors_mut(s).find_map(|factor| {
        let (name, _) = syntax::named_mut(factor)?;
        let current = name.0.last().and_then(|p| p.as_ident()).map_or("", |i| &i.value);
        let names = schema.tables.iter().map(|t| t.name.as_str());
        let others: Vec<&str> = names.filter(|name| !name.eq_ignore_ascii_case(current)).collect();
        others.first()?;
        turn.due()?;
        if let Some(other) = context.dice.pick(&others) {
            *name = ObjectName::from(vec![named(other)]);
        }
        Some(())
    })
}

/// `a UNION b` → `a INTERSECT b`, and every other pair but INTERSECT ALL and EXCEPT ALL, which SQLite lacks.
pub(super) fn set_operator(q: &mut Query, turn: &mut Turn, context: &mut Context<'_>) -> Changed {
    let SetExpr::SetOperation { op, set_quantifier, left: _, right: _ } = &mut *q.body else {
        return None;
    };
    turn.due()?;
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
    Some(())
}

/// `a UNION b` → `a` or `b`.
pub(super) fn drop_arm(q: &mut Query, turn: &mut Turn, context: &mut Context<'_>) -> Changed {
    let SetExpr::SetOperation { left, right, op: _, set_quantifier: _ } = &*q.body else {
        return None;
    };
    turn.due()?;
    q.body = if context.outcome == 0 { left.clone() } else { right.clone() };
    Some(())
}

/// `SELECT a, b` → `SELECT b`: of another width, which every comparison notices; rarely a hard one.
pub(super) fn drop_item(s: &mut Select, turn: &mut Turn, context: &mut Context<'_>) -> Changed {
    s.projection.get(1)?;
    turn.due()?;
    s.projection.remove(context.dice.below(s.projection.len()));
    Some(())
}

/// `SELECT a` → `SELECT a, b`, where b is a column of any table that the query mentions.
pub(super) fn add_item(s: &mut Select, turn: &mut Turn, context: &mut Context<'_>) -> Changed {
    let names = context.column_names();
    names.first()?;
    turn.due()?;
    if let Some(name) = context.dice.pick(&names) {
        s.projection.push(SelectItem::UnnamedExpr(Expr::Identifier(named(name))));
    }
    Some(())
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
pub(super) fn having_where(s: &mut Select, turn: &mut Turn, _: &mut Context<'_>) -> Changed {
    let grouped = group_keys(s).is_some_and(|keys| !keys.is_empty());
    // Of rows without groups HAVING would make one group, or be refused.
    if grouped && s.selection.is_some() && turn.due().is_some() {
        s.having = both(s.selection.take(), s.having.take());
        return Some(());
    }
    s.having.as_ref()?;
    turn.due()?;
    s.selection = both(s.selection.take(), s.having.take());
    Some(())
}

/// `ORDER BY a, b` → `ORDER BY b`: told apart by ties.
pub(super) fn drop_order_key(q: &mut Query, turn: &mut Turn, context: &mut Context<'_>) -> Changed {
    let keys = sort_keys(q).filter(|keys| keys.len() > 1)?;
    turn.due()?;
    keys.remove(context.outcome % keys.len());
    Some(())
}

/// Joins by another column on one side.
pub(super) fn join_key(s: &mut Select, turn: &mut Turn, context: &mut Context<'_>) -> Changed {
    joins(s).find_map(|join| {
        let (JoinOperator::Join(JoinConstraint::On(on))
        | JoinOperator::Inner(JoinConstraint::On(on))
        | JoinOperator::Left(JoinConstraint::On(on))
        | JoinOperator::LeftOuter(JoinConstraint::On(on))) = &mut join.join_operator
        else {
            return None;
        };
        let Expr::BinaryOp { left, op: BinaryOperator::Eq, right } = on else {
            return None;
        };
        turn.due()?;
        // The outcomes change the two sides in turn.
        let side = if context.outcome.is_multiple_of(2) { left } else { right };
        let ident = match &mut **side {
            Expr::Identifier(i) => Some(i),
            Expr::CompoundIdentifier(parts) => parts.last_mut(),
            _ => None,
        };
        let names = context.column_names();
        if let (Some(ident), Some(name)) = (ident, context.dice.pick(&names)) {
            *ident = named(name);
        }
        Some(())
    })
}

/// `SELECT name … GROUP BY id` → `SELECT name … GROUP BY name`: told apart by two that
/// share a name.
pub(super) fn group_output(s: &mut Select, turn: &mut Turn, _: &mut Context<'_>) -> Changed {
    // Aggregates among the outputs are no keys.
    let column = |item: &SelectItem| match item {
        SelectItem::UnnamedExpr(e) | SelectItem::ExprWithAlias { expr: e, alias: _ } => {
            matches!(e, Expr::Identifier(_) | Expr::CompoundIdentifier(_)).then(|| e.clone())
        }
        _ => None,
    };
    let output: Vec<Expr> = s.projection.iter().filter_map(column).collect();
    output.first()?;
    let keys = group_keys(s).filter(|keys| !keys.is_empty() && **keys != output)?;
    turn.due()?;
    *keys = output;
    Some(())
}

/// Groups a query without GROUP BY by the key of one of its tables.
pub(super) fn add_group(s: &mut Select, turn: &mut Turn, context: &mut Context<'_>) -> Changed {
    let keys: Vec<Expr> = named_tables(s)
        .filter_map(|(shown, table)| {
            let definition = context.schema.table(&table.value)?;
            let key = definition.primary_key.first().and_then(|&c| definition.columns.get(c))?;
            Some(Expr::CompoundIdentifier(vec![shown.clone(), named(&key.name)]))
        })
        .collect();
    keys.first()?;
    let group = group_keys(s).filter(|group| group.is_empty())?;
    turn.due()?;
    group.extend(keys.get(context.outcome % keys.len()).cloned());
    Some(())
}
