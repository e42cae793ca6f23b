//! What is known of the rows of a plan's relations, without a database: for whoever looks at a plan and is no rule.
//!
//! ```
//! use twinql_sql::known::Known;
//! use twinql_sql::{Rel, Schema, Semantics, parse, plan};
//!
//! let schema = Schema::from_ddl("d", "CREATE TABLE pet (id INTEGER PRIMARY KEY, age INTEGER)")?;
//! let plan = plan(&schema, &parse("SELECT id, age FROM pet WHERE age = 3")?)?;
//! let semantics = Semantics::default();
//! let known = Known::new(&schema, &semantics, plan.columns.clone());
//!
//! let [id, age] = plan.query.output[..] else { unreachable!() };
//! assert!(known.is_unique(&plan.query.rel, [id]) && !known.is_unique(&plan.query.rel, [age]));
//! assert!(known.determined(&plan.query.rel, []).contains(&age));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use crate::column_set::ColumnSet;
use crate::normalize::context::Context;
use crate::rel::{ColumnId, Columns, Rel};
use crate::schema::Schema;
use crate::semantics::Semantics;

/// Facts about the relations of one plan, under a semantics. All of them err on one side: a column that is not listed
/// may still never be NULL, rows that are not called unique may still be.
pub struct Known<'a> {
    context: Context<'a>,
}

impl std::fmt::Debug for Known<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Known").finish_non_exhaustive()
    }
}

impl<'a> Known<'a> {
    /// Of a plan with these columns.
    pub fn new(schema: &'a Schema, semantics: &'a Semantics, columns: Columns) -> Known<'a> {
        Known { context: Context::new(schema, semantics, columns) }
    }

    /// Columns that are NULL in no row of `rel`.
    pub fn not_null(&self, rel: &Rel) -> ColumnSet {
        self.context.not_null(rel)
    }

    /// The columns in which all rows agree that agree in `by`, these included. Columns of enclosing queries count as
    /// constants.
    pub fn determined(&self, rel: &Rel, by: impl IntoIterator<Item = ColumnId>) -> ColumnSet {
        self.context.dependencies(rel).closure(by)
    }

    /// True if no two rows agree in all of `by`; with none, if there is one row at most.
    pub fn is_unique(&self, rel: &Rel, by: impl IntoIterator<Item = ColumnId>) -> bool {
        self.context.dependencies(rel).unique(by)
    }
}
