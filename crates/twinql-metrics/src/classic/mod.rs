//! Metrics that compare two queries as they are written or planned, without any database.
//!
//! Each is a function over a [`Pair`]: both queries parsed, as a syntax tree and as a canonical relational
//! operator tree. What cannot be parsed or planned never reaches them. The published forms of exact set match read texts
//! by themselves, and get all of them.

mod bleu;
mod codebleu;
mod crystal;
mod esm;
mod exact;
#[cfg(test)]
mod tests;
pub(crate) mod tokens;

use serde_json::{Map, Value};
use sqlparser::ast;
use twinql_graph::QueryGraph;
use twinql_sql::Schema;

pub use bleu::score as bleu;
pub use codebleu::code_bleu;
pub use crystal::{TRIVIAL, TrivialNgrams, crystal_bleu};
pub use esm::{
    ESM_RULES, EsmRule, UnknownEsmRule, WithoutRules, clauses_match, components, esm_plus,
    esm_plus_published, exact_set_match,
};
pub use exact::same_tokens;

/// One query of a pair.
#[derive(Debug, Clone, Copy)]
pub struct Side<'a> {
    /// Its text, in SQLite's SQL.
    pub sql: &'a str,
    /// What was parsed.
    pub query: &'a ast::Query,
    /// Its syntax tree as a graph.
    pub tree: &'a QueryGraph,
    /// Its canonical relational operator tree as a graph, with logic and data flow.
    pub rot: &'a QueryGraph,
}

/// A gold query and a prediction over one schema.
#[derive(Debug, Clone, Copy)]
pub struct Pair<'a> {
    /// The schema of both.
    pub schema: &'a Schema,
    /// The reference.
    pub gold: Side<'a>,
    /// What is compared with it.
    pub pred: Side<'a>,
}

/// What a metric says of a pair.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Scored {
    /// In [0, 1], 1 = the same.
    pub score: f64,
    /// More about the score: what a record shows under `details`.
    pub details: Map<String, Value>,
}

impl From<f64> for Scored {
    fn from(score: f64) -> Scored {
        Scored { score, details: Map::new() }
    }
}

impl From<bool> for Scored {
    fn from(same: bool) -> Scored {
        Scored::from(f64::from(u8::from(same)))
    }
}
