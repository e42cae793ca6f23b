//! A generated database: rows for some of a schema's tables, its SQL text, and the check
//! that it meets what a [`Semantics`] assumes.

use std::collections::HashSet;
use std::fmt::Write;
use std::ops::Range;

use twinql_sql::{Affinity, Column, Schema, Semantics, TypeClass, Value};

use crate::constraints::Constraints;
use crate::facts::number;

/// A row, one value for each column of its table.
pub type Row = Vec<Value>;

/// Rows by table. Tables that play no part in the queries may be missing (`None`).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Database {
    /// Rows of each of the schema's tables, in insertion order.
    pub tables: Vec<Option<Vec<Row>>>,
}

/// The form in which SQLite would store `value` in a column of this affinity.
pub fn store(value: Value, affinity: Affinity) -> Value {
    match (affinity, value) {
        (Affinity::Text, Value::Integer(i)) => Value::Text(i.to_string()),
        (Affinity::Text, Value::Real(r)) => Value::Text(format!("{:?}", r.0)),
        (Affinity::Numeric | Affinity::Integer | Affinity::Real, Value::Text(s)) => match number(s.trim()) {
            Some(n) => store(n, affinity),
            None => Value::Text(s),
        },
        (Affinity::Real, Value::Integer(i)) => Value::Real((i as f64).into()),
        (Affinity::Integer | Affinity::Numeric, Value::Real(r)) if r.0.fract() == 0.0 && r.0.abs() < 9e15 => {
            Value::Integer(r.0 as i64)
        }
        (_, v) => v,
    }
}

/// A form in which two values are equal if any comparison of SQLite could take them for
/// equal: '1', '01', 1 and 1.0 are one, so keys stay keys whatever they are joined with.
pub(crate) fn key_form(value: &Value) -> Value {
    match value {
        Value::Integer(i) => Value::Real((*i as f64).into()),
        Value::Text(s) => match number(s.trim()) {
            Some(n) => key_form(&n),
            None => value.clone(),
        },
        other => other.clone(),
    }
}

/// An SQL literal.
pub(crate) fn literal(value: &Value) -> String {
    match value {
        Value::Null => "NULL".into(),
        Value::Integer(i) => i.to_string(),
        Value::Real(r) => format!("{:?}", r.0),
        Value::Text(s) => format!("'{}'", s.replace('\'', "''")),
        Value::Blob(bytes) => {
            let mut out = String::from("x'");
            for b in bytes {
                let _ = write!(out, "{b:02x}");
            }
            out.push('\'');
            out
        }
    }
}

/// A quoted identifier.
pub(crate) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

pub(crate) fn affinity_type(affinity: Affinity) -> &'static str {
    match affinity {
        Affinity::Text => "TEXT",
        Affinity::Numeric => "NUMERIC",
        Affinity::Integer => "INT",
        Affinity::Real => "REAL",
        Affinity::Blob => "BLOB",
    }
}

/// `CREATE TABLE` with names and affinities alone: constraints are met by construction,
/// and without indexes rows are cheap to insert and come out in insertion order.
pub(crate) fn create_table(schema: &Schema, table: usize) -> Option<String> {
    let table = schema.tables.get(table)?;
    let columns: Vec<String> =
        table.columns.iter().map(|c| format!("{} {}", quoted(&c.name), affinity_type(c.affinity))).collect();
    if columns.is_empty() {
        return None;
    }
    Some(format!("CREATE TABLE {} ({})", quoted(&table.name), columns.join(", ")))
}

impl Database {
    /// The rows of a table; none where it plays no part.
    pub fn rows(&self, table: usize) -> &[Row] {
        self.tables.get(table).and_then(|t| t.as_deref()).unwrap_or(&[])
    }

    /// Rows in all tables together.
    pub fn len(&self) -> usize {
        self.tables.iter().flatten().map(Vec::len).sum()
    }

    /// True if there is no row at all.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The database without these rows of a table.
    pub(crate) fn without_rows(&self, table: usize, rows: Range<usize>) -> Database {
        let mut smaller = self.clone();
        if let Some(Some(kept)) = smaller.tables.get_mut(table) {
            kept.drain(rows);
        }
        smaller
    }

    /// CREATE and INSERT statements that make this database.
    pub fn to_sql(&self, schema: &Schema) -> String {
        let mut out = String::new();
        for (index, rows) in self.tables.iter().enumerate() {
            let (Some(rows), Some(create)) = (rows, create_table(schema, index)) else {
                continue;
            };
            let _ = writeln!(out, "{create};");
            let Some(table) = schema.tables.get(index) else {
                continue;
            };
            for row in rows {
                let values: Vec<String> = row.iter().map(literal).collect();
                let _ = writeln!(out, "INSERT INTO {} VALUES ({});", quoted(&table.name), values.join(", "));
            }
        }
        for view in crate::views::over(schema, |t| matches!(self.tables.get(t), Some(Some(_)))) {
            let _ = writeln!(out, "{};", view.create());
        }
        out
    }

