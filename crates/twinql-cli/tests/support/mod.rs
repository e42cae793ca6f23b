//! A folder with tiny inputs, and the program run in it.

// Each test file compiles this module anew and uses a part of it.
#![allow(dead_code, unreachable_pub, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

pub mod server;

use std::path::{Path, PathBuf};

use assert_cmd::Command;
use serde_json::Value;
use tempfile::TempDir;

pub const DDL: &str = "\
CREATE TABLE singer (id INTEGER PRIMARY KEY, name TEXT NOT NULL, age INTEGER);
CREATE TABLE concert (id INTEGER PRIMARY KEY, singer_id INTEGER NOT NULL REFERENCES singer(id), year INTEGER);
";

pub struct Folder {
    dir: TempDir,
}

impl Folder {
    /// A folder with `concerts.sql`, the schema of the database `concerts`.
    pub fn new() -> Folder {
        let folder = Folder { dir: TempDir::new().unwrap() };
        folder.write("concerts.sql", DDL);
        folder
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), content).unwrap();
    }

    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    /// The program in this folder, without the environment's own settings.
    pub fn twinql(&self, args: &[&str]) -> Command {
        let mut command = Command::new(Path::new(env!("CARGO_BIN_EXE_twinql")));
        for (name, _) in std::env::vars() {
            if name.starts_with("TWINQL_") {
                command.env_remove(name);
            }
        }
        command.current_dir(self.dir.path()).args(args);
        command
    }

    /// Starts the program in this folder; its output can be read.
    pub fn start(&self, args: &[&str]) -> std::process::Child {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_twinql"));
        for (name, _) in std::env::vars() {
            if name.starts_with("TWINQL_") {
                command.env_remove(name);
            }
        }
        command
            .current_dir(self.dir.path())
            .args(args)
            .stdin(std::process::Stdio::null())
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap()
    }

    /// Makes a named pipe.
    pub fn fifo(&self, name: &str) {
        let made = std::process::Command::new("mkfifo").arg(self.path(name)).status();
        assert!(made.unwrap().success());
    }

    /// Runs, checks the exit code, and gives stdout and stderr.
    pub fn run(&self, args: &[&str], code: i32) -> (String, String) {
        let output = self.twinql(args).output().unwrap();
        let out = String::from_utf8(output.stdout).unwrap();
        let err = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{args:?}\n{out}\n{err}");
        (out, err)
    }

    /// Runs, and reads the document on stdout.
    pub fn json(&self, args: &[&str]) -> Value {
        serde_json::from_str(&self.run(args, 0).0).unwrap()
    }

    /// Runs with exit code 2 and checks that stderr says all of `parts`, and stdout nothing.
    pub fn refuses(&self, args: &[&str], parts: &[&str]) {
        let (out, err) = self.run(args, 2);
        assert_eq!(out, "", "{args:?}");
        for part in parts {
            assert!(err.contains(part), "{args:?}: {part:?} is not in\n{err}");
        }
    }
}

/// The schema of a [`Folder`].
pub const SCHEMAS: [&str; 2] = ["--schemas", "concerts.sql"];

/// A command over `pairs.jsonl`, and more arguments.
pub fn over_pairs<'a>(command: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&[command, "--pairs", "pairs.jsonl"], &SCHEMAS[..], more].concat()
}

/// A command over a gold query and a prediction, and more arguments.
pub fn one_pair<'a>(command: &'a str, [gold, pred]: [&'a str; 2], more: &[&'a str]) -> Vec<&'a str> {
    let pair = [command, "--gold-sql", gold, "--pred-sql", pred];
    [&pair[..], &SCHEMAS, more].concat()
}

/// A line of a pair file.
pub fn pair(id: &str, gold: &str, pred: &str, label: u8) -> String {
    serde_json::json!({"id": id, "db_id": "concerts", "gold": gold, "pred": pred, "label": label}).to_string()
}

/// Four labelled pairs.
pub fn four() -> String {
    [
        pair("a", "SELECT COUNT(*) FROM singer", "SELECT COUNT(id) FROM singer", 1),
        pair("b", "SELECT name FROM singer", "SELECT name FROM singer WHERE age > 20", 0),
        pair("c", "SELECT name FROM singer WHERE age > 20", "SELECT name FROM singer WHERE 20 < age", 1),
        pair("d", "SELECT name FROM singer", "SELECT age FROM singer", 0),
    ]
    .join("\n")
}

/// JSON lines as values.
pub fn json_lines(text: &str) -> Vec<Value> {
    text.lines().map(|l| serde_json::from_str(l).unwrap()).collect()
}

/// Waits until something holds.
pub fn wait_for(what: &str, holds: impl Fn() -> bool) {
    for _ in 0..6000 {
        if holds() {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    panic!("waited for a minute: {what}");
}

/// Ctrl-C.
pub fn interrupt(child: &std::process::Child) {
    let sent = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(sent.unwrap().success());
}
