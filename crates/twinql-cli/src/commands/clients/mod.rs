//! Other databases through the client that the user has: `psql` and `duckdb`, run as any program is.
//!
//! twinql opens no connection of its own. What a client says on stdout is read within bounds of size and time; what
//! it says on stderr is shown where it fails.

mod duckdb;
mod postgres;

use std::io::{ErrorKind, Read};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

pub(super) use duckdb::{copy_to_sqlite, is_duckdb};
pub(super) use postgres::{Exported, Server};

/// Bytes of stdout that are read.
const MOST_OUT: u64 = 512 << 20;
/// Bytes of stderr that are kept.
const MOST_ERR: u64 = 4 << 10;
/// Bytes that a file which a client writes may have.
const MOST_FILE: u64 = 16 << 30;
/// How often a client that runs is looked at.
const LOOK: Duration = Duration::from_millis(20);

/// Why a client gave nothing; `Display` finishes a sentence that begins with its name.
#[derive(Debug)]
enum ClientError {
    /// There is no such program.
    Missing,
    /// The system cannot run it, or read what it says.
    System(std::io::Error),
    /// It ended with an error: what it says, or how it ended.
    Failed(String),
    /// It took longer than this.
    Slow(Duration),
    /// It gave, or wrote, more than this many bytes.
    Large(u64),
}

impl std::fmt::Display for ClientError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ClientError::Missing => f.write_str("was not found"),
            ClientError::System(error) => write!(f, "cannot be run: {error}"),
            ClientError::Failed(said) => write!(f, "failed: {said}"),
            ClientError::Slow(limit) => write!(
                f,
                "took longer than {} s and was stopped; --client-seconds gives it more",
                limit.as_secs()
            ),
            ClientError::Large(bytes) => {
                write!(f, "gave more than {} MiB and was stopped", bytes >> 20)
            }
        }
    }
}

/// Runs a client to its end and gives what it printed. It is stopped when the time is over, when it prints too
/// much, and when `written`, a file that it writes, grows too large.
fn output(mut command: Command, limit: Duration, written: Option<&Path>) -> Result<Vec<u8>, ClientError> {
    let began = Instant::now();
    let spawned = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = spawned.map_err(|e| match e.kind() {
        ErrorKind::NotFound => ClientError::Missing,
        _ => ClientError::System(e),
    })?;
    let out = reader(child.stdout.take(), MOST_OUT);
    let err = reader(child.stderr.take(), MOST_ERR);
    match attend(&mut child, &out, began, limit, written) {
        Ok((status, bytes)) if status.success() => Ok(bytes),
        Ok((status, _)) => {
            // Who else holds the pipe is not waited for.
            let said = err.recv_timeout(Duration::from_secs(1)).ok().and_then(Result::ok).unwrap_or_default();
            let said = String::from_utf8_lossy(&said).trim().to_owned();
            Err(ClientError::Failed(if said.is_empty() { status.to_string() } else { said }))
        }
        Err(error) => {
            // It may have ended meanwhile.
            let _ = child.kill();
            let _ = child.wait();
            Err(error)
        }
    }
}

/// Waits for a client and what it prints.
fn attend(
    child: &mut Child,
    out: &Receiver<std::io::Result<Vec<u8>>>,
    began: Instant,
    limit: Duration,
    written: Option<&Path>,
) -> Result<(ExitStatus, Vec<u8>), ClientError> {
    let mut bytes = None;
    loop {
        if bytes.is_none() {
            match out.recv_timeout(LOOK) {
                Ok(Ok(read)) if read.len() as u64 > MOST_OUT => return Err(ClientError::Large(MOST_OUT)),
                Ok(Ok(read)) => bytes = Some(read),
                Ok(Err(error)) => return Err(ClientError::System(error)),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => bytes = Some(Vec::new()),
            }
        } else {
            std::thread::sleep(LOOK);
        }
        // It has ended only when all that it printed is here.
        if let Some(read) = &mut bytes
            && let Some(status) = child.try_wait().map_err(ClientError::System)?
        {
            return Ok((status, std::mem::take(read)));
        }
        if began.elapsed() > limit {
            return Err(ClientError::Slow(limit));
        }
        if written.and_then(|path| path.metadata().ok()).is_some_and(|m| m.len() > MOST_FILE) {
            return Err(ClientError::Large(MOST_FILE));
        }
    }
}

/// Reads a pipe to its end on a thread of its own; one byte beyond `most` shows that there is more. What lies
/// beyond is read by nobody: stdout's writer is stopped then, stderr's goes on without being heard.
fn reader(pipe: Option<impl Read + Send + 'static>, most: u64) -> Receiver<std::io::Result<Vec<u8>>> {
    let (send, receive) = channel();
    let work = move || {
        let Some(mut pipe) = pipe else { return };
        let mut bytes = Vec::new();
        let read = pipe.by_ref().take(most + 1).read_to_end(&mut bytes).map(|_| bytes);
        // Nobody listens any more where the client was stopped.
        let _ = send.send(read);
        // A full pipe would hold the client up.
        let _ = std::io::copy(&mut pipe, &mut std::io::sink());
    };
    // Without a thread the sender is gone, and the pipe with it: nothing was printed.
    let _ = std::thread::Builder::new().spawn(work);
    receive
}
