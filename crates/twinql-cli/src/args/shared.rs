//! Flags that several commands take, each written once.

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use twinql::Dialects;
use twinql::graph::{QUESTIONS, Question};
use twinql::judging::WORKER_HEAP;
use twinql::metrics::METRICS;
use twinql::sql::semantics::PRESETS;
use twinql::sql::{Dialect, Semantics, UnknownDialect};
use twinql::suite::Limits;

use super::databases::DatabasesFlags;

/// The names of the dialects, for help.
fn dialects() -> String {
    Dialect::ALL.map(Dialect::name).join(", ")
}

/// Whose SQL is read, by commands that read one query at a time.
#[derive(Debug, Args)]
pub(crate) struct DialectFlag {
    #[arg(long, value_name = "NAME", default_value_t, help_heading = "Input", help = format!(
        "Whose SQL the queries and the DDL are: {}", dialects()
    ))]
    pub(crate) dialect: Dialect,
}

/// Whose SQL the DDL is, and golds.
#[derive(Debug, Args)]
pub(crate) struct GoldDialectFlags {
    #[arg(long, value_name = "NAME", default_value_t, help_heading = "Input", help = format!(
        "Whose SQL the DDL is, and the golds where --gold-dialect does not say: {}", dialects()
    ))]
    dialect: Dialect,
    /// Whose SQL the golds are [default: that of --dialect]
    #[arg(long, value_name = "NAME", help_heading = "Input")]
    gold_dialect: Option<Dialect>,
}

impl GoldDialectFlags {
    /// Those of the DDL and of golds; there are no predictions.
    pub(crate) fn get(&self) -> Dialects {
        Dialects::new(self.dialect, self.gold_dialect, self.gold_dialect)
    }
}

/// Whose SQL the DDL is, and candidates.
#[derive(Debug, Args)]
pub(crate) struct PredDialectFlags {
    #[arg(long, value_name = "NAME", default_value_t, help_heading = "Input", help = format!(
        "Whose SQL the DDL is, and the candidates where --pred-dialect does not say: {}", dialects()
    ))]
    dialect: Dialect,
    /// Whose SQL the candidates are [default: that of --dialect]; a set's own field pred_dialect wins
    #[arg(long, value_name = "NAME", help_heading = "Input")]
    pred_dialect: Option<Dialect>,
}

impl PredDialectFlags {
    /// Those of the DDL and of candidates; there are no golds.
    pub(crate) fn get(&self) -> Dialects {
        Dialects::new(self.dialect, self.pred_dialect, self.pred_dialect)
    }
}

/// A dialect, or the word for the one that the queries are found to be in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Named {
    /// This one.
    Is(Dialect),
    /// To be guessed.
    Auto,
}

impl Named {
    const AUTO: &str = "auto";

    /// The dialect, where it is not to be guessed.
    pub(crate) fn known(self) -> Option<Dialect> {
        match self {
            Named::Is(dialect) => Some(dialect),
            Named::Auto => None,
        }
    }
}

impl std::fmt::Display for Named {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.known().map_or(Named::AUTO, Dialect::name))
    }
}

impl std::str::FromStr for Named {
    type Err = String;

    fn from_str(name: &str) -> Result<Named, String> {
        match name.trim().eq_ignore_ascii_case(Named::AUTO) {
            true => Ok(Named::Auto),
            false => name.parse().map(Named::Is).map_err(|e: UnknownDialect| format!("{e}, or auto")),
        }
    }
}

/// Whose SQL a pair is.
#[derive(Debug, Clone, Args)]
pub(crate) struct PairDialectFlags {
    #[arg(long, value_name = "NAME", default_value_t = Named::Is(Dialect::Sqlite), help_heading = "Input", help = format!(
        "Whose SQL the DDL is, and the queries where --gold-dialect and --pred-dialect do not say: {}; auto guesses from the queries, and says so", dialects()
    ))]
    pub(crate) dialect: Named,
    /// Whose SQL the golds are [default: that of --dialect]; a pair's own field gold_dialect wins
    #[arg(long, value_name = "NAME", help_heading = "Input")]
    pub(crate) gold_dialect: Option<Named>,
    /// Whose SQL the predictions are [default: that of --dialect]; a pair's own field pred_dialect wins
    #[arg(long, value_name = "NAME", help_heading = "Input")]
    pub(crate) pred_dialect: Option<Named>,
}

