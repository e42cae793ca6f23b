//! Input that cannot be used: a message with its place and remedy, and exit code 2.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod support;

use support::{Folder, four, json_lines, over_pairs, pair};

const ONE: [&str; 6] = ["--gold-sql", "SELECT 1", "--pred-sql", "SELECT 1", "--metric", "relpm"];

fn score<'a>(extra: &[&'a str]) -> Vec<&'a str> {
    ["score"].iter().chain(extra).copied().collect()
}

#[test]
fn arguments() {
    let folder = Folder::new();
    folder.write("pairs.jsonl", four());
    let with = |extra: &[&'static str]| over_pairs("score", extra);
    let cases: &[(Vec<&str>, &[&str])] = &[
        (score(&["--schemas", "concerts.sql"]), &["no pairs to work on", "--gold-sql"]),
        (score(&ONE), &["--schemas is missing", "CREATE TABLE"]),
        (with(&["--metric", "gnm"]), &["unknown metric \"gnm\"", "gmn, suite, relpm"]),
        (with(&["--metric", "relpm", "--semantics", "loose"]), &["unknown semantics \"loose\"", "no-fk"]),
        (with(&["--metric", "relpm", "--fail-under", "7"]), &["--fail-under 7", "between 0 and 1"]),
        (with(&["--metric", "suite", "--databases", "0"]), &["--databases must be at least 1"]),
        (with(&["--metric", "relpm", "--threads", "0"]), &["--threads must be at least 1"]),
        (with(&["--device", "tpu"]), &["--device tpu"]),
        (with(&["--gold", "x"]), &["--gold"]),
        (vec!["frobnicate"], &["unrecognized subcommand"]),
    ];
    for (args, parts) in cases {
        folder.refuses(args, parts);
    }
}

#[test]
fn files_that_are_missing_or_empty() {
    let folder = Folder::new();
    folder.write("empty", "");
    folder.write("pairs.jsonl", four());
    folder.write("gold.txt", "SELECT 1\tconcerts\n");
    folder.write("no-tab.txt", "SELECT 1 concerts\n");
    let schemas = ["--schemas", "concerts.sql", "--metric", "relpm"];
    let with = |extra: &[&'static str]| score(&[&schemas[..], extra].concat());
    folder.refuses(&with(&["--pairs", "none.jsonl"]), &["none.jsonl"]);
    folder.refuses(&with(&["--pairs", "empty"]), &["empty", "no pairs"]);
    folder.refuses(&with(&["--gold", "gold.txt", "--pred", "none.txt"]), &["none.txt"]);
    folder.refuses(&with(&["--gold", "empty", "--pred", "gold.txt"]), &["empty", "no gold queries"]);
    folder.refuses(&with(&["--gold", "no-tab.txt", "--pred", "gold.txt"]), &["no-tab.txt, line 1: no tab"]);
    folder.write("gold.txt", b"SELECT name FROM singer");
    folder.write("cut.jsonl.gz", b"\x1f\x8b\x08\0\0\0\0\0\0\xff");
    folder.refuses(&with(&["--pairs", "cut.jsonl.gz"]), &["cut.jsonl.gz", "not a whole gzip file"]);
    folder.refuses(&with(&["--pairs", "pairs.jsonl", "--out", "."]), &["cannot write .", "it is a folder"]);
    folder.refuses(
        &with(&["--pairs", "pairs.jsonl", "--out", "empty/scores.jsonl"]),
        &["cannot create the folder empty"],
    );
    let schema =
        |path: &'static str| score(&["--pairs", "pairs.jsonl", "--metric", "relpm", "--schemas", path]);
    folder.refuses(&schema("none.sql"), &["none.sql", "check the path"]);
    folder.refuses(&schema("pairs.jsonl"), &["pairs.jsonl"]);
}

#[test]
fn line_counts_that_disagree_name_both() {
    let folder = Folder::new();
    folder.write("gold.txt", "SELECT 1\tconcerts\nSELECT 2\tconcerts\n");
    folder.write("pred.txt", "SELECT 1\nSELECT 2\nSELECT 3\n");
    folder.refuses(
        &score(&[
            "--gold",
            "gold.txt",
            "--pred",
            "pred.txt",
            "--schemas",
            "concerts.sql",
            "--metric",
            "relpm",
        ]),
        &["gold.txt has 2", "pred.txt has 3"],
    );
}

/// A bad line of either file is that pair's status; the others are scored.
#[test]
fn bad_lines_of_gold_and_prediction_files() {
    let folder = Folder::new();
    let name = "SELECT name FROM singer";
    let mut gold = format!("\u{feff}{name}\tconcerts\r\n").into_bytes();
    gold.extend(b"SELECT '\xff'\tconcerts\r\nSELECT 1\r\nSELECT 1\tconcert\r\n");
    gold.extend(format!("{name}\tconcerts\r\n{name}\tconcerts\r\n").bytes());
    folder.write("gold.txt", gold);
    folder.write("pred.txt", [b"\xef\xbb\xbf", name.as_bytes(), b"\r\n1\r\n1\r\n1\r\n\xff\r\n\r\n"].concat());
    let run = |pred: &str| {
        let args = ["--gold", "gold.txt", "--pred", pred, "--schemas", "concerts.sql"];
        let (out, _) = folder.run(&score(&[&args[..], &["--metric", "relpm"]].concat()), 0);
        json_lines(&out)
    };
    let expect = [
        ("ok", ""),
        ("gold_error", "gold.txt, line 2: not UTF-8 at byte 8"),
        ("gold_error", "gold.txt, line 3: no tab"),
        ("gold_error", "line 4: unknown db_id \"concert\" in concerts.sql; similar names: concerts"),
        ("pred_error", "pred.txt, line 5: not UTF-8 at byte 0"),
        ("pred_error", "pred.txt, line 6: empty prediction"),
    ];
    let check = |records: &[serde_json::Value], expect: &[(&str, &str)]| {
        assert_eq!(records.len(), expect.len());
        for (record, (status, part)) in records.iter().zip(expect) {
            assert_eq!(record["status"], *status, "{record}");
            let error = record["error"].as_str().unwrap_or_default();
            assert!(error.contains(part), "{error}");
        }
    };
    check(&run("pred.txt"), &expect);
    let bird = serde_json::json!({
        "0": format!("{name}\t----- bird -----\tconcerts"), "1": "", "2": "", "3": "", "4": 0, "5": ""
    });
    folder.write("pred.json", bird.to_string());
    let mut expect = expect;
    expect[4].1 = "pred.json, question 4: the value 0 is not a string";
    expect[5].1 = "pred.json, question 5: empty prediction";
    check(&run("pred.json"), &expect);
}

#[test]
fn a_file_of_no_pairs_at_all() {
    let folder = Folder::new();
    folder.write("pairs.jsonl", "SELECT 1\nSELECT 2\n");
    folder.refuses(
        &over_pairs("score", &["--metric", "relpm"]),
        &["no line of the file is a pair", "pairs.jsonl, line 1: not JSON", "one JSON object a line"],
    );
}

#[test]
fn unknown_databases() {
    let folder = Folder::new();
    folder.refuses(
        &score(&[&["--schemas", "concerts.sql", "--db-id", "concert"], &ONE[..]].concat()),
        &["unknown db_id \"concert\"", "similar names: concerts"],
    );
    std::fs::create_dir(folder.path("many")).unwrap();
    folder.write("many/a.sql", support::DDL);
    folder.write("many/b.sql", support::DDL);
    folder.refuses(
        &score(&[&["--schemas", "many"], &ONE[..]].concat()),
        &["many has 2 databases", "--db-id", "a, b"],
    );
}

#[test]
fn checkpoints() {
    let folder = Folder::new();
    folder.write("pairs.jsonl", four());
    folder.write("truncated.safetensors", b"\x10\0\0\0\0\0\0\0{\"a\"");
    let with = |path: &'static str| over_pairs("score", &["--checkpoint", path]);
    folder.refuses(
        &with("none.safetensors"),
        &["cannot read the checkpoint none.safetensors", "check the path"],
    );
    folder.refuses(
        &with("truncated.safetensors"),
        &["truncated.safetensors is not a usable twinql checkpoint"],
    );
    folder.refuses(&with("pairs.jsonl"), &["pairs.jsonl is not a usable twinql checkpoint"]);
    if twinql::embedded::BUILT_IN[0].checkpoint().is_none() {
        folder.refuses(&over_pairs("score", &[]), &["no checkpoint `small` is built in", "--checkpoint"]);
    }
}

/// Predictions that write, loop or explode, bytes that are no text, schemas with cycles,
/// keywords, spaces, no columns: each pair gets a record, and the batch goes on.
#[test]
fn hostile_predictions_and_odd_schemas() {
    let folder = Folder::new();
    let deep = format!("SELECT {}1{}", "(".repeat(5000), ")".repeat(5000));
    let wide = format!("SELECT 1 FROM singer WHERE {}", vec!["age = 1"; 20_000].join(" OR "));
    let between = format!("SELECT 1{}", " BETWEEN 1 AND 2".repeat(60));
    let not_in = format!("SELECT age{} FROM singer", " NOT IN (1, 2)".repeat(60));
    let long = format!("SELECT '{}'", "x".repeat(1_000_000));
    let deeper = format!("SELECT {}1{}", "(".repeat(100_000), ")".repeat(100_000));
    let preds = [
        "DELETE FROM singer",
        "DROP TABLE singer; SELECT 1",
        "WITH RECURSIVE t(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM t) SELECT x FROM t",
        "SELECT COUNT(*) FROM singer a, singer b, singer c, singer d, singer e, singer f, singer g, singer h",
        "SELECT hex(randomblob(1000000000))",
        "ATTACH 'x.db' AS x",
        "",
        "SELECT 'it\u{0}s'",
        deep.as_str(),
        wide.as_str(),
        // Their expansions double with each step.
        between.as_str(),
        not_in.as_str(),
        long.as_str(),
        deeper.as_str(),
    ];
    let mut lines: Vec<Vec<u8>> = preds
        .iter()
        .enumerate()
        .map(|(i, p)| pair(&i.to_string(), "SELECT name FROM singer", p, 0).into_bytes())
        .collect();
    lines.push(b"{\"id\":\"\xff\"}".to_vec());
    let cyclic = "CREATE TABLE a (id INTEGER PRIMARY KEY, b INTEGER REFERENCES b(id)); CREATE TABLE b (id INTEGER PRIMARY KEY, a INTEGER REFERENCES a(id));";
    let keyword = "CREATE TABLE \"select\" (\"from where\" TEXT);";
    for (schema, sql) in [(cyclic, "SELECT id FROM a"), (keyword, "SELECT \"from where\" FROM \"select\"")] {
        let line = serde_json::json!({"schema": schema, "gold": sql, "pred": sql});
        lines.push(line.to_string().into_bytes());
    }
    lines.push(
        serde_json::json!({"schema": "CREATE TABLE t ()", "gold": "SELECT 1", "pred": "SELECT 1"})
            .to_string()
            .into_bytes(),
    );
    folder.write("pairs.jsonl", lines.join(&b'\n'));
    let args = over_pairs("score", &["--metric", "relpm,suite", "--databases", "10"]);
    let (out, err) = folder.run(&args, 0);
    let records = json_lines(&out);
    assert_eq!(records.len(), lines.len(), "{err}");
    for record in &records[..preds.len()] {
        assert_ne!(record["scores"]["suite"], 1.0, "{record}");
    }
    assert!(records[preds.len()]["error"].as_str().unwrap().contains("not UTF-8"));
    for record in &records[preds.len() + 1..preds.len() + 3] {
        assert_eq!(record["scores"]["suite"], 1.0, "{record}");
    }
    assert!(!folder.path("x.db").exists());
}

/// What a pipeline takes for finished must not be there if nothing could be graded.
#[test]
fn nothing_graded_leaves_no_file() {
    let folder = Folder::new();
    folder
        .write("pairs.jsonl", r#"{"db_id": "nowhere", "gold": "SELECT 1", "pred": "SELECT 2", "label": 0}"#);
    let grade = ["corpus", "grade", "pairs.jsonl", "--schemas", "concerts.sql"];
    let grade = [&grade[..], &["--semantics", "default", "--out", "graded.jsonl"]].concat();
    folder.refuses(&grade, &["none of the 1 pairs with label 0", "concerts.sql"]);
    assert!(!folder.path("graded.jsonl").exists());
    folder.refuses(&[&grade[..], &["--databases", "0"]].concat(), &["--databases", "1.."]);
}
