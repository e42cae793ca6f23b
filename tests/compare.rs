//! `twinql compare` through the binary.

use crate::support::{Folder, says};
use serde_json::Value;

const GOLD: &str = "\
SELECT name FROM singer WHERE age > 20\tconcerts
SELECT COUNT(*) FROM concert\tconcerts
SELECT s.name FROM singer s JOIN concert c ON c.singer_id = s.id WHERE c.year = 2014\tconcerts
SELECT name FROM singer ORDER BY age DESC LIMIT 1\tconcerts
";

fn folder() -> Folder {
    let folder = Folder::with("gold.sql", GOLD);
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

/// The command over these predictions, and more arguments.
fn with(extra: &str) -> String {
    format!("compare --gold gold.sql --schemas concerts.sql --pred {extra}")
}

/// What is said of a system by a metric.
fn standing<'r>(report: &'r Value, system: &str, metric: &str) -> &'r Value {
    let all = report["standings"].as_array().unwrap();
    all.iter().find(|s| s["system"] == system && s["metric"] == metric).unwrap()
}

/// Blank lines end interactions: of the second one a turn is wrong.
#[test]
fn interactions_are_right_if_every_turn_is() {
    let folder = folder();
    let lines: Vec<&str> = GOLD.lines().collect();
    folder.write("gold.sql", format!("{}\n{}\n\n{}\n{}\n", lines[0], lines[1], lines[2], lines[3]));
    let report: Value = folder.json(&with("good.txt --format json --exchanges 500"));
    let whole = &standing(&report, "good", "suite")["interactions"];
    assert_eq!((&whole["interactions"], &whole["accuracy"]), (&2.into(), &0.5.into()));
    assert_eq!(whole["by_turn"], serde_json::json!([0.5, 1.0, null, null]));
    let (table, _) = folder.run(&with("good.txt"), 0);
    says(&table, &["Interactions of which every turn is right, by suite (2 interactions)"]);
    let over = "--gold gold.sql --pred good.txt --schemas concerts.sql";
    let scored = folder.json(&format!("score {over} --metric suite --format json"));
    assert_eq!(&scored["interactions"]["suite"], whole);
    folder.run("suite build --gold gold.sql --schemas concerts.sql --out a.suite", 0);
    let run = folder.json("suite run --suite a.suite --gold gold.sql --pred good.txt --format json");
    assert_eq!(&run["systems"][0]["interactions"], whole);
}

/// CoSQL's development set by the official metric: Table 3 of the ESM+ paper, in percent.
#[test]
fn interactions_of_cosql_are_those_that_are_published() {
    let Some(data) = std::env::var_os("TWINQL_DATA").map(std::path::PathBuf::from) else {
        println!("skipped: TWINQL_DATA is not set");
        return;
    };
    let published = [
        ("ESMp_GPT4Turbo", "45.9", "16.7"),
        ("ESMp_Claude", "38.3", "13.7"),
        ("ESMp_RASAT_PICARD", "58.6", "27.0"),
        ("ESMp_STAR", "59.8", "30.7"),
    ];
    for (system, turns, interactions) in published {
        let at = |path: &str| data.join(path).display().to_string();
        let (gold, schemas) = (at("cosql/dev_gold.txt"), at("cosql/tables.json"));
        let pred = at(&format!("predictions/cosql_dev/{system}.txt"));
        let flags = ["--metric", "esm:official", "--format", "json", "--out", "scores.json"];
        let folder = Folder::new();
        folder.run(
            &[&["score", "--gold", &gold, "--schemas", &schemas, "--pred", &pred][..], &flags].concat(),
            0,
        );
        let found: Value = serde_json::from_str(&folder.read("scores.json")).unwrap();
        let percent = |share: &Value| format!("{:.1}", share.as_f64().unwrap() * 100.0);
        assert_eq!(percent(&found["mean"]["esm:official"]), turns, "{system}");
        assert_eq!(percent(&found["interactions"]["esm:official"]["accuracy"]), interactions, "{system}");
    }
}

#[test]
fn systems_with_accuracies_contests_and_rankings() {
    let folder = folder();
    let args = with("good.txt worse=bad.txt --metric relpm,exact --format json --exchanges 500");
    let report: Value = folder.json(&args);
    let of = |system: &str, metric: &str| standing(&report, system, metric);
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
    let again = folder.json(&format!("{args} --threads 1"));
    assert_eq!(report, again);
}

