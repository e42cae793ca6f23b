//! Graphs of plans, of SQL text and of syntax trees.

mod ast;
mod lower;
mod real;
mod sql;
