//! Training in burn, on any of its devices, with gradients by its autodiff.
//!
//! Weights, their moments and their average are tensors of the device: they go there once, and come back at the end of an
//! epoch. burn's own optimisers are not used: a gradient is cut to a length over all parameters at once (burn clips each
//! tensor by itself), weights are averaged, and a run must be resumed by the other execution too, from one flat list.

mod batch;
pub(crate) mod device;
mod loss;
mod network;

use burn::tensor::Tensor;
use twinql_gmn::{config::GmnConfig, prepare::Prepared, weights::Layout};

use self::{
    batch::Batch,
    device::{Place, values, wide},
    loss::{Targets, nt_xent},
    network::{Network, Parameters},
};
use crate::{
    adam::{BETA1, BETA2, EPSILON, Learned, Stride, corrections, decay},
    backend::{Backend, Lesson, Said},
    config::{Compute, Precision},
    error::TrainError,
};

/// Pairs whose distances are computed at a time.
const PAIRS_A_ROUND: usize = 64;

/// The network on a burn device.
pub(crate) struct BurnBackend {
    config: GmnConfig,
    layout: Layout,
    place: Place,
}

/// What steps move and what they did, on the device, in 32 bits. Lists are in the order of the flat weights.
pub(crate) struct Learner {
    weights: Tensor<1>,
    average: Tensor<1>,
    first: Tensor<1>,
    second: Tensor<1>,
    step: u64,
    loss: Tensor<1>,
    nearest: Tensor<1>,
}

/// A batch, and what is to be learned from it.
pub(crate) struct Ready {
    batch: Batch,
    goal: Goal,
}

enum Goal {
    Targets(Box<Targets>),
    Partners { temperature: f32 },
}

impl BurnBackend {
    /// # Errors
    /// [`TrainError::Device`] for a device that is not built in, or has no such numbers.
    pub(crate) fn new(
        config: GmnConfig,
        compute: Compute,
        precision: Precision,
    ) -> Result<BurnBackend, TrainError> {
        Ok(BurnBackend { layout: Layout::new(&config), config, place: Place::new(compute, precision)? })
    }

    /// The same with the products that GPUs take in place of reading rows by their numbers.
    #[cfg(test)]
    pub(crate) fn into_like_gpus(self) -> BurnBackend {
        BurnBackend { place: self.place.into_like_gpus(), ..self }
    }

    /// The parameters of the flat weights, in the device's numbers.
    fn parameters(&self, weights: &Tensor<1>) -> Parameters {
        let slots = self.layout.slots.iter().map(|slot| {
            let part = weights.clone().narrow(0, slot.offset, slot.elements());
            self.place.narrow(part.reshape([slot.rows, slot.cols]))
        });
        Parameters(slots.collect())
    }

    fn network<'a>(&'a self, parameters: &'a Parameters, place: &'a Place) -> Network<'a> {
        Network { config: &self.config, layout: &self.layout, parameters, place }
    }

    /// Loss, share of nearest partners, and gradients in the order of the flat weights.
    fn gradients(&self, weights: &Tensor<1>, ready: Ready) -> (Tensor<1>, Tensor<1>, Tensor<1>) {
        let place = self.place.autodiff();
        let parameters = self.parameters(weights).0.into_iter();
        let p = Parameters(parameters.map(|p| Tensor::from_inner(p).require_grad()).collect());
        let network = self.network(&p, &place);
        let (loss, nearest) = match ready.goal {
            Goal::Targets(targets) => {
                let loss = targets.loss(network.squared_distances(&ready.batch));
                (loss, place.wide_list(vec![0.0]))
            }
            Goal::Partners { temperature } => {
                nt_xent(wide(network.graphs(&ready.batch)), temperature, &place)
            }
        };
        let scale = self.place.loss_scale();
        let mut all = (loss.clone() * scale).backward();
        let parts = self.layout.slots.iter().zip(&p.0).map(|(slot, tensor)| {
            // A parameter that the batch does not read has none: no node has a string, say.
            let gradient =
                tensor.grad_remove(&mut all).unwrap_or_else(|| tensor.clone().inner().zeros_like());
            wide(gradient).reshape([slot.elements()])
        });
        (loss.inner(), nearest.inner(), Tensor::cat(parts.collect(), 0) / scale)
    }

    /// Loss and gradients of a lesson, to hold those by hand to.
    #[cfg(test)]
    pub(crate) fn stepped(&self, weights: &[f32], lesson: Lesson) -> crate::cpu::StepResult {
        let weights = self.place.wide_list(weights.to_vec());
        let (loss, nearest, gradients) = self.gradients(&weights, self.batch(lesson));
        let one = |of: Tensor<1>| values(of).first().copied().unwrap_or(f32::NAN);
        crate::cpu::StepResult { loss: one(loss), nearest: one(nearest), gradients: values(gradients) }
    }
}

