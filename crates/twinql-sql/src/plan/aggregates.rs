//! Aggregates of other systems than SQLite by the names that the sandbox has for them.
//!
//! SQLite has neither WITHIN GROUP nor a separator beside DISTINCT. The sandbox has functions for both,
//! without an order among their arguments: what the order says is in the function's name.

use sqlparser::ast::{self, Spanned};

use super::functions::Call;
use super::sight::Allow;
use super::{Planner, Result, invalid, unsupported};
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
        row: &Aggregate,
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
    fn words_for(&self, row: &Aggregate, args: Vec<Expr>) -> (AggFunc, Words) {
        let words = match row.to {
            To::Call(name) => Some(Words::new(name, args.clone())),
            To::Written(words) => words(self, &args),
        };
        match words {
            Some(words) => {
                let known = function::aggregate(words.name).and_then(|known| known.func.clone());
                (known.unwrap_or_else(|| AggFunc::Other(words.name.to_owned())), words)
            }
            None => (AggFunc::Other(format!("{}_{}", self.dialect, row.name)), Words::new(row.name, args)),
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
