//! The hidden command `twinql worker`: a process that judges pairs and may be killed.

use std::io::{BufReader, stdin, stdout};

use anyhow::{Context, Result};
use twinql::judging::{self, Workers};
use twinql::suite::worker::{Program, serve};

use crate::args::Workers as Kind;

/// Threads of this process, or processes of this program.
pub(crate) fn workers(kind: Kind) -> Result<Workers> {
    Ok(match kind {
        Kind::Threads => Workers::Threads,
        Kind::Processes => Workers::Processes(judging::crew(program()?)),
    })
}

/// This program as a worker.
fn program() -> Result<Program> {
    let path = std::env::current_exe()
        .context("cannot find this program's file to start workers of it; try --workers threads")?;
    Ok(Program {
        path,
        arguments: vec!["worker".into(), "--threads".into(), "1".into()],
    })
}

/// Judges what comes on standard input.
pub(crate) fn run() -> Result<bool> {
    limits::memory();
    serve(BufReader::new(stdin()), stdout(), limits::renew)?;
    Ok(true)
}

/// What the operating system holds back.
#[cfg(unix)]
mod limits {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    use rustix::time::{ClockId, clock_gettime};

    /// Bytes of address space of a worker: SQLite's own bound of 1 GiB, and room for parsing.
    const MEMORY: u64 = 4 << 30;
    /// CPU seconds for one pair.
    const SECONDS: u64 = 120;

    pub(super) fn memory() {
        // Where it cannot be lowered, a lower one holds already.
        let _ = lower(Resource::As, MEMORY);
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
    pub(super) fn memory() {}

    pub(super) fn renew(_pairs: usize) {}
}
