//! How many rewrite pairs of the prover benchmarks have equal canonical forms, under what
//! their schemas declare and nothing else.

use std::collections::BTreeMap;

use crate::common::real;
use twinql_sql::{Canonical, Schema, Semantics, canonicalize, explain};

/// A benchmark, and how many of its pairs are proved at least.
const FLOORS: [(&str, usize); 4] = [
    ("calcite_sqlsolver_232", 190),
    ("spark_sqlsolver", 98),
    ("tpch_spark_sqlsolver", 5),
    ("tpcc_spark_sqlsolver", 19),
];

#[derive(Default)]
struct Counts {
    pairs: usize,
    proved: usize,
    unplanned: BTreeMap<String, usize>,
    incomplete: usize,
}

/// TWINQL_LIST=calcite lists the pairs of that benchmark that are not proved.
fn list(file: &str) -> bool {
    std::env::var("TWINQL_LIST").is_ok_and(|l| !l.is_empty() && file.starts_with(&l))
}

fn check(file: &str, rows: &[serde_json::Value], semantics: &Semantics) -> Counts {
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
        let shown = format!("{file} {id} {}\n  {one}\n  {two}", row["name"].as_str().unwrap_or(""));
        let forms: Result<Vec<(Schema, Canonical)>, String> = [one, two]
            .into_iter()
            .map(|sql| {
                let schema = Schema::from_ddl(file, row["schema"].as_str().unwrap())
                    .map_err(|e| format!("schema: {e}"))?;
                let form = canonicalize(&schema, sql, semantics).map_err(|e| e.to_string())?;
                Ok((schema, form))
            })
            .collect();
        let forms = match forms {
            Ok(forms) => forms,
            Err(why) => {
                if list(file) {
                    println!("UNPLANNED {shown}\n  {why}\n");
                }
                *counts.unplanned.entry(why).or_default() += 1;
                continue;
            }
        };
        let [(schema, a), (_, b)] = forms.as_slice() else {
            continue;
        };
        counts.incomplete += usize::from(!a.complete) + usize::from(!b.complete);
        let equal = a.plan.query == b.plan.query;
        counts.proved += usize::from(equal);
        if list(file) && (!equal || only.is_some()) {
            println!(
                "{} {shown}\n{}{}{:?}\n",
                if equal { "PROVED" } else { "MISSED" },
                explain::tree(schema, &a.plan),
                explain::tree(schema, &b.plan),
                a.applied.iter().chain(&b.applied).collect::<Vec<_>>()
            );
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
    for (file, floor) in FLOORS {
        let rows = real::rows(&data.join("equivalence").join(file).with_extension("jsonl"));
        let counts = check(file, &rows, &semantics);
        println!(
            "{file}: {} of {} proved, {} not planned {:?}, {} incomplete",
            counts.proved,
            counts.pairs,
            counts.unplanned.values().sum::<usize>(),
            counts.unplanned,
            counts.incomplete
        );
        if counts.proved < floor && std::env::var("TWINQL_ONLY").is_err() {
            short.push(format!("{file}: {} proved, not {floor}", counts.proved));
        }
    }
    assert!(short.is_empty(), "{}", short.join("; "));
}
