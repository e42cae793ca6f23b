//! What one pair costs once both plans exist: walks, arrays, RelPM.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use twinql_graph::encode::return_probabilities;
use twinql_graph::{EncodingConfig, PairArrays, QueryGraph, RelPmConfig, relpm};
use twinql_sql::{Plan, Schema, Semantics, normalize, parse, plan, schema};

/// A tree of `nodes` with as many edges again between neighbours in a level, roughly what
/// logic flow and data flow add.
fn edges(nodes: u32) -> Vec<(u32, u32)> {
    let tree = (1..nodes).map(|v| ((v - 1) / 3, v));
    let flow = (2..nodes).step_by(2).map(|v| (v - 2, v));
    tree.chain(flow).collect()
}

fn walks(c: &mut Criterion) {
    for (nodes, steps) in [(100, 8), (150, 8), (150, 16), (600, 8)] {
        let edges = edges(nodes);
        c.bench_function(&format!("walks/{nodes} nodes, {steps} steps"), |b| {
            b.iter(|| return_probabilities(black_box(nodes as usize), black_box(&edges), steps));
        });
    }
}

const DDL: &str = "
    CREATE TABLE owner (id INTEGER PRIMARY KEY, name TEXT NOT NULL, age INTEGER, city TEXT);
    CREATE TABLE pet (id INTEGER PRIMARY KEY, owner_id INTEGER NOT NULL REFERENCES owner(id),
                      kind TEXT, weight REAL);";
const GOLD: &str = "SELECT o.name, count(*) FROM owner o JOIN pet p ON p.owner_id = o.id
    WHERE o.age > 30 AND p.kind = 'dog' GROUP BY o.id HAVING count(*) > 1
    ORDER BY count(*) DESC LIMIT 3";
const PRED: &str = "SELECT name, (SELECT count(*) FROM pet WHERE owner_id = owner.id AND kind = 'dog') AS n
    FROM owner WHERE age >= 30 AND id IN (SELECT owner_id FROM pet WHERE kind = 'dog')
    ORDER BY n DESC LIMIT 3";

fn planned(schema: &Schema, sql: &str) -> Option<Plan> {
    let plan = plan(schema, &parse(sql).ok()?).ok()?;
    Some(normalize(schema, plan, &Semantics::default()).plan)
}

/// One pair of ordinary size, step by step.
fn pair(c: &mut Criterion) {
    let Ok(schema) = schema::read_ddl("pets", DDL) else {
        return;
    };
    let (Some(gold), Some(pred)) = (planned(&schema, GOLD), planned(&schema, PRED)) else {
        return;
    };
    let lower = |plan: &Plan| QueryGraph::lower(&schema, plan, &Semantics::default());
    let (Ok(left), Ok(right)) = (lower(&gold), lower(&pred)) else {
        return;
    };
    c.bench_function("pair/lower both", |b| b.iter(|| (lower(black_box(&gold)), lower(black_box(&pred)))));
    let config = EncodingConfig::default();
    c.bench_function("pair/arrays", |b| {
        b.iter(|| PairArrays::build(black_box(&left), black_box(&right), &config));
    });
    let config = RelPmConfig::default();
    c.bench_function("pair/relpm", |b| b.iter(|| relpm(black_box(&left), black_box(&right), &config)));
}

criterion_group!(benches, walks, pair);
criterion_main!(benches);
