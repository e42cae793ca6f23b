//! The hidden command `twinql worker`: a process that judges pairs and may be killed (see [`serving`]).

use anyhow::{Context, Result};
use twinql::engine::judge_config;
use twinql::judging::{self, Workers};
use twinql::suite::worker::Program;
use twinql::suite::{JudgeConfig, Limits};
use twinql::{Semantics, serving};

use crate::args::shared::RunFlags;
use crate::args::{self, DEFAULT_SEED, Workers as Kind};

/// The judge that flags ask for, who makes witnesses as small as they get; and what runs its queries.
pub(super) fn judge(
    run: &RunFlags,
    semantics: Semantics,
    databases: Option<usize>,
    seed: Option<u64>,
) -> Result<(JudgeConfig, Workers)> {
    let config = judge_config(semantics, args::databases(databases)?, seed.unwrap_or(DEFAULT_SEED));
    let config = JudgeConfig { shrink: true, limits: run.limits(Limits::default())?, ..config };
    let workers = workers(run.workers, &config.limits)?;
    Ok((config, workers))
}

/// Threads of this process, or processes of this program.
pub(crate) fn workers(kind: Kind, limits: &Limits) -> Result<Workers> {
    Ok(match kind {
        Kind::Threads => Workers::Threads,
        Kind::Processes => Workers::Processes(judging::crew(program(limits)?)),
    })
}

/// This program as a worker.
fn program(limits: &Limits) -> Result<Program> {
    let most = serving::address_space(limits);
    let path = std::env::current_exe()
        .context("cannot find this program's file to start workers of it; try --workers threads")?;
    Ok(Program {
        path,
        arguments: ["worker", "--threads", "1", "--address-space"]
            .map(str::to_owned)
            .into_iter()
            .chain([most.to_string()])
            .collect(),
    })
}

/// Judges what comes on standard input.
pub(crate) fn run(address_space: u64) -> Result<bool> {
    serving::run(address_space)?;
    Ok(true)
}
