//! `twinql audit`, as typed.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::shared::{GoldDialectFlags, SchemaFlags, SemanticsFlag};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  twinql audit --gold dev_gold.sql --schemas tables.json
  twinql audit --schemas school.sql --gold-sql 'SELECT name FROM t ORDER BY age LIMIT 1'
  twinql audit --gold dev.json --schemas tables.json --check limit-ties,evidence-unused --format jsonl
  twinql audit --pairs pairs.jsonl --two-golds --schemas tables.json --check golds-differ
  twinql audit --gold dev_gold.sql --schemas tables.json --format sarif --out audit.sarif --fail-on error
  twinql audit --list

error: no answer, or the same one on every database; warning: the answer is not determined, or most likely
not the one that was meant; note: something does nothing, or may matter on some data. Notes are told with
--severity note. Where a finding can be shown, a small database shows it, with two answers.")]
pub(crate) struct Audit {
    /// Gold queries, one a line: SQL, a tab, db_id; or a benchmark's JSON (.json, .jsonl): SQL or query, db_id, question,
    /// evidence
    #[arg(long, value_name = "FILE", conflicts_with = "pairs", help_heading = "Input")]
    pub(crate) gold: Option<PathBuf>,
    /// Pairs as JSON lines (.gz is read too): id, db_id or schema, gold, question, evidence; predictions are not looked at
    #[arg(long, value_name = "FILE", help_heading = "Input")]
    pub(crate) pairs: Option<PathBuf>,
    /// Each pair's prediction is another gold of its question, in pred_dialect's SQL: tell where the two differ
    #[arg(long, requires = "pairs", help_heading = "Input")]
    pub(crate) two_golds: bool,
    /// A single gold query, as text
    #[arg(long, value_name = "SQL", conflicts_with_all = ["gold", "pairs"], help_heading = "Input")]
    pub(crate) gold_sql: Option<String>,
    #[command(flatten)]
    pub(crate) schemas: SchemaFlags<GoldDialectFlags>,
    /// The database of queries that name none [default: the only one in --schemas]
    #[arg(long, value_name = "ID", help_heading = "Input")]
    pub(crate) db_id: Option<String>,
    #[command(flatten)]
    pub(crate) semantics: SemanticsFlag,
    /// Make these checks alone, separated by commas [default: all]
    #[arg(long, value_name = "IDS", value_delimiter = ',')]
    pub(crate) check: Vec<String>,
    /// The least severity that is told
    #[arg(long, value_enum, value_name = "SEVERITY", default_value = "warning")]
    pub(crate) severity: Least,
    /// Run nothing: findings alone
    #[arg(long)]
    pub(crate) no_witness: bool,
    /// List the checks, and do nothing else
    #[arg(long)]
    pub(crate) list: bool,
    /// Write a report with tables and pictures too, as the ending says: .html, .md, .tex, .txt, .json
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) report: Option<PathBuf>,
    /// Write results to this file [default: stdout]
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) out: Option<PathBuf>,
    /// How results are written
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "text", help_heading = "Output")]
    pub(crate) format: AuditFormat,
    /// Exit with 1 if there is a finding of this severity, or a worse one
    #[arg(long, value_enum, value_name = "SEVERITY", help_heading = "Output")]
    pub(crate) fail_on: Option<Least>,
}

/// A severity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Least {
    /// Something does nothing, or may matter on some data
    Note,
    /// The answer is not determined, or most likely not the one that was meant
    Warning,
    /// No answer, or the same one on every database
    Error,
}

/// How findings are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum AuditFormat {
    /// For people: queries with the place underlined
    Text,
    /// One JSON document with counts
    Json,
    /// One JSON object a query, in input order
    Jsonl,
    /// SARIF 2.1.0, for code hosts
    Sarif,
}
