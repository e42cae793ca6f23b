//! Interrupted batches: what Ctrl-C leaves, and going on with it.

use std::fs;
use std::io::Write as _;
use std::process::{Child, Output};

use crate::support::{Folder, interrupt, json_lines, over_pairs, pair, wait_for};

const PAIRS: usize = 60;
/// Pairs that an interrupted run gets to see.
const SEEN: usize = 23;

/// Pairs of all kinds, unusable lines among them.
fn lines() -> Vec<String> {
    (0..PAIRS)
        .map(|n| match n % 6 {
            0 => pair(&format!("p{n}"), "SELECT COUNT(*) FROM singer", "SELECT COUNT(id) FROM singer", 1),
            1 => {
                pair(&format!("p{n}"), "SELECT name FROM singer", "SELECT name FROM singer WHERE age > 3", 0)
            }
            2 => format!(r#"{{"id":{n}e0,"db_id":"concerts","gold":"SELECT 1","pred":null,"label":0}}"#),
            3 => r#"{"db_id":"concerts","gold":"SELECT age FROM singer","pred":"SELECT name FROM singer"}"#
                .into(),
            4 => "{".into(),
            _ => pair("same", "SELECT name FROM singer", "SELECT nothing FROM singer", 0),
        })
        .collect()
}

const COMMANDS: [&[&str]; 4] = [
    &["score", "--metric", "relpm,gmn", "--echo", "--out", "out.jsonl"],
    &["judge", "--databases", "12", "--out", "out.jsonl"],
    &["prove", "--out", "out.jsonl"],
    &["score", "--metric", "suite", "--databases", "5", "--out", "out.jsonl"],
];

fn args<'a>(command: &[&'a str], more: &[&'a str]) -> Vec<&'a str> {
    over_pairs(command[0], &[&command[1..], more].concat())
}

/// A run that waits for more pairs after `SEEN` of them, whose lines are there.
fn halfway(folder: &Folder, command: &[&str]) -> (Child, fs::File) {
    folder.fifo("pairs.jsonl");
    let child = folder.start(&args(command, &["--quiet"]));
    let mut pipe = fs::OpenOptions::new().write(true).open(folder.path("pairs.jsonl")).unwrap();
    for line in lines().iter().take(SEEN) {
        writeln!(pipe, "{line}").unwrap();
    }
    let partial = folder.path("out.jsonl.partial");
    wait_for("the lines of the pairs so far", || {
        fs::read_to_string(&partial).is_ok_and(|text| text.matches('\n').count() == SEEN)
    });
    // Another line, so that the state is written after the pause between two of its marks.
    std::thread::sleep(std::time::Duration::from_millis(600));
    writeln!(pipe, "{}", lines()[SEEN]).unwrap();
    wait_for("one more line", || {
        fs::read_to_string(&partial).is_ok_and(|text| text.matches('\n').count() == SEEN + 1)
    });
    (child, pipe)
}

fn interrupted(folder: &Folder, command: &[&str]) -> Output {
    let (child, pipe) = halfway(folder, command);
    interrupt(&child);
    let output = child.wait_with_output().unwrap();
    drop(pipe);
    fs::remove_file(folder.path("pairs.jsonl")).unwrap();
    folder.write("pairs.jsonl", lines().join("\n"));
    output
}

fn summary(err: &str) -> Vec<&str> {
    err.lines().filter(|line| !line.starts_with("going on after")).collect()
}

#[test]
fn a_batch_goes_on_to_the_same_bytes() {
    for command in COMMANDS {
        let folder = Folder::with("pairs.jsonl", lines().join("\n"));
        let (_, whole) = folder.run(&args(command, &[]), 0);
        let expected = folder.read("out.jsonl");
        assert_eq!(json_lines(&expected).len(), PAIRS);
        assert_eq!(folder.names("."), ["concerts.sql", "out.jsonl", "pairs.jsonl"]);
        fs::remove_file(folder.path("out.jsonl")).unwrap();
        fs::remove_file(folder.path("pairs.jsonl")).unwrap();

        let output = interrupted(&folder, command);
        assert_eq!(output.status.code(), Some(130), "{output:?}");
        let err = String::from_utf8(output.stderr).unwrap();
        assert_eq!(err.lines().count(), 1, "{err}");
        assert!(err.starts_with("twinql: interrupted: ") && err.contains("out.jsonl.partial"), "{err}");
        assert!(err.contains("--resume"), "{err}");
        assert!(!folder.path("out.jsonl").exists());
        assert!(expected.starts_with(&folder.read("out.jsonl.partial")));

        // A line that was cut off.
        let mut torn = fs::OpenOptions::new().append(true).open(folder.path("out.jsonl.partial")).unwrap();
        write!(torn, "{{\"id\":\"torn").unwrap();
        let (_, err) = folder.run(&args(command, &["--resume"]), 0);
        assert!(err.contains(&format!("going on after {} pairs", SEEN + 1)), "{err}");
        assert_eq!(folder.read("out.jsonl"), expected, "{command:?}");
        assert_eq!(summary(&err), summary(&whole));
        assert_eq!(folder.names("."), ["concerts.sql", "out.jsonl", "pairs.jsonl"]);
    }
}

#[test]
fn only_the_same_work_is_gone_on_with() {
    let folder = Folder::new();
    let command = COMMANDS[2];
    interrupted(&folder, command);
    let partial = folder.read("out.jsonl.partial");
    let refuses = |more: &[&str], parts: &[&str]| folder.refuses(&args(command, more), parts);
    refuses(&["--resume", "--semantics", "no-fk"], &["another signature", "semantics:no-fk"]);
    refuses(&["--resume", "--echo"], &["another flags"]);
    folder.write("other.sql", "CREATE TABLE singer (id INTEGER, name TEXT, age INTEGER)");
    let other =
        ["prove", "--pairs", "pairs.jsonl", "--schemas", "other.sql", "--out", "out.jsonl", "--resume"];
    folder.refuses(&other, &["another schemas"]);
    folder.refuses(
        &over_pairs("judge", &["--out", "out.jsonl", "--resume"]),
        &["out.jsonl.partial was made with another command", "\"prove\", now \"judge\""],
    );
    let mut changed = lines();
    changed[0] = changed[0].replace("p0", "q0");
    folder.write("pairs.jsonl", changed.join("\n"));
    refuses(&["--resume"], &["line 1 is not of the pair with id \"q0\""]);
    let mut changed = lines();
    changed[1] = changed[1].replace("age > 3", "age > 4");
    folder.write("pairs.jsonl", changed.join("\n"));
    refuses(&["--resume"], &["other pairs with the same ids"]);
    folder.write("pairs.jsonl", lines()[..5].join("\n"));
    refuses(&["--resume"], &["has done 24 pairs, and the input has 5"]);
    folder.write("pairs.jsonl", lines().join("\n"));
    // Nothing of it was lost, and without the flag it is replaced.
    assert_eq!(folder.read("out.jsonl.partial"), partial);
    let (_, err) = folder.run(&args(command, &[]), 0);
    assert!(err.contains("out.jsonl.partial of an earlier run is replaced"), "{err}");
    assert_eq!(json_lines(&folder.read("out.jsonl")).len(), PAIRS);
    let (_, err) = folder.run(&args(command, &["--resume"]), 0);
    assert!(err.contains("there is no ") && err.contains("begins with the first pair"), "{err}");
}

#[test]
fn what_cannot_be_gone_on_with_is_said() {
    let folder = Folder::with("pairs.jsonl", lines().join("\n"));
    for more in [
        &["--resume"][..],
        &["--resume", "--out", "/dev/null"],
        &["--resume", "--out", "x", "--format", "json"],
    ] {
        folder.refuses(&over_pairs("prove", more), &["--resume goes on with the lines of an output file"]);
    }
    folder.write("out.jsonl.partial", "{}\n");
    folder.refuses(&args(COMMANDS[2], &["--resume"]), &["its state is missing or damaged"]);
}

#[test]
fn two_runs_do_not_write_the_same_file() {
    let folder = Folder::new();
    let (mut child, pipe) = halfway(&folder, COMMANDS[2]);
    folder.write("others.jsonl", lines().join("\n"));
    let second = ["prove", "--pairs", "others.jsonl", "--schemas", "concerts.sql", "--out", "out.jsonl"];
    folder.refuses(&second, &["out.jsonl.partial is in use by another run of twinql"]);
    drop(pipe);
    assert!(child.wait().unwrap().success());
    assert_eq!(json_lines(&folder.read("out.jsonl")).len(), SEEN + 1);
}

/// Nobody waits for the end of the input to see the first results.
#[test]
fn results_appear_as_they_come() {
    use std::io::{BufRead as _, BufReader};
    let folder = Folder::new();
    folder.fifo("pairs.jsonl");
    let mut child = folder.start(&over_pairs("score", &["--metric", "relpm"]));
    let mut pipe = fs::OpenOptions::new().write(true).open(folder.path("pairs.jsonl")).unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    for n in 0..3 {
        writeln!(pipe, "{}", pair(&n.to_string(), "SELECT 1", "SELECT 2", 0)).unwrap();
        let mut line = String::new();
        out.read_line(&mut line).unwrap();
        assert!(line.starts_with(&format!("{{\"id\":\"{n}\"")), "{line}");
    }
    drop(pipe);
    assert!(child.wait().unwrap().success());
}

/// Worker processes in the middle of a query end with the program that asked them.
#[cfg(target_os = "linux")]
#[test]
fn workers_end_with_an_interrupt() {
    let folder = Folder::new();
    let endless = "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT max(n) FROM r";
    folder.write("pairs.jsonl", pair("x", "SELECT max(age) FROM singer", endless, 0));
    let steps = u64::MAX / 4;
    let child = folder.start(&over_pairs("judge", &["--max-steps", &steps.to_string()]));
    let parent = child.id();
    let children = || -> Vec<u32> {
        let all = fs::read_dir("/proc").unwrap().flatten();
        let numbers = all.filter_map(|e| e.file_name().to_str()?.parse().ok());
        let of_parent = |pid: &u32| {
            let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
            let after = stat
                .rsplit_once(')')
                .map(|(_, rest)| rest.split_whitespace().nth(1) == Some(&parent.to_string()));
            after == Some(true)
        };
        numbers.filter(of_parent).collect()
    };
    wait_for("a worker", || !children().is_empty());
    let workers = children();
    std::thread::sleep(std::time::Duration::from_millis(200));
    interrupt(&child);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "twinql: interrupted\n");
    assert!(output.stdout.is_empty());
    let gone = |pid: &u32| {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        stat.is_empty() || stat.rsplit_once(')').is_some_and(|(_, rest)| rest.trim_start().starts_with('Z'))
    };
    wait_for("the workers' end", || workers.iter().all(gone));
}
