//! What training and pretraining say while they run, and who listens.

use serde::{Deserialize, Serialize};

use crate::rehearse::Rehearsal;

/// What a run starts with.
#[derive(Debug, Clone)]
pub struct StartReport {
    /// Number of parameters.
    pub parameters: usize,
    /// Training pairs that reach the network.
    pub train_pairs: usize,
    /// Training pairs left out: equal canonical forms have distance 0 whatever the weights.
    pub identical: usize,
    /// Training and validation pairs left out since the network cannot read them, with the
    /// first one's error.
    pub unusable: Option<(usize, String)>,
    /// Steps of an epoch.
    pub steps: usize,
    /// Epochs at most.
    pub epochs: usize,
    /// The epoch a resumed run starts after; 0 for a new one.
    pub resumed_after: usize,
    /// What an epoch will cost; none where there is no step to take.
    pub rehearsal: Option<Rehearsal>,
}

/// What a step did.
#[derive(Debug, Clone, Copy)]
pub struct StepReport {
    /// Epoch, from 1.
    pub epoch: usize,
    /// Step in the epoch, from 1.
    pub step: usize,
    /// Steps of the epoch.
    pub steps: usize,
    /// Loss of the batch.
    pub loss: f32,
    /// Pairs a second since the epoch began.
    pub pairs_per_second: f64,
}

/// What an epoch did: one line of `metrics.jsonl`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EpochReport {
    /// Epoch, from 1.
    pub epoch: usize,
    /// Mean loss of its batches.
    pub loss: f64,
    /// Validation AUC of the weights that would be kept.
    pub valid_auc: f64,
    /// Learning rate at its end.
    pub learning_rate: f32,
    /// Whether this is the best epoch so far.
    pub best: bool,
    /// Steps taken since the start of the run.
    pub steps: u64,
}

/// Follows a run. All methods have empty defaults.
pub trait Observer {
    /// The run begins.
    fn start(&mut self, _report: &StartReport) {}
    /// A step is done.
    fn step(&mut self, _report: &StepReport) {}
    /// An epoch is done; `seconds` is its wall-clock time.
    fn epoch(&mut self, _report: &EpochReport, _seconds: f64) {}
    /// Asked after each step: true ends the run as the time limit does.
    fn should_stop(&mut self) -> bool {
        false
    }
}

/// An observer that does nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Observer for Silent {}

/// Why a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StopReason {
    /// All epochs are done.
    Epochs,
    /// No better validation AUC for `patience` epochs.
    Patience,
    /// `max_minutes` passed.
    Time,
    /// The observer asked for it.
    Observer,
}

/// What an epoch of pretraining did: one line of `pretrain.jsonl`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PretrainEpoch {
    /// Epoch, from 1.
    pub epoch: usize,
    /// Mean NT-Xent of its batches.
    pub loss: f64,
    /// Mean share of views that were nearest to their own partner.
    pub nearest: f64,
}

/// Follows pretraining. All methods have empty defaults.
pub trait PretrainObserver {
    /// It begins, with so many whole epochs of an interrupted run done.
    fn start(&mut self, _resumed_after: usize) {}
    /// A step is done.
    fn step(&mut self, _report: &StepReport) {}
    /// An epoch is done.
    fn epoch(&mut self, _report: &PretrainEpoch) {}
    /// Asked after each step: true ends the run there.
    fn should_stop(&mut self) -> bool {
        false
    }
}

impl PretrainObserver for Silent {}
