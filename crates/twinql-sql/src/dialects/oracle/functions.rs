//! Oracle's functions (<https://docs.oracle.com/en/database/oracle/oracle-database/19/sqlrf/Functions.html>).

use crate::dialects::functions::{Function, To, function};

/// Every function that is known here.
pub(super) const ALL: &[Function] = &[function("nvl", (2, 2), To::Call("coalesce"))];
