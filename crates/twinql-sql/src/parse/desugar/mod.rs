//! Constructs of other dialects written out in plainer ones before they are planned: each
//! file does one, on sqlparser's AST, so that all that follows sees what SQLite has too.

mod any;
mod apply;
mod array_queries;
mod binary;
mod build;
mod children;
mod clickhouse;
mod duckdb;
mod group_all;
mod grouping;
mod grouping_windows;
mod intervals;
mod joins;
mod lambda;
mod oracle;
mod pivot;
mod ratio;
mod series;
mod single;
mod top;
mod units;
mod xml;

use std::ops::ControlFlow;

use sqlparser::ast::{Expr, Query, Select, TableFactor, VisitorMut};

use crate::dialects::Dialect;
use crate::error::SqlError;
use crate::syntax::change;

/// Writes out what `dialect` has and SQLite lacks. SQLite's own queries stay as they are.
///
/// # Errors
/// [`SqlError::Unsupported`] for what has no plainer form, with its place.
pub(super) fn desugar(query: &mut Query, dialect: Dialect) -> Result<(), SqlError> {
    if dialect == Dialect::Sqlite {
        return Ok(());
    }
    let mut rewriter = Rewriter { dialect, series: 0, known: pivot::Known::default(), error: None };
    let _ = change(query, &mut rewriter);
    rewriter.error.map_or(Ok(()), Err)
}

struct Rewriter {
    dialect: Dialect,
    /// Set-returning functions moved to FROM so far, for their names.
    series: usize,
    /// What is known of common table expressions.
    known: pivot::Known,
    /// Why the walk ended.
    error: Option<SqlError>,
}

impl Rewriter {
    /// Goes on, or ends the walk with the error.
    fn flow(&mut self, result: Result<(), SqlError>) -> ControlFlow<()> {
        self.error = result.err();
        if self.error.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

impl VisitorMut for Rewriter {
    type Break = ();

    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<()> {
        self.known.note(query);
        if !matches!(self.dialect, Dialect::Mysql | Dialect::Bigquery) {
            series::move_to_from(&mut query.body, &mut self.series, self.dialect);
        }
        match self.dialect {
            Dialect::Tsql => apply::write_out(&mut query.body),
            Dialect::Clickhouse => {
                // How the answer is shown.
                query.format_clause = None;
                clickhouse::limit_by(query);
            }
            Dialect::Oracle => {
                if let Err(error) = oracle::write_out(query) {
                    return self.flow(Err(error));
                }
            }
            Dialect::Generic => single::write_out(query),
            _ => {}
        }
        let ordered = top::write_out(query).and_then(|()| group_all::order(query));
        self.flow(ordered)
    }

    fn pre_visit_select(&mut self, select: &mut Select) -> ControlFlow<()> {
        if self.dialect.names().fields {
            array_queries::as_value(select);
        }
        if self.dialect == Dialect::Clickhouse {
            clickhouse::joins(select);
        }
        let result = joins::write_out(select).and_then(|()| group_all::write_out(select));
        self.flow(result)
    }

    fn post_visit_query(&mut self, query: &mut Query) -> ControlFlow<()> {
        self.flow(grouping::expand(query, self.dialect))
    }

    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        if self.dialect.names().fields {
            array_queries::record(expr);
            let written = array_queries::write_out(expr);
            self.flow(written)?;
        }
        if self.dialect == Dialect::Postgres {
            let written = array_queries::of_rows(expr).map(|_| ());
            self.flow(written)?;
        }
        lambda::write_out(expr, self.dialect);
        units::quote(expr, self.dialect);
        if self.dialect.functions_of_its_own() {
            ratio::write_out(expr);
        }
        if self.dialect == Dialect::Mysql {
            intervals::call(expr);
            binary::move_down(expr);
        }
        match self.dialect {
            Dialect::Duckdb => duckdb::write_out(expr),
            Dialect::Oracle => oracle::plain(expr),
            Dialect::Redshift => oracle::now(expr),
            Dialect::Clickhouse => clickhouse::parameters(expr),
            Dialect::Tsql => {
                apply::collation(expr);
                xml::concatenation(expr);
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        self.flow(any::write_out(expr))
    }

    fn post_visit_table_factor(&mut self, factor: &mut TableFactor) -> ControlFlow<()> {
        let written = series::write_out(factor, self.dialect)
            .and_then(|()| pivot::write_out(factor, self.dialect, &self.known));
        self.flow(written)
    }
}
