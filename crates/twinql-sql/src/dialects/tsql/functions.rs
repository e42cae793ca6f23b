//! SQL Server's functions (<https://learn.microsoft.com/sql/t-sql/functions/functions>).

use crate::dialects::functions::{Function, To, function};
use crate::expr::Expr;
use crate::plan::Planner;

/// Every function that is known here.
pub(super) const ALL: &[Function] = &[
    function("getdate", (0, 0), To::Call("current_timestamp")),
    // Blanks at the end do not count.
    function("len", (1, 1), To::Written(len)),
];

/// `LEN(x)` → `length(rtrim(x))`.
fn len(_: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    Some(Expr::function("length", vec![Expr::function("rtrim", args.to_vec())]))
}
