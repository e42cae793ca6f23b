//! `twinql corpus stats` and `twinql corpus split` through the binary, and the metrics that compare texts.

use std::collections::HashSet;

use crate::support::{Folder, one_pair, says, words};
use serde_json::{Value, json};

/// Twelve questions over two databases: three templates, each with four values.
fn questions() -> Vec<Value> {
    (0..12)
        .map(|i| {
            let (db, value) = (if i % 2 == 0 { "concerts" } else { "other" }, i / 3);
            let query = match i % 3 {
                0 => format!("SELECT name FROM singer WHERE age > {value}"),
                1 => format!("SELECT count(*) FROM concert WHERE year = {value}"),
                _ => format!("SELECT year FROM concert ORDER BY year LIMIT {value}"),
            };
            json!({"db_id": db, "question": format!("Question {i}?"), "query": query, "more": [i]})
        })
        .collect()
}

fn lines(values: &[Value]) -> String {
    values.iter().map(|v| format!("{v}\n")).collect()
}

#[test]
fn stats_of_questions_and_gold_queries() {
    let folder = Folder::with("q.jsonl", lines(&questions()));
    folder.write("q.json", Value::from(questions()).to_string());
    let golds: String = questions()
        .iter()
        .map(|q| format!("{}\t{}\n", q["query"].as_str().unwrap(), q["db_id"].as_str().unwrap()))
        .collect();
    folder.write("gold.sql", golds);
    for file in ["q.jsonl", "q.json", "gold.sql"] {
        let counts = folder.json(&format!("corpus stats {file} --schemas concerts.sql --format json"));
        let questions = if file == "gold.sql" { 0 } else { 12 };
        for (name, count) in
            [("rows", 12), ("databases", 2), ("queries", 12), ("templates", 3), ("questions", questions)]
        {
            assert_eq!(counts["data"][name], count, "{name} of {file}");
        }
        assert_eq!(counts["schemas"], json!({"databases": 1, "tables": 2, "columns": 6, "foreign_keys": 1}));
        let gold = &counts["queries"]["gold"];
        assert_eq!(gold["keywords"]["where"], json!(8.0 / 12.0), "{file}");
        assert_eq!(gold["keywords"]["count"], json!(4.0 / 12.0), "{file}");
        assert_eq!(gold["tables"], json!(1.0), "{file}");
        assert!(counts.get("all").is_none(), "{file}");
    }
    let (out, _) = folder.run(&["corpus", "stats", "q.json"], 0);
    let has = |cells: &[&str]| out.lines().any(|l| l.split_whitespace().eq(cells.iter().copied()));
    assert!(has(&["where", "66.67", "%", "66.67", "%"]) && has(&["but", "for", "values", "3"]), "{out}");
    folder.refuses(&["corpus", "stats", "concerts.sql"], &["concerts.sql, line 1: no tab"]);
}

#[test]
fn stats_of_pairs_count_both_sides() {
    let folder = Folder::new();
    let pair = |pred: &str, label: u8| json!({"db_id": "concerts", "gold": "SELECT name FROM singer", "pred": pred, "label": label});
    let pairs = [
        pair("SELECT name FROM singer WHERE age > 1", 0),
        pair("SELECT (", 0),
        pair("SELECT name FROM singer", 1),
    ];
    folder.write("pairs.jsonl", lines(&pairs));
    let counts = folder.json(&["corpus", "stats", "pairs.jsonl", "--format", "json"]);
    assert_eq!(counts["all"]["label_0"], 2);
    assert_eq!(counts["queries"]["gold"]["queries"], 3);
    assert_eq!(counts["queries"]["distinct_gold"]["queries"], 1);
    assert_eq!(counts["queries"]["pred"]["parsed"], 2);
    assert_eq!(counts["queries"]["pred"]["keywords"]["where"], json!(0.5));
    assert_eq!(counts["data"]["rows_a_query"], json!(3.0));
}