#[test]
fn text_and_report() {
    let folder = folder();
    let args = with("good.txt bad.txt --metric relpm --exchanges 100 --report r.html");
    let (out, _) = folder.run(&args, 0);
    let lines: Vec<&str> = out.lines().collect();
    says(lines[0], &["4 golds"]);
    assert!(lines[2].starts_with("good") && lines[3].starts_with("bad"), "{out}");
    says(&out, &["null hypothesis: both systems are equally good"]);
    let report = folder.read("r.html");
    says(&report, &["2 systems compared", "Who beats whom", "Telling errors"]);
    // What the bad system got wrong is folded, with a database for each.
    let (_, errors) = report.split_once("<details class=\"fold\"><summary>bad</summary>").unwrap();
    let (errors, _) = errors.split_once("</section>").unwrap();
    let shown = errors.matches("<article").count();
    assert!(shown > 0 && shown == errors.matches("A database that shows it").count(), "{errors}");
    folder.run(&format!("{args} --fail-under 0.9"), 1);
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
    for (more, accuracy) in [("", 0.5), ("--plug-values", 1.0)] {
        let report = folder.json(&with(&format!("blank.txt --metric exact --format json {more}")));
        assert_eq!(standing(&report, "blank", "suite")["accuracy"], accuracy);
    }
}

#[test]
fn a_gold_keeps_its_class_whatever_the_first_system_answers() {
    let folder = folder();
    // The first file's first line is no text.
    folder.write("broken.txt", b"\xff\nSELECT COUNT(*) FROM concert\nSELECT 1\nSELECT 1\n");
    let report = folder.json(&with("broken.txt good.txt --metric exact --format json --exchanges 10"));
    // The first two golds are the easy ones.
    for (system, accuracy) in [("good", 1.0), ("broken", 0.5)] {
        assert_eq!(standing(&report, system, "suite")["by_class"][0], accuracy, "{report}");
    }
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
    let files = "good.txt bad.txt --metric exact --exchanges 10 --external judge@0.5=judge-{}.jsonl";
    let mine = "--external mine=mine.jsonl --reference judge";
    let report = folder.json(&with(&format!("{files} {mine} --format json")));
    let of = |system: &str, metric: &str, what: &str| standing(&report, system, metric)[what].clone();
    assert_eq!(report["reference"], "judge");
    assert_eq!((of("good", "judge", "accuracy"), of("bad", "judge", "accuracy")), (0.75.into(), 0.25.into()));
    assert_eq!(of("bad", "judge", "unscored"), 2);
    assert_eq!((of("good", "mine", "accuracy"), of("bad", "mine", "accuracy")), (0.5.into(), 0.25.into()));
    // The reference is external: the suite is not asked for.
    assert_eq!(report["metrics"].as_array().unwrap().len(), 3);
    assert_eq!(report["metrics"][1]["signature"], "external|metric:judge|threshold:0.50");
    // A report tells of disagreements with them.
    folder.run(&with(&format!("{files} --reference judge --report r.html")), 0);
    says(&folder.read("r.html"), &["exact calls it wrong, judge right"]);
    let external = |file: &str| with(&format!("good.txt --external {file}"));
    folder.refuses(&external("judge=judge-good.jsonl"), &["line 1", "system", "{}"]);
    folder.refuses(&external("mine=gone-{}.jsonl"), &["gone-good.jsonl"]);
    folder.write("other.jsonl", "{\"system\": \"good\", \"id\": \"q9\", \"score\": 1}");
    folder.refuses(&external("mine=other.jsonl"), &["none of the 1 ids"]);
}

#[test]
fn what_cannot_be_compared() {
    let folder = folder();
    folder.refuses(&with("good.txt good.txt"), &["two systems are called \"good\"", "NAME="]);
    folder.refuses(&with("good.txt --reference bleu-9"), &["--reference", "bleu-9"]);
    folder.refuses(&with("missing.txt"), &["missing.txt"]);
    folder.write("short.txt", "SELECT name FROM singer");
    folder.refuses(&with("short.txt"), &["4", "1"]);
}
