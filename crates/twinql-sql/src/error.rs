//! Why a query has no plan.

use sqlparser::tokenizer::Span;
use thiserror::Error;

use crate::spans::TextRange;

/// Why SQL text did not become a canonical tree. The message names the construct and, where it is known, the line and
/// column at which it begins.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SqlError {
    /// Not SQL, even after the repairs.
    #[error("cannot parse: {message}{}", stopped(*.place))]
    Parse {
        /// What the parser met.
        message: String,
        /// Where it stopped.
        place: Option<TextRange>,
    },
    /// SQL that is not one query (a DELETE, two statements, nothing at all).
    #[error("not a single query: {found}")]
    NotAQuery {
        /// What stands there instead.
        found: String,
    },
    /// A table that the schema does not have.
    #[error("no table named {name:?}{}", at(*.place))]
    UnknownTable {
        /// The name as written.
        name: String,
        /// Where it stands.
        place: Option<TextRange>,
    },
    /// A column that no table in scope has.
    #[error("no column named {name:?} in scope{}", at(*.place))]
    UnknownColumn {
        /// The name as written, with its qualifier.
        name: String,
        /// Where it stands.
        place: Option<TextRange>,
    },
    /// A name that two tables in scope have.
    #[error("column name {name:?} is ambiguous{}", at(*.place))]
    AmbiguousColumn {
        /// The name as written.
        name: String,
        /// Where it stands.
        place: Option<TextRange>,
    },
    /// SQL that SQLite refuses for another reason (a wrong number of columns or arguments).
    #[error("invalid query: {message}{}", at(*.place))]
    Invalid {
        /// What is wrong.
        message: String,
        /// Where it stands.
        place: Option<TextRange>,
    },
    /// Valid SQL that the planner does not know.
    #[error("unsupported: {construct}{}", at(*.place))]
    Unsupported {
        /// The construct.
        construct: String,
        /// Where it stands.
        place: Option<TextRange>,
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

impl SqlError {
    /// Where in the text it is, if that is known.
    pub fn place(&self) -> Option<TextRange> {
        match self {
            SqlError::Parse { place, .. }
            | SqlError::UnknownTable { place, .. }
            | SqlError::UnknownColumn { place, .. }
            | SqlError::AmbiguousColumn { place, .. }
            | SqlError::Invalid { place, .. }
            | SqlError::Unsupported { place, .. } => *place,
            SqlError::NotAQuery { .. } | SqlError::TooLarge { .. } => None,
        }
    }
}

/// Where a name or construct stands, for a message.
fn at(place: Option<TextRange>) -> String {
    place.map_or_else(String::new, |at| format!(" at line {}, column {}", at.line, at.column))
}

/// Where the parser stopped, in sqlparser's own words.
fn stopped(place: Option<TextRange>) -> String {
    place.map_or_else(String::new, |at| format!(" at Line: {}, Column: {}", at.line, at.column))
}

/// Refuses what is valid and not known.
pub(crate) fn unsupported<T>(construct: impl Into<String>, span: Span) -> Result<T> {
    Err(SqlError::Unsupported { construct: construct.into(), place: TextRange::of(span) })
}

/// Refuses what is no query.
pub(crate) fn invalid<T>(message: impl Into<String>, span: Span) -> Result<T> {
    Err(SqlError::Invalid { message: message.into(), place: TextRange::of(span) })
}
