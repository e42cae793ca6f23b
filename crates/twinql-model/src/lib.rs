//! The graph matching network: training, checkpoints and batched inference.
//!
//! [`train()`] turns labelled pairs of graphs into a [`Checkpoint`], from random weights or from those
//! that [`pretrain()`] finds without labels; a [`Scorer`] turns a
//! checkpoint and pairs of graphs into distances and calibrated probabilities.
//!
//! There is one model, a flat list of weights with a layout, and two executions of it: by burn
//! on any of its devices (with autodiff), and by hand-written passes in plain Rust,
//! which are several times faster on a CPU and serve training there and all inference. Tests
//! hold distances and gradients of the two together.

mod adam;
mod attention;
mod backend;
mod band;
#[cfg(feature = "burn")]
mod burn;
mod calibrate;
mod checkpoint;
mod config;
mod contrast;
mod data;
mod error;
mod native;
mod prepare;
mod pretrain;
mod run;
mod scorer;
mod seal;
mod state;
#[cfg(test)]
mod synthetic;
mod target;
mod teach;
#[cfg(test)]
mod tests;
mod text;
mod tiers;
mod train;
mod weights;

pub use attention::{Attention, AttentionStep, Match};
pub use band::{Band, Decision, LEVEL};
pub use calibrate::{Calibration, Quality, Transform};
pub use checkpoint::{Checkpoint, CheckpointInfo, FORMAT};
pub use config::{Compute, GmnConfig, GraphConfig, GraphKind, Precision, Schedule, TrainConfig};
pub use error::ModelError;
pub use pretrain::{PretrainConfig, PretrainEpoch, PretrainObserver, Pretrained, pretrain};
pub use scorer::{Score, Scorer};
pub use seal::{add_checksum, checksum};
pub use tiers::{Cascade, Evidence, Tier, Tiers};
pub use train::{
    EpochReport, Example, Observer, Silent, StartReport, StepReport, StopReason, Trained, train,
};
