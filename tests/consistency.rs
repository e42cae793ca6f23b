//! `twinql perturb` and `twinql consistency` through the binary.

use crate::support::{DDL, Folder, SCHEMAS, json_lines, says, words};
use serde_json::{Value, json};

const QUESTIONS: &[(&str, &str)] = &[
    ("What is the minimum age of singers?", "SELECT min(age) FROM singer"),
    ("名前は何ですか", "SELECT name FROM singer"),
    ("List the years of concerts.", "SELECT year FROM concert"),
    ("How many concerts are there?", "SELECT count(*) FROM concert"),
];

fn folder() -> Folder {
    let folder = Folder::new();
    let list: Vec<Value> = QUESTIONS
        .iter()
        .map(|(question, query)| json!({"question": question, "query": query, "db_id": "concerts"}))
        .collect();
    folder.write("dev.json", json!(list).to_string());
    folder
}

fn perturb(folder: &Folder, more: &[&str]) -> (String, String) {
    folder.run(&[&["perturb", "--questions", "dev.json"], &SCHEMAS[..], more].concat(), 0)
}

fn consistency<'a>(more: &[&'a str]) -> Vec<&'a str> {
    let files = ["consistency", "--questions", "t.jsonl", "--originals", "o.sql", "--transformed", "t.sql"];
    [&files[..], &SCHEMAS[..], more].concat()
}

/// Predictions: the gold for each original, and for each transformed input what `of` says.
fn predict(folder: &Folder, of: impl Fn(&Value) -> String) -> Vec<Value> {
    let inputs = json_lines(&folder.read("t.jsonl"));
    let lines: Vec<String> = inputs.iter().map(of).collect();
    folder.write("t.sql", lines.join("\n") + "\n");
    folder.write("o.sql", QUESTIONS.iter().map(|(_, gold)| format!("{gold}\n")).collect::<String>());
    inputs
}

fn gold(input: &Value) -> String {
    input["gold"].as_str().unwrap().to_owned()
}

#[test]
fn from_questions_to_a_report() {
    let folder = folder();
    let (out, _) = perturb(&folder, &["--out", "t.jsonl", "--tables", "t.json"]);
    assert!(out.contains("prefix-insertion") && out.contains("6370"), "{out}");
    // The age of singers is asked for by a column's name in one case, by the youngest singer in the other.
    let inputs = predict(&folder, |input| match input["relation"].as_str() {
        Some("prefix-removal") => "SELECT count(id) FROM concert".into(),
        Some("synonym-substitution") => "SELECT age FROM singer ORDER BY age LIMIT 1".into(),
        Some("table-shuffle") => "SELECT nothing FROM singer".into(),
        _ => gold(input),
    });
    let relations: std::collections::HashSet<&str> =
        inputs.iter().map(|i| i["relation"].as_str().unwrap()).collect();
    assert_eq!(relations.len(), 12, "{relations:?}");
    let report = words("--report r.html --out c.json --semantics default");
    let (out, err) = folder.run(&consistency(&report), 0);
    assert!(out.is_empty() && !err.contains("warning"), "{err}");
    let found = folder.document("c.json");
    assert_eq!(found["compared"], inputs.len());
    let rate = |metric: usize, relation: &str| {
        let groups = found["metrics"][metric]["by_relation"].as_array().unwrap();
        groups.iter().find(|g| g["group"] == relation).unwrap()["rate"].as_f64().unwrap()
    };
    assert_eq!([0, 1, 2].map(|m| found["metrics"][m]["name"].as_str().unwrap()), ["esm", "proof", "suite"]);
    // The same answer in other words: a false alarm of exact match, which the proof knows.
    assert_eq!([rate(0, "synonym-substitution"), rate(1, "synonym-substitution")], [1.0, 0.0]);
    assert_eq!(rate(2, "prefix-removal"), 1.0);
    assert_eq!(rate(0, "table-shuffle"), 1.0);
    assert_eq!(rate(0, "column-renaming"), 0.0);
    let all = &found["false_alarms"][0]["groups"][0];
    assert_eq!((all["group"].as_str(), all["proved_same"].as_u64()), (Some("all"), Some(3)), "{all}");
    assert!(all["witnessed"].as_u64().unwrap() > 0);
    let page = folder.read("r.html");
    assert!(page.starts_with("<!DOCTYPE html>"));
    says(&page, &["synonym-substitution: input", "no query over its schema", "Cumulative fluency"]);
    says(&page, &["A database on which the answers differ"]);
    // As rates for training data.
    let size = words("--augment adaptive --size 20 --rates c.json --originals --tables train_tables.json");
    perturb(&folder, &[&["--out", "train.json"], &size[..]].concat());
    let train = folder.document("train.json");
    let train = train.as_array().unwrap();
    assert_eq!(train.len(), 4 + 20);
    assert_eq!(train[0]["question"], QUESTIONS[0].0);
    let tables = folder.document("train_tables.json");
    let known: Vec<&str> = tables.as_array().unwrap().iter().map(|t| t["db_id"].as_str().unwrap()).collect();
    assert!(train.iter().all(|t| known.contains(&t["db_id"].as_str().unwrap())));
}

