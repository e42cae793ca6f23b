//! What training asks of an execution of the network: on a CPU by hand, or by burn on any of its devices.

use twinql_gmn::prepare::Prepared;

use crate::{
    adam::{Learned, Stride},
    target::Item,
};

/// What a step learns from.
#[derive(Debug)]
pub(crate) enum Lesson {
    /// Labelled pairs: the mean of their [losses](crate::target::Target::loss), by their weights.
    Pairs(Vec<Item>),
    /// At least two pairs, each of two views of one graph: [NT-Xent](crate::contrast), at this temperature.
    Views(Vec<Prepared>, f32),
}

impl Lesson {
    /// How many pairs it has.
    pub(crate) fn pairs(&self) -> usize {
        match self {
            Lesson::Pairs(items) => items.len(),
            Lesson::Views(views, _) => views.len(),
        }
    }
}

/// What the steps since the last question did.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Said {
    /// Sum of their losses.
    pub(crate) loss: f64,
    /// Sum of the shares of views that were nearest to their own partner.
    pub(crate) nearest: f64,
}

/// An execution of the network, and of the steps that move its weights. Weights, moments and their average live where the
/// steps run: they go there once, and come back at the end of an epoch.
pub(crate) trait Backend: Sync {
    /// A lesson as a step takes it, already where the step runs.
    type Batch: Send;
    /// What the steps move.
    type Learner;

    /// Steps after which to ask what they did. Asking waits until they are done.
    const STEPS_A_QUESTION: usize;

    /// Lays out a lesson. A thread ahead of the steps does so.
    fn batch(&self, lesson: Lesson) -> Self::Batch;

    /// Goes on from here.
    fn learner(&self, from: &Learned) -> Self::Learner;

    /// Takes a step.
    fn step(&self, learner: &mut Self::Learner, batch: Self::Batch, stride: &Stride);

    /// What the steps since the last question did. A loss is not a number where a loss or a gradient of theirs was not.
    fn said(&self, learner: &mut Self::Learner) -> Said;

    /// Where the steps have led to.
    fn learned(&self, learner: &Self::Learner) -> Learned;

    /// Squared distances of pairs.
    fn distances(&self, weights: &[f32], pairs: &[Prepared]) -> Vec<f32>;
}
