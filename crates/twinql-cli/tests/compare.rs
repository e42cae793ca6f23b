//! `twinql compare` through the binary.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod support;

use serde_json::Value;
use support::Folder;

const GOLD: &str = "\
SELECT name FROM singer WHERE age > 20\tconcerts
SELECT COUNT(*) FROM concert\tconcerts
SELECT s.name FROM singer s JOIN concert c ON c.singer_id = s.id WHERE c.year = 2014\tconcerts
SELECT name FROM singer ORDER BY age DESC LIMIT 1\tconcerts
";

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("gold.sql", GOLD);
    let good = [
        "SELECT name FROM singer WHERE 20 < age",
        "SELECT COUNT(id) FROM concert",
        "SELECT name FROM singer WHERE id IN (SELECT singer_id FROM concert WHERE year = 2014)",
        "SELECT name FROM singer ORDER BY age DESC LIMIT 1",
    ];
    folder.write("good.txt", good.join("\n"));
    let bad =
        ["SELECT name FROM singer", "SELECT COUNT(id) FROM concert", "SELECT", "SELECT age FROM singer"];
    folder.write("bad.txt", bad.join("\n"));
    folder
}

const BASE: [&str; 6] = ["compare", "--gold", "gold.sql", "--schemas", "concerts.sql", "--pred"];

fn with<'a>(extra: &[&'a str]) -> Vec<&'a str> {
    BASE.iter().chain(extra).copied().collect()
}

#[test]
fn systems_with_accuracies_contests_and_rankings() {
    let folder = folder();
    let args = with(&[
        "good.txt",
        "worse=bad.txt",
        "--metric",
        "relpm,exact",
        "--format",
        "json",
        "--exchanges",
        "500",
    ]);
    let report: Value = folder.json(&args);
    let of = |system: &str, metric: &str| -> Value {
        let all = report["standings"].as_array().unwrap();
        all.iter().find(|s| s["system"] == system && s["metric"] == metric).unwrap().clone()
    };
    // The third repeats no name where the gold repeats it for each concert.
    assert_eq!(of("good", "suite")["accuracy"], 0.75);
    assert_eq!(of("worse", "suite")["accuracy"], 0.25);
    assert_eq!(of("good", "exact")["accuracy"], 0.25);
    assert_eq!(report["reference"], "suite");
    assert_eq!(report["systems"][1]["status"]["pred_error"], 1);
    let contests = report["contests"].as_array().unwrap();
    let contest = contests.iter().find(|c| c["metric"] == "suite").unwrap();
    assert_eq!((contest["first"].as_str(), contest["difference"].as_f64()), (Some("good"), Some(0.5)));
    assert!(contest["p_adjusted"].as_f64().unwrap() > 0.05);
    let rankings = report["rankings"].as_array().unwrap();
    assert!(rankings.iter().any(|r| r["metric"] == "relpm" && r["tau"] == 1.0));
    assert!(report["null_hypothesis"].as_str().unwrap().contains("equally good"));
    // The same on any number of threads.
    let again = folder.json(&[&args[..], &["--threads", "1"]].concat());
    assert_eq!(report, again);
}

#[test]
fn text_and_report() {
    let folder = folder();
    let args =
        with(&["good.txt", "bad.txt", "--metric", "relpm", "--exchanges", "100", "--report", "r.html"]);
    let (out, _) = folder.run(&args, 0);
    let lines: Vec<&str> = out.lines().collect();
    assert!(
        lines[0].contains("4 golds") && lines[2].starts_with("good") && lines[3].starts_with("bad"),
        "{out}"
    );
    assert!(out.contains("null hypothesis: both systems are equally good"), "{out}");
    let html = folder.read("r.html");
    assert!(html.contains("2 systems compared") && html.contains("Who beats whom"), "{html}");
    folder.run(&[&args[..], &["--fail-under", "0.9"]].concat(), 1);
}

#[test]
fn values_of_the_gold_take_the_places_of_placeholders() {
    let folder = folder();
    let blank = [
        "select name from singer where age > 1",
        "select count(*) from concert",
        "select s.name from singer s join concert c on c.singer_id = s.id where c.year = 'terminal'",
        "select name from singer order by age desc limit 1",
    ];
    folder.write("blank.txt", blank.join("\n"));
    let accuracy = |more: &[&str]| -> f64 {
        let asked = ["blank.txt", "--metric", "exact", "--format", "json"];
        let report = folder.json(&with(&[&asked, more].concat()));
        let standings = report["standings"].as_array().unwrap();
        standings.iter().find(|s| s["metric"] == "suite").unwrap()["accuracy"].as_f64().unwrap()
    };
    assert_eq!(accuracy(&[]), 0.5);
    assert_eq!(accuracy(&["--plug-values"]), 1.0);
}

