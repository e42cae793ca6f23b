//! Input that cannot be used: a message with its place and remedy, and exit code 2.

use crate::support::{DDL, Folder, four, over_pairs, pair, says, with_four};

/// A single pair, and more arguments.
fn one(more: &str) -> String {
    format!("score --gold-sql 'SELECT 1' --pred-sql 'SELECT 1' --metric relpm {more}")
}

#[test]
fn arguments() {
    let folder = with_four();
    let with = |more: &str| format!("score --pairs pairs.jsonl --schemas concerts.sql {more}");
    for (args, parts) in [
        ("score --schemas concerts.sql".into(), &["no pairs to work on", "--gold-sql"][..]),
        (one(""), &["--schemas is missing", "CREATE TABLE"]),
        (with("--metric gnm"), &["unknown metric \"gnm\"", "gmn, suite, relpm"]),
        (with("--metric relpm --semantics loose"), &["unknown semantics \"loose\"", "no-fk"]),
        (with("--metric relpm --fail-under 7"), &["--fail-under 7", "between 0 and 1"]),
        (with("--metric suite --databases 0"), &["--databases must be at least 1"]),
        (with("--metric relpm --threads 0"), &["--threads must be at least 1"]),
        (with("--device cpu"), &["unexpected argument", "--device"]),
        (with("--gold x"), &["--gold"]),
        ("frobnicate".into(), &["unrecognized subcommand"]),
    ] {
        folder.refuses(&args, parts);
    }
}

#[test]
fn files_that_are_missing_or_empty() {
    let folder = Folder::with("empty", "");
    folder.write("pairs.jsonl", four());
    folder.write("gold.txt", "SELECT 1\tconcerts\n");
    folder.write("no-tab.txt", "SELECT 1 concerts\n");
    folder.write("cut.jsonl.gz", b"\x1f\x8b\x08\0\0\0\0\0\0\xff");
    for (args, parts) in [
        ("--pairs none.jsonl", &["none.jsonl"][..]),
        ("--pairs empty", &["empty", "no pairs"]),
        ("--gold gold.txt --pred none.txt", &["none.txt"]),
        ("--gold empty --pred gold.txt", &["empty", "no gold queries"]),
        ("--gold no-tab.txt --pred gold.txt", &["no-tab.txt, line 1: no tab"]),
        ("--pairs cut.jsonl.gz", &["cut.jsonl.gz", "not a whole gzip file"]),
        ("--pairs pairs.jsonl --out .", &["cannot write .", "it is a folder"]),
        ("--pairs pairs.jsonl --out empty/scores.jsonl", &["cannot create the folder empty"]),
    ] {
        folder.refuses(&format!("score {args} --schemas concerts.sql --metric relpm"), parts);
    }
    for (schemas, parts) in
        [("none.sql", &["none.sql", "check the path"][..]), ("pairs.jsonl", &["pairs.jsonl"])]
    {
        folder.refuses(&format!("score --pairs pairs.jsonl --metric relpm --schemas {schemas}"), parts);
    }
}

#[test]
fn line_counts_that_disagree_name_both() {
    let folder = Folder::with("gold.txt", "SELECT 1\tconcerts\nSELECT 2\tconcerts\n");
    folder.write("pred.txt", "SELECT 1\nSELECT 2\nSELECT 3\n");
    let args = "score --gold gold.txt --pred pred.txt --schemas concerts.sql --metric relpm";
    folder.refuses(args, &["gold.txt has 2", "pred.txt has 3"]);
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
        folder.lines(&format!("score --gold gold.txt --pred {pred} --schemas concerts.sql --metric relpm"))
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
            says(record["error"].as_str().unwrap_or_default(), &[part]);
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
    let folder = Folder::with("pairs.jsonl", "SELECT 1\nSELECT 2\n");
    folder.refuses(
        &over_pairs("score", &["--metric", "relpm"]),
        &["no line of the file is a pair", "pairs.jsonl, line 1: not JSON", "one JSON object a line"],
    );
}

#[test]
fn unknown_databases() {
    let folder = Folder::with("many/a.sql", DDL);
    folder.write("many/b.sql", DDL);
    let unknown = ["unknown db_id \"concert\"", "similar names: concerts"];
    folder.refuses(&one("--schemas concerts.sql --db-id concert"), &unknown);
    folder.refuses(&one("--schemas many"), &["many has 2 databases", "--db-id", "a, b"]);
}

#[test]
fn checkpoints() {
    let folder = with_four();
    folder.write("truncated.safetensors", b"\x10\0\0\0\0\0\0\0{\"a\"");
    for (path, parts) in [
        ("none.safetensors", &["cannot read the checkpoint none.safetensors", "check the path"][..]),
        ("truncated.safetensors", &["truncated.safetensors is not a usable twinql checkpoint"]),
        ("pairs.jsonl", &["pairs.jsonl is not a usable twinql checkpoint"]),
    ] {
        folder.refuses(&over_pairs("score", &["--checkpoint", path]), parts);
    }
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
    for (schema, sql) in [
        (cyclic, "SELECT id FROM a"),
        (keyword, "SELECT \"from where\" FROM \"select\""),
        ("CREATE TABLE t ()", "SELECT 1"),
    ] {
        let line = serde_json::json!({"schema": schema, "gold": sql, "pred": sql});
        lines.push(line.to_string().into_bytes());
    }
    folder.write("pairs.jsonl", lines.join(&b'\n'));
    let records = folder.lines(&over_pairs("score", &["--metric", "relpm,suite", "--databases", "10"]));
    assert_eq!(records.len(), lines.len());
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
    let line = r#"{"db_id": "nowhere", "gold": "SELECT 1", "pred": "SELECT 2", "label": 0}"#;
    let folder = Folder::with("pairs.jsonl", line);
    let grade = "corpus grade pairs.jsonl --schemas concerts.sql --semantics default --out graded.jsonl";
    folder.refuses(grade, &["none of the 1 pairs with label 0", "concerts.sql"]);
    assert!(!folder.path("graded.jsonl").exists());
    folder.refuses(&format!("{grade} --databases 0"), &["--databases", "1.."]);
}
