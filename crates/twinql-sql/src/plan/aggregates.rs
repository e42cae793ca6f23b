//! Aggregates of PostgreSQL and MySQL by the names that the sandbox has for them.
//!
//! SQLite has neither WITHIN GROUP nor a separator beside DISTINCT. The sandbox has functions for both,
//! without an order among their arguments: what the order says is in the function's name.

use sqlparser::ast::{self, Spanned};

use super::functions::Call;
use super::sight::Allow;
use super::{Planner, Result, unsupported};
use crate::expr::{AggFunc, AggregateCall, BinaryOp, Expr};
use crate::rel::Direction;
use crate::value::Value;

impl<'a> Planner<'a> {
    /// `percentile_cont(0.5) WITHIN GROUP (ORDER BY x)`: the fraction and the value are its
    /// arguments.
    ///
    /// `percentile_cont(f)` interpolates, so downwards it is `percentile_cont(1 - f)`. `percentile_disc`
    /// picks a row, and where `f` falls between two rows the two directions pick different ones: it has a
    /// function for each. Of equally frequent values `mode()` takes the first of the order; downwards it is
    /// refused.
    pub(super) fn plan_ordered_set(&mut self, function: &'a ast::Function, call: Call<'a>) -> Result<Expr> {
        let [key] = call.order_by else {
            return unsupported(format!("WITHIN GROUP of several keys in {}()", call.name), function.span());
        };
        if call.distinct || call.args.len() != usize::from(call.name != "mode") {
            return unsupported(format!("{}() with these arguments", call.name), function.span());
        }
        let allow = self.set_allow(|allow| {
            allow.aggregates = false;
            allow.windows = false;
        });
        let filter = call.filter;
        let mut args = self.plan_exprs(call.args)?;
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
        let filter = self.plan_optional(filter)?;
        self.restore_allow(allow);
        let planned = AggregateCall { func: AggFunc::Other(name.into()), distinct: false, args, filter };
        self.add_aggregate(planned, function.span())
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
