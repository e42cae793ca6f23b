//! The forward pass in plain Rust, with all that a backward pass needs of it.
//!
//! Pairs run in parallel on rayon; each is computed by itself and sums run in input order, so distances depend neither on
//! the number of threads nor on the other pairs of a batch.

pub mod batch;
pub mod math;
pub mod pair;
pub mod text;
