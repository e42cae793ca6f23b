//! `twinql rerank`, as typed.

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use twinql::rerank::{Method, RerankConfig, Utility, Weights};

use super::shared::{Format, PredDialectFlags, SchemaFlags, SemanticsFlag};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  twinql rerank --sets candidates.jsonl --schemas tables.json > chosen.jsonl
  twinql rerank --sets beams.jsonl --gold train_gold.sql --schemas tables.json --weights rank:0.7
  twinql rerank --sets candidates.jsonl --schemas tables.json --method mbr --format text

A line of --sets is a JSON object: id, db_id (or schema, DDL text), and candidates, a list of SQL texts or of
objects {\"sql\": …, \"logprob\": …}; idx and beam are taken for id and candidates.

Candidates with one canonical form, and those proved equal, are a class. majority takes the class with the most
votes; mbr the one that the candidates' metric agrees with most on the mean (minimum Bayes risk). A candidate
that is no query over the schema has no vote, and its error in the result. Nothing is executed.")]
pub(crate) struct Rerank {
    /// Sets of candidates as JSON lines (.gz is read too)
    #[arg(long, value_name = "FILE", help_heading = "Input")]
    pub(crate) sets: PathBuf,
    #[command(flatten)]
    pub(crate) schemas: SchemaFlags<PredDialectFlags>,
    /// The database of sets that name none [default: the only one in --schemas]
    #[arg(long, value_name = "ID", conflicts_with = "gold", help_heading = "Input")]
    pub(crate) db_id: Option<String>,
    /// Golds, `SQL<TAB>db_id` a line, which say what the sets of these numbers are over; their SQL is not read
    #[arg(long, value_name = "FILE", help_heading = "Input")]
    pub(crate) gold: Option<PathBuf>,
    /// How a candidate is chosen
    #[arg(long, value_enum, value_name = "NAME", default_value = "majority")]
    method: Choice,
    /// What agreement between candidates is, for mbr
    #[arg(long, value_enum, value_name = "NAME", default_value = "gmn")]
    metric: Agreement,
    /// How much each candidate's vote counts: uniform; logprob, or logprob:T at a temperature; rank:D, each the share D
    /// of the one before
    #[arg(long, value_name = "WEIGHTS", default_value = "uniform")]
    weights: String,
    /// Compare canonical forms alone, without trying proofs
    #[arg(long)]
    no_proofs: bool,
    #[command(flatten)]
    semantics: SemanticsFlag,
    /// The network: `small` or `base`, which are built in, or a checkpoint of `twinql train` [default: small]
    #[arg(long, value_name = "NAME|FILE")]
    pub(crate) checkpoint: Option<PathBuf>,
    /// Write results to this file, whole or not at all [default: stdout]
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) out: Option<PathBuf>,
    /// How results are written
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "jsonl", help_heading = "Output")]
    pub(crate) format: Format,
    /// Exit with 1 if any set has no candidate that is a query over its schema
    #[arg(long, help_heading = "Output")]
    pub(crate) strict: bool,
}

/// How a candidate is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Choice {
    /// The highest expected agreement with all candidates
    Mbr,
    /// The most votes
    Majority,
}

/// What agreement is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Agreement {
    /// The network's probability that the answers are the same
    Gmn,
    /// Partial match of plans
    Relpm,
}

impl Rerank {
    /// The library's configuration.
    pub(crate) fn config(&self) -> Result<RerankConfig> {
        Ok(RerankConfig {
            method: match self.method {
                Choice::Mbr => Method::Mbr,
                Choice::Majority => Method::Majority,
            },
            utility: match self.metric {
                Agreement::Gmn => Utility::Gmn,
                Agreement::Relpm => Utility::RelPm,
            },
            weights: weights(&self.weights)?,
            proofs: !self.no_proofs,
            semantics: self.semantics.get()?,
            dialects: self.schemas.dialects.get(),
        })
    }
}

/// Reads `uniform`, `logprob`, `logprob:T` or `rank:D`.
fn weights(text: &str) -> Result<Weights> {
    let (name, number) = match text.split_once(':') {
        Some((name, number)) => (name, Some(number)),
        None => (text, None),
    };
    let number = number.map(str::parse::<f64>).transpose();
    match (name.trim(), number) {
        ("uniform", Ok(None)) => Ok(Weights::Uniform),
        ("logprob", Ok(None)) => Ok(Weights::LogProb { temperature: 1.0 }),
        ("logprob", Ok(Some(temperature))) if temperature > 0.0 && temperature.is_finite() => {
            Ok(Weights::LogProb { temperature })
        }
        ("rank", Ok(Some(decay))) if decay > 0.0 && decay <= 1.0 => Ok(Weights::Rank { decay }),
        _ => bail!(
            "--weights {text:?}: give uniform, logprob, logprob:T with a temperature above 0, or rank:D with D above 0 and at most 1"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_read() {
        assert_eq!(weights("uniform").unwrap(), Weights::Uniform);
        assert_eq!(weights("logprob").unwrap(), Weights::LogProb { temperature: 1.0 });
        assert_eq!(weights("logprob:0.5").unwrap(), Weights::LogProb { temperature: 0.5 });
        assert_eq!(weights("rank:0.7").unwrap(), Weights::Rank { decay: 0.7 });
        for wrong in
            ["", "rank", "rank:0", "rank:2", "logprob:0", "logprob:nan", "logprob:inf", "uniform:1", "x:1"]
        {
            assert!(weights(wrong).is_err(), "{wrong}");
        }
    }
}
