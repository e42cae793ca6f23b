//! From corpora of labelled pairs to what a network is trained on.
//!
//! A [`RunConfig`] names the corpora ([`Data`]) and the network. [`examples`] reads, plans and encodes their
//! pairs for [`train`](crate::train()); [`query_graphs`] gives the graphs alone, for
//! [`pretrain`](crate::pretrain()). Both are functions of the files, the configuration and its seed.
//!
//! ```no_run
//! use std::{path::Path, sync::Arc};
//! use twinql::progress::{self, Progress};
//! use twinql_train::corpora::{Overrides, RunConfig, examples};
//! use twinql_train::{Silent, train};
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

pub use config::{Overrides, RunConfig};
pub use data::{Corpus, Data};
pub use examples::{examples, query_graphs};
pub use labelled::How;
pub use weaken::Weaken;
