//! Snowflake's functions (<https://docs.snowflake.com/en/sql-reference/functions-all>).

use crate::dialects::aggregates::Aggregate;
use crate::dialects::functions::{Function, To, function};

/// Every function that is known here.
pub(super) const ALL: &[Function] =
    &[function("iff", (3, 3), To::Call("iif")), function("nvl", (2, 2), To::Call("coalesce"))];

/// Every aggregate that others call otherwise.
pub(super) const AGGREGATES: &[Aggregate] = &[];
