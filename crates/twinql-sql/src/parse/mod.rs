//! From SQL text to sqlparser's AST, with the repairs that real predictions need.

mod dialect;
mod limits;
mod set_ops;

use std::fmt;

use sqlparser::ast::{Query, Statement};
use sqlparser::parser::Parser;
use sqlparser::tokenizer::Tokenizer;

pub use limits::{MAX_BYTES, MAX_OPERATORS, MAX_PARENTHESES, MAX_SET_OPERATORS};

use crate::error::SqlError;

/// A parsed query.
#[derive(Debug, Clone, PartialEq)]
pub struct Parsed {
    /// The AST, its set operators associated as SQLite does.
    pub query: Box<Query>,
    /// The text that was parsed: the input after the repairs.
    pub sql: String,
    /// What was repaired, in order.
    pub repairs: Vec<Repair>,
}

/// What was repaired in a text, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Repair {
    /// Text after the end of the query was cut off.
    Cut,
}

impl fmt::Display for Repair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("cut")
    }
}

/// Parses one query.
pub fn parse(sql: &str) -> Result<Parsed, SqlError> {
    limits::check_text(sql)?;
    let tokens = Tokenizer::new(&dialect::Sqlite, sql)
        .tokenize_with_location()
        .map_err(|e| SqlError::Parse {
            message: e.to_string(),
        })?;
    limits::check_tokens(&tokens)?;
    let statements = Parser::new(&dialect::Sqlite)
        .with_tokens_with_locations(tokens)
        .parse_statements()
        .map_err(|e| SqlError::Parse {
            message: e.to_string(),
        })?;
    let mut statements = statements.into_iter();
    match (statements.next(), statements.next()) {
        (Some(Statement::Query(mut query)), None) => {
            set_ops::associate_left(&mut query);
            Ok(Parsed {
                query,
                sql: sql.to_owned(),
                repairs: Vec::new(),
            })
        }
        (None, _) => Err(SqlError::NotAQuery {
            found: "no statement".into(),
        }),
        (Some(_), Some(_)) => Err(SqlError::NotAQuery {
            found: "several statements".into(),
        }),
        (Some(_), None) => Err(SqlError::NotAQuery {
            found: "a statement that is not a SELECT".into(),
        }),
    }
}
