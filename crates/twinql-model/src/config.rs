//! Hyperparameters of the network and of its training.

use serde::{Deserialize, Serialize};
use twinql_graph::{EncodingConfig, Question, agree::CODES, vocabulary};

use crate::error::ModelError;

/// Shape of the network. Stored in every checkpoint.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct GmnConfig {
    /// Size of the vocabulary of node words.
    pub words: usize,
    /// Size of the vocabulary of node tags.
    pub tags: usize,
    /// Width d of node states.
    pub node_dim: usize,
    /// Width of messages: the hidden layer of `f_inner` (paper §4.3).
    pub message_dim: usize,
    /// Width of graph representations.
    pub graph_dim: usize,
    /// Width of the learned positional encodings.
    pub position_dim: usize,
    /// K, the number of random-walk steps in the input.
    pub walk_steps: usize,
    /// Whether these walks ran on the merged pair graph (paper §4.2); the network itself does not
    /// read this, those who encode pairs for it do.
    pub merged_walks: bool,
    /// T, the number of propagation steps; their weights are shared.
    pub propagation_steps: usize,
    /// Channels of the character ConvNet.
    pub char_channels: usize,
    /// Residual blocks of the character ConvNet, of two convolutions each.
    pub char_blocks: usize,
    /// Longest string in characters; longer ones are cut and marked by a hash.
    pub string_length: usize,
    /// Add schema facts (types, keys, nullability) to node states.
    pub use_tags: bool,
    /// Use positional encodings in the cross-graph attention (paper §4.2).
    pub use_positions: bool,
    /// Add to each node's state what it finds again in the other graph
    /// ([`twinql_graph::agree`]); not in the paper.
    pub use_agreement: bool,
    /// Read the names of tables and columns. A network that does not reads codes in their place
    /// ([`twinql_graph::codes`]), and names cannot change what it says.
    #[serde(skip_serializing_if = "is_true")]
    #[schemars(extend("default" = true))]
    pub use_names: bool,
    /// Let the cross-graph attention see what two nodes have in common: word, label, subtree, place; not
    /// in the paper.
    #[serde(skip_serializing_if = "is_false")]
    #[schemars(extend("default" = false))]
    pub use_relations: bool,
}

/// What two nodes of a pair have in common, as a code of four bits: the word, the label (word and
/// content), the subtree, the label below the same chain of words from the root.
pub(crate) const RELATIONS: usize = 16;

/// What earlier checkpoints do not say is true of them, and left out: they stay the same bytes.
#[allow(clippy::trivially_copy_pass_by_ref)] // The form that serde asks for.
fn is_true(value: &bool) -> bool {
    *value
}

/// As [`is_true`].
#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_false(value: &bool) -> bool {
    !*value
}

impl Default for GmnConfig {
    fn default() -> Self {
        GmnConfig {
            words: vocabulary::WORD_COUNT,
            tags: vocabulary::TAG_COUNT,
            node_dim: 32,
            message_dim: 32,
            graph_dim: 64,
            position_dim: 16,
            walk_steps: EncodingConfig::default().steps,
            merged_walks: EncodingConfig::default().merged,
            propagation_steps: 5,
            char_channels: 24,
            char_blocks: 2,
            string_length: 64,
            use_tags: true,
            use_positions: true,
            use_agreement: true,
            use_names: true,
            use_relations: false,
        }
    }
}

impl GmnConfig {
    /// Rows of the table of node facts: one for each tag and agreement code in use, since
    /// what it means that a node is found again depends on what the node is.
    pub(crate) fn fact_rows(&self) -> Option<usize> {
        let tags = if self.use_tags { self.tags } else { 1 };
        let codes = if self.use_agreement { CODES } else { 1 };
        (self.use_tags || self.use_agreement).then_some(tags * codes)
    }

    /// How pairs are to be encoded for this network.
    pub fn encoding(&self) -> EncodingConfig {
        EncodingConfig { steps: self.walk_steps, merged: self.merged_walks }
    }

