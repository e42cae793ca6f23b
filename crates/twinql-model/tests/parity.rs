//! Scores on burn's devices against those in plain Rust: |Δ| ≤ 10⁻³ in distance and probability in 32 bits.
//!
//! `scripts/backends.sh` runs the GPU's part on whatever Vulkan driver there is, software ones
//! included.
#![cfg(feature = "burn")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use twinql_graph::{GraphArrays, PairArrays, Question};
use twinql_model::{
    Compute, Evidence, Example, GmnConfig, ModelError, Precision, Scorer, Silent, TrainConfig, train,
};

const STEPS: usize = 4;

/// A tree of `nodes` in which a number made of `seed` picks words, tags and strings.
fn graph(seed: usize, nodes: usize) -> GraphArrays {
    let draw = |node: usize, n: usize| (seed * 7_919 + node * 104_729 + node * node * 31) % n;
    let mut graph = GraphArrays {
        strings: (0..4).map(|i| format!("table_{i}.column_{}", seed % 5)).collect(),
        ..GraphArrays::default()
    };
    for node in 0..nodes {
        graph.words.push(draw(node, 20) as u16);
        graph.tags.push(draw(node, 4) as u16);
        graph.contents.push((node % 3 == 2).then(|| draw(node, 4) as u32));
        if node > 0 {
            graph.edges.push(((node / 2) as u32, node as u32, 0));
        }
        if node > 2 && node % 4 == 0 {
            graph.edges.push((node as u32 - 2, node as u32, 1 + (node % 2) as u8));
        }
    }
    graph
}

fn pair(seed: usize) -> PairArrays {
    let left = graph(seed, 9 + seed % 23);
    let mut right = left.clone();
    for node in 0..1 + seed % 3 {
        right.words[node * 2] = (right.words[node * 2] + 1 + (seed % 2) as u16 * 5) % 20;
    }
    let positions = |graph: &GraphArrays| -> Vec<f32> {
        (0..graph.words.len() * STEPS).map(|i| 1.0 / (2 + i % 7) as f32).collect()
    };
    let nodes = left.words.len();
    PairArrays {
        left_positions: positions(&left),
        right_positions: positions(&right),
        left_agreement: vec![0; nodes],
        right_agreement: vec![0; nodes],
        left,
        right,
        steps: STEPS,
        identical: false,
        widths_differ: false,
    }
}

fn examples(from: usize, count: usize) -> Vec<Example> {
    let seeds = from..from + count;
    seeds
        .map(|seed| Example {
            pair: pair(seed),
            label: seed % 2 == 0,
            semantics: "default".into(),
            question: Question::Every,
            weight: 1.0,
            ease: None,
            share: None,
            taught: true,
            evidence: Evidence::None,
        })
        .collect()
}

fn config(compute: Compute) -> TrainConfig {
    TrainConfig {
        model: GmnConfig {
            words: 20,
            tags: 4,
            node_dim: 16,
            message_dim: 16,
            graph_dim: 16,
            position_dim: 8,
            walk_steps: STEPS,
            propagation_steps: 3,
            char_channels: 8,
            char_blocks: 1,
            ..GmnConfig::default()
        },
        epochs: 2,
        batch_size: 16,
        compute,
        ..TrainConfig::default()
    }
}

/// Scores of a trained network, and training, on both: within `tolerance`.
fn compare(compute: Compute, precision: Precision, tolerance: f32) {
    let (learn, valid) = (examples(0, 64), examples(1_000, 32));
    let trained = train(&config(Compute::Native), &learn, &valid, &mut Silent).unwrap();
    let scorer = Scorer::new(trained.checkpoint);
    let pairs: Vec<PairArrays> = valid.iter().map(|e| e.pair.clone()).collect();
    let plain = scorer.score(&pairs);
    let other = match scorer.score_on(compute, precision, &pairs) {
        Err(ModelError::Device { device, remedy }) if precision != Precision::F32 => {
            println!("skipped: {device}: {remedy}");
            return;
        }
        other => other.unwrap(),
    };
    let mut most = 0.0f32;
    for (a, b) in plain.iter().zip(&other) {
        let (a, b) = (a.as_ref().unwrap(), b.as_ref().unwrap());
        most = most.max((a.distance - b.distance).abs());
        most = most.max((a.probability - b.probability).abs());
    }
    println!("{compute:?}, {precision:?}: the scores of {} pairs differ by {most:.1e} at most", pairs.len());
    assert!(plain.iter().any(|s| s.as_ref().unwrap().distance > 1e-2));
    assert!(most <= tolerance, "{most}");

    let there = TrainConfig { precision, ..config(compute) };
    let there = train(&there, &learn, &valid, &mut Silent).unwrap();
    for (a, b) in trained.history.iter().zip(&there.history) {
        println!(
            "{compute:?}, {precision:?}: epoch {} loss {:.5}, in plain Rust {:.5}",
            a.epoch, b.loss, a.loss
        );
        assert!((a.loss - b.loss).abs() <= f64::from(tolerance), "{a:?} {b:?}");
    }
}

/// In 32 bits as in plain Rust; in 16 as far as 8 to 11 significant bits go.
fn compare_all(compute: Compute) {
    compare(compute, Precision::F32, 1e-3);
    compare(compute, Precision::F16, 2e-2);
    compare(compute, Precision::Bf16, 1e-1);
}

#[cfg(feature = "flex")]
#[test]
fn flex_scores_as_plain_rust_does() {
    compare_all(Compute::Flex);
}

#[cfg(feature = "wgpu")]
#[test]
fn wgpu_scores_as_plain_rust_does() {
    // burn panics where there is no adapter; a failed comparison does on top of that name none.
    let adapter = std::panic::catch_unwind(|| {
        let (learn, valid) = (examples(0, 16), examples(1_000, 8));
        let one = TrainConfig { epochs: 1, ..config(Compute::Wgpu) };
        train(&one, &learn, &valid, &mut Silent).map(|_| ())
    });
    match adapter {
        Ok(Ok(())) => compare_all(Compute::Wgpu),
        Ok(Err(error)) => panic!("{error}"),
        Err(_) => println!("skipped: no graphics adapter for wgpu"),
    }
}
