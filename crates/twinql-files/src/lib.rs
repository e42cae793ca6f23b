#![doc = include_str!("../README.md")]
//!
//! - [`Whole`], [`write_whole`]: a file that takes its name once everything is in it; devices and
//!   pipes are written to as they are
//! - [`Inputs`]: what a command reads, which no output of it may be
//! - [`Lines`], [`read_bounded`]: lines and files no longer than they may be
//! - [`table_rows`]: the rows of a table as text
//! - [`resume`]: the finished work of a build that was interrupted
//! - [`Scratch`]: a temporary folder
//! - [`Lock`]: one process at a time
//! - [`Fingerprint`], [`hex`]: digests that every machine and release agrees on

mod destination;
mod digest;
mod error;
mod inputs;
mod lines;
mod lock;
pub mod resume;
mod scratch;
mod table;
mod whole;

pub use destination::Destination;
pub use digest::{Fingerprint, hex, sha256};
pub use error::FileError;
pub use inputs::Inputs;
pub use lines::{LONGEST_LINE, Line, Lines, NoText, is_gzip, read_bounded};
pub use lock::Lock;
pub use scratch::Scratch;
pub use table::{UnclosedQuote, table_rows};
pub use whole::{Whole, remove_temporaries, write_whole};
