//! `twinql prove` and the metric `proof` through the binary.

use crate::support::{Folder, SCHEMAS, json_lines, over_pairs, pair, says};
use serde_json::{Value, json};

fn pairs() -> String {
    [
        pair("equal", "SELECT COUNT(*) FROM singer", "SELECT COUNT(DISTINCT id) FROM singer", 1),
        pair("wider", "SELECT name FROM singer", "SELECT name, age FROM singer", 0),
        pair("open", "SELECT name FROM singer", "SELECT name FROM singer WHERE age > 20", 0),
        pair("broken", "SELECT name FROM singer", "SELECT nothing FROM singer", 0),
    ]
    .join("\n")
}

#[test]
fn a_single_pair_in_words() {
    let folder = Folder::new();
    let gold = "SELECT s.name FROM singer s JOIN concert c ON c.singer_id = s.id";
    for (pred, expected) in [
        (
            "SELECT s.name FROM concert c, singer s WHERE s.id = c.singer_id AND c.singer_id IN (SELECT id FROM singer)",
            &["equal: ", "  needs: keys and NOT NULL hold", "gold rules: "][..],
        ),
        ("SELECT age FROM singer", &["different: with one row in each table"][..]),
        (
            "SELECT name FROM singer",
            &[
                "unknown: ",
                "only gold: Scan concert",
                "but not equal: a database that meets default semantics tells them apart",
                "INSERT INTO \"singer\" VALUES (1, ",
            ][..],
        ),
    ] {
        let (out, _) = folder.run(&[&["prove", gold, pred][..], &SCHEMAS].concat(), 0);
        says(&out, expected);
        says(&out, &["|metric:proof|"]);
    }
    let joined = "SELECT DISTINCT a.year FROM concert a, concert b WHERE a.year = b.year AND b.year > 3";
    let plain = "SELECT DISTINCT year FROM concert WHERE year > 3";
    let (out, _) = folder.run(&[&["prove", joined, plain][..], &SCHEMAS].concat(), 0);
    assert!(out.contains("↦") || out.contains("both are"), "{out}");
    let (out, _) = folder.run(&[&["explain", gold, "SELECT name FROM singer"][..], &SCHEMAS].concat(), 0);
    assert!(out.contains("unknown: "), "{out}");
}

/// Each query of a walk, and what leads to it.
fn walked(folder: &Folder) -> Vec<(String, String)> {
    let line = json_lines(&folder.read("proofs.jsonl")).remove(0);
    let steps = line["walk"]["steps"].as_array().unwrap().clone();
    let text = |step: &Value, field: &str| step[field].as_str().unwrap().to_owned();
    steps.iter().map(|step| (text(step, "by"), text(step, "sql"))).collect()
}

