#![doc = include_str!("../README.md")]
//!
//! - [`spider`], [`bird`]: gold and prediction files
//! - [`pairs`]: pair files, the format that everything else exchanges
//! - [`rewrites`]: equivalent ways to write a query
//! - [`schemas`]: pairs over a schema that says the same in another way
//! - [`grammar`]: queries sampled over a schema
//! - [`plug`]: the gold's values in the places of a prediction
//! - [`mod@build`]: labelled pairs from gold queries, predictions, neighbours and rewrites

pub mod bird;
pub mod build;
mod error;
pub mod grammar;
pub mod io;
pub mod pairs;
pub mod paths;
pub mod plug;
pub mod rewrites;
pub mod schemas;
pub mod spider;

pub use error::CorpusError;
pub use pairs::Pair;
