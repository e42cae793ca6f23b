//! Oracle's functions (<https://docs.oracle.com/en/database/oracle/oracle-database/19/sqlrf/Functions.html>).

use crate::dialects::aggregates::{Aggregate, To as Over, aggregate, listagg, median};
use crate::dialects::functions::{Function, To, function};

/// Every function that is known here.
pub(super) const ALL: &[Function] = &[function("nvl", (2, 2), To::Call("coalesce"))];

/// Every aggregate that others call otherwise.
pub(super) const AGGREGATES: &[Aggregate] = &[
    // <https://docs.oracle.com/en/database/oracle/oracle-database/19/sqlrf/MEDIAN.html>
    aggregate("median", (1, 1), Over::Written(median)),
    // <https://docs.oracle.com/en/database/oracle/oracle-database/19/sqlrf/LISTAGG.html>
    aggregate("listagg", (1, 2), Over::Written(listagg)),
];