#[test]
fn a_renamed_column_is_the_same_column() {
    let folder = folder();
    perturb(&folder, &["--out", "t.jsonl", "--relation", "column-renaming"]);
    let inputs = json_lines(&folder.read("t.jsonl"));
    let input = &inputs[0];
    let table = &input["mapping"]["tables"][0];
    let columns = table["columns"].as_object().unwrap();
    let (new, old) = columns.iter().find(|(new, old)| *new != old.as_str().unwrap()).unwrap();
    let query =
        |column: &str| format!("SELECT {column} FROM {} WHERE {column} > 3", table["name"].as_str().unwrap());
    folder.write("o.sql", json!({"id": input["origin"], "sql": query(old.as_str().unwrap())}).to_string());
    let called = |prediction: &str| {
        folder.write("t.sql", json!({input["id"].as_str().unwrap(): prediction}).to_string());
        let line = folder.json(&consistency(&["--metric", "exact", "--format", "jsonl"]));
        (line["calls"]["exact"].as_str().unwrap().to_owned(), line["error"].clone())
    };
    assert_eq!(called(&query(new)), ("same".into(), Value::Null));
    assert_eq!(called(&query("id")).0, "different");
    // The old name is none over the new schema.
    let (call, error) = called(&query(old.as_str().unwrap()));
    assert_eq!(call, "different");
    assert!(error.as_str().unwrap().contains("no column named"), "{error}");
}

#[test]
fn missing_predictions_are_named_and_counted() {
    let folder = folder();
    perturb(&folder, &["--out", "t.jsonl", "--relation", "PI,PR,TS"]);
    let is_lost = |input: &Value| input["relation"] == "prefix-removal";
    let inputs = predict(&folder, |input| if is_lost(input) { String::new() } else { gold(input) });
    let lost = inputs.iter().filter(|input| is_lost(input)).count();
    let originals = "SELECT min(age) FROM singer\n\nSELECT year FROM concert\nSELECT count(*) FROM concert\n";
    folder.write("o.sql", originals);
    let (out, err) = folder.run(&consistency(&["--metric", "esm", "--strict"]), 1);
    assert!(err.contains("1 originals without a prediction: 1"), "{err}");
    says(&err, &[&format!("{lost} transformed inputs without a prediction: 0.PR.0, 2.PR.0")]);
    assert!(out.contains("originals without a prediction: 1"), "{out}");
    // Lines that do not fit say how many there are.
    folder.write("t.sql", "SELECT 1\n");
    let (_, err) = folder.run(&consistency(&[]), 2);
    assert!(err.contains(&format!("1 lines for {} inputs", inputs.len())), "{err}");
}

#[test]
fn bad_input_is_named() {
    let folder = folder();
    let run = |questions: &str, more: &[&str], code: i32| {
        folder.write("q.json", questions);
        let args = ["perturb", "--questions", "q.json", "--out", "out.jsonl"];
        folder.run(&[&args[..], &SCHEMAS[..], more].concat(), code)
    };
    for (questions, part) in [
        ("", "is empty"),
        ("[]", "is empty"),
        ("[{\"question\":\"a\"}]", "no \"query\""),
        (r#"[{"question":"a","query":"SELECT 1","db_id":"nowhere"}]"#, "no schema called \"nowhere\""),
    ] {
        says(&run(questions, &[], 2).1, &[part]);
    }
    let good =
        r#"[{"question":"What is it?","query":"SELECT nope FROM singer","db_id":"concerts"},{"db_id":3}]"#;
    let (out, err) = run(good, &["--format", "json"], 0);
    says(&err, &["question 0: the schema stays", "question 1: no \"question\""]);
    let told: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((told["questions"].as_u64(), told["left"].as_array().map(Vec::len)), (Some(2), Some(2)));
    for (more, part) in [
        (&["--relation", "XY"][..], "no relation is called \"XY\""),
        (&["--most", "0"], "at least 1"),
        (&["--augment", "adaptive", "--size", "3"], "needs --rates"),
        (&["--format", "jsonl"], "one document"),
        (&["--dialect", "mysql"], "transformed schemas are SQLite's"),
    ] {
        says(&run(good, more, 2).1, &[part]);
    }
    // A line of a test set that is none.
    for (name, text) in [("t.jsonl", "{\"id\":3}\n"), ("t.sql", "SELECT 1\n"), ("o.sql", "SELECT 1\n")] {
        folder.write(name, text);
    }
    says(&folder.run(&consistency(&[]), 2).1, &["t.jsonl, line 1"]);
}

#[test]
fn the_same_whatever_the_threads_and_with_rows() {
    let folder = folder();
    let rows = format!("{DDL} INSERT INTO singer VALUES (1, 'é', 30);");
    folder.database("db/concerts/concerts.sqlite", &rows);
    let rows = words("--out a.jsonl --db db --db-out new --sample 3 --fluency --threads 1");
    let (one, _) = perturb(&folder, &rows);
    assert!(one.contains("Fluency") && one.contains("databases written"), "{one}");
    perturb(&folder, &["--out", "b.jsonl", "--sample", "3", "--threads", "3"]);
    assert_eq!(folder.read("a.jsonl"), folder.read("b.jsonl"));
    // Originals have their own names: the user's files are not where they could be replaced.
    let own = words("perturb --questions dev.json --out c.jsonl --originals --db db --db-out db");
    let (_, err) = folder.run(&[&own[..], &SCHEMAS[..]].concat(), 2);
    assert!(err.contains("it is the folder of --db"), "{err}");
    for input in json_lines(&folder.read("a.jsonl")) {
        let id = input["db_id"].as_str().unwrap();
        let file = folder.path(&format!("new/{id}/{id}.sqlite"));
        let rows = rusqlite::Connection::open(file).unwrap();
        rows.prepare(input["gold"].as_str().unwrap()).unwrap();
    }
}
