//! Scores of pairs from a checkpoint.

use std::path::Path;

use serde::{Deserialize, Serialize};
use twinql_graph::PairArrays;

use crate::{
    checkpoint::{Checkpoint, CheckpointInfo},
    error::ModelError,
    native::Inference,
};

/// The score of one pair.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Score {
    /// Squared Euclidean distance of the graphs' representations; 0 for equal canonical forms.
    pub distance: f32,
    /// Calibrated probability that the queries return the same answer on every database.
    pub probability: f32,
}

/// A trained network, ready to score. It may be shared between threads.
#[derive(Debug)]
pub struct Scorer {
    info: CheckpointInfo,
    inference: Inference,
}

impl Scorer {
    /// From a checkpoint in memory.
    pub fn new(checkpoint: Checkpoint) -> Scorer {
        Scorer {
            inference: Inference::new(checkpoint.info.model.clone(), checkpoint.weights),
            info: checkpoint.info,
        }
    }

    /// From a checkpoint's bytes. `vocabulary`, where given, is the hash of this program's
    /// feature vocabulary, which the checkpoint must have been trained with.
    ///
    /// # Errors
    /// As [`Checkpoint::from_bytes`].
    pub fn from_bytes(bytes: &[u8], vocabulary: Option<&str>) -> Result<Scorer, ModelError> {
        Checkpoint::from_bytes(bytes, "the embedded checkpoint", vocabulary).map(Scorer::new)
    }

    /// From a checkpoint's file.
    ///
    /// # Errors
    /// As [`Checkpoint::from_bytes`], and [`ModelError::Io`].
    pub fn from_file(path: &Path, vocabulary: Option<&str>) -> Result<Scorer, ModelError> {
        let bytes = std::fs::read(path).map_err(|e| ModelError::io("read", path, e))?;
        let origin = path.display().to_string();
        Checkpoint::from_bytes(&bytes, &origin, vocabulary).map(Scorer::new)
    }

    /// What the checkpoint says about itself.
    pub fn info(&self) -> &CheckpointInfo {
        &self.info
    }

    /// Probability from which a pair is called equivalent.
    pub fn threshold(&self) -> f32 {
        self.info.threshold
    }

    /// Scores pairs, in input order, in parallel on rayon's current pool. Each pair is computed
    /// by itself, so its score does not depend on the other pairs nor on the number of threads.
    ///
    /// On processors with other vector instructions, scores may differ by rounding (some 1e-6).
    ///
    /// A pair that the network cannot read gives [`ModelError::Input`]; the others are scored.
    pub fn score(&self, pairs: &[PairArrays]) -> Vec<Result<Score, ModelError>> {
        self.inference
            .squared_distances(pairs)
            .into_iter()
            .zip(pairs)
            .map(|(distance, pair)| {
                let distance = if pair.identical { 0.0 } else { distance? };
                Ok(Score {
                    distance,
                    probability: self.info.calibration.probability(distance),
                })
            })
            .collect()
    }
}
