//! Runs of the program in folders of their own.

use std::collections::BTreeMap;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::Value;
use sha2::{Digest, Sha256};
use tempfile::TempDir;

use super::data::{Make, Run, Theme};
use super::pairs::cut;
use super::program;

/// What lies at a path: its kind, and a hash of what a file holds.
type Content = BTreeMap<PathBuf, (String, Vec<u8>)>;

fn content(folder: &Path) -> Content {
    fn walk(folder: &Path, into: &mut Content) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let kind = std::fs::symlink_metadata(&path).unwrap().file_type();
            let mut hash = Vec::new();
            if kind.is_dir() {
                walk(&path, into);
            } else if kind.is_file() {
                hash = Sha256::digest(std::fs::read(&path).unwrap()).to_vec();
            } else if kind.is_symlink() {
                hash = std::fs::read_link(&path).unwrap().display().to_string().into_bytes();
            }
            let names = [
                (kind.is_dir(), "folder"),
                (kind.is_file(), "file"),
                (kind.is_symlink(), "link"),
                (kind.is_fifo(), "pipe"),
                (kind.is_char_device(), "device"),
            ];
            let name = names.iter().find(|(is, _)| *is).map_or("?", |(_, name)| name);
            into.insert(path, (name.to_owned(), hash));
        }
    }
    let mut all = Content::new();
    walk(folder, &mut all);
    all
}

/// Processes that read named pipes, ended with the run.
struct Readers(Vec<Child>);

