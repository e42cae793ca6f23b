//! `twinql score` and `twinql explain` through the binary.

use crate::support::{Folder, json_lines, one_pair, over_pairs, pair, says, with_four};
use serde_json::{Value, json};

const GOLD: &str = "SELECT COUNT(*) FROM singer";
const SAME: &str = "SELECT COUNT(id) FROM singer";

#[test]
fn abstaining_needs_a_band() {
    let args = over_pairs("score", &["--metric", "relpm", "--abstain"]);
    with_four().refuses(&args, &["--abstain needs a learned metric", "abstention band"]);
}

#[test]
fn a_single_pair_from_the_shell() {
    let folder = Folder::new();
    let args = one_pair("score", [GOLD, SAME], &["--metric", "relpm,suite"]);
    let (out, err) = folder.run(&args, 0);
    says(&out, &["relpm  1.0000  the same", "suite  1.0000  the same"]);
    let signature = "|metric:suite|ckpt:none|sql:sqlparser-0.63|dialect:sqlite|semantics:default|threshold:0.50|device:cpu|dtype:f32|seed:8|databases:100\n";
    assert!(out.contains(signature), "{out}");
    assert_eq!(err, "");
}

#[test]
fn records_in_input_order_whatever_becomes_of_a_pair() {
    let folder = Folder::new();
    let unknown = r#"{"db_id":"concert","gold":"SELECT 1","pred":"SELECT 1"}"#;
    let lines = [
        pair("same", GOLD, SAME, 1),
        pair("broken", GOLD, "SELEC COUNT(*) FRM singer", 0),
        "{not json".to_owned(),
        unknown.to_owned(),
        pair("column", GOLD, "SELECT COUNT(*) FROM singer WHERE height > 3", 0),
        pair("gold", "SELECT nothing FROM nowhere", GOLD, 0),
        pair("write", GOLD, "DELETE FROM singer", 0),
    ];
    folder.write("pairs.jsonl", lines.join("\r\n"));
    let (out, err) = folder.run(&over_pairs("score", &["--metric", "relpm"]), 0);
    let records = json_lines(&out);
    let statuses: Vec<[&str; 2]> =
        records.iter().map(|r| ["id", "status"].map(|key| r[key].as_str().unwrap())).collect();
    let expected = [
        ["same", "ok"],
        ["broken", "pred_error"],
        ["2", "gold_error"],
        ["3", "gold_error"],
        ["column", "pred_error"],
        ["gold", "gold_error"],
        ["write", "pred_error"],
    ];
    assert_eq!(statuses, expected);
    for record in &records {
        let keys: Vec<&String> = record.as_object().unwrap().keys().collect();
        assert_eq!(keys, ["id", "status", "scores", "details", "error"]);
        assert_eq!(record["status"] == "ok", record["error"].is_null());
        assert_eq!(record["scores"]["relpm"] == json!(1.0), record["status"] == "ok");
    }
    assert_eq!(records[0]["details"]["relpm"]["identical"], json!(true));
    for (i, part) in [(2, "pairs.jsonl, line 3"), (3, "similar names: concerts"), (4, "height")] {
        says(records[i]["error"].as_str().unwrap(), &[part]);
    }
    says(&err, &["scored 7 pairs: ok 1, gold_error 3, pred_error 3", "mean over all 7: relpm 0.1429"]);
}

