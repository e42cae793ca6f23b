//! Operators that PostgreSQL and MySQL have and SQLite lacks: regular expressions, JSON
//! documents, arrays.
//!
//! PostgreSQL's `->`, `@>`, `~` and their like become calls of functions that the sandbox has. SQLite has only
//! `->` and `->>` of them, and those differ from PostgreSQL's. What a side holds (an array, a JSON document)
//! decides between two meanings of one sign: that is what [`ForeignType`] is kept for.

use sqlparser::ast::{self, BinaryOperator, Spanned};

use super::expr::negate_if;
use super::foreign_type::ForeignType;
use super::temporal::{call, to_timestamp};
use super::{Planner, Result, unsupported};
use crate::dialects::Dialect;
use crate::expr::{BinaryOp, Expr};
use crate::schema::{Affinity, Collation};
use crate::value::Value;

impl<'a> Planner<'a> {
    /// `left op right` for such an operator; `None` for any other one.
    pub(super) fn plan_foreign_operator(
        &self,
        op: &BinaryOperator,
        left: &Expr,
        right: &Expr,
    ) -> Result<Option<Expr>> {
        use BinaryOperator as B;
        if self.dialect == Dialect::Sqlite || self.dialect == Dialect::Mysql && *op != B::Xor {
            return Ok(None);
        }
        let both = |name: &str| call(name, vec![left.clone(), right.clone()]);
        let turned = |name: &str| call(name, vec![right.clone(), left.clone()]);
        let matched = |flags: &str| call("pg_regexp", vec![left.clone(), right.clone(), Expr::text(flags)]);
        let of_arrays = [left, right].iter().any(|e| self.kind(e) == Some(ForeignType::Array));
        let of_lists = of_arrays || [left, right].iter().any(|e| self.is_list(e));
        Ok(Some(match op {
            B::StringConcat if of_lists && self.dialect.functions_of_its_own() => {
                crate::dialects::joined_lists(self, left, right)
            }
            B::Arrow | B::LongArrow if self.dialect == Dialect::Duckdb => {
                crate::dialects::duckdb_part(left, right, *op == B::LongArrow)
            }
            // SQLite's brackets and backslashes mean something else (https://duckdb.org/docs/stable/sql/functions/pattern_matching).
            B::Glob if self.dialect == Dialect::Duckdb => match right.as_text() {
                Some(pattern) if !pattern.contains(['[', '\\']) => return Ok(None),
                _ => both("duckdb_glob"),
            },
            B::PGRegexMatch => matched("c"),
            B::PGRegexIMatch => matched("i"),
            B::PGRegexNotMatch => matched("c").not(),
            B::PGRegexNotIMatch => matched("i").not(),
            B::Arrow => both("pg_json_get"),
            B::LongArrow => both("pg_json_text"),
            B::HashArrow => both("pg_json_path"),
            B::HashLongArrow => both("pg_json_path_text"),
            B::AtArrow if of_arrays => both("pg_array_contains"),
            B::AtArrow => both("pg_json_contains"),
            B::ArrowAt if of_arrays => turned("pg_array_contains"),
            B::ArrowAt => turned("pg_json_contains"),
            B::Question => both("pg_json_has"),
            B::PGOverlap if of_arrays => both("pg_array_overlaps"),
            B::StringConcat if of_arrays => {
                self.joined_arrays(left, right).unwrap_or_else(|| both("pg_concat"))
            }
            B::StringConcat if self.kind(left) == Some(ForeignType::Json) => both("pg_concat"),
            B::Eq | B::NotEq if of_arrays => {
                let array = |e: &Expr| match e {
                    Expr::Function { name, args: _ } if name == "pg_array" => e.clone(),
                    other => call("pg_array_of", vec![other.clone()]),
                };
                let op = if *op == B::Eq { BinaryOp::Eq } else { BinaryOp::NotEq };
                Expr::binary(op, array(left), array(right))
            }
            B::Overlaps => match (left, right) {
                (Expr::Row(l), Expr::Row(r)) if l.len() == 2 && r.len() == 2 => {
                    let [(from, to), (other, until)] = [l, r].map(|row| self.ends(row));
                    call("pg_overlaps", vec![from, to, other, until])
                }
                _ => return Ok(None),
            },
            // TRUE and FALSE where both are known.
            B::Xor => {
                let truth = |e: &Expr| e.clone().not();
                Expr::binary(BinaryOp::NotEq, truth(left), truth(right))
            }
            _ => return Ok(None),
        }))
    }

