//! PostgreSQL's own functions over arrays, documents, texts and spans, each tried on PostgreSQL 15.

use sqlparser::ast;

use super::Planner;
use super::differing::matches_alike;
use super::foreign_type::ForeignType;
use super::temporal::{call, to_interval, to_timestamp};
use super::types::info_of;
use crate::dialects::Dialect;
use crate::expr::Expr;
use crate::schema::TypeClass;

/// A written truth value, which is a number here, as the word that it is in a document.
pub(super) fn written_truth(expr: &ast::Expr) -> Option<Expr> {
    match expr {
        ast::Expr::Value(value) if matches!(value.value, ast::Value::Boolean(_)) => {
            Some(call("json", vec![Expr::text(expr.to_string().to_lowercase())]))
        }
        _ => None,
    }
}

impl Planner<'_> {
    /// A call of such a function; `None` for others, and where nothing is known of the arguments.
    pub(super) fn postgres_call(&self, name: &str, args: &[Expr]) -> Option<Expr> {
        let array = |e: &Expr| call("pg_array_of", vec![e.clone()]);
        let one = |e: &Expr| call("pg_array", vec![e.clone()]);
        let document =
            |made: Expr| if name.starts_with("jsonb") { call("pg_jsonb", vec![made]) } else { made };
        Some(match (name, args) {
            ("array_append", [left, right]) => call("pg_array_cat", vec![array(left), one(right)]),
            ("array_prepend", [left, right]) => call("pg_array_cat", vec![one(left), array(right)]),
            ("array_cat", [left, right]) => call("pg_array_cat", vec![array(left), array(right)]),
            ("array_upper", [_, _]) => {
                self.shared_function(Dialect::Postgres, "array_length".into(), args.to_vec())
            }
            // The groups of the first match, or all of it.
            ("regexp_match", [text, pattern, flags @ ..]) if flags.len() <= 1 => {
                pattern.as_text().filter(|p| matches_alike(p))?;
                let flags =
                    flags.first().map_or(Some("c"), Expr::as_text).filter(|f| matches!(*f, "c" | "i"))?;
                let found = vec![text.clone(), pattern.clone(), Expr::text(flags)];
                call("json_extract", vec![call("pg_regexp_matches", found), Expr::text("$[0]")])
            }
            ("to_number", [_, template]) => {
                let digits = template.as_text()?.trim_start_matches("FM");
                let is_plain = digits.chars().all(|c| matches!(c, '9' | '0' | ',' | '.' | 'G' | 'D'));
                is_plain.then(|| call("pg_to_number", args.to_vec()))?
            }
            ("date_bin", [stride, at, origin]) => {
                let stride = match stride.as_text() {
                    Some(_) => to_interval(stride.clone(), None, ""),
                    None => stride.clone(),
                };
                call("pg_date_bin", vec![stride, to_timestamp(at.clone()), to_timestamp(origin.clone())])
            }
            ("justify_hours" | "justify_days" | "justify_interval", [span]) => {
                let part = name.trim_start_matches("justify_");
                call("pg_justify", vec![span.clone(), Expr::text(part)])
            }
            ("json_build_object" | "jsonb_build_object", pairs)
                if pairs.len().is_multiple_of(2)
                    && pairs.iter().step_by(2).all(|k| k.as_text().is_some()) =>
            {
                let part = |(at, e): (usize, &Expr)| if at % 2 == 0 { e.clone() } else { self.in_json(e) };
                document(call("json_object", pairs.iter().enumerate().map(part).collect()))
            }
            ("json_build_array" | "jsonb_build_array", _) => {
                document(call("json_array", args.iter().map(|e| self.in_json(e)).collect()))
            }
            _ => return None,
        })
    }

    /// A value inside of a JSON document (functions-json): truth values and documents as such, decimals with all their digits,
    /// timestamps with a T.
    pub(crate) fn in_json(&self, expr: &Expr) -> Expr {
        let document = |e: Expr| call("json", vec![e]);
        match self.kind(expr) {
            Some(ForeignType::Json) => document(expr.clone()),
            Some(ForeignType::Array) => document(call("pg_array_of", vec![expr.clone()])),
            Some(ForeignType::Timestamp) => {
                call("replace", vec![expr.clone(), Expr::text(" "), Expr::text("T")])
            }
            _ => match self.in_words(expr.clone()) {
                shown if shown == *expr => shown,
                shown => document(shown),
            },
        }
    }

    /// `array || x`, where x is an array or an element; `None` where that is not known.
    pub(super) fn joined_arrays(&self, left: &Expr, right: &Expr) -> Option<Expr> {
        let as_array = |e: &Expr| match (self.kind(e), e.as_text()) {
            (Some(ForeignType::Array), _) => Some(call("pg_array_of", vec![e.clone()])),
            (None, Some(text)) if text.starts_with('{') => Some(call("pg_array_of", vec![e.clone()])),
            (None, None) if e.is_null_literal() => Some(e.clone()),
            (None, None) if info_of(e, &self.columns).class != TypeClass::Other => {
                Some(call("pg_array", vec![e.clone()]))
            }
            _ => None,
        };
        Some(call("pg_array_cat", vec![as_array(left)?, as_array(right)?]))
    }

    /// Both ends of a period of OVERLAPS, the second of which may be its length.
    pub(super) fn ends(&self, row: &[Expr]) -> (Expr, Expr) {
        let (from, to) =
            (row.first().cloned().unwrap_or(Expr::NULL), row.last().cloned().unwrap_or(Expr::NULL));
        match self.kind(&to) {
            Some(ForeignType::Interval) => (from.clone(), call("pg_add", vec![from, to])),
            _ => (from, to),
        }
    }
}
