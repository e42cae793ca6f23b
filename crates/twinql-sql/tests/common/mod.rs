//! Random databases and comparison of answers, for tests.
#![allow(
    dead_code,
    unused_imports,
    missing_docs,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic
)]

mod answers;
mod databases;
pub mod examples;
mod plans;

pub use answers::{Answer, Outcome, Trial, answer, compare};
pub use databases::{Kind, Random, constants, database, meets, rows};
pub use plans::{ordered, reduced, shaken, unlimited};