#[test]
fn any_of_several_golds_may_be_met() {
    let folder = Folder::new();
    let line = |golds: Value, pred: &str| {
        let mut line = json!({"db_id": "concerts", "pred": pred, "golds": golds});
        line["label"] = json!(1);
        line.to_string()
    };
    let lines = [
        line(json!([GOLD, "SELECT SUM(age) FROM singer"]), SAME),
        line(json!(["SELECT SUM(age) FROM singer", GOLD]), SAME),
        line(json!(["SELECT nothing FROM singer", "SELECT SUM(age) FROM singer"]), SAME),
        line(json!([GOLD, 3]), SAME),
        pair("one", GOLD, SAME, 1),
    ];
    folder.write("pairs.jsonl", lines.join("\n"));
    let (out, _) = folder.run(&over_pairs("score", &["--metric", "proof,suite"]), 0);
    let records = json_lines(&out);
    let met = |at: usize| {
        let record: &Value = &records[at];
        ["proof", "suite"]
            .map(|metric| (record["scores"][metric].as_f64(), record["details"][metric]["gold"].as_u64()))
    };
    assert_eq!(met(0), [(Some(1.0), Some(1)); 2], "{out}");
    assert_eq!(met(1), [(Some(1.0), Some(2)); 2], "{out}");
    // Another gold cannot be read, which says nothing of this one.
    assert_eq!((met(2)[1], &records[2]["status"]), ((Some(0.0), Some(2)), &json!("ok")), "{out}");
    says(records[3]["error"].as_str().unwrap(), &["\"golds\" is not a list of strings"]);
    assert_eq!(met(4), [(Some(1.0), None); 2], "{out}");
    let (out, _) = folder.run(&over_pairs("judge", &[]), 0);
    says(&out, &["several golds of a question are read by score and evaluate alone"]);
}

#[test]
fn the_same_bytes_on_any_number_of_threads() {
    let folder = with_four();
    let args = |threads| over_pairs("score", &["--metric", "relpm,suite", "--threads", threads]);
    let run = |threads| folder.run(&args(threads), 0).0;
    assert_eq!(run("1"), run("3"));
}

#[test]
fn checks_give_exit_code_one() {
    let folder = Folder::with("pairs.jsonl", pair("a", GOLD, "SELECT", 0));
    let base = over_pairs("score", &["--metric", "relpm", "--quiet"]);
    for (extra, said) in [
        (&["--strict"][..], "--strict: 1 of 1 pairs are not ok"),
        (&["--fail-under", "0.5"], "--fail-under 0.5: the mean of relpm is 0.0000"),
    ] {
        let (out, err) = folder.run(&[&base[..], extra].concat(), 1);
        assert_eq!(json_lines(&out).len(), 1);
        says(&err, &[said]);
    }
    folder.run(&base, 0);
}

#[test]
fn gold_and_prediction_files_with_windows_line_ends() {
    let folder =
        Folder::with("gold.txt", format!("{GOLD}\tconcerts\r\nSELECT name FROM singer\tconcerts\r\n"));
    folder.write("pred.txt", format!("{SAME}\tignored\r\nSELECT \"name\" FROM SINGER;\r\n"));
    let args = "score --gold gold.txt --pred pred.txt --schemas concerts.sql --metric relpm";
    let scores: Vec<Value> = folder.lines(args).iter().map(|r| r["scores"]["relpm"].clone()).collect();
    assert_eq!(scores, [json!(1.0), json!(1.0)]);
}

/// Objects and tables score as lines do, and it is said where their queries are.
#[test]
fn predictions_in_every_form() {
    let folder = Folder::with("gold.txt", format!("{GOLD}\tconcerts\nSELECT name FROM singer\tconcerts\n"));
    let other = "SELECT \"name\" FROM SINGER";
    folder.write("p.json", json!([{"predicted_sql": SAME}, {"predicted_sql": other}]).to_string());
    folder.write("p.jsonl", format!("{}\n{}\n", json!({"output": SAME}), json!({"output": other})));
    folder.write("p.csv", format!("id,sql\n0,{SAME}\n1,\"{}\"\n", other.replace('"', "\"\"")));
    let chatty = format!("Here is the query:\n```sql\n{SAME}\n```\nIt counts singers.");
    folder.write("chatty.json", json!([chatty, format!("SQL: {other}")]).to_string());
    folder.write("unknown.json", json!([{"text_to_sql": SAME}, {"text_to_sql": other}]).to_string());
    let args = |file: &str| {
        format!("score --gold gold.txt --pred {file} --schemas concerts.sql --metric relpm,suite")
    };
    for (file, key) in [
        ("p.json", "queries are read from \"predicted_sql\""),
        ("p.jsonl", "queries are read from \"output\""),
        ("p.csv", "queries are read from \"sql\""),
        ("chatty.json", ""),
    ] {
        let (out, err) = folder.run(&args(file), 0);
        for record in json_lines(&out) {
            assert_eq!(record["scores"], json!({"relpm": 1.0, "suite": 1.0}), "{file}: {record}");
        }
        says(&err, &[key]);
    }
    folder.refuses(&args("unknown.json"), &["unknown.json, line 1", "text_to_sql", "call it \"pred\""]);
    let judged = folder.lines("judge --gold gold.txt --pred chatty.json --schemas concerts.sql");
    for (record, before) in judged.iter().zip(["Here is the query:", "SQL:"]) {
        says(record["notes"][0].as_str().unwrap(), &["repaired: left out", before]);
    }
}

