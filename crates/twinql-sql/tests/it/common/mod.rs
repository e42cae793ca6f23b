//! Random databases and comparison of answers, for tests.
#![allow(unreachable_pub)]

mod answers;
mod databases;
pub mod examples;
mod plans;
pub mod real;

pub use answers::{Outcome, Trial, compare};
pub use databases::Kind;
pub use plans::{ordered, reduced, shaken, unlimited};
