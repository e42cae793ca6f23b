#![doc = include_str!("../README.md")]
//!
//! - [`spider`]: gold files; [`predictions`]: prediction files, BIRD's among them
//! - [`pairs`]: pair files, the format that everything else exchanges
//! - [`rewrites`]: equivalent ways to write a query
//! - [`schemas`]: pairs over a schema that says the same in another way
//! - [`turned`]: a query turned against itself
//! - [`grammar`]: queries sampled over a schema
//! - [`examples`]: gold queries with what stands beside them, whatever the file
//! - [`composition`]: what a data set is made of
//! - [`configuration`]: configuration files, laid over the files that they extend
//! - [`mod@split`]: parts of a data set that have no group in common
//! - [`mod@build`]: labelled pairs from gold queries, predictions, neighbours and rewrites

pub mod bird;
pub mod build;
pub mod composition;
pub mod configuration;
mod error;
pub mod examples;
pub mod grammar;
pub mod io;
pub mod pairs;
pub mod paths;
pub mod predictions;
pub mod rewrites;
pub mod schemas;
pub mod spider;
pub mod split;
pub mod turned;
mod walk;

pub use error::CorpusError;
pub use pairs::Pair;
