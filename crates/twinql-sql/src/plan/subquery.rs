//! Subqueries inside expressions, and IN lists.

use sqlparser::ast::{self, Spanned};

use super::expr::{negate_if, unwrap_nested};
use super::{Planner, Result, invalid, unsupported};
use crate::expr::{BinaryOp, Expr};
use crate::rel::Query;

impl<'a> Planner<'a> {
    pub(crate) fn plan_subquery_expr(&mut self, expr: &'a ast::Expr) -> Result<Expr> {
        use ast::Expr as E;
        match expr {
            E::InList {
                expr: tested,
                list,
                negated,
            } => {
                let mut tested = self.plan_expr(tested)?;
                let mut list = self.plan_exprs(list)?;
                for member in &mut list {
                    let value = std::mem::replace(member, Expr::Literal(crate::value::Value::Null));
                    (tested, *member) = self.aligned(tested, value);
                }
                let tested = Box::new(tested);
                Ok(negate_if(*negated, Expr::InList { expr: tested, list }))
            }
            E::InSubquery {
                expr: tested,
                subquery,
                negated,
            } => {
                let exprs = match self.plan_expr(tested)? {
                    Expr::Row(list) => list,
                    other => vec![other],
                };
                let query = self.plan_query(subquery)?.query;
                if query.output.len() != exprs.len() {
                    return invalid(
                        format!(
                            "the subquery of IN returns {} column(s), {} expected",
                            query.output.len(),
                            exprs.len()
                        ),
                        expr.span(),
                    );
                }
                let query = Box::new(query);
                Ok(negate_if(*negated, Expr::InSubquery { exprs, query }))
            }
            E::Exists { subquery, negated } => {
                let query = Box::new(self.plan_query(subquery)?.query);
                Ok(negate_if(*negated, Expr::Exists(query)))
            }
            E::Subquery(query) => {
                let query = self.plan_query(query)?.query;
                Ok(Expr::Scalar(Box::new(query)))
            }
            E::AnyOp {
                left,
                compare_op,
                right,
                ..
            } => self.plan_quantified(left, compare_op, false, right),
            E::AllOp {
                left,
                compare_op,
                right,
            } => self.plan_quantified(left, compare_op, true, right),
            other => unsupported(other.to_string(), other.span()),
        }
    }

    fn plan_quantified(
        &mut self,
        left: &'a ast::Expr,
        op: &ast::BinaryOperator,
        all: bool,
        right: &'a ast::Expr,
    ) -> Result<Expr> {
        use ast::BinaryOperator as B;
        let op = match op {
            B::Eq => BinaryOp::Eq,
            B::NotEq => BinaryOp::NotEq,
            B::Lt => BinaryOp::Lt,
            B::LtEq => BinaryOp::LtEq,
            B::Gt => BinaryOp::Gt,
            B::GtEq => BinaryOp::GtEq,
            other => return unsupported(format!("{other} with ALL or ANY"), left.span()),
        };
        let expr = Box::new(self.plan_expr(left)?);
        let ast::Expr::Subquery(subquery) = unwrap_nested(right) else {
            return unsupported("ALL or ANY of something other than a subquery", left.span());
        };
        let query = Box::new(self.plan_query(subquery)?.query);
        self.one_column(&query, right)?;
        Ok(Expr::Quantified { expr, op, all, query })
    }

    /// Refuses a subquery that does not return exactly one column.
    fn one_column(&self, query: &Query, at: &ast::Expr) -> Result<()> {
        match query.output.len() {
            1 => Ok(()),
            n => invalid(format!("the subquery returns {n} columns, 1 expected"), at.span()),
        }
    }
}
