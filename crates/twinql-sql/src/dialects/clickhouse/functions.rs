//! ClickHouse's functions (<https://clickhouse.com/docs/sql-reference/functions>).

use crate::dialects::aggregates::Aggregate;
use crate::dialects::functions::{Function, To, function};

/// Every function that is known here.
pub(super) const ALL: &[Function] = &[function("ifnull", (2, 2), To::Call("coalesce"))];

/// Every aggregate that others call otherwise.
pub(super) const AGGREGATES: &[Aggregate] = &[];
