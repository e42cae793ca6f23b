//! One cause has one status, whatever command or metric meets it.

use crate::support::{Folder, json_lines, over_pairs};
use serde_json::{Value, json};

const GOOD: &str = "SELECT name FROM singer";

/// What can be wrong with a pair, and the status of commands that read queries and of those
/// that execute them: one, but for what only an execution meets.
fn causes() -> Vec<(&'static str, Value, &'static str, &'static str)> {
    let pair = |gold: &str, pred: &str| json!({"db_id": "concerts", "gold": gold, "pred": pred});
    let nested = format!("SELECT {}1{} FROM singer", "(".repeat(3000), ")".repeat(3000));
    let negated = format!("SELECT {}age FROM singer", "NOT ".repeat(600));
    let arms = |f: &dyn Fn(usize) -> String| (0..300).map(f).collect::<Vec<_>>().join(" OR ");
    let large =
        format!("SELECT name FROM singer WHERE {}", arms(&|i| format!("age = {i} AND name = 'n{i}'")));
    let list: Vec<String> = (0..200_000).map(|i| i.to_string()).collect();
    let long = format!("SELECT name FROM singer WHERE age IN ({})", list.join(","));
    let endless = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT COUNT(*) FROM c";
    let same = |name, pair: Value, status| (name, pair, status, status);
    vec![
        same("gold_does_not_parse", pair("SELEC name", GOOD), "gold_error"),
        same("pred_does_not_parse", pair(GOOD, "SELEC name"), "pred_error"),
        same("neither_parses", pair("SELEC", "SELEC"), "gold_error"),
        same("gold_table", pair("SELECT name FROM singers", GOOD), "gold_error"),
        same("pred_table", pair(GOOD, "SELECT name FROM singers"), "pred_error"),
        same("gold_column", pair("SELECT nme FROM singer", GOOD), "gold_error"),
        same("pred_column", pair(GOOD, "SELECT nme FROM singer"), "pred_error"),
        same("gold_empty", pair("", GOOD), "gold_error"),
        same("pred_empty", pair(GOOD, ""), "pred_error"),
        same("gold_writes", pair("DELETE FROM singer", GOOD), "gold_error"),
        same("pred_writes", pair(GOOD, "DELETE FROM singer"), "pred_error"),
        same("pred_two_statements", pair(GOOD, "SELECT name FROM singer; SELECT 1"), "pred_error"),
        same("gold_nested", pair(&nested, GOOD), "unsupported"),
        same("pred_nested", pair(GOOD, &nested), "unsupported"),
        same("gold_deep", pair(&negated, GOOD), "unsupported"),
        same("pred_deep", pair(GOOD, &negated), "unsupported"),
        same("gold_long", pair(&long, GOOD), "unsupported"),
        same("pred_long", pair(GOOD, &long), "unsupported"),
        same("pred_large", pair(GOOD, &large), "unsupported"),
        same("unknown_db_id", json!({"db_id": "nowhere", "gold": GOOD, "pred": GOOD}), "gold_error"),
        // The schemas hold one database, which is meant.
        same("no_db_id", json!({"gold": GOOD, "pred": GOOD}), "ok"),
        same(
            "broken_schema",
            json!({"schema": "CREATE TABEL x (a)", "gold": GOOD, "pred": GOOD}),
            "gold_error",
        ),
        // Reading a query costs no time; executing it does.
        ("pred_endless", pair("SELECT COUNT(*) FROM singer", endless), "ok", "timeout"),
        ("gold_endless", pair(endless, "SELECT COUNT(*) FROM singer"), "ok", "timeout"),
        // SQLite lacks it, and where the gold has it, its system does not.
        ("pred_function", pair(GOOD, "SELECT frobnicate(name) FROM singer"), "pred_error", "pred_error"),
        (
            "both_function",
            pair("SELECT frobnicate(name) FROM singer", "SELECT frobnicate(s.name) FROM singer AS s"),
            "ok",
            "unsupported",
        ),
    ]
}

