//! Databricks's functions (<https://docs.databricks.com/en/sql/language-manual/sql-ref-functions-builtin.html>).

use crate::dialects::functions::{Function, To, function};

/// Every function that is known here.
pub(super) const ALL: &[Function] = &[function("nvl", (2, 2), To::Call("coalesce"))];
