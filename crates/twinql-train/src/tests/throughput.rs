//! How fast both executions are.

use twinql_gmn::{GmnConfig, Network, Scorer};

use crate::{Compute, Silent, TrainConfig, synthetic::examples, train};

/// Prints pairs a second at the default sizes on random graphs of real size (50 nodes and some
/// 60 edges a side): `cargo test --release -p twinql-train throughput -- --ignored --nocapture`.
#[test]
#[ignore = "a measurement, not a check"]
fn throughput() {
    let config = GmnConfig { words: 64, tags: 4, ..GmnConfig::default() };
    let steps = config.walk_steps;
    let examples = examples(0, 640, 47, steps);
    for compute in [Compute::Cpu, Compute::Flex] {
        let network = Network { model: config.clone(), ..Network::default() };
        let run = TrainConfig { network, epochs: 1, compute, ..TrainConfig::default() };
        let learn = &examples[64..];
        let began = std::time::Instant::now();
        let trained = train(&run, learn, &examples[..64], &mut Silent).unwrap();
        let rate = learn.len() as f64 / began.elapsed().as_secs_f64();
        let loss = trained.history[0].loss;
        println!("training, {compute:?}: {rate:.0} pairs/s, mean loss {loss:.3}");
        if compute == Compute::Cpu {
            let scorer = Scorer::new(trained.checkpoint);
            let pairs: Vec<_> = examples.iter().map(|e| e.pair.clone()).collect();
            for round in 0..3 {
                let began = std::time::Instant::now();
                scorer.score(&pairs);
                let rate = pairs.len() as f64 / began.elapsed().as_secs_f64();
                println!("scoring, round {round}: {rate:.0} pairs/s");
            }
        }
    }
}
