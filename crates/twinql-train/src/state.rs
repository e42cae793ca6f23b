//! The state of a run at the end of an epoch, in memory and on disk.

use std::path::Path;

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use twinql_gmn::checkpoint::{decode, encode, read_metadata, write_whole};
use twinql_gmn::{ModelError, Network, weights::Layout};

use crate::{
    adam::Learned,
    config::{Schedule, TrainConfig},
    error::TrainError,
    pretrain_config::PretrainConfig,
    report::{EpochReport, PretrainEpoch},
};

/// Files of a run's folder.
pub(crate) const STATE: &str = "state.safetensors";
pub(crate) const METRICS: &str = "metrics.jsonl";
pub(crate) const PRETRAIN_STATE: &str = "pretrain-state.safetensors";
pub(crate) const PRETRAIN_METRICS: &str = "pretrain.jsonl";

/// Everything that the next epoch depends on. Random numbers depend on seed and epoch alone, so
/// no generator's state is kept.
#[derive(Debug, Clone)]
pub(crate) struct State {
    pub(crate) learned: Learned,
    pub(crate) best: Vec<f32>,
    pub(crate) progress: Progress,
}

/// The part of [`State`] that is no list of numbers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Progress {
    config: TrainConfig,
    network: Network,
    data: String,
    /// Whole epochs done.
    pub(crate) epoch: usize,
    step: u64,
    pub(crate) best_auc: f64,
    pub(crate) best_epoch: usize,
    pub(crate) bad_epochs: usize,
    pub(crate) halvings: u32,
    pub(crate) history: Vec<EpochReport>,
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
            best: weights.clone(),
            learned: Learned::new(weights),
            progress: Progress {
                config: config.resume_key(),
                network: config.network.clone(),
                data,
                epoch: 0,
                step: 0,
                best_auc: 0.0,
                best_epoch: 0,
                bad_epochs: 0,
                halvings: 0,
                history: Vec::new(),
            },
        }
    }

    /// The weights that are validated and kept.
    pub(crate) fn kept(&self, decay: f64) -> &[f32] {
        if decay == 0.0 { &self.learned.weights } else { &self.learned.average }
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
        self.progress.step = self.learned.step;
        let report = EpochReport {
            epoch: self.progress.epoch,
            loss,
            valid_auc: auc,
            learning_rate: rate,
            best,
            steps: self.learned.step,
        };
        self.progress.history.push(report.clone());
        report
    }

    pub(crate) fn save(&self, path: &Path, layout: &Layout) -> Result<(), TrainError> {
        let more: [(&str, &[f32]); 2] = [("average.", &self.learned.average), ("best.", &self.best)];
        write_state(path, layout, &self.learned, &more, &self.progress)
    }

    /// Reads a state and refuses one of another configuration or other data.
    pub(crate) fn load(
        path: &Path,
        layout: &Layout,
        config: &TrainConfig,
        data: &str,
    ) -> Result<State, TrainError> {
        let file = StateFile::read(path)?;
        let progress: Progress = file.progress()?;
        let same = progress.config == config.resume_key() && progress.network == config.network;
        file.is_of(same, progress.data == data)?;
        let average = file.weights(layout, "average.")?;
        Ok(State {
            learned: Learned { average, ..file.learned(layout, progress.step)? },
            best: file.weights(layout, "best.")?,
            progress,
        })
    }
}

/// The state of a pretraining at the end of an epoch.
#[derive(Debug, Clone)]
pub(crate) struct PretrainState {
    pub(crate) learned: Learned,
    pub(crate) progress: PretrainProgress,
}

/// The part of [`PretrainState`] that is no list of numbers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct PretrainProgress {
    train: TrainConfig,
    network: Network,
    config: PretrainConfig,
    data: String,
    step: u64,
    pub(crate) history: Vec<PretrainEpoch>,
}

