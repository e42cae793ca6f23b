//! What training and pretraining share: the steps of an epoch, and the folder that a run leaves its state in.

use std::path::{Path, PathBuf};
use std::sync::mpsc::sync_channel;
use std::time::Instant;

use serde::Serialize;
use twinql_gmn::{ModelError, checkpoint::write_whole};

use crate::{
    adam::{Stride, learning_rate},
    backend::{Backend, Lesson},
    config::{Optimiser, TrainConfig},
    error::TrainError,
    report::{StepReport, StopReason},
    state::{METRICS, PRETRAIN_METRICS, PRETRAIN_STATE, STATE},
};

/// Batches that are laid out ahead of the step.
const AHEAD: usize = 2;

/// An epoch of a run.
pub(crate) struct Epoch {
    /// How its steps move the weights.
    pub(crate) optimiser: Optimiser,
    /// Decay of the weights' average; 0 for none.
    pub(crate) ema_decay: f64,
    /// From 1.
    pub(crate) number: usize,
    /// Steps of a whole epoch.
    pub(crate) steps: usize,
    /// Steps taken before it.
    pub(crate) taken: u64,
    /// How often the plateau halved the learning rate.
    pub(crate) halvings: u32,
}

/// What the steps of an epoch did.
#[derive(Default)]
pub(crate) struct Ran {
    /// Sum of the batches' losses.
    pub(crate) loss: f64,
    /// Sum of the shares of views that were nearest to their own partner.
    pub(crate) nearest: f64,
    /// The last step's number, or all where none was cut off.
    pub(crate) steps: usize,
    /// The last step's learning rate.
    pub(crate) rate: f32,
    /// Why it ended before the last step, or with it.
    pub(crate) cut: Option<StopReason>,
}

impl Epoch {
    /// Takes a step for each lesson; none is a batch that holds too few. A thread makes lessons and lays them out ahead of
    /// the steps. `after` follows a step, and may end the epoch.
    ///
    /// # Errors
    /// [`TrainError::Diverged`] where a loss or a gradient is not finite.
    pub(crate) fn run<B: Backend>(
        &self,
        backend: &B,
        learner: &mut B::Learner,
        lessons: impl Iterator<Item = Option<Lesson>> + Send,
        after: impl FnMut(&StepReport) -> Option<StopReason>,
    ) -> Result<Ran, TrainError> {
        std::thread::scope(|scope| {
            let (send, batches) = sync_channel(AHEAD);
            scope.spawn(move || {
                for lesson in lessons {
                    let batch = lesson.map(|lesson| (lesson.pairs(), backend.batch(lesson)));
                    if send.send(batch).is_err() {
                        // The epoch has ended.
                        break;
                    }
                }
            });
            self.steps(backend, learner, batches.into_iter(), after)
        })
    }

    fn steps<B: Backend>(
        &self,
        backend: &B,
        learner: &mut B::Learner,
        batches: impl Iterator<Item = Option<(usize, B::Batch)>>,
        mut after: impl FnMut(&StepReport) -> Option<StopReason>,
    ) -> Result<Ran, TrainError> {
        let began = Instant::now();
        let mut ran = Ran { steps: self.steps, ..Ran::default() };
        let (mut taken, mut pairs_done, mut unasked, mut loss) = (self.taken, 0, 0, 0.0);
        for (place, batch) in batches.enumerate() {
            let Some((pairs, batch)) = batch else {
                continue;
            };
            let all = (self.steps * self.optimiser.epochs).max(1);
            let progress = taken as f64 / all as f64;
            ran.rate = learning_rate(&self.optimiser, taken, progress, self.halvings);
            let stride = Stride { optimiser: self.optimiser, rate: ran.rate, ema_decay: self.ema_decay };
            backend.step(learner, batch, &stride);
            taken += 1;
            pairs_done += pairs;
            unasked += 1;
            if unasked == B::STEPS_A_QUESTION {
                loss = self.ask(backend, learner, &mut ran)? / unasked as f64;
                unasked = 0;
            }
            let report = StepReport {
                epoch: self.number,
                step: place + 1,
                steps: self.steps,
                loss: loss as f32,
                pairs_per_second: pairs_done as f64 / began.elapsed().as_secs_f64().max(1e-9),
            };
            ran.cut = after(&report);
            if ran.cut.is_some() {
                ran.steps = report.step;
                break;
            }
        }
        self.ask(backend, learner, &mut ran)?;
        Ok(ran)
    }

    /// Adds what the last steps did, and gives the sum of their losses.
    fn ask<B: Backend>(
        &self,
        backend: &B,
        learner: &mut B::Learner,
        ran: &mut Ran,
    ) -> Result<f64, TrainError> {
        let said = backend.said(learner);
        if !said.loss.is_finite() {
            return Err(TrainError::Diverged {
                epoch: self.number,
                reason: "a loss or gradient is not finite".into(),
            });
        }
        ran.loss += said.loss;
        ran.nearest += said.nearest;
        Ok(said.loss)
    }
}

/// The folder of a run: its state at the end of an epoch, and what each epoch did.
pub(crate) struct RunFolder {
    pub(crate) state: PathBuf,
    metrics: PathBuf,
}

impl RunFolder {
    /// Makes the configuration's folder, if it names one, and removes what a killed run left half written in it.
    ///
    /// # Errors
    /// [`ModelError::Io`] where it cannot be made.
    pub(crate) fn open(
        config: &TrainConfig,
        state: &str,
        metrics: &str,
    ) -> Result<Option<RunFolder>, TrainError> {
        let Some(dir) = config.run_dir.as_deref() else {
            return Ok(None);
        };
        std::fs::create_dir_all(dir).map_err(|e| ModelError::io("create", dir, e))?;
        remove_partial_files(dir);
        Ok(Some(RunFolder { state: dir.join(state), metrics: dir.join(metrics) }))
    }

    /// The state to go on from, where that is asked for and there is one.
    pub(crate) fn to_resume(&self, config: &TrainConfig) -> Option<&Path> {
        (config.resume && self.state.exists()).then_some(&self.state)
    }

    /// One line for each epoch.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(crate) fn write_metrics(&self, epochs: &[impl Serialize]) -> Result<(), TrainError> {
        let mut lines = String::new();
        for epoch in epochs {
            let line =
                serde_json::to_string(epoch).map_err(|e| ModelError::io("write", &self.metrics, e.into()))?;
            lines.push_str(&line);
            lines.push('\n');
        }
        Ok(write_whole(&self.metrics, lines.as_bytes())?)
    }
}

/// Removes files of ours that were being written when a run was killed. One that cannot be removed stays: nothing
/// reads it.
fn remove_partial_files(dir: &Path) {
    let Ok(entries) = std::fs::read_dir(dir) else {
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let ours = [STATE, METRICS, PRETRAIN_STATE, PRETRAIN_METRICS];
        let is_of = |file: &&str| name.strip_prefix(file).is_some_and(|rest| rest.starts_with('.'));
        if name.ends_with(".partial") && ours.iter().any(is_of) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}