impl Drop for Readers {
    fn drop(&mut self) {
        for child in &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Makes what a run needs; false where the system does not let us.
fn make(root: &Path, make: &[Make], readers: &mut Readers) -> bool {
    let succeeds = |program: &str, args: &[&str]| {
        let mut command = Command::new(program);
        command.current_dir(root).args(args).stderr(Stdio::null());
        command.status().is_ok_and(|s| s.success())
    };
    make.iter().all(|m| match m {
        Make::Folder { path } => std::fs::create_dir_all(root.join(path)).is_ok(),
        Make::Link { path, to } => std::os::unix::fs::symlink(to, root.join(path)).is_ok(),
        Make::HardLink { path, to } => std::fs::hard_link(root.join(to), root.join(path)).is_ok(),
        Make::Copy { path, from } => {
            let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(from);
            std::fs::copy(from, root.join(path)).is_ok()
        }
        Make::Device { path, minor } => {
            cfg!(target_os = "linux")
                && succeeds("mknod", &[path, "c", "1", &minor.to_string()])
                // A container may allow the node and not its use.
                && std::fs::OpenOptions::new().write(true).open(root.join(path)).is_ok()
        }
        Make::Fifo { path } => {
            let made = succeeds("mkfifo", &[path]);
            let mut cat = Command::new("cat");
            cat.current_dir(root).arg(path).stdout(Stdio::null());
            readers.0.extend(cat.spawn());
            made
        }
    })
}

/// `expected` is a part of `seen`; a text that begins with `~` has to be contained.
fn part_of(expected: &Value, seen: &Value) -> bool {
    match (expected, seen) {
        (Value::Object(e), Value::Object(s)) => {
            e.iter().all(|(key, value)| part_of(value, s.get(key).unwrap_or(&Value::Null)))
        }
        (Value::String(e), _) if e.starts_with('~') => seen.to_string().contains(&e[1..]),
        _ => expected == seen,
    }
}

/// All runs of a theme; says what does not hold.
pub(crate) fn failures(theme: &Theme) -> Vec<String> {
    theme.runs.iter().flat_map(|run| failures_of(theme, run)).collect()
}

fn failures_of(theme: &Theme, run: &Run) -> Vec<String> {
    let folder = TempDir::new().unwrap();
    let root = folder.path();
    for (name, text) in theme.files.iter().chain(&run.files) {
        let path = root.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text.bytes()).unwrap();
    }
    for (name, statements) in &run.sqlite {
        let path = root.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let database = rusqlite::Connection::open(path).unwrap();
        database.execute_batch(statements).unwrap();
    }
    let mut readers = Readers(Vec::new());
    if !make(root, &run.make, &mut readers) {
        eprintln!("{}: left out, the system does not let us make what it needs", run.name);
        return Vec::new();
    }
    for args in &run.before {
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let ended = program::run(program::command(root, &args, &[]), None, None);
        if ended.code != Some(0) {
            return vec![format!("{}: before it, {args:?}: {}", run.name, cut(&ended.err))];
        }
    }
    let mut failures = Vec::new();
    let mut say = |what: String| failures.push(format!("{}: {what}", run.name));
    match &run.flip {
        None => once(root, run, &mut say),
        Some(flip) => {
            let path = root.join(&flip.file);
            let bytes = std::fs::read(&path).unwrap();
            for n in 0..flip.times {
                let mut turned = bytes.clone();
                let bit = (bytes.len() * 8 - 1) * n / (flip.times - 1).max(1);
                turned[bit / 8] ^= 1 << (bit % 8);
                std::fs::write(&path, turned).unwrap();
                once(root, run, &mut |what| say(format!("bit {bit}: {what}")));
            }
        }
    }
    failures
}

/// Flags whose value is written to.
const OUTPUTS: [&str; 7] =
    ["--out", "--plot", "--scores", "--attention", "--witness-dir", "--run", "--record"];

fn once(root: &Path, run: &Run, say: &mut dyn FnMut(String)) {
    // What replaces its output would destroy the system's own devices.
    let outside = |two: &[String]| OUTPUTS.contains(&two[0].as_str()) && two[1].starts_with('/');
    assert!(!run.args.windows(2).any(outside), "{}: writes outside of its folder", run.name);
    let before = content(root);
    let args: Vec<&str> = run.args.iter().map(String::as_str).collect();
    let memory = run.memory.map(|mib| format!("-v {}", mib * 1024));
    let limits: Vec<String> = memory.into_iter().chain(run.ulimit.clone()).collect();
    let mut command = program::command(root, &args, &limits);
    command.envs(&run.env);
    let stdin = run.stdin.as_ref().map(|t| t.bytes());
    let interrupt = run.interrupt.map(Duration::from_millis);
    let ended = program::run(command, stdin, interrupt);
    let (out, err) = (&ended.out, &ended.err);
    if ended.hung {
        say("did not end".into());
    }
    if !ended.code.is_some_and(|c| run.exit.contains(&c)) {
        say(format!("exit {:?}, not {:?}: {}{}", ended.code, run.exit, cut(out), cut(err)));
    }
    if err.contains("panicked") {
        say(format!("panicked: {}", cut(err)));
    }
    if ended.code == Some(2) && err.trim().is_empty() {
        say("exit 2 without a message".into());
    }
    for (stream, text, parts) in [("stdout", out, &run.stdout), ("stderr", err, &run.stderr)] {
        for part in parts {
            // Several wordings may be right.
            if !part.split(" | ").any(|p| text.to_lowercase().contains(&p.to_lowercase())) {
                say(format!("{stream} does not say {part:?}: {}", cut(text)));
            }
        }
    }
    for part in &run.silent {
        if out.contains(part) || err.contains(part) {
            say(format!("it says {part:?}: {}{}", cut(out), cut(err)));
        }
    }
    if !run.records.is_empty() {
        let seen: Vec<Value> = out.lines().map(|l| serde_json::from_str(l).unwrap_or(Value::Null)).collect();
        if seen.len() != run.records.len() {
            say(format!("{} records, not {}: {}", seen.len(), run.records.len(), cut(out)));
        }
        for (expected, seen) in run.records.iter().zip(&seen) {
            let expected: Value = serde_json::from_str(expected).unwrap();
            if !part_of(&expected, seen) {
                say(format!("{expected} is no part of {}", cut(&seen.to_string())));
            }
        }
    }
    unchanged(root, &before, run, say);
    for (name, files) in &run.count {
        let seen = std::fs::read_dir(root.join(name)).map_or(0, Iterator::count);
        if seen != *files {
            say(format!("{name} holds {seen} files, not {files}"));
        }
    }
    for (name, part) in &run.holds {
        let text = std::fs::read(root.join(name)).unwrap_or_default();
        if !String::from_utf8_lossy(&text).contains(part.as_str()) {
            say(format!("{name} does not hold {part:?}"));
        }
    }
}

/// What was there is as it was, and nothing came that the run does not name.
fn unchanged(root: &Path, before: &Content, run: &Run, say: &mut dyn FnMut(String)) {
    let after = content(root);
    let paths = before.keys().chain(after.keys().filter(|p| !before.contains_key(*p)));
    for path in paths {
        let name = path.strip_prefix(root).unwrap().display().to_string();
        let may = run.writes.iter().any(|w| name.starts_with(w.as_str()));
        let (was, is) = (before.get(path), after.get(path));
        // Even what may be written stays of its kind.
        let kind_changed = was.is_some() && was.map(|c| &c.0) != is.map(|c| &c.0);
        if kind_changed || (!may && was != is) {
            let kind = |c: Option<&(String, Vec<u8>)>| c.map_or("nothing".into(), |c| c.0.clone());
            say(format!("{name} changed: {} before, {} after", kind(was), kind(is)));
        }
    }
}
