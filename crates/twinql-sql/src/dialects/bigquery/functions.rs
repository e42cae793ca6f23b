//! BigQuery's functions (<https://cloud.google.com/bigquery/docs/reference/standard-sql/functions-all>).

use crate::dialects::aggregates::{Aggregate, To as Over, aggregate, count_if};
use crate::dialects::functions::{Function, To, function};

/// Every function that is known here.
pub(super) const ALL: &[Function] = &[function("char_length", (1, 1), To::Call("length"))];

/// Every aggregate that others call otherwise.
pub(super) const AGGREGATES: &[Aggregate] = &[
    // <https://cloud.google.com/bigquery/docs/reference/standard-sql/aggregate_functions#countif>
    aggregate("countif", (1, 1), Over::Written(count_if)),
];
