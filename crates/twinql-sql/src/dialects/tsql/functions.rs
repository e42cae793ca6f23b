//! SQL Server's functions (<https://learn.microsoft.com/sql/t-sql/functions/functions>).

use crate::dialects::aggregates::{Aggregate, To as Over, aggregate};
use crate::dialects::functions::{Function, To, function};
use crate::expr::Expr;
use crate::plan::Planner;

/// Every function that is known here.
pub(super) const ALL: &[Function] = &[
    function("getdate", (0, 0), To::Call("current_timestamp")),
    // Blanks at the end do not count.
    function("len", (1, 1), To::Written(len)),
];

/// Every aggregate that others call otherwise.
pub(super) const AGGREGATES: &[Aggregate] = &[
    // <https://learn.microsoft.com/sql/t-sql/functions/count-big-transact-sql>
    aggregate("count_big", (0, 1), Over::Call("count")),
    // Of the sample and of the population: <https://learn.microsoft.com/sql/t-sql/functions/stdev-transact-sql>
    aggregate("stdev", (1, 1), Over::Call("pg_stddev_samp")),
    aggregate("stdevp", (1, 1), Over::Call("pg_stddev_pop")),
    aggregate("var", (1, 1), Over::Call("pg_var_samp")),
    aggregate("varp", (1, 1), Over::Call("pg_var_pop")),
];

/// `LEN(x)` → `length(rtrim(x))`.
fn len(_: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    Some(Expr::function("length", vec![Expr::function("rtrim", args.to_vec())]))
}
