//! The training loop: seeded, bucketed by size, resumable at the end of each epoch.

use std::sync::Arc;
use std::time::{Duration, Instant};

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use twinql_graph::PairArrays;

use crate::{
    adam::learning_rate,
    band::{Band, LEVEL},
    calibrate::{Calibration, Point, Quality, auc, best_threshold, probabilities},
    checkpoint::{Checkpoint, CheckpointInfo, FORMAT, hex},
    config::TrainConfig,
    engine::{Engine, Item, Target, engine},
    error::ModelError,
    prepare::Prepared,
    state::{METRICS, Progress, STATE, State, prepare_folder, write_lines},
    teach::Lessons,
    tiers::{Evidence, Tiers},
    weights::{Layout, unit},
};

/// A labelled pair.
#[derive(Debug, Clone)]
pub struct Example {
    /// The two graphs.
    pub pair: PairArrays,
    /// Whether the two queries return the same answer.
    pub label: bool,
    /// The semantics that the label means. The graphs tell the network of it; teachers that do not know it
    /// are not asked.
    pub semantics: Arc<str>,
    /// Weight in the loss and the calibration, not negative.
    pub weight: f32,
    /// Of a pair that differs, the share of databases that tell it apart, where that is known.
    pub ease: Option<f32>,
    /// What cheaper judges say; read of validation pairs, to calibrate the tiers.
    pub evidence: Evidence,
}

/// What a run starts with.
#[derive(Debug, Clone)]
pub struct StartReport {
    /// Number of parameters.
    pub parameters: usize,
    /// Training pairs that reach the network.
    pub train_pairs: usize,
    /// Training pairs left out: equal canonical forms have distance 0 whatever the weights.
    pub identical: usize,
    /// Training and validation pairs left out since the network cannot read them, with the
    /// first one's error.
    pub unusable: Option<(usize, String)>,
    /// Validation pairs.
    pub valid_pairs: usize,
    /// Steps of an epoch.
    pub steps: usize,
    /// Epochs at most.
    pub epochs: usize,
    /// The epoch a resumed run starts after; 0 for a new one.
    pub resumed_after: usize,
}

/// What a step did.
#[derive(Debug, Clone, Copy)]
pub struct StepReport {
    /// Epoch, from 1.
    pub epoch: usize,
    /// Step in the epoch, from 1.
    pub step: usize,
    /// Steps of the epoch.
    pub steps: usize,
    /// Loss of the batch.
    pub loss: f32,
    /// Pairs a second since the epoch began.
    pub pairs_per_second: f64,
}

/// What an epoch did: one line of `metrics.jsonl`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EpochReport {
    /// Epoch, from 1.
    pub epoch: usize,
    /// Mean loss of its batches.
    pub loss: f64,
    /// Validation AUC of the weights that would be kept.
    pub valid_auc: f64,
    /// Learning rate at its end.
    pub learning_rate: f32,
    /// Whether this is the best epoch so far.
    pub best: bool,
    /// Steps taken since the start of the run.
    pub steps: u64,
}

/// Follows a run. All methods have empty defaults.
pub trait Observer {
    /// The run begins.
    fn start(&mut self, _report: &StartReport) {}
    /// A step is done.
    fn step(&mut self, _report: &StepReport) {}
    /// An epoch is done; `seconds` is its wall-clock time.
    fn epoch(&mut self, _report: &EpochReport, _seconds: f64) {}
    /// Asked after each step: true ends the run as the time limit does.
    fn should_stop(&mut self) -> bool {
        false
    }
}

/// An observer that does nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Observer for Silent {}

/// Why a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StopReason {
    /// All epochs are done.
    Epochs,
    /// No better validation AUC for `patience` epochs.
    Patience,
    /// `max_minutes` passed.
    Time,
    /// The observer asked for it.
    Observer,
}

/// The outcome of a run.
#[derive(Debug, Clone)]
pub struct Trained {
    /// The best epoch's weights, calibrated.
    pub checkpoint: Checkpoint,
    /// All epochs.
    pub history: Vec<EpochReport>,
    /// Why the run ended.
    pub stop: StopReason,
}

