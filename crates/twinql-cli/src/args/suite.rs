//! `twinql suite`, as typed.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::shared::{
    FormatFlag, GoldDialectFlags, GoldFlag, NeededSchemaFlags, PairDialectFlags, RunFlags, SemanticsFlag,
};

#[derive(Debug, Subcommand)]
pub(crate) enum Suite {
    /// Distil a few databases for each schema that tell gold queries from their neighbours
    Build(SuiteBuild),
    /// Test-suite accuracy of one or more systems' predictions
    Run(SuiteRun),
    /// What a suite holds; or one of its databases as SQL
    Show(SuiteShow),
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  twinql suite build --gold dev_gold.sql --schemas tables.json --out dev.suite
  twinql suite build --gold dev_gold.sql --schemas tables.json --out dev.suite --semantics no-fk --resume

Finished schemas are kept in OUT.partial until OUT is written; --resume continues from there.")]
pub(crate) struct SuiteBuild {
    #[command(flatten)]
    pub(crate) gold: GoldFlag,
    #[command(flatten)]
    pub(crate) input: NeededSchemaFlags<GoldDialectFlags>,
    /// The suite file to write, whole or not at all
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,
    #[command(flatten)]
    pub(crate) semantics: SemanticsFlag,
    /// Candidate databases shared by the gold queries of a schema, at most [default: 200]
    #[arg(long, value_name = "N")]
    pub(crate) max_databases: Option<u64>,
    /// Candidate databases aimed at each neighbour that is left, at most [default: 60]
    #[arg(long, value_name = "N")]
    pub(crate) aimed: Option<u64>,
    /// Neighbours of each gold query, at most [default: 200]
    #[arg(long, value_name = "N")]
    pub(crate) neighbours: Option<usize>,
    /// Further databases for each gold query, made for it alone [default: 8]
    #[arg(long, value_name = "N")]
    pub(crate) extra: Option<usize>,
    /// Mix in values of a SQLite file that has the schema, or of a folder with one for each db_id; only read
    #[arg(long, value_name = "PATH")]
    pub(crate) values_from: Option<PathBuf>,
    /// Distil plausible databases, as people have them: a prediction that differs on odd ones alone passes
    #[arg(long, conflicts_with = "values_from")]
    pub(crate) plausible: bool,
    /// What is known of the databases, which plausible ones follow: a profile of `twinql profile`, JSON lines of
    /// them (.jsonl), or a folder
    #[arg(long, value_name = "PATH", requires = "plausible")]
    pub(crate) profile: Option<PathBuf>,
    /// Continue an interrupted build
    #[arg(long)]
    pub(crate) resume: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  twinql suite run --suite dev.suite --gold dev_gold.sql --pred system_a.txt --pred system_b.txt
  twinql suite run --suite dev.suite --gold dev_gold.sql --pred novalues.txt --plug-values --out verdicts.jsonl

The table goes to stdout, a verdict for each pair to --out. Systems are named after their files.")]
pub(crate) struct SuiteRun {
    /// A suite file of `twinql suite build`
    #[arg(long, value_name = "FILE")]
    pub(crate) suite: PathBuf,
    #[command(flatten)]
    pub(crate) gold: GoldFlag,
    #[command(flatten)]
    pub(crate) dialects: PairDialectFlags,
    /// Predictions of a system, as many lines as --gold has; give it again for each system
    #[arg(long, value_name = "FILE", required = true, num_args = 1..)]
    pub(crate) pred: Vec<PathBuf>,
    /// Put the gold's values into predictions; a prediction is right if any way passes
    #[arg(long)]
    pub(crate) plug_values: bool,
    #[command(flatten)]
    pub(crate) run: RunFlags,
    /// Write a verdict for each system and pair as JSON lines, whole or not at all
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) format: FormatFlag,
    /// Exit with 1 if the accuracy of any system is below X
    #[arg(long, value_name = "X")]
    pub(crate) fail_under: Option<f64>,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  twinql suite show dev.suite
  twinql suite show dev.suite --db-id pets_1 --left
  twinql suite show dev.suite --db-id pets_1 --database 0 | sqlite3 pets_1.sqlite")]
pub(crate) struct SuiteShow {
    /// A suite file
    #[arg(value_name = "FILE")]
    pub(crate) suite: PathBuf,
    /// One schema only
    #[arg(long, value_name = "ID")]
    pub(crate) db_id: Option<String>,
    /// Print this database of --db-id as SQL; the first is 0
    #[arg(long, value_name = "N", requires = "db_id")]
    pub(crate) database: Option<usize>,
    /// List the neighbours that no database distinguishes
    #[arg(long, conflicts_with = "database")]
    pub(crate) left: bool,
    #[command(flatten)]
    pub(crate) format: FormatFlag,
}
