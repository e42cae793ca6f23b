//! `twinql evaluate` and `twinql corpus stats` through the binary.

use crate::support::{Folder, four, json_lines, pair, says, with_four};
use serde_json::Value;

const BASE: &str = "evaluate --pairs pairs.jsonl --schemas concerts.sql --metric suite,relpm";

fn with(more: &str) -> String {
    format!("{BASE} {more}")
}

#[test]
fn a_report_for_people() {
    let folder = with_four();
    let (out, _) = folder.run(&with("--by hardness"), 0);
    let suite = out.lines().find(|l| l.starts_with("suite")).unwrap();
    let cells: Vec<&str> = suite.split_whitespace().collect();
    assert_eq!(cells[..4], ["suite", "default", "4", "2"], "{out}");
    assert!(out.contains("binarised"), "{out}");
    assert!(out.lines().any(|l| l.starts_with("easy")), "{out}");
    says(&out, &["4 pairs: ok 4; every figure is over all of them", "|metric:relpm|"]);
}

#[test]
fn equal_forms_apart_from_others() {
    let folder = with_four();
    let (out, _) = folder.run(&with("--by form"), 0);
    for group in ["forms differ", "forms equal"] {
        assert!(out.lines().any(|l| l.starts_with(group)), "{out}");
    }
}

#[test]
fn a_report_for_programs_with_plot_and_scores() {
    let folder = with_four();
    let args = with("--out report.json --plot roc.svg --scores scores.jsonl --resamples 100");
    let (out, err) = folder.run(&args, 0);
    assert_eq!(out, "");
    assert!(err.contains("every figure is over all of them"), "{err}");
    let report = folder.document("report.json");
    assert_eq!(report["pairs"], 4);
    assert_eq!(report["metrics"][0]["metric"], "suite");
    assert_eq!(report["metrics"][0]["auc"]["estimate"], 1.0);
    assert_eq!(report["metrics"][0]["binarised"], Value::Null);
    assert!(report["metrics"][1]["binarised"]["auc"].is_number());
    assert!(report["metrics"][0]["signature"].as_str().unwrap().contains("metric:suite"));
    let roc = folder.read("roc.svg");
    assert!(roc.contains("suite (default)") && roc.contains("AUC 1.0000"), "{roc}");
    assert_eq!(json_lines(&folder.read("scores.jsonl")).len(), 4);
}