impl Learner {
    /// As [`Learned::update`].
    fn update(&mut self, gradients: Tensor<1>, stride: &Stride) {
        self.step += 1;
        let [correct1, correct2] = corrections(self.step);
        let config = &stride.optimiser;
        let mut g = gradients;
        if config.clip_norm > 0.0 {
            let length = g.clone().powi_scalar(2).sum().sqrt();
            g = g * (length.recip() * config.clip_norm).clamp_max(1.0);
        }
        let weights = self.weights.clone();
        let g = g.clamp(-config.clip_value, config.clip_value) + weights.clone() * config.weight_decay as f32;
        self.first = self.first.clone() * BETA1 + g.clone() * (1.0 - BETA1);
        self.second = self.second.clone() * BETA2 + g.powi_scalar(2) * (1.0 - BETA2);
        let root = (self.second.clone() * correct2).sqrt() + EPSILON;
        self.weights = weights - self.first.clone() * (stride.rate * correct1) / root;
        if stride.ema_decay > 0.0 {
            let decay = decay(stride.ema_decay, self.step);
            self.average = self.weights.clone() + (self.average.clone() - self.weights.clone()) * decay;
        }
    }
}

impl Backend for BurnBackend {
    type Batch = Ready;
    type Learner = Learner;

    // Each question waits for the device.
    const STEPS_A_QUESTION: usize = 16;

    fn batch(&self, lesson: Lesson) -> Ready {
        let place = self.place.autodiff();
        let batch = |pairs: &[&Prepared]| Batch::new(pairs, &self.config, &place);
        match &lesson {
            Lesson::Pairs(items) => {
                let pairs: Vec<&Prepared> = items.iter().map(|item| &item.pair).collect();
                Ready { batch: batch(&pairs), goal: Goal::Targets(Box::new(Targets::new(items, &place))) }
            }
            Lesson::Views(views, temperature) => {
                let pairs: Vec<&Prepared> = views.iter().collect();
                Ready { batch: batch(&pairs), goal: Goal::Partners { temperature: *temperature } }
            }
        }
    }

    fn learner(&self, from: &Learned) -> Learner {
        let list = |list: &[f32]| self.place.wide_list(list.to_vec());
        Learner {
            weights: list(&from.weights),
            average: list(&from.average),
            first: list(&from.first),
            second: list(&from.second),
            step: from.step,
            loss: list(&[0.0]),
            nearest: list(&[0.0]),
        }
    }

    fn step(&self, learner: &mut Learner, batch: Ready, stride: &Stride) {
        let (loss, nearest, gradients) = self.gradients(&learner.weights, batch);
        learner.loss = learner.loss.clone() + loss;
        learner.nearest = learner.nearest.clone() + nearest;
        learner.update(gradients, stride);
    }

    fn said(&self, learner: &mut Learner) -> Said {
        // A gradient that is not finite makes weights that are not: nothing times them is not a number then.
        let loss = learner.loss.clone() + learner.weights.clone().sum() * 0.0;
        let both = values(Tensor::cat(vec![loss, learner.nearest.clone()], 0));
        let none = || self.place.wide_list(vec![0.0]);
        (learner.loss, learner.nearest) = (none(), none());
        match both[..] {
            [loss, nearest] => Said { loss: f64::from(loss), nearest: f64::from(nearest) },
            _ => Said { loss: f64::NAN, nearest: 0.0 },
        }
    }

    fn learned(&self, learner: &Learner) -> Learned {
        let list = |list: &Tensor<1>| values(list.clone());
        Learned {
            weights: list(&learner.weights),
            average: list(&learner.average),
            first: list(&learner.first),
            second: list(&learner.second),
            step: learner.step,
        }
    }

    fn distances(&self, weights: &[f32], pairs: &[Prepared]) -> Vec<f32> {
        let parameters = self.parameters(&self.place.wide_list(weights.to_vec()));
        let network = self.network(&parameters, &self.place);
        let mut out = Vec::with_capacity(pairs.len());
        for chunk in pairs.chunks(PAIRS_A_ROUND) {
            let chunk: Vec<&Prepared> = chunk.iter().collect();
            let batch = Batch::new(&chunk, &self.config, &self.place);
            out.extend(values(network.squared_distances(&batch)));
        }
        out
    }
}
