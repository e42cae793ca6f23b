//! What there is to score.

use std::sync::Arc;

use serde_json::Value;
use twinql_sql::Schema;

use crate::record::Status;

/// A pair to score, or the reason why there is none.
#[derive(Debug, Clone)]
pub struct Job {
    /// The pair's id.
    pub id: Value,
    /// What there is to do.
    pub work: Work,
    /// The same with further references: the prediction may meet any of them.
    pub others: Vec<Work>,
}

impl Job {
    /// A pair with one reference.
    pub fn new(id: Value, work: Work) -> Job {
        Job { id, work, others: Vec::new() }
    }

    /// A job for each reference.
    pub(crate) fn by_reference(&self) -> impl Iterator<Item = Job> {
        std::iter::once(&self.work).chain(&self.others).map(|work| Job::new(self.id.clone(), work.clone()))
    }

    /// The schema, the reference and what is compared with it; none where there is no pair.
    pub fn pair(&self) -> Option<(&Arc<Schema>, &str, &str)> {
        match &self.work {
            Work::Pair { schema, gold, pred } => Some((schema, gold, pred)),
            Work::Unusable { .. } => None,
        }
    }
}

/// What a [`Job`] holds.
#[derive(Debug, Clone)]
pub enum Work {
    /// Two queries over a schema.
    Pair {
        /// The schema of both.
        schema: Arc<Schema>,
        /// The reference.
        gold: String,
        /// What is compared with it.
        pred: String,
    },
    /// No pair: its line, its database or its prediction cannot be used.
    Unusable {
        /// The status to report.
        status: Status,
        /// Why, and what to do.
        error: String,
        /// Both texts are there, and say the same in the same words: a query is itself, be it understood or not.
        alike: bool,
    },
}
