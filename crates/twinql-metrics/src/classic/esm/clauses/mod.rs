//! The clauses of a parsed query, and how they are compared.

mod build;
mod canonical;
mod expr;
mod scope;
mod tree;

pub(super) use build::{TooLarge, build};
pub(super) use canonical::{Labels, Writer};
pub(super) use expr::canonical_number;
pub(super) use tree::{Block, Body, Item, Key, Op, Piece, Query, SetOp, Source, Term};
