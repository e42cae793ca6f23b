//! Tables, columns, types and keys: everything the planner, the rules and the fuzzer
//! know about a database.

mod collation;
mod ddl;
mod error;
mod limits;
mod load;
mod names;
mod nested;
mod note;
mod paths;
mod print;
mod scan;
pub mod spider;
mod sqlite;
mod types;
mod verify;

#[cfg(test)]
mod tests;

pub use collation::Collation;
pub use ddl::{read as read_ddl, read_in as read_ddl_in};
pub use error::{SchemaError, SchemaErrorKind};
pub use limits::{Form, TypeLimits};
pub use load::{Loaded, load, load_each, load_in};
pub use names::{Found, NamePart};
pub(crate) use names::{by_name, case_hint, same_name};
pub use nested::Nested;
pub use note::{Note, NoteKind, not_read};
pub(crate) use paths::{Part, Rows, SUFFIX, Suffix};
pub use print::quote;
pub(crate) use types::is_document;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use crate::dialects::Dialect;

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
    /// NOT NULL is declared, or follows from being part of a primary key or from a CHECK.
    pub not_null: bool,
    /// The values that an enumerated type has; empty for other types.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<String>,
    /// The expression, as SQLite has it, that a generated column is computed by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generated: Option<String>,
    /// How its texts are compared, where the schema says it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub collation: Option<Collation>,
}

/// ClickHouse's types that hold values of the type in their parentheses.
pub(crate) const CONTAINERS: [&str; 2] = ["Nullable", "LowCardinality"];

impl Column {
    /// A column that may be NULL, of this declared type as `dialect` has it.
    pub fn new(name: impl Into<String>, declared: impl Into<String>, dialect: Dialect) -> Column {
        let mut declared = declared.into();
        // Oracle's DATE has a time of day
        // (<https://docs.oracle.com/en/database/oracle/oracle-database/19/sqlrf/Data-Types.html>).
        if dialect == Dialect::Oracle && declared.trim().eq_ignore_ascii_case("DATE") {
            "TIMESTAMP(0)".clone_into(&mut declared);
        }
        // ClickHouse's columns hold NULL only where they say so (<https://clickhouse.com/docs/en/sql-reference/data-types/nullable>).
        let mut not_null = dialect == Dialect::Clickhouse;
        while dialect == Dialect::Clickhouse
            && let Some((of, inner)) = declared.trim().strip_suffix(')').and_then(|d| d.split_once('('))
            && CONTAINERS.iter().any(|name| of.trim().eq_ignore_ascii_case(name))
        {
            not_null &= !of.trim().eq_ignore_ascii_case("nullable");
            declared = inner.trim().to_owned();
        }
        Column {
            name: name.into(),
            class: TypeClass::of_declared_in(&declared, dialect),
            affinity: Affinity::of_declared_in(&declared, dialect),
            not_null,
            declared,
            values: Vec::new(),
            generated: None,
            collation: None,
        }
    }
}

/// A CHECK of a table.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Check {
    /// The constraint's name, where it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The condition as SQLite has it; as written where SQLite cannot evaluate it.
    pub expr: String,
    /// The columns that it names.
    pub columns: Vec<usize>,
    /// SQLite can evaluate it, so generated rows meet it.
    pub enforced: bool,
}

/// A view: a query with a name.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct View {
    /// The name as written in the schema; looked up without regard to ASCII case.
    pub name: String,
    /// The names of its columns, where its definition lists them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<String>,
    /// Its query, as SQLite has it.
    pub query: String,
}

/// What a schema's declared types say of the values in its columns.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Typing {
    /// Nothing beyond their kind: the words of a `tables.json`.
    #[default]
    Loose,
    /// Lengths, scales and forms that people keep to although the system, SQLite, does not
    /// enforce them.
    Usual,
    /// Lengths, scales and forms that the system enforces.
    Enforced,
}

impl Typing {
    fn is_loose(&self) -> bool {
        *self == Typing::Loose
    }

    /// What types mean in this system.
    pub const fn of(dialect: Dialect) -> Typing {
        match dialect {
            Dialect::Sqlite => Typing::Usual,
            _ => Typing::Enforced,
        }
    }
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
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
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
    /// Its CHECKs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<Check>,
    /// The ends of the names of the tables that it stands for: BigQuery's `events_*`, whose column `_TABLE_SUFFIX` says which.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shards: Vec<String>,
}

