#![doc = include_str!("../README.md")]
//!
//! [`train()`] turns labelled pairs of graphs into a [`Checkpoint`], from random weights or from those
//! that [`pretrain()`] finds without labels; a [`Scorer`] turns a
//! checkpoint and pairs of graphs into distances and calibrated probabilities.
//!
//! There is one model, a flat list of weights with a layout, and two executions of it: by
//! hand-written passes in plain Rust, which are several times faster on a CPU and serve training
//! there and all inference, and by burn on any of its devices, for GPUs and as a check. burn is
//! built for the features `flex`, `wgpu` and `cuda` alone. Losses are computed outside of both, from what
//! they say of a batch. Without burn, tests hold gradients to finite differences; with `flex`, to its
//! autodiff too.
//!
//! ```
//! use twinql_graph::{PairArrays, QueryGraph, vocabulary};
//! use twinql_model::{Example, Scorer, Silent, TrainConfig, train};
//!
//! // Pairs of syntax trees: the same query twice but for a number, or with another column.
//! let graph = |sql: &str| QueryGraph::of_ast(&twinql_sql::parse(sql).unwrap().query).unwrap();
//! let config = TrainConfig { epochs: 1, ..TrainConfig::default() };
//! let examples: Vec<Example> = (0..8)
//!     .map(|i| {
//!         let label = i % 2 == 0;
//!         let other = if label { "a" } else { "b" };
//!         let (left, right) = (graph("SELECT a FROM t"), graph(&format!("SELECT {other} FROM t LIMIT {i}")));
//!         Example::new(PairArrays::build(&left, &right, &config.network.model.encoding()), label)
//!     })
//!     .collect();
//! let trained = train(&config, &examples, &examples, &mut Silent)?;
//! let bytes = trained.checkpoint.to_bytes()?;
//! let scorer = Scorer::from_bytes(&bytes, Some(&vocabulary::hash()))?;
//! let score = scorer.score(&[examples[0].pair.clone()]).remove(0)?;
//! assert!((0.0..=1.0).contains(&score.probability));
//! # Ok::<(), twinql_model::ModelError>(())
//! ```

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
mod correction;
mod data;
mod device;
mod error;
mod example;
mod execution;
mod fit;
mod header;
mod logistic;
mod native;
mod prepare;
mod pretrain;
mod pretrain_config;
mod reading;
mod report;
mod run;
mod score;
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
pub use config::{Compute, GmnConfig, GraphConfig, GraphKind, Network, Precision, Schedule, TrainConfig};
pub use correction::{Correction, Probed, Shown};
pub use error::ModelError;
pub use example::Example;
pub use execution::{Between, Executed, ExecutionModel, Folds, Signs, Unfit};
pub use pretrain::{Pretrained, pretrain};
pub use pretrain_config::PretrainConfig;
pub use reading::Reading;
pub use report::{
    EpochReport, Observer, PretrainEpoch, PretrainObserver, Silent, StartReport, StepReport, StopReason,
};
pub use score::Score;
pub use scorer::Scorer;
pub use seal::checksum;
pub use tiers::{Cascade, Evidence, Tier, Tiers};
pub use train::{Trained, check_files, train};
