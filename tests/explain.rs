//! `twinql explain --plan`, dialects, and hostile text through the binary.

use crate::support::{Folder, one_pair, over_pairs, says};

const GOLD: &str = "SELECT name FROM singer WHERE age > 30";
const PRED: &str = "SELECT name\nFROM singer WHERE 30 < age";

#[test]
fn ids_are_the_same_in_text_json_and_graph() {
    let folder = Folder::new();
    let base = ["explain", "--plan", "--schemas", "concerts.sql", GOLD, PRED];
    let with = |extra: &[&'static str]| folder.run(&[&base[..], extra].concat(), 0).0;
    let (text, json, dot) = (with(&[]), with(&["--format", "json"]), with(&["--dot"]));
    assert_eq!(text, with(&[]));
    says(&text, &["Filter singer.age > 30", "@ 1:31-1:39"]);
    let document: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(document["verdict"], "equal");
    for (side, letters) in [("gold", ["g", "G"]), ("pred", ["p", "P"])] {
        for (tree, letter) in [("written", letters[0]), ("canonical", letters[1])] {
            let nodes = document[side][tree].as_array().unwrap();
            assert!(!nodes.is_empty());
            for node in nodes {
                let id = node["id"].as_str().unwrap();
                assert!(id.starts_with(letter));
                assert!(dot.contains(&format!("{id} [label=\"{id}: ")), "{dot}");
                assert!(text.contains(&format!("{id} ")), "{text}");
            }
        }
    }
}

#[test]
fn columns_have_their_tables_and_symbols_their_meaning() {
    let folder = Folder::new();
    let gold = "SELECT a.name FROM singer a JOIN singer b ON a.age = b.age WHERE a.id > b.id";
    let pred = "SELECT a.name FROM singer b JOIN singer a ON b.age = a.age WHERE b.id < a.id AND a.age > 3";
    let base = ["explain", "--schemas", "concerts.sql", gold, pred];
    let (text, _) = folder.run(&base, 0);
    says(&text, &["singer.age", "singer#2.age", "\nlegend\n", "t#2 ", "the second use of t"]);
    // The equation is on both sides.
    let differing: Vec<&str> = text.lines().filter(|l| l.starts_with("  only ")).collect();
    assert!(!differing.is_empty(), "{text}");
    for dot in [&["--dot"][..], &["--dot", "--plan"]] {
        let (graph, _) = folder.run(&[&base[..], dot].concat(), 0);
        assert!(graph.contains("label=\"legend\""), "{graph}");
        assert_eq!(graph.matches('{').count(), graph.matches('}').count(), "{graph}");
    }
}

#[test]
fn dialects_are_read_and_named() {
    let folder = Folder::new();
    let run = |dialect: &str, gold: &str, pred: &str| {
        let more = ["--metric", "relpm,suite", "--databases", "20", "--dialect", dialect, "--format", "json"];
        folder.json(&one_pair("score", [gold, pred], &more))
    };
    let same = run(
        "mysql",
        "SELECT name FROM singer WHERE name = \"x\" || age = 1",
        "SELECT `name` FROM singer WHERE name = 'x' OR age = 1",
    );
    assert_eq!(same["records"][0]["scores"], serde_json::json!({"relpm": 1.0, "suite": 1.0}), "{same}");
    assert!(same.to_string().contains("|dialect:mysql|"), "{same}");
    let cases = run(
        "postgres",
        "SELECT COUNT(*) FROM singer WHERE name LIKE 'A%'",
        "SELECT COUNT(*) FROM singer WHERE name ILIKE 'A%'",
    );
    assert!(cases["records"][0]["scores"]["relpm"].as_f64().unwrap() < 1.0, "{cases}");
    folder.refuses(
        &["explain", "--schemas", "concerts.sql", GOLD, PRED, "--dialect", "cobol"],
        &["unknown dialect \"cobol\"", "sqlite, postgres, mysql, tsql, bigquery"],
    );
}

#[test]
fn hostile_text_is_an_error_of_its_pair() {
    let folder = Folder::new();
    let deep = format!("SELECT {}1{}", "(".repeat(20_000), ")".repeat(20_000));
    let wide = format!("SELECT id FROM singer{}", " UNION SELECT id FROM singer".repeat(1_500));
    let huge = format!("SELECT '{}'", "x".repeat(1 << 20));
    let terms = format!("SELECT id FROM singer WHERE {}1", "age = 1 AND ".repeat(4_000));
    let lines: Vec<String> = [&deep, &wide, &huge, &terms]
        .iter()
        .map(|pred| serde_json::json!({"db_id": "concerts", "gold": GOLD, "pred": pred}).to_string())
        .collect();
    folder.write("pairs.jsonl", lines.join("\n"));
    let records = folder.lines(&over_pairs("score", &["--metric", "relpm"]));
    assert_eq!(records.len(), 4);
    for record in records {
        assert_eq!(record["status"], "unsupported", "{record}");
        says(record["error"].as_str().unwrap(), &["too large"]);
    }
    folder.refuses(&["explain", "--schemas", "concerts.sql", GOLD, &deep], &["the pred query", "too large"]);
}

#[test]
fn attention_is_written_and_aligned() {
    let folder = Folder::new();
    let pred = "SELECT name FROM singer WHERE age >= 21 AND id IN (SELECT singer_id FROM concert)";
    let args = ["explain", "--schemas", "concerts.sql", "--attention", "a.json", GOLD, pred];
    let (text, _) = folder.run(&args, 0);
    says(&text, &["network (semantics ", "what they attend to most in the gold"]);
    assert!(text.contains(" number 21 ") && text.contains(" table concert "), "{text}");

    let file = folder.document("a.json");
    let ids = |side: &str| -> Vec<String> {
        let nodes = file[side].as_array().unwrap();
        nodes.iter().map(|n| n["id"].as_str().unwrap().to_owned()).collect()
    };
    let (gold, pred) = (ids("gold"), ids("pred"));
    assert!(file["steps"].as_array().unwrap().len() >= 2);
    for step in file["steps"].as_array().unwrap() {
        for (list, from, to) in [("gold_over_pred", &gold, &pred), ("pred_over_gold", &pred, &gold)] {
            let list = step[list].as_array().unwrap();
            for id in from {
                let own = list.iter().filter(|e| e[0] == id.as_str());
                let sum: f64 = own.map(|e| e[2].as_f64().unwrap()).sum();
                assert!((0.4..1.0001).contains(&sum), "{id} {sum}");
            }
            assert!(list.iter().all(|e| to.iter().any(|id| e[1] == id.as_str())));
        }
    }
    let nodes = file["pred"].as_array().unwrap();
    let number = nodes.iter().find(|n| n["content"] == "21").unwrap();
    assert_eq!((&number["word"], &number["alone"]), (&"number".into(), &true.into()));
    // The comparison around it: `age >= 21`.
    assert_eq!(number["spans"][0]["column"], 31, "{number}");
    let table = nodes.iter().find(|n| n["content"] == "singer").unwrap();
    assert_eq!((&table["alone"], &table["spans"][0]["column"]), (&false.into(), &18.into()));
    let aligned = file["network"]["alignment"].as_array().unwrap();
    assert!(aligned.iter().any(|a| a["pred"] == number["id"]), "{aligned:?}");

    let same = folder.run(&["explain", "--schemas", "concerts.sql", GOLD, PRED], 0).0;
    assert!(same.contains("every part of the prediction is found again"), "{same}");
    folder.refuses(
        &["explain", "--schemas", "concerts.sql", "--checkpoint", "none.safetensors", GOLD, PRED],
        &["none.safetensors"],
    );
}
