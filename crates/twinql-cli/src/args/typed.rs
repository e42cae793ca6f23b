//! Arguments as typed. All else sees only the validated ones (the parent module).

use std::path::PathBuf;

use super::corpus::Corpus;
use super::shared::{
    BatchFlags, ComparisonFlags, DialectFlag, FormatFlag, LabelsFlag, NeededSchemaFlags, PairDialectFlags,
    ProbeFlag, ProfileFlag, QuestionFlag, RunFlags, SchemaFlags, SemanticsFlag,
};
pub(crate) use super::shared::{Format, Input, Metrics, Output};
use super::suite::Suite;
use clap::{Args, Parser, Subcommand, ValueEnum};

/// How likely do two SQL queries return the same answer on every database?
#[derive(Debug, Parser)]
#[command(name = "twinql", version, max_term_width = 100, after_help = EXAMPLES, arg_required_else_help = true)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
    #[command(flatten)]
    pub(crate) common: Common,
}

const EXAMPLES: &str = "\
Examples:
  twinql score --schemas school.sql --gold-sql 'SELECT COUNT(*) FROM t' --pred-sql 'SELECT COUNT(1) FROM t'
  twinql score --gold dev_gold.sql --pred predictions.txt --schemas tables.json --out scores.jsonl
  twinql judge --pairs pairs.jsonl --schemas tables.json --witness-dir witnesses
  twinql execute --gold dev_gold.sql --pred predictions.txt --db database --semantics spider
  twinql evaluate --pairs labelled.jsonl --schemas tables.json --metric gmn,suite,relpm --plot roc.svg

Exit codes: 0 done; 1 done, and a check you asked for failed (--strict, --fail-under); 2 could not run.
Every flag --some-flag but --help and --version can also be given as the environment variable TWINQL_SOME_FLAG.";

const RULES: &str = "\
Examples:
  twinql rules
  twinql rules subqueries
  twinql rules grouping-before-join

The same text stands in docs/rules/. Networks that are asked --question plausible read regularities as well.";

const CHECKS: &str = "\
Examples:
  twinql checks
  twinql checks limit-ties";

const METRICS: &str = "\
Examples:
  twinql metrics
  twinql metrics relpm";

/// An entry of a registry.
#[derive(Debug, Args)]
pub(crate) struct Listed {
    /// Which one; of rules also a family of them [default: a line for each]
    #[arg(value_name = "NAME")]
    pub(crate) name: Option<String>,
}

