//! What one pair costs once both plans exist: walks, arrays, RelPM.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use twinql_graph::encode::return_probabilities;

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

criterion_group!(benches, walks);
criterion_main!(benches);