impl PairDialectFlags {
    /// The dialects, for commands that have nothing to guess from.
    pub(crate) fn known(&self) -> Result<Dialects> {
        let flags = [
            ("--dialect", Some(self.dialect)),
            ("--gold-dialect", self.gold_dialect),
            ("--pred-dialect", self.pred_dialect),
        ];
        if let Some((flag, _)) = flags.iter().find(|(_, named)| *named == Some(Named::Auto)) {
            bail!(
                "{flag} auto guesses from files of queries, which this command does not read: name the dialect"
            );
        }
        let of = |named: Option<Named>| named.and_then(Named::known);
        Ok(Dialects::new(
            of(Some(self.dialect)).unwrap_or_default(),
            of(self.gold_dialect),
            of(self.pred_dialect),
        ))
    }
}

/// Schemas that pairs may also carry themselves.
#[derive(Debug, Args)]
pub(crate) struct SchemaFlags<D: Args> {
    /// Schemas: a tables.json, a .sql file of CREATE TABLE statements, a .sqlite file, or a folder of them
    #[arg(long, value_name = "PATH", help_heading = "Input")]
    pub(crate) schemas: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) dialects: D,
}

/// Schemas without which there is nothing to do.
#[derive(Debug, Args)]
pub(crate) struct NeededSchemaFlags<D: Args> {
    /// Schemas: a tables.json, a .sql file of CREATE TABLE statements, a .sqlite file, or a folder of them
    #[arg(long, value_name = "PATH", help_heading = "Input")]
    pub(crate) schemas: PathBuf,
    #[command(flatten)]
    pub(crate) dialects: D,
}

/// A file of gold queries.
#[derive(Debug, Args)]
pub(crate) struct GoldFlag {
    /// Gold queries, one a line: SQL, a tab, db_id
    #[arg(long, value_name = "FILE", help_heading = "Input")]
    pub(crate) gold: PathBuf,
}

/// How far gmn and two-tier look beyond the network.
#[derive(Debug, Args)]
pub(crate) struct ProbeFlag {
    /// Small databases in memory on which gmn and two-tier evaluate pairs whose canonical forms differ, twice as many
    /// where a query counts far (LIMIT 10); 0 leaves the word to the network alone [default: 24, and 4 with --question
    /// plausible]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(0..=1_000))]
    pub(crate) probe: Option<u64>,
}

/// Which databases plausible ones are like.
#[derive(Debug, Args)]
pub(crate) struct ProfileFlag {
    /// What is known of the databases, which plausible ones follow: a profile of `twinql profile`, JSON lines of
    /// them (.jsonl), or a folder
    #[arg(long, value_name = "PATH")]
    pub(crate) profile: Option<PathBuf>,
}

/// On which databases.
#[derive(Debug, Args)]
pub(crate) struct QuestionFlag {
    /// What the network is asked: whether two queries answer the same on every database, or on a plausible one, as
    /// people have them
    #[arg(long, value_name = QUESTIONS.map(Question::name).join("|"), default_value = Question::default().name())]
    question: String,
}

impl QuestionFlag {
    pub(crate) fn get(&self) -> Result<Question> {
        self.question.parse().map_err(|e| anyhow::anyhow!("--question: {e}"))
    }
}

/// What `the same answer` means.
#[derive(Debug, Args)]
pub(crate) struct SemanticsFlag {
    #[arg(long, value_name = "NAME", help = format!(
        "What `the same answer` means: {} [default: {}]", PRESETS.join(", "), Semantics::default().name
    ))]
    semantics: Option<String>,
}

impl SemanticsFlag {
    /// What was asked for, if anything was.
    pub(crate) fn asked(&self) -> Result<Option<Semantics>> {
        let Some(name) = &self.semantics else {
            return Ok(None);
        };
        let semantics = name.parse::<Semantics>();
        semantics.map(Some).map_err(|e| anyhow::anyhow!("--semantics: {e}"))
    }

    /// What counts.
    pub(crate) fn get(&self) -> Result<Semantics> {
        Ok(self.asked()?.unwrap_or_default())
    }
}

/// How answers are compared.
#[derive(Debug, Args)]
pub(crate) struct ComparisonFlags {
    #[command(flatten)]
    semantics: SemanticsFlag,
    /// Count DISTINCT where the semantics ignores it (spider)
    #[arg(long)]
    keep_distinct: bool,
}

impl ComparisonFlags {
    pub(crate) fn semantics(&self) -> Result<Semantics> {
        let semantics = self.semantics.get()?;
        if !self.keep_distinct || !semantics.ignore_distinct {
            return Ok(semantics);
        }
        Ok(Semantics { name: format!("{}+distinct", semantics.name), ignore_distinct: false, ..semantics })
    }
}

/// Labels that override those of a pair file.
#[derive(Debug, Args)]
pub(crate) struct LabelsFlag {
    /// A JSON object, id to label (0 or 1), that overrides labels of the pair file
    #[arg(long, value_name = "FILE")]
    pub(crate) labels: Option<PathBuf>,
}