/// A metric that cannot read or test a pair says so for itself, and other metrics speak all the same.
#[test]
fn each_metric_has_a_status() {
    let folder = Folder::new();
    let pair = |gold: &str, pred: &str| json!({"db_id": "concerts", "gold": gold, "pred": pred}).to_string();
    let opaque = "SELECT frobnicate(name) FROM singer";
    let nested = format!("SELECT {}1{} FROM singer", "(".repeat(3000), ")".repeat(3000));
    let lines = [
        pair(opaque, "SELECT frobnicate(s.name) FROM singer AS s"),
        pair(opaque, opaque),
        pair(&nested, &nested),
        pair(&nested, GOOD),
    ];
    folder.write("pairs.jsonl", lines.join("\n"));
    let args = over_pairs("score", &["--metric", "proof,suite,gmn", "--format", "json"]);
    let document = folder.json(&args);
    let of = |i: usize| document["records"][i].clone();
    let scores = |i: usize| ["proof", "suite"].map(|metric| of(i)["scores"][metric].clone());
    let statuses = |i: usize| ["proof", "suite", "gmn"].map(|m| of(i)["details"][m]["status"].clone());
    let (ok, unread) = (Value::Null, json!("unsupported"));
    assert_eq!(of(0)["status"], "ok", "{}", of(0));
    assert_eq!(scores(0), [json!(1.0), Value::Null]);
    assert_eq!(statuses(0), [ok.clone(), unread.clone(), ok.clone()]);
    assert!(of(0)["details"]["suite"]["error"].as_str().unwrap().contains("frobnicate"));
    // A query is itself, be it understood or not.
    for (i, of_proof, status) in [(1, &ok, "ok"), (2, &unread, "unsupported")] {
        assert_eq!((scores(i), &of(i)["status"]), ([json!(1.0), json!(1.0)], &json!(status)), "{}", of(i));
        assert_eq!(statuses(i), [of_proof.clone(), unread.clone(), of_proof.clone()], "{}", of(i));
    }
    assert_eq!(scores(3), [json!(0.5), Value::Null]);
    assert_eq!(of(3)["scores"]["gmn"], Value::Null);
    // Each mean says what it is over.
    assert_eq!(document["scored"], json!({"proof": 4, "suite": 2, "gmn": 3}));
    assert_eq!(document["mean"]["suite"], json!(1.0));
    assert_eq!(document["mean_over_all"]["suite"], json!(0.5));
    assert_eq!(document["metric_status"]["suite"], json!({"unsupported": 4}));
    let (_, err) = folder.run(&over_pairs("score", &["--metric", "suite", "--fail-under", "0.9"]), 1);
    assert!(
        err.contains("mean over the 2 of 4 that suite has a score for: 1.0000 (0.5000 over all"),
        "{err}"
    );
    let (_, err) = folder.run(&over_pairs("score", &["--metric", "proof,suite", "--strict"]), 1);
    assert!(err.contains("--strict: of 2 pairs a metric says nothing"), "{err}");
}

/// A query against itself, in every dialect and by every metric that compares meaning.
#[test]
fn what_was_not_read_is_not_different() {
    let folder = Folder::new();
    // No form in SQLite.
    let unread = "SELECT name FROM singer TABLESAMPLE BERNOULLI (10)";
    let pair = |gold: &str, pred: &str| json!({"db_id": "concerts", "gold": gold, "pred": pred}).to_string();
    folder.write("pairs.jsonl", [pair(unread, unread), pair(GOOD, unread)].join("\n"));
    let metrics = "gmn,relpm,suite,proof,two-tier,three-tier,expected-ex,ex,conjunctive";
    for dialect in ["postgres", "mysql", "generic"] {
        let args = over_pairs("score", &["--metric", metrics, "--dialect", dialect, "--format", "jsonl"]);
        let records = folder.lines(&args);
        if records[0]["status"] != "unsupported" {
            // The grammar of this dialect has no such word.
            assert_eq!(records[0]["status"], "gold_error", "{}", records[0]);
            continue;
        }
        for (record, known) in records.iter().zip([true, false]) {
            for metric in metrics.split(',') {
                let score = match (known, metric) {
                    (true, _) => json!(1.0),
                    (false, "proof" | "conjunctive") => json!(0.5),
                    (false, _) => Value::Null,
                };
                assert_eq!(record["scores"][metric], score, "{dialect} {metric}: {record}");
            }
        }
    }
}

