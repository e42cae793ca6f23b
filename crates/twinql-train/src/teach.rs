//! Several trained networks as teachers of one (Hinton, Vinyals and Dean, 2015): what they say of a
//! training pair on average is a target beside its label. Networks that differ by their seed alone
//! disagree where the corpus leaves room; their mean is steadier than any of them, and costs one
//! network to ask.

use std::path::Path;

use rayon::prelude::*;
use sha2::{Digest as _, Sha256};

use twinql_files::hex;

use twinql_gmn::calibrate::{logit, probability};
use twinql_gmn::{Checkpoint, GraphConfig, ModelError};
use twinql_gmn::{pass::batch::distances, prepare::Prepared, seal::digest, weights::Layout};

use crate::{config::TrainConfig, example::Example};

/// Pairs prepared at a time.
const CHUNK: usize = 4_096;

/// What the teachers say of pairs.
#[derive(Debug, Default)]
pub(crate) struct Lessons {
    /// The probability of equivalence of each example; none where there are no teachers, or where none
    /// of them knows the pair's semantics or can read it.
    chances: Vec<Option<f32>>,
    /// SHA-256 over the teachers' files, their checksums left out, in order; none without teachers.
    pub(crate) hash: Option<String>,
}

impl Lessons {
    /// Asks the configuration's teachers about all examples whose forms differ.
    ///
    /// # Errors
    /// [`ModelError::Io`] and those of [`Checkpoint::from_bytes`] for a file; [`ModelError::Config`] for
    /// a teacher that reads other graphs than the network that is trained.
    pub(crate) fn new(config: &TrainConfig, examples: &[Example]) -> Result<Lessons, ModelError> {
        if config.teachers.is_empty() || examples.is_empty() {
            return Ok(Lessons::default());
        }
        let mut hash = Sha256::new();
        // The sum of log odds of each example, and how many teachers gave them.
        let mut sums = vec![(0.0f32, 0u32); examples.len()];
        for path in &config.teachers {
            let (teacher, bytes) = read(path, config)?;
            hash.update(digest(&bytes));
            for ((sum, count), odds) in sums.iter_mut().zip(log_odds(&teacher, config, examples)) {
                if let Some(odds) = odds {
                    *sum += odds;
                    *count += 1;
                }
            }
        }
        Ok(Lessons {
            chances: sums
                .into_iter()
                .map(|(sum, count)| (count > 0).then(|| probability(sum / count as f32)))
                .collect(),
            hash: Some(hex(hash.finalize())),
        })
    }

    /// What they say of an example.
    pub(crate) fn of(&self, index: usize) -> Option<f32> {
        self.chances.get(index).copied().flatten()
    }
}

/// Reads all teachers, and refuses those that cannot teach this network.
pub(crate) fn check(config: &TrainConfig) -> Result<(), ModelError> {
    config.teachers.iter().try_for_each(|path| read(path, config).map(|_| ()))
}

fn read(path: &Path, config: &TrainConfig) -> Result<(Checkpoint, Vec<u8>), ModelError> {
    let (checkpoint, bytes) = Checkpoint::read(path, Some(&config.network.vocabulary))?;
    let origin = path.display();
    let (theirs, own) = (&checkpoint.info.model, &config.network.model);
    // One that does not know the regularities reads the same graphs where the question is the usual one.
    let graphs = GraphConfig { regularities: config.network.graph.regularities, ..checkpoint.info.graph };
    let same = graphs == config.network.graph
        && theirs.use_positions == own.use_positions
        && theirs.encoding() == own.encoding();
    if !same {
        return Err(ModelError::Config(format!(
            "the teacher {origin} reads other graphs than the configuration's [graph] and [model] say"
        )));
    }
    if checkpoint.info.pretrained {
        return Err(ModelError::Config(format!(
            "the teacher {origin} holds pretrained weights and no metric; give a trained checkpoint"
        )));
    }
    Ok((checkpoint, bytes))
}

/// The teacher's calibrated log odds of equivalence; `None` for pairs of equal forms, those that are not to be taught, of
/// semantics or a question that it was not trained for, of graphs that it does not know, and for those it cannot read.
fn log_odds(teacher: &Checkpoint, config: &TrainConfig, examples: &[Example]) -> Vec<Option<f32>> {
    let model = &teacher.info.model;
    let layout = Layout::new(model);
    let info = &teacher.info;
    let regular = info.graph.regularities == config.network.graph.regularities;
    let known = |e: &Example| {
        e.taught
            && (regular || e.question.is_usual())
            && info.answers(e.question)
            && info.semantics.iter().any(|s| **s == *e.semantics)
    };
    let calibration =
        |e: &Example| info.reading(e.question, &e.semantics).map_or(info.calibration, |r| r.calibration);
    let mut all = Vec::with_capacity(examples.len());
    for chunk in examples.chunks(CHUNK) {
        let prepared: Vec<Option<Prepared>> = chunk
            .par_iter()
            .map(|e| {
                let asked = known(e) && !e.pair.identical;
                asked.then(|| Prepared::new(&e.pair, model).ok()).flatten()
            })
            .collect();
        let asked: Vec<bool> = prepared.iter().map(Option::is_some).collect();
        let pairs: Vec<Prepared> = prepared.into_iter().flatten().collect();
        let mut distances = distances(model, &layout, &teacher.weights, &pairs).into_iter();
        all.extend(asked.into_iter().zip(chunk).map(|(asked, example)| {
            let squared = asked.then(|| distances.next()).flatten()?;
            Some(logit(calibration(example).probability(squared)))
        }));
    }
    all
}
