//! Median and 99th percentile of the time from text to canonical tree, on one thread: of bundled queries and chains and, with
//! `TWINQL_DATA`, of every EVERYth real line too.

pub mod workload;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use twinql_sql::schema::spider::read_tables_json;
use twinql_sql::{Schema, SchemaSet, Semantics, normalize, parse, plan};

use crate::{Done, Measurement};

/// The measurement.
pub(crate) const MEASUREMENT: Measurement = Measurement {
    name: "canonical-speed",
    about: "the time from text to canonical tree",
    usage: "[EVERY]",
    run,
};

/// Times of the three steps.
struct Times {
    parse: Duration,
    plan: Duration,
    normalize: Duration,
    complete: bool,
}

impl Times {
    fn total(&self) -> Duration {
        self.parse + self.plan + self.normalize
    }
}

fn time(schema: &Schema, sql: &str, semantics: &Semantics) -> Option<Times> {
    let start = Instant::now();
    let parsed = parse(sql).ok()?;
    let parsed_at = start.elapsed();
    let plan = plan(schema, &parsed).ok()?;
    let planned_at = start.elapsed();
    let canonical = normalize(schema, plan, semantics);
    Some(Times {
        parse: parsed_at,
        plan: planned_at.saturating_sub(parsed_at),
        normalize: start.elapsed().saturating_sub(planned_at),
        complete: canonical.complete,
    })
}

/// The fastest of some runs: what the machine does besides is not ours.
fn best(schema: &Schema, sql: &str, semantics: &Semantics, runs: usize) -> Option<Times> {
    (0..runs).filter_map(|_| time(schema, sql, semantics)).min_by_key(Times::total)
}

fn micros(d: Duration) -> f64 {
    d.as_secs_f64() * 1e6
}

fn report(name: &str, mut times: Vec<(Times, String)>) {
    times.sort_by_key(|(t, _)| t.total());
    let at = |q: f64| times.get(((times.len() as f64 - 1.0) * q) as usize);
    let (Some((median, _)), Some((p99, _)), Some((worst, sql))) = (at(0.5), at(0.99), at(1.0)) else {
        println!("{name}: nothing planned");
        return;
    };
    let sum = |f: &dyn Fn(&Times) -> Duration| {
        micros(times.iter().map(|(t, _)| f(t)).sum::<Duration>()) / times.len() as f64
    };
    println!(
        "{name}: {} queries, median {:.0} µs, p99 {:.0} µs, worst {:.0} µs; mean parse {:.0}, plan {:.0}, normalise {:.0} µs; {} not brought to an end",
        times.len(),
        micros(median.total()),
        micros(p99.total()),
        micros(worst.total()),
        sum(&|t| t.parse),
        sum(&|t| t.plan),
        sum(&|t| t.normalize),
        times.iter().filter(|(t, _)| !t.complete).count(),
    );
    let short: String = sql.chars().take(300).collect();
    println!("    slowest: {short}");
}

fn schemas(path: &Path) -> SchemaSet {
    std::fs::read_to_string(path).ok().and_then(|text| read_tables_json(&text).ok()).unwrap_or_default()
}

fn lines(path: &Path) -> Vec<String> {
    let bytes = std::fs::read(path).unwrap_or_default();
    String::from_utf8_lossy(&bytes).lines().map(str::to_owned).collect()
}

/// Every `every`-th line of a gold file and of the predictions aligned with it.
fn real(
    tables: &Path,
    gold: &Path,
    folder: &Path,
    every: usize,
    semantics: &Semantics,
) -> Vec<(Times, String)> {
    let schemas = schemas(tables);
    let golds = lines(gold);
    let db_of = |i: usize| golds.get(i).and_then(|l| l.rsplit_once('\t')).map(|(_, db)| db.trim());
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .map(|d| d.filter_map(|e| Some(e.ok()?.path())).collect())
        .unwrap_or_default();
    files.retain(|f| f.extension().is_some_and(|e| e == "txt"));
    files.sort();
    files.insert(0, gold.to_owned());
    let mut times = Vec::new();
    let mut number = 0;
    for file in files {
        for (i, line) in lines(&file).iter().enumerate() {
            number += 1;
            let sql = line.split('\t').next().unwrap_or_default();
            let Some(schema) = db_of(i).and_then(|db| schemas.get(db)).filter(|_| number % every == 0) else {
                continue;
            };
            if let Some(t) = best(schema, sql, semantics, 3) {
                times.push((t, sql.to_owned()));
            }
        }
    }
    times
}

fn run(args: &[String]) -> Done {
    let semantics = Semantics::default();
    let every: usize = args.first().map_or(Ok(1), |n| n.parse())?;
    let golds = workload::golds();
    let timed =
        golds.iter().filter_map(|(s, sql)| Some((best(s, sql, &semantics, 9)?, sql.clone()))).collect();
    report("bundled golds", timed);
    let schema = workload::schema();
    for (name, sizes, make) in workload::CHAINS {
        let mut text = format!("{name}:");
        for size in *sizes {
            let sql = make(*size);
            match best(&schema, &sql, &semantics, 15) {
                Some(t) => text.push_str(&format!(
                    "  {size}: {:.0} µs ({:.0}+{:.0}+{:.0}{})",
                    micros(t.total()),
                    micros(t.parse),
                    micros(t.plan),
                    micros(t.normalize),
                    if t.complete { "" } else { ", stopped" }
                )),
                None => text.push_str(&format!("  {size}: error")),
            }
        }
        println!("{text}");
    }
    let Some(data) = std::env::var_os("TWINQL_DATA").map(PathBuf::from) else {
        eprintln!("skipped the real lines: TWINQL_DATA is not set");
        return Ok(());
    };
    for (name, tables, gold, folder) in [
        ("Spider dev", "spider/tables.json", "spider/dev_gold.sql", "predictions/spider_dev"),
        ("Spider test", "spider/test_tables.json", "spider/test_gold.sql", "predictions/spider_test"),
        ("Spider train", "spider/tables.json", "spider/train_gold.sql", "none"),
        ("BIRD dev", "bird/dev_tables.json", "bird/dev_gold.sql", "predictions/bird_dev"),
        ("BIRD train", "bird/train_tables.json", "bird/train_gold.sql", "none"),
    ] {
        let timed = real(&data.join(tables), &data.join(gold), &data.join(folder), every, &semantics);
        report(name, timed);
    }
    Ok(())
}
