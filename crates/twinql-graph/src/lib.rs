//! A canonical relational operator tree as a heterogeneous program graph, and what is
//! computed on graphs.

pub mod arrays;

pub use arrays::{GraphArrays, PairArrays};
