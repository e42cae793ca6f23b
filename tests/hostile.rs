//! Hostile predictions through the binary: each costs itself, and nothing is changed.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::inputs;
use crate::support::{Folder, one_pair, walk};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

const GOLD: &str = "SELECT name FROM singer";
const SAME: &str = "SELECT s.name FROM singer s";
const ROWS: &str = "CREATE TABLE singer (id INTEGER PRIMARY KEY, name TEXT NOT NULL, age INTEGER);
    INSERT INTO singer VALUES (1, 'Ann', 30), (2, 'Bob', 30), (3, 'Cid', 41);";
/// Few, so that endless queries end soon; what is endless does not end within more.
const STEPS: &str = "20000";

/// `db/music/music.sqlite`, and pairs of the gold with all hostile predictions between two
/// good ones.
fn folder() -> (Folder, Vec<String>) {
    let folder = Folder::new();
    folder.database("db/music/music.sqlite", ROWS);
    let mut names: Vec<String> = vec!["good".into()];
    let mut preds = vec![SAME.to_owned()];
    for (name, sql) in inputs::hostile() {
        names.push(name.to_owned());
        preds.push(sql);
    }
    names.push("good".into());
    preds.push(SAME.into());
    let line = |(name, pred): (&String, &String)| {
        json!({"id": name, "db_id": "music", "gold": GOLD, "pred": pred, "label": 0}).to_string()
    };
    let lines: Vec<String> = names.iter().zip(&preds).map(line).collect();
    folder.write("pairs.jsonl", lines.join("\n"));
    folder.write("gold.txt", format!("{GOLD}\tmusic\n").repeat(preds.len()));
    // A line holds no line ends, no tab, and a blank one would be dropped.
    let lines: Vec<String> = preds.iter().map(|p| format!(" {}", p.replace(['\n', '\t'], " "))).collect();
    folder.write("pred.txt", lines.join("\n"));
    (folder, names)
}

/// The hash of every file.
fn hashes(folder: &Folder) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = BTreeMap::new();
    walk(&folder.path("."), &mut |path, kind| {
        if !kind.is_dir() {
            let hash = Sha256::digest(std::fs::read(&path).unwrap());
            all.insert(path, hash.to_vec());
        }
    });
    all
}

/// Runs a command that writes to stdout: the files before are the files after.
fn unchanged(folder: &Folder, args: &[&str]) -> Vec<Value> {
    let before = hashes(folder);
    assert!(before.keys().any(|f| f.ends_with("music.sqlite")));
    let records = folder.lines(&[args, &["--max-steps", STEPS]].concat());
    assert_eq!(hashes(folder), before, "{args:?}");
    records
}

/// Only the good ones agree; all others have a status that says why they have no answer.
fn only_good_ones_agree(names: &[String], records: &[Value]) {
    assert_eq!(records.len(), names.len());
    for (name, record) in names.iter().zip(records) {
        assert_eq!(record["id"], **name);
        let status = record["status"].as_str().unwrap();
        if name == "good" {
            assert_eq!((status, &record["verdict"]), ("ok", &json!("same")), "{record}");
        } else {
            // What is beyond one of SQLite's limits may well be a query.
            let error = record["error"].as_str().unwrap();
            let beyond = [
                "too big",
                "too many",
                "too large",
                "too complex",
                "more bytes of SQL",
                "stack overflow",
                "Recursion limit",
            ];
            let expected: &[&str] = match beyond.iter().any(|limit| error.contains(limit)) {
                true => &["unsupported"],
                false => &["pred_error", "timeout"],
            };
            assert!(expected.contains(&status), "{record}");
            assert_eq!(record["verdict"], Value::Null, "{record}");
        }
    }
}

const PAIRS: [&str; 2] = ["--pairs", "pairs.jsonl"];
const SCHEMAS: [&str; 2] = ["--schemas", "db/music/music.sqlite"];

