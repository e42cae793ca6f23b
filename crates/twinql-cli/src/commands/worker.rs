//! The hidden command `twinql worker`: a process that judges pairs and may be killed (see [`serving`]).

use anyhow::{Context, Result};
use twinql::judging::{self, Workers};
use twinql::serving;
use twinql::suite::Limits;
use twinql::suite::worker::Program;

use crate::args::Workers as Kind;

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