#[test]
fn results_go_to_a_file_whole() {
    let folder = with_four();
    let args = over_pairs("score", &["--metric", "relpm", "--format", "json", "--out", "new/scores.json"]);
    let (out, _) = folder.run(&args, 0);
    assert_eq!(out, "");
    let document = folder.document("new/scores.json");
    assert_eq!(document["status"], json!({"ok": 4}));
    assert_eq!(document["records"].as_array().unwrap().len(), 4);
    assert!(document["signatures"]["relpm"].as_str().unwrap().contains("metric:relpm"));
}

#[test]
fn flags_come_from_the_environment_too() {
    let folder = with_four();
    let mut command = folder.twinql("score");
    for (name, value) in [
        ("PAIRS", "pairs.jsonl"),
        ("SCHEMAS", "concerts.sql"),
        ("METRIC", "relpm"),
        ("FORMAT", "text"),
        ("QUIET", "1"),
    ] {
        command.env(format!("TWINQL_{name}"), value);
    }
    let output = command.output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    assert!(output.stdout.starts_with(b"id  "), "{output:?}");
}

#[test]
fn pairs_may_carry_their_schema() {
    let folder = Folder::new();
    let line = json!({"schema": "CREATE TABLE \"order\" (\"the id\" INTEGER PRIMARY KEY)",
        "gold": "SELECT \"the id\" FROM \"order\"", "pred": "SELECT o.\"the id\" FROM \"order\" AS o"});
    folder.write("pairs.jsonl", line.to_string());
    let (out, _) = folder.run(&["score", "--pairs", "pairs.jsonl", "--metric", "relpm"], 0);
    assert_eq!(json_lines(&out)[0]["scores"]["relpm"], json!(1.0));
}

#[test]
fn explain_shows_plans_and_graphs() {
    let folder = Folder::new();
    let explain = ["explain", "--schemas", "concerts.sql", GOLD];
    let (out, _) = folder.run(&[&explain[..], &[SAME]].concat(), 0);
    says(&out, &["gold: SELECT COUNT(*)", "rules applied:", "equal: the same answer on every database"]);
    let (dot, _) = folder.run(&[&explain[..], &[SAME, "--dot"]].concat(), 0);
    assert!(dot.starts_with("digraph pair {"), "{dot}");
    let unknown = [&explain[..], &["SELECT x FROM singer"]].concat();
    folder.refuses(&unknown, &["the pred query", "no column named \"x\""]);
}

#[test]
fn help_has_examples() {
    let folder = Folder::new();
    for command in ["score", "judge", "evaluate", "explain", "train"] {
        let (out, _) = folder.run(&[command, "--help"], 0);
        assert!(out.contains("Example"), "{command}: {out}");
    }
    let (out, _) = folder.run(&["--help"], 0);
    assert!(out.contains("Exit codes: 0 done"), "{out}");
}