impl Table {
    /// The position of the column with this name, ASCII case ignored.
    pub fn column_index(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|c| c.name.eq_ignore_ascii_case(name))
    }

    /// True if `columns` contain a key of this table: the primary key, or a unique set
    /// whose columns are all NOT NULL.
    pub fn has_key_within(&self, columns: &[usize]) -> bool {
        let within = |key: &[usize]| !key.is_empty() && key.iter().all(|c| columns.contains(c));
        within(&self.primary_key)
            || self.unique.iter().any(|key| within(key) && key.iter().all(|&c| self.columns[c].not_null))
    }
}

/// A database schema.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Schema {
    /// The database's id (`db_id` in Spider's files), or a file's stem.
    pub db_id: String,
    /// Tables in declaration order.
    pub tables: Vec<Table>,
    /// Names are those that PostgreSQL keeps: they are compared exactly.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub exact_names: bool,
    /// Views.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub views: Vec<View>,
    /// What declared types say of values.
    #[serde(default, skip_serializing_if = "Typing::is_loose")]
    pub typing: Typing,
    /// What was not read, where and why. No part of the schema: it is neither written nor
    /// compared.
    #[serde(skip)]
    pub notes: Vec<Note>,
}

impl PartialEq for Schema {
    fn eq(&self, other: &Schema) -> bool {
        let Schema { db_id, tables, views, typing, exact_names, notes: _ } = self;
        *db_id == other.db_id
            && *tables == other.tables
            && *views == other.views
            && *typing == other.typing
            && *exact_names == other.exact_names
    }
}

impl Eq for Schema {}

impl Schema {
    /// The position of the table with this name, ASCII case ignored.
    pub fn table_index(&self, name: &str) -> Option<usize> {
        self.tables.iter().position(|t| t.name.eq_ignore_ascii_case(name))
    }

    /// The table with this name, ASCII case ignored.
    pub fn table(&self, name: &str) -> Option<&Table> {
        self.table_index(name).map(|i| &self.tables[i])
    }

    /// The view with this name, ASCII case ignored.
    pub fn view(&self, name: &str) -> Option<&View> {
        self.views.iter().find(|v| v.name.eq_ignore_ascii_case(name))
    }

    /// True if a key's columns are compared by other rules than their bytes: equal values of a reference may then be
    /// written otherwise than those they refer to.
    pub fn is_collated(&self, table: usize, key: &ForeignKey) -> bool {
        let folds = |table, column: &usize| {
            let column = self.column(ColumnRef { table, column: *column });
            column.and_then(|c| c.collation).is_some_and(|c| c != Collation::Binary)
        };
        key.columns.iter().any(|c| folds(table, c)) || key.target_columns.iter().any(|c| folds(key.target, c))
    }

    /// The column at `r`, if both positions exist.
    pub fn column(&self, r: ColumnRef) -> Option<&Column> {
        self.tables.get(r.table)?.columns.get(r.column)
    }

    /// `table.column`; empty if there is no such column.
    pub fn name_of(&self, r: ColumnRef) -> String {
        match (self.tables.get(r.table), self.column(r)) {
            (Some(table), Some(column)) => format!("{}.{}", table.name, column.name),
            _ => String::new(),
        }
    }

    /// True if `from` refers to `to` as the only column of a foreign key.
    pub fn sole_reference(&self, from: ColumnRef, to: ColumnRef) -> bool {
        self.sole_references(from).any(|target| target == to)
    }

    /// The columns that `from` refers to as the only column of a foreign key, by their bytes.
    pub fn sole_references(&self, from: ColumnRef) -> impl Iterator<Item = ColumnRef> {
        let keys = self.tables.get(from.table).map_or(&[][..], |t| &t.foreign_keys);
        let refers =
            move |key: &&ForeignKey| key.columns == [from.column] && !self.is_collated(from.table, key);
        keys.iter().filter(refers).filter_map(|key| match key.target_columns.as_slice() {
            [column] => Some(ColumnRef { table: key.target, column: *column }),
            _ => None,
        })
    }
}

/// Schemas by `db_id`, in file order.
pub type SchemaSet = IndexMap<String, Schema>;