#[test]
fn a_proof_is_a_walk_whose_steps_are_checked() {
    let folder = Folder::new();
    let [gold, pred] =
        ["SELECT COUNT(id) FROM singer WHERE NOT age <= 20", "SELECT COUNT(*) FROM singer WHERE 20 < age"];
    let asked = |more: &[&'static str]| [&["prove", gold, pred, "--steps"][..], &SCHEMAS, more].concat();
    let (out, _) = folder.run(&asked(&[]), 0);
    says(
        &out,
        &["  gold                    SELECT COUNT(id)", "\n  count-star  ", "\n  negation-pushdown  "],
    );
    folder.run(&asked(&["--format", "jsonl", "--out", "proofs.jsonl"]), 0);
    let walk = walked(&folder);
    assert_eq!((walk[0].1.as_str(), walk[walk.len() - 1].1.as_str()), (gold, pred));
    let verify = [&["verify", "proofs.jsonl"][..], &SCHEMAS].concat();
    let steps = walk.len() - 1;
    let (out, _) = folder.run(&verify, 0);
    says(
        &out,
        &[&format!(
            "1 proofs of {steps} steps: 0 refused; 0 steps that no database tests; 0 proofs not read"
        )],
    );

    // A changed query, a rule that there is not, and one that needs more than is assumed.
    let proofs = folder.read("proofs.jsonl");
    let middle = &walk[2].1;
    for (from, to, expected) in [
        (middle.as_str(), &*middle.replace("20", "21"), "refused: step 2 ("),
        ("count-star", "count-stars", "refused: there is no rule \"count-stars\""),
        ("\"default\"", "\"strict\"", "refused: "),
    ] {
        assert!(proofs.contains(from), "{from}\n{proofs}");
        folder.write("proofs.jsonl", proofs.replace(from, to));
        says(&folder.run(&verify, 1).0, &[expected, ": 1 refused;"]);
    }
    let none = json!({"id": 1, "walk": {"db_id": "concerts", "semantics": "default", "steps": []}});
    folder.write("proofs.jsonl", none.to_string());
    says(&folder.run(&verify, 1).0, &["refused: it has no step"]);
    // What cannot be read is told, and the rest is checked.
    folder.write("proofs.jsonl", format!("{proofs}nonsense\n{}", proofs.replace("concerts", "nowhere")));
    let (out, err) = folder.run(&verify, 1);
    says(&out, &[": 0 refused;", "2 proofs not read"]);
    says(&err, &["line 2: no proof: ", "line 3: ", "nowhere"]);
    folder.write("proofs.jsonl", "{\"id\": 1}\n");
    folder.refuses(&verify, &["has no steps; `twinql prove --steps` writes them"]);
}

#[test]
fn a_proof_names_what_the_schema_states_and_is_tried_without_it() {
    let folder = Folder::with(
        "shop.sql",
        "CREATE TABLE customer (id INTEGER PRIMARY KEY, email TEXT NOT NULL UNIQUE)",
    );
    let pair = ["SELECT DISTINCT email FROM customer", "SELECT email FROM customer"];
    let run = |more: &[&'static str]| [&["prove", "--schemas", "shop.sql", pair[0], pair[1]], more].concat();
    let (out, _) = folder.run(&run(&[]), 0);
    says(&out, &["equal: ", "the schema states: unique(customer.email)"]);
    let (out, _) = folder.run(&run(&["--without", "unique(customer.email)"]), 0);
    says(&out, &["unknown: "]);
    folder.refuses(&run(&["--without", "unique(customer.id)"]), &["unique(customer.id)", "primary_key"]);
}

#[test]
fn a_batch_with_its_counts() {
    let folder = Folder::with("pairs.jsonl", pairs());
    let args = over_pairs("prove", &[]);
    let (out, err) = folder.run(&args, 0);
    let records = json_lines(&out);
    let proofs: Vec<Value> = records.iter().map(|r| r["proof"].clone()).collect();
    assert_eq!(proofs, [json!("equal"), json!("different"), json!("unknown"), Value::Null]);
    assert_eq!(records[0]["details"]["assumptions"], json!(["keys"]));
    assert_eq!(records[3]["status"], "pred_error");
    let witness = &records[2]["witness"];
    assert!(witness["sql"].as_str().unwrap().contains("CREATE TABLE"), "{witness}");
    assert_ne!(witness["gold_rows"], witness["pred_rows"]);
    assert!(err.contains("of the 1 unknown, a database tells 1 apart"), "{err}");
    let (alone, err_alone) = folder.run(&over_pairs("prove", &["--no-witness"]), 0);
    assert_eq!(json_lines(&alone)[2]["witness"], Value::Null);
    assert!(!err_alone.contains("apart"), "{err_alone}");
    assert!(err.contains("equal 1, different 1, unknown 1, of all 4 pairs"), "{err}");
    assert!(err.contains("proofs of equality that need: keys 1"), "{err}");
    says(&err, &["of 1 pairs with label 1, 1 are proved equal; of 3 with label 0, 1 are proved different"]);
    assert!(err.contains("proved equal against the label: none"), "{err}");
    folder.write("labels.json", r#"{"equal": 0, "wider": 1}"#);
    let (_, err) = folder.run(&[&args[..], &["--labels", "labels.json"]].concat(), 0);
    says(&err, &["proved equal against the label: equal", "proved different against the label: wider"]);
    folder.run(&[&args[..], &["--strict"]].concat(), 1);
    let (_, err) = folder.run(&[&args[..], &["--fail-under", "0.5"]].concat(), 1);
    assert!(err.contains("the share of pairs proved equal is 0.2500"), "{err}");
    let document = folder.json(&[&args[..], &["--format", "json"]].concat());
    assert_eq!(document["counts"]["unknown"], 1);
    let (out, _) = folder.run(&[&args[..], &["--format", "text"]].concat(), 0);
    assert!(out.contains("wider") && out.contains("different"), "{out}");
}

#[test]
fn the_metric_has_three_values() {
    let folder = Folder::with("pairs.jsonl", pairs());
    let score = over_pairs("score", &["--metric", "proof"]);
    let records = folder.lines(&score);
    let scores: Vec<f64> = records.iter().map(|r| r["scores"]["proof"].as_f64().unwrap()).collect();
    assert_eq!(scores, [1.0, 0.0, 0.5, 0.0]);
    assert_eq!(records[0]["details"]["proof"]["assumptions"], json!(["keys"]));
    let evaluate = over_pairs("evaluate", &["--metric", "proof"]);
    let (out, _) = folder.run(&evaluate, 0);
    assert!(out.contains("|metric:proof|") && out.contains("threshold:1.00"), "{out}");
}

#[test]
fn bad_arguments() {
    let folder = Folder::new();
    for args in [
        "prove 'SELECT 1' --schemas concerts.sql",
        "prove 'SELECT 1' 'SELECT 1'",
        "prove 'SELECT 1' 'SELECT 1' --pairs x --schemas concerts.sql",
    ] {
        folder.run(args, 2);
    }
}
