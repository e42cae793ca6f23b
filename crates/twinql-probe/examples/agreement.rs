//! Checks the evaluator against SQLite: each query of a file of pairs, as planned and in its canonical form, on
//! generated databases. Prints how many answers were compared, why others were not, and each disagreement.
//!
//! `agreement PAIRS SCHEMAS [STEP]` takes each STEP-th line.

use std::collections::BTreeMap;

use rayon::prelude::*;
use twinql_probe::{Stop, evaluate};
use twinql_sql::{Semantics, normalize, parse, plan};
use twinql_suite::compare::{Columns, Mode, equal};
use twinql_suite::execute::Answer;
use twinql_suite::facts::Facts;
use twinql_suite::generate::Generator;
use twinql_suite::{Limits, Sandbox};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [pairs, schemas, rest @ ..] = args.as_slice() else { return Err("agreement PAIRS SCHEMAS [STEP]".into()) };
    let step: usize = rest.first().map_or(Ok(1), |s| s.parse())?;
    let schemas = twinql_sql::schema::load(schemas)?;
    let text = std::fs::read_to_string(pairs)?;
    let mut queries: Vec<(String, String)> = Vec::new();
    for line in text.lines().step_by(step) {
        let pair: serde_json::Value = serde_json::from_str(line)?;
        for side in ["gold", "pred"] {
            if let (Some(db), Some(sql)) = (pair["db_id"].as_str(), pair[side].as_str()) {
                queries.push((db.to_owned(), sql.to_owned()));
            }
        }
    }
    queries.sort();
    queries.dedup();
    let semantics = Semantics::default();
    let counts: Vec<BTreeMap<String, usize>> = queries
        .par_iter()
        .map(|(db, sql)| {
            let mut counts = BTreeMap::new();
            let mut count = |what: &str| *counts.entry(what.to_owned()).or_insert(0) += 1;
            let Some(schema) = schemas.get(db) else { return counts };
            let Ok(parsed) = parse(sql) else { return counts };
            let Ok(planned) = plan(schema, &parsed) else { return counts };
            let semantics = semantics.for_gold(schema, &planned).into_owned();
            let facts = [Facts::of(schema, &parsed.query)];
            let generator = Generator::new(schema, &semantics, &facts, &[], 5);
            let Ok(sandbox) = Sandbox::new(schema, Limits::default()) else { return counts };
            let (Ok(mut loader), Ok(mut prepared)) = (sandbox.loader(generator.tables()), sandbox.prepare(sql)) else { return counts };
            let canonical = normalize(schema, planned.clone(), &semantics).plan;
            for index in 0..6 {
                let Some(database) = generator.database(index) else { continue };
                if loader.load(&database).is_err() {
                    continue;
                }
                let Ok(expected) = prepared.run(0) else { continue };
                for (what, plan) in [("planned", &planned), ("canonical", &canonical)] {
                    match evaluate(plan, &database, 50_000) {
                        Ok(rows) => {
                            let owned = rows.rows.iter().map(|r| r.iter().map(|v| v.clone().into_owned()).collect());
                            let own = Answer { width: rows.columns.len(), rows: owned.collect() };
                            let any = what == "canonical" && semantics.any_column_order;
                            let mode = Mode { any_column_order: any, as_set: false, as_list: false, tolerance: 1e-9 };
                            if equal(&expected, &own, mode, &mut Columns::new(own.width, any)) {
                                count(&format!("{what}: agree"));
                            } else {
                                count(&format!("{what}: DISAGREE"));
                                println!("{what} {db} {index}\n  {sql}\n  SQLite {:?}\n  own    {:?}", expected.rows, own.rows);
                                break;
                            }
                        }
                        Err(Stop::Unsupported(why)) => count(&format!("{what}: unsupported {why}")),
                        Err(stop) => count(&format!("{what}: {stop:?}")),
                    }
                }
            }
            counts
        })
        .collect();
    let mut all: BTreeMap<String, usize> = BTreeMap::new();
    for (what, n) in counts.into_iter().flatten() {
        *all.entry(what).or_insert(0) += n;
    }
    for (what, n) in all {
        println!("{n:8} {what}");
    }
    Ok(())
}
