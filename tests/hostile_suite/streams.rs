//! Results appear as they come: what is asked for is written before the input has ended.

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::time::Duration;

use tempfile::TempDir;

use super::program;

const DDL: &str = "CREATE TABLE t (id INTEGER PRIMARY KEY, a INTEGER, b TEXT);";
const LINE: &str = r#"{"db_id": "t", "gold": "SELECT a FROM t", "pred": "SELECT b FROM t"}"#;
/// What is written at most before the first result: some thousands of pairs.
const MOST: usize = 20_000;

/// Writes pairs until a first result comes, and never closes the input before.
fn first_result_before_the_end(args: &[&str]) {
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("t.sql"), DDL).unwrap();
    let common = ["--pairs", "/dev/stdin", "--schemas", "t.sql"];
    let mut command = program::command(folder.path(), &[args, &common].concat(), &[]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let output = BufReader::new(child.stdout.take().unwrap());
    let (send, first) = mpsc::channel();
    std::thread::spawn(move || {
        let _ = send.send(output.lines().next());
    });
    let done = Arc::new(AtomicBool::new(false));
    let stop = Arc::clone(&done);
    let writer = std::thread::spawn(move || {
        for _ in 0..MOST {
            if stop.load(Ordering::Relaxed) || writeln!(input, "{LINE}").is_err() {
                break;
            }
        }
        input
    });
    // Nothing is timed: this only ends what would wait without end.
    let line = first.recv_timeout(Duration::from_secs(60));
    done.store(true, Ordering::Relaxed);
    let _ = child.kill();
    let _ = child.wait();
    drop(writer.join());
    let line = line.ok().flatten();
    let line = line.and_then(Result::ok).unwrap_or_default();
    assert!(line.contains("\"status\":\"ok\""), "{args:?}: no result while the input is open: {line}");
}

#[test]
fn score_streams() {
    first_result_before_the_end(&["score", "--metric", "relpm"]);
}

#[test]
fn judge_streams() {
    first_result_before_the_end(&["judge", "--databases", "3"]);
}

#[test]
fn prove_streams() {
    first_result_before_the_end(&["prove"]);
}
