//! What a run is trained and validated on: which of its examples can be used, in which batches.

use std::sync::Arc;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use sha2::{Digest, Sha256};
use twinql_graph::{GraphArrays, QUESTIONS, Question};

use twinql_files::hex;

use twinql_gmn::calibrate::{Point, auc_of_distances};
use twinql_gmn::{Evidence, ModelError, prepare::Prepared, weights::unit};

use crate::{
    backend::Backend,
    config::TrainConfig,
    error::TrainError,
    example::Example,
    target::{Item, Known, Target},
    teach::Lessons,
};

/// Examples that the network cannot read.
#[derive(Default)]
pub(crate) struct Unusable {
    count: usize,
    first: Option<String>,
}

impl Unusable {
    fn add(&mut self, error: &ModelError) {
        self.count += 1;
        self.first.get_or_insert_with(|| error.to_string());
    }

    /// How many there are, and what is wrong with the first.
    pub(crate) fn report(&self) -> Option<(usize, String)> {
        self.first.clone().map(|first| (self.count, first))
    }
}

/// Which training examples are used, and their sizes.
pub(crate) struct TrainingSet {
    /// Indices into the examples, with their number of nodes.
    pub(crate) usable: Vec<(usize, usize)>,
    /// How many examples have equal canonical forms: distance 0 whatever the weights.
    pub(crate) identical: usize,
}

impl TrainingSet {
    /// # Errors
    /// [`TrainError::Data`] where there are epochs to train, and not pairs of both labels to train on.
    pub(crate) fn new(
        config: &TrainConfig,
        examples: &[Example],
        unusable: &mut Unusable,
    ) -> Result<TrainingSet, TrainError> {
        let mut usable = Vec::with_capacity(examples.len());
        let mut identical = 0;
        let mut totals = (0.0f64, 0.0f64);
        for (index, example) in examples.iter().enumerate() {
            if example.pair.identical {
                identical += 1;
                continue;
            }
            if !(example.weight.is_finite() && example.weight >= 0.0) {
                unusable.add(&ModelError::Input(format!("example {index} has weight {}", example.weight)));
                continue;
            }
            match Prepared::new(&example.pair, &config.network.model) {
                Ok(pair) => usable.push((index, pair.nodes())),
                Err(error) => {
                    unusable.add(&error);
                    continue;
                }
            }
            let total = if example.label { &mut totals.0 } else { &mut totals.1 };
            *total += f64::from(example.weight);
        }
        if config.epochs > 0 && (totals.0 <= 0.0 || totals.1 <= 0.0) {
            let first = unusable.first.as_deref().unwrap_or("none was unusable");
            return Err(TrainError::Data(format!(
                "of {} training pairs, {identical} have equal canonical forms and {} are unusable \
                 ({first}); the rest must hold equivalent and different pairs with positive weights",
                examples.len(),
                unusable.count
            )));
        }
        Ok(TrainingSet { usable, identical })
    }

    /// Batches of one epoch: pairs of similar size together (sizes jittered by a tenth, so that
    /// batches differ between epochs), in random order. Depends on seed and epoch only.
    pub(crate) fn batches(&self, config: &TrainConfig, epoch: usize) -> Vec<Vec<usize>> {
        let mut rng = ChaCha8Rng::seed_from_u64(config.seed);
        rng.set_stream((1 << 32) + epoch as u64);
        let mut order: Vec<(f32, u32, usize)> = self
            .usable
            .iter()
            .map(|&(index, nodes)| {
                let jitter = 0.9 + 0.2 * unit(&mut rng);
                (nodes as f32 * jitter, rng.next_u32(), index)
            })
            .collect();
        order.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let mut batches: Vec<(u64, Vec<usize>)> = order
            .chunks(config.batch_size)
            .map(|chunk| (rng.next_u64(), chunk.iter().map(|o| o.2).collect()))
            .collect();
        batches.sort_by_key(|b| b.0);
        batches.into_iter().map(|b| b.1).collect()
    }

    /// What a batch asks of memory, to compare it with others: its pairs are padded to the largest, and attention takes the
    /// square of its nodes.
    pub(crate) fn cost(&self, batch: &[usize]) -> usize {
        let nodes = |index: &usize| {
            let place = self.usable.binary_search_by_key(index, |(index, _)| *index).ok()?;
            self.usable.get(place).map(|(_, nodes)| *nodes)
        };
        let most = batch.iter().filter_map(nodes).max().unwrap_or(0);
        batch.len() * most * most
    }

    /// The pairs of a batch with their targets.
    pub(crate) fn items(
        &self,
        config: &TrainConfig,
        examples: &[Example],
        lessons: &Lessons,
        batch: &[usize],
    ) -> Vec<Item> {
        batch
            .iter()
            .filter_map(|&index| {
                let example = &examples[index];
                let Example { label, ease, share, .. } = *example;
                Some(Item {
                    pair: Prepared::new(&example.pair, &config.network.model).ok()?,
                    target: Target::new(config, Known { label, ease, share }, lessons.of(index)),
                    weight: example.weight,
                })
            })
            .collect()
    }
}

/// Validation pairs, prepared once.
pub(crate) struct Validation {
    pub(crate) pairs: Vec<Prepared>,
    labels: Vec<(bool, f32)>,
    pub(crate) evidence: Vec<Evidence>,
    /// What each pair is asked, and under which semantics.
    pub(crate) asked: Vec<(Question, Arc<str>)>,
}

