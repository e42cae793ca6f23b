//! BigQuery's functions (<https://cloud.google.com/bigquery/docs/reference/standard-sql/functions-all>).

use crate::dialects::functions::{Function, To, function};

/// Every function that is known here.
pub(super) const ALL: &[Function] = &[function("char_length", (1, 1), To::Call("length"))];