#[test]
fn one_cause_has_one_status() {
    let folder = Folder::new();
    let causes = causes();
    let lines: Vec<String> = causes
        .iter()
        .map(|(name, pair, ..)| {
            let mut pair = pair.clone();
            pair["id"] = json!(name);
            pair["label"] = json!(0);
            pair.to_string()
        })
        .collect();
    folder.write("pairs.jsonl", lines.join("\n"));
    let reading = [
        over_pairs("score", &["--metric", "gmn", "--format", "jsonl"]),
        over_pairs("score", &["--metric", "relpm", "--format", "jsonl"]),
        over_pairs("score", &["--metric", "proof", "--format", "jsonl"]),
        over_pairs("score", &["--metric", "two-tier", "--format", "jsonl"]),
        over_pairs("prove", &["--format", "jsonl"]),
    ];
    let executing = [
        over_pairs("score", &["--metric", "suite", "--format", "jsonl"]),
        over_pairs("judge", &["--format", "jsonl"]),
    ];
    let mut wrong = Vec::new();
    for (args, executes) in reading.iter().map(|a| (a, false)).chain(executing.iter().map(|a| (a, true))) {
        let records = folder.lines(args);
        assert_eq!(records.len(), causes.len());
        for ((name, _, read, executed), record) in causes.iter().zip(&records) {
            let expected = if executes { executed } else { read };
            // What is too large for a graph may be within the limits of a proof.
            let proved = args.contains(&"proof") || args[0] == "prove";
            let expected = if *name == "pred_large" && proved { &"ok" } else { expected };
            if record["status"] != *expected {
                wrong.push(format!(
                    "{name} in {}: {} ({}), not {expected}",
                    args.join(" "),
                    record["status"],
                    record["error"]
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.join("\n"));
}

/// `evaluate` counts the same statuses as `score` gives.
#[test]
fn an_evaluation_counts_what_scores_say() {
    let folder = Folder::new();
    let lines: Vec<String> = causes()
        .into_iter()
        .enumerate()
        .map(|(i, (name, mut pair, ..))| {
            pair["id"] = json!(name);
            pair["label"] = json!(i % 2);
            pair.to_string()
        })
        .collect();
    folder.write("pairs.jsonl", lines.join("\n"));
    let document = folder.json(&over_pairs("evaluate", &["--metric", "relpm", "--format", "json"]));
    let scored = folder.json(&over_pairs("score", &["--metric", "relpm", "--format", "json"]));
    assert_eq!(document["status"], scored["status"]);
}

/// Lines of gold and prediction files, against a distilled suite.
#[test]
fn a_suite_run_says_as_much() {
    let folder = Folder::new();
    let causes: Vec<_> = causes()
        .into_iter()
        .filter(|(_, pair, ..)| {
            pair.get("db_id").is_some_and(|d| d == "concerts")
                && pair["gold"].is_string()
                && pair["pred"].is_string()
        })
        // A line that is empty ends an interaction, and one line holds one query.
        .filter(|(name, ..)| !name.ends_with("_empty"))
        .collect();
    let text = |key: &str| {
        causes.iter().map(|(_, pair, ..)| pair[key].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let golds: Vec<String> = text("gold").iter().map(|g| format!("{g}\tconcerts")).collect();
    folder.write("gold.sql", golds.join("\n"));
    folder.write("pred.sql", text("pred").join("\n"));
    folder.write("good.sql", format!("{GOOD}\tconcerts\n"));
    folder.run(&["suite", "build", "--gold", "good.sql", "--schemas", "concerts.sql", "--out", "c.suite"], 0);
    folder.run("suite run --suite c.suite --gold gold.sql --pred pred.sql --out run.jsonl", 0);
    let records = json_lines(&folder.read("run.jsonl"));
    let wrong: Vec<String> = causes
        .iter()
        .zip(&records)
        .filter(|((_, _, _, executed), record)| record["status"] != *executed)
        .map(|((name, _, _, executed), r)| {
            format!("{name}: {} ({}), not {executed}", r["status"], r["error"])
        })
        .collect();
    assert_eq!(records.len(), causes.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
