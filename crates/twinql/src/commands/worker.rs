//! The hidden command `twinql worker`: a process that judges pairs and may be killed.

use std::io::{BufReader, stdin, stdout};

use anyhow::{Context, Result};
use twinql::judging::{self, Workers};
use twinql::suite::Limits;
use twinql::suite::worker::{Program, serve};

use crate::args::Workers as Kind;

/// Threads of this process, or processes of this program.
pub(crate) fn workers(kind: Kind, limits: &Limits) -> Result<Workers> {
    Ok(match kind {
        Kind::Threads => Workers::Threads,
        Kind::Processes => Workers::Processes(judging::crew(program(limits)?)),
    })
}

/// Bytes beside SQLite's: the program, parsing, and two answers of the largest size allowed,
/// which take several times their own bytes.
fn beside(limits: &Limits) -> u64 {
    (1 << 30) + 8 * limits.bytes as u64
}

/// This program as a worker.
fn program(limits: &Limits) -> Result<Program> {
    let most = limits.heap_bytes.saturating_add(beside(limits));
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
    limits::memory(address_space);
    serve(BufReader::new(stdin()), stdout(), limits::renew)?;
    Ok(true)
}

/// What the operating system holds back.
#[cfg(unix)]
mod limits {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    use rustix::time::{ClockId, clock_gettime};

    /// CPU seconds for one pair.
    const SECONDS: u64 = 120;

    pub(super) fn memory(most: u64) {
        // Where it cannot be lowered, a lower one holds already.
        let _ = lower(Resource::As, most);
        let _ = lower(Resource::Core, 0);
    }

    /// Gives the process `SECONDS` for each of `pairs` from now on; the system ends it when
    /// they are over.
    pub(super) fn renew(pairs: usize) {
        let used = clock_gettime(ClockId::ProcessCPUTime).tv_sec;
        let more = SECONDS.saturating_mul(pairs as u64);
        let until = u64::try_from(used).unwrap_or(0).saturating_add(more);
        let _ = lower(Resource::Cpu, until);
    }

    fn lower(resource: Resource, to: u64) -> rustix::io::Result<()> {
        let maximum = getrlimit(resource).maximum;
        let current = Some(maximum.map_or(to, |m| m.min(to)));
        setrlimit(resource, Rlimit { current, maximum })
    }
}

/// Only the wall time of the process that started this one.
#[cfg(not(unix))]
mod limits {
    pub(super) fn memory(_most: u64) {}

    pub(super) fn renew(_pairs: usize) {}
}
