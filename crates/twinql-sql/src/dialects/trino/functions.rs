//! Trino's functions (<https://trino.io/docs/current/functions/list.html>).

use crate::dialects::aggregates::Aggregate;
use crate::dialects::functions::{Function, To, function};

/// Every function that is known here.
pub(super) const ALL: &[Function] = &[function("strpos", (2, 2), To::Call("instr"))];

/// Every aggregate that others call otherwise.
pub(super) const AGGREGATES: &[Aggregate] = &[];