/// Trains a network, keeps the weights of the best validation AUC, calibrates them on the
/// validation pairs, and returns them.
///
/// For the same configuration, data and machine the result is the same, whatever the number of
/// threads and however often the run was interrupted and resumed (unless cut by time).
///
/// # Errors
/// [`ModelError::Config`], [`ModelError::Data`], [`ModelError::Device`],
/// [`ModelError::Diverged`], and [`ModelError::Io`] for the run folder.
pub fn train(
    config: &TrainConfig,
    train: &[Example],
    valid: &[Example],
    observer: &mut dyn Observer,
) -> Result<Trained, ModelError> {
    config.validate()?;
    let began = Instant::now();
    let limit = (config.max_minutes > 0.0)
        .then(|| Duration::try_from_secs_f64(config.max_minutes * 60.0).ok())
        .flatten();
    let layout = Layout::new(&config.model);
    let engine = engine(config, layout.clone())?;
    let lessons = Lessons::new(config, train)?;
    let data = data_hash(train, valid, lessons.hash.as_deref());
    let mut unusable = Unusable::default();
    let set = TrainingSet::new(config, train, &mut unusable)?;
    let validation = Validation::new(config, valid, &mut unusable)?;
    let steps = set.usable.len().div_ceil(config.batch_size);

    let state_path = config.run_dir.as_ref().map(|d| d.join(STATE));
    if let Some(dir) = &config.run_dir {
        prepare_folder(dir)?;
    }
    let mut state = match &state_path {
        Some(path) if config.resume && path.exists() => State::load(path, &layout, config, &data)?,
        _ => State::new(&layout, config, data.clone(), initial(config)?),
    };
    observer.start(&StartReport {
        parameters: layout.total,
        train_pairs: set.usable.len(),
        identical: set.identical,
        unusable: unusable.report(),
        valid_pairs: validation.pairs.len(),
        steps,
        epochs: config.epochs,
        resumed_after: state.progress.epoch,
    });
    if let Some(dir) = config.run_dir.as_ref().filter(|_| state.progress.epoch > 0) {
        // A kill between the two files of an epoch leaves the second behind the first.
        write_lines(&dir.join(METRICS), &state.progress.history)?;
    }
    if state.progress.epoch == 0 && state.progress.history.is_empty() {
        // Before any step: what the untrained network gives, and a valid best.
        state.progress.best_auc = validation.auc(engine.as_ref(), &state.weights);
    }

    let stop = loop {
        if state.progress.epoch >= config.epochs {
            break StopReason::Epochs;
        }
        if state.progress.bad_epochs >= config.patience.max(1) {
            break StopReason::Patience;
        }
        let epoch_began = Instant::now();
        let epoch = state.progress.epoch + 1;
        let mut loss_sum = 0.0;
        let mut pairs_done = 0;
        let mut cut = None;
        let mut rate = 0.0;
        for (step, batch) in set.batches(config, epoch).iter().enumerate() {
            let items = set.items(config, train, &lessons, batch);
            let result = engine.step(&state.weights, &items);
            if !result.loss.is_finite() || result.gradients.iter().any(|g| !g.is_finite()) {
                return Err(ModelError::Diverged {
                    epoch,
                    reason: "a loss or gradient is not finite".into(),
                });
            }
            let done = state.adam.step as f64 / (steps * config.epochs).max(1) as f64;
            rate = learning_rate(config, state.adam.step, done, state.progress.halvings);
            state
                .adam
                .update(&mut state.weights, &result.gradients, rate, config);
            state.average(config.ema_decay);
            loss_sum += f64::from(result.loss);
            pairs_done += items.len();
            observer.step(&StepReport {
                epoch,
                step: step + 1,
                steps,
                loss: result.loss,
                pairs_per_second: pairs_done as f64 / epoch_began.elapsed().as_secs_f64().max(1e-9),
            });
            if observer.should_stop() {
                cut = Some((StopReason::Observer, step + 1));
            } else if limit.is_some_and(|l| began.elapsed() >= l) {
                cut = Some((StopReason::Time, step + 1));
            }
            if cut.is_some() {
                break;
            }
        }
        let steps_done = cut.map_or(steps, |c| c.1).max(1);
        let auc = validation.auc(engine.as_ref(), state.kept(config.ema_decay));
        let report = state.finish_epoch(config, auc, loss_sum / steps_done as f64, rate);
        observer.epoch(&report, epoch_began.elapsed().as_secs_f64());
        if let Some((reason, steps_done)) = cut
            && steps_done < steps
        {
            // The state on disk stays that of the last whole epoch, to resume from there.
            break reason;
        }
        if let (Some(path), Some(dir)) = (&state_path, &config.run_dir) {
            state.save(path, &layout)?;
            write_lines(&dir.join(METRICS), &state.progress.history)?;
        }
        if let Some((reason, _)) = cut {
            break reason;
        }
    };

    let points = validation.points(engine.as_ref(), &state.best);
    let calibration = Calibration::fit(&points);
    let scored = probabilities(&points, &calibration);
    let threshold = best_threshold(&scored);
    let Progress {
        best_epoch, history, ..
    } = state.progress;
    let info = CheckpointInfo {
        format: FORMAT,
        program: env!("CARGO_PKG_VERSION").to_owned(),
        model: config.model.clone(),
        graph: config.graph,
        pretrained: false,
        vocabulary: config.vocabulary.clone(),
        semantics: config.semantics.clone(),
        seed: config.seed,
        calibration,
        threshold,
        band: Some(Band::fit(&validation.read_by_network(&scored), threshold, LEVEL)),
        validation: Quality::of(&points, &calibration, threshold),
        tiers: Tiers::fit(&points, &validation.evidence),
        epoch: best_epoch,
        signature: format!(
            "twinql:{}|metric:gmn|data:{}|semantics:{}|threshold:{threshold:.2}|dtype:f32|seed:{}",
            env!("CARGO_PKG_VERSION"),
            data.get(..12).unwrap_or(&data),
            config.semantics.join("+"),
            config.seed
        ),
        data,
    };
    Ok(Trained {
        checkpoint: Checkpoint {
            info,
            weights: state.best,
        },
        history,
        stop,
    })
}

