//! A generated database: rows for some of a schema's tables, and its SQL text.

use std::borrow::Borrow;
use std::collections::HashSet;
use std::fmt::Write;
use std::ops::Range;

use rusqlite::ToSql;
use rusqlite::types::{ToSqlOutput, ValueRef};
use twinql_sql::{Affinity, Collation, Column, Schema, TypeClass, Value};

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

/// Whether a value has this key form.
pub(crate) fn has_key_form(value: &Value, form: &Value) -> bool {
    match (value, form) {
        // A key form that is a text reads as no number.
        (Value::Text(text), Value::Text(form)) => text == form,
        _ => key_form(value) == *form,
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

/// A value of SQLite's as one of ours; text that is no UTF-8 has replacement characters.
pub(crate) fn owned(value: ValueRef<'_>) -> Value {
    match value {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(i) => Value::Integer(i),
        ValueRef::Real(r) => Value::Real(r.into()),
        ValueRef::Text(t) => Value::Text(String::from_utf8_lossy(t).into_owned()),
        ValueRef::Blob(b) => Value::Blob(b.to_vec()),
    }
}

/// A value as SQLite takes it.
pub(crate) struct Bound<V>(pub(crate) V);

impl<V: Borrow<Value>> ToSql for Bound<V> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self.0.borrow() {
            Value::Null => ValueRef::Null,
            Value::Integer(i) => ValueRef::Integer(*i),
            Value::Real(r) => ValueRef::Real(r.0),
            Value::Text(s) => ValueRef::Text(s.as_bytes()),
            Value::Blob(b) => ValueRef::Blob(b),
        }))
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

/// `CREATE TABLE` with names, affinities and collations alone: constraints are met by construction,
/// and without indexes rows are cheap to insert and come out in insertion order.
pub(crate) fn create_table(schema: &Schema, table: usize) -> Option<String> {
    let table = schema.tables.get(table)?;
    let collation = |c: &Column| match c.collation {
        None | Some(Collation::Binary) => String::new(),
        Some(other) => format!(" COLLATE {}", other.name()),
    };
    let column = |c: &Column| format!("{} {}{}", quoted(&c.name), affinity_type(c.affinity), collation(c));
    let columns: Vec<String> = table.columns.iter().map(column).collect();
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

/// A row's values at the positions of a key, in a form in which keys are the same where the columns' collations say so.
pub(crate) fn key_of(table: &twinql_sql::Table, row: &Row, key: &[usize]) -> Vec<Value> {
    let folded = |(value, column): (Value, &usize)| match (value, table.columns.get(*column)) {
        (Value::Text(text), Some(Column { collation: Some(collation), .. })) => {
            Value::Text(collation.folded(&text))
        }
        (value, _) => value,
    };
    project(row, key).into_iter().zip(key).map(folded).collect()
}

/// Tables, each after those among them that it refers to (`targets`); cycles are cut somewhere.
pub(crate) fn parents_first(tables: &[usize], targets: impl Fn(usize) -> Vec<usize>) -> Vec<usize> {
    let mut order: Vec<usize> = Vec::with_capacity(tables.len());
    let mut waiting: HashSet<usize> = tables.iter().copied().collect();
    let mut left: Vec<usize> = tables.to_vec();
    while !left.is_empty() {
        let free = left.iter().position(|&t| targets(t).iter().all(|&to| to == t || !waiting.contains(&to)));
        let next = left.remove(free.unwrap_or(0));
        waiting.remove(&next);
        order.push(next);
    }
    order
}
