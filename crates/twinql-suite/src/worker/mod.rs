//! Judging in another process, so that whatever a text does to it costs one pair.
//!
//! What a thread can hold back, the sandbox holds back: steps, rows, bytes, SQLite's memory.
//! A thread cannot be ended while it is inside one long call, cannot be bounded in the memory
//! that parsing takes, and takes the whole process along if its stack runs out. A worker is
//! a process that answers one request after another, one JSON value a line on its standard
//! input and output. If it dies or goes beyond its time, the pair it was at has the verdict
//! `timeout`, and a new one goes on with the next pair.

mod crew;
pub(crate) mod rows;
mod serve;
mod wire;

pub use crew::{Crew, Program};
pub use serve::{greet, serve};

/// What a worker says before anything else: a process that ends without having said it never was one,
/// and no pair is to blame.
pub(crate) const GREETING: &str = "twinql worker";

/// What stands in the notes of a pair whose worker did not answer.
pub(crate) const LOST: &str = "the process that judged this pair died or was stopped";
