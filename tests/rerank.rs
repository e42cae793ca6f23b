//! `twinql rerank` through the binary.

use crate::support::{Folder, SCHEMAS, json_lines, says};
use serde_json::{Value, json};

/// Sets of every kind.
fn sets() -> String {
    [
        json!({"id": "a", "db_id": "concerts", "candidates": [
            "SELECT name FROM singer", "SELECT COUNT(*) FROM singer", "SELECT COUNT(id) FROM singer", "SELEC",
        ]}),
        json!({"id": "b", "schema": "CREATE TABLE t (x INTEGER)", "candidates": [
            {"sql": "SELECT x FROM t", "logprob": -2.0}, {"sql": "SELECT x FROM t WHERE x > 1", "logprob": -0.5}, 7,
        ]}),
        json!({"id": "c", "db_id": "nowhere", "candidates": ["SELECT 1"]}),
        json!({"id": "d", "db_id": "concerts", "candidates": []}),
        json!({"id": "e", "db_id": "concerts"}),
        json!({"id": "f", "db_id": "concerts", "candidates": ["SELECT nothing FROM singer", "DROP TABLE singer"]}),
    ]
    .iter()
    .map(Value::to_string)
    .chain(["not JSON".to_owned()])
    .collect::<Vec<_>>()
    .join("\n")
}

fn over_sets<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&["rerank", "--sets", "sets.jsonl"], &SCHEMAS[..], more].concat()
}

#[test]
fn every_set_has_a_record_in_order() {
    let folder = Folder::with("sets.jsonl", sets());
    let (out, err) = folder.run(&over_sets(&[]), 0);
    let records = json_lines(&out);
    let of = |name: &str| records.iter().map(|r| r[name].clone()).collect::<Vec<_>>();
    assert_eq!(of("id"), ["a", "b", "c", "d", "e", "f", "6"].map(Value::from));
    let statuses = ["ok", "ok", "set_error", "empty", "set_error", "unread", "set_error"];
    assert_eq!(of("status"), statuses.map(Value::from));
    assert_eq!(records[0]["chosen"], 1);
    assert_eq!(records[0]["sql"], "SELECT COUNT(*) FROM singer");
    assert_eq!(records[0]["clusters"], json!([[0], [1, 2]]));
    assert_eq!(records[0]["scores"][3], Value::Null);
    assert!(records[0]["errors"]["3"].as_str().unwrap().contains("parse"), "{}", records[0]);
    assert_eq!(records[5]["chosen"], 0);
    assert!(records[2]["error"].as_str().unwrap().contains("nowhere"));
    says(&err, &["7 sets: ok 2, unread 1, empty 1, set_error 3", "|rerank:majority|metric:none|"]);
    // Nothing depends on the number of threads.
    let (again, _) = folder.run(&over_sets(&["--threads", "3"]), 0);
    assert_eq!(again, out);
    let mbr = |threads| folder.run(&over_sets(&["--method", "mbr", "--threads", threads]), 0);
    let (one, err) = mbr("1");
    assert!(err.contains("|rerank:mbr|metric:gmn|"), "{err}");
    assert_eq!(mbr("3").0, one);
    folder.run(&over_sets(&["--strict"]), 1);
}

#[test]
fn votes_are_weighed_as_asked() {
    let folder = Folder::with("sets.jsonl", sets());
    let chosen = |more: &[&str]| {
        let (out, _) = folder.run(&over_sets(more), 0);
        json_lines(&out)[1]["chosen"].clone()
    };
    assert_eq!(chosen(&[]), 0);
    assert_eq!(chosen(&["--weights", "logprob"]), 1);
    assert_eq!(chosen(&["--weights", "rank:0.5"]), 0);
    folder.refuses(&over_sets(&["--weights", "rank:2"]), &["--weights", "rank:D"]);
    folder.refuses(&over_sets(&["--checkpoint", "base"]), &["--checkpoint"]);
}

#[test]
fn beam_files_are_read_with_a_gold_file() {
    let folder = Folder::with("gold.sql", "SELECT 1\tnowhere\nSELECT COUNT(*) FROM singer\tconcerts\n");
    let beams = "{\"idx\": 1, \"beam\": [\"SELECT COUNT(*) FROM singer\"]}\n{\"idx\": 2, \"beam\": []}\n";
    folder.write("sets.jsonl", beams);
    let records = folder.lines(&over_sets(&["--gold", "gold.sql", "--method", "mbr", "--metric", "relpm"]));
    assert_eq!((&records[0]["id"], &records[0]["status"]), (&json!(1), &json!("ok")));
    assert!(records[1]["error"].as_str().unwrap().contains("no gold of number 2"), "{}", records[1]);
}

#[test]
fn words_and_documents() {
    let folder = Folder::with("sets.jsonl", sets());
    let (out, _) = folder.run(&over_sets(&["--format", "text"]), 0);
    says(&out, &["a: candidate 1 of 4 (score 0.", "d: no candidates", "7 sets: ok 2"]);
    let document = folder.json(&over_sets(&["--format", "json"]));
    assert_eq!(document["sets"].as_array().unwrap().len(), 7);
    assert_eq!(document["counts"]["bad_candidates"], 4);
    folder.run(&over_sets(&["--out", "out.jsonl"]), 0);
    assert_eq!(json_lines(&folder.read("out.jsonl")).len(), 7);
    folder.refuses(&over_sets(&["--out", "sets.jsonl"]), &["--sets"]);
    folder.write("empty.jsonl", "\n");
    folder.refuses(&[&["rerank", "--sets", "empty.jsonl"], &SCHEMAS[..]].concat(), &["holds no sets"]);
}
