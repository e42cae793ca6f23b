//! A folder with tiny inputs, and the program run in it.

#[cfg(feature = "serve")]
pub(crate) mod server;

use std::fs::{self, FileType};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;

pub(crate) const DDL: &str = "\
CREATE TABLE singer (id INTEGER PRIMARY KEY, name TEXT NOT NULL, age INTEGER);
CREATE TABLE concert (id INTEGER PRIMARY KEY, singer_id INTEGER NOT NULL REFERENCES singer(id), year INTEGER);
";

/// Arguments of the program: a line as a shell reads it, or one text for each.
pub(crate) trait Args {
    fn args(&self) -> Vec<String>;
}

impl Args for str {
    fn args(&self) -> Vec<String> {
        shlex::split(self).unwrap()
    }
}

impl Args for String {
    fn args(&self) -> Vec<String> {
        self.as_str().args()
    }
}

impl<T: AsRef<str>> Args for [T] {
    fn args(&self) -> Vec<String> {
        self.iter().map(|arg| arg.as_ref().to_owned()).collect()
    }
}

impl<T: AsRef<str>, const N: usize> Args for [T; N] {
    fn args(&self) -> Vec<String> {
        self.as_slice().args()
    }
}

impl<T: AsRef<str>> Args for Vec<T> {
    fn args(&self) -> Vec<String> {
        self.as_slice().args()
    }
}

/// The words of a line, to be joined with others.
pub(crate) fn words(line: &str) -> Vec<&str> {
    line.split_whitespace().collect()
}

/// Takes the environment's own settings from a command.
pub(crate) fn without_settings(command: &mut Command) {
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("TWINQL_")) {
        command.env_remove(name);
    }
}

pub(crate) struct Folder {
    dir: TempDir,
}

impl Folder {
    /// A folder with `concerts.sql`, the schema of the database `concerts`.
    pub(crate) fn new() -> Folder {
        let folder = Folder { dir: TempDir::new().unwrap() };
        folder.write("concerts.sql", DDL);
        folder
    }

    /// The same, with another file.
    pub(crate) fn with(name: &str, content: impl AsRef<[u8]>) -> Folder {
        let folder = Folder::new();
        folder.write(name, content);
        folder
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// The path of a file that is to be made, in a folder that is there.
    fn place(&self, name: &str) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        path
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::write(self.place(name), content).unwrap();
    }

    /// Makes a SQLite file.
    pub(crate) fn database(&self, name: &str, statements: &str) {
        rusqlite::Connection::open(self.place(name)).unwrap().execute_batch(statements).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// A JSON document that the program wrote.
    pub(crate) fn document(&self, name: &str) -> Value {
        serde_json::from_str(&self.read(name)).unwrap()
    }

    pub(crate) fn bytes(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
    }

    /// The names in a folder, sorted.
    pub(crate) fn names(&self, name: &str) -> Vec<String> {
        let entries = fs::read_dir(self.path(name)).unwrap();
        let mut names: Vec<String> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// The program in this folder, without the environment's own settings.
    pub(crate) fn twinql<A: Args + ?Sized>(&self, args: &A) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_twinql"));
        without_settings(&mut command);
        command.current_dir(self.dir.path()).args(args.args());
        command
    }

    /// Starts the program in this folder; its output can be read.
    pub(crate) fn start<A: Args + ?Sized>(&self, args: &A) -> Child {
        let mut command = self.twinql(args);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }

    /// Makes a named pipe.
    pub(crate) fn fifo(&self, name: &str) {
        assert!(Command::new("mkfifo").arg(self.path(name)).status().unwrap().success());
    }

    /// Runs, checks the exit code, and gives stdout and stderr.
    pub(crate) fn run<A: Args + ?Sized>(&self, args: &A, code: i32) -> (String, String) {
        let output = self.twinql(args).output().unwrap();
        let out = String::from_utf8(output.stdout).unwrap();
        let err = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{:?}\n{out}\n{err}", args.args());
        (out, err)
    }

    /// Runs, and reads the document on stdout.
    pub(crate) fn json<A: Args + ?Sized>(&self, args: &A) -> Value {
        serde_json::from_str(&self.run(args, 0).0).unwrap()
    }

    /// Runs, and reads the lines on stdout.
    pub(crate) fn lines<A: Args + ?Sized>(&self, args: &A) -> Vec<Value> {
        json_lines(&self.run(args, 0).0)
    }

    /// Runs with exit code 2 and checks that stderr says all of `parts`, and stdout nothing.
    pub(crate) fn refuses<A: Args + ?Sized>(&self, args: &A, parts: &[&str]) {
        let (out, err) = self.run(args, 2);
        assert_eq!(out, "", "{:?}", args.args());
        says(&err, parts);
    }
}

/// Checks that a text holds all of `parts`.
#[track_caller]
pub(crate) fn says(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "{part:?} is not in\n{text}");
    }
}

/// The schema of a [`Folder`].
pub(crate) const SCHEMAS: [&str; 2] = ["--schemas", "concerts.sql"];

/// A command over `pairs.jsonl`, and more arguments.
pub(crate) fn over_pairs<'a>(command: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&[command, "--pairs", "pairs.jsonl"], &SCHEMAS[..], more].concat()
}

/// A command over a gold query and a prediction, and more arguments.
pub(crate) fn one_pair<'a>(command: &'a str, [gold, pred]: [&'a str; 2], more: &[&'a str]) -> Vec<&'a str> {
    let pair = [command, "--gold-sql", gold, "--pred-sql", pred];
    [&pair[..], &SCHEMAS, more].concat()
}

/// A line of a pair file.
pub(crate) fn pair(id: &str, gold: &str, pred: &str, label: u8) -> String {
    serde_json::json!({"id": id, "db_id": "concerts", "gold": gold, "pred": pred, "label": label}).to_string()
}

/// Four labelled pairs.
pub(crate) fn four() -> String {
    [
        pair("a", "SELECT COUNT(*) FROM singer", "SELECT COUNT(id) FROM singer", 1),
        pair("b", "SELECT name FROM singer", "SELECT name FROM singer WHERE age > 20", 0),
        pair("c", "SELECT name FROM singer WHERE age > 20", "SELECT name FROM singer WHERE 20 < age", 1),
        pair("d", "SELECT name FROM singer", "SELECT age FROM singer", 0),
    ]
    .join("\n")
}

/// A folder with four labelled pairs in `pairs.jsonl`.
pub(crate) fn with_four() -> Folder {
    Folder::with("pairs.jsonl", four())
}

/// JSON lines as values.
pub(crate) fn json_lines(text: &str) -> Vec<Value> {
    text.lines().map(|l| serde_json::from_str(l).unwrap()).collect()
}

/// Everything below a folder, with what it is; links are not followed.
pub(crate) fn walk(folder: &Path, visit: &mut dyn FnMut(PathBuf, FileType)) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let kind = fs::symlink_metadata(&path).unwrap().file_type();
        if kind.is_dir() {
            walk(&path, visit);
        }
        visit(path, kind);
    }
}

/// Waits until something holds.
#[cfg(unix)]
pub(crate) fn wait_for(what: &str, holds: impl Fn() -> bool) {
    for _ in 0..6000 {
        if holds() {
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("waited for a minute: {what}");
}

/// Ctrl-C.
#[cfg(unix)]
pub(crate) fn interrupt(child: &Child) {
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(sent.unwrap().success());
}
