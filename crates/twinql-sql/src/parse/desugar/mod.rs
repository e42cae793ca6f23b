//! Constructs of other dialects written out in plainer ones before they are planned: each
//! file does one, on sqlparser's AST, so that all that follows sees what SQLite has too.

mod any;
mod build;
mod children;
mod grouping;
mod intervals;
mod series;
mod units;

use std::ops::ControlFlow;

use sqlparser::ast::{Expr, Query, TableFactor, VisitMut, VisitorMut};

use crate::dialect::Dialect;
use crate::error::SqlError;

/// Writes out what `dialect` has and SQLite lacks. SQLite's own queries stay as they are.
///
/// # Errors
/// [`SqlError::Unsupported`] for what has no plainer form, with its place.
pub(super) fn desugar(query: &mut Query, dialect: Dialect) -> Result<(), SqlError> {
    if dialect == Dialect::Sqlite {
        return Ok(());
    }
    match query.visit(&mut Rewriter { dialect, series: 0 }) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(error) => Err(error),
    }
}

struct Rewriter {
    dialect: Dialect,
    /// Set-returning functions moved to FROM so far, for their names.
    series: usize,
}

fn flow(result: Result<(), SqlError>) -> ControlFlow<SqlError> {
    match result {
        Ok(()) => ControlFlow::Continue(()),
        Err(error) => ControlFlow::Break(error),
    }
}

impl VisitorMut for Rewriter {
    type Break = SqlError;

    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<SqlError> {
        if self.dialect != Dialect::Mysql {
            series::move_to_from(&mut query.body, &mut self.series);
        }
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, query: &mut Query) -> ControlFlow<SqlError> {
        flow(grouping::expand(query))
    }

    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<SqlError> {
        units::quote(expr, self.dialect);
        if self.dialect == Dialect::Mysql {
            intervals::call(expr);
        }
        ControlFlow::Continue(())
    }

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<SqlError> {
        flow(any::write_out(expr))
    }

    fn post_visit_table_factor(&mut self, factor: &mut TableFactor) -> ControlFlow<SqlError> {
        flow(series::write_out(factor))
    }
}
