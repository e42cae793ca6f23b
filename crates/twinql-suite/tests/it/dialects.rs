//! The pairs of `data/dialects`, over schemas as pg_dump and mysqldump write them: how many
//! are read, how many are judged, and that no proof and few verdicts contradict a label.

mod bigquery;
mod duckdb;
mod executed;
mod oracle;
mod servers;
mod snowflake;
mod tsql;
mod warehouses;

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::Value as Json;
use twinql_sql::prove::{Proof, prove};
use twinql_sql::{Dialect, Schema, Semantics, in_sqlite, schema};
use twinql_suite::{Judge, JudgeConfig, Verdict};

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../data/dialects")
}

/// What became of the pairs of one dialect.
#[derive(Debug, Default)]
struct Tally {
    pairs: usize,
    /// Both queries have a plan, and one in SQLite's terms.
    read: usize,
    proved: usize,
    /// The suite gave a verdict, on a database where the gold's answer had a row if it is 'same'.
    judged: usize,
    right: usize,
    /// Proofs that contradict a label.
    false_proofs: Vec<String>,
    /// What fell short, for people.
    notes: Vec<String>,
}

fn tally(dialect: Dialect) -> Tally {
    let schemas: BTreeMap<String, Schema> =
        schema::load_in(folder().join(dialect.name()), dialect).unwrap().into_iter().collect();
    let semantics = Semantics::preset("declared").unwrap();
    let judges: BTreeMap<&String, Judge> = schemas
        .iter()
        .map(|(id, schema)| {
            let config = JudgeConfig { semantics: semantics.clone(), ..JudgeConfig::default() };
            (id, Judge::new(schema, config).unwrap())
        })
        .collect();
    let text = std::fs::read_to_string(folder().join(format!("{dialect}.jsonl"))).unwrap();
    let mut tally = Tally::default();
    for line in text.lines() {
        let pair: Json = serde_json::from_str(line).unwrap();
        let field = |name: &str| pair[name].as_str().unwrap().to_owned();
        let (id, label) = (field("id"), pair["label"].as_u64().unwrap());
        let schema = &schemas[&field("db_id")];
        tally.pairs += 1;
        let translated = [field("gold"), field("pred")].map(|sql| in_sqlite(schema, &sql, dialect));
        let [Ok(gold), Ok(pred)] = &translated else {
            tally.notes.push(format!("{id} is not read: {translated:?}"));
            continue;
        };
        let proof = match prove(schema, gold, pred, &semantics) {
            Ok(proof) => proof,
            Err(error) => {
                tally.notes.push(format!("{id} has no plan in SQLite: {error}: {gold} | {pred}"));
                continue;
            }
        };
        tally.read += 1;
        let proved = match proof {
            Proof::Equal(_) => Some(1),
            Proof::Different(_) => Some(0),
            Proof::Unknown(_) => None,
        };
        if let Some(proved) = proved {
            tally.proved += 1;
            if proved != label {
                tally.false_proofs.push(format!("{id} is labelled {label}: {gold} | {pred}"));
            }
        }
        let verdict = judges[&field("db_id")].judge(gold, pred);
        let said = match &verdict {
            // Equal texts in SQLite need no database.
            Verdict::Same { nonempty: 0, .. } => proved,
            Verdict::Same { .. } => Some(1),
            Verdict::Different { .. } => Some(0),
            _ => None,
        };
        match said {
            Some(said) => {
                tally.judged += 1;
                if said == label {
                    tally.right += 1;
                } else {
                    tally.notes.push(format!("{id} is labelled {label}: {gold} | {pred}: {verdict:?}"));
                }
            }
            None => tally.notes.push(format!("{id} is not judged: {gold} | {pred}: {verdict:?}")),
        }
    }
    println!(
        "{dialect}: {} pairs, {} read, {} proved, {} judged, {} of them right",
        tally.pairs, tally.read, tally.proved, tally.judged, tally.right
    );
    for note in &tally.notes {
        println!("  {}", note.chars().take(1_500).collect::<String>());
    }
    tally
}

#[test]
fn pairs_of_postgresql_are_read_and_judged() {
    let tally = tally(Dialect::Postgres);
    assert_eq!(tally.false_proofs, Vec::<String>::new());
    assert_eq!(tally.pairs, 60);
    assert!(tally.read >= 57, "{}", tally.read);
    assert!(tally.judged >= 54, "{}", tally.judged);
}

#[test]
fn pairs_of_mysql_are_read_and_judged() {
    let tally = tally(Dialect::Mysql);
    assert_eq!(tally.false_proofs, Vec::<String>::new());
    assert_eq!(tally.pairs, 30);
    assert!(tally.read >= 29, "{}", tally.read);
    assert!(tally.judged >= 27, "{}", tally.judged);
}
