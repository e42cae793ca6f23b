//! `twinql cluster` through the binary.

use crate::support::{Folder, json_lines, says};
use serde_json::{Value, json};

const QUERIES: [&str; 2] = ["--queries", "log.jsonl"];

/// A log with every kind of line.
fn log() -> String {
    let line = |id: &str, sql: &str| json!({"id": id, "db_id": "concerts", "sql": sql}).to_string();
    [
        line("a", "SELECT name FROM singer"),
        line("b", "SELECT COUNT(*) FROM singer"),
        line("c", "SELEC"),
        line("d", "SELECT COUNT(id) FROM singer"),
        json!({"id": "e", "db_id": "nowhere", "sql": "SELECT 1"}).to_string(),
        "not JSON".to_owned(),
        line("g", "SELEC"),
        line("h", "SELECT COUNT(1) FROM singer AS s"),
    ]
    .join("\n")
}

fn clusters<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&["cluster", "--schemas", "concerts.sql"], &QUERIES[..], more].concat()
}

#[test]
fn each_query_is_in_one_class() {
    let folder = Folder::with("log.jsonl", log());
    let (out, err) = folder.run(&clusters(&[]), 0);
    let records = json_lines(&out);
    let sizes: Vec<&Value> = records.iter().map(|r| &r["size"]).collect();
    assert_eq!(sizes, [3, 2, 1]);
    let members = json!([{"id": "b", "by": "first"}, {"id": "d", "by": "form"}, {"id": "h", "by": "form"}]);
    assert_eq!(records[0]["members"], members);
    assert_eq!(records[0]["sql"], "SELECT COUNT(*) FROM singer");
    assert!(records[1]["error"].as_str().unwrap().contains("parse"), "{}", records[1]);
    says(
        &err,
        &[
            "6 queries in 2 classes, 3 in the largest; 2 not read, 2 lines",
            "nowhere",
            "line 6",
            "|cluster:proof|",
        ],
    );
    let (text, _) = folder.run(&clusters(&["--format", "text", "--threads", "3"]), 0);
    says(&text, &["3 (b, d, h): SELECT COUNT(*) FROM singer\n"]);
    let document = folder.json(&clusters(&["--format", "json"]));
    assert_eq!(
        (&document["counts"]["classes"], document["classes"].as_array().unwrap().len()),
        (&json!(2), 3)
    );
}

#[test]
fn a_file_of_lines_is_read_and_settings_that_nothing_reads_are_refused() {
    let folder =
        Folder::with("log.sql", "SELECT name FROM singer\tconcerts\nSELECT singer.name FROM singer\n");
    let run = |more: &[&'static str]| {
        [&["cluster", "--schemas", "concerts.sql", "--queries", "log.sql"], more].concat()
    };
    let records = folder.lines(&run(&["--by", "gmn", "--threshold", "0.9"]));
    assert_eq!((records.len(), &records[0]["size"]), (1, &json!(2)));
    folder.refuses(&run(&["--threshold", "0.9"]), &["--threshold", "--by gmn"]);
    folder.refuses(&run(&["--by", "gmn", "--threshold", "7"]), &["--threshold 7", "from 0 to 1"]);
    folder.write("empty.sql", "");
    folder.refuses(&["cluster", "--schemas", "concerts.sql", "--queries", "empty.sql"], &["empty.sql"]);
}
