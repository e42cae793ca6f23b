//! `twinql cluster`, as typed.

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use twinql::cluster::{ClusterConfig, Reason};

use super::shared::{DialectFlag, Format, SchemaFlags, SemanticsFlag};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  twinql cluster --queries log.jsonl --schemas tables.json > classes.jsonl
  twinql cluster --queries candidates.sql --schemas shop.sql --by gmn --threshold 0.9 --format text

--queries is a file with a query a line, followed by a tab and its db_id where there are several databases; or JSON
lines (.jsonl): id, db_id (or schema, DDL text), and sql.

Queries with one canonical form are a class. Each class is then held against the four that are most like it over
the same tables: --by proof (the default) joins what is proved equal, --by gmn also what the network takes for
equal. Queries are not all compared with each other, so that a class may be left in two parts.")]
pub(crate) struct Cluster {
    /// The queries (.gz is read too)
    #[arg(long, value_name = "FILE", help_heading = "Input")]
    pub(crate) queries: PathBuf,
    #[command(flatten)]
    pub(crate) schemas: SchemaFlags<DialectFlag>,
    /// The database of queries that name none [default: the only one in --schemas]
    #[arg(long, value_name = "ID", help_heading = "Input")]
    pub(crate) db_id: Option<String>,
    /// The weakest reason for which queries are one class
    #[arg(long, value_enum, value_name = "REASON", default_value = "proof")]
    by: By,
    /// The network's probability from which two classes are one, with --by gmn [default: 0.5]
    #[arg(long, value_name = "P")]
    threshold: Option<f64>,
    #[command(flatten)]
    semantics: SemanticsFlag,
    /// The network of --by gmn: `small` or `base`, which are built in, or a checkpoint of `twinql train` [default: small]
    #[arg(long, value_name = "NAME|FILE")]
    pub(crate) checkpoint: Option<PathBuf>,
    /// Write results to this file, whole or not at all [default: stdout]
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) out: Option<PathBuf>,
    /// How results are written
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "jsonl", help_heading = "Output")]
    pub(crate) format: Format,
}

/// What makes queries one class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum By {
    /// Equal canonical forms
    Form,
    /// Proofs
    Proof,
    /// The network's word
    Gmn,
}

impl Cluster {
    /// The library's configuration.
    pub(crate) fn config(&self) -> Result<ClusterConfig> {
        if self.by != By::Gmn && (self.threshold.is_some() || self.checkpoint.is_some()) {
            bail!("--threshold and --checkpoint are for --by gmn; nothing else asks a network");
        }
        let usual = ClusterConfig::default();
        let threshold = self.threshold.unwrap_or(usual.threshold);
        if !(0.0..=1.0).contains(&threshold) {
            bail!("--threshold {threshold}: give a probability from 0 to 1");
        }
        let by = match self.by {
            By::Form => Reason::Form,
            By::Proof => Reason::Proof,
            By::Gmn => Reason::Network,
        };
        Ok(ClusterConfig {
            by,
            threshold,
            semantics: self.semantics.get()?,
            dialect: self.schemas.dialects.dialect,
        })
    }
}
