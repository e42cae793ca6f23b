//! Runs the program with a guard against runs without end.

use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Long enough for a busy machine: nothing here measures speed, it only ends what would hang.
const PATIENCE: Duration = Duration::from_secs(120);

/// What a run left.
pub(crate) struct Ended {
    /// The exit code, or what a shell would say of the signal that ended it.
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
    /// It was still running when the patience was spent.
    pub(crate) hung: bool,
}

/// The program under test; `HOSTILE_BINARY` names another one, to see what it gets wrong.
pub(crate) fn binary() -> PathBuf {
    std::env::var_os("HOSTILE_BINARY")
        .map_or_else(|| PathBuf::from(env!("CARGO_BIN_EXE_twinql")), PathBuf::from)
}

/// The program in `folder`, without the environment's own settings, under limits of the system.
pub(crate) fn command(folder: &Path, args: &[&str], limits: &[String]) -> Command {
    let mut command = Command::new(binary());
    if !limits.is_empty() {
        command = Command::new("sh");
        let set: String = limits.iter().map(|l| format!("ulimit {l} && ")).collect();
        command.arg("-c").arg(format!("{set} exec \"$0\" \"$@\"")).arg(binary());
    }
    for (name, _) in std::env::vars() {
        if name.starts_with("TWINQL_") {
            command.env_remove(name);
        }
    }
    command.current_dir(folder).args(args);
    command
}

fn reader(mut from: impl Read + Send + 'static) -> JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = from.read_to_end(&mut bytes);
        bytes
    })
}

fn signal(child: &Child, name: &str) {
    let id = child.id().to_string();
    let _ = Command::new("kill").args(["-s", name, &id]).status();
}

/// Runs to the end. With `interrupt`, stdin stays open, and SIGINT comes after that time.
pub(crate) fn run(mut command: Command, stdin: Option<Vec<u8>>, interrupt: Option<Duration>) -> Ended {
    let begun = Instant::now();
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let out = reader(child.stdout.take().unwrap());
    let err = reader(child.stderr.take().unwrap());
    let mut input = child.stdin.take();
    if let Some(bytes) = stdin {
        let mut pipe = input.take().unwrap();
        std::thread::spawn(move || {
            let _ = pipe.write_all(&bytes);
        });
    } else if interrupt.is_none() {
        input = None;
    }
    let (mut interrupted, mut hung) = (false, false);
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if !interrupted && interrupt.is_some_and(|after| begun.elapsed() > after) {
            interrupted = true;
            signal(&child, "INT");
        }
        if begun.elapsed() > PATIENCE && !hung {
            hung = true;
            let _ = child.kill();
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    drop(input);
    let text = |bytes: JoinHandle<Vec<u8>>| String::from_utf8_lossy(&bytes.join().unwrap()).into_owned();
    Ended {
        code: status.code().or_else(|| status.signal().map(|s| 128 + s)),
        out: text(out),
        err: text(err),
        hung,
    }
}
