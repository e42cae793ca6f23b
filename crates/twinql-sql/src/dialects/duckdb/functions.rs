//! DuckDB's functions (<https://duckdb.org/docs/stable/sql/functions/overview>).

use crate::dialects::Dialect;
use crate::dialects::aggregates::Aggregate;
use crate::dialects::functions::{Function, To, function};

/// Every function that is known here.
pub(super) const ALL: &[Function] = &[function("split_part", (3, 3), To::As(Dialect::Postgres))];

/// Every aggregate that others call otherwise.
pub(super) const AGGREGATES: &[Aggregate] = &[];