/// What every command takes.
#[derive(Debug, Args)]
pub(crate) struct Common {
    /// No progress and no summary on stderr; errors are still printed
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,
    /// Worker threads [default: one for each core]; the results do not depend on it
    #[arg(long, global = true, value_name = "N")]
    pub(crate) threads: Option<usize>,
    /// Seed of all that is random
    #[arg(long, global = true, value_name = "N")]
    pub(crate) seed: Option<u64>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Score pairs of queries with learned and classic metrics; no database is needed
    Score(Score),
    /// Ask the built-in test suite for a verdict on each pair, with a witness where they differ
    Judge(Judge),
    /// Prove pairs equal or different on every database, with the rules, the assumptions and a certificate
    Prove(super::prove::Prove),
    /// Check the steps of proofs by executing them
    Verify(super::verify::Verify),
    /// Do refactored queries still say the same? Files, folders or a git revision; for pre-commit hooks and CI
    CheckRefactor(super::refactor::CheckRefactor),
    /// What is wrong with gold queries: answers that are not determined or always empty, slips; no database is needed
    Audit(super::audit::Audit),
    /// Execution accuracy: compare answers on your own SQLite databases, which are never written to
    Execute(Execute),
    /// Measure how well metrics agree with labels
    Evaluate(Evaluate),
    /// Compare systems under metrics, with significance, and metrics by how they rank systems
    Compare(super::compare::Compare),
    /// Estimate systems' execution accuracy without their databases, with intervals
    Estimate(super::estimate::Estimate),
    /// Fit `ex`, the probability that execution calls a prediction right, to pairs that were executed
    Calibrate(Calibrate),
    /// Choose the best of several candidates for each question; no database and no gold is needed
    Rerank(super::rerank::Rerank),
    /// Group the queries of a log, or of many systems, into classes that answer the same; no database is needed
    Cluster(super::cluster::Cluster),
    /// Show how two queries are read: canonical plans, applied rules, scores
    Explain(Explain),
    /// Say questions and schemas in another way, to test or train Text-to-SQL systems (MT-TEQL)
    Perturb(super::perturb::Perturb),
    /// How often a system says something else on transformed inputs: inconsistency rates (MT-TEQL)
    Consistency(super::consistency::Consistency),
    /// Make and inspect labelled pairs
    Corpus {
        #[command(subcommand)]
        command: Corpus,
    },
    /// Distil databases for gold queries, and measure systems on them
    Suite {
        #[command(subcommand)]
        command: Suite,
    },
    /// What was read of a schema, and what was not
    Schema {
        #[command(subcommand)]
        command: SchemaCommand,
    },
    /// Write what may be shared of a database: counts, ranges, shapes, keys; no rows
    Profile(super::profile::ProfileCommand),
    /// Pretrain the graph matching network on queries without labels
    #[cfg(feature = "train")]
    Pretrain(super::train::Pretrain),
    /// Train the graph matching network on labelled pairs
    #[cfg(feature = "train")]
    Train(super::train::Train),
    /// The scores over HTTP, for reward models, rerankers and judges, with a page to try them
    #[cfg(feature = "serve")]
    Serve(super::serve::Serve),
    /// Compute scores that are stored with the checkpoint again, and compare
    Selftest(Selftest),
    /// The rules that bring queries into canonical form, or one of them with its examples
    #[command(after_help = RULES)]
    Rules(Listed),
    /// The checks of `audit`, or one of them with what it finds and what it leaves alone
    #[command(after_help = CHECKS)]
    Checks(Listed),
    /// The metrics, or one of them with its range, threshold and source
    #[command(after_help = METRICS)]
    Metrics(Listed),
    /// Judge pairs that another process sends
    #[command(hide = true)]
    Worker {
        /// Bytes of memory that the system lets it have beside those at its start
        #[arg(long, default_value_t = 4 << 30)]
        address_space: u64,
    },
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  twinql score --schemas school.sql --gold-sql 'SELECT COUNT(*) FROM t' --pred-sql 'SELECT COUNT(1) FROM t'
  twinql score --pairs pairs.jsonl --schemas tables.json --metric gmn,relpm > scores.jsonl
  twinql score --gold dev_gold.sql --pred predictions.txt --schemas tables.json --fail-under 0.8

Where the gold or the prediction is no query over the schema, the score is 0. Where a query is valid
but not understood (`unsupported`), it is 1 if both have the same tokens, else null (`proof`: 0.5). The
mean is over the pairs that have a score, and says how many; --fail-under counts the others as 0.")]
pub(crate) struct Score {
    #[command(flatten)]
    pub(crate) input: Input,
    #[command(flatten)]
    pub(crate) metrics: Metrics,
    /// Add GMNScore's reward to the details of gmn: -1 no SQL, -0.6 no plan, else max(0, 1 - distance)
    #[arg(long)]
    pub(crate) reward: bool,
    /// Add to the details of learned metrics whether the queries are called the same, and abstain where the checkpoint's band says so
    #[arg(long)]
    pub(crate) abstain: bool,
    #[command(flatten)]
    pub(crate) output: Output,
    #[command(flatten)]
    pub(crate) batch: BatchFlags,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  twinql judge --schemas school.sql --gold-sql 'SELECT a FROM t' --pred-sql 'SELECT DISTINCT a FROM t'
  twinql judge --pairs pairs.jsonl --schemas tables.json --semantics no-fk --databases 200 > verdicts.jsonl
  twinql judge --gold gold.sql --pred pred.txt --schemas tables.json --witness-dir witnesses")]
pub(crate) struct Judge {
    #[command(flatten)]
    pub(crate) input: Input,
    #[command(flatten)]
    pub(crate) comparison: ComparisonFlags,
    /// Databases generated for a pair before it is called equivalent [default: the suite's own choice]
    #[arg(long, value_name = "N")]
    pub(crate) databases: Option<usize>,
    #[command(flatten)]
    pub(crate) run: RunFlags,
    /// Plausible databases over which it is said of a witness how plausible it is, and why it is odd; 0 leaves that out
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u64).range(0..=10_000))]
    pub(crate) plausible: u64,
    #[command(flatten)]
    pub(crate) profile: ProfileFlag,
    /// Write each witness as FOLDER/ID.sql: both queries and their answers, and a database for sqlite3.
    /// An id that can be no file's name is followed by a hash; each record names its file
    #[arg(long, value_name = "FOLDER")]
    pub(crate) witness_dir: Option<PathBuf>,
    /// Run each witness on your own system as well, which both queries have to be of: postgres://USER@HOST/DB,
    /// mysql://USER@HOST, duckdb. Its client program runs them; the tables are gone afterwards. Records say whether the answers
    /// differ there, and hold both queries as with --echo
    #[arg(long, value_name = "ENGINE")]
    pub(crate) engine: Option<String>,
    #[command(flatten)]
    pub(crate) output: Output,
    #[command(flatten)]
    pub(crate) batch: BatchFlags,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  twinql execute --gold dev_gold.sql --pred predictions.txt --db database --semantics spider
  twinql execute --pairs pairs.jsonl --db database > executions.jsonl

