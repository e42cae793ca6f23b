//! Supervised training: epochs over labelled pairs, the best of which is kept and calibrated.

use std::time::{Duration, Instant};

use twinql_graph::Question;

use crate::{
    backend::Backend,
    checkpoint::{Checkpoint, CheckpointInfo, signature},
    config::{GmnConfig, GraphConfig, TrainConfig},
    data::{TrainingSet, Unusable, Validation, data_hash},
    device::backend,
    error::ModelError,
    example::Example,
    fit::readings,
    reading::Reading,
    report::{EpochReport, Observer, StartReport, StopReason},
    run::{Epoch, Ran, RunFolder},
    state::{METRICS, STATE, State, move_average},
    teach::{self, Lessons},
    tiers::Tiers,
    weights::Layout,
};

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
    let layout = Layout::new(&config.network.model);
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
            optimiser: config.optimiser(),
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
        // A checkpoint is asked the usual question where nobody says which, or else the only one that it knows.
        let usual = self.validation.asked.iter().any(|(question, _)| question.is_usual());
        let question = if usual { Question::Every } else { Question::Plausible };
        let of_question = |asked: Question, _: &str| asked == question;
        let evidence = self.validation.of(&self.validation.evidence, of_question);
        let own = Reading::fit(&self.validation, &points, question, None);
        Checkpoint {
            info: CheckpointInfo {
                pretrained: false,
                calibration: own.calibration,
                threshold: own.threshold,
                band: own.band,
                validation: own.validation,
                readings: readings(&self.validation, &points, &self.config.network.semantics),
                tiers: Tiers::fit(&self.validation.of(&points, of_question), &evidence),
                epoch: state.progress.best_epoch,
                signature: signature(self.config, &data, Some(own.threshold)),
                ..CheckpointInfo::of_run(self.config, data)
            },
            weights: state.best.clone(),
        }
    }
}

/// Reads the checkpoints that a run starts with and is taught by, to refuse what does not fit before its pairs are
/// prepared, which takes longer.
///
/// # Errors
/// [`ModelError::Io`] and those of [`Checkpoint::from_bytes`] for a file; [`ModelError::Config`] for a network of other
/// graphs or another size.
pub fn check_files(config: &TrainConfig) -> Result<(), ModelError> {
    initial(config)?;
    teach::check(config)
}

/// The weights of the checkpoint that the run starts with, if there is one.
fn initial(config: &TrainConfig) -> Result<Option<Vec<f32>>, ModelError> {
    let Some(path) = &config.init else {
        return Ok(None);
    };
    let (checkpoint, _) = Checkpoint::read(path, Some(&config.network.vocabulary))?;
    // A network may go on without names: to it, codes are names like others. Relations may be added: at first they
    // add nothing to attention. Regularities may be taken for granted from here on.
    let began = &checkpoint.info.model;
    let model = GmnConfig {
        use_names: config.network.model.use_names,
        use_relations: config.network.model.use_relations || began.use_relations,
        ..began.clone()
    };
    let graph = GraphConfig { regularities: config.network.graph.regularities, ..checkpoint.info.graph };
    for (table, same) in [("model", model == config.network.model), ("graph", graph == config.network.graph)]
    {
        if !same {
            return Err(ModelError::Config(format!(
                "{} holds a network of another [{table}] than the configuration",
                path.display()
            )));
        }
    }
    Ok(Some(Layout::new(began).grown(&checkpoint.weights, &Layout::new(&model))))
}