impl Validation {
    /// # Errors
    /// [`TrainError::Data`] where not both labels are there.
    pub(crate) fn new(
        config: &TrainConfig,
        examples: &[Example],
        unusable: &mut Unusable,
    ) -> Result<Validation, TrainError> {
        let mut pairs = Vec::with_capacity(examples.len());
        let mut labels = Vec::with_capacity(examples.len());
        let mut evidence = Vec::with_capacity(examples.len());
        let mut asked = Vec::with_capacity(examples.len());
        for example in examples {
            match Prepared::new(&example.pair, &config.network.model) {
                Ok(pair) if example.weight.is_finite() && example.weight >= 0.0 => {
                    pairs.push(pair);
                    labels.push((example.label, example.weight));
                    evidence.push(example.evidence);
                    asked.push((example.question, Arc::clone(&example.semantics)));
                }
                Ok(_) => unusable.add(&ModelError::Input("a weight is not usable".into())),
                Err(error) => unusable.add(&error),
            }
        }
        let positives = labels.iter().filter(|l| l.0).count();
        if positives == 0 || positives == labels.len() {
            return Err(TrainError::Data(format!(
                "the {} usable validation pairs hold {positives} equivalent ones; both labels are needed",
                labels.len()
            )));
        }
        Ok(Validation { pairs, labels, evidence, asked })
    }

    /// Distances with labels and weights.
    pub(crate) fn points(&self, backend: &impl Backend, weights: &[f32]) -> Vec<Point> {
        let distances = backend.distances(weights, &self.pairs);
        self.pairs
            .iter()
            .zip(distances)
            .zip(&self.labels)
            .map(|((pair, distance), &(label, weight))| {
                (if pair.identical { 0.0 } else { distance }, label, weight)
            })
            .collect()
    }

    /// For each pair whether the network has to read it: the forms of the others are equal.
    pub(crate) fn read_by_network(&self) -> Vec<bool> {
        self.pairs.iter().map(|pair| !pair.identical).collect()
    }

    /// Area under the ROC curve of these weights' distances: the mean over the questions that pairs are asked.
    pub(crate) fn auc(&self, backend: &impl Backend, weights: &[f32]) -> f64 {
        let points = self.points(backend, weights);
        let of_each: Vec<f64> = QUESTIONS
            .into_iter()
            .map(|question| self.of(&points, |asked, _| asked == question))
            .filter(|points| !points.is_empty())
            .map(|points| auc_of_distances(&points))
            .collect();
        of_each.iter().sum::<f64>() / of_each.len().max(1) as f64
    }

    /// Those of a list with an entry for each pair that are asked this under that semantics.
    pub(crate) fn of<T: Copy>(&self, list: &[T], wanted: impl Fn(Question, &str) -> bool) -> Vec<T> {
        let entries = list.iter().zip(&self.asked);
        entries.filter(|(_, (question, semantics))| wanted(*question, semantics)).map(|(e, _)| *e).collect()
    }
}

/// SHA-256 over all pairs, labels and weights, in order, and the teachers' hash.
pub(crate) fn data_hash(train: &[Example], valid: &[Example], teachers: Option<&str>) -> String {
    let mut hash = Sha256::new();
    hash.update(teachers.unwrap_or_default());
    for (part, examples) in [train, valid].into_iter().enumerate() {
        hash.update([part as u8]);
        hash.update((examples.len() as u64).to_le_bytes());
        for example in examples {
            let pair = &example.pair;
            hash.update([u8::from(example.label), u8::from(pair.identical)]);
            hash.update(example.weight.to_le_bytes());
            if !example.taught {
                hash.update(b"untaught");
            }
            for known in [example.ease, example.share].into_iter().flatten() {
                hash.update(known.to_le_bytes());
            }
            hash_graph(&mut hash, &pair.left, &pair.left_positions, &pair.left_agreement);
            hash_graph(&mut hash, &pair.right, &pair.right_positions, &pair.right_agreement);
        }
    }
    hex(hash.finalize())
}

/// One side of a pair, each list after its length.
fn hash_graph(hash: &mut Sha256, graph: &GraphArrays, positions: &[f32], agreement: &[u16]) {
    let mut bytes = Vec::new();
    bytes.extend((graph.words.len() as u64).to_le_bytes());
    bytes.extend((graph.edges.len() as u64).to_le_bytes());
    bytes.extend((graph.strings.len() as u64).to_le_bytes());
    bytes.extend(graph.words.iter().flat_map(|w| w.to_le_bytes()));
    bytes.extend(graph.tags.iter().flat_map(|w| w.to_le_bytes()));
    for content in &graph.contents {
        bytes.extend(content.unwrap_or(u32::MAX).to_le_bytes());
    }
    for string in &graph.strings {
        bytes.extend((string.len() as u64).to_le_bytes());
        bytes.extend(string.as_bytes());
    }
    for &(from, to, kind) in &graph.edges {
        bytes.extend(from.to_le_bytes());
        bytes.extend(to.to_le_bytes());
        bytes.push(kind);
    }
    bytes.extend(positions.iter().flat_map(|p| p.to_le_bytes()));
    bytes.extend(agreement.iter().flat_map(|c| c.to_le_bytes()));
    hash.update(&bytes);
}
