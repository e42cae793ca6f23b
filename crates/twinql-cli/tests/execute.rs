//! `twinql execute` through the binary.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod support;

use serde_json::{Value, json};
use support::{Folder, json_lines};

const ROWS: &str = "CREATE TABLE singer (id INTEGER PRIMARY KEY, name TEXT, age INTEGER);
    INSERT INTO singer VALUES (1, 'Ann', 30), (2, 'Bob', 30), (3, 'Cid', 41);";

fn databases(folder: &Folder) {
    for (file, statements) in
        [("db/music/music.sqlite", ROWS.to_owned()), ("db/music/music_1.sqlite", ROWS.replace("41", "12"))]
    {
        let path = folder.path(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        rusqlite::Connection::open(path).unwrap().execute_batch(&statements).unwrap();
    }
    std::fs::create_dir_all(folder.path("db/broken")).unwrap();
    folder.write("db/broken/broken.sqlite", "this is not a database");
}

#[test]
fn verdicts_and_broken_files() {
    let folder = Folder::new();
    databases(&folder);
    let before = std::fs::read(folder.path("db/music/music.sqlite")).unwrap();
    folder.write(
        "gold.txt",
        "SELECT name FROM singer\tmusic\nSELECT age FROM singer WHERE age > 20\tmusic\nSELECT 1\tbroken\nSELECT 1\tnowhere\nSELECT name FROM singer\tmusic\n",
    );
    folder.write(
        "pred.txt",
        "SELECT s.name FROM singer s\nSELECT age FROM singer\nSELECT 2\nSELECT 1\nDELETE FROM singer\n",
    );
    let args = ["execute", "--gold", "gold.txt", "--pred", "pred.txt", "--db", "db"];
    let (out, err) = folder.run(&args, 0);
    let records = json_lines(&out);
    let field = |name: &str| -> Vec<Value> { records.iter().map(|r| r[name].clone()).collect() };
    assert_eq!(field("verdict"), [json!("same"), json!("different"), Value::Null, Value::Null, Value::Null]);
    assert_eq!(field("status"), ["ok", "ok", "gold_error", "gold_error", "pred_error"].map(Value::from));
    assert_eq!(records[0]["files"], 2);
    assert!(records[1]["witness"]["file"].as_str().unwrap().ends_with("music_1.sqlite"));
    assert_eq!(records[1]["witness"]["pred"]["count"], 3);
    assert!(records[2]["error"].as_str().unwrap().contains("not a database"));
    assert!(records[3]["error"].as_str().unwrap().contains("unknown db_id \"nowhere\""));
    assert!(err.contains("execution accuracy 0.2000: same 1 of all 5 pairs"), "{err}");
    assert_eq!(std::fs::read(folder.path("db/music/music.sqlite")).unwrap(), before);
}

#[test]
fn distinct_and_ties_by_semantics() {
    let folder = Folder::new();
    databases(&folder);
    let verdict = |more: &[&str], gold: &str, pred: &str| {
        let mut args = vec!["execute", "--db", "db", "--db-id", "music", "--format", "json"];
        args.extend(["--gold-sql", gold, "--pred-sql", pred]);
        args.extend(more);
        let document: Value = folder.json(&args);
        document["records"][0]["verdict"].as_str().unwrap().to_owned()
    };
    let ages = ("SELECT age FROM singer", "SELECT DISTINCT age FROM singer");
    assert_eq!(verdict(&[], ages.0, ages.1), "different");
    assert_eq!(verdict(&["--semantics", "spider"], ages.0, ages.1), "same");
    let kept = ["--semantics", "spider", "--keep-distinct"];
    assert_eq!(verdict(&kept, ages.0, ages.1), "different");
    let names = ("SELECT name FROM singer ORDER BY age", "SELECT name FROM singer ORDER BY age, id DESC");
    assert_eq!(verdict(&[], names.0, names.1), "same");
    assert_eq!(verdict(&["--semantics", "spider"], names.0, names.1), "different");
}

#[test]
fn queries_of_other_dialects() {
    let folder = Folder::new();
    databases(&folder);
    let verdict = |dialect: &str, gold: &str, pred: &str| {
        let args = [
            "execute",
            "--db",
            "db",
            "--db-id",
            "music",
            "--format",
            "json",
            "--dialect",
            dialect,
            "--gold-sql",
            gold,
            "--pred-sql",
            pred,
        ];
        folder.json(&args)["records"][0].clone()
    };
    let like = (
        "SELECT name FROM singer WHERE name LIKE 'a%' OR age > 40",
        "SELECT name FROM singer WHERE age > 40",
    );
    assert_eq!(verdict("sqlite", like.0, like.1)["verdict"], "different");
    assert_eq!(verdict("postgres", like.0, like.1)["verdict"], "same");
    let missing = verdict("postgres", "SELECT name FROM singer", "SELECT nme FROM singer");
    assert_eq!(missing["status"], "pred_error");
    let broken = [
        "execute",
        "--db",
        "db",
        "--db-id",
        "broken",
        "--dialect",
        "postgres",
        "--gold-sql",
        "SELECT 1",
        "--pred-sql",
        "SELECT 1",
    ];
    folder.refuses(&broken, &["broken.sqlite"]);
}

#[test]
fn a_witness_for_people() {
    let folder = Folder::new();
    databases(&folder);
    let args = [
        "execute",
        "--db",
        "db",
        "--db-id",
        "music",
        "--gold-sql",
        "SELECT max(age) FROM singer",
        "--pred-sql",
        "SELECT min(age) FROM singer",
    ];
    let (out, _) = folder.run(&args, 0);
    assert!(out.starts_with("different\n\non db/music/music.sqlite\n"), "{out}");
    assert!(out.contains("gold answers 1 row of 1 column: | pred answers 1 row of 1 column:"), "{out}");
}
