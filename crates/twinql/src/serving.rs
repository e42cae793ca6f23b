//! A worker process: what answers [`twinql_suite::worker::Crew`] on standard input and output.
//!
//! SQLite bounds what a query takes by its own count, and a query that escapes these bounds (in one long
//! call, in memory of another kind) would end the whole batch. In a process of its own it ends that process
//! alone: the system bounds its address space and its CPU time, and who asked notes a timeout and starts
//! another. The program is such a process as `twinql worker`; other programs call [`run`] where they were started as
//! one.

use std::io::{self, BufReader, Cursor, ErrorKind, Read, stdin, stdout};
use std::sync::mpsc::{Receiver, sync_channel};

use twinql_suite::Limits;
use twinql_suite::worker::{greet, serve};

use crate::exit;

/// Bytes of address space that a worker needs for executions within `limits`, beside what it begins with: SQLite's
/// own, parsing, and two answers of the largest size allowed, which take several times their own bytes.
pub fn address_space(limits: &Limits) -> u64 {
    limits.heap_bytes.saturating_add((512 << 20) + 8 * limits.bytes as u64)
}

/// Judges what comes on standard input, with at most `address_space` bytes beside what the process has already. It
/// returns where the input ends in peace; where it ends otherwise the process is ended with it.
///
/// # Errors
/// The input is none, or the output cannot be written.
pub fn run(address_space: u64) -> io::Result<()> {
    // Before the end of the input can end the process, so that who asks knows what it has started.
    let mut output = stdout();
    greet(&mut output)?;
    let input = BufReader::new(requests()?);
    limits::memory(address_space);
    serve(input, output, limits::renew)
}

/// Standard input, read by a thread of its own: where it ends, whoever asked is gone, and the
/// process ends in the middle of whatever it is doing.
fn requests() -> io::Result<Pipe> {
    let (to, from) = sync_channel(16);
    let read = move || {
        let mut input = stdin().lock();
        let mut piece = vec![0; 64 << 10];
        loop {
            match input.read(&mut piece) {
                Ok(n) if n > 0 => {
                    let bytes = piece[..n].to_vec();
                    if to.send(bytes).is_err() {
                        return;
                    }
                }
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Ok(_) | Err(_) => std::process::exit(i32::from(exit::DONE)),
            }
        }
    };
    std::thread::Builder::new().spawn(read)?;
    Ok(Pipe { from, piece: Cursor::default() })
}

/// What a thread has read.
struct Pipe {
    from: Receiver<Vec<u8>>,
    piece: Cursor<Vec<u8>>,
}

impl Read for Pipe {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.piece.read(to)? {
                0 => match self.from.recv() {
                    Ok(piece) => self.piece = Cursor::new(piece),
                    Err(_) => return Ok(0),
                },
                n => return Ok(n),
            }
        }
    }
}

/// What the operating system holds back.
#[cfg(unix)]
mod limits {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    use rustix::time::{ClockId, clock_gettime};

    /// CPU seconds for one pair.
    const SECONDS: u64 = 120;

    /// Lets the process have `most` bytes of address space beside what it has: stacks, and what the
    /// allocator reserved for itself at the start.
    pub(super) fn memory(most: u64) {
        // Where it cannot be lowered, a lower one holds already.
        let _ = lower(Resource::As, most.saturating_add(mapped()));
        let _ = lower(Resource::Core, 0);
    }

    /// Bytes of address space that this process has; a guess where the system does not tell.
    fn mapped() -> u64 {
        let pages = std::fs::read_to_string("/proc/self/statm")
            .ok()
            .and_then(|text| text.split(' ').next()?.parse::<u64>().ok());
        pages.map_or(2 << 30, |pages| pages.saturating_mul(rustix::param::page_size() as u64))
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
