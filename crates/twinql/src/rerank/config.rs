//! What is ranked, and how.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use twinql_sql::{Dialect, Schema, Semantics};

use super::weights::{Candidate, Weights};
use crate::dialects::Dialects;

/// Candidates for one question, over one schema.
#[derive(Debug, Clone)]
pub struct Set {
    /// The schema.
    pub schema: Arc<Schema>,
    /// Whose SQL the candidates are, where that is not what the reranker takes them to be.
    pub dialect: Option<Dialect>,
    /// The candidates, in the order in which the model gave them.
    pub candidates: Vec<Candidate>,
}

/// How a candidate is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// The highest expected agreement.
    Mbr,
    /// The class with the most votes.
    #[default]
    Majority,
}

twinql_sql::named!(Method: Mbr "mbr", Majority "majority");

/// What agreement between classes is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Utility {
    /// The network's probability that the answers are the same.
    #[default]
    Gmn,
    /// Partial match of canonical trees.
    RelPm,
}

twinql_sql::named!(Utility: Gmn "gmn", RelPm "relpm");

/// How sets are ranked.
#[derive(Debug, Clone, PartialEq)]
pub struct RerankConfig {
    /// How a candidate is chosen.
    pub method: Method,
    /// What agreement is, for [`Method::Mbr`].
    pub utility: Utility,
    /// How much each candidate's vote counts.
    pub weights: Weights,
    /// Tries to prove candidates equal whose canonical forms differ.
    pub proofs: bool,
    /// What "the same answer" means. A network that was not trained for it is told the nearest that it knows.
    pub semantics: Semantics,
    /// Whose SQL the DDL and the candidates are (predictions all), where their set does not say so.
    pub dialects: Dialects,
}

impl Default for RerankConfig {
    fn default() -> Self {
        RerankConfig {
            method: Method::default(),
            utility: Utility::default(),
            weights: Weights::default(),
            proofs: true,
            semantics: Semantics::default(),
            dialects: Dialects::default(),
        }
    }
}
