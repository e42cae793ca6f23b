//! Files of this field in and out, and labelled pairs made from them.
//!
//! - [`spider`], [`bird`]: gold and prediction files
//! - [`pairs`]: pair files, the format that everything else exchanges

pub mod bird;
mod error;
pub mod io;
pub mod pairs;
pub mod spider;

pub use error::CorpusError;
pub use pairs::Pair;
