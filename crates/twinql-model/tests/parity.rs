//! Scores on burn's devices against those in plain Rust: |Δ| ≤ 10⁻³ in distance and probability in 32 bits.
//!
//! `scripts/backends.sh` runs the GPU's part on whatever Vulkan driver there is, software ones
//! included.
#![cfg(feature = "burn")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use twinql_graph::PairArrays;
use twinql_model::{
    Compute, Example, GmnConfig, ModelError, Network, Precision, Scorer, Silent, TrainConfig, train,
};

#[path = "../src/synthetic.rs"]
mod synthetic;

/// The first example with an even seed is equivalent, the next one is not, and so on.
fn examples(from: u64, count: u64) -> Vec<Example> {
    synthetic::examples(from, count, 12, synthetic::small_config().walk_steps)
}

fn config(compute: Compute) -> TrainConfig {
    TrainConfig {
        network: Network { model: synthetic::small_config(), ..Network::default() },
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
