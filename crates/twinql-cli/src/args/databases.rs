//! The users' own databases, for metrics that execute on them.

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use twinql::metrics::Metric;
use twinql::suite::bird::Cost;

/// What efficiency is measured in, as typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CostKind {
    /// Steps of SQLite's virtual machine: the same on every machine
    Steps,
    /// Seconds, as BIRD has it: another figure in every run
    Time,
}

#[derive(Debug, Args)]
pub(crate) struct DatabasesFlags {
    /// The databases on which execution, bird-ex, ves, r-ves and soft-f1 are computed: a folder with DB/DB.sqlite
    /// for each
    #[arg(long, value_name = "FOLDER")]
    pub(crate) db: Option<PathBuf>,
    /// What ves and r-ves measure
    #[arg(long, value_enum, value_name = "KIND", default_value = "steps")]
    cost: CostKind,
    /// Runs of each query with --cost time [default: 100]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    repeats: Option<u32>,
}

impl DatabasesFlags {
    /// What is measured, checked against the metrics that are asked for.
    pub(crate) fn cost(&self, metrics: &[&Metric]) -> Result<Cost> {
        if let (None, Some(metric)) = (&self.db, metrics.iter().find(|m| m.executes())) {
            let name = metric.name;
            bail!(
                "--metric {name} executes the queries on databases: give --db FOLDER, with DB/DB.sqlite for each"
            );
        }
        match (self.cost, self.repeats) {
            (CostKind::Steps, Some(_)) => {
                bail!("--repeats is for --cost time: the steps of a query are the same in every run")
            }
            (CostKind::Steps, None) => Ok(Cost::Steps),
            (CostKind::Time, repeats) => Ok(Cost::Time { repeats: repeats.unwrap_or(Cost::REPEATS) }),
        }
    }
}