#[test]
fn other_labels_override() {
    let folder = with_four();
    folder.write("labels.json", r#"{"b": 1, "nobody": 0}"#);
    let (out, err) = folder.run(&with("--labels labels.json --format json"), 0);
    let report: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(report["metrics"][0]["positives"], 3);
    assert_eq!(report["labels"], "overridden");
    assert!(err.contains("1 ids of labels.json are no ids of the pairs"), "{err}");
    for (labels, parts) in [
        (r#"{"nobody": 0}"#, &["none of the 1 ids of labels.json"][..]),
        (r#"{"b": 2}"#, &["labels.json", "\"b\" is 2, not 0 or 1"]),
        ("[1]", &["labels.json", "JSON object"]),
    ] {
        folder.write("labels.json", labels);
        folder.refuses(&with("--labels labels.json"), parts);
    }
}

/// A pair that cannot be scored counts: as 0, in every figure.
#[test]
fn the_denominator_holds_every_labelled_pair() {
    let folder = Folder::with("pairs.jsonl", format!("{}\n{}", four(), pair("e", "SELECT 1", "SELEC", 1)));
    let report = folder.json(&with("--format json"));
    assert_eq!((&report["pairs"], &report["status"]["pred_error"]), (&5.into(), &1.into()));
    assert_eq!(report["metrics"][0]["accuracy"], 0.8);
    let (_, err) = folder.run(&with("--fail-under 0.99 --strict"), 1);
    assert!(err.contains("the AUC of suite") && err.contains("--strict: 1 of 5"), "{err}");
}

#[test]
fn one_class_has_no_auc_and_says_so() {
    let folder = Folder::with("pairs.jsonl", pair("a", "SELECT 1", "SELECT 1", 1));
    let (out, _) = folder.run(BASE, 0);
    assert!(out.contains("n/a: all labels are 1"), "{out}");
    folder.write("pairs.jsonl", r#"{"db_id":"concerts","gold":"SELECT 1","pred":"SELECT 1"}"#);
    folder.refuses(BASE, &["none of the 1 pairs has a label", "--labels"]);
}

#[test]
fn corpus_stats_counts() {
    let folder = with_four();
    let (out, _) = folder.run(&["corpus", "stats", "pairs.jsonl"], 0);
    assert!(out.lines().any(|l| l.split_whitespace().eq(["concerts", "4", "2", "2", "0"])), "{out}");
    let counts = folder.json(&["corpus", "stats", "pairs.jsonl", "--format", "json"]);
    assert_eq!(counts["all"]["label_1"], 2);
    folder.refuses(&["corpus", "stats", "none.jsonl"], &["none.jsonl"]);
    for (text, says) in [
        ("SELECT 1\nnothing\n", "no line of the file is a pair; bad.jsonl, line 1: "),
        ("\n", "bad.jsonl: the file holds no pairs"),
    ] {
        folder.write("bad.jsonl", text);
        folder.refuses(&["corpus", "stats", "bad.jsonl"], &[says, "give one JSON object a line"]);
    }
}

#[test]
fn corpus_build_makes_labelled_pairs() {
    let folder = Folder::with(
        "gold.tsv",
        "SELECT name FROM singer WHERE age > 20\tconcerts\nSELECT COUNT(*) FROM concert\tconcerts\n",
    );
    folder.write(
        "corpus.toml",
        "out = \"unused.jsonl\"\nschemas = [\"concerts.sql\"]\ndatabases = 20\n[[gold]]\ngold = \"gold.tsv\"\n",
    );
    let args = "corpus build --config corpus.toml --out corpus.jsonl.gz";
    let (_, err) = folder.run(args, 0);
    assert!(err.contains("wrote corpus.jsonl.gz:") && err.contains("under no-fk semantics"), "{err}");
    let (out, _) = folder.run(&["corpus", "stats", "corpus.jsonl.gz", "--format", "json"], 0);
    let counts: Value = serde_json::from_str(&out).unwrap();
    assert!(
        counts["all"]["label_1"].as_u64() > Some(0) && counts["all"]["label_0"].as_u64() > Some(0),
        "{out}"
    );
    // PostgreSQL's LIKE tells cases apart, SQLite's does not.
    folder.write("gold.tsv", "SELECT name FROM singer WHERE name LIKE 'a%' AND age > 20\tconcerts\n");
    folder.run("corpus build --config corpus.toml --out corpus.jsonl --dialect postgres", 0);
    let text = folder.read("corpus.jsonl");
    assert!(text.contains("GLOB 'a*'") && !text.contains("LIKE"), "{text}");
    folder.write("corpus.toml", "schemas = []\n");
    folder.refuses(args, &["corpus.toml", "`schemas` is empty"]);
    folder.refuses(&["corpus", "build", "--config", "none.toml", "--out", "x.jsonl"], &["none.toml"]);
}

#[test]
fn reports_in_every_format() {
    let folder = with_four();
    for (file, part) in [
        ("r.html", "<!doctype html>"),
        ("r.md", "# how well metrics agree with labels"),
        ("r.tex", "\\documentclass"),
        ("r.txt", "how well metrics agree with labels"),
        ("r.json", "\"sections\""),
    ] {
        folder.run(&with(&format!("--report {file} --resamples 20")), 0);
        let text = folder.read(file);
        assert!(text.to_lowercase().contains(part), "{file}: {text}");
        assert!(text.contains("relpm") && text.contains("easy"), "{file}");
    }
    folder.refuses(&with("--report r.pdf"), &["--report r.pdf", ".html"]);
}

#[test]
fn scores_of_other_programs_are_measured_beside() {
    let folder = with_four();
    let lines =
        [r#"{"id": "a", "score": 0.9}"#, r#"{"id": "b", "score": 0.4}"#, r#"{"id": "d", "score": 0.1}"#];
    folder.write("judge.jsonl", lines.join("\n"));
    let args = with("--external llm@0.3=judge.jsonl --by keyword --format json");
    let (out, err) = folder.run(&args, 0);
    let report: Value = serde_json::from_str(&out).unwrap();
    let llm = &report["metrics"][2];
    assert_eq!((llm["metric"].as_str(), llm["pairs"].as_u64()), (Some("llm"), Some(3)));
    assert_eq!((llm["auc"]["estimate"].as_f64(), llm["accuracy"].as_f64()), (Some(1.0), Some(2.0 / 3.0)));
    assert!(err.contains("judge.jsonl has scores for 3 of 4 pairs"), "{err}");
    assert_eq!(report["groups"]["where"][0]["pairs"], 1, "{}", report["groups"]);
    assert_eq!(report["groups"]["aggregation"][0]["pairs"], 1);
    folder.refuses(&with("--external gmn=judge.jsonl"), &["gmn is a metric of twinql's own"]);
    folder.write("strangers.jsonl", r#"{"id": "z", "score": 1}"#);
    folder.refuses(&with("--external llm=strangers.jsonl"), &["none of the 1 ids of strangers.jsonl"]);
}
