//! `twinql execute` through the binary.

use crate::support::{Folder, json_lines, says, words};
use serde_json::{Value, json};

const ROWS: &str = "CREATE TABLE singer (id INTEGER PRIMARY KEY, name TEXT, age INTEGER);
    INSERT INTO singer VALUES (1, 'Ann', 30), (2, 'Bob', 30), (3, 'Cid', 41);";

/// Two files of the database `music`, and one that is none.
fn folder() -> Folder {
    let folder = Folder::with("db/broken/broken.sqlite", "this is not a database");
    folder.database("db/music/music.sqlite", ROWS);
    folder.database("db/music/music_1.sqlite", &ROWS.replace("41", "12"));
    folder
}

/// One pair over the files of a database, and more arguments.
fn over<'a>(db_id: &'a str, [gold, pred]: [&'a str; 2], more: &[&'a str]) -> Vec<&'a str> {
    let pair = ["--db-id", db_id, "--gold-sql", gold, "--pred-sql", pred];
    [&words("execute --db db"), &pair[..], more].concat()
}

#[test]
fn verdicts_and_broken_files() {
    let folder = folder();
    let before = folder.bytes("db/music/music.sqlite");
    folder.write(
        "gold.txt",
        "SELECT name FROM singer\tmusic\nSELECT age FROM singer WHERE age > 20\tmusic\nSELECT 1\tbroken\nSELECT 1\tnowhere\nSELECT name FROM singer\tmusic\n",
    );
    folder.write(
        "pred.txt",
        "SELECT s.name FROM singer s\nSELECT age FROM singer\nSELECT 2\nSELECT 1\nDELETE FROM singer\n",
    );
    let (out, err) = folder.run("execute --gold gold.txt --pred pred.txt --db db", 0);
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
    assert_eq!(folder.bytes("db/music/music.sqlite"), before);
}

#[test]
fn distinct_and_ties_by_semantics() {
    let folder = folder();
    let verdict = |more: &[&str], pair: [&str; 2]| {
        let document = folder.json(&over("music", pair, &[&["--format", "json"], more].concat()));
        document["records"][0]["verdict"].as_str().unwrap().to_owned()
    };
    let ages = ["SELECT age FROM singer", "SELECT DISTINCT age FROM singer"];
    assert_eq!(verdict(&[], ages), "different");
    assert_eq!(verdict(&["--semantics", "spider"], ages), "same");
    assert_eq!(verdict(&["--semantics", "spider", "--keep-distinct"], ages), "different");
    let names = ["SELECT name FROM singer ORDER BY age", "SELECT name FROM singer ORDER BY age, id DESC"];
    assert_eq!(verdict(&[], names), "same");
    assert_eq!(verdict(&["--semantics", "spider"], names), "different");
}

#[test]
fn queries_of_other_dialects() {
    let folder = folder();
    let record = |dialect: &str, pair: [&str; 2]| {
        let document = folder.json(&over("music", pair, &["--format", "json", "--dialect", dialect]));
        document["records"][0].clone()
    };
    let like = [
        "SELECT name FROM singer WHERE name LIKE 'a%' OR age > 40",
        "SELECT name FROM singer WHERE age > 40",
    ];
    assert_eq!(record("sqlite", like)["verdict"], "different");
    assert_eq!(record("postgres", like)["verdict"], "same");
    let missing = record("postgres", ["SELECT name FROM singer", "SELECT nme FROM singer"]);
    assert_eq!(missing["status"], "pred_error");
    let broken = over("broken", ["SELECT 1", "SELECT 1"], &["--dialect", "postgres"]);
    folder.refuses(&broken, &["broken.sqlite"]);
}

#[test]
fn a_witness_for_people() {
    let pair = ["SELECT max(age) FROM singer", "SELECT min(age) FROM singer"];
    let (out, _) = folder().run(&over("music", pair, &[]), 0);
    assert!(out.starts_with("different\n\non db/music/music.sqlite\n"), "{out}");
    says(&out, &["gold answers 1 row of 1 column: | pred answers 1 row of 1 column:"]);
}
