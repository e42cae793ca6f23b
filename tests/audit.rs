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
