//! What training asks of an execution of the network. Losses are no part of it: they are computed here, once, from
//! what the network says of a batch, and an execution goes back from their slopes.

use crate::{prepare::Prepared, target::Item};

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
