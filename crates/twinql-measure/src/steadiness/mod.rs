//! How much metrics change when a pair's schema changes and its label does not: the metamorphic relations of MT-TEQL,
//! asked of the metrics themselves, over the bundled pairs and, with `TWINQL_DATA`, Spider-pair dev and `bird_ex_dev`.
//! docs/consistency.md has the figures. Without arguments: `gmn,relpm,esm+,suite 1 small every`.

pub mod measure;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use measure::{Pair, keeping, measure};
use twinql::corpus::pairs;
use twinql::graph::Question;
use twinql::{Engine, Network, Semantics};

use crate::{Done, Measurement, inputs};

/// The measurement.
pub(crate) const MEASUREMENT: Measurement = Measurement {
    name: "steadiness",
    about: "how much metrics change when a pair's schema changes and its label does not",
    usage: "[METRICS [DRAWS [CHECKPOINT [QUESTION]]]]",
    run,
};

fn run(args: &[String]) -> Done {
    let names = args.first().map_or("gmn,relpm,esm+,suite", String::as_str);
    let draws = args.get(1).map_or(Ok(1), |n| n.parse())?;
    let network = Network::chosen(args.get(2).map(Path::new))?;
    let metric = |name| twinql::metrics::metric(name).ok_or_else(|| format!("{name} is no metric"));
    let metrics: Vec<_> = names.split(',').map(metric).collect::<Result<_, _>>()?;
    let question = args.get(3).map_or(Ok(Question::Every), |name| name.parse())?;
    let data = std::env::var_os("TWINQL_DATA").map(PathBuf::from);
    let bundled = inputs::bundled();
    let mut sets = vec![("bundled pairs", "default", bundled.join("schemas"), bundled.join("pairs.jsonl"))];
    match &data {
        Some(data) => sets.extend([
            (
                "Spider-pair dev",
                "no-fk",
                data.join("spider/tables.json"),
                data.join("pairs/spider_pair_dev.jsonl"),
            ),
            ("bird_ex_dev", "bird", data.join("bird/dev_tables.json"), data.join("pairs/bird_ex_dev.jsonl")),
        ]),
        None => println!("skipped: TWINQL_DATA is not set"),
    }
    for (name, semantics, schemas, file) in sets {
        let schemas = inputs::schemas(&schemas)?;
        let read = pairs::read(&file)?;
        let all: Vec<Pair> = read
            .pairs
            .into_iter()
            .filter_map(|p| {
                Some(Pair { schema: Arc::clone(schemas.get(&p.db_id?)?), gold: p.gold, pred: p.pred })
            })
            .collect();
        let semantics: Semantics = semantics.parse()?;
        let engine = Engine::builder()
            .network(network.clone())
            .semantics(semantics)
            .question(question)
            .metrics(metrics.iter().copied())
            .build()?;
        println!("── {name}: {} pairs, {names}, {draws} draws", all.len());
        for change in keeping() {
            for (metric, found) in engine.metrics().iter().zip(measure(&engine, &all, change, draws)) {
                println!(
                    "{:<18} {:<8} {:>6} pairs   moved {:>6} ({:.2} %)   flipped {:>5} ({:.2} %)   mean |Δ| {:.5}",
                    change.name,
                    metric.name,
                    found.pairs,
                    found.moved,
                    100.0 * found.moved as f64 / found.pairs.max(1) as f64,
                    found.flipped,
                    100.0 * found.flipped as f64 / found.pairs.max(1) as f64,
                    found.mean(),
                );
                for example in found.examples.iter().take(2) {
                    println!("    {example}");
                }
            }
        }
    }
    Ok(())
}
