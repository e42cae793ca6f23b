//! Why a query has no plan.

use sqlparser::tokenizer::Span;
use thiserror::Error;

/// Why SQL text did not become a canonical tree. The message names the construct and,
/// where it is known, its place (line and column, both from 1).
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SqlError {
    /// Not SQL, even after the repairs.
    #[error("cannot parse: {message}")]
    Parse {
        /// What the parser met, with its place.
        message: String,
    },
    /// SQL that is not one query (a DELETE, two statements, nothing at all).
    #[error("not a single query: {found}")]
    NotAQuery {
        /// What stands there instead.
        found: String,
    },
    /// A table that the schema does not have.
    #[error("no table named {name:?}{place}")]
    UnknownTable {
        /// The name as written.
        name: String,
        /// ` at line L, column C`, or empty.
        place: String,
    },
    /// A column that no table in scope has.
    #[error("no column named {name:?} in scope{place}")]
    UnknownColumn {
        /// The name as written, with its qualifier.
        name: String,
        /// ` at line L, column C`, or empty.
        place: String,
    },
    /// A name that two tables in scope have.
    #[error("column name {name:?} is ambiguous{place}")]
    AmbiguousColumn {
        /// The name as written.
        name: String,
        /// ` at line L, column C`, or empty.
        place: String,
    },
    /// SQL that SQLite refuses for another reason (a wrong number of columns or arguments).
    #[error("invalid query: {message}{place}")]
    Invalid {
        /// What is wrong.
        message: String,
        /// ` at line L, column C`, or empty.
        place: String,
    },
    /// Valid SQL that the planner does not know.
    #[error("unsupported: {construct}{place}")]
    Unsupported {
        /// The construct.
        construct: String,
        /// ` at line L, column C`, or empty.
        place: String,
    },
    /// Larger than a stated limit.
    #[error("too large: {what} is {found}, the limit is {limit}")]
    TooLarge {
        /// Bytes, nesting depth, tokens.
        what: &'static str,
        /// What was found.
        found: usize,
        /// What is allowed.
        limit: usize,
    },
}

/// What a plan holds that SQLite has no words for.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("cannot be written as SQL for SQLite: {what}")]
pub struct PrintError {
    /// The construct.
    pub what: String,
}

/// What parsing and planning give.
pub(crate) type Result<T> = std::result::Result<T, SqlError>;

/// ` at line L, column C`, or nothing where the place is not known.
pub(crate) fn place(span: Span) -> String {
    if span.start.line == 0 {
        String::new()
    } else {
        format!(" at line {}, column {}", span.start.line, span.start.column)
    }
}

/// Refuses what is valid and not known.
pub(crate) fn unsupported<T>(construct: impl Into<String>, span: Span) -> Result<T> {
    Err(SqlError::Unsupported { construct: construct.into(), place: place(span) })
}

/// Refuses what is no query.
pub(crate) fn invalid<T>(message: impl Into<String>, span: Span) -> Result<T> {
    Err(SqlError::Invalid { message: message.into(), place: place(span) })
}
