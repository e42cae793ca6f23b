//! Supervised training: epochs over labelled pairs, the best of which is kept and calibrated.

use std::time::{Duration, Instant};

use twinql_gmn::{Checkpoint, CheckpointInfo, GmnConfig, GraphConfig, ModelError, Tiers, weights::Layout};
use twinql_graph::Question;

use crate::{
    adam::Stride,
    backend::{Backend, Lesson},
    burn::{BurnBackend, device::guarded},
    checkpoint::{info_of_run, signature},
    config::{Compute, TrainConfig},
    cpu::CpuBackend,
    data::{TrainingSet, Unusable, Validation, data_hash},
    error::TrainError,
    example::Example,
    fit::{reading, readings},
    rehearse::{Rehearsal, rehearse},
    report::{EpochReport, Observer, StartReport, StopReason},
    run::{Epoch, Ran, RunFolder},
    state::{METRICS, STATE, State},
    teach::{self, Lessons},
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
/// [`ModelError::Config`], [`TrainError::Data`], [`TrainError::Device`],
/// [`TrainError::Diverged`], and [`ModelError::Io`] for the run folder.
pub fn train(
    config: &TrainConfig,
    train: &[Example],
    valid: &[Example],
    observer: &mut dyn Observer,
) -> Result<Trained, TrainError> {
    config.validate()?;
    let model = config.network.model.clone();
    match config.compute {
        Compute::Cpu => train_on(CpuBackend::new(model), config, train, valid, observer),
        compute => {
            let backend = BurnBackend::new(model, compute, config.precision)?;
            guarded(compute, || train_on(backend, config, train, valid, observer))
        }
    }
}

fn train_on<B: Backend>(
    backend: B,
    config: &TrainConfig,
    train: &[Example],
    valid: &[Example],
    observer: &mut dyn Observer,
) -> Result<Trained, TrainError> {
    let began = Instant::now();
    let layout = Layout::new(&config.network.model);
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
        rehearsal: run.rehearse(&state),
    });
    let stop = run.epochs(&mut state, observer)?;
    Ok(Trained { checkpoint: run.calibrated(&state, data), history: state.progress.history, stop })
}

/// What does not change in a run.
struct Run<'a, B> {
    config: &'a TrainConfig,
    train: &'a [Example],
    set: TrainingSet,
    validation: Validation,
    lessons: Lessons,
    backend: B,
    folder: Option<RunFolder>,
    layout: Layout,
    /// Steps of an epoch.
    steps: usize,
    began: Instant,
}

impl<B: Backend> Run<'_, B> {
    /// Runs epochs until one of the reasons to stop holds.
    fn epochs(&self, state: &mut State, observer: &mut dyn Observer) -> Result<StopReason, TrainError> {
        let config = self.config;
        if let Some(folder) = self.folder.as_ref().filter(|_| state.progress.epoch > 0) {
            // A kill between the two files of an epoch leaves the second behind the first.
            folder.write_metrics(&state.progress.history)?;
        }
        if state.progress.epoch == 0 && state.progress.history.is_empty() {
            // Before any step: what the untrained network gives, and a valid best.
            let untrained = &state.learned.weights;
            state.progress.best_auc = self.validation.auc(&self.backend, untrained);
        }
        let mut learner = self.backend.learner(&state.learned);
        loop {
            if state.progress.epoch >= config.epochs {
                return Ok(StopReason::Epochs);
            }
            if state.progress.bad_epochs >= config.patience.max(1) {
                return Ok(StopReason::Patience);
            }
            let began = Instant::now();
            let ran = self.steps(state, &mut learner, observer)?;
            state.learned = self.backend.learned(&learner);
            let auc = self.validation.auc(&self.backend, state.kept(config.ema_decay));
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

    /// What an epoch will cost. What the steps for it learn is thrown away.
    fn rehearse(&self, state: &State) -> Option<Rehearsal> {
        if state.progress.epoch >= self.config.epochs {
            return None;
        }
        let batches = self.set.batches(self.config, state.progress.epoch + 1);
        let sizes: Vec<usize> = batches.iter().map(|batch| self.set.cost(batch)).collect();
        let stride = Stride {
            optimiser: self.config.optimiser(),
            rate: self.config.learning_rate as f32,
            ema_decay: self.config.ema_decay,
        };
        let mut learner = self.backend.learner(&state.learned);
        rehearse(&self.backend, &mut learner, &sizes, &stride, |place| {
            let batch = batches.get(place).map(Vec::as_slice).unwrap_or_default();
            Lesson::Pairs(self.set.items(self.config, self.train, &self.lessons, batch))
        })
    }

    /// The steps of the next epoch, or of a part of it.
    fn steps(
        &self,
        state: &State,
        learner: &mut B::Learner,
        observer: &mut dyn Observer,
    ) -> Result<Ran, TrainError> {
        let config = self.config;
        let epoch = Epoch {
            optimiser: config.optimiser(),
            ema_decay: config.ema_decay,
            number: state.progress.epoch + 1,
            steps: self.steps,
            taken: state.learned.step,
            halvings: state.progress.halvings,
        };
        let batches = self.set.batches(config, epoch.number);
        let lessons = batches
            .iter()
            .map(|batch| Some(Lesson::Pairs(self.set.items(config, self.train, &self.lessons, batch))));
        epoch.run(&self.backend, learner, lessons, |report| {
            observer.step(report);
            if observer.should_stop() {
                return Some(StopReason::Observer);
            }
            self.out_of_time().then_some(StopReason::Time)
        })
    }

    fn out_of_time(&self) -> bool {
        let minutes = self.config.max_minutes;
        // More than a duration holds is no limit.
        let limit = Duration::try_from_secs_f64(minutes * 60.0).ok();
        minutes > 0.0 && limit.is_some_and(|l| self.began.elapsed() >= l)
    }

    /// The best weights, calibrated on the validation pairs.
    fn calibrated(&self, state: &State, data: String) -> Checkpoint {
        let points = self.validation.points(&self.backend, &state.best);
        // A checkpoint is asked the usual question where nobody says which, or else the only one that it knows.
        let usual = self.validation.asked.iter().any(|(question, _)| question.is_usual());
        let question = if usual { Question::Every } else { Question::Plausible };
        let of_question = |asked: Question, _: &str| asked == question;
        let evidence = self.validation.of(&self.validation.evidence, of_question);
        let own = reading(&self.validation, &points, question, None);
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
                ..info_of_run(self.config, data)
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
pub fn check_files(config: &TrainConfig) -> Result<(), TrainError> {
    initial(config)?;
    Ok(teach::check(config)?)
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
