#![doc = include_str!("../README.md")]
//!
//! [`corpora`] makes examples of labelled pairs; [`train()`] turns them into a [`Checkpoint`](twinql_gmn::Checkpoint), from
//! random weights or from those that [`pretrain()`] finds without labels.
//!
//! The network is executed by burn, on any of its devices: weights, gradients, losses and the optimiser are tensors there.
//! On a CPU the same steps are written by hand in plain Rust, which is several times faster; tests hold their losses and
//! gradients to burn's. Weights are one flat list, so a run may begin on one and go on with the other.

mod adam;
mod backend;
mod burn;
mod checkpoint;
mod config;
mod contrast;
pub mod corpora;
mod cpu;
mod data;
mod error;
mod example;
mod fit;
mod pretrain;
mod pretrain_config;
mod rehearse;
mod report;
mod run;
mod state;
#[cfg(test)]
mod synthetic;
mod target;
mod teach;
#[cfg(test)]
mod tests;
mod train;

pub use config::{Compute, Precision, Schedule, TrainConfig};
pub use error::TrainError;
pub use example::Example;
pub use pretrain::{Pretrained, pretrain};
pub use pretrain_config::PretrainConfig;
pub use rehearse::{Rehearsal, peak_memory};
pub use report::{
    EpochReport, Observer, PretrainEpoch, PretrainObserver, Silent, StartReport, StepReport, StopReason,
};
pub use train::{Trained, check_files, train};