#[test]
fn a_closed_pipe_is_no_error() {
    let folder = Folder::new();
    let many: Vec<String> = (0..3000).map(|i| pair(&i.to_string(), GOLD, SAME, 1)).collect();
    folder.write("pairs.jsonl", many.join("\n"));
    let mut child = folder.start(&over_pairs("score", &["--metric", "relpm", "--quiet"]));
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

#[test]
fn rewards_punish_what_is_no_query() {
    let folder = Folder::new();
    let lines = [
        pair("same", GOLD, SAME, 1),
        pair("unknown", GOLD, "SELECT COUNT(*) FROM nowhere", 0),
        pair("no sql", GOLD, "SELEC COUNT(*) FRM singer", 0),
    ];
    folder.write("pairs.jsonl", lines.join("\n"));
    let score = ["score", "--pairs", "pairs.jsonl", "--schemas", "concerts.sql", "--reward"];
    let (out, _) = folder.run(&score, 0);
    let rewards: Vec<_> = json_lines(&out).iter().map(|r| r["details"]["gmn"]["reward"].as_f64()).collect();
    assert_eq!(rewards, [Some(1.0), Some(-0.6), Some(-1.0)]);
    let (_, err) = folder.run(&[&score[..], &["--metric", "relpm"]].concat(), 2);
    assert!(err.contains("--reward is read only by gmn"), "{err}");
}

#[test]
fn tiers_name_the_judge() {
    let folder = Folder::new();
    let lines = [
        pair("same", GOLD, SAME, 1),
        pair("other", GOLD, "SELECT COUNT(DISTINCT name) FROM singer", 0),
        pair("columns", GOLD, "SELECT name, id FROM singer", 0),
    ];
    folder.write("pairs.jsonl", lines.join("\n"));
    let mut args = vec!["score", "--pairs", "pairs.jsonl", "--schemas", "concerts.sql"];
    args.extend(["--metric", "two-tier,three-tier"]);
    let tiers = |records: &[Value]| -> Vec<[String; 2]> {
        let tier = |r: &Value, metric: &str| r["details"][metric]["tier"].as_str().unwrap().to_owned();
        records.iter().map(|r| ["two-tier", "three-tier"].map(|metric| tier(r, metric))).collect()
    };
    let records = folder.lines(&args);
    assert_eq!(tiers(&records), [["proof", "proof"], ["probe", "suite"], ["proof", "proof"]]);
    let alone = folder.lines(&[&args[..], &["--probe", "0"]].concat());
    assert_eq!(tiers(&alone), [["proof", "proof"], ["network", "suite"], ["proof", "proof"]]);
    let score = |i: usize, metric: &str| records[i]["scores"][metric].as_f64().unwrap();
    assert!(score(0, "two-tier") > 0.95 && score(0, "three-tier") > 0.95);
    assert!(score(1, "two-tier") < 0.05 && score(1, "three-tier") < 0.05 && score(2, "two-tier") < 0.05);
}

/// CASE nested 50 deep, in THEN and in ELSE, is planned, scored and judged.
#[test]
fn case_nested_fifty_deep_is_scored() {
    let folder = Folder::new();
    for open in ["CASE WHEN age > 1 THEN ", "CASE WHEN age > 1 THEN 0 ELSE "] {
        let query = |last: &str| format!("SELECT {}{last}{} FROM singer", open.repeat(50), " END".repeat(50));
        let (one, other) = (query("age"), query("age + 1"));
        let args = one_pair("score", [&one, &one], &["--metric", "gmn,relpm,proof,suite"]);
        let (out, err) = folder.run(&args, 0);
        for metric in ["gmn", "relpm", "proof", "suite"] {
            let line = out.lines().find(|l| l.trim_start().starts_with(metric)).unwrap_or_default();
            assert!(line.contains("the same"), "{open}: {metric}: {out}{err}");
        }
        let args = one_pair("judge", [&one, &other], &[]);
        let (out, _) = folder.run(&args, 0);
        assert!(out.starts_with("same\n") || out.starts_with("different\n"), "{open}: {out}");
    }
}

#[test]
fn a_single_pair_says_what_decided() {
    let folder = Folder::new();
    let said = |pred: &str, more: &[&str]| {
        let gold = "SELECT name FROM singer WHERE age > 30";
        folder.run(&one_pair("score", [gold, pred], more), 0).0
    };
    assert!(said("SELECT s.name FROM singer s WHERE 30 < s.age", &[]).contains(", equal canonical forms)"));
    let near = "SELECT name FROM singer WHERE age >= 30";
    assert!(said(near, &[]).contains("not the same (threshold"), "{}", said(near, &[]));
    for metric in ["gmn", "two-tier"] {
        assert!(said(near, &["--metric", metric]).contains(", a few rows tell them apart)"), "{metric}");
        assert!(!said(near, &["--metric", metric, "--probe", "0"]).contains("rows"), "{metric}");
    }
}
