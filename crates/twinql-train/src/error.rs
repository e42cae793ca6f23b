//! Why there is nothing to train on, or training does not go on: each with its place and its remedy.

use std::path::{Path, PathBuf};

use twinql::input::InputError;
use twinql_gmn::ModelError;
use twinql_sql::semantics::UnknownSemantics;

/// An error of training, or of what it reads.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TrainError {
    /// Pairs cannot be read.
    #[error(transparent)]
    Input(#[from] InputError),
    /// The configuration, or a file of pairs, cannot be read.
    #[error(transparent)]
    Corpus(#[from] twinql_corpus::CorpusError),
    /// The configuration makes no sense, or a checkpoint or a pair cannot be used.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The configuration cannot be written.
    #[error("cannot write the configuration as TOML: {0}")]
    Write(#[from] toml::ser::Error),
    /// What is wrong with a configuration file.
    #[error("{}: {cause}", path.display())]
    In {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        cause: Box<TrainError>,
    },
    /// The configuration contradicts itself, or names what is not there.
    #[error("{0}")]
    Invalid(String),
    /// No corpus is named.
    #[error("no pairs to train on; add [[data.corpora]] with pairs = \"FILE\", or give --pairs")]
    NoPairs,
    /// No folder is named.
    #[error("no folder to write into; set run = \"FOLDER\" or give --run")]
    NoFolder,
    /// Files are given for one corpus, and there are several.
    #[error(
        "--pairs and --schemas stand for the files of the only [[data.corpora]], and there are {0}; edit the configuration"
    )]
    NotOneCorpus(usize),
    /// A corpus of labels that mean no semantics.
    #[error("data.corpora, {}: {unknown}", pairs.display())]
    Semantics {
        /// The pair file.
        pairs: PathBuf,
        /// The name.
        unknown: UnknownSemantics,
    },
    /// A share that is none.
    #[error("valid_share under [data] is {0}; give a share between 0 and 1")]
    Share(f64),
    /// A kind is to be left out that no pair names.
    #[error(
        "without_kinds under [data] has {0:?}, which no pair's source names; `twinql corpus stats` lists the sources of a file"
    )]
    NoSuchKind(String),
    /// All pairs of a split have one label.
    #[error(
        "split {split:?} has {positives} pairs with label 1 of {pairs}: both labels are needed; `twinql corpus stats` shows what a file holds"
    )]
    OneSided {
        /// The split.
        split: String,
        /// Its pairs with label 1.
        positives: usize,
        /// All its pairs.
        pairs: usize,
    },
    /// The state of an interrupted run is damaged.
    #[error(
        "cannot resume from {origin}: {reason}; remove it to begin the run anew, or choose another run folder"
    )]
    State {
        /// The file's name.
        origin: String,
        /// What is wrong.
        reason: String,
    },
    /// Too little or one-sided data.
    #[error("cannot train: {0}")]
    Data(String),
    /// The loss or the weights are no longer finite.
    #[error("training diverged in epoch {epoch}: {reason}; lower learning_rate")]
    Diverged {
        /// Epoch, from 1.
        epoch: usize,
        /// What was not finite.
        reason: String,
    },
    /// A device that this build does not have.
    #[error("device '{device}' is not available: {remedy}")]
    Device {
        /// The name asked for.
        device: String,
        /// What to do.
        remedy: String,
    },
}

impl TrainError {
    pub(crate) fn config(reason: impl Into<String>) -> TrainError {
        TrainError::Model(ModelError::Config(reason.into()))
    }

    pub(crate) fn in_file(self, path: &Path) -> TrainError {
        TrainError::In { path: path.to_owned(), cause: Box::new(self) }
    }
}
