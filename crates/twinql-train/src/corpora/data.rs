//! What a network is trained on: the `[data]` of a configuration.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use twinql_graph::Question;
use twinql_sql::Dialect;

use super::weaken::Weaken;
use crate::error::TrainError;

/// What is trained on.
#[derive(Debug, Clone, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Data {
    /// Labelled pairs; with several semantics the network learns to answer for each.
    pub corpora: Vec<Corpus>,
    /// Whose SQL the queries and the DDL are.
    #[schemars(with = "String")]
    pub dialect: Dialect,
    /// The split that is trained on.
    pub train_split: String,
    /// The split that chooses the epoch and fits the calibration.
    pub valid_split: String,
    /// The share of pairs that validates where no pair has a split: whole databases.
    pub valid_share: f64,
    /// Which databases these are.
    pub split_seed: u64,
    /// Weights in the loss by the pair's kind of origin (`prediction`, `neighbour`,
    /// `neighbour of a rewrite`, `rewrite`, `rewrite of a prediction`); 1 where none is given.
    pub weights: BTreeMap<String, f32>,
    /// Kinds of rewrite, of neighbour, of schema change or of turned gold, by their names: a pair whose `source` names one is in neither
    /// split, so that what a network makes of kinds it has never met can be measured.
    pub without_kinds: Vec<String>,
    /// Copies of training pairs whose forms are less canonical.
    pub weaken: Weaken,
    /// At most this many training pairs, the same ones whatever the seed; 0 for all. Weaker copies
    /// come on top.
    pub max_pairs: usize,
    /// Use a training pair that several corpora label alike under one semantics only, so that
    /// an epoch costs no more than with one corpus.
    pub spread: bool,
    /// Ask proofs and the suite about validation pairs, to calibrate `two-tier` and
    /// `three-tier`.
    pub tiers: bool,
}

impl Default for Data {
    fn default() -> Self {
        Data {
            corpora: Vec::new(),
            dialect: Dialect::Sqlite,
            train_split: "train".into(),
            valid_split: "valid".into(),
            valid_share: 0.1,
            split_seed: 8,
            weights: BTreeMap::new(),
            without_kinds: Vec::new(),
            weaken: Weaken::default(),
            max_pairs: 0,
            spread: false,
            tiers: true,
        }
    }
}

/// A pair file whose labels mean one semantics.
#[derive(Debug, Clone, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Corpus {
    /// The pair file; each pair has a label and a split. Where none has a split they are split by
    /// database.
    pub pairs: PathBuf,
    /// Schemas of pairs that name a database.
    #[serde(default)]
    pub schemas: Option<PathBuf>,
    /// The preset that the labels mean.
    pub semantics: String,
    /// The question that its labels answer. Of plausible databases that is the field `share`, which `corpus share` adds;
    /// where a pair has none its label counts, as of executions on a real database.
    #[serde(default, skip_serializing_if = "Question::is_usual")]
    #[schemars(with = "String", extend("default" = "every"))]
    pub question: Question,
    /// Whether teachers have a say beside its labels. Of pairs unlike all that the teachers know, labels alone are better.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    #[schemars(extend("default" = true))]
    pub taught: bool,
    /// Weight in the loss of all its pairs.
    #[serde(default = "one")]
    pub weight: f32,
}

fn one() -> f32 {
    1.0
}

fn yes() -> bool {
    true
}

fn is_yes(taught: &bool) -> bool {
    *taught
}

impl Data {
    /// The presets that the labels mean, each once, in the order of the corpora.
    pub fn semantics(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for corpus in &self.corpora {
            if !names.contains(&corpus.semantics) {
                names.push(corpus.semantics.clone());
            }
        }
        names
    }

    /// Other files in place of those of the only corpus.
    ///
    /// # Errors
    /// There are several corpora, or none.
    pub fn replace(&mut self, pairs: Option<&Path>, schemas: Option<&Path>) -> Result<(), TrainError> {
        let [corpus] = self.corpora.as_mut_slice() else {
            return Err(TrainError::NotOneCorpus(self.corpora.len()));
        };
        if let Some(pairs) = pairs {
            corpus.pairs = pairs.to_owned();
        }
        if let Some(schemas) = schemas {
            corpus.schemas = Some(schemas.to_owned());
        }
        Ok(())
    }
}
