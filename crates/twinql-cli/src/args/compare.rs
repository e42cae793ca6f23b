//! `twinql compare` as typed.

use std::path::PathBuf;

use clap::Args;

use super::shared::{Metrics, Output, SystemsFlags};

/// Systems under metrics.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  twinql compare --gold dev_gold.sql --schemas tables.json --pred old.txt --pred new.txt
  twinql compare --gold dev_gold.sql --schemas tables.json --pred 'ours=run7/dev.txt' --pred 'T5=t5.txt' \\
    --metric gmn,relpm,proof --reference suite --report compare.html
  twinql compare --gold dev_gold.sql --schemas tables.json --pred leaderboard/*.txt --plug-values --out all.json
  twinql compare --gold dev_gold.sql --schemas tables.json --pred runs/*.txt --metric gmn,esm \
    --external 'executed=verdicts/{}.jsonl' --reference executed

The reference is the metric that the others are measured by: it is computed whether --metric names it or not.
With an external one the suite runs only if --metric names it.
Differences between systems are paired: intervals by bootstrap, p by approximate randomisation, adjusted for
all contests (Holm). Equal predictions for one gold are scored once.")]
pub(crate) struct Compare {
    #[command(flatten)]
    pub(crate) systems: SystemsFlags,
    /// For systems that predict no values: try the gold's values in all places, and keep the best score
    #[arg(long, help_heading = "Input")]
    pub(crate) plug_values: bool,
    /// Texts that are tried for a prediction with --plug-values
    #[arg(long, value_name = "N", default_value_t = 64, requires = "plug_values", help_heading = "Input")]
    pub(crate) most_plugged: usize,
    /// The metric that the others are measured by: one of twinql's own, or one of --external
    #[arg(long, value_name = "NAME", default_value = "suite")]
    pub(crate) reference: String,
    /// Scores that another program gave the predictions, as a further metric: a file for each system, with {} in place
    /// of its name, or one file whose lines name the system. JSON lines with id (the place of the gold, from 0) and
    /// score; right from THRESHOLD on [default: 0.5]. Again for each
    #[arg(long, value_name = "NAME[@THRESHOLD]=FILE")]
    pub(crate) external: Vec<crate::external::ExternalFlag>,
    /// Bootstrap resamples of the intervals
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub(crate) resamples: usize,
    /// Random exchanges of the significance tests
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    pub(crate) exchanges: usize,
    /// Write a report with tables, pictures and telling pairs, as the ending says: .html, .md, .tex, .txt, .json
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) report: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) metrics: Metrics,
    #[command(flatten)]
    pub(crate) output: Output,
}
