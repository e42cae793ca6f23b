//! Scores of pairs from a checkpoint.

use std::path::Path;
use std::sync::Arc;

use twinql_graph::{PairArrays, Question};

use crate::{
    attention::Attention,
    checkpoint::{Checkpoint, CheckpointInfo},
    correction::Correction,
    error::ModelError,
    execution::ExecutionModel,
    inference::Inference,
    score::Score,
};

/// The most that a pair scores whose answers have different numbers of columns.
const MOST_OF_OTHER_WIDTH: f32 = 0.01;

/// A trained network, ready to score. It may be shared between threads.
#[derive(Debug, Clone)]
pub struct Scorer {
    /// As it was asked.
    info: CheckpointInfo,
    /// As its file has it.
    stored: Arc<CheckpointInfo>,
    /// Of what it was asked, how it is corrected.
    correction: Option<Correction>,
    inference: Arc<Inference>,
}

impl Scorer {
    /// From a checkpoint in memory.
    pub fn new(checkpoint: Checkpoint) -> Scorer {
        Scorer {
            inference: Arc::new(Inference::new(checkpoint.info.model.clone(), checkpoint.weights)),
            stored: Arc::new(checkpoint.info.clone()),
            info: checkpoint.info,
            correction: None,
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
        Checkpoint::read(path, vocabulary).map(|(checkpoint, _)| Scorer::new(checkpoint))
    }

    /// What the checkpoint says about itself.
    pub fn info(&self) -> &CheckpointInfo {
        &self.info
    }

    /// The same network as it is read for a question under a semantics: its graphs carry the question's mark, and
    /// calibration, threshold and band are those of the question's reading. None where it was not trained for the
    /// question. A checkpoint without readings answers the usual question alike under all semantics.
    pub fn asked(&self, question: Question, semantics: &str) -> Option<Scorer> {
        if !self.info.answers(question) {
            return None;
        }
        let mut info = (*self.stored).clone();
        info.graph.question = question;
        if let Some(reading) = self.stored.reading(question, semantics) {
            info.calibration = reading.calibration;
            info.threshold = reading.threshold;
            info.band = reading.band;
            info.validation = reading.validation;
        }
        Some(Scorer {
            info,
            correction: self.stored.correction(question, semantics).cloned(),
            stored: Arc::clone(&self.stored),
            inference: Arc::clone(&self.inference),
        })
    }

    /// The checkpoint, with what `execution` says of real databases in place of what it said before.
    pub fn with_execution(&self, execution: ExecutionModel) -> Checkpoint {
        let info = CheckpointInfo { ex: Some(execution), ..(*self.stored).clone() };
        Checkpoint { info, weights: self.inference.weights().to_vec() }
    }

    /// How what it was [asked](Scorer::asked) is corrected by what databases show; none where it was asked nothing.
    pub fn correction(&self) -> Option<&Correction> {
        self.correction.as_ref()
    }

    /// The checkpoint, with this correction in place of the one for its question and semantics.
    pub fn with_correction(&self, correction: Correction) -> Checkpoint {
        let mut info = (*self.stored).clone();
        // In the order of the semantics that it was trained for, which come first.
        let place = |of: &Correction| {
            let semantics = info.semantics.iter().position(|name| *name == of.semantics);
            (!of.question.is_usual(), semantics.unwrap_or(usize::MAX))
        };
        let mut corrections = info.corrections.clone();
        let of = |of: &Correction| (of.question, of.semantics.clone());
        corrections.retain(|other| of(other) != of(&correction));
        corrections.push(correction);
        corrections.sort_by_key(place);
        info.corrections = corrections;
        Checkpoint { info, weights: self.inference.weights().to_vec() }
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
                Ok(self.score_of(distance, pair.widths_differ))
            })
            .collect()
    }

    /// The score of two queries with one canonical form: what [`Scorer::score`] gives for identical graphs, also
    /// where the form is too large for a graph.
    pub fn identical(&self) -> Score {
        self.score_of(0.0, false)
    }

    /// The score of a pair with the attention that led to it. Costs memory for each step, which
    /// [`Scorer::score`] does not spend.
    ///
    /// # Errors
    /// [`ModelError::Input`] for a pair that the network cannot read.
    pub fn attention(&self, pair: &PairArrays) -> Result<Attention, ModelError> {
        let (distance, steps) = self.inference.attention(pair)?;
        let distance = if pair.identical { 0.0 } else { distance };
        Ok(Attention {
            score: self.score_of(distance, pair.widths_differ),
            gold_nodes: pair.left.words.len(),
            pred_nodes: pair.right.words.len(),
            steps,
        })
    }

    /// The network reads how many columns an answer has, and is not always right about it. The number settles the pair:
    /// none of some 12,000 training pairs with different numbers was the same by suite or by execution. The order that
    /// the network gives these pairs stays.
    fn score_of(&self, distance: f32, widths_differ: bool) -> Score {
        let probability = self.info.calibration.probability(distance);
        let most = if widths_differ { MOST_OF_OTHER_WIDTH } else { 1.0 };
        Score { distance, probability: most * probability }
    }
}
