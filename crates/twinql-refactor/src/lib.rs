//! Files of SQL and projects of dbt and SQLMesh before and after a change: their queries, their tables, and what depends on what.
//!
//! - [`Templates`] renders a model as far as it is text, [`parts`] and [`matched`] find the queries of two files;
//! - [`bound`] gives both versions of a query the tables that they read, and [`Layout`] the columns that correspond;
//! - [`Project`] is a project as its files have it and as dbt has [`Written`] it, [`Catalog`] its tables as a schema.

mod artifacts;
mod catalog;
mod columns;
mod files;
mod jinja;
mod macros;
mod parameters;
mod project;
mod properties;
mod seeds;
mod sqlmesh;
mod tables;
mod templates;
pub mod tree;
mod yaml;

use std::fmt;

pub use artifacts::Written;
pub use catalog::Catalog;
pub use columns::{Kept, Layout, Renamed, differing, names};
pub use files::{Part, matched, parts};
pub use project::{Model, Project, names_one};
pub use properties::{Column, Properties, Table};
pub use tables::{Bound, Versions, bound};
pub use templates::{Rendered, Templates};
pub use tree::Tree;

/// Why a file cannot be compared.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RefactorError {
    /// A template needs what only dbt knows.
    #[error(
        "a template that needs dbt ({0}); run `dbt compile`: a project is read with its target/manifest.json, and files in target/compiled can be compared"
    )]
    Template(String),
    /// A model of SQLMesh uses a macro.
    #[error("uses the macro {0}, which needs SQLMesh itself; compare what `sqlmesh render` prints")]
    Macro(String),
    /// A file or folder cannot be read.
    #[error("cannot read {0}: {1}")]
    File(String, String),
    /// A revision lacks the folder.
    #[error("git has no {1} in the revision {0}")]
    Revision(String, String),
    /// A folder is no project.
    #[error("no dbt_project.yml in the project's folder, and no model of SQLMesh in its folder models")]
    NoProject,
    /// A file is no YAML.
    #[error("{0}: {1}")]
    Yaml(String, String),
    /// The files do not hold the same queries.
    #[error("{before} in the old file, {after} in the new one: nothing to compare them by")]
    Count {
        /// Queries before.
        before: Count,
        /// Queries after.
        after: Count,
    },
    /// The schema has one table of a name, and two are meant.
    #[error(
        "{0} and {1} are two tables of one name, which a schema without their places does not tell apart"
    )]
    TwoTables(String, String),
    /// A view of one file is not in the other.
    #[error("the new file does not make {0}, which the old one does")]
    Missing(String),
}

/// A number of queries, in words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Count(pub usize);

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            0 => f.write_str("no query"),
            1 => f.write_str("1 query"),
            n => write!(f, "{n} queries"),
        }
    }
}