    /// Refuses sizes that are zero or absurd.
    ///
    /// # Errors
    /// [`ModelError::Config`] names the field.
    pub fn validate(&self) -> Result<(), ModelError> {
        let fields = [
            ("words", self.words, 65_536),
            ("tags", self.tags, 65_536),
            ("node_dim", self.node_dim, 4_096),
            ("message_dim", self.message_dim, 4_096),
            ("graph_dim", self.graph_dim, 4_096),
            ("position_dim", self.position_dim, 4_096),
            ("walk_steps", self.walk_steps, 1_024),
            ("propagation_steps", self.propagation_steps, 64),
            ("char_channels", self.char_channels, 4_096),
            ("char_blocks", self.char_blocks, 64),
            ("string_length", self.string_length, 1_024),
        ];
        for (name, value, most) in fields {
            holds((1..=most).contains(&value), || {
                format!("model.{name} is {value}, it must lie in 1..={most}")
            })?;
        }
        holds(self.string_length >= 16, || "model.string_length must be at least 16".into())
    }
}

/// What a query's graph is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum GraphKind {
    /// The relational operator tree.
    #[default]
    Plan,
    /// The syntax tree: the baseline of paper §5.3, experiment 0.
    Ast,
}

/// How a query becomes the graph that the network reads. Stored in every checkpoint; the network
/// itself does not read it, those who make graphs for it do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct GraphConfig {
    /// What the graph is made of.
    pub kind: GraphKind,
    /// Of plans: with edges of logic and data flow, besides those of the tree.
    pub flows: bool,
    /// Of plans: use the normalisation rules.
    pub canonical: bool,
    /// What is asked of the pair, which a mark tells the network.
    #[serde(skip_serializing_if = "Question::is_usual")]
    #[schemars(with = "String", extend("default" = "every"))]
    pub question: Question,
    /// Asked about plausible databases, canonical plans take the
    /// regularities (`twinql_sql::normalize::REGULARITIES`) for granted, and marks tell the network which.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schemars(extend("default" = false))]
    pub regularities: bool,
}

impl Default for GraphConfig {
    /// Canonical plans with their flows.
    fn default() -> Self {
        GraphConfig {
            kind: GraphKind::Plan,
            flows: true,
            canonical: true,
            question: Question::Every,
            regularities: false,
        }
    }
}

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
    /// Hand-written forward and backward passes in plain Rust: the fastest on CPUs.
    Native,
    /// burn's pure-Rust CPU backend (feature `flex`).
    Flex,
    /// burn on a GPU through wgpu (feature `wgpu`).
    Wgpu,
    /// burn on an NVIDIA GPU (feature `cuda`).
    Cuda,
}

impl Compute {
    /// The error of a device whose feature was not switched on in this build.
    pub(crate) fn not_built_in(self) -> ModelError {
        let name = format!("{self:?}").to_lowercase();
        ModelError::Device {
            remedy: format!("build with `--features {name}`, or use --device cpu"),
            device: name,
        }
    }
}

impl std::str::FromStr for Compute {
    type Err = ModelError;

    fn from_str(text: &str) -> Result<Self, ModelError> {
        match text {
            "cpu" | "native" => Ok(Compute::Native),
            "flex" => Ok(Compute::Flex),
            "wgpu" => Ok(Compute::Wgpu),
            "cuda" => Ok(Compute::Cuda),
            other => Err(ModelError::Device {
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

/// Refuses a configuration of which this does not hold, for a reason.
pub(crate) fn holds(condition: bool, otherwise: impl FnOnce() -> String) -> Result<(), ModelError> {
    if condition { Ok(()) } else { Err(ModelError::Config(otherwise())) }
}

/// What is trained, which a checkpoint says of itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Network {
    /// Its shape.
    pub model: GmnConfig,
    /// How queries became its graphs.
    pub graph: GraphConfig,
    /// Names of the labels' semantics.
    pub semantics: Vec<String>,
    /// Hash of the feature vocabulary.
    pub vocabulary: String,
}

impl Default for Network {
    fn default() -> Self {
        Network {
            model: GmnConfig::default(),
            graph: GraphConfig::default(),
            semantics: vec!["default".into()],
            vocabulary: vocabulary::hash(),
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
            compute: Compute::Native,
            precision: Precision::F32,
            run_dir: None,
            init: None,
            resume: false,
        }
    }
}

impl TrainConfig {
    /// Refuses values that cannot be trained with.
    ///
    /// # Errors
    /// [`ModelError::Config`] names the field.
    pub fn validate(&self) -> Result<(), ModelError> {
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
        holds(self.precision == Precision::F32 || self.compute != Compute::Native, || {
            "plain Rust computes in 32 bits; with precision f16 or bf16 give --device wgpu or cuda".into()
        })?;
        holds(self.batch_size > 0, || "batch_size must not be zero".into())?;
        holds(self.epochs > 0 || self.init.is_some(), || {
            "epochs is zero, which calibrates given weights: name a checkpoint by init".into()
        })
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
