//! From text to canonical tree: the bundled queries, and chains that show how the cost grows.
#![allow(missing_docs)]

mod workload;

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use twinql_sql::{Semantics, canonicalize, parse, plan};

/// The allocator of the command line.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn golds(c: &mut Criterion) {
    let golds = workload::golds();
    let semantics = Semantics::default();
    let mut group = c.benchmark_group("bundled golds, all");
    group.sample_size(20);
    group.bench_function("parse", |b| {
        b.iter(|| golds.iter().filter(|(_, sql)| parse(black_box(sql)).is_ok()).count());
    });
    group.bench_function("parse, plan", |b| {
        b.iter(|| {
            let planned = |(s, sql): &&(_, String)| parse(black_box(sql)).and_then(|p| plan(s, &p)).is_ok();
            golds.iter().filter(planned).count()
        });
    });
    group.bench_function("to canonical tree", |b| {
        b.iter(|| {
            let made = |(s, sql): &&(_, String)| canonicalize(s, black_box(sql), &semantics).is_ok();
            golds.iter().filter(made).count()
        });
    });
    group.finish();
}

fn chains(c: &mut Criterion) {
    let schema = workload::schema();
    let semantics = Semantics::default();
    for (name, sizes, make) in workload::CHAINS {
        let mut group = c.benchmark_group(*name);
        group.sample_size(10);
        for size in *sizes {
            let sql = make(*size);
            group.bench_with_input(BenchmarkId::from_parameter(size), &sql, |b, sql| {
                b.iter(|| canonicalize(&schema, black_box(sql), &semantics));
            });
        }
        group.finish();
    }
}

criterion_group!(benches, golds, chains);
criterion_main!(benches);
