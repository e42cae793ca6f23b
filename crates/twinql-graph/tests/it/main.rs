//! Graphs of plans, of SQL text and of syntax trees.
#![allow(clippy::unwrap_used)]

mod ast;
mod lower;
mod real;
mod sql;
