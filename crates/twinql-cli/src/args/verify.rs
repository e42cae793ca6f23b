//! `twinql verify`, as typed.

use std::path::PathBuf;

use clap::Args;

use super::shared::{DialectFlag, NeededSchemaFlags, RunFlags};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  twinql prove --pairs pairs.jsonl --schemas tables.json --no-witness --steps --out proofs.jsonl
  twinql verify proofs.jsonl --schemas tables.json

Each step is executed before and after on databases that its semantics allows, and its rule may need no more than
that. Nothing of the rules' code is used: a step that a database refutes is shown with it, and the exit code is 1.
Steps are tested, not proved: a step that no database tests is named.")]
pub(crate) struct Verify {
    /// What `twinql prove --steps` has written (.gz is read too)
    #[arg(value_name = "FILE")]
    pub(crate) proofs: PathBuf,
    #[command(flatten)]
    pub(crate) schemas: NeededSchemaFlags<DialectFlag>,
    /// Databases for each step
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub(crate) databases: usize,
    #[command(flatten)]
    pub(crate) run: RunFlags,
}
