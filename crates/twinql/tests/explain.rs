//! `twinql explain --plan`, dialects, and hostile text through the binary.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod support;

use support::{Folder, one_pair, over_pairs};

const GOLD: &str = "SELECT name FROM singer WHERE age > 30";
const PRED: &str = "SELECT name\nFROM singer WHERE 30 < age";

#[test]
fn ids_are_the_same_in_text_json_and_graph() {
    let folder = Folder::new();
    let base = ["explain", "--plan", "--schemas", "concerts.sql", GOLD, PRED];
    let with = |extra: &[&'static str]| folder.run(&[&base[..], extra].concat(), 0).0;
    let (text, json, dot) = (with(&[]), with(&["--format", "json"]), with(&["--dot"]));
    assert_eq!(text, with(&[]));
    assert!(
        text.contains("Filter (30 < ") || text.contains("Filter age"),
        "{text}"
    );
    assert!(text.contains("@ 1:31-1:39"), "{text}");
    let document: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(document["verdict"], "equal");
    for (side, letters) in [("gold", ["g", "G"]), ("pred", ["p", "P"])] {
        for (tree, letter) in [("written", letters[0]), ("canonical", letters[1])] {
            let nodes = document[side][tree].as_array().unwrap();
            assert!(!nodes.is_empty());
            for node in nodes {
                let id = node["id"].as_str().unwrap();
                assert!(id.starts_with(letter));
                assert!(dot.contains(&format!("{id} [label=\"{id}: ")), "{dot}");
                assert!(text.contains(&format!("{id} ")), "{text}");
            }
        }
    }
}

#[test]
fn dialects_are_read_and_named() {
    let folder = Folder::new();
    let run = |dialect: &str, gold: &str, pred: &str| {
        let args = one_pair(
            "score",
            [gold, pred],
            &[
                "--metric",
                "relpm,suite",
                "--databases",
                "20",
                "--dialect",
                dialect,
                "--format",
                "json",
            ],
        );
        folder.json(&args)
    };
    let same = run(
        "mysql",
        "SELECT name FROM singer WHERE name = \"x\" || age = 1",
        "SELECT `name` FROM singer WHERE name = 'x' OR age = 1",
    );
    assert_eq!(same["records"][0]["scores"]["suite"], 1.0, "{same}");
    assert_eq!(same["records"][0]["scores"]["relpm"], 1.0, "{same}");
    assert!(same.to_string().contains("|dialect:mysql|"), "{same}");
    let cases = run(
        "postgres",
        "SELECT COUNT(*) FROM singer WHERE name LIKE 'A%'",
        "SELECT COUNT(*) FROM singer WHERE name ILIKE 'A%'",
    );
    assert!(
        cases["records"][0]["scores"]["relpm"].as_f64().unwrap() < 1.0,
        "{cases}"
    );
    folder.refuses(
        &[
            "explain",
            "--schemas",
            "concerts.sql",
            GOLD,
            PRED,
            "--dialect",
            "oracle",
        ],
        &["unknown dialect \"oracle\"", "sqlite, postgres, mysql, generic"],
    );
}

#[test]
fn hostile_text_is_an_error_of_its_pair() {
    let folder = Folder::new();
    let deep = format!("SELECT {}1{}", "(".repeat(20_000), ")".repeat(20_000));
    let wide = format!(
        "SELECT id FROM singer{}",
        " UNION SELECT id FROM singer".repeat(1_500)
    );
    let huge = format!("SELECT '{}'", "x".repeat(1 << 20));
    let terms = format!("SELECT id FROM singer WHERE {}1", "age = 1 AND ".repeat(4_000));
    let lines: Vec<String> = [&deep, &wide, &huge, &terms]
        .iter()
        .map(|pred| serde_json::json!({"db_id": "concerts", "gold": GOLD, "pred": pred}).to_string())
        .collect();
    folder.write("pairs.jsonl", lines.join("\n"));
    let args = over_pairs("score", &["--metric", "relpm"]);
    let (out, _) = folder.run(&args, 0);
    assert_eq!(out.lines().count(), 4);
    for line in out.lines() {
        let record: serde_json::Value = serde_json::from_str(line).unwrap();
        assert_eq!(record["status"], "unsupported", "{line}");
        assert!(record["error"].as_str().unwrap().contains("too large"), "{line}");
    }
    folder.refuses(
        &["explain", "--schemas", "concerts.sql", GOLD, &deep],
        &["the pred query", "too large"],
    );
}