/// What commands over many pairs do with each.
#[derive(Debug, Args)]
pub(crate) struct BatchFlags {
    /// Add to every line what reading it needs: db_id, both queries, and the decision (same, different
    /// or abstained) at the metric's threshold
    #[arg(long, help_heading = "Output")]
    pub(crate) echo: bool,
    /// Go on with the lines that an interrupted run has left in OUT.partial
    #[arg(long, help_heading = "Output")]
    pub(crate) resume: bool,
}

/// How a report is written, for people where nothing is said.
#[derive(Debug, Args)]
pub(crate) struct FormatFlag {
    /// How it is written
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: Format,
}

/// MiB that can be asked for: below, schemas of many tables have no room.
const LEAST_MEMORY: u64 = 16;
const MOST_MEMORY: u64 = 1 << 20;

/// Where and how long the test suite runs queries.
#[derive(Debug, Args)]
pub(crate) struct RunFlags {
    /// What runs the suite's queries: threads of this process, or processes that can be killed
    #[arg(long, value_enum, value_name = "KIND", default_value = "processes")]
    pub(crate) workers: Workers,
    /// Steps of SQLite that one execution may take [default: 4 million, on files 1,000 million]
    #[arg(long, value_name = "N")]
    max_steps: Option<u64>,
    /// MiB that SQLite may hold in each worker process, or with --workers threads in all threads
    /// together [default: 256 in a process, 1024 in threads and on files]
    #[arg(long, value_name = "MIB")]
    memory: Option<u64>,
}

impl RunFlags {
    /// `usual`, with the steps that are asked for.
    pub(crate) fn limits(&self, usual: Limits) -> Result<Limits> {
        if self.max_steps == Some(0) {
            bail!("--max-steps must be at least 1");
        }
        let heap_bytes = match (self.memory, self.workers) {
            (Some(mib), _) if !(LEAST_MEMORY..=MOST_MEMORY).contains(&mib) => {
                bail!("--memory must be from {LEAST_MEMORY} to {MOST_MEMORY}");
            }
            (Some(mib), _) => mib << 20,
            // Answers on files are larger than those on generated databases.
            (None, Workers::Processes) if usual == Limits::default() => WORKER_HEAP,
            (None, _) => usual.heap_bytes,
        };
        Ok(Limits { steps: self.max_steps.unwrap_or(usual.steps), heap_bytes, ..usual })
    }

    /// What a signature has to say of the limits: nothing of the usual ones.
    pub(crate) fn in_signature(&self) -> String {
        let named = [("steps", self.max_steps), ("memory", self.memory)];
        let named = named.into_iter().filter_map(|(name, n)| Some((name, n?)));
        named.map(|(name, n)| format!("|{name}:{n}")).collect()
    }
}

/// What runs queries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Workers {
    /// A query that brings a process down costs one pair
    Processes,
    /// Held back by the sandbox alone
    Threads,
}

/// The parameters of partial matching.
#[derive(Debug, Args)]
pub(crate) struct MatchingFlags {
    /// Of relpm and astpm: how much a node's own match counts against its children's, between 0 and 1 [default: 0.5]
    #[arg(long, value_name = "X")]
    pub(crate) relpm_alpha: Option<f64>,
    /// Of relpm and astpm: how much recall counts against precision [default: 2]
    #[arg(long, value_name = "X")]
    pub(crate) relpm_beta: Option<f64>,
    /// Of relpm and astpm: how much a node's match counts in its score against the scores below it, at most 1 [default: 1]
    #[arg(long, value_name = "X")]
    pub(crate) relpm_omega: Option<f64>,
}

/// Where pairs come from: one of three forms.
#[derive(Debug, Args)]
pub(crate) struct Input {
    /// Pairs as JSON lines (.gz is read too): id, db_id or schema, gold, pred, perhaps gold_dialect, pred_dialect
    #[arg(long, value_name = "FILE", help_heading = "Input")]
    pub(crate) pairs: Option<PathBuf>,
    /// Gold queries, one a line: SQL, a tab, db_id
    #[arg(long, value_name = "FILE", requires = "pred", conflicts_with = "pairs", help_heading = "Input")]
    pub(crate) gold: Option<PathBuf>,
    /// Predictions, one SQL query a line, as many lines as --gold has
    #[arg(long, value_name = "FILE", requires = "gold", conflicts_with = "pairs", help_heading = "Input")]
    pub(crate) pred: Option<PathBuf>,
    /// The gold query of a single pair, as text
    #[arg(long, value_name = "SQL", requires = "pred_sql", conflicts_with_all = ["pairs", "gold"], help_heading = "Input")]
    pub(crate) gold_sql: Option<String>,
    /// The prediction of a single pair, as text
    #[arg(long, value_name = "SQL", requires = "gold_sql", conflicts_with_all = ["pairs", "pred"], help_heading = "Input")]
    pub(crate) pred_sql: Option<String>,
    #[command(flatten)]
    pub(crate) schemas: SchemaFlags<PairDialectFlags>,
    /// The database of pairs that name none [default: the only one in --schemas]
    #[arg(long, value_name = "ID", help_heading = "Input")]
    pub(crate) db_id: Option<String>,
}

