//! The shape of the network, and the graphs that it reads.

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
pub const RELATIONS: usize = 16;

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
    pub fn fact_rows(&self) -> Option<usize> {
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

/// Refuses a configuration of which this does not hold, for a reason.
///
/// # Errors
/// [`ModelError::Config`] with the reason.
pub fn holds(condition: bool, otherwise: impl FnOnce() -> String) -> Result<(), ModelError> {
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
