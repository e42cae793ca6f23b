//! The network in burn: on any of its devices, with gradients by its autodiff. It checks the hand-written
//! passes, and is what trains on GPUs.

mod batch;
mod device;
mod network;

use burn::tensor::Tensor;

use self::{
    batch::Batch,
    device::{Place, values, wide},
    network::{Network, Parameters},
};
use crate::{
    backend::{Backend, StepResult},
    config::{Compute, GmnConfig, Precision},
    contrast::nt_xent,
    error::ModelError,
    prepare::Prepared,
    target::{Item, total_weight},
    weights::Layout,
};

/// Pairs whose distances are computed at a time.
const PAIRS_A_ROUND: usize = 64;

/// The network on a burn device.
pub(crate) struct BurnBackend {
    config: GmnConfig,
    layout: Layout,
    place: Place,
}

impl BurnBackend {
    /// # Errors
    /// [`ModelError::Device`] for a device that is not built in, or has no such numbers.
    pub(crate) fn new(
        config: GmnConfig,
        layout: Layout,
        compute: Compute,
        precision: Precision,
    ) -> Result<BurnBackend, ModelError> {
        Ok(BurnBackend { config, layout, place: Place::new(compute, precision)? })
    }

    fn parameters(&self, weights: &[f32], place: &Place) -> Parameters {
        let slots = self.layout.slots.iter();
        Parameters(slots.map(|slot| place.matrix(slot.of(weights).to_vec(), slot.rows, slot.cols)).collect())
    }

    fn network<'a>(&'a self, parameters: &'a Parameters, place: &'a Place) -> Network<'a> {
        Network { config: &self.config, layout: &self.layout, parameters, place }
    }

    /// Goes back from the slopes of a loss at what the network says, to the gradients of the flat weights: those of
    /// Σ output · slope are the loss's.
    fn gradients<const D: usize>(&self, output: Tensor<D>, slopes: Tensor<D>, p: &Parameters) -> Vec<f32> {
        let scale = self.place.loss_scale();
        let mut all = (output * slopes * scale).sum().backward();
        // One list of all, in the order of the flat weights: each reading waits for the device.
        let parts = self.layout.slots.iter().zip(&p.0).map(|(slot, tensor)| {
            // A parameter that the batch does not read has none: no node has a string, say.
            let gradient =
                tensor.grad_remove(&mut all).unwrap_or_else(|| tensor.clone().inner().zeros_like());
            wide(gradient).reshape([slot.len()])
        });
        let flat: Tensor<1> = Tensor::cat(parts.collect(), 0) / scale;
        values(flat)
    }
}

impl Backend for BurnBackend {
    fn step(&self, weights: &[f32], items: &[Item]) -> StepResult {
        let place = self.place.autodiff();
        let pairs: Vec<&Prepared> = items.iter().map(|i| &i.pair).collect();
        let batch = Batch::new(&pairs, &self.config);
        let p = self.parameters(weights, &place).tracked();
        let squared = self.network(&p, &place).squared_distances(&batch);
        let total = total_weight(items);
        let losses = items.iter().zip(values(squared.clone().inner()));
        let (losses, slopes): (Vec<f32>, Vec<f32>) = losses
            .map(|(item, squared)| {
                let (loss, slope) = item.target.loss(squared);
                (item.weight / total * loss, item.weight / total * slope)
            })
            .unzip();
        StepResult {
            loss: losses.iter().sum(),
            gradients: self.gradients(squared, place.wide_list(slopes), &p),
        }
    }

    fn contrast(&self, weights: &[f32], views: &[Prepared], temperature: f32) -> (StepResult, f32) {
        let place = self.place.autodiff();
        let pairs: Vec<&Prepared> = views.iter().collect();
        let batch = Batch::new(&pairs, &self.config);
        let p = self.parameters(weights, &place).tracked();
        let (n, g) = (batch.pairs, self.config.graph_dim);
        let graphs = wide(self.network(&p, &place).graphs(&batch));
        let said = values(graphs.clone().inner());
        let side = |side: usize| -> Vec<f32> {
            let rows = said.chunks_exact(g).skip(side).step_by(2);
            rows.flatten().copied().collect()
        };
        let contrast = nt_xent(&side(0), &side(1), g, temperature);
        let sides = contrast.left.chunks_exact(g).zip(contrast.right.chunks_exact(g));
        let slopes = sides.flat_map(|(left, right)| [left, right].concat()).collect();
        let result = StepResult {
            loss: contrast.loss,
            gradients: self.gradients(graphs, place.wide_list(slopes).reshape([n, 2, g]), &p),
        };
        (result, contrast.nearest)
    }

    fn distances(&self, weights: &[f32], pairs: &[Prepared]) -> Vec<f32> {
        let p = self.parameters(weights, &self.place);
        let network = self.network(&p, &self.place);
        let mut out = Vec::with_capacity(pairs.len());
        for chunk in pairs.chunks(PAIRS_A_ROUND) {
            let chunk: Vec<&Prepared> = chunk.iter().collect();
            let batch = Batch::new(&chunk, &self.config);
            out.extend(values(network.squared_distances(&batch)));
        }
        out
    }
}
