//! Redshift's functions (<https://docs.aws.amazon.com/redshift/latest/dg/c_SQL_functions.html>).

use crate::dialects::Dialect;
use crate::dialects::aggregates::Aggregate;
use crate::dialects::functions::{Function, To, timed};

/// Every function that is known here.
pub(super) const ALL: &[Function] = &[timed("date_part", (2, 2), 0, To::As(Dialect::Postgres))];

/// Every aggregate that others call otherwise.
pub(super) const AGGREGATES: &[Aggregate] = &[];