Files are opened read-only and immutable; nothing is written beside them. A pair's answers have to
agree on all files of its database.")]
pub(crate) struct Execute {
    #[command(flatten)]
    pub(crate) input: Input,
    /// The databases: a folder with DB/DB.sqlite for each, and any number of further files beside it
    #[arg(long, value_name = "FOLDER", help_heading = "Input")]
    pub(crate) db: PathBuf,
    #[command(flatten)]
    pub(crate) comparison: ComparisonFlags,
    #[command(flatten)]
    pub(crate) run: RunFlags,
    #[command(flatten)]
    pub(crate) output: Output,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  twinql evaluate --pairs labelled.jsonl --schemas tables.json --metric gmn,suite,relpm
  twinql evaluate --pairs labelled.jsonl --schemas tables.json --labels adjudicated.json --by hardness
  twinql evaluate --pairs labelled.jsonl --schemas tables.json --out report.json --plot roc.svg --fail-under 0.9")]
pub(crate) struct Evaluate {
    /// Labelled pairs as JSON lines: id, db_id or schema, gold, pred, label
    #[arg(long, value_name = "FILE")]
    pub(crate) pairs: PathBuf,
    #[command(flatten)]
    pub(crate) input: SchemaFlags<PairDialectFlags>,
    #[command(flatten)]
    pub(crate) labels: LabelsFlag,
    /// Evaluate only pairs of this split
    #[arg(long, value_name = "NAME")]
    pub(crate) split: Option<String>,
    /// Also report by group: hardness (Spider's classes of the gold), keyword (join, nested, group-by, …), source,
    /// db_id, or form (canonical forms that differ and equal ones); several are separated by commas
    #[arg(long, value_enum, value_name = "GROUPS", value_delimiter = ',')]
    pub(crate) by: Vec<GroupBy>,
    /// Scores that another program gave the pairs, as a further metric: JSON lines with id and score, or a number a
    /// line; called the same from THRESHOLD on [default: 0.5]. Again for each
    #[arg(long, value_name = "NAME[@THRESHOLD]=FILE")]
    pub(crate) external: Vec<crate::external::ExternalFlag>,
    /// Write a report with tables, pictures and telling pairs, as the ending says: .html, .md, .tex, .txt, .json
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
    /// Write the ROC curves as an SVG picture
    #[arg(long, value_name = "FILE")]
    pub(crate) plot: Option<PathBuf>,
    /// Write the scores of every pair as JSON lines
    #[arg(long, value_name = "FILE")]
    pub(crate) scores: Option<PathBuf>,
    /// Bootstrap resamples of the intervals
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub(crate) resamples: usize,
    #[command(flatten)]
    pub(crate) metrics: Metrics,
    #[command(flatten)]
    pub(crate) output: Output,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  twinql execute --pairs predictions.jsonl --db database --semantics bird > executed.jsonl
  twinql calibrate --pairs labelled.jsonl --schemas tables.json --semantics bird --out small-ex.safetensors
  twinql score --pairs other.jsonl --schemas tables.json --semantics bird --metric ex --checkpoint small-ex.safetensors

Each label says whether execution on the pair's real database calls the prediction right. The weights go into
the checkpoint, whose network stays what it is. What is reported is measured on databases that a model was not
fitted on: the databases take turns in fifths.")]
pub(crate) struct Calibrate {
    /// What is fitted: `ex`, to pairs that were executed on real databases, or how `gmn` weighs what databases
    /// show, to pairs that were executed for --question plausible and to those of the suite for every
    #[arg(long, value_name = "ex|gmn", default_value = "ex", value_parser = ["ex", "gmn"])]
    pub(crate) metric: String,
    /// Pairs as JSON lines: id, db_id, gold, pred, label
    #[arg(long, value_name = "FILE")]
    pub(crate) pairs: PathBuf,
    #[command(flatten)]
    pub(crate) input: SchemaFlags<PairDialectFlags>,
    #[command(flatten)]
    pub(crate) labels: LabelsFlag,
    /// Use only pairs of this split
    #[arg(long, value_name = "NAME")]
    pub(crate) split: Option<String>,
    #[command(flatten)]
    pub(crate) semantics: SemanticsFlag,
    #[command(flatten)]
    pub(crate) question: QuestionFlag,
    #[command(flatten)]
    pub(crate) probe: ProbeFlag,
    /// The checkpoint that gets the weights: `small` or `base`, or a file [default: small]
    #[arg(long, value_name = "NAME|FILE")]
    pub(crate) checkpoint: Option<PathBuf>,
    /// Databases that the suite generates for a pair [default: its own choice]
    #[arg(long, value_name = "N")]
    pub(crate) databases: Option<usize>,
    /// Plausible databases that are counted over [default: 16]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=10_000))]
    pub(crate) plausible: Option<u64>,
    #[command(flatten)]
    pub(crate) profile: ProfileFlag,
    #[command(flatten)]
    pub(crate) run: RunFlags,
    /// Write the checkpoint with its weights to this file, whole or not at all
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) out: PathBuf,
    #[command(flatten)]
    pub(crate) format: FormatFlag,
}

/// How a report is broken down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub(crate) enum GroupBy {
    /// Spider's classes of the gold query
    Hardness,
    /// Keywords of the gold query (join, nested, group-by, …); a pair is in the group of each
    Keyword,
    /// The pair's `source`
    Source,
    /// The pair's database
    DbId,
    /// Whether the canonical forms of the two queries are equal: what is left to the other metrics
    Form,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  twinql explain --schemas school.sql 'SELECT COUNT(*) FROM t' 'SELECT COUNT(id) FROM t'
  twinql explain --plan --schemas school.sql 'SELECT a FROM t' 'SELECT a FROM t WHERE b > 1'
  twinql explain --schemas school.sql 'SELECT a FROM t' 'SELECT a FROM t WHERE b > 1' --dot | dot -Tsvg > pair.svg")]
pub(crate) struct Explain {
    /// The gold query
    #[arg(value_name = "GOLD")]
    pub(crate) gold: String,
    /// The prediction
    #[arg(value_name = "PRED")]
    pub(crate) pred: String,
    #[command(flatten)]
    pub(crate) input: NeededSchemaFlags<PairDialectFlags>,
    /// The database [default: the only one in --schemas]
    #[arg(long, value_name = "ID")]
    pub(crate) db_id: Option<String>,
    #[command(flatten)]
    pub(crate) semantics: SemanticsFlag,
    /// Print the plans as written and canonical, with ids and places in the text
    #[arg(long)]
    pub(crate) plan: bool,
    #[command(flatten)]
    pub(crate) format: FormatFlag,
    /// `small`, `base`, or a checkpoint file: the network whose attention aligns the queries [default: small]
    #[arg(long, value_name = "NAME|FILE")]
    pub(crate) checkpoint: Option<PathBuf>,
    /// Write the network's attention between the queries, node by node and step by step, as JSON
    #[arg(long, value_name = "FILE")]
    pub(crate) attention: Option<PathBuf>,
    /// Print the merged pair graph in Graphviz' DOT language instead; with --plan, the plans
    #[arg(long)]
    pub(crate) dot: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  twinql selftest
  twinql selftest --checkpoint model.safetensors --stored scores.jsonl --record

Exits with 1 if a score lies further from the stored one than the file's tolerance.")]
pub(crate) struct Selftest {
    /// `small`, `base`, or a checkpoint file [default: all built-in ones]
    #[arg(long, value_name = "NAME|FILE")]
    pub(crate) checkpoint: Option<PathBuf>,
    /// Stored scores [default: those of the built-in checkpoints]
    #[arg(long, value_name = "FILE")]
    pub(crate) stored: Option<PathBuf>,
    /// Store the checkpoint's scores in the file's place
    #[arg(long, requires = "stored")]
    pub(crate) record: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum SchemaCommand {
    /// Tables, columns, keys, checks and views of a schema, and what was not read of it, with line and reason
    Show(SchemaShow),
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  twinql schema show shop.sql
  twinql schema show dump.sql --dialect postgres --format json
  twinql schema show tables.json --db-id concert_singer
  twinql schema show database/")]
pub(crate) struct SchemaShow {
    /// A tables.json, a .sql file, a .sqlite file, or a folder of them
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Only this database
    #[arg(long, value_name = "ID")]
    pub(crate) db_id: Option<String>,
    #[command(flatten)]
    pub(crate) dialect: DialectFlag,
    #[command(flatten)]
    pub(crate) format: FormatFlag,
}