#[test]
fn a_split_keeps_groups_together_and_lines_as_they_are() {
    let folder = Folder::with("q.jsonl", lines(&questions()));
    for (by, field) in [("question", "question"), ("database", "db_id"), ("template", "query")] {
        let args = format!("corpus split q.jsonl --by {by} --shares 0.5,0.5 --out a.jsonl,b.jsonl");
        let (_, err) = folder.run(&args, 0);
        assert!(err.contains("wrote a.jsonl: ") && err.contains(by), "{err}");
        let (a, b) = (folder.read("a.jsonl"), folder.read("b.jsonl"));
        let keys = |text: &str| -> HashSet<String> {
            let value = |line: &str| serde_json::from_str::<Value>(line).unwrap()[field].to_string();
            // Of a query all but its value, which is the only number.
            text.lines()
                .map(|l| value(l).replace(|c: char| c.is_ascii_digit() && by == "template", ""))
                .collect()
        };
        assert!(!a.is_empty() && !b.is_empty() && keys(&a).is_disjoint(&keys(&b)), "{by}");
        let mut all: Vec<&str> = a.lines().chain(b.lines()).collect();
        all.sort_unstable();
        let original = lines(&questions());
        let mut expected: Vec<&str> = original.lines().collect();
        expected.sort_unstable();
        assert_eq!(all, expected, "{by}");
        // The same seed gives the same bytes.
        folder.run(&args, 0);
        assert_eq!((a, b), (folder.read("a.jsonl"), folder.read("b.jsonl")), "{by}");
    }
}

#[test]
fn what_cannot_be_split_is_left_alone() {
    let folder = Folder::with("q.jsonl", lines(&questions()));
    folder.write("gold.sql", "SELECT 1\tconcerts\nSELECT 2\tother\n");
    folder.write("talk.sql", "SELECT 1\tconcerts\n\nSELECT 2\tother\n");
    folder.write("bad.jsonl", format!("{}3\n", lines(&questions())));
    folder.write("a.x", "kept");
    for (file, by, shares, out, says) in [
        ("q.jsonl", "template", "0.5,0.5", "a.x", "give a file for each share"),
        ("q.jsonl", "template", "0.5,0.6", "a.x,b.x", "add up to 1"),
        ("q.jsonl", "database", "0.4,0.3,0.3", "a.x,b.x,c.x", "part 3 of 3 stays empty"),
        ("q.jsonl", "database", "0.5,0.5", "a.x,q.jsonl", "q.jsonl"),
        ("q.jsonl", "database", "0.5,0.5", "a.x,a.x", "a.x"),
        ("gold.sql", "question", "0.5,0.5", "a.x,b.x", "row 1 has no question"),
        ("talk.sql", "database", "0.5,0.5", "a.x,b.x", "end interactions"),
        ("bad.jsonl", "database", "0.5,0.5", "a.x,b.x", "line 13: not a JSON object"),
    ] {
        folder.refuses(&["corpus", "split", file, "--by", by, "--shares", shares, "--out", out], &[says]);
        assert_eq!(folder.read("a.x"), "kept");
        assert!(!folder.path("b.x").exists());
    }
}

#[test]
fn parameters_of_metrics_are_in_their_signatures() {
    let folder = Folder::with("corpus.txt", "SELECT name FROM singer\nSELECT age FROM singer\n");
    let pair = ["SELECT name FROM singer", "SELECT age FROM singer"];
    let args = |more: &str| {
        let more = format!("--format json --metric {more}");
        one_pair("score", pair, &words(&more)).iter().map(|s| s.to_string()).collect::<Vec<_>>()
    };
    let names = "relpm,astpm,bleu,crystalbleu,codebleu,codebleu-rot,exact";
    let text = folder.json(&args(names)).to_string();
    assert!(!text.contains("alpha:") && !text.contains("trivial:"), "{text}");
    let other = "--relpm-alpha 0.3 --relpm-omega 0.5 --crystalbleu-corpus corpus.txt";
    let text = folder.json(&args(&format!("{names} {other}"))).to_string();
    says(&text, &["|alpha:0.3|omega:0.5", "|trivial:"]);
    for (flag, value) in [("--relpm-alpha", 1), ("--relpm-beta", 0), ("--relpm-omega", 2)] {
        folder.refuses(&args(&format!("relpm {flag} {value}")), &[&format!("{flag} is {value}")]);
    }
    folder.write("corpus.txt", "\n");
    folder.refuses(&args("crystalbleu --crystalbleu-corpus corpus.txt"), &["holds no queries"]);
}
