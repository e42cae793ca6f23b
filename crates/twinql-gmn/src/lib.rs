#![doc = include_str!("../README.md")]
//!
//! A [`Scorer`] turns a [`Checkpoint`] and pairs of graphs into distances and calibrated probabilities. There is no
//! backward pass here: `twinql-train` makes checkpoints, on what [`weights`], [`prepare`], [`pass`] and [`calibrate`] give.
//!
//! ```
//! use twinql_gmn::{Checkpoint, CheckpointInfo, Scorer};
//! use twinql_gmn::{config::Network, weights::Layout};
//! use twinql_graph::{PairArrays, QueryGraph, vocabulary};
//!
//! // A network of random weights, of which nothing is known.
//! let network = Network::default();
//! let weights = Layout::new(&network.model).init(8);
//! let untrained = Checkpoint { info: CheckpointInfo::untrained(&network), weights };
//! let scorer = Scorer::from_bytes(&untrained.to_bytes()?, Some(&vocabulary::hash()))?;
//!
//! let graph = |sql: &str| QueryGraph::of_ast(&twinql_sql::parse(sql).unwrap().query).unwrap();
//! let (left, right) = (graph("SELECT a FROM t"), graph("SELECT b FROM t"));
//! let pair = PairArrays::build(&left, &right, &network.model.encoding());
//! let score = scorer.score(&[pair]).remove(0)?;
//! assert!((0.0..=1.0).contains(&score.probability));
//! # Ok::<(), twinql_gmn::ModelError>(())
//! ```

mod attention;
mod band;
pub mod calibrate;
pub mod checkpoint;
pub mod config;
mod correction;
mod error;
mod execution;
mod header;
mod inference;
mod logistic;
pub mod pass;
pub mod prepare;
mod reading;
mod score;
mod scorer;
pub mod seal;
mod text;
mod tiers;
pub mod weights;

pub use attention::{Attention, AttentionStep, Match};
pub use band::{Band, Decision, LEVEL};
pub use calibrate::{Calibration, Quality, Transform};
pub use checkpoint::{Checkpoint, CheckpointInfo, FORMAT};
pub use config::{GmnConfig, GraphConfig, GraphKind, Network};
pub use correction::{Correction, Probed, Shown};
pub use error::ModelError;
pub use execution::{Between, Executed, ExecutionModel, Folds, Signs, Unfit};
pub use reading::Reading;
pub use score::Score;
pub use scorer::Scorer;
pub use seal::checksum;
pub use tiers::{Cascade, Evidence, Tier, Tiers};
