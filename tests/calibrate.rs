//! `twinql calibrate` through the binary.

use crate::support::{DDL, Folder, one_pair, says};
use serde_json::{Value, json};

/// Pairs over `databases` databases of the same shape: what execution says of each follows from its queries, but
/// for one in nine.
fn executed(databases: usize) -> String {
    let gold = "SELECT name FROM singer WHERE age > 30";
    let preds = [
        ("SELECT name FROM singer WHERE 30 < age", 1),
        ("SELECT name FROM singer WHERE age >= 30", 0),
        ("SELECT id FROM singer WHERE age > 30", 0),
        ("SELECT s.name FROM singer s WHERE NOT s.age <= 30", 1),
        ("SELECT name FROM singer", 0),
        ("SELECT nothing FROM nowhere", 0),
    ];
    let mut lines = Vec::new();
    for database in 0..databases {
        for (pred, label) in preds {
            let odd = lines.len() % 9 == 8;
            let label = if odd { 1 - label } else { label };
            lines.push(
                json!({"db_id": format!("concerts{database}"), "gold": gold, "pred": pred, "label": label}),
            );
        }
    }
    lines.iter().map(|line| line.to_string() + "\n").collect()
}

fn folder(databases: usize) -> Folder {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("schemas")).unwrap();
    for i in 0..databases {
        folder.write(&format!("schemas/concerts{i}.sql"), DDL);
    }
    folder.write("executed.jsonl", executed(databases));
    folder
}

const ARGS: [&str; 7] =
    ["calibrate", "--pairs", "executed.jsonl", "--schemas", "schemas", "--out", "new.safetensors"];

#[test]
fn a_checkpoint_gets_weights_that_score() {
    let folder = folder(6);
    let (out, err) = folder.run(&ARGS, 0);
    says(&out, &["30 pairs over 6 databases", "pred_error 6", "AUC"]);
    assert!(err.contains("wrote new.safetensors"), "{err}");

    let report: Value = folder.json(&[&ARGS[..], &["--format", "json", "--quiet"]].concat());
    let model = &report["ex"];
    assert!(model["weights"]["equal"].as_f64().unwrap() > 0.0 && model["source"] == "executed.jsonl");
    // The same weights, whatever runs the queries.
    let threads = ["--format", "json", "--quiet", "--workers", "threads", "--threads", "1"];
    assert_eq!(folder.json(&[&ARGS[..], &threads].concat()), report);

    let pair = ["SELECT name FROM singer WHERE age > 30", "SELECT name FROM singer WHERE 30 < age"];
    let score = |checkpoint: &str| -> Value {
        let more = ["--metric", "ex,gmn", "--format", "json", "--checkpoint", checkpoint];
        folder.json(&one_pair("score", pair, &more))
    };
    let (old, new) = (score("small"), score("new.safetensors"));
    assert_ne!(old["mean"]["ex"], new["mean"]["ex"]);
    assert_ne!(old["signatures"]["ex"], new["signatures"]["ex"]);
    // The network is the same.
    assert_eq!(old["mean"]["gmn"], new["mean"]["gmn"]);
}

#[test]
fn a_network_is_corrected_by_what_a_probe_shows() {
    let folder = folder(6);
    let args = [&ARGS[..], &["--metric", "gmn", "--question", "plausible", "--semantics", "bird"]].concat();
    let (out, err) = folder.run(&args, 0);
    assert!(out.contains("asked plausible, under bird\nweight     log odds\noffset"), "{out}");
    assert!(out.contains("30 pairs, of which network and share are weighed on"), "{out}");
    assert!(out.contains("left out, since the network cannot read them: 6"), "{out}");
    assert!(err.contains("wrote new.safetensors"), "{err}");
    let report = folder.json(&[&args[..], &["--format", "json", "--quiet"]].concat());
    assert!(report["correction"]["share"].as_f64().unwrap() >= 0.0, "{report}");

    let pair = ["SELECT name FROM singer WHERE age > 30", "SELECT name FROM singer WHERE age >= 30"];
    let score = |checkpoint: &str, more: &[&str]| -> Value {
        let args = [&["--metric", "gmn", "--format", "json", "--checkpoint", checkpoint], more].concat();
        folder.json(&one_pair("score", pair, &args))["mean"]["gmn"].clone()
    };
    let asked = ["--question", "plausible", "--semantics", "bird"];
    assert_ne!(score("small", &asked), score("new.safetensors", &asked));
    // What the network alone says, and the other question, are as they were.
    let alone = [&asked[..], &["--probe", "0"]].concat();
    assert_eq!(score("small", &alone), score("new.safetensors", &alone));
    assert_eq!(score("small", &[]), score("new.safetensors", &[]));

    folder.refuses(&[&args[..], &["--probe", "0"]].concat(), &["--probe 0 shows nothing"]);
}

#[test]
fn what_cannot_be_calibrated_says_why() {
    let folder = folder(3);
    folder.refuses(&ARGS, &["executed.jsonl", "over 3 databases", "at least 5"]);
    assert!(!folder.path("new.safetensors").exists());
    let right: String =
        executed(3).lines().filter(|l| l.contains("\"label\":1")).map(|l| l.to_owned() + "\n").collect();
    folder.write("executed.jsonl", right);
    folder.refuses(&ARGS, &["have the same label"]);
    folder.refuses(&[&ARGS[..], &["--semantics", "declared"]].concat(), &["declared", "no-fk"]);
    let onto = ["calibrate", "--pairs", "executed.jsonl", "--schemas", "schemas", "--out", "executed.jsonl"];
    folder.refuses(&onto, &["cannot write executed.jsonl", "--pairs"]);
}
