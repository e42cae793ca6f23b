//! What a corpus consists of, and what was left out on the way.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::oracle::Outcome;
use crate::Pair;

/// Pairs by label.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Labels {
    /// The same answer on every database.
    pub same: usize,
    /// Not the same answer.
    pub different: usize,
}

/// Candidates that became no pair, by reason.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Dropped {
    /// Lines over databases that are reserved for evaluation or excluded.
    pub excluded: usize,
    /// Labelled pairs of which an evaluation set holds a query, by canonical form.
    pub evaluation: usize,
    /// Lines over databases without a schema.
    pub unknown_database: usize,
    /// Empty, not UTF-8, not a pair.
    pub unusable: usize,
    /// The gold's own text.
    pub identical: usize,
    /// The same text for the same gold once more.
    pub repeated: usize,
    /// More predictions than are sampled.
    pub not_sampled: usize,
    /// SQLite refuses the prediction.
    pub pred_error: usize,
    /// SQLite refuses the gold.
    pub gold_error: usize,
    /// Past the limits on execution.
    pub timeout: usize,
    /// They agree, but the gold answers on too few databases.
    pub empty_answers: usize,
    /// They agree, but no database tests them.
    pub untested: usize,
    /// The machine failed.
    pub machine_error: usize,
    /// Labelled, and left out by the cap and the balance of labels.
    pub not_selected: usize,
}

impl Dropped {
    /// Counts a candidate without a label.
    pub(super) fn outcome(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Label(_) => {}
            Outcome::PredError => self.pred_error += 1,
            Outcome::GoldError => self.gold_error += 1,
            Outcome::Timeout => self.timeout += 1,
            Outcome::EmptyAnswers => self.empty_answers += 1,
            Outcome::Untested => self.untested += 1,
            Outcome::MachineError => self.machine_error += 1,
        }
    }

    pub(super) fn add(&mut self, other: &Dropped) {
        self.excluded += other.excluded;
        self.evaluation += other.evaluation;
        self.unknown_database += other.unknown_database;
        self.unusable += other.unusable;
        self.identical += other.identical;
        self.repeated += other.repeated;
        self.not_sampled += other.not_sampled;
        self.pred_error += other.pred_error;
        self.gold_error += other.gold_error;
        self.timeout += other.timeout;
        self.empty_answers += other.empty_answers;
        self.untested += other.untested;
        self.machine_error += other.machine_error;
        self.not_selected += other.not_selected;
    }
}

/// What a corpus consists of.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Stats {
    /// Number of pairs.
    pub pairs: usize,
    /// Number of distinct golds that pairs came from.
    pub golds: usize,
    /// Number of databases.
    pub databases: usize,
    /// Pairs by label.
    pub labels: Labels,
    /// By kind of origin: `prediction`, `neighbour`, `rewrite`, their combinations, and
    /// `changed schema`.
    pub by_origin: BTreeMap<String, Labels>,
    /// By the full `source` field.
    pub by_source: BTreeMap<String, Labels>,
    /// By part of the corpus.
    pub by_split: BTreeMap<String, Labels>,
    /// What became no pair.
    pub dropped: Dropped,
}

impl Stats {
    /// Counts pairs that are labelled.
    pub fn of<'p>(pairs: impl IntoIterator<Item = &'p Pair>) -> Stats {
        let mut stats = Stats::default();
        let mut golds = std::collections::BTreeSet::new();
        let mut databases = std::collections::BTreeSet::new();
        for pair in pairs {
            stats.pairs += 1;
            let source = pair.source.as_deref().unwrap_or("unknown");
            // A gold over a changed schema is no other gold.
            if origin(source) != CHANGED_SCHEMA {
                golds.insert((pair.db_id.as_deref(), pair.gold.as_str()));
            }
            databases.insert(pair.db_id.as_deref());
            let split = pair.split.as_deref().unwrap_or("none");
            for labels in [
                &mut stats.labels,
                stats.by_origin.entry(origin(source).to_owned()).or_default(),
                stats.by_source.entry(source.to_owned()).or_default(),
                stats.by_split.entry(split.to_owned()).or_default(),
            ] {
                match pair.label {
                    Some(1) => labels.same += 1,
                    Some(_) => labels.different += 1,
                    None => {}
                }
            }
        }
        stats.golds = golds.len();
        stats.databases = databases.len();
        stats
    }
}

/// The origin of pairs over a changed schema.
pub const CHANGED_SCHEMA: &str = "changed schema";

/// The origin of golds that were turned against themselves ([`crate::turned`]).
pub const TURNED: &str = "turned";

/// The kind of origin that a `source` names.
pub fn origin(source: &str) -> &'static str {
    if source.contains(">schema:") {
        return CHANGED_SCHEMA;
    }
    if source.starts_with("turned:") {
        return TURNED;
    }
    let neighbour = source.contains("neighbour:");
    let rewrite = source.contains("rewrite:");
    match (neighbour, rewrite) {
        (true, true) => "neighbour of a rewrite",
        (true, false) => "neighbour",
        (false, true) if source.starts_with("rewrite:") => "rewrite",
        (false, true) => "rewrite of a prediction",
        (false, false) => "prediction",
    }
}

/// What was done to make a pair, by its `source`: how, and the kind's name. The file of a prediction is no kind.
///
/// ```
/// let kinds: Vec<_> = twinql_corpus::build::kinds("T5-PICARD>rewrite:in-as-exists+idle-distinct>neighbour:limit").collect();
/// assert_eq!(kinds, [("rewrite", "in-as-exists"), ("rewrite", "idle-distinct"), ("neighbour", "limit")]);
/// ```
pub fn kinds(source: &str) -> impl Iterator<Item = (&str, &str)> {
    source
        .split('>')
        .filter_map(|step| step.split_once(':'))
        .filter(|(how, _)| matches!(*how, "rewrite" | "neighbour" | "schema" | "turned"))
        .flat_map(|(how, names)| names.split('+').map(move |name| (how, name)))
}
