//! Supervised training: epochs over labelled pairs, the best of which is kept and calibrated.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use twinql_graph::PairArrays;

use crate::{
    backend::{Backend, backend},
    band::{Band, LEVEL},
    calibrate::{Calibration, Quality, best_threshold, probabilities},
    checkpoint::{Checkpoint, CheckpointInfo, signature},
    config::TrainConfig,
    data::{TrainingSet, Unusable, Validation, data_hash},
    error::ModelError,
    run::{Epoch, Ran, RunFolder},
    state::{METRICS, STATE, State, move_average},
    teach::Lessons,
    tiers::{Evidence, Tiers},
    weights::Layout,
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
    let layout = Layout::new(&config.model);
    let backend = backend(config, &layout)?;
    let lessons = Lessons::new(config, train)?;
    let data = data_hash(train, valid, lessons.hash.as_deref());
    let mut unusable = Unusable::default();
    let set = TrainingSet::new(config, train, &mut unusable)?;
    let validation = Validation::new(config, valid, &mut unusable)?;
    let folder = RunFolder::open(config, STATE, METRICS)?;
    let mut state = match folder.as_ref().and_then(|f| f.to_resume(config)) {
        Some(path) => State::load(path, &layout, config, &data)?,
        None => State::new(&layout, config, data.clone(), initial(config)?),
    };
    let run = Run {
        config,
        train,
        steps: set.usable.len().div_ceil(config.batch_size),
        set,
        validation,
        lessons,
        backend,
        folder,
        layout,
        began,
    };
    observer.start(&StartReport {
        parameters: run.layout.total,
        train_pairs: run.set.usable.len(),
        identical: run.set.identical,
        unusable: unusable.report(),
        valid_pairs: run.validation.pairs.len(),
        steps: run.steps,
        epochs: config.epochs,
        resumed_after: state.progress.epoch,
    });
    let stop = run.epochs(&mut state, observer)?;
    Ok(Trained { checkpoint: run.calibrated(&state, data), history: state.progress.history, stop })
}

/// What does not change in a run.
struct Run<'a> {
    config: &'a TrainConfig,
    train: &'a [Example],
    set: TrainingSet,
    validation: Validation,
    lessons: Lessons,
    backend: Box<dyn Backend>,
    folder: Option<RunFolder>,
    layout: Layout,
    /// Steps of an epoch.
    steps: usize,
    began: Instant,
}

impl Run<'_> {
    /// Runs epochs until one of the reasons to stop holds.
    fn epochs(&self, state: &mut State, observer: &mut dyn Observer) -> Result<StopReason, ModelError> {
        let config = self.config;
        if let Some(folder) = self.folder.as_ref().filter(|_| state.progress.epoch > 0) {
            // A kill between the two files of an epoch leaves the second behind the first.
            folder.write_metrics(&state.progress.history)?;
        }
        if state.progress.epoch == 0 && state.progress.history.is_empty() {
            // Before any step: what the untrained network gives, and a valid best.
            let untrained = &state.learner.weights;
            state.progress.best_auc = self.validation.auc(self.backend.as_ref(), untrained);
        }
        loop {
            if state.progress.epoch >= config.epochs {
                return Ok(StopReason::Epochs);
            }
            if state.progress.bad_epochs >= config.patience.max(1) {
                return Ok(StopReason::Patience);
            }
            let began = Instant::now();
            let ran = self.steps(state, observer)?;
            let auc = self.validation.auc(self.backend.as_ref(), state.kept(config.ema_decay));
            let loss = ran.loss / ran.steps.max(1) as f64;
            let report = state.finish_epoch(config, auc, loss, ran.rate);
            observer.epoch(&report, began.elapsed().as_secs_f64());
            if let Some(reason) = ran.cut
                && ran.steps < self.steps
            {
                // The state on disk stays that of the last whole epoch, to resume from there.
                return Ok(reason);
            }
            if let Some(folder) = &self.folder {
                state.save(&folder.state, &self.layout)?;
                folder.write_metrics(&state.progress.history)?;
            }
            if let Some(reason) = ran.cut {
                return Ok(reason);
            }
        }
    }

    /// The steps of the next epoch, or of a part of it.
    fn steps(&self, state: &mut State, observer: &mut dyn Observer) -> Result<Ran, ModelError> {
        let config = self.config;
        let epoch = Epoch {
            config,
            number: state.progress.epoch + 1,
            steps: self.steps,
            halvings: state.progress.halvings,
        };
        let State { learner, average, .. } = state;
        epoch.run(
            learner,
            self.set.batches(config, epoch.number).iter(),
            |weights, batch| {
                let items = self.set.items(config, self.train, &self.lessons, batch);
                Some((self.backend.step(weights, &items), items.len()))
            },
            |learner, report| {
                move_average(average, learner, config.ema_decay);
                observer.step(report);
                if observer.should_stop() {
                    return Some(StopReason::Observer);
                }
                self.out_of_time().then_some(StopReason::Time)
            },
        )
    }

    fn out_of_time(&self) -> bool {
        let minutes = self.config.max_minutes;
        // More than a duration holds is no limit.
        let limit = Duration::try_from_secs_f64(minutes * 60.0).ok();
        minutes > 0.0 && limit.is_some_and(|l| self.began.elapsed() >= l)
    }

    /// The best weights, calibrated on the validation pairs.
    fn calibrated(&self, state: &State, data: String) -> Checkpoint {
        let points = self.validation.points(self.backend.as_ref(), &state.best);
        let calibration = Calibration::fit(&points);
        let scored = probabilities(&points, &calibration);
        let threshold = best_threshold(&scored);
        let open = self.validation.read_by_network(&scored);
        Checkpoint {
            info: CheckpointInfo {
                pretrained: false,
                calibration,
                threshold,
                band: Some(Band::fit(&open, threshold, LEVEL)),
                validation: Quality::of(&points, &calibration, threshold),
                tiers: Tiers::fit(&points, &self.validation.evidence),
                epoch: state.progress.best_epoch,
                signature: signature(self.config, &data, Some(threshold)),
                ..CheckpointInfo::of_run(self.config, data)
            },
            weights: state.best.clone(),
        }
    }
}

/// The weights of the checkpoint that the run starts with, if there is one.
fn initial(config: &TrainConfig) -> Result<Option<Vec<f32>>, ModelError> {
    let Some(path) = &config.init else {
        return Ok(None);
    };
    let (checkpoint, _) = Checkpoint::read(path, &config.vocabulary)?;
    for (table, same) in
        [("model", checkpoint.info.model == config.model), ("graph", checkpoint.info.graph == config.graph)]
    {
        if !same {
            return Err(ModelError::Config(format!(
                "{} holds a network of another [{table}] than the configuration",
                path.display()
            )));
        }
    }
    Ok(Some(checkpoint.weights))
}