/// Systems that answer the same golds.
#[derive(Debug, Args)]
pub(crate) struct SystemsFlags {
    #[command(flatten)]
    pub(crate) gold: GoldFlag,
    #[command(flatten)]
    pub(crate) input: NeededSchemaFlags<PairDialectFlags>,
    /// The predictions of a system, one SQL query a line; named by its file, or NAME=FILE. Again for each system
    #[arg(long, value_name = "[NAME=]FILE", required = true, num_args = 1.., help_heading = "Input")]
    pub(crate) pred: Vec<String>,
}

/// All metrics with what they are, for help.
fn list_of_metrics() -> String {
    let metrics = METRICS.iter().map(|m| format!("- {}: {}", m.name, m.summary));
    metrics.fold("Metrics, separated by commas:".to_owned(), |list, metric| list + "\n" + &metric)
}

/// Which metrics, under which semantics.
#[derive(Debug, Args)]
pub(crate) struct Metrics {
    /// Metrics, separated by commas (--help lists them)
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_value = "gmn", long_help = list_of_metrics())]
    pub(crate) metric: Vec<String>,
    #[command(flatten)]
    pub(crate) semantics: SemanticsFlag,
    #[command(flatten)]
    pub(crate) question: QuestionFlag,
    #[command(flatten)]
    pub(crate) probe: ProbeFlag,
    /// The network: `small` or `base`, which are built in, or a checkpoint of `twinql train`
    /// [default: small]
    #[arg(long, value_name = "NAME|FILE")]
    pub(crate) checkpoint: Option<PathBuf>,
    /// Databases that the suite generates for a pair [default: its own choice]
    #[arg(long, value_name = "N")]
    pub(crate) databases: Option<usize>,
    /// Plausible databases that expected-ex and ex count over [default: 16]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=10_000))]
    pub(crate) plausible: Option<u64>,
    #[command(flatten)]
    pub(crate) profile: ProfileFlag,
    /// How many of the predictions ex takes to be right, from 0 to 1 [default: as many as where it was fitted]
    #[arg(long, value_name = "P", value_parser = share)]
    pub(crate) assume_accuracy: Option<f64>,
    #[command(flatten)]
    pub(crate) matching: MatchingFlags,
    /// Gold queries whose 500 most common n-grams crystalbleu leaves out; text after a tab is ignored
    /// [default: a built-in list]
    #[arg(long, value_name = "FILE")]
    pub(crate) crystalbleu_corpus: Option<PathBuf>,
    /// Rules that esm+ leaves out: their names, or `all`; `values` and `duplicates` leave out the comparison of literals and of
    /// DISTINCT (comma-separated)
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) without_rules: Vec<String>,
    #[command(flatten)]
    pub(crate) files: DatabasesFlags,
    #[command(flatten)]
    pub(crate) run: RunFlags,
}

/// A number from 0 to 1.
pub(crate) fn share(text: &str) -> Result<f64, String> {
    let share = text.parse::<f64>().ok().filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| "must lie between 0 and 1".to_owned())
}

/// Where results go.
#[derive(Debug, Args)]
pub(crate) struct Output {
    /// Write results to this file; while it is not whole, its lines are in FILE.partial [default: stdout]
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) out: Option<PathBuf>,
    /// How results are written [default: text for a single pair, jsonl otherwise]
    #[arg(long, value_enum, value_name = "FORMAT", help_heading = "Output")]
    pub(crate) format: Option<Format>,
    /// Exit with 1 if any pair's status is not ok
    #[arg(long, help_heading = "Output")]
    pub(crate) strict: bool,
    /// Exit with 1 if the first metric's mean (evaluate: its AUC; judge: the share of pairs not refuted) is below X
    #[arg(long, value_name = "X", help_heading = "Output")]
    pub(crate) fail_under: Option<f64>,
}

/// How results are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people
    Text,
    /// One JSON document with signatures and counts
    Json,
    /// One JSON object a pair, in input order
    Jsonl,
}
