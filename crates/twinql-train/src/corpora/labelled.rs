//! The labelled pairs that examples are made of, and how.

use std::sync::Arc;

use twinql_gmn::GraphConfig;
use twinql_graph::EncodingConfig;
use twinql_sql::Schema;

/// How examples are made for a network.
pub struct How {
    /// What graphs are made of.
    pub graph: GraphConfig,
    /// How their nodes are encoded.
    pub encoding: EncodingConfig,
    /// Whether teachers have a say in what the pairs are to be called.
    pub taught: bool,
    /// Whether training pairs are asked for; only validation pairs otherwise.
    pub training: bool,
    /// Seed of weaker forms and of the databases that tiers are judged on.
    pub seed: u64,
}

/// A labelled pair of a split that is used.
pub(super) struct Labelled {
    pub schema: Arc<Schema>,
    pub gold: String,
    pub pred: String,
    pub label: bool,
    pub valid: bool,
    pub origin: &'static str,
    pub weight: f32,
    pub ease: Option<f32>,
    /// Of a pair over plausible databases, the probability that its queries agree on one.
    pub share: Option<f32>,
}
