//! The terms of ORDER BY.

use sqlparser::ast::{self, Spanned};

use super::planner::Item;
use super::refuse::refuse_present;
use super::{Planner, Result, invalid, only_ident, unsupported, unwrap_nested};
use crate::dialects::Dialect;
use crate::dialects::profile::NullOrder;
use crate::expr::Expr;
use crate::rel::{Direction, NullsOrder, Rel, SortKey};

/// What a term of ORDER BY orders by.
pub(super) enum Term {
    Output(usize),
    Other(Expr),
}

/// A term with what else stands in it.
pub(super) struct OrderTerm<'a> {
    pub(super) term: Term,
    pub(super) collation: Option<String>,
    pub(super) key: &'a ast::OrderByExpr,
}

/// A key of an order, with the dialect's default for NULLs.
///
/// SQLite and MySQL take NULL for the smallest value, PostgreSQL for the greatest, DuckDB puts it last: `ORDER BY a` is
/// NULLS FIRST in the first two. The tree always says which.
pub(crate) fn sort_key(dialect: Dialect, expr: Expr, key: &ast::OrderByExpr) -> Result<SortKey> {
    let ast::OrderByExpr { expr: written, options: ast::OrderByOptions { sort, nulls_first }, with_fill } =
        key;
    refuse_present(with_fill, "WITH FILL", written)?;
    let direction = match sort {
        None | Some(ast::OrderBySort::Asc) => Direction::Asc,
        Some(ast::OrderBySort::Desc) => Direction::Desc,
        Some(ast::OrderBySort::Using(_operator)) => return unsupported("ORDER BY USING", written.span()),
    };
    let first = nulls_first.unwrap_or(match dialect.meaning().nulls {
        NullOrder::Smallest => direction == Direction::Asc,
        NullOrder::Greatest => direction == Direction::Desc,
        NullOrder::Last => false,
    });
    Ok(SortKey { expr, direction, nulls: if first { NullsOrder::First } else { NullsOrder::Last } })
}

/// A term without the COLLATE around it.
pub(crate) fn strip_collate(expr: &ast::Expr) -> Result<(&ast::Expr, Option<String>)> {
    Ok(match unwrap_nested(expr) {
        ast::Expr::Collate { expr, collation } => (unwrap_nested(expr), Some(read_collation(collation)?)),
        other => (other, None),
    })
}

/// The upper-case name of a collation.
pub(crate) fn read_collation(collation: &ast::ObjectName) -> Result<String> {
    match only_ident(collation) {
        Some(name) => {
            super::scope::refuse_reserved(name)?;
            Ok(name.value.to_ascii_uppercase())
        }
        None => unsupported(format!("collation {collation}"), collation.span()),
    }
}

/// A term with the COLLATE that stood around it.
pub(crate) fn collated(expr: Expr, collation: Option<String>) -> Expr {
    match collation {
        Some(collation) => Expr::Collate { expr: Box::new(expr), collation },
        None => expr,
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
            format!("{clause} term {} out of range: should be between 1 and {outputs}", at + 1),
            value.span,
        );
    }
    Ok(Some(position - 1))
}

impl<'a> Planner<'a> {
    /// What each term orders by: an output, or an expression of its own.
    pub(super) fn plan_order(
        &mut self,
        keys: &'a [ast::OrderByExpr],
        items: &[Item],
    ) -> Result<Vec<OrderTerm<'a>>> {
        let mut order = Vec::with_capacity(keys.len());
        for (at, key) in keys.iter().enumerate() {
            let (term, collation) = strip_collate(&key.expr)?;
            let aliased = |name: &ast::Ident| {
                let scope = self.scopes.last()?;
                let (_, expr) =
                    scope.aliases.iter().find(|(alias, _)| self.same(&self.stored(alias), name))?;
                Some(*expr)
            };
            let by_alias = match term {
                ast::Expr::Identifier(name) if name.quote_style != Some('\'') => aliased(name),
                _ => None,
            };
            let term = match (ordinal(term, items.len(), at, "ORDER BY")?, by_alias) {
                (Some(position), _) => Term::Output(position),
                (None, Some(_)) => {
                    let named = |i: &Item| match term {
                        ast::Expr::Identifier(name) => self.same(&i.name, name),
                        _ => false,
                    };
                    match items.iter().position(named) {
                        Some(position) => Term::Output(position),
                        None => Term::Other(self.plan_expr(term)?),
                    }
                }
                (None, None) if self.named_output(term, items).is_some() => {
                    Term::Output(self.named_output(term, items).unwrap_or_default())
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

    /// The output that is called so, which comes before the columns of the tables everywhere but in SQLite.
    fn named_output(&self, term: &ast::Expr, items: &[Item]) -> Option<usize> {
        let ast::Expr::Identifier(name) = term else {
            return None;
        };
        if self.dialect == Dialect::Sqlite {
            return None;
        }
        let mut found = items.iter().enumerate().filter(|(_, item)| self.same(&item.name, name));
        let (place, first) = found.next()?;
        found.all(|(_, item)| item.expr == first.expr).then_some(place)
    }
}

/// Takes away the order of derived tables that the answer would show, where the query has no ORDER BY of its own: no
/// order is passed on by SQL, whatever SQLite happens to keep. Without a limit the order goes. What a LIMIT keeps depends
/// on it, so there it stays, with OFFSET 0 for a mark: these are the first rows in no order, and no rule takes them for
/// an answer in order, whatever it takes away above them. `cut` says that a LIMIT stands above.
///
/// ```sql
/// SELECT g FROM (SELECT g FROM t ORDER BY g)          -- SELECT g FROM t
/// SELECT g FROM (SELECT g FROM t ORDER BY g LIMIT 3)  -- SELECT g FROM (SELECT g FROM t ORDER BY g LIMIT 3 OFFSET 0)
/// ```
pub(super) fn forget_inner(rel: &mut Rel, cut: bool) {
    match rel {
        Rel::Project { input, .. } | Rel::Filter { input, .. } => forget_inner(input, cut),
        Rel::Sort { input, keys, .. } if keys.is_empty() => forget_inner(input, true),
        Rel::Sort { input, limit: None, offset: None, .. } if !cut => {
            *rel = input.take();
            forget_inner(rel, cut);
        }
        Rel::Sort { limit: None, offset: offset @ None, .. } => *offset = Some(Expr::integer(0)),
        _ => mark_cut(rel),
    }
}

/// Marks each relation that is cut by a LIMIT of more than one row.
fn mark_cut(rel: &mut Rel) {
    if let Rel::Sort { keys, limit: Some(limit), offset: offset @ None, .. } = rel
        && !keys.is_empty()
        && *limit != Expr::integer(1)
    {
        *offset = Some(Expr::integer(0));
        return;
    }
    rel.inputs_mut().into_iter().for_each(mark_cut);
    rel.arms_mut().into_iter().for_each(|arm| mark_cut(&mut arm.rel));
}
