//! Inference over fixed weights.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use ndarray::Array2;
use rayon::prelude::*;
use twinql_graph::PairArrays;

use crate::{
    attention::AttentionStep,
    config::GmnConfig,
    error::ModelError,
    pass::{
        math::flat,
        pair::{Network, PairPass, join_states},
        text::TextPass,
    },
    prepare::Prepared,
    weights::Layout,
};

/// Pairs prepared and scored at a time, which bounds memory.
const PAIRS_A_ROUND: usize = 512;
/// Cached string encodings; the cache starts anew beyond that.
const CACHE_LIMIT: usize = 100_000;

/// Encodings by string.
type Encodings = HashMap<Arc<[u8]>, Arc<[f32]>>;

/// Inference over fixed weights, with a cache of string encodings.
pub(crate) struct Inference {
    config: GmnConfig,
    layout: Layout,
    weights: Vec<f32>,
    states: Array2<f32>,
    cache: RwLock<Encodings>,
}

impl std::fmt::Debug for Inference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Inference").field("config", &self.config).finish_non_exhaustive()
    }
}

impl Inference {
    pub(crate) fn new(config: GmnConfig, weights: Vec<f32>) -> Inference {
        let layout = Layout::new(&config);
        Inference {
            states: join_states(&layout, &weights),
            config,
            layout,
            weights,
            cache: RwLock::default(),
        }
    }

    /// The flat weights.
    pub(crate) fn weights(&self) -> &[f32] {
        &self.weights
    }

    /// Squared distances in input order, in parallel.
    pub(crate) fn squared_distances(&self, pairs: &[PairArrays]) -> Vec<Result<f32, ModelError>> {
        let mut out = Vec::with_capacity(pairs.len());
        for round in pairs.chunks(PAIRS_A_ROUND) {
            let round: Vec<Result<f32, ModelError>> = round
                .par_iter()
                .map(|pair| {
                    let pair = Prepared::new(pair, &self.config)?;
                    Ok(self.forward(&pair, false, |pass| pass.squared))
                })
                .collect();
            out.extend(round);
        }
        out
    }

    /// The squared distance of a pair, and the attention of each step.
    pub(crate) fn attention(&self, pair: &PairArrays) -> Result<(f32, Vec<AttentionStep>), ModelError> {
        let pair = Prepared::new(pair, &self.config)?;
        Ok(self.forward(&pair, true, |pass| {
            let steps = pass.attention().map(|[gold, pred]| AttentionStep {
                gold_over_pred: flat(gold).to_vec(),
                pred_over_gold: flat(pred).to_vec(),
            });
            (pass.squared, steps.collect())
        }))
    }

    /// Runs the network and reads something off the pass; `keep` keeps all its steps.
    fn forward<T>(&self, pair: &Prepared, keep: bool, read: impl FnOnce(&PairPass<'_>) -> T) -> T {
        let texts: Vec<Arc<[f32]>> = pair.texts.iter().map(|t| self.encoding(t)).collect();
        let network = Network::new(&self.config, &self.layout, &self.weights, &self.states);
        let text = |i: usize| -> &[f32] { &texts[i] };
        read(&network.forward(pair, text, keep))
    }

    /// A string's encoding. Each is computed alone, so it does not matter who asks first.
    fn encoding(&self, text: &Arc<[u8]>) -> Arc<[f32]> {
        let known = self.cache.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known.get(text) {
            return known.clone();
        }
        drop(known);
        let pass = TextPass::new(&self.layout, &self.weights, vec![text.clone()]);
        let encoding: Arc<[f32]> = flat(&pass.out).into();
        let mut cache = self.cache.write().unwrap_or_else(PoisonError::into_inner);
        if cache.len() >= CACHE_LIMIT {
            cache.clear();
        }
        cache.insert(text.clone(), encoding.clone());
        encoding
    }
}
