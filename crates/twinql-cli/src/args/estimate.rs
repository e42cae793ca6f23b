//! `twinql estimate` as typed.

use std::path::PathBuf;

use clap::Args;

use twinql::estimates::Assumed;

use super::shared::{Output, ProfileFlag, RunFlags, SemanticsFlag, SystemsFlags};

/// Execution accuracies without databases.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  twinql estimate --gold dev_gold.sql --schemas tables.json --pred old.txt --pred new.txt --semantics bird
  twinql estimate --gold dev_gold.sql --schemas tables.json --pred 'ours=run7/dev.txt' --pred 'T5=t5.txt' --format json
  twinql estimate --gold dev_gold.sql --schemas tables.json --pred new.txt --assume-accuracy 0.7
  twinql estimate --gold dev_gold.sql --schemas tables.json --pred runs/*.txt --plausible 64 --out estimates.json

Each prediction is scored by `ex`. The mean is the estimate; intervals are drawn, with predictions for one gold and over
one database right or wrong together as far as executed ones were. Equal predictions for one gold are scored once.
Which of two systems is better is clearer than how good each is: what both share cancels.")]
pub(crate) struct Estimate {
    #[command(flatten)]
    pub(crate) systems: SystemsFlags,
    /// How many of the predictions are taken to be right, from 0 to 1; `batch` for what the scores of each system say
    /// [default: as many as of those that ex was fitted to]
    #[arg(long, value_name = "P|batch")]
    pub(crate) assume_accuracy: Option<Assumed>,
    /// How often an interval is to hold
    #[arg(long, value_name = "LEVEL", default_value_t = 0.9, value_parser = super::shared::share)]
    pub(crate) level: f64,
    /// Draws of the intervals
    #[arg(long, value_name = "N", default_value_t = 2000)]
    pub(crate) resamples: usize,
    #[command(flatten)]
    pub(crate) semantics: SemanticsFlag,
    /// The network: `small` or `base`, which are built in, or a checkpoint of `twinql train`
    /// [default: small]
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
    #[command(flatten)]
    pub(crate) output: Output,
}
