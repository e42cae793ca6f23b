//! What the training loop asks of an execution of the network.

use crate::{
    config::{Compute, TrainConfig},
    error::ModelError,
    gmn::BurnEngine,
    native::NativeEngine,
    prepare::Prepared,
    weights::Layout,
};

/// A pair with its target.
pub(crate) struct Item {
    pub(crate) pair: Prepared,
    /// +1 equivalent, −1 not.
    pub(crate) sign: f32,
    /// Weight in the loss.
    pub(crate) weight: f32,
}

/// Loss and gradients of one step.
pub(crate) struct StepResult {
    /// Weighted mean of relu(γ − y(1 − d²)).
    pub(crate) loss: f32,
    /// In the order of the flat weights.
    pub(crate) gradients: Vec<f32>,
}

/// What a contrastive step gives.
pub(crate) struct ContrastResult {
    /// NT-Xent over the batch.
    pub(crate) loss: f32,
    /// Share of views that are nearest to their own partner.
    pub(crate) nearest: f32,
    /// In the order of the flat weights.
    pub(crate) gradients: Vec<f32>,
}

/// An execution of the network: on a CPU by hand, or by burn on any of its devices.
pub(crate) trait Engine: Sync {
    /// Loss and gradients over one batch.
    fn step(&self, weights: &[f32], items: &[Item], margin: f32) -> StepResult;

    /// Contrastive loss and gradients over a batch of at least two pairs, each of two views of
    /// one graph.
    fn contrast(&self, weights: &[f32], views: &[Prepared], temperature: f32) -> ContrastResult;

    /// Squared distances of pairs.
    fn distances(&self, weights: &[f32], pairs: &[Prepared]) -> Vec<f32>;
}

/// The engine that a configuration names.
pub(crate) fn engine(config: &TrainConfig, layout: Layout) -> Result<Box<dyn Engine>, ModelError> {
    if config.compute == Compute::Native {
        return Ok(Box::new(NativeEngine::new(config.model.clone(), layout)));
    }
    Ok(Box::new(BurnEngine::new(
        config.model.clone(),
        layout,
        config.compute,
    )?))
}