/// The weights of the checkpoint that the run starts with, if there is one.
fn initial(config: &TrainConfig) -> Result<Option<Vec<f32>>, ModelError> {
    let Some(path) = &config.init else {
        return Ok(None);
    };
    let (checkpoint, _) = Checkpoint::read(path, &config.vocabulary)?;
    for (table, same) in [
        ("model", checkpoint.info.model == config.model),
        ("graph", checkpoint.info.graph == config.graph),
    ] {
        if !same {
            return Err(ModelError::Config(format!(
                "{} holds a network of another [{table}] than the configuration",
                path.display()
            )));
        }
    }
    Ok(Some(checkpoint.weights))
}

#[derive(Default)]
struct Unusable {
    count: usize,
    first: Option<String>,
}

impl Unusable {
    fn add(&mut self, error: &ModelError) {
        self.count += 1;
        self.first.get_or_insert_with(|| error.to_string());
    }

    fn report(&self) -> Option<(usize, String)> {
        self.first.clone().map(|first| (self.count, first))
    }
}

/// Which training examples are used, and their sizes.
struct TrainingSet {
    /// Indices into the examples, with their number of nodes.
    usable: Vec<(usize, usize)>,
    identical: usize,
    /// Factors of positive and negative pairs.
    factors: (f32, f32),
}

impl TrainingSet {
    fn new(
        config: &TrainConfig,
        examples: &[Example],
        unusable: &mut Unusable,
    ) -> Result<TrainingSet, ModelError> {
        let mut usable = Vec::with_capacity(examples.len());
        let mut identical = 0;
        let mut totals = (0.0f64, 0.0f64);
        for (index, example) in examples.iter().enumerate() {
            if example.pair.identical {
                identical += 1;
                continue;
            }
            if !(example.weight.is_finite() && example.weight >= 0.0) {
                unusable.add(&ModelError::Input(format!(
                    "example {index} has weight {}",
                    example.weight
                )));
                continue;
            }
            match Prepared::new(&example.pair, &config.model) {
                Ok(pair) => usable.push((index, pair.nodes())),
                Err(error) => {
                    unusable.add(&error);
                    continue;
                }
            }
            let total = if example.label {
                &mut totals.0
            } else {
                &mut totals.1
            };
            *total += f64::from(example.weight);
        }
        if config.epochs > 0 && (totals.0 <= 0.0 || totals.1 <= 0.0) {
            let first = unusable.first.as_deref().unwrap_or("none was unusable");
            return Err(ModelError::Data(format!(
                "of {} training pairs, {identical} have equal canonical forms and {} are unusable \
                 ({first}); the rest must hold equivalent and different pairs with positive weights",
                examples.len(),
                unusable.count
            )));
        }
        let factors = if config.balance {
            let mean = 0.5 * (totals.0 + totals.1);
            ((mean / totals.0) as f32, (mean / totals.1) as f32)
        } else {
            (1.0, 1.0)
        };
        Ok(TrainingSet {
            usable,
            identical,
            factors,
        })
    }

