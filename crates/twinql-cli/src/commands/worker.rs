//! The hidden command `twinql worker`: a process that judges pairs and may be killed (see [`serving`]).

use std::sync::OnceLock;

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

/// How a worker is started; its last argument is the address space that it may use, in bytes.
static STARTED: OnceLock<Program> = OnceLock::new();

/// Says how workers are started where that is not by this program's own file.
pub(crate) fn start_by(program: Program) {
    // Once is enough: a process is one program.
    let _ = STARTED.set(program);
}

/// This program as a worker.
fn program(limits: &Limits) -> Result<Program> {
    let mut program = match STARTED.get() {
        Some(program) => program.clone(),
        None => Program {
            path: std::env::current_exe()
                .context("cannot find this program's file to start workers of it; try --workers threads")?,
            arguments: ["worker", "--threads", "1", "--address-space"].map(str::to_owned).into(),
        },
    };
    program.arguments.push(serving::address_space(limits).to_string());
    Ok(program)
}

/// Judges what comes on standard input.
pub(crate) fn run(address_space: u64) -> Result<bool> {
    serving::run(address_space)?;
    Ok(true)
}
