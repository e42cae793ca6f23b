//! The terms of ORDER BY.

use sqlparser::ast::{self, Spanned};

use super::expr::unwrap_nested;
use super::planner::Item;
use super::refuse::refuse_present;
use super::{Planner, Result, invalid, only_ident, unsupported};
use crate::dialect::Dialect;
use crate::expr::Expr;
use crate::rel::{Direction, NullsOrder, SortKey};

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
/// SQLite and MySQL take NULL for the smallest value, PostgreSQL for the greatest: `ORDER BY a` is NULLS
/// FIRST in the first two. The tree always says which.
pub(crate) fn sort_key(dialect: Dialect, expr: Expr, key: &ast::OrderByExpr) -> Result<SortKey> {
    let ast::OrderByExpr { expr: written, options: ast::OrderByOptions { sort, nulls_first }, with_fill } =
        key;
    refuse_present(with_fill, "WITH FILL", written)?;
    let direction = match sort {
        None | Some(ast::OrderBySort::Asc) => Direction::Asc,
        Some(ast::OrderBySort::Desc) => Direction::Desc,
        Some(ast::OrderBySort::Using(_operator)) => return unsupported("ORDER BY USING", written.span()),
    };
    let first = nulls_first.unwrap_or((direction == Direction::Asc) != dialect.nulls_are_greatest());
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
}
