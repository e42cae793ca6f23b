//! What a command over pairs has to say, beside the work on them.

use anyhow::Result;
use serde::Serialize;
use serde_json::Value as Json;
use twinql::Job;
use twinql::record::{Status, StatusCounts};

use crate::input::{About, Item};

/// What a command says of a pair, and of all at the end.
pub(super) trait Says {
    /// The wire type of what is known of a pair, one JSON object for each.
    type Record: Serialize + Send;

    /// Counts a record of this run, and completes it where that takes the pairs in order.
    fn add(&mut self, job: &Job, about: &About, record: &mut Self::Record) -> Result<Status>;

    /// Counts a line that an earlier run has left as if this one had made it.
    fn again(&mut self, _item: &Item, _line: &Json) -> Result<()> {
        Ok(())
    }

    /// What --echo shows of a record.
    fn decided(&self, _record: &Self::Record) -> Vec<Decided> {
        Vec::new()
    }

    /// A single pair for people, without the signatures.
    fn words(&self, record: &Self::Record) -> String;

    /// The row of a pair in the table of many, behind id and status: columns and what stands in them.
    fn cells(&self, record: &Self::Record) -> Vec<(&'static str, String)>;

    /// What came of all pairs.
    fn end(&self, counts: &StatusCounts) -> Result<End>;
}

/// What a metric says of a pair, where results are to show it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Decided {
    pub(super) metric: &'static str,
    /// `same`, `different` or `abstained`.
    pub(super) decision: &'static str,
    /// Scores at or above it count as the same.
    pub(super) threshold: f64,
}

/// What came of all pairs.
pub(super) struct End {
    /// What a JSON document says besides its records, signatures and statuses.
    pub(super) document: Json,
    /// What is said between the statuses and the signatures.
    pub(super) lines: Vec<String>,
    /// What `--fail-under` looks at, in words, and its value.
    pub(super) checked: (String, f64),
    /// Pairs that are well themselves and of which something is not known, for `--strict`.
    pub(super) in_part: usize,
}