impl PretrainState {
    pub(crate) fn new(layout: &Layout, train: &TrainConfig, config: &PretrainConfig, data: String) -> Self {
        PretrainState {
            learned: Learned::new(layout.init(train.seed)),
            progress: PretrainProgress {
                train: train.resume_key(),
                network: train.network.clone(),
                config: config.clone(),
                data,
                step: 0,
                history: Vec::new(),
            },
        }
    }

    pub(crate) fn save(&mut self, path: &Path, layout: &Layout) -> Result<(), TrainError> {
        self.progress.step = self.learned.step;
        write_state(path, layout, &self.learned, &[], &self.progress)
    }

    /// Goes on where the file stopped, unless it is of something else than this new state.
    pub(crate) fn resume(self, path: &Path, layout: &Layout) -> Result<PretrainState, TrainError> {
        let file = StateFile::read(path)?;
        let progress: PretrainProgress = file.progress()?;
        let own = self.progress;
        let key = |p: &PretrainProgress| (p.train.clone(), p.network.clone(), p.config.clone());
        let same_config = key(&progress) == key(&own);
        file.is_of(same_config, progress.data == own.data)?;
        Ok(PretrainState { learned: file.learned(layout, progress.step)?, progress })
    }
}

/// Writes what a step moves, `more` lists of weights beside it, and the rest as JSON.
fn write_state(
    path: &Path,
    layout: &Layout,
    Learned { weights, first, second, .. }: &Learned,
    more: &[(&str, &[f32])],
    progress: &impl Serialize,
) -> Result<(), TrainError> {
    let own: [(&str, &[f32]); 3] = [("weights.", weights), ("adam.first.", first), ("adam.second.", second)];
    let json = serde_json::to_string(progress)
        .map_err(|e| ModelError::damaged(&path.display().to_string(), e.to_string()))?;
    Ok(write_whole(path, &encode(layout, &[&own, more].concat(), json)?)?)
}

/// A run's state as it lies on disk.
struct StateFile {
    origin: String,
    bytes: Vec<u8>,
}

impl StateFile {
    fn read(path: &Path) -> Result<StateFile, TrainError> {
        Ok(StateFile {
            origin: path.display().to_string(),
            bytes: std::fs::read(path).map_err(|e| ModelError::io("read", path, e))?,
        })
    }

    fn progress<P: DeserializeOwned>(&self) -> Result<P, TrainError> {
        let json = read_metadata(&self.bytes, &self.origin).map_err(unusable)?;
        serde_json::from_str(&json).map_err(|e| TrainError::State {
            origin: self.origin.clone(),
            reason: format!("its metadata cannot be read ({e})"),
        })
    }

    fn weights(&self, layout: &Layout, prefix: &str) -> Result<Vec<f32>, TrainError> {
        decode(&self.bytes, &self.origin, layout, prefix).map_err(unusable)
    }

    fn learned(&self, layout: &Layout, step: u64) -> Result<Learned, TrainError> {
        let weights = self.weights(layout, "weights.")?;
        Ok(Learned {
            average: weights.clone(),
            weights,
            first: self.weights(layout, "adam.first.")?,
            second: self.weights(layout, "adam.second.")?,
            step,
        })
    }

    /// Refuses the state of another configuration or of other data.
    fn is_of(&self, same_config: bool, same_data: bool) -> Result<(), TrainError> {
        for (what, same) in [("configuration", same_config), ("data", same_data)] {
            if !same {
                return Err(TrainError::config(format!(
                    "{} holds a run with another {what}; resume with the same one, or choose another run folder",
                    self.origin
                )));
            }
        }
        Ok(())
    }
}

/// What is wrong with a file of weights, said of a state: the remedy is another than a checkpoint's.
fn unusable(error: ModelError) -> TrainError {
    match error {
        ModelError::Checkpoint { origin, reason } => TrainError::State { origin, reason },
        ModelError::Checksum { origin } => {
            TrainError::State { origin, reason: "its bytes do not have the checksum that it carries".into() }
        }
        ModelError::NoChecksum { origin } => {
            TrainError::State { origin, reason: "it carries no checksum".into() }
        }
        other => other.into(),
    }
}
