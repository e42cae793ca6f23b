//! Scores and training on burn's devices against those by hand: |Δ| ≤ 10⁻³ in distance and loss in 32 bits.
//!
//! `scripts/backends.sh` runs the GPU's part on whatever Vulkan driver there is, software ones included.

use twinql_gmn::{Network, prepare::Prepared};

use crate::{
    Compute, Example, Precision, Silent, TrainConfig, TrainError, backend::Backend, burn::BurnBackend,
    cpu::CpuBackend, synthetic, train,
};

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

/// Distances of a trained network, and training, on both: within `tolerance`.
fn compare(compute: Compute, precision: Precision, tolerance: f32) {
    let model = synthetic::small_config();
    let burn = match BurnBackend::new(model.clone(), compute, precision) {
        Err(TrainError::Device { device, remedy }) if precision != Precision::F32 => {
            println!("skipped: {device}: {remedy}");
            return;
        }
        burn => burn.unwrap(),
    };
    let (learn, valid) = (examples(0, 64), examples(1_000, 32));
    let trained = train(&config(Compute::Cpu), &learn, &valid, &mut Silent).unwrap();
    let weights = &trained.checkpoint.weights;
    let pairs: Vec<Prepared> = valid.iter().map(|e| Prepared::new(&e.pair, &model).unwrap()).collect();
    let by_hand = CpuBackend::new(model).distances(weights, &pairs);
    let there = burn.distances(weights, &pairs);
    let most = by_hand.iter().zip(&there).fold(0.0f32, |most, (a, b)| most.max((a - b).abs()));
    println!(
        "{compute:?}, {precision:?}: the distances of {} pairs differ by {most:.1e} at most",
        pairs.len()
    );
    assert!(by_hand.iter().any(|&distance| distance > 1e-2));
    assert!(most <= tolerance, "{most}");

    let there = TrainConfig { precision, ..config(compute) };
    let there = train(&there, &learn, &valid, &mut Silent).unwrap();
    for (a, b) in trained.history.iter().zip(&there.history) {
        println!("{compute:?}, {precision:?}: epoch {} loss {:.5}, by hand {:.5}", a.epoch, b.loss, a.loss);
        assert!((a.loss - b.loss).abs() <= f64::from(tolerance), "{a:?} {b:?}");
    }
}

/// As by hand in 32 bits; in 16 as far as 8 to 11 significant bits go.
fn compare_all(compute: Compute) {
    compare(compute, Precision::F32, 1e-3);
    compare(compute, Precision::F16, 2e-2);
    compare(compute, Precision::Bf16, 1e-1);
}

#[test]
fn flex_trains_as_plain_rust_does() {
    compare_all(Compute::Flex);
}

#[cfg(feature = "wgpu")]
#[test]
fn wgpu_trains_as_plain_rust_does() {
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
