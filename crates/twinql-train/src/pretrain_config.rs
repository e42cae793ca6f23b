//! The settings of pretraining.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use twinql_gmn::ModelError;
use twinql_graph::{AUGMENTATIONS, Augmentation};

/// What pretraining depends on besides its graphs and what it shares with training.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PretrainConfig {
    /// Passes over the graphs.
    pub epochs: usize,
    /// Graphs a step; all but one are a view's negatives.
    pub batch_size: usize,
    /// Adam's step size at its highest; it falls along half a cosine.
    pub learning_rate: f64,
    /// Steps over which the learning rate rises from zero.
    pub warmup_steps: usize,
    /// τ: similarities are divided by it.
    pub temperature: f32,
    /// Use at most this many graphs, drawn by the seed; 0 for all.
    pub max_graphs: usize,
    /// The augmentations by name ([`AUGMENTATIONS`]), each with the share of a graph that it
    /// changes. Each view draws one of them.
    pub augmentations: BTreeMap<String, f64>,
}

impl Default for PretrainConfig {
    /// The paper's best mix: attribute masking and node dropping of one tenth each.
    fn default() -> Self {
        PretrainConfig {
            epochs: 2,
            batch_size: 64,
            learning_rate: 1e-3,
            warmup_steps: 50,
            temperature: 0.2,
            augmentations: BTreeMap::from([("attribute-masking".into(), 0.1), ("node-dropping".into(), 0.1)]),
            max_graphs: 0,
        }
    }
}

impl PretrainConfig {
    /// The augmentations with their shares, in the order of their names.
    pub(crate) fn mix(&self) -> Result<Vec<(&'static Augmentation, f64)>, ModelError> {
        let fail = |reason: String| Err(ModelError::Config(format!("pretrain.{reason}")));
        if self.epochs == 0 {
            return fail("epochs must not be zero".into());
        }
        if self.batch_size < 2 {
            return fail("batch_size must be at least 2: the others are the negatives".into());
        }
        if !(self.temperature.is_finite() && self.temperature >= 0.02) {
            return fail(format!("temperature is {}, it must be at least 0.02", self.temperature));
        }
        if self.augmentations.is_empty() {
            return fail("augmentations is empty: a view must differ from its partner".into());
        }
        let mut mix = Vec::with_capacity(self.augmentations.len());
        for (name, &share) in &self.augmentations {
            let Some(augmentation) = Augmentation::find(name) else {
                let known: Vec<&str> = AUGMENTATIONS.iter().map(|a| a.name).collect();
                return fail(format!("augmentations: there is no {name:?}; there are {}", known.join(", ")));
            };
            if !(0.0..=1.0).contains(&share) {
                return fail(format!("augmentations.{name} is {share}, it must lie in 0..=1"));
            }
            mix.push((augmentation, share));
        }
        Ok(mix)
    }
}
