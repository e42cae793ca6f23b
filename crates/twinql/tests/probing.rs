//! What a probe does to the scores of `gmn`.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use serde_json::Value;
use twinql::metrics::{GMN, TWO_TIER};
use twinql::record::{Record, Status};
use twinql::{Engine, Job, Schema, Work};

const DDL: &str = "CREATE TABLE club (id INTEGER PRIMARY KEY, name TEXT NOT NULL, city TEXT NOT NULL);
    CREATE TABLE member (id INTEGER PRIMARY KEY, club_id INTEGER NOT NULL REFERENCES club (id), name TEXT NOT NULL,
        joined INTEGER NOT NULL);";

fn jobs<'q>(pairs: impl IntoIterator<Item = (&'q str, &'q str)>) -> Vec<Job> {
    let schema = Arc::new(Schema::from_ddl("clubs", DDL).unwrap());
    let job = |(gold, pred): (&str, &str)| {
        Job::new(
            Value::Null,
            Work::Pair { schema: Arc::clone(&schema), gold: gold.into(), pred: pred.into() },
        )
    };
    pairs.into_iter().map(job).collect()
}

fn scored(jobs: &[Job], probes: impl Into<Option<u64>>) -> Vec<Record> {
    Engine::builder().metric(&GMN).probes(probes).build().unwrap().score(jobs)
}

fn detail<'r>(record: &'r Record, key: &str) -> Option<&'r Value> {
    record.details.get("gmn")?.get(key)
}

/// Each differs from its partner in a small thing that rows show.
const NEAR: [(&str, &str); 5] = [
    ("SELECT name FROM member WHERE joined > 2010", "SELECT name FROM member WHERE joined >= 2010"),
    (
        "SELECT name FROM member ORDER BY joined DESC LIMIT 3",
        "SELECT name FROM member ORDER BY joined DESC LIMIT 4",
    ),
    ("SELECT DISTINCT city FROM club", "SELECT city FROM club"),
    (
        "SELECT c.name, count(m.id) FROM club c LEFT JOIN member m ON m.club_id = c.id GROUP BY c.id",
        "SELECT c.name, count(*) FROM club c LEFT JOIN member m ON m.club_id = c.id GROUP BY c.id",
    ),
    ("SELECT name FROM member", "SELECT * FROM (SELECT name FROM member) LIMIT 10"),
];

/// Written in two ways that no rule makes alike.
const ALIKE: (&str, &str) = (
    "SELECT name FROM club WHERE (SELECT count(*) FROM member WHERE club_id = club.id) >= 2",
    "SELECT name FROM club WHERE id IN (SELECT a.club_id FROM member a, member b WHERE a.club_id = b.club_id AND a.id < b.id)",
);

#[test]
fn a_difference_settles_a_pair() {
    let jobs = jobs(NEAR);
    for (record, (gold, pred)) in scored(&jobs, None).iter().zip(NEAR) {
        assert!(record.score("gmn").unwrap() <= 0.01, "{gold} | {pred}: {record:?}");
        assert_eq!(detail(record, "refuted"), Some(&Value::Bool(true)), "{gold} | {pred}");
        assert_eq!(detail(record, "differ"), Some(&1.into()), "{gold} | {pred}");
    }
}

#[test]
fn what_agrees_is_told_and_counts() {
    let jobs = jobs([ALIKE]);
    let [probed, alone] = [None, Some(0)].map(|probes: Option<u64>| scored(&jobs, probes).remove(0));
    assert_eq!(detail(&probed, "differ"), Some(&0.into()), "{probed:?}");
    assert!(detail(&probed, "agree").and_then(Value::as_u64).is_some_and(|n| n > 6), "{probed:?}");
    assert_eq!(detail(&alone, "agree"), None);
    assert!(probed.score("gmn") > alone.score("gmn"), "{probed:?} {alone:?}");
    assert_eq!(detail(&probed, "distance"), detail(&alone, "distance"));
}

/// Functions that the network has hardly read of, and rows tell apart.
#[test]
fn functions_are_evaluated() {
    for (gold, pred) in [
        ("SELECT ceil(joined / 4.0) FROM member", "SELECT floor(joined / 4.0) FROM member"),
        ("SELECT sqrt(joined) FROM member", "SELECT exp(joined) FROM member"),
        ("SELECT hex(name) FROM member", "SELECT quote(name) FROM member"),
        ("SELECT ntile(2) OVER (ORDER BY id) FROM member", "SELECT ntile(3) OVER (ORDER BY id) FROM member"),
        ("SELECT json_array(name, joined) FROM member", "SELECT json_array(joined, name) FROM member"),
    ] {
        let record = scored(&jobs([(gold, pred)]), None).remove(0);
        assert_eq!(detail(&record, "refuted"), Some(&Value::Bool(true)), "{gold} | {pred}: {record:?}");
    }
}

