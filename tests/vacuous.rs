//! Pairs that ask for what a semantics rules out, through every metric.

use std::sync::Arc;

use crate::support::{Folder, one_pair};
use serde_json::{Value, json};
use twinql::metrics::{GMN, SUITE, metric};
use twinql::sql::semantics::PRESETS;
use twinql::{Engine, Job, Schema, Semantics, Work};

const TABLE: &str = include_str!("../data/vacuous.tsv");
const DDL: &str = include_str!("../data/schemas/town_library.sql");
const LETTERS: [char; 6] = ['d', 'n', 's', 'b', 'e', 't'];

struct Line {
    name: &'static str,
    equal: &'static str,
    vacuous: &'static str,
    judged: Vec<char>,
    job: Job,
}

fn table() -> Vec<Line> {
    let schema = Arc::new(Schema::from_ddl("town_library", DDL).unwrap());
    let lines = TABLE.lines().filter(|l| !l.starts_with('#'));
    lines
        .map(|line| {
            let [name, equal, vacuous, judged, gold, pred] = line.split('\t').collect::<Vec<_>>()[..] else {
                panic!("{line}");
            };
            Line {
                name,
                equal,
                vacuous,
                judged: judged.chars().collect(),
                job: Job::new(
                    name.into(),
                    Work::Pair { schema: Arc::clone(&schema), gold: gold.into(), pred: pred.into() },
                ),
            }
        })
        .collect()
}

