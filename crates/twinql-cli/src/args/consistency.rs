//! `twinql consistency`, as typed.

use std::path::PathBuf;

use clap::Args;

use super::shared::{DialectFlag, Metrics, NeededSchemaFlags, Output};

/// How consistent a system is under transformed inputs.
#[derive(Debug, Args)]
#[command(mut_arg("metric", |a| a.default_value("esm,proof,suite")))]
#[command(after_help = "\
Examples:
  twinql perturb --questions dev.json --schemas tables.json --out transformed.jsonl
  (your system predicts for dev.json and for transformed.jsonl)
  twinql consistency --questions transformed.jsonl --schemas tables.json --originals dev_pred.sql \\
    --transformed transformed_pred.sql --report consistency.html

Predictions are one SQL query a line, in the order of the inputs, an empty line where there is none; or JSON lines
with id and sql, where an original's id is its place from 0. A prediction over a transformed schema is read through
the transformation: a renamed column is the same column. Two predictions are the same where the metric's score
reaches its threshold; equal texts are, whatever the metric. Inputs without predictions are named and counted.")]
pub(crate) struct Consistency {
    /// The transformed test set that `twinql perturb` wrote
    #[arg(long, value_name = "FILE", help_heading = "Input")]
    pub(crate) questions: PathBuf,
    #[command(flatten)]
    pub(crate) input: NeededSchemaFlags<DialectFlag>,
    /// Predictions for the original questions
    #[arg(long, value_name = "FILE", help_heading = "Input")]
    pub(crate) originals: PathBuf,
    /// Predictions for the transformed inputs
    #[arg(long, value_name = "FILE", help_heading = "Input")]
    pub(crate) transformed: PathBuf,
    /// Bootstrap resamples of the intervals, over originals
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub(crate) resamples: usize,
    /// Fluency in the report by another language model: JSON lines with id and score; an original's id is its place
    /// from 0 [default: a built-in trigram model]
    #[arg(long, value_name = "FILE", requires = "report")]
    pub(crate) fluency_scores: Option<PathBuf>,
    /// Write a report with tables, pictures and examples, as the ending says: .html, .md, .tex, .txt, .json
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) report: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) metrics: Metrics,
    #[command(flatten)]
    pub(crate) output: Output,
}
