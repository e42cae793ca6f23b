//! Aggregates of other systems than SQLite by the names that the sandbox has for them.
//!
//! SQLite has neither WITHIN GROUP nor a separator beside DISTINCT. The sandbox has functions for both,
//! without an order among their arguments: what the order says is in the function's name.

use sqlparser::ast::{self, Spanned};

use super::functions::Call;
use super::sight::Allow;
use super::{Planner, Result, invalid, unsupported};
use crate::dialects::Dialect;
use crate::dialects::aggregates::{Aggregate, To, Words};
use crate::expr::{AggFunc, AggregateCall, BinaryOp, Expr};
use crate::function;
use crate::ordered;
use crate::rel::Direction;
use crate::value::Value;

/// What is done with an aggregate's value.
pub(super) type Then = fn(Expr) -> Expr;

impl<'a> Planner<'a> {
    /// An aggregate that has a row of its own dialect: the words for its arguments, the order among them, what is done with
    /// its value.
    pub(super) fn plan_own_aggregate(
        &mut self,
        function: &'a ast::Function,
        mut call: Call<'a>,
        row: (&'static str, &Aggregate),
    ) -> Result<Expr> {
        if !call.has_list {
            return invalid(format!("{}() without parentheses", call.name), function.span());
        }
        // Aggregates do not nest.
        let allow = self.set_allow(|allow| {
            allow.aggregates = false;
            allow.windows = false;
        });
        let args = self.plan_exprs(std::mem::take(&mut call.args))?;
        let (mut func, mut words) = self.words_for(row, args);
        words.distinct |= call.distinct;
        let concatenates = func == AggFunc::GroupConcat;
        if concatenates && words.args.get(1).and_then(Expr::as_text) == Some(",") {
            words.args.truncate(1);
        }
        let of_an_order = matches!(func, AggFunc::GroupConcat | AggFunc::Other(_));
        if call.within_group && !of_an_order {
            return unsupported(format!("WITHIN GROUP of {}()", call.name), function.span());
        }
        let then = words.then.unwrap_or(|value| value);
        if words.distinct && concatenates && (words.args.len() > 1 || !call.order_by.is_empty()) {
            return Ok(then(self.plan_distinct_concatenation(function, &call, words.args, allow)?));
        }
        for key in call.order_by {
            let expr = self.plan_expr(&key.expr)?;
            let key = super::order::sort_key(self.dialect, expr, key)?;
            // No influence on a count, a sum or an extreme.
            if of_an_order {
                words.args.push(ordered::argument(key));
            }
        }
        // No rule about concatenations knows of an order.
        if concatenates && !call.order_by.is_empty() {
            func = AggFunc::Other("group_concat".to_owned());
        }
        self.folded_arguments(words.name, words.distinct, &mut words.args);
        let filter = self.plan_optional(call.filter)?;
        self.restore_allow(allow);
        let planned = AggregateCall { func, distinct: words.distinct, args: words.args, filter };
        Ok(then(self.add_aggregate(planned, function.span())?))
    }

    /// What a row says of a call, and the function of it in a plan; one of no system where the row has no words for it.
    fn words_for(&self, (name, row): (&'static str, &Aggregate), args: Vec<Expr>) -> (AggFunc, Words) {
        let words = match row.to {
            To::Call(known) => Some(Words::new(known, args.clone())),
            To::Written(words) => words(self, &args),
        };
        match words {
            Some(words) => {
                let known = function::aggregate(words.name).and_then(|known| known.func.clone());
                (known.unwrap_or_else(|| AggFunc::Other(words.name.to_owned())), words)
            }
            None => (AggFunc::Other(self.dialect.opaque_name(name)), Words::new(name, args)),
        }
    }

    /// An aggregate over a window by the name that SQLite or the sandbox has for it, and what is done with its value.
    pub(super) fn window_words(
        &self,
        name: &str,
        distinct: bool,
        args: Vec<Expr>,
    ) -> Option<(String, Vec<Expr>, Then)> {
        let (name, words) = match self.dialect.aggregate(name, args.len()) {
            Some(row) => match self.words_for(row, args) {
                (AggFunc::Other(name), words) => (name, words),
                (_, words) => (words.name.to_owned(), words),
            },
            None => {
                let known = function::aggregate(name).map(|known| known.name_in(self.dialect));
                (known.unwrap_or(name).to_owned(), Words::new("", args))
            }
        };
        let each_once = distinct || words.distinct;
        let name = match (each_once, name.as_str(), words.args.len()) {
            (false, ..) => name,
            // SQLite has no DISTINCT there: the sandbox has functions.
            (true, "count" | "sum" | "avg", 1) => format!("sql_{name}_distinct"),
            _ => return None,
        };
        Some((name, words.args, words.then.unwrap_or(|value| value)))
    }

    /// `ARRAY_TO_STRING(ARRAY_AGG(x), ',')` and what Trino, Spark and ClickHouse call it: `STRING_AGG(x, ',')`. Of rows in which
    /// every x is NULL the first is '', and the other NULL; in DuckDB both are NULL.
    pub(super) fn plan_joined_array(&mut self, call: &Call<'a>) -> Result<Option<Expr>> {
        let (array, by) = match (call.name.as_str(), call.args.as_slice()) {
            _ if self.dialect == Dialect::Sqlite => return Ok(None),
            ("array_to_string" | "array_join" | "arraystringconcat", [array, by]) => (*array, *by),
            ("concat_ws", [by, array]) => (*array, *by),
            _ => return Ok(None),
        };
        let (ast::Expr::Function(function), ast::Expr::Value(_)) = (array, by) else {
            return Ok(None);
        };
        let mut array = super::functions::read_call(function, self.dialect)?;
        // Of no rows there is no array, or an empty one.
        let is_empty = match array.name.as_str() {
            "array_agg" | "list" => self.dialect == Dialect::Databricks,
            "collect_list" | "grouparray" => true,
            _ => return Ok(None),
        };
        if array.over.is_some() || array.ignores_nulls || array.args.len() != 1 {
            return Ok(None);
        }
        let is_listagg = self.dialect == Dialect::Snowflake;
        array.name = if is_listagg { "listagg" } else { "string_agg" }.to_owned();
        array.args.push(by);
        let joined = self.plan_call(function, array)?;
        if is_listagg || self.dialect == Dialect::Duckdb {
            return Ok(Some(joined));
        }
        let empty = match (&joined, is_empty) {
            (_, true) => Expr::text(""),
            (Expr::Column(id), false) => {
                let known = self.scopes.iter().rev().flat_map(|s| &s.aggregates).find(|(own, _)| own == id);
                let Some((value, filter)) =
                    known.and_then(|(_, a)| Some((a.args.first()?, a.filter.clone())))
                else {
                    return Ok(Some(joined));
                };
                if !super::types::info_of(value, &self.columns).nullable {
                    return Ok(Some(joined));
                }
                let all = AggregateCall { func: AggFunc::Count, distinct: false, args: Vec::new(), filter };
                let any =
                    Expr::binary(BinaryOp::Gt, self.add_aggregate(all, function.span())?, Expr::integer(0));
                Expr::case(vec![(any, Expr::text(""))], None)
            }
            _ => return Ok(Some(joined)),
        };
        Ok(Some(Expr::function("coalesce", vec![joined, empty])))
    }

    /// `COUNT(t.*)` of Snowflake and Spark: the rows of which no column is NULL
    /// (<https://docs.snowflake.com/en/sql-reference/functions/count>).
    pub(super) fn plan_count_of_rows(&mut self, function: &'a ast::Function) -> Result<Option<Expr>> {
        let ast::FunctionArguments::List(list) = &function.args else { return Ok(None) };
        let [ast::FunctionArg::Unnamed(ast::FunctionArgExpr::QualifiedWildcard(name))] = list.args.as_slice()
        else {
            return Ok(None);
        };
        let counts = super::only_ident(&function.name).is_some_and(|n| n.value.eq_ignore_ascii_case("count"));
        let plain = function.over.is_none() && list.duplicate_treatment.is_none() && list.clauses.is_empty();
        let (true, true, Dialect::Snowflake | Dialect::Databricks) = (counts, plain, self.dialect) else {
            return Ok(None);
        };
        let tables = self.scopes.last().map(|s| s.tables.as_slice()).unwrap_or_default();
        let table = super::only_ident(name).and_then(|n| tables.iter().find(|t| self.same(&t.name, n)));
        let Some(table) = table else { return Ok(None) };
        let values = table.columns.iter().map(|c| c.own_value());
        let full: Vec<Expr> = values
            .filter(|e| super::types::info_of(e, &self.columns).nullable)
            .map(|e| e.is_null().not())
            .collect();
        let one = match full.is_empty() {
            true => Vec::new(),
            false => vec![Expr::case(vec![(Expr::and_all(full), Expr::integer(1))], None)],
        };
        let filter = self.plan_optional(function.filter.as_deref())?;
        let count = AggregateCall { func: AggFunc::Count, distinct: false, args: one, filter };
        self.add_aggregate(count, function.span()).map(Some)
    }

    /// `percentile_cont(0.5) WITHIN GROUP (ORDER BY x)`: an aggregate of the sandbox.
    pub(super) fn plan_ordered_set(&mut self, function: &'a ast::Function, call: Call<'a>) -> Result<Expr> {
        let allow = self.set_allow(|allow| {
            allow.aggregates = false;
            allow.windows = false;
        });
        let (name, args) = self.ordered_set(function, &call)?;
        let filter = self.plan_optional(call.filter)?;
        self.restore_allow(allow);
        let planned = AggregateCall { func: AggFunc::Other(name.into()), distinct: false, args, filter };
        self.add_aggregate(planned, function.span())
    }

    /// The sandbox's name for an aggregate of an order, and its arguments: the fraction and the value.
    ///
    /// `percentile_cont(f)` interpolates, so downwards it is `percentile_cont(1 - f)`. `percentile_disc`
    /// picks a row, and where `f` falls between two rows the two directions pick different ones: it has a
    /// function for each. Of equally frequent values `mode()` takes the first of the order; downwards it is
    /// refused.
    pub(super) fn ordered_set(
        &mut self,
        function: &'a ast::Function,
        call: &Call<'a>,
    ) -> Result<(&'static str, Vec<Expr>)> {
        let [key] = call.order_by else {
            return unsupported(format!("WITHIN GROUP of several keys in {}()", call.name), function.span());
        };
        if call.distinct || call.args.len() != usize::from(call.name != "mode") {
            return unsupported(format!("{}() with these arguments", call.name), function.span());
        }
        let mut args = self.plan_exprs(call.args.iter().copied())?;
        let value = self.plan_expr(&key.expr)?;
        let descending =
            super::order::sort_key(self.dialect, value.clone(), key)?.direction == Direction::Desc;
        let name = match (call.name.as_str(), descending) {
            ("mode", false) => "pg_mode",
            ("percentile_cont", false) => "pg_percentile_cont",
            ("percentile_cont", true) => {
                if let Some(fraction) = args.first_mut() {
                    let one = Expr::Literal(Value::Integer(1));
                    *fraction = Expr::binary(BinaryOp::Sub, one, fraction.clone());
                }
                "pg_percentile_cont"
            }
            ("percentile_disc", false) => "pg_percentile_disc",
            ("percentile_disc", true) => "pg_percentile_disc_desc",
            _ => {
                return unsupported(format!("WITHIN GROUP … DESC of {}()", call.name), function.span());
            }
        };
        args.push(value);
        Ok((name, args))
    }

    /// `string_agg(DISTINCT x, separator [ORDER BY x])`, which SQLite has no words for.
    ///
    /// `allow` is what the clause allows, which the caller narrowed for the arguments: it is restored here.
    /// PostgreSQL itself refuses DISTINCT with an order by anything but the argument. Without an order it gives the texts
    /// sorted, which nobody promises: the two are not one function.
    pub(super) fn plan_distinct_concatenation(
        &mut self,
        function: &'a ast::Function,
        call: &Call<'a>,
        mut args: Vec<Expr>,
        allow: Allow,
    ) -> Result<Expr> {
        // The comma that is SQLite's default was left out.
        if args.len() == 1 {
            args.push(Expr::text(","));
        }
        let mut name = "pg_string_agg_distinct";
        match call.order_by {
            [] => {}
            [key] => {
                let by = self.plan_expr(&key.expr)?;
                if args.first() != Some(&by) {
                    return unsupported(
                        "DISTINCT with an order by something else inside an aggregate",
                        function.span(),
                    );
                }
                name = match super::order::sort_key(self.dialect, by, key)?.direction {
                    Direction::Asc => "pg_string_agg_distinct_asc",
                    Direction::Desc => "pg_string_agg_distinct_desc",
                };
            }
            _ => {
                return unsupported("DISTINCT with several sort keys inside an aggregate", function.span());
            }
        }
        self.folded_arguments("group_concat", true, &mut args);
        let filter = self.plan_optional(call.filter)?;
        self.restore_allow(allow);
        let planned = AggregateCall { func: AggFunc::Other(name.into()), distinct: false, args, filter };
        self.add_aggregate(planned, function.span())
    }
}
