//! Hyperparameters of training.

use serde::{Deserialize, Serialize};
use twinql_gmn::{ModelError, Network, config::holds};

use crate::{burn::device::Place, error::TrainError};

/// How the learning rate moves after the warm-up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Schedule {
    /// Stays.
    Constant,
    /// Falls along half a cosine to one hundredth over `epochs`.
    Cosine,
    /// Halves after every two epochs without a better validation AUC.
    Plateau,
}

/// What executes the training steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Compute {
    /// burn's steps written by hand in plain Rust: the fastest on CPUs.
    Cpu,
    /// burn on a CPU.
    Flex,
    /// burn on a GPU through wgpu (feature `wgpu`).
    Wgpu,
    /// burn on an NVIDIA GPU (feature `cuda`).
    Cuda,
}

impl Compute {
    /// The error of a device whose feature was not switched on in this build.
    pub(crate) fn not_built_in(self) -> TrainError {
        let name = format!("{self:?}").to_lowercase();
        TrainError::Device {
            remedy: format!("build with `--features {name}`, or use --device cpu"),
            device: name,
        }
    }
}

impl std::str::FromStr for Compute {
    type Err = TrainError;

    fn from_str(text: &str) -> Result<Self, TrainError> {
        match text {
            "cpu" => Ok(Compute::Cpu),
            "flex" => Ok(Compute::Flex),
            "wgpu" => Ok(Compute::Wgpu),
            "cuda" => Ok(Compute::Cuda),
            other => Err(TrainError::Device {
                device: other.to_owned(),
                remedy: "choose one of cpu, flex, wgpu, cuda".into(),
            }),
        }
    }
}

/// The numbers that burn's devices compute with. Weights, gradients and the optimizer have 32 bits in any
/// case, and so has plain Rust.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Precision {
    /// 32 bits.
    #[default]
    F32,
    /// 16 bits with a short exponent: GPUs through wgpu, and CUDA.
    F16,
    /// 16 bits with the exponent of 32: CUDA.
    Bf16,
}

impl std::str::FromStr for Precision {
    type Err = ModelError;

    fn from_str(text: &str) -> Result<Self, ModelError> {
        match text {
            "f32" => Ok(Precision::F32),
            "f16" => Ok(Precision::F16),
            "bf16" => Ok(Precision::Bf16),
            other => Err(ModelError::Config(format!(
                "precision {other:?} is unknown; choose one of f32, f16, bf16"
            ))),
        }
    }
}

/// How a step moves the weights.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Optimiser {
    /// Passes over the data, along which the learning rate falls.
    pub(crate) epochs: usize,
    pub(crate) learning_rate: f64,
    pub(crate) warmup_steps: usize,
    pub(crate) schedule: Schedule,
    pub(crate) weight_decay: f64,
    pub(crate) clip_value: f32,
    pub(crate) clip_norm: f32,
}

impl Optimiser {
    /// Refuses steps that lead nowhere.
    pub(crate) fn validate(&self) -> Result<(), ModelError> {
        let positive = [("learning_rate", self.learning_rate), ("clip_value", f64::from(self.clip_value))];
        for (name, value) in positive {
            holds(value.is_finite() && value > 0.0, || format!("{name} is {value}, it must be positive"))?;
        }
        let (decay, norm) = (self.weight_decay, f64::from(self.clip_norm));
        not_negative(&[("weight_decay", decay), ("clip_norm", norm)])
    }
}

fn not_negative(fields: &[(&str, f64)]) -> Result<(), ModelError> {
    fields.iter().try_for_each(|(name, value)| {
        holds(value.is_finite() && *value >= 0.0, || format!("{name} is {value}, it must not be negative"))
    })
}

