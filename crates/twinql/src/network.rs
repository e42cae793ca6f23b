//! Trained networks: those in the binary, and those of checkpoint files.

use std::path::Path;
use std::sync::Arc;

use twinql_files::{FileError, read_bounded};
use twinql_gmn::{Checkpoint, GraphConfig, ModelError, Scorer};
use twinql_graph::{EncodingConfig, Question, vocabulary};
use twinql_sql::Semantics;

use crate::embedded::{BUILT_IN, BuiltIn};
use crate::signature::short_hash;

/// A trained network with what its signature needs.
#[derive(Debug, Clone)]
pub struct Network {
    scorer: Arc<Scorer>,
    hash: String,
}

/// Why there is no network to score with, or what else a metric lacks.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NetworkError {
    /// The program was built without this checkpoint.
    #[error("no checkpoint `{0}` is built in; pass --checkpoint FILE (make one with `twinql train`)")]
    NotBuiltIn(&'static str),
    /// The weights are not trained yet.
    #[error("{0} is pretrained only; train from it (init under [train], or `twinql train --init`)")]
    Pretrained(String),
    /// Tiers are asked for, and the checkpoint was trained without them.
    #[error("the checkpoint was trained without tiers; use gmn, or train with `tiers = true` under [data]")]
    NoTiers,
    /// The network was not trained for what it is asked.
    #[error(
        "the checkpoint was not trained for the question `{0}`; ask another by --question, or train with `question = \"{0}\"` under [[data.corpora]]"
    )]
    Question(Question),
    /// A metric that has a word on every database alone is asked about plausible ones.
    #[error(
        "{metric} goes by proofs and databases, and answers for every database; with --question {question} ask for gmn or ex"
    )]
    OtherQuestion {
        /// The metric.
        metric: &'static str,
        /// What was asked.
        question: Question,
    },
    /// A metric that executes is asked for without databases.
    #[error("{0} executes queries on databases; give a folder of them (--db FOLDER)")]
    NoDatabases(&'static str),
    /// The file cannot be read.
    #[error(
        "cannot read the checkpoint {file}: {message}; check the path, name a built-in one (small, base), or train one with `twinql train`"
    )]
    Io {
        /// The file.
        file: String,
        /// What the operating system says.
        message: String,
    },
    /// The file is no checkpoint of this program.
    #[error(transparent)]
    Model(#[from] ModelError),
}

/// MiB of a checkpoint.
const LARGEST: u64 = 4096;

impl Network {
    /// The network in the binary that is used where none is named.
    ///
    /// # Errors
    /// The program was built without one.
    pub fn embedded() -> Result<Network, NetworkError> {
        Network::built_in(&BUILT_IN[0])
    }

    /// A network in the binary.
    ///
    /// # Errors
    /// The program was built without it.
    pub fn built_in(which: &BuiltIn) -> Result<Network, NetworkError> {
        let bytes = which.checkpoint().ok_or(NetworkError::NotBuiltIn(which.name))?;
        Network::from_bytes(bytes, &which.origin())
    }

    /// The network that a user names: one in the binary (`small`, `base`), or a checkpoint file.
    ///
    /// # Errors
    /// Those of [`Network::built_in`] and [`Network::from_file`].
    pub fn named(name: &Path) -> Result<Network, NetworkError> {
        match name.to_str().and_then(BuiltIn::find) {
            Some(which) => Network::built_in(which),
            None => Network::from_file(name),
        }
    }

    /// The one that a user names, or where none is named the one that is used then.
    ///
    /// # Errors
    /// Those of [`Network::named`] and [`Network::embedded`].
    pub fn chosen(name: Option<&Path>) -> Result<Network, NetworkError> {
        name.map_or_else(Network::embedded, Network::named)
    }

    /// The network of a checkpoint file.
    ///
    /// # Errors
    /// The file cannot be read, is damaged, or is not this program's.
    pub fn from_file(path: &Path) -> Result<Network, NetworkError> {
        let file = path.display().to_string();
        let bytes = read_bounded(path, LARGEST, "checkpoint").map_err(|e| NetworkError::Io {
            file: file.clone(),
            message: match e {
                FileError::Io { cause, .. } => cause.to_string(),
                other => other.to_string(),
            },
        })?;
        Network::from_bytes(&bytes, &file)
    }

    /// The network of a checkpoint in memory; `origin` names it in errors.
    ///
    /// # Errors
    /// The bytes are damaged, or not this program's.
    pub fn from_bytes(bytes: &[u8], origin: &str) -> Result<Network, NetworkError> {
        let checkpoint = Checkpoint::from_bytes(bytes, origin, Some(&vocabulary::hash()))?;
        if checkpoint.info.pretrained {
            return Err(NetworkError::Pretrained(origin.to_owned()));
        }
        Ok(Network { scorer: Arc::new(Scorer::new(checkpoint)), hash: short_hash(bytes) })
    }

    /// The scorer itself.
    pub fn scorer(&self) -> &Scorer {
        &self.scorer
    }

    /// The first digits of the checkpoint's hash, as signatures have them.
    pub fn hash(&self) -> &str {
        &self.hash
    }

    /// The presets whose labels it was trained on.
    pub fn semantics(&self) -> &[String] {
        &self.scorer.info().semantics
    }

    /// The semantics that graphs tell it of when `asked` is asked for: that one where it was trained on its labels, else
    /// the nearest of its own. Forms, proofs and databases follow `asked` all the same.
    pub fn conditioned_on(&self, asked: &Semantics) -> Semantics {
        let own = self.semantics();
        if own.contains(&asked.name) {
            return asked.clone();
        }
        let presets = own.iter().filter_map(|name| Semantics::preset(name));
        presets.min_by_key(|preset| preset.differences(asked)).unwrap_or_default()
    }

    /// The semantics that it is conditioned on in place of `asked`, where it was not trained for that one.
    pub fn stands_in_for(&self, asked: &Semantics) -> Option<Semantics> {
        let conditioned = self.conditioned_on(asked);
        (conditioned.name != asked.name).then_some(conditioned)
    }

    /// The same network as it is read for a question under a semantics ([`Scorer::asked`]).
    ///
    /// # Errors
    /// It was not trained for the question.
    pub fn asked(&self, question: Question, semantics: &Semantics) -> Result<Network, NetworkError> {
        let conditioned = self.conditioned_on(semantics);
        let asked = self.scorer.asked(question, &conditioned.name).ok_or(NetworkError::Question(question))?;
        Ok(Network { scorer: Arc::new(asked), hash: self.hash.clone() })
    }

    /// What it is asked.
    pub fn question(&self) -> Question {
        self.scorer.info().graph.question
    }

    /// How pairs are encoded for it.
    pub fn encoding(&self) -> EncodingConfig {
        self.scorer.info().model.encoding()
    }

    /// How it wants queries' graphs to be made.
    pub fn graph(&self) -> GraphConfig {
        let graph = self.scorer.info().graph;
        // Asked the usual question, a network reads what all others do.
        GraphConfig { regularities: graph.regularities && !graph.question.is_usual(), ..graph }
    }
}
