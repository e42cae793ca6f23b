//! Scoring from SQL text in a warm process: one pair, the bundled pairs as a batch, and the network
//! alone; for both shipped checkpoints. `scripts/speed.sh` measures the same on any pair file.

use std::hint::black_box;
use std::path::Path;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use twinql::{Engine, Network};
use twinql_measure::inputs::{arrays, bundled, jobs, schemas};

fn score(c: &mut Criterion) {
    let data = bundled();
    let Ok(jobs) = schemas(&data.join("schemas")).and_then(|s| jobs(&data.join("pairs.jsonl"), &s)) else {
        return;
    };
    for name in ["small", "base"] {
        let Ok(network) = Network::named(Path::new(name)) else {
            return;
        };
        let Ok(engine) = Engine::builder().network(network.clone()).build() else {
            return;
        };
        let mut group = c.benchmark_group(format!("score/{name}"));
        let mut next = jobs.iter().cycle();
        group.bench_function("one pair from text", |b| {
            b.iter(|| next.next().map(|job| engine.score(std::slice::from_ref(black_box(job)))));
        });
        group.throughput(Throughput::Elements(jobs.len() as u64));
        group.bench_function("a batch from text", |b| b.iter(|| engine.score(black_box(&jobs))));
        let arrays = arrays(&jobs, &network);
        group.throughput(Throughput::Elements(arrays.len() as u64));
        group.bench_function("a batch of graphs", |b| {
            b.iter(|| network.scorer().score(black_box(&arrays)));
        });
        group.finish();
    }
}

criterion_group!(benches, score);
criterion_main!(benches);
