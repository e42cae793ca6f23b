//! No database tells two queries apart whose canonical forms are equal: normalisation and
//! execution are two ways to the same truth, and neither reads the other.
//!
//! Over Spider's test queries and systems' predictions; `TWINQL_PROVED_STEP=1` takes them
//! all (minutes), `TWINQL_PROVED_DATABASES` says on how many databases each pair runs.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use twinql_sql::{Dialect, Schema, Semantics, canonicalize, in_sqlite};
use twinql_suite::{Judge, JudgeConfig, Verdict};

fn number(name: &str, or: usize) -> usize {
    std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(or)
}

#[derive(Debug, Default)]
struct Counts {
    pairs: usize,
    unplanned: usize,
    proved: usize,
    same: usize,
    undecided: usize,
}

/// What tells the pair apart although its forms are equal.
fn refute(judge: &Judge, schema: &Schema, gold: &str, pred: &str, counts: &mut Counts) -> Option<String> {
    let semantics = &judge.config().semantics;
    counts.pairs += 1;
    let forms = (canonicalize(schema, gold, semantics), canonicalize(schema, pred, semantics));
    let (Ok(one), Ok(two)) = forms else {
        counts.unplanned += 1;
        return None;
    };
    if one.plan.query != two.plan.query {
        return None;
    }
    counts.proved += 1;
    match judge.judge(gold, pred) {
        Verdict::Same { .. } => counts.same += 1,
        Verdict::Different { witness } => {
            let form = twinql_sql::print::to_sql(schema, &one.plan).unwrap();
            return Some(format!(
                "{} under {semantics}\n gold {gold}\n pred {pred}\n form {form}\n rules {:?} / {:?}\n gold {:?}\n pred {:?}\n{}",
                schema.db_id,
                one.applied,
                two.applied,
                witness.gold_rows,
                witness.pred_rows,
                witness.statements
            ));
        }
        _ => counts.undecided += 1,
    }
    None
}

#[test]
fn equal_forms_are_never_told_apart() {
    let Ok(data) = std::env::var("TWINQL_DATA") else {
        println!("skipped: TWINQL_DATA is not set");
        return;
    };
    let data = Path::new(&data);
    let schemas = twinql_sql::schema::load(data.join("spider/test_tables.json")).unwrap();
    let golds: Vec<(String, String)> = std::fs::read_to_string(data.join("spider/test_gold.sql"))
        .unwrap()
        .lines()
        .filter_map(|l| l.rsplit_once('\t'))
        .map(|(sql, db)| (db.trim().to_owned(), sql.to_owned()))
        .collect();
    let mut pairs: BTreeSet<(String, String, String)> = BTreeSet::new();
    for file in std::fs::read_dir(data.join("predictions/spider_test")).unwrap() {
        let text = std::fs::read_to_string(file.unwrap().path()).unwrap();
        if text.lines().count() != golds.len() {
            continue;
        }
        for (line, (db, gold)) in text.lines().zip(&golds) {
            let pred = line.split('\t').next().unwrap_or_default().trim();
            if pred != gold.trim() {
                pairs.insert((db.clone(), gold.clone(), pred.to_owned()));
            }
        }
    }
    assert!(!pairs.is_empty());
    let step = number("TWINQL_PROVED_STEP", 25).max(1);
    let databases = number("TWINQL_PROVED_DATABASES", 40) as u64;
    for preset in ["default", "no-fk"] {
        let mut judges: BTreeMap<&str, Judge> = BTreeMap::new();
        let (mut counts, mut refuted) = (Counts::default(), Vec::new());
        for (db, gold, pred) in pairs.iter().step_by(step) {
            let Some(schema) = schemas.get(db) else {
                continue;
            };
            let judge = judges.entry(db).or_insert_with(|| {
                let config = JudgeConfig {
                    semantics: Semantics::preset(preset).unwrap(),
                    databases,
                    shrink: true,
                    ..JudgeConfig::default()
                };
                Judge::new(schema, config).unwrap()
            });
            refuted.extend(refute(judge, schema, gold, pred, &mut counts));
        }
        println!("{preset}: {counts:?}, {} refuted", refuted.len());
        assert!(refuted.is_empty(), "{} of {counts:?} refuted\n\n{}", refuted.len(), refuted.join("\n\n"));
        assert!(counts.proved > 0, "nothing was proved equal");
    }
}

/// The text that SQLite runs for a query of another dialect: its plan before any rule,
/// printed.
fn printed(schema: &Schema, sql: &str) -> String {
    let plan = twinql_sql::parse(sql).and_then(|p| twinql_sql::plan(schema, &p));
    plan.ok().and_then(|p| twinql_sql::print::to_sql(schema, &p).ok()).unwrap_or_else(|| sql.to_owned())
}

/// The rewrite pairs of the prover benchmarks, under what their schemas declare.
#[test]
fn proved_rewrites_are_never_told_apart() {
    let Ok(data) = std::env::var("TWINQL_DATA") else {
        println!("skipped: TWINQL_DATA is not set");
        return;
    };
    let step = number("TWINQL_REWRITES_STEP", 4).max(1);
    let databases = number("TWINQL_PROVED_DATABASES", 40) as u64;
    let mut refuted = Vec::new();
    for file in ["calcite_sqlsolver_232", "spark_sqlsolver", "tpch_spark_sqlsolver", "tpcc_spark_sqlsolver"] {
        let path = Path::new(&data).join("equivalence").join(file).with_extension("jsonl");
        let text = std::fs::read_to_string(path).unwrap();
        let mut judges: BTreeMap<String, (Schema, Judge)> = BTreeMap::new();
        let mut counts = Counts::default();
        for line in text.lines().step_by(step) {
            let row: serde_json::Value = serde_json::from_str(line).unwrap();
            let ddl = row["schema"].as_str().unwrap();
            let (schema, judge) = judges.entry(ddl.to_owned()).or_insert_with(|| {
                let schema = Schema::from_ddl(file, ddl).unwrap();
                let config = JudgeConfig {
                    semantics: Semantics::preset("declared").unwrap(),
                    databases,
                    shrink: true,
                    ..JudgeConfig::default()
                };
                let judge = Judge::new(&schema, config).unwrap();
                (schema, judge)
            });
            let (gold, pred) = (row["sql1"].as_str().unwrap(), row["sql2"].as_str().unwrap());
            // As written where SQLite takes it, and as planned in any case.
            let before = counts.same;
            let found = refute(judge, schema, gold, pred, &mut counts);
            let readable = found.is_some() || counts.same > before;
            refuted.extend(found.map(|why| format!("{file} {}: {why}", row["id"])));
            if !readable {
                let (gold, pred) = (printed(schema, gold), printed(schema, pred));
                let found = refute(judge, schema, &gold, &pred, &mut counts);
                refuted.extend(found.map(|why| format!("{file} {} as planned: {why}", row["id"])));
            }
            let standard = |sql: &str| in_sqlite(schema, sql, Dialect::Generic).ok();
            if let Some((gold, pred)) = standard(gold).zip(standard(pred)) {
                let found = refute(judge, schema, &gold, &pred, &mut counts);
                refuted.extend(found.map(|why| format!("{file} {} as standard SQL: {why}", row["id"])));
            }
        }
        println!("{file}: {counts:?}");
    }
    assert!(refuted.is_empty(), "{} refuted\n\n{}", refuted.len(), refuted.join("\n\n"));
}
