#![doc = include_str!("../README.md")]
//!
//! [`Pipeline`] scores pairs over one schema; an [`Engine`], set up by [`Engine::builder`], does the same
//! for batches over many schemas, with any metrics, checkpoint and [`Semantics`]. [`input`] reads pairs from
//! files. [`metrics`] lists the metrics, and has the statistics that compare them.
//! The crates underneath are re-exported as modules: [`sql`], [`graph`], [`suite`], [`probe`], [`audit`], [`corpus`],
//! [`gmn`], [`files`].

pub use twinql_audit as audit;
pub use twinql_corpus as corpus;
pub use twinql_files as files;
pub use twinql_gmn as gmn;
pub use twinql_graph as graph;
pub use twinql_probe as probe;
pub use twinql_sql as sql;
pub use twinql_suite as suite;

mod batch;
mod builder;
mod classes;
pub mod cluster;
pub mod contradictions;
mod dialects;
pub mod embedded;
pub mod engine;
pub mod estimates;
pub mod evaluation;
pub mod exit;
mod families;
pub mod input;
mod job;
pub mod judging;
pub mod localising;
pub mod metric;
pub mod metrics;
mod names;
mod network;
mod pipeline;
pub mod premises;
pub mod prepare;
mod profiles;
pub mod progress;
pub mod proving;
pub mod record;
pub mod rerank;
pub mod rewards;
pub mod runs;
pub mod serving;
mod setup;
pub mod signature;
pub mod status;
pub mod steps;
pub mod tiers;

mod unread;
pub mod vacuous;
pub mod witness;

pub use builder::EngineBuilder;
pub use dialects::Dialects;
pub use engine::Engine;
pub use families::Known;
pub use job::{Job, Work};
pub use metric::Metric;
pub use network::{Network, NetworkError};
pub use pipeline::{Pipeline, PipelineError};
pub use profiles::Profiles;
pub use record::{Record, Status, StatusCounts};
pub use signature::Signature;
pub use twinql_sql::{Schema, Semantics};

/// The page on rewards, whose program is a test.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/rewards.md")]
mod page_on_rewards {}
