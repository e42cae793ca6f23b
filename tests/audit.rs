//! `twinql audit` through the binary.

use crate::support::{Folder, SCHEMAS, says};

const GOLDS: &str = "\
SELECT name FROM singer\tconcerts
SELECT name FROM singer ORDER BY age LIMIT 1\tconcerts
SELECT nmae FROM singer\tconcerts
SELECT name FROM singer WHERE age > 30 AND age < 20\tconcerts
SELECT name FROM singer\tnowhere
";

fn args<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&["audit", "--gold", "gold.sql"], &SCHEMAS[..], more].concat()
}

#[test]
fn a_gold_file_in_each_format() {
    let folder = Folder::with("gold.sql", GOLDS);
    let (out, err) = folder.run(&args(&[]), 0);
    says(
        &out,
        &["warning: limit-ties", "                                     ^^^\n", "and may as well answer:"],
    );
    says(&out, &["the column name?", "unknown db_id \"nowhere\""]);
    assert!(!out.contains("0 (line 1"), "{out}");
    let ties = err.lines().find(|line| line.starts_with("limit-ties")).unwrap();
    assert_eq!(ties.split_whitespace().collect::<Vec<_>>(), ["limit-ties", "warning", "1", "1"], "{err}");
    says(&err, &["5 golds: audited 3, refused 1, unusable 1"]);

    let records = folder.lines(&args(&["--format", "jsonl"]));
    let statuses: Vec<&str> = records.iter().map(|r| r["status"].as_str().unwrap()).collect();
    assert_eq!(statuses, ["audited", "audited", "refused", "audited", "unusable"]);
    let ties = &records[1]["findings"][0];
    assert_eq!(
        (&ties["check"], &ties["start"], &ties["end"]),
        (&"limit-ties".into(), &33.into(), &36.into())
    );
    assert_ne!(ties["witness"]["answers"][0], ties["witness"]["answers"][1]);
    assert_eq!(records[3]["findings"][0]["severity"], "error");

    let document = folder.json(&args(&["--format", "json"]));
    assert_eq!(document["summary"]["golds"], 5);
    assert_eq!(document["golds"].as_array().unwrap().len(), 4);

    let log = folder.json(&args(&["--format", "sarif", "--no-witness"]));
    assert_eq!(log["version"], "2.1.0");
    let run = &log["runs"][0];
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    let results = run["results"].as_array().unwrap();
    assert_eq!(results.len(), 3);
    for result in results {
        let rule = &rules[result["ruleIndex"].as_u64().unwrap() as usize];
        assert_eq!(rule["id"], result["ruleId"]);
    }
    let place = &results[0]["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "gold.sql");
    assert_eq!((&place["region"]["startLine"], &place["region"]["startColumn"]), (&2.into(), &34.into()));
}

#[test]
fn exit_codes() {
    let folder = Folder::with("gold.sql", GOLDS);
    folder.run(&args(&["--fail-on", "error"]), 1);
    folder.run(&args(&["--fail-on", "error", "--check", "limit-ties"]), 0);
    folder.run(&args(&["--fail-on", "warning", "--check", "limit-ties"]), 1);
    folder.refuses(&args(&["--check", "no-such"]), &["unknown check \"no-such\""]);
    folder.refuses("audit --schemas concerts.sql", &["no golds"]);
    folder.refuses("audit --gold gold.sql", &["--schemas is missing"]);
    folder.refuses(&args(&["--out", "gold.sql"]), &["gold.sql"]);
}

#[test]
fn one_query_and_pairs() {
    let folder = Folder::new();
    let one = |sql| [&["audit", "--gold-sql", sql][..], &SCHEMAS].concat();
    let (out, _) = folder.run(&one("SELECT name FROM singer"), 0);
    assert_eq!(out, "nothing found\n");
    let (out, _) = folder.run(&one("SELECT name, count(*)\nFROM singer GROUP BY age"), 0);
    says(&out, &["bare-column", "    SELECT name, count(*)\n           ^^^^\n"]);
    // A pair needs no prediction here, and may have its own schema.
    folder.write(
        "pairs.jsonl",
        r#"{"id": 7, "schema": "CREATE TABLE t (a INTEGER)", "gold": "SELECT a FROM t WHERE a = NULL"}"#,
    );
    let record = folder.json("audit --pairs pairs.jsonl --format jsonl");
    assert_eq!((&record["id"], &record["findings"][0]["check"]), (&7.into(), &"null-comparison".into()));
}

#[test]
fn the_same_bytes_whatever_the_number_of_threads() {
    let folder = Folder::new();
    let golds: String = (0..200)
        .map(|i| format!("SELECT name FROM singer WHERE age > {i} ORDER BY age LIMIT 1\tconcerts\n"))
        .collect();
    folder.write("gold.sql", golds);
    let run = |threads| folder.run(&args(&["--format", "jsonl", "--threads", threads]), 0).0;
    assert_eq!(run("1"), run("4"));
}

#[test]
fn hostile_golds_are_findings() {
    let folder = Folder::new();
    let deep = format!("SELECT {}1{} FROM singer", "(".repeat(5000), ")".repeat(5000));
    let golds = [
        "DROP TABLE singer",
        "SELECT",
        "\u{1b}[31mSELECT name",
        "SELECT 'é' || name FROM singer ORDER BY 'ü' LIMIT 1",
        "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT n FROM r LIMIT 1",
        "SELECT randomblob(1000000000) FROM singer ORDER BY age LIMIT 1",
        &deep,
    ];
    let lines: String = golds.iter().map(|g| format!("{g}\tconcerts\n")).collect();
    folder.write("gold.sql", lines);
    for format in ["text", "jsonl", "json", "sarif"] {
        let (out, _) = folder.run(&args(&["--format", format, "--severity", "note"]), 0);
        assert!(!out.contains('\u{1b}'), "{format}");
    }
    assert_eq!(folder.lines(&args(&["--format", "jsonl"])).len(), golds.len());
}

#[test]
fn a_report_beside_the_findings() {
    let folder = Folder::with("gold.sql", GOLDS);
    folder.run(&args(&["--report", "audit.html", "--quiet"]), 0);
    let parts = ["What is wrong with these golds", "limit-ties", "ORDER BY", "line 1, column"];
    says(&folder.read("audit.html"), &parts);
    folder.write("empty.sql", "");
    let empty = "audit --gold empty.sql --schemas concerts.sql";
    folder.refuses(empty, &["empty.sql: the file holds no gold queries"]);
    folder.refuses(&args(&["--report", "audit.pdf"]), &["--report audit.pdf", ".html"]);
}

#[test]
fn golds_with_their_questions_and_in_two_dialects() {
    let entry = |sql: &str, evidence: &str| {
        serde_json::json!({"question_id": 7, "db_id": "concerts", "question": "Which singer over 30 is the oldest?",
            "evidence": evidence, "SQL": sql})
    };
    let golds = [
        entry("SELECT max(age) FROM singer", ""),
        entry("SELECT name FROM singer", "over 30 refers to age > 30"),
        entry("SELECT name FROM singer WHERE age > 30", "over 30 refers to age > 30"),
    ];
    let folder = Folder::with("golds.json", serde_json::json!(golds).to_string());
    let lines: Vec<String> = golds.iter().map(|gold| format!("{gold}\n")).collect();
    folder.write("golds.jsonl", lines.concat());
    for file in ["golds.json", "golds.jsonl"] {
        let args = [&["audit", "--gold", file, "--format", "jsonl"], &SCHEMAS[..]].concat();
        let records = folder.lines(&args);
        let found: Vec<_> = records.iter().map(|r| (&r["id"], r["findings"][0]["check"].as_str())).collect();
        let wanted = [Some("extreme-for-which"), Some("evidence-unused"), None];
        assert!(found.iter().all(|(id, _)| **id == 7) && found.iter().map(|f| f.1).eq(wanted), "{found:?}");
    }

    let pair = |pred: &str| {
        serde_json::json!({"db_id": "concerts", "gold": "SELECT name FROM singer WHERE age > 30", "pred": pred,
            "pred_dialect": "postgres"})
    };
    let pairs = [
        pair("SELECT name FROM singer WHERE age::int >= 30"),
        pair("SELECT name FROM singer WHERE NOT (age <= 30)"),
        pair("SELECT nothing FROM nowhere"),
    ];
    folder.write("pairs.jsonl", pairs.map(|pair| format!("{pair}\n")).concat());
    let args = [&["audit", "--pairs", "pairs.jsonl", "--format", "jsonl"], &SCHEMAS[..]].concat();
    let records = folder.lines(&[&args[..], &["--two-golds"]].concat());
    let found: Vec<_> = records.iter().map(|r| r["findings"][0]["witness"]["shows"].as_str()).collect();
    assert_eq!(found, [Some("other_gold"), None, None]);
    // Predictions are no golds unless that is said.
    assert!(folder.lines(&args).iter().all(|r| r["findings"].as_array().is_some_and(Vec::is_empty)));
}
