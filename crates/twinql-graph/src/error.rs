//! Why a plan has no graph.

use thiserror::Error;

/// Why a plan did not become a graph. Only size and depth can fail: every operator of a
/// plan has a word.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum GraphError {
    /// More nodes than a graph may have.
    #[error("the query is too large for a graph: it needs more than {limit} nodes")]
    TooLarge {
        /// The most nodes a graph may have.
        limit: usize,
    },
    /// Expressions or subqueries nest deeper than the lowering follows them.
    #[error("the query nests too deep for a graph: more than {limit} levels")]
    TooDeep {
        /// The most levels that are followed.
        limit: usize,
    },
}
