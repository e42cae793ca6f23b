//! How much metrics change when a pair's schema changes and its label does not: the metamorphic relations of MT-TEQL,
//! asked of the metrics themselves.
//!   steadiness [METRICS [DRAWS [CHECKPOINT [QUESTION]]]]       # gmn,relpm,esm+,suite; 1; small; every
//! over the bundled pairs and, with TWINQL_DATA, Spider-pair dev and `bird_ex_dev`. Docs: docs/consistency.md.
#![allow(clippy::expect_used, clippy::print_stdout)]

mod measure;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use measure::{Pair, keeping, measure};
use twinql::corpus::pairs;
use twinql::graph::Question;
use twinql::sql::schema;
use twinql::{Engine, Network, Schema, Semantics};

fn main() {
    let argument = |place: usize| std::env::args().nth(place);
    let names = argument(1).unwrap_or_else(|| "gmn,relpm,esm+,suite".into());
    let draws = argument(2).map_or(1, |n| n.parse().expect("a number"));
    let network = Network::chosen(argument(3).map(PathBuf::from).as_deref()).expect("a checkpoint");
    let metrics = names.split(',').map(|name| twinql::metrics::metric(name).expect("a metric"));
    let metrics: Vec<_> = metrics.collect();
    let question = argument(4).map_or(Question::Every, |name| name.parse().expect("a question"));
    let data = std::env::var_os("TWINQL_DATA").map(PathBuf::from);
    let bundled = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data");
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
        let set = schema::load(schemas).expect("schemas");
        let schemas: BTreeMap<String, Arc<Schema>> =
            set.into_iter().map(|(id, s)| (id, Arc::new(s))).collect();
        let read = pairs::read(&file).expect("pairs");
        let all: Vec<Pair> = read
            .pairs
            .into_iter()
            .filter_map(|p| {
                Some(Pair { schema: Arc::clone(schemas.get(&p.db_id?)?), gold: p.gold, pred: p.pred })
            })
            .collect();
        let semantics: Semantics = semantics.parse().expect("semantics");
        let engine = Engine::builder()
            .network(network.clone())
            .semantics(semantics)
            .question(question)
            .metrics(metrics.iter().copied())
            .build()
            .expect("an engine");
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
}
