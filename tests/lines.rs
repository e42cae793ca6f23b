//! What a line of results says of its pair: the id as it stood, and with `--echo` what reading it needs.

use crate::support::{Folder, SCHEMAS, four, json_lines, over_pairs, pair, says, with_four, words};
use serde_json::{Value, json};

/// The pair with this id, as its line says it.
fn line_with<'t>(text: &'t str, id: &str) -> &'t str {
    let begin = format!("{{\"id\":{id},");
    let found = text.lines().find(|line| line.starts_with(&begin));
    found.unwrap_or_else(|| panic!("no line begins with {begin}:\n{text}"))
}

#[test]
fn a_line_that_cannot_be_used_keeps_its_id() {
    let folder = Folder::new();
    let lines = [
        pair("fine", "SELECT name FROM singer", "SELECT name FROM singer", 1),
        r#"{"id":"no-gold","db_id":"concerts","pred":"SELECT 1"}"#.into(),
        r#"{"id":"null-gold","db_id":"concerts","gold":null,"pred":"SELECT 1"}"#.into(),
        r#"{"id":"wrong-gold","db_id":"concerts","gold":["SELECT 1"],"pred":"SELECT 1"}"#.into(),
        r#"{"id":17,"db_id":5,"gold":"SELECT 1","pred":"SELECT 1"}"#.into(),
        r#"{"id":"label","db_id":"concerts","gold":"SELECT 1","pred":"SELECT 1","label":"x"}"#.into(),
        r#"{"id":1e3,"db_id":"concerts","gold":"SELECT 1"}"#.into(),
        r#"{"id":123456789012345678901234567890,"db_id":"concerts","gold":"SELECT 1","pred":null}"#.into(),
        r#"{"id":"wrong-pred","db_id":"concerts","gold":"SELECT 1","pred":{"sql":"SELECT 1"}}"#.into(),
        r#"{"id":1.50,"db_id":"concerts","gold":"SELECT age FROM singer","pred":"SELECT age FROM singer"}"#
            .into(),
        r#"{"id":{"a":1},"db_id":"concerts","gold":"SELECT 1","pred":"SELECT 1"}"#.into(),
        "[]".into(),
    ];
    folder.write("pairs.jsonl", lines.join("\n"));
    let expected = [
        ("\"no-gold\"", "gold_error", "line 2: \"gold\" is missing"),
        ("\"null-gold\"", "gold_error", "line 3: \"gold\" is null: there is no query"),
        ("\"wrong-gold\"", "gold_error", "line 4: \"gold\" is [\"SELECT 1\"], not a string"),
        ("17", "gold_error", "line 5: \"db_id\" is 5, not a string"),
        ("\"label\"", "gold_error", "line 6: \"label\" is \"x\", not 0 or 1"),
        ("1e3", "pred_error", "line 7: \"pred\" is missing"),
        ("123456789012345678901234567890", "pred_error", "line 8: \"pred\" is null: there is no query"),
        ("\"wrong-pred\"", "pred_error", "line 9: \"pred\" is {\"sql\":\"SELECT 1\"}, not a string"),
        ("1.50", "ok", ""),
        ("\"10\"", "gold_error", "line 11: \"id\" is {\"a\":1}, neither string nor number"),
        ("\"11\"", "gold_error", "line 12: not a JSON object"),
    ];
    for command in [&["score", "--metric", "relpm"][..], &["judge", "--databases", "5"], &["prove"]] {
        let args = over_pairs(command[0], &command[1..]);
        let (out, _) = folder.run(&args, 0);
        assert_eq!(json_lines(&out).len(), lines.len());
        for (id, status, part) in expected {
            let record: Value = serde_json::from_str(line_with(&out, id)).unwrap();
            assert_eq!(record["status"], status, "{record}");
            says(record["error"].as_str().unwrap_or_default(), &[part]);
        }
        // A document and a table have the same ids.
        let (document, _) = folder.run(&[&args[..], &["--format", "json"]].concat(), 0);
        let (table, _) = folder.run(&[&args[..], &["--format", "text"]].concat(), 0);
        for (id, ..) in expected {
            assert!(document.contains(&format!("\n      \"id\": {id},\n")), "{id}: {document}");
            let id = id.trim_matches('"');
            assert!(table.lines().any(|l| l.split_whitespace().next() == Some(id)), "{id}: {table}");
        }
    }
}

/// Predictions that are null throughout are wrong ones, and no reason to refuse the file.
#[test]
fn a_system_without_any_prediction_has_a_score() {
    let folder = Folder::new();
    let line = r#"{"db_id":"concerts","gold":"SELECT name FROM singer","pred":null,"label":0}"#;
    folder.write("pairs.jsonl", format!("{line}\n").repeat(3));
    let (out, err) = folder.run(&over_pairs("score", &["--metric", "relpm"]), 0);
    assert!(json_lines(&out).iter().all(|r| r["status"] == "pred_error"), "{out}");
    assert!(err.contains("mean over all 3: relpm 0.0000"), "{err}");
}