    /// Batches of one epoch: pairs of similar size together (sizes jittered by a tenth, so that
    /// batches differ between epochs), in random order. Depends on seed and epoch only.
    fn batches(&self, config: &TrainConfig, epoch: usize) -> Vec<Vec<usize>> {
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

    fn items(
        &self,
        config: &TrainConfig,
        examples: &[Example],
        lessons: &Lessons,
        batch: &[usize],
    ) -> Vec<Item> {
        batch
            .iter()
            .filter_map(|&index| {
                let example = examples.get(index)?;
                let factor = if example.label {
                    self.factors.0
                } else {
                    self.factors.1
                };
                Some(Item {
                    pair: Prepared::new(&example.pair, &config.model).ok()?,
                    target: Target::new(config, example.label, example.ease, lessons.of(index)),
                    weight: example.weight * factor,
                })
            })
            .collect()
    }
}

/// Validation pairs, prepared once.
struct Validation {
    pairs: Vec<Prepared>,
    labels: Vec<(bool, f32)>,
    evidence: Vec<Evidence>,
}

impl Validation {
    fn new(
        config: &TrainConfig,
        examples: &[Example],
        unusable: &mut Unusable,
    ) -> Result<Validation, ModelError> {
        let mut pairs = Vec::with_capacity(examples.len());
        let mut labels = Vec::with_capacity(examples.len());
        let mut evidence = Vec::with_capacity(examples.len());
        for example in examples {
            match Prepared::new(&example.pair, &config.model) {
                Ok(pair) if example.weight.is_finite() && example.weight >= 0.0 => {
                    pairs.push(pair);
                    labels.push((example.label, example.weight));
                    evidence.push(example.evidence);
                }
                Ok(_) => unusable.add(&ModelError::Input("a weight is not usable".into())),
                Err(error) => unusable.add(&error),
            }
        }
        let positives = labels.iter().filter(|l| l.0).count();
        if positives == 0 || positives == labels.len() {
            return Err(ModelError::Data(format!(
                "the {} usable validation pairs hold {positives} equivalent ones; both labels are needed",
                labels.len()
            )));
        }
        Ok(Validation {
            pairs,
            labels,
            evidence,
        })
    }

    fn points(&self, engine: &dyn Engine, weights: &[f32]) -> Vec<Point> {
        let distances = engine.distances(weights, &self.pairs);
        self.pairs
            .iter()
            .zip(distances)
            .zip(&self.labels)
            .map(|((pair, distance), &(label, weight))| {
                (if pair.identical { 0.0 } else { distance }, label, weight)
            })
            .collect()
    }

    /// Those of the points, one for each pair, whose pair the network has to read.
    fn read_by_network(&self, points: &[Point]) -> Vec<Point> {
        let pairs = points.iter().zip(&self.pairs);
        pairs
            .filter(|(_, pair)| !pair.identical)
            .map(|(p, _)| *p)
            .collect()
    }

    fn auc(&self, engine: &dyn Engine, weights: &[f32]) -> f64 {
        auc(self.points(engine, weights).into_iter().map(|p| (-p.0, p.1)))
    }
}

/// SHA-256 over all pairs, labels and weights, in order, and the teachers' hash.
fn data_hash(train: &[Example], valid: &[Example], teachers: Option<&str>) -> String {
    let mut hash = Sha256::new();
    hash.update(teachers.unwrap_or_default());
    for (part, examples) in [train, valid].into_iter().enumerate() {
        hash.update([part as u8]);
        hash.update((examples.len() as u64).to_le_bytes());
        for example in examples {
            let pair = &example.pair;
            hash.update([u8::from(example.label), u8::from(pair.identical)]);
            hash.update(example.weight.to_le_bytes());
            if let Some(ease) = example.ease {
                hash.update(ease.to_le_bytes());
            }
            let sides = [
                (&pair.left, &pair.left_positions, &pair.left_agreement),
                (&pair.right, &pair.right_positions, &pair.right_agreement),
            ];
            for (graph, positions, agreement) in sides {
                let mut bytes = Vec::new();
                bytes.extend((graph.words.len() as u64).to_le_bytes());
                bytes.extend((graph.edges.len() as u64).to_le_bytes());
                bytes.extend((graph.strings.len() as u64).to_le_bytes());
                bytes.extend(graph.words.iter().flat_map(|w| w.to_le_bytes()));
                bytes.extend(graph.tags.iter().flat_map(|w| w.to_le_bytes()));
                for content in &graph.contents {
                    bytes.extend(content.map_or(u32::MAX, |c| c).to_le_bytes());
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
        }
    }
    hex(&hash.finalize())
}
