//! The network by hand (stand-in: burn's CPU backend).
use crate::{config::*, engine::*, error::ModelError, gmn::BurnEngine, prepare::Prepared, weights::Layout};
use twinql_graph::PairArrays;
pub(crate) struct NativeEngine(BurnEngine);
impl NativeEngine {
    pub(crate) fn new(config: GmnConfig, layout: Layout) -> Self {
        #[allow(clippy::unwrap_used)]
        NativeEngine(BurnEngine::new(config, layout, Compute::Flex).unwrap())
    }
}
impl Engine for NativeEngine {
    fn step(&self, weights: &[f32], items: &[Item], margin: f32) -> StepResult {
        self.0.step(weights, items, margin)
    }
    fn distances(&self, weights: &[f32], pairs: &[Prepared]) -> Vec<f32> {
        self.0.distances(weights, pairs)
    }
}
pub(crate) struct Inference {
    engine: NativeEngine,
    config: GmnConfig,
    weights: Vec<f32>,
}
impl std::fmt::Debug for Inference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Inference")
    }
}
impl Inference {
    pub(crate) fn new(config: GmnConfig, weights: Vec<f32>) -> Self {
        Inference {
            engine: NativeEngine::new(config.clone(), Layout::new(&config)),
            config,
            weights,
        }
    }
    pub(crate) fn squared_distances(&self, pairs: &[PairArrays]) -> Vec<Result<f32, ModelError>> {
        pairs
            .iter()
            .map(|p| {
                let p = Prepared::new(p, &self.config)?;
                Ok(self.engine.distances(&self.weights, &[p])[0])
            })
            .collect()
    }
}