    /// `left / right` as the dialect divides.
    pub(crate) fn quotient(&self, left: Expr, right: Expr) -> Expr {
        let fraction = |e: &Expr| matches!(self.kind(e), Some(ForeignType::Decimal | ForeignType::Double));
        let fractions = fraction(&left) || fraction(&right);
        super::dialect::divide(self.dialect, left, right, fractions, &self.columns)
    }

    /// `x REGEXP pattern`: in MySQL a regular expression that ignores case, unless one of the two is BINARY.
    pub(super) fn regexp(&self, expr: Expr, pattern: Expr) -> Expr {
        if self.dialect == Dialect::Sqlite {
            return Expr::binary(BinaryOp::Regexp, expr, pattern);
        }
        // Snowflake's matches the whole text: https://docs.snowflake.com/en/sql-reference/functions/rlike
        if self.dialect.meaning().rlike_matches_all
            && let Some(whole) = crate::dialects::matches_whole(self, &[expr.clone(), pattern.clone()])
        {
            return whole;
        }
        let (expr, binary) = without_binary(expr);
        let (pattern, also_binary) = without_binary(pattern);
        let minds_case = self.dialect.functions_of_its_own() || binary || also_binary;
        let flags = if minds_case { "c" } else { "i" };
        call("pg_regexp", vec![expr, pattern, Expr::text(flags)])
    }

    /// `x SIMILAR TO pattern`.
    pub(super) fn plan_similar(
        &mut self,
        negated: bool,
        expr: &'a ast::Expr,
        pattern: &'a ast::Expr,
        escape: Option<&'a ast::Expr>,
    ) -> Result<Expr> {
        if let Some(escape) = escape {
            return unsupported("SIMILAR TO with ESCAPE", escape.span());
        }
        let args = vec![self.plan_expr(expr)?, self.plan_expr(pattern)?];
        // DuckDB takes a regular expression, which all of the text has to match
        // (https://duckdb.org/docs/stable/sql/functions/pattern_matching).
        if self.dialect == Dialect::Duckdb
            && let Some(matched) = crate::dialects::matches_whole(self, &args)
        {
            return Ok(negate_if(negated, matched));
        }
        Ok(negate_if(negated, call("pg_similar", args)))
    }

    /// `ARRAY[a, b]`.
    pub(super) fn plan_array(&mut self, array: &'a ast::Array) -> Result<Expr> {
        let ast::Array { elem, named: _ } = array;
        if self.dialect.names().fields {
            let elements = self.plan_exprs(elem)?;
            return Ok(self.array(elements));
        }
        let elements = self.plan_exprs(elem)?;
        Ok(self.array_of_values(elements))
    }

    /// An array of values: an array among them is no text.
    pub(crate) fn array_of_values(&self, elements: Vec<Expr>) -> Expr {
        if self.dialect.functions_of_its_own() && elements.iter().any(|e| self.is_list(e)) {
            return self.array(elements);
        }
        call("pg_array", elements)
    }

    /// `x AT TIME ZONE zone`: the sandbox lives in UTC.
    pub(super) fn plan_time_zone(&mut self, at: &'a ast::Expr, zone: &'a ast::Expr) -> Result<Expr> {
        let (at, zone) = (self.plan_expr(at)?, self.plan_expr(zone)?);
        let is_utc = |z: &str| ["utc", "gmt", "z", "etc/utc", "+00:00"].contains(&z.to_lowercase().as_str());
        Ok(match &zone {
            Expr::Literal(Value::Text(name)) if is_utc(name) => to_timestamp(at),
            _ => call("at_time_zone", vec![at, zone]),
        })
    }
}

/// What stands behind BINARY, and whether it stood there.
pub(super) fn without_binary(expr: Expr) -> (Expr, bool) {
    match expr {
        Expr::Cast { expr, affinity: Affinity::Blob } => (*expr, true),
        Expr::Collate { expr, collation } if collation == Collation::Binary.name() => (*expr, true),
        other => (other, false),
    }
}