/// Everything a training run depends on besides its data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct TrainConfig {
    /// The network, which other tables of a configuration file describe.
    #[serde(skip)]
    pub network: Network,
    /// Seed of initial weights and of the order of batches.
    pub seed: u64,
    /// Most passes over the training pairs; with 0, the weights of `init` are calibrated.
    pub epochs: usize,
    /// Pairs a step.
    pub batch_size: usize,
    /// Adam's step size (1e-4 in the paper).
    pub learning_rate: f64,
    /// Steps over which the learning rate rises from zero.
    pub warmup_steps: usize,
    /// Course of the learning rate after the warm-up.
    pub schedule: Schedule,
    /// L2 penalty added to gradients.
    pub weight_decay: f64,
    /// Gradients are cut to ± this value.
    pub clip_value: f32,
    /// The gradient of a step is cut to this length before; 0 for any length.
    pub clip_norm: f32,
    /// γ of the loss relu(γ − y(1 − d²)).
    pub margin: f32,
    /// How much larger than 1 + γ the squared distance should be of pairs that every database tells
    /// apart; those that fewer tell apart lie between, by their [`ease`](crate::Example::ease).
    /// 0: any distance beyond 1 + γ is as good.
    pub ease_margin: f32,
    /// What a squared distance off its grade costs, where one on the wrong side of a bound costs 1.
    pub ease_weight: f32,
    /// Trained checkpoints for the same graphs. With them a training pair has a probability for its
    /// target, between its label and their mean opinion, in place of the bounds that margins set.
    pub teachers: Vec<std::path::PathBuf>,
    /// How much of that is theirs: from 0 (the label) to 1.
    pub teacher_share: f32,
    /// With teachers, how much the label of a pair that differs is that which a handful of databases with
    /// random rows give, by its [`ease`](crate::Example::ease): from 0 (the label is what it is) to 1.
    pub plain_share: f32,
    /// Stop after this many epochs without a better validation AUC.
    pub patience: usize,
    /// Decay of an exponential moving average of weights, which is then what is validated and
    /// kept; 0 for none.
    pub ema_decay: f64,
    /// Stop after this many minutes of wall-clock time; 0 for no limit. A run cut by time is not
    /// reproducible.
    pub max_minutes: f64,
    /// What executes the steps.
    pub compute: Compute,
    /// The numbers that it computes with.
    pub precision: Precision,
    /// Folder for the state (to resume) and what each epoch did, of pretraining and of training; none: nothing
    /// is written.
    #[serde(skip)]
    pub run_dir: Option<std::path::PathBuf>,
    /// A checkpoint of the same shape whose weights the run starts with, in place of random ones.
    pub init: Option<std::path::PathBuf>,
    /// Continue from `run_dir` where it holds a state of the same configuration and data.
    pub resume: bool,
}

impl Default for TrainConfig {
    fn default() -> Self {
        TrainConfig {
            network: Network::default(),
            seed: 8,
            epochs: 30,
            batch_size: 32,
            learning_rate: 1e-3,
            warmup_steps: 100,
            schedule: Schedule::Cosine,
            weight_decay: 1e-5,
            clip_value: 10.0,
            clip_norm: 0.0,
            margin: 0.4,
            ease_margin: 0.0,
            ease_weight: 0.2,
            teachers: Vec::new(),
            teacher_share: 0.7,
            plain_share: 0.0,
            patience: 6,
            ema_decay: 0.999,
            max_minutes: 0.0,
            compute: Compute::Cpu,
            precision: Precision::F32,
            run_dir: None,
            init: None,
            resume: false,
        }
    }
}

impl TrainConfig {
    /// Refuses values that cannot be trained with, and a device that is not there.
    ///
    /// # Errors
    /// [`ModelError::Config`] names the field; [`TrainError::Device`].
    pub fn validate(&self) -> Result<(), TrainError> {
        self.network.model.validate()?;
        self.optimiser().validate()?;
        not_negative(&[
            ("margin", f64::from(self.margin)),
            ("ease_margin", f64::from(self.ease_margin)),
            ("ease_weight", f64::from(self.ease_weight)),
            ("max_minutes", self.max_minutes),
        ])?;
        let decay = self.ema_decay;
        holds((0.0..1.0).contains(&decay), || format!("ema_decay is {decay}, it must lie in [0, 1)"))?;
        for (name, value) in [("teacher_share", self.teacher_share), ("plain_share", self.plain_share)] {
            holds((0.0..=1.0).contains(&value), || format!("{name} is {value}, it must lie in [0, 1]"))?;
        }
        holds(self.precision == Precision::F32 || self.compute != Compute::Cpu, || {
            "plain Rust computes in 32 bits; with precision f16 or bf16 give --device wgpu or cuda".into()
        })?;
        // Better than after the minutes that pairs take to encode.
        if self.compute != Compute::Cpu {
            Place::new(self.compute, self.precision)?;
        }
        holds(self.batch_size > 0, || "batch_size must not be zero".into())?;
        Ok(holds(self.epochs > 0 || self.init.is_some(), || {
            "epochs is zero, which calibrates given weights: name a checkpoint by init".into()
        })?)
    }

    /// How its steps move the weights.
    pub(crate) fn optimiser(&self) -> Optimiser {
        Optimiser {
            epochs: self.epochs,
            learning_rate: self.learning_rate,
            warmup_steps: self.warmup_steps,
            schedule: self.schedule,
            weight_decay: self.weight_decay,
            clip_value: self.clip_value,
            clip_norm: self.clip_norm,
        }
    }

    /// What must agree for a run to be resumed: all but the network, which is compared on its own, the
    /// folder, the time limit and the flag.
    pub(crate) fn resume_key(&self) -> TrainConfig {
        TrainConfig {
            network: Network::default(),
            run_dir: None,
            resume: false,
            max_minutes: 0.0,
            ..self.clone()
        }
    }
}
