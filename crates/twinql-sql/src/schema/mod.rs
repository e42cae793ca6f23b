//! Tables, columns, types and keys: everything the planner, the rules and the fuzzer
//! know about a database.

mod ddl;
mod error;
mod load;
mod names;
mod print;
mod scan;
pub mod spider;
mod sqlite;
mod types;

#[cfg(test)]
mod tests;

pub use ddl::{WithWarnings, read as read_ddl, read_in as read_ddl_in};
pub use error::{SchemaError, SchemaErrorKind};
pub use load::{load, load_in};
pub use names::{Found, NamePart};
pub(crate) use names::{case_hint, same_name};
pub use print::quote;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

/// SQLite's column affinity (<https://sqlite.org/datatype3.html>, section 3.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Affinity {
    /// Stored as text where possible.
    Text,
    /// Integers and reals, text that looks like a number is converted.
    Numeric,
    /// As numeric; reals without a fraction become integers.
    Integer,
    /// As numeric; integers become reals.
    Real,
    /// No conversion.
    Blob,
}

/// What kind of values people put in a column; finer than the affinity, and what the
/// fuzzer generates by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum TypeClass {
    /// Whole numbers.
    Integer,
    /// Numbers that may have a fraction. Spider's `number` says no more than this.
    Number,
    /// Text.
    Text,
    /// 0/1, or 'T'/'F' stored as text.
    Boolean,
    /// Dates, times and timestamps, stored as text.
    Time,
    /// Anything else.
    Other,
}

/// One column.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Column {
    /// The name as written in the schema; looked up without regard to ASCII case.
    pub name: String,
    /// The declared type as written (`VARCHAR(20)`), empty where none is declared.
    pub declared: String,
    /// What values the column holds.
    pub class: TypeClass,
    /// How SQLite stores and compares them.
    pub affinity: Affinity,
    /// NOT NULL is declared, or follows from being part of a primary key.
    pub not_null: bool,
}

/// A column of a table, by position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ColumnRef {
    /// Index into [`Schema::tables`].
    pub table: usize,
    /// Index into [`Table::columns`].
    pub column: usize,
}

/// A foreign key: `columns` of the table that owns it refer to `target_columns` of table `target`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ForeignKey {
    /// Column positions in the owning table.
    pub columns: Vec<usize>,
    /// Index into [`Schema::tables`].
    pub target: usize,
    /// Column positions in the target table, as many as `columns`.
    pub target_columns: Vec<usize>,
}

/// One table.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Table {
    /// The name as written in the schema; looked up without regard to ASCII case.
    pub name: String,
    /// The schema (in MySQL the database) that it lies in, where the DDL says one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<String>,
    /// Columns in declaration order.
    pub columns: Vec<Column>,
    /// Positions of the primary key's columns; empty where there is none. These columns
    /// together are unique, and each is not null.
    pub primary_key: Vec<usize>,
    /// Other sets of columns that are unique together (NULLs aside).
    pub unique: Vec<Vec<usize>>,
    /// Foreign keys that this table owns.
    pub foreign_keys: Vec<ForeignKey>,
}

impl Table {
    /// The position of the column with this name, ASCII case ignored.
    pub fn column_index(&self, name: &str) -> Option<usize> {
        self.columns
            .iter()
            .position(|c| c.name.eq_ignore_ascii_case(name))
    }

    /// True if `columns` contain a key of this table: the primary key, or a unique set
    /// whose columns are all NOT NULL.
    pub fn has_key_within(&self, columns: &[usize]) -> bool {
        let within = |key: &[usize]| !key.is_empty() && key.iter().all(|c| columns.contains(c));
        within(&self.primary_key)
            || self
                .unique
                .iter()
                .any(|key| within(key) && key.iter().all(|&c| self.columns[c].not_null))
    }
}

/// A database schema.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Schema {
    /// The database's id (`db_id` in Spider's files), or a file's stem.
    pub db_id: String,
    /// Tables in declaration order.
    pub tables: Vec<Table>,
    /// Names are those that PostgreSQL keeps: they are compared exactly.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub exact_names: bool,
}

impl Schema {
    /// The position of the table with this name, ASCII case ignored.
    pub fn table_index(&self, name: &str) -> Option<usize> {
        self.tables.iter().position(|t| t.name.eq_ignore_ascii_case(name))
    }

    /// The table with this name, ASCII case ignored.
    pub fn table(&self, name: &str) -> Option<&Table> {
        self.table_index(name).map(|i| &self.tables[i])
    }

    /// The column at `r`, if both positions exist.
    pub fn column(&self, r: ColumnRef) -> Option<&Column> {
        self.tables.get(r.table)?.columns.get(r.column)
    }
}

/// Schemas by `db_id`, in file order.
pub type SchemaSet = IndexMap<String, Schema>;
