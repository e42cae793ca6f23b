#![doc = include_str!("../README.md")]
//!
//! The approach is that of test-suite accuracy (Zhong, Yu and Klein, EMNLP 2020): two
//! queries are taken to be the same if no database of a well-chosen suite tells them apart.

pub mod bird;
mod bout;
mod check;
mod clock;
pub mod compare;
mod confine;
mod constraints;
pub mod database;
mod dice;
pub mod distil;
pub mod engines;
pub mod execute;
pub mod facts;
pub mod files;
mod functions;
pub mod generate;
#[cfg(test)]
mod hostile;
mod judge;
mod lexical;
mod limits;
pub mod neighbours;
pub mod order;
mod permitted;
pub mod plausible;
pub mod profile;
#[cfg(test)]
mod properties;
pub mod soundness;
pub mod suite;

#[cfg(test)]
mod refused;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod text;
mod timing;
pub mod truth;
mod views;
pub mod worker;

pub use bout::{Side, Verdict as VerdictBy};
pub use check::Broken;
pub use database::Database;
pub use dice::Dice;
pub use execute::{ExecError, Limits, Sandbox, unknown_function};
pub use files::{FileConfig, FileJudge, FileVerdict, Files, Ties};
pub use judge::{
    Ease, Expectation, Judge, JudgeConfig, Plausibility, Reason, Report, Shown, Verdict, Witness, judge,
};
pub use lexical::{outermost_order, without_distinct};
pub use limits::HEAP_BYTES;
pub use neighbours::{Neighbour, neighbours, neighbours_in};
pub use suite::{Suite, SuiteError};

pub use twinql_files::resume;
pub use twinql_sql::Semantics;
