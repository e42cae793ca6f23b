//! Calls that belong to a dialect other than the one asked for: an error says whose they
//! are, before a word in them is taken for a column.

use sqlparser::ast::{Expr, Ident};

use super::Planner;
use super::functions::Call;
use crate::dialects::Dialect;
use crate::temporal::{Part, Unit};

/// A word without quotes that names a unit of time.
fn unit(expr: Option<&&Expr>) -> bool {
    match expr {
        Some(Expr::Identifier(Ident { value, quote_style: None, span: _ })) => {
            Unit::named(value).is_some()
                || Part::named(value).is_some()
                || ["isoweek", "isoyear", "dayofweek"].iter().any(|name| value.eq_ignore_ascii_case(name))
        }
        _ => false,
    }
}

impl<'a> Planner<'a> {
    /// What to say of a call whose words belong to another dialect, or that gives several columns.
    pub(super) fn foreign_call(&self, call: &Call<'a>) -> Option<String> {
        let args = &call.args;
        let other = |name: &str, whose: &str, dialect: Dialect| {
            Some(format!("{name}, which looks like {whose}: --dialect {dialect}"))
        };
        match (self.dialect, call.name.as_str()) {
            // <https://docs.databricks.com/en/sql/language-manual/functions/stack.html>
            (Dialect::Databricks, name @ ("stack" | "inline" | "inline_outer" | "json_tuple"))
            // <https://duckdb.org/docs/stable/sql/expressions/star#columns-expression>
            | (Dialect::Duckdb | Dialect::Clickhouse, name @ "columns") => {
                Some(format!("{name}(), which gives several columns"))
            }
            (dialect, _) if dialect.functions_of_its_own() => None,
            // A column may be called so.
            _ if args.iter().all(|a| !unit(Some(a)) || self.is_column(a)) => None,
            (_, "date_trunc" | "datetime_trunc" | "timestamp_trunc") if unit(args.get(1)) => {
                other("DATE_TRUNC(x, MONTH)", "BigQuery's", Dialect::Bigquery)
            }
            (_, "date_diff" | "datetime_diff" | "timestamp_diff") if unit(args.get(2)) => {
                other("DATE_DIFF(a, b, DAY)", "BigQuery's", Dialect::Bigquery)
            }
            (dialect, "timestampdiff" | "timestampadd")
                if unit(args.first()) && dialect != Dialect::Mysql =>
            {
                other("TIMESTAMPDIFF(DAY, a, b)", "MySQL's", Dialect::Mysql)
            }
            (_, "datediff" | "dateadd" | "datepart" | "datename") if unit(args.first()) => {
                other("DATEDIFF(day, a, b)", "that of SQL Server, Snowflake or Redshift", Dialect::Tsql)
            }
            _ => None,
        }
    }

    /// Whether a name in a call is that of a column in sight.
    fn is_column(&self, expr: &Expr) -> bool {
        let Expr::Identifier(name) = expr else {
            return false;
        };
        self.scopes.iter().flat_map(|s| &s.tables).flat_map(|t| &t.columns).any(|c| self.same(&c.name, name))
    }
}