#[test]
fn no_metric_calls_vacuous_pairs_the_same() {
    let metrics: Vec<_> =
        ["gmn", "relpm", "proof", "two-tier", "three-tier"].map(|m| metric(m).unwrap()).into();
    let lines = table();
    let jobs: Vec<Job> = lines.iter().map(|l| l.job.clone()).collect();
    let mut wrong = Vec::new();
    let mut checked = 0;
    for (letter, preset) in LETTERS.into_iter().zip(PRESETS) {
        let semantics = Semantics::preset(preset).unwrap();
        let engine = Engine::builder().metrics(metrics.clone()).semantics(semantics).build().unwrap();
        for (line, record) in lines.iter().zip(engine.score(&jobs)) {
            let (equal, vacuous) = (line.equal.contains(letter), line.vacuous.contains(letter));
            for metric in engine.metrics() {
                if engine.semantics_of(metric).name != preset {
                    continue;
                }
                checked += 1;
                let marked = record.details.get(metric.name).and_then(|d| d.get("vacuous"))
                    == Some(&Value::Bool(true));
                let score = record.score(metric.name).unwrap();
                let same = score >= engine.threshold(metric);
                // A proof that two queries differ does not look for what empties them.
                let different = metric.name == "proof" && score == 0.0;
                if marked != vacuous && !different || equal && !same || vacuous && !equal && same {
                    wrong.push(format!("{} {preset} {}: {score}, vacuous {marked}", line.name, metric.name));
                }
            }
        }
    }
    assert!(checked > 1000, "{checked}");
    assert!(wrong.is_empty(), "{} of {checked}\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn verdicts_of_the_suite() {
    let lines = table();
    let jobs: Vec<Job> = lines.iter().map(|l| l.job.clone()).collect();
    let mut found: Vec<String> = vec![String::new(); lines.len()];
    for preset in PRESETS {
        let builder = Engine::builder().metric(&SUITE);
        let engine = builder.semantics(Semantics::preset(preset).unwrap()).build().unwrap();
        for (found, record) in found.iter_mut().zip(engine.score(&jobs)) {
            found.push(match record.details["suite"]["verdict"].as_str().unwrap() {
                "same" => '=',
                "different" => 'x',
                "untested" => 'u',
                other => panic!("{}: {other}", record.id),
            });
        }
    }
    let wrong: Vec<String> = lines
        .iter()
        .zip(&found)
        .filter(|(line, found)| line.judged != found.chars().collect::<Vec<_>>())
        .map(|(line, found)| format!("{}: {found}", line.name))
        .collect();
    assert!(wrong.is_empty(), "{} of {}\n{}", wrong.len(), lines.len(), wrong.join("\n"));
}

/// Pairs that differ and that `small` calls the same under some semantics, since no database of its probe shows the
/// difference.
const MISSED: [&str; 3] = ["coalesced_sum", "null_arm", "some_branch"];

/// What a database tells apart the network, too, calls different, under every semantics that it answers for.
#[test]
fn the_network_tells_them_apart() {
    let lines = table();
    let jobs: Vec<Job> = lines.iter().map(|l| l.job.clone()).collect();
    let mut missed: Vec<&str> = Vec::new();
    let mut told = 0;
    for (i, preset) in PRESETS.into_iter().enumerate() {
        let semantics = Semantics::preset(preset).unwrap();
        let engine = Engine::builder().metric(&GMN).semantics(semantics).build().unwrap();
        let gmn = engine.metrics()[0];
        if engine.semantics_of(gmn).name != preset {
            continue;
        }
        for (line, record) in lines.iter().zip(engine.score(&jobs)).filter(|(line, _)| line.judged[i] == 'x')
        {
            match record.score(gmn.name).unwrap() < engine.threshold(gmn) {
                true => told += 1,
                false => missed.push(line.name),
            }
        }
    }
    let new: Vec<&&str> = missed.iter().filter(|name| !MISSED.contains(name)).collect();
    assert!(new.is_empty(), "{new:?}");
    let better: Vec<&&str> = MISSED.iter().filter(|name| !missed.contains(name)).collect();
    assert!(better.is_empty(), "no longer missed: {better:?}");
    assert!(told >= 280, "{told}");
}

#[test]
fn a_single_pair_says_what_it_asks_for_in_vain() {
    let folder = Folder::with(
        "concerts.sql",
        "CREATE TABLE singer (id INTEGER PRIMARY KEY, name TEXT NOT NULL, age INTEGER);",
    );
    let pair = [
        "SELECT name FROM singer GROUP BY name HAVING COUNT(age) < COUNT(*)",
        "SELECT id FROM singer WHERE age IS NULL AND name = 'x'",
    ];
    let sentence = "vacuous: the gold, or a part of it, is empty or constant under default: it asks for NULLs \
                    beyond those that the gold's text asks for, which this semantics does not have; --semantics declared has them";
    for command in ["score", "prove", "explain"] {
        let metric: &[&str] = if command == "score" { &["--metric", "gmn,relpm,proof"] } else { &[] };
        let args = match command {
            "score" => one_pair(command, pair, metric),
            _ => [&[command, pair[0], pair[1]][..], &crate::support::SCHEMAS].concat(),
        };
        let (out, _) = folder.run(&args, 0);
        assert!(out.contains(sentence), "{command}: {out}");
        assert_eq!(out.matches(sentence).count(), 1, "{command}: {out}");
        let (out, _) = folder.run(&[&args[..], &["--semantics", "strict"]].concat(), 0);
        assert!(!out.contains("vacuous"), "{command}: {out}");
    }
    let args = one_pair("score", pair, &["--metric", "gmn", "--format", "jsonl"]);
    let record: Value = serde_json::from_str(folder.run(&args, 0).0.trim()).unwrap();
    assert_eq!(record["details"]["gmn"]["vacuous"], json!(true));
    assert_eq!(record["details"]["gmn"]["vacuous_by"], json!({"gold": ["no_nulls"], "pred": ["no_nulls"]}));
}

/// 300 disjunctions with their conjuncts exchanged: equal forms, and larger than a graph may be.
#[test]
fn equal_forms_beyond_the_size_of_a_graph_are_the_same() {
    let schema = Arc::new(
        Schema::from_ddl("pets", "CREATE TABLE pet (id INTEGER PRIMARY KEY, name TEXT, age INTEGER);")
            .unwrap(),
    );
    let query = |f: &dyn Fn(usize) -> String| {
        let arms: Vec<String> = (0..300).map(f).collect();
        format!("SELECT name FROM pet WHERE {}", arms.join(" OR "))
    };
    let gold = query(&|i| format!("age = {i} AND name = 'n{i}'"));
    let swapped = query(&|i| format!("name = 'n{i}' AND {i} = age"));
    let other = query(&|i| format!("name = 'n{i}' AND {} = age", i + usize::from(i == 299)));
    let job = |pred: String| {
        Job::new("0".into(), Work::Pair { schema: Arc::clone(&schema), gold: gold.clone(), pred })
    };
    let metrics: Vec<_> = ["gmn", "relpm", "proof", "two-tier"].map(|m| metric(m).unwrap()).into();
    let engine = Engine::builder().metrics(metrics).build().unwrap();
    let small = |pred: &str| {
        Job::new(
            "1".into(),
            Work::Pair {
                schema: Arc::clone(&schema),
                gold: "SELECT name FROM pet".into(),
                pred: pred.into(),
            },
        )
    };
    let records = engine.score(&[job(swapped), job(other), small("SELECT p.name FROM pet p")]);
    for metric in engine.metrics() {
        let [equal, top] = [0, 2].map(|i| records[i].score(metric.name).unwrap());
        assert_eq!(equal, top, "{}", metric.name);
        // What cannot be read is not the same, and not different either.
        let differing = records[1].score(metric.name).filter(|_| metric.name != "proof");
        assert_eq!(differing, None, "{}", metric.name);
    }
    assert_eq!(records[0].status, twinql::Status::Ok, "{:?}", records[0].error);
    // A proof is looked for all the same, so the pair is only unread for the others.
    assert_eq!(records[1].status, twinql::Status::Ok);
    assert_eq!(records[1].status_of("gmn"), twinql::Status::Unsupported);
}
