//! Subqueries inside expressions, and IN lists.
//!
//! A subquery is planned in the scopes around it, which makes it correlated where it names their columns;
//! nothing is unnested here. NOT IN, NOT EXISTS and `<> ALL` keep their form, since they differ over NULLs:
//! `1 NOT IN (2, NULL)` is NULL.

use sqlparser::ast::{self, Spanned};

use super::expr::{comparison, negate_if};
use super::unwrap_nested;
use super::{Planner, Result, invalid, unsupported};
use crate::expr::{BinaryOp, Expr};

impl<'a> Planner<'a> {
    /// `x IN (a, b)`. In other dialects a member that is a date or a span written as text is brought into
    /// the form of the value it meets, and the value into theirs.
    pub(crate) fn plan_in_list(
        &mut self,
        tested: &'a ast::Expr,
        list: &'a [ast::Expr],
        negated: bool,
    ) -> Result<Expr> {
        let mut tested = self.plan_expr(tested)?;
        let mut list = self.plan_exprs(list)?;
        for member in &mut list {
            let value = std::mem::replace(member, Expr::NULL);
            (tested, *member) = self.aligned(tested, value);
        }
        if let Some(apart) = self.compared_apart(&tested, &list)? {
            return Ok(negate_if(negated, apart));
        }
        let (tested, list) = self.folded_list(tested, list);
        let expr = Box::new(tested);
        Ok(negate_if(negated, Expr::InList { expr, list }))
    }

    /// MySQL: a value and a list of texts and numbers, each compared in its own way, as a disjunction; `None` where one way
    /// does for all.
    fn compared_apart(&mut self, tested: &Expr, list: &[Expr]) -> Result<Option<Expr>> {
        let as_numbers = |m: &Expr| self.as_numbers(tested.clone(), m.clone()) != (tested.clone(), m.clone());
        if tested.has_subquery() || !list.iter().any(as_numbers) {
            return Ok(None);
        }
        let all = list.iter().map(|m| self.compare(BinaryOp::Eq, tested.clone(), m.clone())).collect();
        self.charge(list.len())?;
        Ok(Some(Expr::or_all(all)))
    }

    /// `x IN (SELECT …)` and `(x, y) IN (SELECT …)`: as many values as the subquery has columns.
    pub(crate) fn plan_in_subquery(
        &mut self,
        tested: &'a ast::Expr,
        subquery: &'a ast::Query,
        negated: bool,
        whole: &ast::Expr,
    ) -> Result<Expr> {
        let mut exprs = match self.plan_expr(tested)? {
            Expr::Row(list) => list,
            other => vec![other],
        };
        let mut query = self.plan_query(subquery)?.query;
        if query.output.len() != exprs.len() {
            return invalid(
                format!(
                    "the subquery of IN returns {} column(s), {} expected",
                    query.output.len(),
                    exprs.len()
                ),
                whole.span(),
            );
        }
        self.apart_within(&mut exprs, &mut query)?;
        let (exprs, query) = self.folded_query(exprs, query)?;
        let query = Box::new(query);
        Ok(negate_if(negated, Expr::InSubquery { exprs, query }))
    }

    /// `EXISTS (SELECT …)`, whatever its outputs.
    pub(crate) fn plan_exists(&mut self, subquery: &'a ast::Query, negated: bool) -> Result<Expr> {
        let around = self.exists.replace(self.scopes.len());
        let query = Box::new(self.plan_query(subquery)?.query);
        self.exists = around;
        Ok(negate_if(negated, Expr::Exists(query)))
    }

    /// A subquery as a value. How many columns it may have depends on where it stands, so the caller looks:
    /// `(a, b) = (SELECT x, y …)` compares rows.
    pub(crate) fn plan_scalar(&mut self, subquery: &'a ast::Query) -> Result<Expr> {
        let query = self.plan_query(subquery)?.query;
        Ok(Expr::Scalar(Box::new(query)))
    }

    /// `x > ALL (SELECT …)` and `x = ANY (SELECT …)`, which SQLite lacks and the printer writes with EXISTS.
    /// `= ANY` is IN and `<> ALL` is NOT IN (PostgreSQL: functions-subquery). Only a subquery is taken: `ANY (array)` was
    /// rewritten before, where it could be.
    pub(crate) fn plan_quantified(
        &mut self,
        left: &'a ast::Expr,
        op: &ast::BinaryOperator,
        all: bool,
        right: &'a ast::Expr,
    ) -> Result<Expr> {
        let Some(op) = comparison(op) else {
            return unsupported(format!("{op} with ALL or ANY"), left.span());
        };
        let mut exprs = vec![self.plan_expr(left)?];
        let ast::Expr::Subquery(subquery) = unwrap_nested(right) else {
            return unsupported("ALL or ANY of something other than a subquery", left.span());
        };
        let mut query = self.plan_query(subquery)?.query;
        match query.output.len() {
            1 => {
                let member = matches!((op, all), (BinaryOp::Eq, false) | (BinaryOp::NotEq, true));
                if member {
                    self.apart_within(&mut exprs, &mut query)?;
                }
                let (mut exprs, query) = self.folded_query(exprs, query)?;
                let query = Box::new(query);
                if member {
                    return Ok(negate_if(all, Expr::InSubquery { exprs, query }));
                }
                let expr = Box::new(exprs.pop().unwrap_or(Expr::NULL));
                Ok(Expr::Quantified { expr, op, all, query })
            }
            n => invalid(format!("the subquery returns {n} columns, 1 expected"), right.span()),
        }
    }
}
