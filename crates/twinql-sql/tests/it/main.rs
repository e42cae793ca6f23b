//! The tests of this crate from outside, in one binary: linking one for each subject takes minutes.
//!
//! Run one of them by its name: `cargo test -p twinql-sql --test it prove::`. Tests over real data need `TWINQL_DATA`
//! and are skipped without it.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod benchmarks;
mod clauses;
mod common;
mod derived_order;
mod dialect_constructs;
mod dialects;
mod explain;
mod hostile;
mod kinds;
mod pairs;
mod prove;
mod real_data;
mod regularities;
mod round_trip;
mod rules;
mod schema_order;
mod vacuous;
mod wrong_clauses;
