//! Databricks's functions (<https://docs.databricks.com/en/sql/language-manual/sql-ref-functions-builtin.html>).

use crate::dialects::aggregates::Aggregate;
use crate::dialects::functions::{Function, To, function};

/// Every function that is known here.
pub(super) const ALL: &[Function] = &[function("nvl", (2, 2), To::Call("coalesce"))];

/// Every aggregate that others call otherwise.
pub(super) const AGGREGATES: &[Aggregate] = &[];