/// A document of records that came one after another reads as one.
#[test]
fn a_document_holds_what_the_lines_hold() {
    let folder = with_four();
    for command in [&["score", "--metric", "relpm"][..], &["judge", "--databases", "5"], &["prove"]] {
        for echo in [&["--echo"][..], &[]] {
            let args = [&over_pairs(command[0], &command[1..])[..], echo].concat();
            let lines = folder.lines(&args);
            let (text, _) = folder.run(&[&args[..], &["--format", "json"]].concat(), 0);
            let document: Value = serde_json::from_str(&text).unwrap();
            assert_eq!(document["records"], Value::from(lines));
            assert_eq!(text, serde_json::to_string_pretty(&document).unwrap() + "\n");
        }
    }
}

#[test]
fn echo_adds_what_reading_needs_and_nothing_else_changes() {
    let folder = Folder::new();
    let own = json!({"id": "own", "schema": "CREATE TABLE t (a INTEGER)", "gold": "SELECT a FROM t", "pred": "SELECT t.a FROM t"});
    let more = [
        pair("typo", "SELECT name FROM singer", "SELECT nme FROM singer", 0),
        pair("gold", "SELECT nme FROM singer", "SELECT name FROM singer", 0),
        r#"{"id":"null","db_id":"concerts","gold":"SELECT name FROM singer","pred":null}"#.into(),
        "{".into(),
        own.to_string(),
    ];
    folder.write("pairs.jsonl", format!("{}\n{}", four(), more.join("\n")));
    let expected = words("same different same different different abstained different abstained same");
    for (command, metric, threshold) in [
        (&["score", "--metric", "relpm,suite"][..], "suite", 0.5),
        (&["judge"], "suite", 0.5),
        (&["prove"], "proof", 1.0),
    ] {
        let args = over_pairs(command[0], &command[1..]);
        let (plain, _) = folder.run(&args, 0);
        let (echoed, _) = folder.run(&[&args[..], &["--echo"]].concat(), 0);
        assert_eq!(plain.lines().count(), 9);
        for ((plain, echoed), decision) in plain.lines().zip(echoed.lines()).zip(&expected) {
            let rest = echoed.strip_prefix(plain.strip_suffix('}').unwrap()).unwrap();
            assert!(rest.starts_with(",\"db_id\":"), "{rest}");
            let record: Value = serde_json::from_str(echoed).unwrap();
            assert_eq!(record["decision"][metric], **decision, "{echoed}");
            assert_eq!(record["threshold"][metric], threshold);
        }
        let records = json_lines(&echoed);
        assert_eq!(records[0]["db_id"], "concerts");
        assert_eq!(records[0]["gold"], "SELECT COUNT(*) FROM singer");
        assert_eq!(records[0]["pred"], "SELECT COUNT(id) FROM singer");
        assert_eq!(records[6]["pred"], Value::Null);
        assert_eq!([&records[7]["gold"], &records[7]["db_id"]], [&Value::Null, &Value::Null]);
        assert_eq!([&records[8]["gold"], &records[8]["db_id"]], [&json!("SELECT a FROM t"), &Value::Null]);
    }
}

/// The queries are shown as they were written, not as SQLite has them.
#[test]
fn echo_keeps_the_dialect() {
    let folder = Folder::new();
    let gold = "SELECT `name` FROM `singer` WHERE NOT `age` <=> 3";
    folder.write("gold.txt", format!("{gold}\tconcerts\nSELECT age FROM singer\tconcerts\n"));
    folder.write("pred.txt", format!("{gold}\n\n"));
    let lines = words("score --gold gold.txt --pred pred.txt --metric relpm --dialect mysql --echo");
    let records = folder.lines(&[&lines[..], &SCHEMAS].concat());
    assert_eq!([&records[0]["gold"], &records[0]["pred"]], [gold, gold]);
    assert_eq!(records[0]["decision"]["relpm"], "same");
    assert_eq!([&records[1]["pred"], &records[1]["decision"]["relpm"]], [&Value::Null, &json!("different")]);
}

/// Gold and predictions may come through pipes, which can be read only once.
#[cfg(unix)]
#[test]
fn gold_and_predictions_through_pipes() {
    let folder = Folder::with("gold.txt", "SELECT name FROM singer\tconcerts\n".repeat(700));
    folder.write("pred.txt", "SELECT age FROM singer\n".repeat(700));
    let args = |end: &str| {
        format!("score --gold gold.{end} --pred pred.{end} --metric relpm --schemas concerts.sql")
    };
    let (expected, _) = folder.run(&args("txt"), 0);
    folder.fifo("gold.pipe");
    folder.fifo("pred.pipe");
    let child = folder.start(&args("pipe"));
    for (from, to) in [("gold.txt", "gold.pipe"), ("pred.txt", "pred.pipe")] {
        std::fs::write(folder.path(to), folder.read(from)).unwrap();
    }
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    assert_eq!(String::from_utf8(output.stdout).unwrap(), expected);
    assert_eq!(json_lines(&expected).len(), 700);
}
