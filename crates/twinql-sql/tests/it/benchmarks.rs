//! How many rewrite pairs of the provers' benchmarks are proved, under what their schemas declare and nothing else: read as
//! SQLite has them, and as standard SQL.

use std::collections::BTreeMap;

use crate::common::real;
use twinql_sql::{Dialect, Proof, Schema, Semantics, canonicalize, explain, in_sqlite, prove};

/// A benchmark, and how many of its pairs are proved at least, read as SQLite has them and as standard SQL.
const FLOORS: [(&str, usize, usize); 4] = [
    ("calcite_sqlsolver_232", 191, 207),
    ("spark_sqlsolver", 119, 119),
    ("tpch_spark_sqlsolver", 6, 12),
    ("tpcc_spark_sqlsolver", 19, 19),
];

#[derive(Default)]
struct Counts {
    pairs: usize,
    proved: usize,
    unplanned: BTreeMap<String, usize>,
}

/// TWINQL_LIST=calcite lists the pairs of that benchmark that are not proved.
fn list(file: &str) -> bool {
    std::env::var("TWINQL_LIST").is_ok_and(|l| !l.is_empty() && file.starts_with(&l))
}

fn check(file: &str, rows: &[serde_json::Value], semantics: &Semantics, dialect: Dialect) -> Counts {
    let mut counts = Counts::default();
    let only = std::env::var("TWINQL_ONLY").ok();
    let only: Option<Vec<&str>> = only.as_deref().map(|o| o.split(',').collect());
    for row in rows {
        let id = row["id"].to_string();
        if only.as_ref().is_some_and(|o| !o.contains(&id.as_str())) {
            continue;
        }
        counts.pairs += 1;
        let (one, two) = (row["sql1"].as_str().unwrap(), row["sql2"].as_str().unwrap());
        let shown = format!("{file} {dialect} {id} {}\n  {one}\n  {two}", row["name"].as_str().unwrap_or(""));
        let schema = Schema::from_ddl(file, row["schema"].as_str().unwrap()).unwrap();
        // As the program has it: in SQLite's words.
        let texts =
            in_sqlite(&schema, one, dialect).and_then(|one| Ok((one, in_sqlite(&schema, two, dialect)?)));
        let found = texts.map_err(|why| why.to_string()).and_then(|(one, two)| {
            let proof = prove(&schema, &one, &two, semantics).map_err(|why| why.to_string())?;
            Ok((one, two, proof))
        });
        let (one, two, proof) = match found {
            Ok(found) => found,
            Err(why) => {
                if list(file) {
                    println!("UNPLANNED {shown}\n  {why}\n");
                }
                *counts.unplanned.entry(why).or_default() += 1;
                continue;
            }
        };
        let proved = matches!(proof, Proof::Equal(_));
        counts.proved += usize::from(proved);
        if list(file) && (!proved || only.is_some()) {
            let form = |sql: &str| canonicalize(&schema, sql, semantics).unwrap();
            let (a, b) = (form(&one), form(&two));
            let trees = [explain::tree(&schema, &a.plan), explain::tree(&schema, &b.plan)].concat();
            let rules: Vec<_> = a.applied.iter().chain(&b.applied).collect();
            println!("{} {shown}\n{trees}{rules:?}\n", proof.name());
        }
    }
    counts
}

#[test]
fn rewrite_pairs_are_proved() {
    let Some(data) = real::data() else { return };
    let preset = std::env::var("TWINQL_PRESET").unwrap_or_else(|_| "declared".into());
    let semantics = Semantics::preset(&preset).unwrap();
    let mut short = Vec::new();
    for (file, floor, standard) in FLOORS {
        let rows = real::rows(&data.join("equivalence").join(file).with_extension("jsonl"));
        for (dialect, floor) in [(Dialect::Sqlite, floor), (Dialect::Generic, standard)] {
            let counts = check(file, &rows, &semantics, dialect);
            println!(
                "{file}, {dialect}: {} of {} proved, {} not planned {:?}",
                counts.proved,
                counts.pairs,
                counts.unplanned.values().sum::<usize>(),
                counts.unplanned,
            );
            if counts.proved < floor && std::env::var("TWINQL_ONLY").is_err() {
                short.push(format!("{file}, {dialect}: {} proved, not {floor}", counts.proved));
            }
        }
    }
    assert!(short.is_empty(), "{}", short.join("; "));
}
