//! Why a schema cannot be read.

use std::fmt;

use thiserror::Error;

/// Why a schema cannot be read: which file, where in it, what is wrong, and what helps.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub struct SchemaError {
    /// The file, or `schema NAME` where the text came from elsewhere.
    pub file: String,
    /// The place in it (`line 3`, `byte 17`, `database "world_1"`), or empty.
    pub place: String,
    /// What is wrong.
    pub kind: SchemaErrorKind,
}

/// What is wrong with a schema.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum SchemaErrorKind {
    /// The file cannot be opened or read.
    Io(String),
    /// The bytes are not UTF-8.
    NotUtf8,
    /// Nothing stands in the file.
    Empty,
    /// No CREATE TABLE was found.
    NoTables,
    /// Neither `.json`, `.sql`, `.sqlite`, `.db` nor a folder of them.
    UnknownKind,
    /// Not the JSON that Spider and BIRD use.
    Json(String),
    /// A CREATE statement that cannot be read.
    Syntax(String),
    /// Two databases, tables or columns of one name.
    Duplicate {
        /// `database`, `table` or `column`.
        what: &'static str,
        /// The name, as written the second time.
        name: String,
    },
    /// A table without columns.
    NoColumns(String),
    /// A column that a key names and the table does not have.
    UnknownColumn {
        /// The table.
        table: String,
        /// The column as written in the key.
        column: String,
    },
    /// A number that should point at a table or column, and does not.
    BadIndex {
        /// Where the number stands.
        what: &'static str,
        /// The number.
        index: i64,
    },
    /// SQLite refuses the file.
    Sqlite(String),
}

impl SchemaError {
    pub(crate) fn new(file: impl Into<String>, place: impl Into<String>, kind: SchemaErrorKind) -> Self {
        SchemaError { file: file.into(), place: place.into(), kind }
    }

    /// The same error, said of another file.
    #[must_use]
    pub fn in_file(mut self, file: impl Into<String>) -> Self {
        self.file = file.into();
        self
    }
}

impl fmt::Display for SchemaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file)?;
        if !self.place.is_empty() {
            write!(f, ", {}", self.place)?;
        }
        write!(f, ": {}", self.kind)
    }
}

impl fmt::Display for SchemaErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use SchemaErrorKind::*;
        match self {
            Io(message) => write!(f, "cannot read it ({message}); check the path and its permissions"),
            NotUtf8 => write!(f, "not UTF-8; convert the file (iconv -t UTF-8)"),
            Empty => write!(f, "the file is empty; give a tables.json, DDL text or a SQLite file"),
            NoTables => write!(f, "no CREATE TABLE found; give DDL text with at least one table"),
            UnknownKind => write!(
                f,
                "unknown kind of schema; give .json (tables.json), .sql, .sqlite, .db or a folder of them"
            ),
            Json(message) => write!(f, "not a Spider or BIRD tables.json: {message}"),
            Syntax(message) => write!(f, "cannot read CREATE statement: {message}"),
            Duplicate { what, name } => {
                write!(f, "{what} {name:?} is defined twice (names ignore case); rename or remove one")
            }
            NoColumns(table) => write!(f, "table {table:?} has no columns; declare at least one"),
            UnknownColumn { table, column } => write!(
                f,
                "a key of table {table:?} names column {column:?}, which the table does not have; fix the key"
            ),
            BadIndex { what, index } => {
                write!(f, "{what} holds {index}, which points at nothing; fix the index")
            }
            Sqlite(message) => write!(f, "SQLite cannot read it: {message}"),
        }
    }
}