/// In processes and in threads.
fn verdicts(command: &str, over: &[&str]) {
    let (folder, names) = folder();
    let args = [&[command], &PAIRS[..], over].concat();
    let records = unchanged(&folder, &args);
    only_good_ones_agree(&names, &records);
    let threads = unchanged(&folder, &[&args[..], &["--workers", "threads"]].concat());
    assert_eq!(threads, records);
}

#[test]
fn judge() {
    verdicts("judge", &SCHEMAS);
}

#[test]
fn execute() {
    verdicts("execute", &["--db", "db"]);
}

#[test]
fn score_and_evaluate() {
    let (folder, names) = folder();
    let metric = ["--metric", "suite"];
    let records = unchanged(&folder, &[&["score"], &PAIRS[..], &SCHEMAS, &metric].concat());
    for (name, record) in names.iter().zip(&records) {
        // What is beyond a limit of SQLite's may be a query, and has no score.
        let right = match record["status"] == "unsupported" {
            true => Value::Null,
            false => json!(f64::from(u8::from(name == "good"))),
        };
        assert_eq!(record["scores"]["suite"], right, "{record}");
    }
    let format = ["--format", "jsonl", "--resamples", "10"];
    let reports = unchanged(&folder, &[&["evaluate"], &PAIRS[..], &SCHEMAS, &metric, &format].concat());
    assert_eq!(reports.len(), 1);
}

#[test]
fn suite_run() {
    let (folder, names) = folder();
    let build = ["suite", "build", "--gold", "gold.txt", "--out", "a.suite"];
    folder.run(&[&build[..], &SCHEMAS].concat(), 0);
    let run = ["suite", "run", "--suite", "a.suite", "--gold", "gold.txt", "--pred", "pred.txt"];
    let table = unchanged(&folder, &[&run[..], &["--format", "jsonl"]].concat());
    assert_eq!(table[0]["accuracy"]["all"]["right"], 2, "{table:?}");
    assert_eq!(table[0]["errors"], names.len() - 2, "{table:?}");
}

/// What is odd and no error: each has the verdict that its meaning in SQLite gives it.
#[test]
fn odd_queries() {
    let folder = Folder::new();
    for (gold, pred, verdict, note) in [
        // A mistyped column in double quotes is a string.
        ("SELECT name FROM singer", "SELECT \"nme\" FROM singer", "different", ""),
        // One of the tied rows, against the first by id.
        (
            "SELECT name FROM singer ORDER BY age LIMIT 1",
            "SELECT name FROM singer ORDER BY age, id LIMIT 1",
            "different",
            "",
        ),
        ("SELECT random() FROM singer", "SELECT random() FROM singer s", "same", "random()"),
        ("SELECT date('now')", "SELECT '2020-06-15'", "same", "the current time"),
    ] {
        let args = one_pair("judge", [gold, pred], &["--format", "json"]);
        let record = folder.json(&args)["records"][0].clone();
        assert_eq!(record["verdict"], verdict, "{record}");
        assert!(record["notes"].to_string().contains(note), "{record}");
    }
}

/// Bytes that are no text, and a folder whose name reads like a URI's parameters.
#[test]
fn odd_bytes_and_names() {
    let (folder, _) = folder();
    let odd = "d b?mode=rwc&x=%41#y";
    std::fs::rename(folder.path("db"), folder.path(odd)).unwrap();
    folder.write("gold.txt", format!("{GOLD}\tmusic\n").repeat(2));
    folder.write("pred.txt", b"SELECT '\xff\xfe' FROM singer\nSELECT s.name FROM singer s\n");
    let args = ["execute", "--gold", "gold.txt", "--pred", "pred.txt", "--db", odd];
    let records = unchanged(&folder, &args);
    assert_eq!((&records[0]["status"], &records[0]["verdict"]), (&json!("pred_error"), &Value::Null));
    assert_eq!(records[1]["verdict"], "same");
}
