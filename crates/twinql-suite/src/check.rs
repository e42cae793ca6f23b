//! Whether a database meets what a [`Semantics`] assumes.

use std::collections::{BTreeSet, HashSet};

use twinql_sql::{ColumnRef, Schema, Semantics, Value};

use crate::constraints::Constraints;
use crate::database::{Database, Row, has_type, keys, project};

impl Database {
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

    /// The columns that hold NULL.
    pub(crate) fn nulls(&self) -> BTreeSet<ColumnRef> {
        let rows = self.tables.iter().enumerate();
        let rows = rows.flat_map(|(table, rows)| rows.iter().flatten().map(move |row| (table, row)));
        let cells = rows.flat_map(|(table, row)| row.iter().enumerate().map(move |(i, v)| (table, i, v)));
        let null = cells.filter(|(_, _, value)| **value == Value::Null);
        null.map(|(table, column, _)| ColumnRef { table, column }).collect()
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
                let at = ColumnRef { table: index, column: i };
                if !semantics.may_be_null(at, column) && rows.iter().any(|r| r.get(i) == Some(&Value::Null)) {
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
