//! `twinql judge` through the binary.

use std::path::Path;

use crate::support::{Folder, four, json_lines, one_pair, over_pairs, pair, says, with_four};
use serde_json::{Value, json};

#[test]
fn a_single_pair_with_its_witness() {
    let folder = Folder::new();
    let args = one_pair("judge", ["SELECT age FROM singer", "SELECT DISTINCT age FROM singer"], &[]);
    let (out, _) = folder.run(&args, 0);
    assert!(out.starts_with("different\n"), "{out}");
    let parts = [
        "-- gold:\n--   SELECT age FROM singer\n-- answers 2 rows of 1 column:\n--   age\n--   ---\n",
        "-- prediction:\n--   SELECT DISTINCT age FROM singer\n-- answers 1 row of 1 column:\n",
        "  PRIMARY KEY (\"id\")",
        "INSERT INTO \"singer\" VALUES (1, ",
        "INSERT INTO \"singer\" VALUES (2, ",
    ];
    says(&out, &parts);
    // Neither query reads it, and nothing refers to it.
    assert!(!out.contains("concert"), "{out}");
    assert!(out.contains("|metric:suite|") && out.contains("|databases:"), "{out}");
}

#[test]
fn verdicts_in_input_order_with_witness_files() {
    let folder = Folder::new();
    let broken = pair("e/1", "SELECT name FROM singer", "SELECT nonsense(name) FROM singer", 0);
    folder.write("pairs.jsonl", format!("{}\n{broken}", four()));
    let args = over_pairs("judge", &["--databases", "30", "--witness-dir", "w"]);
    let (out, err) = folder.run(&args, 0);
    let records = json_lines(&out);
    let verdicts: Vec<Value> = records.iter().map(|r| r["verdict"].clone()).collect();
    assert_eq!(verdicts, [json!("same"), json!("different"), json!("same"), json!("different"), Value::Null]);
    let last = &records[4];
    assert_eq!(last["status"], "pred_error");
    assert!(last["error"].as_str().unwrap().contains("nonsense"), "{last}");
    assert!(err.contains("same 2, different 2, untested 0, of all 5 pairs"), "{err}");
    assert_eq!(folder.names("w"), ["b.sql", "d.sql"]);
    let witness = &records[1]["witness"];
    assert_eq!(witness["file"], Path::new("w").join("b.sql").display().to_string());
    let text = folder.read("w/b.sql");
    assert!(text.contains("-- gold:\n--   SELECT name FROM singer\n"), "{text}");
    assert!(text.ends_with(witness["sql"].as_str().unwrap()), "{text}");
}

#[test]
fn a_witness_says_how_plausible_it_is() {
    let folder = Folder::new();
    // They differ where two singers are of the largest age.
    let pair = [
        "SELECT name FROM singer ORDER BY age DESC LIMIT 1",
        "SELECT name FROM singer WHERE age = (SELECT MAX(age) FROM singer)",
    ];
    let judge = |more: &[&str]| -> Value {
        folder.json(&one_pair("judge", pair, &[&["--format", "jsonl"], more].concat()))
    };
    let record = judge(&[]);
    let found = &record["witness"]["plausibility"];
    let tie = json!({"regularity": "clear-extremes", "says": "two rows of singer tie in age"});
    assert_eq!(found["because"][0], tie);
    let (differ, all) = (found["differ"].as_u64().unwrap(), found["databases"].as_u64().unwrap());
    assert!(all == 64 && 0 < differ && differ < 32, "{found}");
    assert_eq!(judge(&["--workers", "threads"]), record);
    let (text, _) = folder.run(&one_pair("judge", pair, &[]), 0);
    let line = format!("-- differs on {differ} of 64 plausible databases");
    says(&text, &[&line, "; here because two rows of singer tie in age"]);
    // The verdict and the witness do not depend on it.
    let without = judge(&["--plausible", "0"]);
    assert_eq!(without["witness"]["sql"], record["witness"]["sql"]);
    assert!(without["witness"].get("plausibility").is_none(), "{without}");
}

/// Each file is the witness of the pair whose record names it.
#[test]
fn ids_that_look_alike_have_files_of_their_own() {
    let folder = Folder::new();
    let long = "x".repeat(400);
    let ids = ["a/b", "a_b", "A_B", "", "..", &long, "a_b"];
    let lines: Vec<String> = ids
        .iter()
        .enumerate()
        .map(|(i, id)| pair(id, &format!("SELECT name, {i} FROM singer"), "SELECT 1, age FROM singer", 0))
        .collect();
    folder.write("pairs.jsonl", lines.join("\n"));
    let (out, _) = folder.run(&over_pairs("judge", &["--databases", "5", "--witness-dir", "w"]), 0);
    for (i, record) in json_lines(&out).iter().enumerate() {
        let file = record["witness"]["file"].as_str().unwrap();
        let text = folder.read(file);
        assert!(text.contains(&format!("SELECT name, {i} FROM singer\n")), "{file}: {text}");
    }
    assert_eq!(std::fs::read_dir(folder.path("w")).unwrap().count(), ids.len());
}

/// A join along a foreign key loses no row only where foreign keys hold.
#[test]
fn the_semantics_decides() {
    let folder = Folder::new();
    let pair = ["SELECT year FROM concert", "SELECT year FROM concert JOIN singer ON singer.id = singer_id"];
    for (semantics, verdict) in [("default", "same"), ("no-fk", "different")] {
        let args = one_pair("judge", pair, &["--semantics", semantics, "--format", "json"]);
        assert_eq!(folder.json(&args)["records"][0]["verdict"], verdict);
    }
}

#[test]
fn checks_give_exit_code_one() {
    let folder = with_four();
    let args = over_pairs("judge", &["--fail-under", "0.6", "--format", "text"]);
    let (out, err) = folder.run(&args, 1);
    assert!(out.starts_with("id  status"), "{out}");
    assert!(err.contains("the share of pairs called the same is 0.5000"), "{err}");
}
