//! The checks: each one small unit, with a query that it finds and one that only looks like it.

mod bare_columns;
mod booleans;
mod conditions;
mod constants;
mod counted;
mod divisions;
mod emptiness;
mod evidence;
mod extremes;
mod floats;
mod golds;
mod joins;
mod limits;
mod nulls;
mod orders;
mod outer_joins;
mod refused;
mod repeated;
mod scalars;
mod superfluous;
mod types;
mod windows;

use crate::check::Check;

pub(crate) use emptiness::NEVER_ANSWERED;
pub(crate) use golds::GOLDS_DIFFER;
pub(crate) use orders::ORDER_TIES;
pub(crate) use refused::{REFUSED, SYNTAX, refusal, remedy, word_from};

/// The schema of all examples.
pub const SHOP: &str = "\
CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT NOT NULL, city TEXT, age INTEGER, score REAL, weight TEXT);
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customer(id),
  total REAL NOT NULL, day DATE NOT NULL);
CREATE TABLE line (order_id INTEGER NOT NULL REFERENCES orders(id), product TEXT NOT NULL, amount INTEGER NOT NULL,
  PRIMARY KEY (order_id, product));
";

/// All checks, the worst first.
pub const CHECKS: &[Check] = &[
    refused::SYNTAX,
    refused::UNKNOWN_NAME,
    refused::AMBIGUOUS_NAME,
    refused::REFUSED,
    emptiness::CONTRADICTION,
    nulls::NULL_COMPARISON,
    emptiness::ALWAYS_EMPTY,
    emptiness::EMPTY_BY_ASSUMPTION,
    emptiness::NEVER_ANSWERED,
    constants::CONSTANT_COMPARISON,
    constants::STRING_FOR_COLUMN,
    limits::LIMIT_TIES,
    limits::LIMIT_WITHOUT_ORDER,
    bare_columns::BARE_COLUMN,
    bare_columns::BARE_BESIDE_EXTREME,
    orders::LIMIT_OF_ONE_ROW,
    scalars::SCALAR_OF_MANY,
    windows::WINDOW_TIES,
    windows::CONCATENATION_ORDER,
    types::TEXT_AS_NUMBER,
    types::TEXT_ORDER,
    types::NUMBER_AS_TEXT,
    divisions::INTEGER_DIVISION,
    booleans::MIXED_AND_OR,
    golds::GOLDS_DIFFER,
    evidence::EVIDENCE_UNUSED,
    extremes::EXTREME_FOR_WHICH,
    joins::JOIN_WITHOUT_CONDITION,
    joins::SELF_COMPARISON,
    joins::OTHER_JOIN_COLUMN,
    counted::COUNT_OF_EVERY_CASE,
    counted::COUNT_OF_REPEATED_KEY,
    repeated::SUM_OF_REPEATED_ROWS,
    repeated::AVERAGE_OF_REPEATED_ROWS,
    counted::GROUPS_OF_ONE_ROW,
    outer_joins::COUNT_OF_PADDING,
    emptiness::SAME_ARMS,
    nulls::NULLS_FIRST,
    nulls::NOT_IN_NULL,
    floats::FLOAT_EQUALITY,
    conditions::IMPLIED_CONDITION,
    outer_joins::OUTER_JOIN_UNDONE,
    superfluous::IDLE_DISTINCT,
    superfluous::IDLE_JOIN,
    orders::IDLE_ORDER,
    orders::ORDER_TIES,
    superfluous::REPEATED_OUTPUT,
];

/// The check with this name.
pub fn check(id: &str) -> Option<&'static Check> {
    CHECKS.iter().find(|c| c.id == id)
}
