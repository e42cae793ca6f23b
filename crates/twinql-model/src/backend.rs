//! What training asks of an execution of the network. Losses are no part of it: they are computed here, once, from
//! what the network says of a batch, and an execution goes back from their slopes.

use crate::{
    config::{Compute, TrainConfig},
    error::ModelError,
    native::NativeBackend,
    prepare::Prepared,
    target::Item,
    weights::Layout,
};

/// Loss and gradients of one step.
pub(crate) struct StepResult {
    /// Of the batch.
    pub(crate) loss: f32,
    /// In the order of the flat weights.
    pub(crate) gradients: Vec<f32>,
}

/// An execution of the network: on a CPU by hand, or by burn on any of its devices.
pub(crate) trait Backend: Sync {
    /// A supervised step: the mean of the pairs' [losses](crate::target::Target::loss), by their weights.
    fn step(&self, weights: &[f32], items: &[Item]) -> StepResult;

    /// A contrastive step over at least two pairs, each of two views of one graph: their
    /// [NT-Xent](crate::contrast::nt_xent), and the share of views that are nearest to their own partner.
    fn contrast(&self, weights: &[f32], views: &[Prepared], temperature: f32) -> (StepResult, f32);

    /// Squared distances of pairs.
    fn distances(&self, weights: &[f32], pairs: &[Prepared]) -> Vec<f32>;
}

/// The execution that a configuration names.
///
/// # Errors
/// [`ModelError::Device`] for one that is not built in, or has no numbers of the precision asked for.
pub(crate) fn backend(config: &TrainConfig, layout: &Layout) -> Result<Box<dyn Backend>, ModelError> {
    match config.compute {
        Compute::Native => Ok(Box::new(NativeBackend::new(config.model.clone(), layout.clone()))),
        #[cfg(feature = "burn")]
        compute => Ok(Box::new(crate::burn::BurnBackend::new(
            config.model.clone(),
            layout.clone(),
            compute,
            config.precision,
        )?)),
        #[cfg(not(feature = "burn"))]
        compute => Err(ModelError::not_built_in(compute)),
    }
}

#[cfg(all(test, not(feature = "burn")))]
mod tests {
    #![allow(clippy::panic)]
    use super::*;

    #[test]
    fn a_device_that_is_not_built_in_says_how_to_build_it() {
        for compute in [Compute::Flex, Compute::Wgpu, Compute::Cuda] {
            let config = TrainConfig { compute, ..TrainConfig::default() };
            let Err(error) = backend(&config, &Layout::new(&config.model)) else {
                panic!("{compute:?} is not built in");
            };
            assert!(error.to_string().contains("--features"), "{error}");
        }
    }
}
