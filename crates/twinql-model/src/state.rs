//! The state of a run at the end of an epoch, in memory and on disk.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::{
    adam::Adam,
    checkpoint::{damaged, decode, encode, read_metadata, write_whole},
    config::{Schedule, TrainConfig},
    error::ModelError,
    train::EpochReport,
    weights::Layout,
};

/// Everything that the next epoch depends on. Random numbers depend on seed and epoch alone, so
/// no generator's state is kept.
#[derive(Debug, Clone)]
pub(crate) struct State {
    pub(crate) weights: Vec<f32>,
    pub(crate) average: Vec<f32>,
    pub(crate) best: Vec<f32>,
    pub(crate) adam: Adam,
    pub(crate) progress: Progress,
}

/// The part of [`State`] that is no list of numbers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Progress {
    config: TrainConfig,
    data: String,
    /// Whole epochs done.
    pub(crate) epoch: usize,
    step: u64,
    pub(crate) best_auc: f64,
    pub(crate) best_epoch: usize,
    pub(crate) bad_epochs: usize,
    pub(crate) halvings: u32,
    pub(crate) history: Vec<EpochReport>,
    /// In files alone.
    #[serde(default)]
    exact: Option<Exact>,
}

/// The bits of a [`Progress`]'s fractions. Readers of JSON may miss the last bit of a number, and
/// whether an epoch is better than the best one can hang on it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Exact {
    best_auc: u64,
    /// Loss and validation AUC of each epoch.
    history: Vec<[u64; 2]>,
}

impl Exact {
    fn of(progress: &Progress) -> Exact {
        let bits = |report: &EpochReport| [report.loss.to_bits(), report.valid_auc.to_bits()];
        Exact {
            best_auc: progress.best_auc.to_bits(),
            history: progress.history.iter().map(bits).collect(),
        }
    }

    fn restore(&self, progress: &mut Progress) {
        progress.best_auc = f64::from_bits(self.best_auc);
        for (report, [loss, auc]) in progress.history.iter_mut().zip(&self.history) {
            report.loss = f64::from_bits(*loss);
            report.valid_auc = f64::from_bits(*auc);
        }
    }
}

impl State {
    pub(crate) fn new(
        layout: &Layout,
        config: &TrainConfig,
        data: String,
        initial: Option<Vec<f32>>,
    ) -> State {
        let weights = initial.unwrap_or_else(|| layout.init(config.seed));
        State {
            average: weights.clone(),
            best: weights.clone(),
            adam: Adam::new(weights.len()),
            weights,
            progress: Progress {
                config: config.resume_key(),
                data,
                epoch: 0,
                step: 0,
                best_auc: 0.0,
                best_epoch: 0,
                bad_epochs: 0,
                halvings: 0,
                history: Vec::new(),
                exact: None,
            },
        }
    }

    /// Moves the average of weights. Its decay starts low, so that short runs are averaged over
    /// recent steps only.
    pub(crate) fn average(&mut self, decay: f64) {
        if decay == 0.0 {
            return;
        }
        let step = self.adam.step as f64;
        let decay = decay.min((1.0 + step) / (10.0 + step)) as f32;
        for (mean, &weight) in self.average.iter_mut().zip(&self.weights) {
            *mean = weight + decay * (*mean - weight);
        }
    }

    /// The weights that are validated and kept.
    pub(crate) fn kept(&self, decay: f64) -> &[f32] {
        if decay == 0.0 {
            &self.weights
        } else {
            &self.average
        }
    }

    /// Books an epoch and keeps its weights if they are the best so far.
    pub(crate) fn finish_epoch(
        &mut self,
        config: &TrainConfig,
        auc: f64,
        loss: f64,
        rate: f32,
    ) -> EpochReport {
        let best = self.progress.best_epoch == 0 || auc > self.progress.best_auc;
        self.progress.epoch += 1;
        if best {
            self.best = self.kept(config.ema_decay).to_vec();
            self.progress.best_auc = auc;
            self.progress.best_epoch = self.progress.epoch;
            self.progress.bad_epochs = 0;
        } else {
            self.progress.bad_epochs += 1;
            if config.schedule == Schedule::Plateau && self.progress.bad_epochs.is_multiple_of(2) {
                self.progress.halvings += 1;
            }
        }
        self.progress.step = self.adam.step;
        let report = EpochReport {
            epoch: self.progress.epoch,
            loss,
            valid_auc: auc,
            learning_rate: rate,
            best,
            steps: self.adam.step,
        };
        self.progress.history.push(report.clone());
        report
    }

    pub(crate) fn save(&self, path: &Path, layout: &Layout) -> Result<(), ModelError> {
        let progress = Progress {
            exact: Some(Exact::of(&self.progress)),
            ..self.progress.clone()
        };
        let json = serde_json::to_string(&progress)
            .map_err(|e| damaged(&path.display().to_string(), e.to_string()))?;
        let copies: [(&str, &[f32]); 5] = [
            ("weights.", &self.weights),
            ("average.", &self.average),
            ("best.", &self.best),
            ("adam.first.", &self.adam.first),
            ("adam.second.", &self.adam.second),
        ];
        write_whole(path, &encode(layout, &copies, json)?)
    }

    /// Reads a state and refuses one of another configuration or other data.
    pub(crate) fn load(
        path: &Path,
        layout: &Layout,
        config: &TrainConfig,
        data: &str,
    ) -> Result<State, ModelError> {
        let origin = path.display().to_string();
        let bytes = std::fs::read(path).map_err(|e| ModelError::io("read", path, e))?;
        let mut progress: Progress = serde_json::from_str(&read_metadata(&bytes, &origin)?)
            .map_err(|e| damaged(&origin, format!("its metadata cannot be read ({e})")))?;
        if let Some(exact) = progress.exact.take() {
            exact.restore(&mut progress);
        }
        for (what, same) in [
            ("configuration", progress.config == config.resume_key()),
            ("data", progress.data == data),
        ] {
            if !same {
                return Err(ModelError::Config(format!(
                    "{origin} holds a run with another {what}; resume with the same one, or choose \
                     another run folder"
                )));
            }
        }
        let read = |prefix| decode(&bytes, &origin, layout, prefix);
        Ok(State {
            weights: read("weights.")?,
            average: read("average.")?,
            best: read("best.")?,
            adam: Adam {
                first: read("adam.first.")?,
                second: read("adam.second.")?,
                step: progress.step,
            },
            progress,
        })
    }
}

/// Removes what a killed run left half written in its folder. A file that cannot be removed stays:
/// nothing reads it.
pub(crate) fn remove_partials(dir: &Path) {
    let Ok(entries) = std::fs::read_dir(dir) else {
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let ours = ["state.safetensors.", "metrics.jsonl."];
        if name.ends_with(".partial") && ours.iter().any(|prefix| name.starts_with(prefix)) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}
