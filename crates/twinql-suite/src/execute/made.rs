//! The tables and views of a generated database: made when a query names them, so that a schema
//! of thousands of tables costs no more than what is read of it.

use std::sync::atomic::Ordering;

use super::{ExecError, Generated, Sandbox};
use crate::confine::settle;
use crate::database::{create_table, quoted};
use crate::views::Relation;

/// Tables of a schema that are all made at once.
const FEW_TABLES: usize = 64;

impl Sandbox {
    /// Makes all tables where these are few.
    pub(super) fn make_few(&self) -> Result<(), ExecError> {
        let tables = self.schema.as_ref().map_or(0, |g| g.schema.tables.len());
        if tables <= FEW_TABLES {
            (0..tables).try_for_each(|t| self.make(Relation::Table(t)))?;
        }
        Ok(())
    }

    /// Makes these tables.
    pub(super) fn make_tables(&self, tables: &[usize]) -> Result<(), ExecError> {
        let Some(generated) = &self.schema else {
            return Ok(());
        };
        let mut missing: Vec<Relation> = tables.iter().map(|&t| Relation::Table(t)).collect();
        missing.retain(|relation| !generated.made.borrow().contains(relation));
        self.make_all(&missing)
    }

    /// Makes a table or view, where it was not made yet.
    fn make(&self, relation: Relation) -> Result<(), ExecError> {
        let Some(Generated { schema, names: _, made }) = &self.schema else {
            return Ok(());
        };
        if made.borrow().contains(&relation) {
            return Ok(());
        }
        let (what, name, create) = match relation {
            Relation::Table(i) => match (schema.tables.get(i), create_table(schema, i)) {
                (Some(table), Some(create)) => ("table", &table.name, create),
                _ => return Ok(()),
            },
            Relation::View(i) => match schema.views.get(i) {
                Some(view) => ("view", &view.name, view.create()),
                None => return Ok(()),
            },
        };
        self.guard.querying.store(false, Ordering::Relaxed);
        self.guard.restart();
        self.connection.execute_batch(&create).map_err(|e| {
            ExecError::own_limit(&e)
                .unwrap_or_else(|| ExecError::Invalid(format!("cannot create {what} {name:?}: {e}")))
        })?;
        made.borrow_mut().insert(relation);
        Ok(())
    }

    /// Makes the tables and views that a query may name.
    pub(super) fn make_mentioned(&self, sql: &str) -> Result<(), ExecError> {
        let Some(Generated { schema, names, made }) = &self.schema else {
            return Ok(());
        };
        let mut missing = names.mentioned(schema, sql);
        missing.retain(|relation| !made.borrow().contains(relation));
        self.make_all(&missing)
    }

    /// The tables that a query may read, by itself or through views.
    pub(crate) fn tables_of(&self, sql: &str) -> Vec<usize> {
        let Some(Generated { schema, names, made: _ }) = &self.schema else {
            return Vec::new();
        };
        let relations = names.mentioned(schema, sql).into_iter();
        let tables = relations.filter_map(|r| match r {
            Relation::Table(t) => Some(t),
            Relation::View(_) => None,
        });
        tables.collect()
    }

    fn make_all(&self, missing: &[Relation]) -> Result<(), ExecError> {
        if missing.is_empty() {
            return Ok(());
        }
        settle(|| {
            self.query_only(false)?;
            let made = missing.iter().try_for_each(|&relation| self.make(relation));
            self.query_only(true).and(made)
        })
    }

    /// The statements that empty a table and add a row to it.
    pub(super) fn writers(&self, table: usize) -> Option<(String, String)> {
        let table = self.schema.as_ref()?.schema.tables.get(table)?;
        if table.columns.is_empty() {
            return None;
        }
        let marks = vec!["?"; table.columns.len()].join(",");
        let name = quoted(&table.name);
        Some((format!("DELETE FROM {name}"), format!("INSERT INTO {name} VALUES ({marks})")))
    }
}
