//! Flags that several commands take, each written once.

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use twinql::graph::Question;
use twinql::judging::WORKER_HEAP;
use twinql::sql::{Dialect, Semantics};
use twinql::suite::Limits;

use super::typed::Format;

/// Whose SQL is read.
#[derive(Debug, Args)]
pub(crate) struct DialectFlag {
    /// Whose SQL the queries and the DDL are: sqlite, postgres, mysql, generic
    #[arg(long, value_name = "NAME", default_value_t, help_heading = "Input")]
    pub(crate) dialect: Dialect,
}

/// Schemas that pairs may also carry themselves.
#[derive(Debug, Args)]
pub(crate) struct SchemaFlags {
    /// Schemas: a tables.json, a .sql file of CREATE TABLE statements, a .sqlite file, or a folder of them
    #[arg(long, value_name = "PATH", help_heading = "Input")]
    pub(crate) schemas: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) dialect: DialectFlag,
}

/// Schemas without which there is nothing to do.
#[derive(Debug, Args)]
pub(crate) struct NeededSchemaFlags {
    /// Schemas: a tables.json, a .sql file of CREATE TABLE statements, a .sqlite file, or a folder of them
    #[arg(long, value_name = "PATH", help_heading = "Input")]
    pub(crate) schemas: PathBuf,
    #[command(flatten)]
    pub(crate) dialect: DialectFlag,
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
    /// Small databases in memory on which gmn and two-tier evaluate pairs whose canonical forms differ, three times as many
    /// where a query counts far (LIMIT 10); 0 leaves the word to the network alone [default: 12, and 4 with --question
    /// plausible]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(0..=1_000))]
    pub(crate) probe: Option<u64>,
}

/// On which databases.
#[derive(Debug, Args)]
pub(crate) struct QuestionFlag {
    /// What the network is asked: whether two queries answer the same on every database, or on a plausible one, as
    /// people have them
    #[arg(long, value_name = "every|plausible", default_value = "every")]
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
    /// What `the same answer` means: default, no-fk, spider, bird, declared, strict [default: default]
    #[arg(long, value_name = "NAME")]
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
