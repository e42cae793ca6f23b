//! Commands of the documents are run, on small files of the names that they use.
//!
//! `args/documented.rs` checks that all of them are understood. Here those run that need no hours, no network and no other
//! program.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod support;

use std::path::Path;
use std::process::Command;

use support::Folder;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// What a page's commands take, and what is left out of it.
struct Page {
    path: &'static str,
    /// Words of commands that are not run: they train for long, need another program or the network, or do not end.
    without: &'static [&'static str],
    /// So many commands run at least.
    least: usize,
    /// The database that its files are over.
    db_id: &'static str,
}

const PAGES: [Page; 12] = [
    Page {
        path: "README.md",
        without: &["scripts/", "pip ", "python ", "cargo "],
        least: 6,
        db_id: "concert_singer",
    },
    Page { path: "docs/audit.md", without: &["cargo "], least: 5, db_id: "concert_singer" },
    Page {
        path: "docs/command-line.md",
        without: &[
            "train",
            "calibrate",
            "selftest",
            "corpus build",
            "corpus relabel",
            "corpus grade",
            "corpus share",
            "serve",
            "duckdb",
            "postgres://",
            "--pg-stats",
            "out/run",
            "sqlite3",
            "jq ",
            "--dialect postgres",
            "--against",
            "safetensors",
        ],
        least: 27,
        db_id: "concert_singer",
    },
    Page { path: "docs/comparing.md", without: &[], least: 2, db_id: "concert_singer" },
    Page { path: "docs/consistency.md", without: &[], least: 3, db_id: "concert_singer" },
    Page { path: "docs/disagreements.md", without: &["TWINQL_DATA"], least: 2, db_id: "concert_singer" },
    Page { path: "docs/esm.md", without: &["cargo "], least: 1, db_id: "concert_singer" },
    Page { path: "docs/execution.md", without: &["…"], least: 3, db_id: "concert_singer" },
    Page { path: "docs/metrics.md", without: &[], least: 1, db_id: "concert_singer" },
    Page {
        path: "docs/profiles.md",
        without: &["psql", "postgres://", "--pg-stats", "duckdb"],
        least: 4,
        db_id: "shop",
    },
    Page { path: "docs/reranking.md", without: &[], least: 3, db_id: "concert_singer" },
    Page { path: "docs/suites.md", without: &[], least: 3, db_id: "concert_singer" },
];

/// The schema of every database here but the bundled ones.
const DDL: &str = "\
CREATE TABLE singer (id INTEGER PRIMARY KEY, name TEXT NOT NULL, age INTEGER);
CREATE TABLE concert (id INTEGER PRIMARY KEY, singer_id INTEGER NOT NULL REFERENCES singer (id), year INTEGER);
";
const GOLDS: [&str; 3] = [
    "SELECT name FROM singer WHERE age > 20",
    "SELECT COUNT(*) FROM concert",
    "SELECT name FROM singer JOIN concert ON singer.id = concert.singer_id WHERE year = 2014",
];
const PREDICTIONS: [&str; 3] = [
    "SELECT name FROM singer WHERE 20 < age",
    "SELECT COUNT(DISTINCT singer_id) FROM concert",
    "SELECT T1.name FROM singer AS T1 JOIN concert AS T2 ON T1.id = T2.singer_id WHERE T2.year = 2014",
];

/// Spider's form of the schema.
fn tables(db_ids: &[&str]) -> String {
    let one = |db_id: &&str| {
        serde_json::json!({
            "db_id": db_id,
            "table_names_original": ["singer", "concert"], "table_names": ["singer", "concert"],
            "column_names_original": [[-1, "*"], [0, "id"], [0, "name"], [0, "age"], [1, "id"], [1, "singer_id"], [1, "year"]],
            "column_names": [[-1, "*"], [0, "id"], [0, "name"], [0, "age"], [1, "id"], [1, "singer id"], [1, "year"]],
            "column_types": ["text", "number", "text", "number", "number", "number", "number"],
            "primary_keys": [1, 4], "foreign_keys": [[5, 1]],
        })
    };
    serde_json::Value::from(db_ids.iter().map(one).collect::<Vec<_>>()).to_string()
}

