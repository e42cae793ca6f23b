//! `twinql judge` through the binary.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod support;

use serde_json::{Value, json};
use support::{Folder, four, json_lines, one_pair, over_pairs, pair};

#[test]
fn a_single_pair_with_its_witness() {
    let folder = Folder::new();
    let args = one_pair(
        "judge",
        ["SELECT age FROM singer", "SELECT DISTINCT age FROM singer"],
        &[],
    );
    let (out, _) = folder.run(&args, 0);
    assert!(out.starts_with("different\n"), "{out}");
    assert!(
        out.contains("witness database:") && out.contains("INSERT INTO \"singer\""),
        "{out}"
    );
    assert!(
        out.contains("gold answers 2 rows of 1 column: | pred answers"),
        "{out}"
    );
    assert!(
        out.contains("|metric:suite|") && out.contains("|databases:"),
        "{out}"
    );
}

#[test]
fn verdicts_in_input_order_with_witness_files() {
    let folder = Folder::new();
    let broken = pair(
        "e/1",
        "SELECT name FROM singer",
        "SELECT nonsense(name) FROM singer",
        0,
    );
    folder.write("pairs.jsonl", format!("{}\n{broken}", four()));
    let args = over_pairs("judge", &["--databases", "30", "--witness-dir", "w"]);
    let (out, err) = folder.run(&args, 0);
    let verdicts: Vec<Value> = json_lines(&out).iter().map(|r| r["verdict"].clone()).collect();
    assert_eq!(
        verdicts,
        [
            json!("same"),
            json!("different"),
            json!("same"),
            json!("different"),
            Value::Null
        ]
    );
    let last = &json_lines(&out)[4];
    assert_eq!(last["status"], "pred_error");
    assert!(last["error"].as_str().unwrap().contains("nonsense"), "{last}");
    assert!(err.contains("same 2, different 2, of all 5 pairs"), "{err}");
    let mut files: Vec<String> = std::fs::read_dir(folder.path("w"))
        .unwrap()
        .map(|f| f.unwrap().file_name().into_string().unwrap())
        .collect();
    files.sort();
    assert_eq!(files, ["b.sql", "d.sql"]);
    assert!(
        folder
            .read("w/b.sql")
            .starts_with("-- gold: SELECT name FROM singer\n")
    );
}

/// A join along a foreign key loses no row only where foreign keys hold.
#[test]
fn the_semantics_decides() {
    let folder = Folder::new();
    let verdict = |semantics| {
        let args = one_pair(
            "judge",
            [
                "SELECT year FROM concert",
                "SELECT year FROM concert JOIN singer ON singer.id = singer_id",
            ],
            &["--semantics", semantics, "--format", "json"],
        );
        let document: Value = folder.json(&args);
        document["records"][0]["verdict"].clone()
    };
    assert_eq!(verdict("default"), "same");
    assert_eq!(verdict("no-fk"), "different");
}

#[test]
fn checks_give_exit_code_one() {
    let folder = Folder::new();
    folder.write("pairs.jsonl", four());
    let args = over_pairs("judge", &["--fail-under", "0.6", "--format", "text"]);
    let (out, err) = folder.run(&args, 1);
    assert!(out.starts_with("id  status"), "{out}");
    assert!(
        err.contains("the share of pairs called the same is 0.5000"),
        "{err}"
    );
}
