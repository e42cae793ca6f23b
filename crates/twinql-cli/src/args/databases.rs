//! The users' own databases, for metrics that execute on them.

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use twinql::metrics::MetricInfo;
use twinql::runs::executes;
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
    pub(crate) fn cost(&self, metrics: &[&MetricInfo]) -> Result<Cost> {
        let named: Vec<&str> = metrics.iter().filter(|m| executes(m)).map(|m| m.name).collect();
        match (&self.db, named.first()) {
            (None, Some(name)) => bail!(
                "--metric {name} executes the queries on databases: give --db FOLDER, with DB/DB.sqlite for each"
            ),
            (Some(_), None) => bail!(
                "--db is read by metrics that execute, and none is asked for; add execution or bird-ex to --metric"
            ),
            _ => {}
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
