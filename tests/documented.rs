//! Commands of the documents are run, on small files of the names that they use.
//!
//! `args/documented.rs` checks that all of them are understood. Here those run that need no hours, no network and no other
//! program.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::{DDL, Folder, walk, without_settings};
use serde_json::{Map, Value, json};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// What a page's commands take, and what is left out of it.
struct Page {
    path: &'static str,
    /// Words of commands that are not run: they train for long, need another program or the network, or do not end.
    without: &'static [&'static str],
    /// So many commands run at least.
    least: usize,
}

const fn page(path: &'static str, least: usize, without: &'static [&'static str]) -> Page {
    Page { path, without, least }
}

const PAGES: [Page; 12] = [
    page(
        "README.md",
        6,
        &["scripts/", "pip ", "cargo ", "corpus build", "train", "safetensors", "--against"],
    ),
    page("docs/audit.md", 7, &["cargo "]),
    page("docs/command-line.md", 27, COMMAND_LINE),
    page("docs/comparing.md", 2, &[]),
    page("docs/consistency.md", 3, &[]),
    page("docs/disagreements.md", 2, &["TWINQL_DATA"]),
    page("docs/esm.md", 1, &["cargo "]),
    page("docs/execution.md", 3, &["…"]),
    page("docs/metrics.md", 1, &[]),
    page("docs/profiles.md", 4, &["psql", "postgres://", "--pg-stats", "duckdb"]),
    page("docs/reranking.md", 3, &[]),
    page("docs/suites.md", 3, &[]),
];

const COMMAND_LINE: &[&str] = &[
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
];

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
        json!({
            "db_id": db_id,
            "table_names_original": ["singer", "concert"], "table_names": ["singer", "concert"],
            "column_names_original": [[-1, "*"], [0, "id"], [0, "name"], [0, "age"], [1, "id"], [1, "singer_id"], [1, "year"]],
            "column_names": [[-1, "*"], [0, "id"], [0, "name"], [0, "age"], [1, "id"], [1, "singer id"], [1, "year"]],
            "column_types": ["text", "number", "text", "number", "number", "number", "number"],
            "primary_keys": [1, 4], "foreign_keys": [[5, 1]],
        })
    };
    Value::from(db_ids.iter().map(one).collect::<Vec<_>>()).to_string()
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
    let answers =
        |sql: &&str| json!({"db_id": db_id, "question": "Which singers?", "evidence": "", "SQL": sql});
    folder.write("dev.json", Value::from(GOLDS.iter().map(answers).collect::<Vec<_>>()).to_string());
    for name in ["predictions.txt", "system_a.txt", "ours.txt", "runs/ours.txt", "pred.txt"] {
        folder.write(name, lines(&PREDICTIONS, ""));
    }
    for name in ["system_b.txt", "baseline.txt", "t5.txt", "runs/t5.txt", "novalues.txt"] {
        folder.write(name, lines(&GOLDS, ""));
    }
    folder.write("gold.txt", lines(&GOLDS, &format!("\t{db_id}")));
    let bird: Map<_, _> = (0..3)
        .map(|i| (i.to_string(), format!("{}\t----- bird -----\t{db_id}", PREDICTIONS[i]).into()))
        .collect();
    folder.write("predict_dev.json", Value::from(bird).to_string());
    let question = |i: usize| json!({"question_id": i, "db_id": db_id, "question": "?", "SQL": GOLDS[i], "query": GOLDS[i]});
    for name in ["dev.json", "train.json"] {
        folder.write(name, json!([0, 1, 2].map(question)).to_string());
    }
    // Transformed inputs are as many as relations apply; these predictions are by id.
    folder.write("dev_pred.sql", lines(&PREDICTIONS, ""));
    let transformed = json!({"id": "0.TS.0", "sql": PREDICTIONS[0]});
    folder.write("transformed_pred.sql", transformed.to_string());
    let pair = |i: usize| json!({"id": i, "db_id": db_id, "gold": GOLDS[i], "pred": PREDICTIONS[i], "label": i32::from(i != 1)});
    let pairs: String = (0..3).map(|i| format!("{}\n", pair(i))).collect();
    for name in
        ["pairs.jsonl", "labelled.jsonl", "predictions.jsonl", "executed.jsonl", "spider_pair_dev.jsonl"]
    {
        folder.write(name, &pairs);
    }
    folder.write("spider_pair_dev.adjudicated.json", r#"{"0": 1, "1": 0, "2": 1}"#);
    for name in ["ours", "t5"] {
        let verdicts: String = (1..=3).map(|i| format!("{{\"id\": {i}, \"score\": {}}}\n", i % 2)).collect();
        folder.write(&format!("verdicts/{name}.jsonl"), verdicts);
    }
    folder.write("school.sql", "CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT, age INTEGER);");
    for (name, text) in [
        ("shop.sql", DDL),
        ("warehouse.sql", DDL),
        ("old.sql", &GOLDS.join(";\n")),
        ("new.sql", &GOLDS.join(";\n")),
        ("models.before/orders.sql", GOLDS[0]),
        ("models/orders.sql", GOLDS[0]),
    ] {
        folder.write(name, text);
    }
    let set = json!({"id": 0, "db_id": db_id, "candidates": PREDICTIONS});
    folder.write("candidates.jsonl", format!("{set}\n"));
    folder.write("beams.jsonl", json!({"idx": 1, "beam": PREDICTIONS}).to_string());
    let rows = "INSERT INTO singer VALUES (1, 'Ann', 30), (2, 'Ben', 19);
        INSERT INTO concert VALUES (1, 1, 2014), (2, 1, 2015);";
    let of = |folder: &'static str| dbs.map(|db_id| format!("{folder}/{db_id}/{db_id}.sqlite"));
    for file in [of("database"), of("dev_databases")].concat().iter().chain([&"shop.sqlite".to_owned()]) {
        folder.database(file, &format!("{DDL}{rows}"));
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
    let folder = folder(if page.path == "docs/profiles.md" { "shop" } else { "concert_singer" });
    let program = Path::new(env!("CARGO_BIN_EXE_twinql")).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
    let mut ran = 0;
    for command in commands(&text) {
        if page.without.iter().any(|word| command.contains(word)) {
            continue;
        }
        let mut shell = Command::new("sh");
        without_settings(&mut shell);
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

/// The pages of the repository: those at its top, of `docs/` and of `experiments/`, and every README.
fn pages() -> Vec<PathBuf> {
    let root = Path::new(ROOT);
    let mut found: Vec<PathBuf> =
        std::fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path()).collect();
    for folder in ["checkpoints", "crates", "data", "docs", "experiments", "python", "scripts"] {
        walk(&root.join(folder), &mut |path, _| {
            if matches!(folder, "docs" | "experiments") || path.ends_with("README.md") {
                found.push(path);
            }
        });
    }
    found.retain(|path| path.extension().is_some_and(|e| e == "md"));
    found
}

/// The lines of a page that are not code.
fn prose(page: &str) -> impl Iterator<Item = &str> {
    let mut inside = false;
    page.lines().filter(move |line| {
        let fence = line.trim_start().starts_with("```");
        inside ^= fence;
        !inside && !fence
    })
}

/// What links may lead to on a page: its headings as GitHub names them, where the second of one name ends in `-1`, and
/// marks.
fn anchors(page: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for line in prose(page) {
        if let Some(mark) = line.strip_prefix("<a id=\"").and_then(|rest| rest.split('"').next()) {
            found.push(mark.to_owned());
        }
        if !line.starts_with('#') {
            continue;
        }
        let heading = line.trim_start_matches('#').trim().to_lowercase().replace(' ', "-");
        let kept = heading.chars().filter(|c| c.is_alphanumeric() || matches!(c, '-' | '_'));
        let name: String = kept.collect();
        let before = found.iter().filter(|other| **other == name).count();
        found.push(name.clone());
        if before > 0 {
            found.push(format!("{name}-{before}"));
        }
    }
    found
}

#[test]
fn links_of_documents_lead_somewhere() {
    let (mut dead, mut followed) = (Vec::new(), 0);
    for page in pages() {
        let text = std::fs::read_to_string(&page).unwrap();
        for (_, after) in
            prose(&text).flat_map(|line| line.match_indices("](").map(|(at, _)| line.split_at(at + 2)))
        {
            let link = after.split([')', ' ']).next().unwrap();
            if link.contains(':') {
                continue;
            }
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let file = if file.is_empty() { page.clone() } else { page.parent().unwrap().join(file) };
            let is_page = file.extension().is_some_and(|e| e == "md");
            let marked = || anchors(&std::fs::read_to_string(&file).unwrap()).iter().any(|a| a == anchor);
            if !file.exists() || (!anchor.is_empty() && is_page && !marked()) {
                dead.push(format!("{}: {link}", page.display()));
            }
            followed += 1;
        }
    }
    assert!(dead.is_empty() && followed > 300, "{followed} links, dead are {dead:#?}");
}