    /// Checks the assumptions of `semantics`: keys, NOT NULL, foreign keys, empty tables, the
    /// limits of types, CHECKs, and that generated columns hold what they are computed to.
    ///
    /// # Errors
    /// Says which assumption is broken, and where.
    pub fn check(&self, schema: &Schema, semantics: &Semantics) -> Result<(), Broken> {
        let tables: Vec<usize> = (0..self.tables.len()).filter(|&t| !self.rows(t).is_empty()).collect();
        // Which texts queries let into a column of SQLite is not known here.
        let constraints = Constraints::of(schema, semantics, &tables, |_| true);
        self.check_under(schema, semantics, &constraints)
    }

    /// As [`Database::check`], with the constraints on its tables.
    pub(crate) fn check_under(
        &self,
        schema: &Schema,
        semantics: &Semantics,
        constraints: &Constraints,
    ) -> Result<(), Broken> {
        let constraints = constraints.open();
        for (index, rows) in self.tables.iter().enumerate() {
            let (Some(rows), Some(table)) = (rows, schema.tables.get(index)) else {
                continue;
            };
            if rows.is_empty() && !semantics.empty_tables && !table.columns.is_empty() {
                return Err(Broken::Empty(table.name.clone()));
            }
            for (i, column) in table.columns.iter().enumerate() {
                let may_be_null = semantics.nulls && (!column.not_null || !semantics.keys_hold);
                if !may_be_null && rows.iter().any(|r| r.get(i) == Some(&Value::Null)) {
                    return Err(Broken::Null(table.name.clone(), column.name.clone()));
                }
                if semantics.typed && !rows.iter().filter_map(|r| r.get(i)).all(|v| has_type(column, v)) {
                    return Err(Broken::Type(table.name.clone(), column.name.clone()));
                }
            }
            if constraints.bind(index) {
                for row in rows {
                    let mut computed = row.clone();
                    if !constraints.meets(index, &mut computed) {
                        return Err(Broken::Check(table.name.clone()));
                    }
                    if computed != *row {
                        return Err(Broken::Generated(table.name.clone()));
                    }
                }
            }
            if semantics.keys_hold {
                for key in keys(table) {
                    let mut seen = HashSet::with_capacity(rows.len());
                    for row in rows {
                        let tuple = project(row, key);
                        if !tuple.contains(&Value::Null) && !seen.insert(tuple) {
                            return Err(Broken::Key(table.name.clone()));
                        }
                    }
                }
            }
            if semantics.foreign_keys_hold {
                for fk in &table.foreign_keys {
                    let targets: HashSet<Vec<Value>> =
                        self.rows(fk.target).iter().map(|r| project(r, &fk.target_columns)).collect();
                    // NULL refers to nothing; whether it may stand there was checked above.
                    let dangles = |r: &Row| {
                        let key = project(r, &fk.columns);
                        !key.contains(&Value::Null) && !targets.contains(&key)
                    };
                    if rows.iter().any(dangles) {
                        return Err(Broken::ForeignKey(table.name.clone()));
                    }
                }
            }
        }
        Ok(())
    }
}

/// Which assumption of a semantics a database breaks: the table, and the column where it is one's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Broken {
    /// A table has no rows.
    #[error("table {0} is empty")]
    Empty(String),
    /// NULL where none may be.
    #[error("{0}.{1} holds NULL")]
    Null(String, String),
    /// A value that is not of its column's type.
    #[error("{0}.{1} holds a value of another type")]
    Type(String, String),
    /// A row that its table does not allow.
    #[error("a row of {0} breaks a CHECK or a limit of a type")]
    Check(String),
    /// A generated column with another value than it is computed to.
    #[error("a generated column of {0} was not computed")]
    Generated(String),
    /// A key twice.
    #[error("a key of {0} repeats")]
    Key(String),
    /// A reference to no row.
    #[error("a foreign key of {0} dangles")]
    ForeignKey(String),
}

/// True if a column of this type may hold the stored value: numbers are no text, whole numbers
/// have no fraction.
pub(crate) fn has_type(column: &Column, value: &Value) -> bool {
    match column.class {
        TypeClass::Integer => matches!(value, Value::Integer(_) | Value::Null),
        TypeClass::Number => !matches!(value, Value::Text(_) | Value::Blob(_)),
        _ => true,
    }
}

/// The primary key and the unique sets of a table.
pub(crate) fn keys(table: &twinql_sql::Table) -> impl Iterator<Item = &Vec<usize>> {
    std::iter::once(&table.primary_key).chain(&table.unique).filter(|k| !k.is_empty())
}

/// A row's values at some positions, in key form.
pub(crate) fn project(row: &Row, columns: &[usize]) -> Vec<Value> {
    columns.iter().map(|&c| row.get(c).map_or(Value::Null, key_form)).collect()
}
