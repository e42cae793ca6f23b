//! From corpora of labelled pairs to what a network is trained on.
//!
//! A [`RunConfig`] names the corpora ([`Data`]) and the network. [`examples`] reads, plans and encodes their
//! pairs for [`twinql_model::train`]; [`query_graphs`] gives the graphs alone, for
//! [`twinql_model::pretrain`]. Both are functions of the files, the configuration and its seed.
//!
//! ```no_run
//! use std::{path::Path, sync::Arc};
//! use twinql::model::{Silent, train};
//! use twinql::progress::{self, Progress};
//! use twinql::training::{Overrides, RunConfig, examples};
//!
//! let (config, folder) = RunConfig::read(Path::new("train.toml"), &Overrides::default())?;
//! let progress: Arc<dyn Progress> = Arc::new(progress::Silent);
//! let (learn, valid) = examples(&config.data, &config.how(), &progress)?;
//! let trained = train(&config.train, &learn, &valid, &mut Silent)?;
//! std::fs::write(folder.join("model.safetensors"), trained.checkpoint.to_bytes()?)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod config;
mod data;
mod examples;
mod labelled;
mod sample;
mod split;
mod spread;
mod weaken;

use std::path::{Path, PathBuf};

use twinql_sql::semantics::UnknownSemantics;

pub use config::{Overrides, RunConfig};
pub use data::{Corpus, Data};
pub use examples::{examples, query_graphs};
pub use labelled::How;
pub use weaken::Weaken;

use crate::input::InputError;

/// Why there is nothing to train on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TrainingError {
    /// Pairs cannot be read.
    #[error(transparent)]
    Input(#[from] InputError),
    /// The configuration, or a file of pairs, cannot be read.
    #[error(transparent)]
    Corpus(#[from] twinql_corpus::CorpusError),
    /// The network cannot be as the configuration says.
    #[error(transparent)]
    Model(#[from] twinql_model::ModelError),
    /// The configuration cannot be written.
    #[error("cannot write the configuration as TOML: {0}")]
    Write(#[from] toml::ser::Error),
    /// What is wrong with a configuration file.
    #[error("{}: {cause}", path.display())]
    In {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        cause: Box<TrainingError>,
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
}

impl TrainingError {
    fn in_file(self, path: &Path) -> TrainingError {
        TrainingError::In { path: path.to_owned(), cause: Box::new(self) }
    }
}
