//! `twinql check-refactor`, as typed.

use std::path::PathBuf;

use clap::Args;

use twinql::sql::semantics::PRESETS;

use crate::commands::check_refactor::reports::{KINDS, Report};

use super::shared::{Output, PairDialectFlags, RunFlags, SchemaFlags};

/// Do refactored queries still say the same?
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  twinql check-refactor --schemas warehouse.sql old.sql new.sql
  twinql check-refactor --schemas warehouse.sql models.before models       folders: files of the same path
  twinql check-refactor --schemas warehouse.sql --against HEAD models/orders.sql models/lines.sql
  twinql check-refactor --schemas warehouse.sql --against main --proved models/*.sql
  twinql check-refactor --project . --against origin/main --report github       a dbt project: what changed, and what is below

A file holds queries, views (CREATE VIEW … AS) or a model of dbt or SQLMesh; ref and source are tables and never CTEs. Each query
is proved the same, or tested on databases that are made for it; where one shows a difference, it is printed. Of the data
only what the schema declares is assumed, and the order of rows counts with --ordered alone. Tables that no schema declares
have the columns that the queries name.
The old query is the gold, the new one the prediction: --gold-dialect and --pred-dialect say whose SQL each is where a
warehouse has changed.
Exit codes: 0 all are the same as far as proved and tested; 1 one is not, or its columns have other names; 2 could not run;
3 nothing differs, and one is not decided.

As a pre-commit hook:
  - repo: https://github.com/twinql/twinql
    rev: v0.1.0
    hooks: [{id: twinql-check-refactor, args: [--schemas, warehouse.sql]}]")]
pub(crate) struct CheckRefactor {
    /// The old and the new file or folder; with --against the changed files
    #[arg(value_name = "PATH", required_unless_present = "project", conflicts_with = "project", num_args = 1..)]
    pub(crate) paths: Vec<PathBuf>,
    /// Compare each file with what it was in this revision of git; files that are new are passed over
    #[arg(long, value_name = "REVISION")]
    pub(crate) against: Option<String>,
    /// A project of dbt or SQLMesh: its changed models, and those that read them, against --against
    #[arg(long, value_name = "FOLDER", conflicts_with = "schemas")]
    pub(crate) project: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) input: SchemaFlags<PairDialectFlags>,
    /// The database [default: the only one in --schemas]
    #[arg(long, value_name = "ID", help_heading = "Input")]
    pub(crate) db_id: Option<String>,
    #[arg(long, value_name = "NAME", default_value = "declared", help = format!(
        "What `the same answer` means: {}", PRESETS.join(", ")
    ))]
    pub(crate) semantics: String,
    /// The order of rows counts, where the old query has one: for queries that are read from above, and not for models
    #[arg(long)]
    pub(crate) ordered: bool,
    /// What is tested alone is not enough: every query must be proved the same
    #[arg(long)]
    pub(crate) proved: bool,
    /// Databases on which a difference is looked for where nothing is proved [default: the suite's own choice]
    #[arg(long, value_name = "N")]
    pub(crate) databases: Option<usize>,
    #[arg(long, value_name = "KIND[=FILE]", help_heading = "Output", help = format!(
        "A report beside the findings, as often as wanted: {}",
        KINDS.map(|kind| format!("{} ({})", kind.name, kind.about)).join(", ")
    ))]
    pub(crate) report: Vec<Report>,
    #[command(flatten)]
    pub(crate) run: RunFlags,
    #[command(flatten)]
    pub(crate) output: Output,
}