/// A folder that holds what the documents name.
fn folder(db_id: &str) -> Folder {
    let folder = Folder::new();
    for name in ["data", "configs"] {
        std::os::unix::fs::symlink(Path::new(ROOT).join(name), folder.path(name)).unwrap();
    }
    let dbs = ["concert_singer", "pets_1"];
    folder.write("tables.json", tables(&dbs));
    let lines =
        |queries: &[&str], more: &str| queries.iter().map(|q| format!("{q}{more}\n")).collect::<String>();
    for name in ["dev_gold.sql", "dev.sql", "gold.sql", "train_gold.sql"] {
        folder.write(name, lines(&GOLDS, &format!("\t{db_id}")));
    }
    std::fs::create_dir(folder.path("runs")).unwrap();
    for name in ["predictions.txt", "system_a.txt", "ours.txt", "runs/ours.txt", "pred.txt"] {
        folder.write(name, lines(&PREDICTIONS, ""));
    }
    for name in ["system_b.txt", "baseline.txt", "t5.txt", "runs/t5.txt", "novalues.txt"] {
        folder.write(name, lines(&GOLDS, ""));
    }
    folder.write("gold.txt", lines(&GOLDS, &format!("\t{db_id}")));
    let bird: serde_json::Map<_, _> = (0..3)
        .map(|i| (i.to_string(), format!("{}\t----- bird -----\t{db_id}", PREDICTIONS[i]).into()))
        .collect();
    folder.write("predict_dev.json", serde_json::Value::from(bird).to_string());
    let dev: Vec<_> = (0..3)
        .map(|i| serde_json::json!({"question_id": i, "db_id": db_id, "question": "?", "SQL": GOLDS[i], "query": GOLDS[i]}))
        .collect();
    folder.write("dev.json", serde_json::Value::from(dev).to_string());
    folder.write("train.json", folder.read("dev.json"));
    // Transformed inputs are as many as relations apply; these predictions are by id.
    folder.write("dev_pred.sql", lines(&PREDICTIONS, ""));
    let transformed = serde_json::json!({"id": "0.TS.0", "sql": PREDICTIONS[0]});
    folder.write("transformed_pred.sql", transformed.to_string());
    let pairs: String = {
        let pair = |i: usize| {
            let pair = serde_json::json!({"id": i, "db_id": db_id, "gold": GOLDS[i], "pred": PREDICTIONS[i], "label": i32::from(i != 1)});
            format!("{pair}\n")
        };
        (0..3).map(pair).collect()
    };
    for name in
        ["pairs.jsonl", "labelled.jsonl", "predictions.jsonl", "executed.jsonl", "spider_pair_dev.jsonl"]
    {
        folder.write(name, &pairs);
    }
    folder.write("spider_pair_dev.adjudicated.json", r#"{"0": 1, "1": 0, "2": 1}"#);
    std::fs::create_dir(folder.path("verdicts")).unwrap();
    for name in ["ours", "t5"] {
        let verdicts: String = (1..=3).map(|i| format!("{{\"id\": {i}, \"score\": {}}}\n", i % 2)).collect();
        folder.write(&format!("verdicts/{name}.jsonl"), verdicts);
    }
    folder.write("school.sql", "CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT, age INTEGER);");
    folder.write("shop.sql", DDL);
    folder.write("warehouse.sql", DDL);
    for (name, queries) in [("old.sql", GOLDS), ("new.sql", GOLDS)] {
        folder.write(name, queries.join(";\n"));
    }
    for models in ["models.before", "models"] {
        std::fs::create_dir(folder.path(models)).unwrap();
        folder.write(&format!("{models}/orders.sql"), GOLDS[0]);
    }
    let set = serde_json::json!({"id": 0, "db_id": db_id, "candidates": PREDICTIONS});
    folder.write("candidates.jsonl", format!("{set}\n"));
    folder.write("beams.jsonl", serde_json::json!({"idx": 1, "beam": PREDICTIONS}).to_string());
    for (path, db_ids) in [("database", &dbs[..]), ("dev_databases", &dbs[..]), (".", &["shop"])] {
        for db_id in db_ids {
            let file = match path {
                "." => folder.path(&format!("{db_id}.sqlite")),
                _ => folder.path(path).join(db_id).join(format!("{db_id}.sqlite")),
            };
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            let database = rusqlite::Connection::open(file).unwrap();
            database.execute_batch(DDL).unwrap();
            database
                .execute_batch(
                    "INSERT INTO singer VALUES (1, 'Ann', 30), (2, 'Ben', 19); INSERT INTO concert VALUES (1, 1, 2014), (2, 1, 2015);",
                )
                .unwrap();
        }
    }
    folder
}

/// The commands of the shell blocks of a page, each with the lines that belong to it.
fn commands(page: &str) -> Vec<String> {
    let (mut inside, mut open, mut found) = (false, String::new(), Vec::new());
    for line in page.lines() {
        match line.trim() {
            "```sh" => inside = true,
            "```" => inside = false,
            _ if inside => {
                open.push_str(line);
                open.push('\n');
                if !line.ends_with('\\') && shlex::split(&open).is_some() {
                    found.push(std::mem::take(&mut open));
                }
            }
            _ => {}
        }
    }
    found
}

fn run(page: &Page) {
    let text = std::fs::read_to_string(Path::new(ROOT).join(page.path)).unwrap();
    let folder = folder(page.db_id);
    let program = Path::new(env!("CARGO_BIN_EXE_twinql")).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
    let mut ran = 0;
    for command in commands(&text) {
        if page.without.iter().any(|word| command.contains(word)) {
            continue;
        }
        let mut shell = Command::new("sh");
        for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("TWINQL_")) {
            shell.env_remove(name);
        }
        let output = shell.args(["-c", &command]).env("PATH", &path).current_dir(folder.path("."));
        let output = output.stdin(std::process::Stdio::null()).output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        // 1 says that a check has failed, which on these files it may.
        assert!(matches!(output.status.code(), Some(0 | 1)), "{}: {command}{error}", page.path);
        ran += 1;
    }
    assert!(ran >= page.least, "{}: {ran} commands", page.path);
}

#[test]
fn commands_of_documents_run() {
    std::thread::scope(|scope| {
        for page in &PAGES {
            scope.spawn(|| run(page));
        }
    });
}
