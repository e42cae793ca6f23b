//! Which databases a build takes, and which part of the split each belongs to.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::config::BuildConfig;
use super::hash;
use crate::CorpusError;
use crate::io::{lines, read_bytes};

/// A part of the split. A database belongs to one alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Networks learn from it.
    Train,
    /// Epochs, calibrations and thresholds are chosen on it.
    Valid,
    /// Only figures come from it.
    Test,
}

impl Role {
    /// As `split` of a pair says it.
    pub fn name(self) -> &'static str {
        match self {
            Role::Train => "train",
            Role::Valid => "valid",
            Role::Test => "test",
        }
    }
}

/// The databases of a configuration.
pub(super) struct Databases<'a> {
    config: &'a BuildConfig,
    /// Those of [`Role::Test`].
    test: Vec<String>,
}

impl Databases<'_> {
    /// Reads the file with the databases of the part `test`, if there is one.
    pub(super) fn of(config: &BuildConfig) -> Result<Databases<'_>, CorpusError> {
        let mut test = config.split.test_databases.clone();
        if !config.split.test_file.is_empty() {
            let bytes = read_bytes(Path::new(&config.split.test_file))?;
            let names = lines(&bytes).map(|l| String::from_utf8_lossy(l).trim().to_owned());
            test.extend(names.filter(|n| !n.is_empty()));
        }
        Ok(Databases { config, test })
    }

    /// The part of the split: its name and the seed alone decide, whatever else is built.
    pub(super) fn role(&self, db_id: &str) -> Role {
        let split = &self.config.split;
        if self.test.iter().any(|t| t == db_id) {
            return Role::Test;
        }
        let is_valid = if split.valid_databases.is_empty() {
            let at = hash(&["split", &self.config.seed.to_string(), db_id]) >> 11;
            (at as f64) / ((1_u64 << 53) as f64) < split.valid_share
        } else {
            split.valid_databases.iter().any(|name| name == db_id)
        };
        if is_valid { Role::Valid } else { Role::Train }
    }

    /// True if pairs over a database are built now: it belongs to the K-th of N parts and to the part of the split that are
    /// asked for, if any are.
    pub(super) fn takes(&self, db_id: &str) -> bool {
        let in_part = |(part, of): (u64, u64)| hash(&["databases", db_id]) % of.max(1) + 1 == part;
        self.config.part.is_none_or(in_part) && self.config.only.is_none_or(|role| self.role(db_id) == role)
    }

    /// True if nothing may be built over a database, since others evaluate on it.
    pub(super) fn excludes(&self, db_id: &str) -> bool {
        self.config.excluded(db_id)
    }

    /// True if no gold may be sampled over a database: it is reserved for an evaluation.
    pub(super) fn reserves(&self, db_id: &str) -> bool {
        self.excludes(db_id) || self.role(db_id) == Role::Test
    }
}