#[test]
fn of_functions_that_no_row_shows_nothing_is_called_the_same() {
    let (gold, pred) = ("SELECT ceil(joined / 4.0) FROM member", "SELECT floor(joined / 4.0) FROM member");
    let unseen = "SELECT id FROM member WHERE name REGEXP 'a'";
    let unknown = "differs in functions that are not known:";
    for (pair, probes, names) in [
        ((gold, pred), Some(0), "ceil, floor"),
        ((unseen, "SELECT id FROM member WHERE name MATCH 'a'"), None, "REGEXP, MATCH"),
    ] {
        let metrics = [&GMN, &TWO_TIER];
        let engine = Engine::builder().metrics(metrics).probes(probes).build().unwrap();
        let record = engine.score(&jobs([pair])).remove(0);
        for metric in engine.metrics() {
            let Some(score) = record.score(metric.name) else { panic!("{record:?}") };
            assert!(score < engine.threshold(metric), "{pair:?}: {record:?}");
            let said = &record.details[metric.name]["unknown"];
            assert_eq!(said, &Value::from(format!("{unknown} {names}")), "{record:?}");
        }
    }
    let alike =
        scored(&jobs([("SELECT upper(name) FROM member", "SELECT upper(name) FROM member m")]), Some(0));
    assert_eq!(detail(&alike[0], "unknown"), None);
}

/// A network was not trained for `declared`: forms and databases follow it all the same.
#[test]
fn forms_and_databases_follow_the_semantics_asked_for() {
    let ddl = "CREATE TABLE person (id INTEGER, email TEXT)";
    let schema = Arc::new(Schema::from_ddl("people", ddl).unwrap());
    let counted = |what: &str| format!("SELECT email FROM person GROUP BY email HAVING COUNT({what}) > 1");
    let work = Work::Pair { schema, gold: counted("email"), pred: counted("id") };
    let job = [Job::new(Value::Null, work)];
    for (semantics, same) in [("default", true), ("declared", false), ("strict", false)] {
        let engine = Engine::builder()
            .metrics([&GMN, &TWO_TIER])
            .semantics(semantics.parse().unwrap())
            .build()
            .unwrap();
        let record = engine.score(&job).remove(0);
        for metric in engine.metrics() {
            let score = record.score(metric.name).unwrap();
            assert_eq!(score >= engine.threshold(metric), same, "{semantics}: {record:?}");
            let signature = engine.signature(metric).to_string();
            assert!(signature.contains(&format!("|semantics:{semantics}|")), "{signature}");
            assert_eq!(signature.contains("|network:strict"), semantics == "declared", "{signature}");
        }
        assert_eq!(detail(&record, "identical"), Some(&Value::Bool(same)), "{semantics}");
    }
}

#[test]
fn threads_and_partners_in_a_batch_change_nothing() {
    let together = jobs(NEAR.into_iter().chain([ALIKE]));
    let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    let of = |threads: usize| pool(threads).install(|| scored(&together, None));
    let all = of(1);
    assert_eq!(all, of(4));
    let alone: Vec<Record> =
        together.iter().flat_map(|job| scored(std::slice::from_ref(job), None)).collect();
    assert_eq!(all, alone);
}

/// Long, deep and endless ones cost themselves, and nothing but their answer is lost.
#[test]
fn hostile_queries_cost_little() {
    let deep = format!("SELECT {}1{} FROM member", "(".repeat(60), "+1)".repeat(60));
    let nested = (0..40).fold("SELECT id FROM member".to_owned(), |sql, _| format!("SELECT * FROM ({sql})"));
    let joined = format!(
        "SELECT count(*) FROM {}",
        (0..12).map(|i| format!("member m{i}")).collect::<Vec<_>>().join(", ")
    );
    let doubled = (0..30)
        .fold("name".to_owned(), |sql, _| format!("replace({sql}, 'a', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa')"));
    let doubled = format!("SELECT {doubled} FROM member");
    let long = format!(
        "SELECT name FROM member WHERE {}",
        vec!["joined > 1"; 400].join(" OR name LIKE '%a%b%c%' AND ")
    );
    let printed =
        "SELECT printf('%.*c', 60000, 'x') || quote(hex(zeroblob(30000))) FROM member a, member b, member c";
    let patterns = "SELECT pg_regexp(name, '(\\w{50}){20}' || id, 'c') FROM member";
    let endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n";
    let correlated = "SELECT name FROM member a WHERE EXISTS (SELECT 1 FROM member b WHERE b.id > a.id AND EXISTS
        (SELECT 1 FROM member c WHERE c.id > b.id AND EXISTS (SELECT 1 FROM member d WHERE d.id > c.id AND EXISTS
        (SELECT 1 FROM member e, member f, member g WHERE e.id > d.id))))";
    let hostile = [deep.as_str(), &nested, &joined, &doubled, &long, printed, patterns, endless, correlated];
    let gold = "SELECT name FROM member";
    let pairs = hostile.iter().flat_map(|sql| [(gold, *sql), (*sql, gold)]);
    let records = scored(&jobs(pairs.chain([(gold, gold)])), None);
    assert_eq!(records.len(), 2 * hostile.len() + 1);
    for record in &records {
        let answered = record.score("gmn").is_some_and(|p| (0.0..=1.0).contains(&p));
        assert!(answered || record.status != Status::Ok, "{record:?}");
    }
    assert!(records.last().unwrap().score("gmn").unwrap() > 0.9);
}
