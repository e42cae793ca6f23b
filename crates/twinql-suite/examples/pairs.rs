//! Judges a file of pairs and prints the hard verdict's agreement with its labels.
//!
//! `cargo run --release -p twinql-suite --example pairs -- PAIRS.jsonl TABLES.json [semantics] [databases] [adjudicated.json] [first] [step]`

use std::collections::HashMap;
use std::time::Instant;

use twinql_suite::{Judge, JudgeConfig, Semantics, Verdict};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().collect();
    let arg = |i: usize, d: &str| args.get(i).cloned().unwrap_or_else(|| d.to_owned());
    let schemas = twinql_sql::schema::load(std::path::Path::new(&arg(2, "")))?;
    let semantics: Semantics = arg(3, "default").parse()?;
    let config = JudgeConfig {
        semantics,
        databases: arg(4, "100").parse()?,
        shrink: std::env::var("SHRINK").is_ok(),
        ..JudgeConfig::default()
    };
    let truth: HashMap<String, serde_json::Value> = match args.get(5).map(String::as_str) {
        Some(path) if path != "-" => serde_json::from_str(&std::fs::read_to_string(path)?)?,
        _ => HashMap::new(),
    };
    let (first, step): (usize, usize) = (arg(6, "0").parse()?, arg(7, "1").parse()?);
    let mut judges: HashMap<String, Judge> = HashMap::new();
    let mut counts = [[0u32; 2]; 2];
    let started = Instant::now();
    let (mut same, mut same_time) = (0u32, 0.0);
    for line in std::fs::read_to_string(arg(1, ""))?.lines().skip(first).step_by(step) {
        let pair: serde_json::Value = serde_json::from_str(line)?;
        let text = |k: &str| pair[k].as_str().unwrap_or("").to_owned();
        let id = pair["id"].to_string();
        let db = text("db_id");
        let Some(schema) = schemas.get(&db) else {
            println!("{id}\tunknown schema {db}");
            continue;
        };
        if !judges.contains_key(&db) {
            judges.insert(db.clone(), Judge::new(schema, config.clone())?);
        }
        let published = pair["label"].as_u64().unwrap_or(0);
        let label = truth.get(&id).and_then(|v| v.as_u64().or_else(|| v["label"].as_u64()));
        let label = label.unwrap_or(published);
        let t = Instant::now();
        let verdict = judges[&db].judge(&text("gold"), &text("pred"));
        let took = t.elapsed().as_secs_f64();
        let says = usize::from(matches!(verdict, Verdict::Same { .. }));
        if says == 1 {
            same += 1;
            same_time += took;
        }
        counts[label as usize][says] += 1;
        if says != label as usize || took > 0.5 {
            println!("#### {id} {db} label {label} took {took:.3}\nG {}\nP {}", text("gold"), text("pred"));
            match verdict {
                Verdict::Different { witness } => println!(
                    "{}gold {:?}\npred {:?}",
                    witness.statements, witness.gold_rows, witness.pred_rows
                ),
                other => println!("{other:?}"),
            }
        }
    }
    let [[tn, fp], [fneg, tp]] = counts.map(|r| r.map(f64::from));
    let (tpr, tnr) = (tp / (tp + fneg), tn / (tn + fp));
    eprintln!(
        "tp {tp} fn {fneg} tn {tn} fp {fp}: TPR {tpr:.4} TNR {tnr:.4} AUC {:.4} accuracy {:.4}; {:.1} s, {:.2} ms a Same verdict",
        (tpr + tnr) / 2.0,
        (tp + tn) / (tp + fp + tn + fneg),
        started.elapsed().as_secs_f64(),
        1e3 * same_time / f64::from(same.max(1)),
    );
    Ok(())
}
