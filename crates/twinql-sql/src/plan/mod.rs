//! From sqlparser's AST to a resolved, typed tree, with SQLite's semantics.

use crate::rel::{Columns, Query};

/// A planned query with what is known of its columns.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// The tree and its outputs.
    pub query: Query,
    /// Facts of every column id that occurs in `query`.
    pub columns: Columns,
}
