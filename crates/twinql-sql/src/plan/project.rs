//! What a SELECT gives: its outputs, which of equal rows stay, their order and the limits.
//!
//! SQL orders a SELECT's rows by things that it need not put out: `SELECT name FROM t ORDER BY age`. A
//! `Sort` reads only what its input gives, so such a key becomes a column of the projection, and a second
//! projection drops it above the `Sort`.

use sqlparser::ast::{self, Distinct, Spanned};

use super::order::{OrderTerm, Term, collated, ordinal, sort_key};
use super::planner::Item;
use super::set_op::Limits;
use super::{Planned, Planner, Result, types, unsupported};
use crate::columns::Reads;
use crate::expr::{AggFunc, AggregateCall, Expr};
use crate::rel::{ColumnId, Query, Rel, SortKey};
use crate::spans::Clause;
use crate::tree::{NodeMut, Tree};

impl<'a> Planner<'a> {
    /// Outputs, duplicate elimination, order and limits.
    ///
    /// An output that is a column keeps that column's id, and one that is listed twice is computed once:
    /// `output` says what is shown, `exprs` what is computed.
    pub(super) fn project(
        &mut self,
        rel: Rel,
        distinct: Option<&'a Distinct>,
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
        let mut visible: Vec<ColumnId> = exprs.iter().map(|(id, _)| *id).collect();
        let below = rel.output_set();
        let mut extra: Vec<ColumnId> = Vec::new();
        let mut keys = Vec::with_capacity(order.len());
        for OrderTerm { term, collation, key } in order {
            let expr = match term {
                Term::Output(position) => match output.get(position) {
                    Some(id) => Expr::Column(*id),
                    None => continue,
                },
                Term::Other(expr) => {
                    if let Some((id, _)) = exprs.iter().find(|(_, e)| *e == expr) {
                        Expr::Column(*id)
                    } else {
                        // A key over outputs alone, or over outer columns, can be computed above the
                        // projection.
                        let readable =
                            expr.named().iter().all(|id| visible.contains(id) || !below.contains(id));
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
            let expr = self.key(collated(self.ordered_by(expr), collation));
            self.note_expr(Clause::Order, &expr, || key.expr.span());
            keys.push(sort_key(self.dialect, expr, key)?);
        }
        let mut rel = Rel::project(rel, exprs);
        let mut drops = !extra.is_empty();
        match distinct {
            // DISTINCT ON has chosen its rows already.
            None | Some(Distinct::All | Distinct::On(_)) => {}
            Some(Distinct::Distinct) => {
                let calls = self.bare_extras(&mut extra, &mut keys)?;
                if let Some(shown) = self.distinct_folded(&mut rel, &visible, calls.clone())? {
                    let stand_in = |c: ColumnId| {
                        visible.iter().zip(&shown).find(|(from, _)| **from == c).map_or(c, |(_, to)| *to)
                    };
                    output.iter_mut().for_each(|c| *c = stand_in(*c));
                    for key in &mut keys {
                        renumber(&mut key.expr, stand_in);
                    }
                    // The keys of the groups are no outputs.
                    drops = true;
                    visible = shown;
                } else if calls.is_empty() {
                    rel = Rel::Distinct { input: Box::new(rel) };
                } else {
                    rel = Rel::aggregate(
                        rel,
                        visible.iter().map(|&id| (id, Expr::Column(id))).collect(),
                        calls,
                    );
                }
            }
        }
        if !keys.is_empty() || !limits.is_empty() {
            rel = Rel::Sort { input: Box::new(rel), keys, limit: limits.limit, offset: limits.offset };
        }
        if drops {
            rel = Rel::project(rel, visible.iter().map(|&id| (id, Expr::Column(id))).collect());
        }
        Ok(Planned { query: Query { rel, output }, names })
    }

    /// `SELECT DISTINCT ON (a) … ORDER BY a, b` (PostgreSQL) keeps the first row of each
    /// `a`: the condition that the row is number 1 of them.
    pub(super) fn first_of_each(
        &mut self,
        on: &'a [ast::Expr],
        items: &[Item],
        order: &[OrderTerm<'a>],
    ) -> Result<Expr> {
        let span = on.first().map_or_else(sqlparser::tokenizer::Span::empty, Spanned::span);
        let mut partition_by = Vec::with_capacity(on.len());
        for (at, term) in on.iter().enumerate() {
            partition_by.push(match ordinal(term, items.len(), at, "DISTINCT ON")? {
                Some(position) => items.get(position).map_or(Expr::NULL, |i| i.expr.clone()),
                None => self.plan_expr(term)?,
            });
        }
        let mut order_by = Vec::with_capacity(order.len());
        for OrderTerm { term, collation, key } in order {
            let expr = match term {
                Term::Output(position) => match items.get(*position) {
                    Some(item) => item.expr.clone(),
                    None => continue,
                },
                Term::Other(expr) => expr.clone(),
            };
            let expr = self.key(collated(self.ordered_by(expr), collation.clone()));
            order_by.push(sort_key(self.dialect, expr, key)?);
        }
        let windows: Vec<ColumnId> =
            self.scopes.last().map(|s| s.windows.iter().map(|(id, _)| *id).collect()).unwrap_or_default();
        let all = partition_by.iter().chain(order_by.iter().map(|k| &k.expr));
        for expr in all {
            // The window would hold a copy of the subquery, with the same column ids, or a window in a
            // window.
            if expr.has_subquery() || expr.named().iter().any(|c| windows.contains(c)) {
                return unsupported("DISTINCT ON with a subquery or a window function", span);
            }
        }
        let (id, call) = self.row_number(partition_by, order_by)?;
        if let Some(scope) = self.scopes.last_mut() {
            scope.windows.push((id, call));
        }
        Ok(Expr::Column(id).eq(Expr::integer(1)))
    }

    /// `SELECT DISTINCT a … ORDER BY b`: one row for each `a`, ordered by the `b` of one of
    /// the rows that have it, which is a bare column.
    ///
    /// PostgreSQL refuses such a query; SQLite takes the `b` of one of the rows, which one is not said. The
    /// outputs become the keys of a grouping, which removes the same duplicates as DISTINCT.
    fn bare_extras(
        &mut self,
        extra: &mut [ColumnId],
        keys: &mut [SortKey],
    ) -> Result<Vec<(ColumnId, AggregateCall)>> {
        let mut calls = Vec::with_capacity(extra.len());
        for id in extra {
            // Marked: where DISTINCT is ignored, so is this grouping.
            let call = AggregateCall {
                distinct: true,
                ..AggregateCall::new(AggFunc::Bare, vec![Expr::Column(*id)])
            };
            let info = types::aggregate_info(&call, true, &self.columns);
            let bare = self.new_column(info)?;
            for key in &mut *keys {
                renumber(&mut key.expr, |c| if c == *id { bare } else { c });
            }
            calls.push((bare, call));
            *id = bare;
        }
        Ok(calls)
    }
}

/// Gives the columns of an expression other ids.
fn renumber(expr: &mut Expr, new: impl Fn(ColumnId) -> ColumnId) {
    expr.map_up_deep(|node| {
        if let NodeMut::Expr(Expr::Column(c)) = node {
            *c = new(*c);
        }
    });
}
