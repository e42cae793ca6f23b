//! Shares of plausible databases for labelled pairs, and their AUC.
#![allow(missing_docs, clippy::unwrap_used)]
use std::collections::BTreeMap;
use twinql_sql::schema::spider::read_tables_json;
use twinql_suite::plausible::{Expectation, ExpectedConfig};
use twinql_suite::{Judge, JudgeConfig, Semantics};
fn auc(items: &[(f64, bool)]) -> f64 {
    let mut v = items.to_vec();
    v.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (mut sum, mut i) = (0.0, 0);
    while i < v.len() {
        let mut j = i;
        while j < v.len() && v[j].0 == v[i].0 {
            j += 1;
        }
        let rank = (i + j + 1) as f64 / 2.0;
        sum += rank * v[i..j].iter().filter(|x| x.1).count() as f64;
        i = j;
    }
    let p = v.iter().filter(|x| x.1).count() as f64;
    let n = v.len() as f64 - p;
    (sum - p * (p + 1.0) / 2.0) / (p * n)
}
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let (pairs, schemas, semantics, n) = (&args[1], &args[2], &args[3], args[4].parse::<u64>().unwrap());
    let field = args.get(5).map_or("label", String::as_str);
    let set = read_tables_json(&std::fs::read_to_string(schemas).unwrap()).unwrap();
    let lines = std::fs::read_to_string(pairs).unwrap();
    let mut by: BTreeMap<String, Vec<serde_json::Value>> = BTreeMap::new();
    for l in lines.lines() {
        let v: serde_json::Value = serde_json::from_str(l).unwrap();
        by.entry(v["db_id"].as_str().unwrap().into()).or_default().push(v);
    }
    let start = std::time::Instant::now();
    let jobs: Vec<_> = by.into_iter().collect();
    use rayon::prelude::*;
    let all: Vec<(String, Vec<(f64, bool)>, Vec<String>)> = jobs.par_iter().filter_map(|(db, pairs)| {
        let schema = set.get(db)?;
        let config = JudgeConfig { semantics: Semantics::preset(semantics).unwrap(), ..JudgeConfig::default() };
        let judge = Judge::new(schema, config).ok()?;
        let mut out = Vec::new();
        let mut text = Vec::new();
        for p in pairs {
            let (g, q) = (p["gold"].as_str().unwrap(), p["pred"].as_str().unwrap());
            let t = std::time::Instant::now();
            let e = judge.expected(g, q, ExpectedConfig { databases: n });
            let us = t.elapsed().as_micros();
            let (score, made) = match &e { Expectation::Counted(e) => (e.share().unwrap(), e.made), Expectation::None(twinql_suite::Verdict::Untested { .. }) => (-0.5, 0), _ => (-1.0, 0) };
            let label = p[field].as_i64() == Some(1);
            out.push((if score == -1.0 { 0.0 } else if score < 0.0 { 0.5 } else { score }, label));
            text.push(serde_json::json!({"id": p["id"], "db": db, "score": score, "label": label, "us": us as u64, "made": made, "gold": g, "pred": q}).to_string());
        }
        Some((db.clone(), out, text))
    }).collect();
    let flat: Vec<(f64, bool)> = all.iter().flat_map(|a| a.1.clone()).collect();
    let mut per: Vec<f64> = Vec::new();
    for (db, o, _) in &all {
        if all.len() < 12 {
            println!("{db} {} {:.4}", o.len(), auc(o));
        }
        let a = auc(o);
        if a.is_finite() {
            per.push(a);
        }
    }
    println!(
        "pairs {} AUC {:.4} mean over databases {:.4}  {:.1}s",
        flat.len(),
        auc(&flat),
        per.iter().sum::<f64>() / per.len() as f64,
        start.elapsed().as_secs_f64()
    );
    if let Some(out) = args.get(6) {
        std::fs::write(out, all.iter().flat_map(|a| a.2.clone()).collect::<Vec<_>>().join("\n")).unwrap();
    }
}
