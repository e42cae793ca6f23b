//! What training and pretraining share: the steps of an epoch, and the folder that a run leaves its state in.

use std::path::{Path, PathBuf};
use std::time::Instant;

use serde::Serialize;

use crate::{
    adam::{Learner, learning_rate},
    backend::StepResult,
    checkpoint::write_whole,
    config::{Optimiser, TrainConfig},
    error::ModelError,
    report::{StepReport, StopReason},
    state::{METRICS, PRETRAIN_METRICS, PRETRAIN_STATE, STATE},
};

/// An epoch of a run.
pub(crate) struct Epoch {
    /// How its steps move the weights.
    pub(crate) optimiser: Optimiser,
    /// From 1.
    pub(crate) number: usize,
    /// Steps of a whole epoch.
    pub(crate) steps: usize,
    /// How often the plateau halved the learning rate.
    pub(crate) halvings: u32,
}

/// What the steps of an epoch did.
pub(crate) struct Ran {
    /// Sum of the batches' losses.
    pub(crate) loss: f64,
    /// The last step's number, or all where none was cut off.
    pub(crate) steps: usize,
    /// The last step's learning rate.
    pub(crate) rate: f32,
    /// Why it ended before the last step, or with it.
    pub(crate) cut: Option<StopReason>,
}

impl Epoch {
    /// Takes a step for each batch. `step` gives a batch's loss and gradients and how many pairs it held, nothing where
    /// it holds too few; `after` follows a step, and may end the epoch.
    ///
    /// # Errors
    /// [`ModelError::Diverged`] where a loss or a gradient is not finite.
    pub(crate) fn run<B>(
        &self,
        learner: &mut Learner,
        batches: impl Iterator<Item = B>,
        mut step: impl FnMut(&[f32], B) -> Option<(StepResult, usize)>,
        mut after: impl FnMut(&Learner, &StepReport) -> Option<StopReason>,
    ) -> Result<Ran, ModelError> {
        let began = Instant::now();
        let mut ran = Ran { loss: 0.0, steps: self.steps, rate: 0.0, cut: None };
        let mut pairs_done = 0;
        for (place, batch) in batches.enumerate() {
            let Some((result, pairs)) = step(&learner.weights, batch) else {
                continue;
            };
            if !result.loss.is_finite() || result.gradients.iter().any(|g| !g.is_finite()) {
                return Err(ModelError::Diverged {
                    epoch: self.number,
                    reason: "a loss or gradient is not finite".into(),
                });
            }
            let all = (self.steps * self.optimiser.epochs).max(1);
            let progress = learner.adam.step as f64 / all as f64;
            ran.rate = learning_rate(&self.optimiser, learner.adam.step, progress, self.halvings);
            let Learner { weights, adam } = learner;
            adam.update(weights, &result.gradients, ran.rate, &self.optimiser);
            ran.loss += f64::from(result.loss);
            pairs_done += pairs;
            let report = StepReport {
                epoch: self.number,
                step: place + 1,
                steps: self.steps,
                loss: result.loss,
                pairs_per_second: pairs_done as f64 / began.elapsed().as_secs_f64().max(1e-9),
            };
            ran.cut = after(learner, &report);
            if ran.cut.is_some() {
                ran.steps = report.step;
                break;
            }
        }
        Ok(ran)
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
    ) -> Result<Option<RunFolder>, ModelError> {
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
    pub(crate) fn write_metrics(&self, epochs: &[impl Serialize]) -> Result<(), ModelError> {
        let mut lines = String::new();
        for epoch in epochs {
            let line =
                serde_json::to_string(epoch).map_err(|e| ModelError::io("write", &self.metrics, e.into()))?;
            lines.push_str(&line);
            lines.push('\n');
        }
        write_whole(&self.metrics, lines.as_bytes())
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
