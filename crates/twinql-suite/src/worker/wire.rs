//! What a [`Crew`](super::Crew) says to its workers.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use twinql_sql::{Schema, Semantics};

use crate::bird::BirdConfig;
use crate::files::FileConfig;
use crate::judge::JudgeConfig;
use crate::plausible::ExpectedConfig;
use crate::profile::Profile;
use crate::suite::RunOptions;

/// What a worker is told. What can be answered is; the rest is kept.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Request {
    /// How the pairs that follow are judged.
    Judging(Box<JudgeConfig>),
    /// The schema of the pairs that name this number.
    Schema(usize, Schema),
    /// The profile of the database of the schema with this number.
    Profile(usize, Box<Profile>),
    /// Forget all schemas: their numbers are used again.
    Forget,
    /// Judge this; the answer is a [`Report`](crate::Report).
    Pair { schema: usize, gold: String, pred: String },
    /// Count the plausible databases on which these agree; the answer is an [`Expectation`](crate::Expectation).
    Expected { schema: usize, gold: String, pred: String, config: ExpectedConfig },
    /// The databases of the pieces that follow: a schema's line of a suite file.
    Databases(String),
    /// Run these pairs of gold and prediction; the answer is a verdict for each.
    Piece { semantics: Semantics, options: RunOptions, pairs: Vec<(String, String)> },
    /// How the pairs that follow are executed on files.
    Executing(Box<FileConfig>),
    /// Execute this; the answer is a [`FileReport`](crate::files::FileReport).
    Files { files: Vec<PathBuf>, gold: String, pred: String },
    /// How the pairs that follow are measured as BIRD does.
    Measuring(BirdConfig),
    /// Measure this; the answer is [`Measures`](crate::bird::Measures), or the verdict that says why there are none.
    Measure { file: PathBuf, gold: String, pred: String },
}