#[test]
fn a_gold_keeps_its_class_whatever_the_first_system_answers() {
    let folder = folder();
    // The first file's first line is no text.
    folder.write("broken.txt", b"\xff\nSELECT COUNT(*) FROM concert\nSELECT 1\nSELECT 1\n");
    let asked = ["broken.txt", "good.txt", "--metric", "exact", "--format", "json", "--exchanges", "10"];
    let report = folder.json(&with(&asked));
    let of = |system: &str| {
        let all = report["standings"].as_array().unwrap();
        all.iter().find(|s| s["system"] == system && s["metric"] == "suite").unwrap()["by_class"].clone()
    };
    // The first two golds are the easy ones.
    assert_eq!(of("good")[0], 1.0, "{report}");
    assert_eq!(of("broken")[0], 0.5, "{report}");
}

#[test]
fn scores_of_other_programs() {
    let folder = folder();
    folder.write("judge-good.jsonl", "1\ntrue\n0.25\n0.75\n");
    folder.write("judge-bad.jsonl", "{\"id\": 1, \"score\": 0.9}\n{\"id\": 0, \"score\": 0.1}\n");
    let mine = [
        r#"{"system": "good", "id": 0, "score": 1}"#,
        r#"{"system": "bad", "id": 0, "score": 0}"#,
        r#"{"system": "good", "id": 3, "mine": 1}"#,
        r#"{"system": "bad", "id": 3, "scores": {"mine": 1}}"#,
    ];
    folder.write("mine.jsonl", mine.join("\n"));
    let files = ["good.txt", "bad.txt", "--metric", "exact", "--exchanges", "10"];
    let external = [
        "--external",
        "judge@0.5=judge-{}.jsonl",
        "mine=mine.jsonl",
        "--reference",
        "judge",
        "--format",
        "json",
    ];
    let args = with(&[&files[..], &external[..2], &["--external"], &external[2..]].concat());
    let report = folder.json(&args);
    let of = |system: &str, metric: &str, what: &str| {
        let all = report["standings"].as_array().unwrap();
        all.iter().find(|s| s["system"] == system && s["metric"] == metric).unwrap()[what].clone()
    };
    assert_eq!(report["reference"], "judge");
    assert_eq!((of("good", "judge", "accuracy"), of("bad", "judge", "accuracy")), (0.75.into(), 0.25.into()));
    assert_eq!(of("bad", "judge", "unscored"), 2);
    assert_eq!((of("good", "mine", "accuracy"), of("bad", "mine", "accuracy")), (0.5.into(), 0.25.into()));
    // The reference is external: the suite is not asked for.
    assert_eq!(report["metrics"].as_array().unwrap().len(), 3);
    assert_eq!(report["metrics"][1]["signature"], "external|metric:judge|threshold:0.50");
    // A report tells of disagreements with them.
    let page = with(&[&files[..], &args[args.len() - 8..args.len() - 2], &["--report", "r.html"]].concat());
    folder.run(&page, 0);
    assert!(folder.read("r.html").contains("exact calls it wrong, judge right"), "{page:?}");
    folder.refuses(&with(&["good.txt", "--external", "judge=judge-good.jsonl"]), &["line 1", "system", "{}"]);
    folder.refuses(&with(&["good.txt", "--external", "mine=gone-{}.jsonl"]), &["gone-good.jsonl"]);
    folder.write("other.jsonl", "{\"system\": \"good\", \"id\": \"q9\", \"score\": 1}");
    folder.refuses(&with(&["good.txt", "--external", "mine=other.jsonl"]), &["none of the 1 ids"]);
}

#[test]
fn what_cannot_be_compared() {
    let folder = folder();
    folder.refuses(&with(&["good.txt", "good.txt"]), &["two systems are called \"good\"", "NAME="]);
    folder.refuses(&with(&["good.txt", "--reference", "bleu-9"]), &["--reference", "bleu-9"]);
    folder.refuses(&with(&["missing.txt"]), &["missing.txt"]);
    folder.write("short.txt", "SELECT name FROM singer");
    folder.refuses(&with(&["short.txt"]), &["4", "1"]);
}
