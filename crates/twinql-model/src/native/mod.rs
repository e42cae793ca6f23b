//! The network by hand: forward and backward passes in plain Rust over the same weights as the
//! burn execution, several times faster on CPUs. Pairs run in parallel on rayon; each pair is
//! computed by itself and sums run in input order, so results depend neither on the number of
//! threads nor, for distances, on the other pairs of a batch.

mod math;
mod pair;
mod text;

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, PoisonError, RwLock};

use ndarray::Array2;
use rayon::prelude::*;
use twinql_graph::PairArrays;

use self::{
    math::{Gradients, add, flat, flat_mut},
    pair::{Network, PairPass, join_states, split_states},
    text::TextPass,
};
use crate::{
    attention::AttentionStep,
    backend::{Backend, StepResult},
    config::GmnConfig,
    contrast::nt_xent,
    error::ModelError,
    prepare::Prepared,
    target::{Item, total_weight},
    weights::Layout,
};

/// Pairs whose gradients are summed by one task.
const PAIRS_A_TASK: usize = 4;
/// Strings encoded by one task.
const TEXTS_A_TASK: usize = 16;
/// Pairs prepared and scored at a time, which bounds memory.
const PAIRS_A_ROUND: usize = 512;
/// Cached string encodings; the cache starts anew beyond that.
const CACHE_LIMIT: usize = 100_000;

/// The network on CPUs.
pub(crate) struct NativeBackend {
    config: GmnConfig,
    layout: Layout,
}

impl NativeBackend {
    pub(crate) fn new(config: GmnConfig, layout: Layout) -> NativeBackend {
        NativeBackend { config, layout }
    }

    /// Goes back through a batch, a task for each few of its items: `back` gives an item's loss and the gradient of its
    /// string encodings, and adds those of the parameters and of the joint state matrix.
    fn tasks<T: Sync>(
        &self,
        items: &[T],
        states: &Array2<f32>,
        back: impl Fn(usize, &T, &mut Gradients, &mut Array2<f32>) -> (f32, Option<Array2<f32>>) + Sync,
    ) -> Vec<TaskResult> {
        let task = |(task, chunk): (usize, &[T])| {
            let mut gradients = Gradients::new(&self.layout);
            let mut joint = Array2::zeros(states.raw_dim());
            let mut loss = 0.0;
            let mut of_texts = Vec::with_capacity(chunk.len());
            for (number, item) in (task * PAIRS_A_TASK..).zip(chunk) {
                let (of_item, texts) = back(number, item, &mut gradients, &mut joint);
                loss += of_item;
                of_texts.push(texts);
            }
            split_states(&self.layout, &joint, &mut gradients);
            TaskResult { loss, gradients, of_texts }
        };
        items.par_chunks(PAIRS_A_TASK).enumerate().map(task).collect()
    }
}

/// What one task of a step gives.
struct TaskResult {
    loss: f32,
    gradients: Gradients,
    /// For each pair the gradient of its string encodings; none where its loss is zero.
    of_texts: Vec<Option<Array2<f32>>>,
}

/// Distinct strings of some pairs, and where each lies.
struct Texts {
    index: BTreeMap<Arc<[u8]>, usize>,
    list: Vec<Arc<[u8]>>,
}

impl Texts {
    fn of<'p>(pairs: impl Iterator<Item = &'p Prepared>) -> Texts {
        let mut texts = Texts { index: BTreeMap::new(), list: Vec::new() };
        for text in pairs.flat_map(|p| &p.texts) {
            if !texts.index.contains_key(text) {
                texts.index.insert(text.clone(), texts.list.len());
                texts.list.push(text.clone());
            }
        }
        texts
    }

    /// Where one of these strings lies.
    fn position(&self, text: &Arc<[u8]>) -> usize {
        self.index[text]
    }
}

fn row(matrix: &Array2<f32>, row: usize) -> &[f32] {
    let width = matrix.ncols();
    &flat(matrix)[row * width..(row + 1) * width]
}

/// The distinct strings of a batch, encoded.
struct Encoded {
    texts: Texts,
    passes: Vec<TextPass>,
}

impl Encoded {
    fn new<'p>(layout: &Layout, weights: &[f32], pairs: impl Iterator<Item = &'p Prepared>) -> Encoded {
        let texts = Texts::of(pairs);
        let passes = texts
            .list
            .par_chunks(TEXTS_A_TASK)
            .map(|chunk| TextPass::new(layout, weights, chunk.to_vec()))
            .collect();
        Encoded { texts, passes }
    }

    fn of(&self, text: &Arc<[u8]>) -> &[f32] {
        let position = self.texts.position(text);
        row(&self.passes[position / TEXTS_A_TASK].out, position % TEXTS_A_TASK)
    }

    /// The batch's gradients: those of its tasks, of [`PAIRS_A_TASK`] pairs each, and through
    /// the strings.
    fn gradients<'p>(
        &self,
        layout: &Layout,
        weights: &[f32],
        results: &[TaskResult],
        pairs: impl Iterator<Item = &'p Prepared>,
    ) -> Vec<f32> {
        let d = layout.words.cols;
        let mut gradients = vec![0.0; layout.total];
        let mut of_passes: Vec<Array2<f32>> =
            self.passes.iter().map(|pass| Array2::zeros((pass.out.nrows(), d))).collect();
        for result in results {
            result.gradients.add_to(layout, &mut gradients);
        }
        for (of_texts, pair) in results.iter().flat_map(|r| &r.of_texts).zip(pairs) {
            let Some(of_texts) = of_texts else { continue };
            for (i, text) in pair.texts.iter().enumerate() {
                let position = self.texts.position(text);
                let to = flat_mut(&mut of_passes[position / TEXTS_A_TASK]);
                let start = position % TEXTS_A_TASK * d;
                add(row(of_texts, i), &mut to[start..start + d]);
            }
        }
        let of_texts: Vec<Gradients> = self
            .passes
            .par_iter()
            .zip(&of_passes)
            .map(|(pass, gradient)| {
                let mut all = Gradients::new(layout);
                pass.backward(layout, weights, gradient, &mut all);
                all
            })
            .collect();
        for part in of_texts {
            part.add_to(layout, &mut gradients);
        }
        gradients
    }
}

impl Backend for NativeBackend {
    fn step(&self, weights: &[f32], items: &[Item]) -> StepResult {
        let layout = &self.layout;
        let states = join_states(layout, weights);
        let network = Network::new(&self.config, layout, weights, &states);
        let encoded = Encoded::new(layout, weights, items.iter().map(|i| &i.pair));
        let total = total_weight(items);
        let results = self.tasks(items, &states, |_, item, all, joint| {
            let share = item.weight / total;
            let text = |i: usize| encoded.of(&item.pair.texts[i]);
            let pass = network.forward(&item.pair, text, true);
            let (loss, slope) = item.target.loss(pass.squared);
            let of_texts = (slope != 0.0).then(|| pass.backward_distance(slope * share, all, joint));
            (share * loss, of_texts)
        });
        StepResult {
            loss: results.iter().fold(0.0, |sum, r| sum + r.loss),
            gradients: encoded.gradients(layout, weights, &results, items.iter().map(|i| &i.pair)),
        }
    }

    fn contrast(&self, weights: &[f32], views: &[Prepared], temperature: f32) -> (StepResult, f32) {
        let (layout, g) = (&self.layout, self.config.graph_dim);
        let states = join_states(layout, weights);
        let network = Network::new(&self.config, layout, weights, &states);
        let encoded = Encoded::new(layout, weights, views.iter());
        // The loss of a view depends on all others: all go forward before any goes back.
        let passes: Vec<PairPass<'_>> = views
            .par_iter()
            .map(|pair| {
                let text = |i: usize| encoded.of(&pair.texts[i]);
                network.forward(pair, text, true)
            })
            .collect();
        let side = |side: usize| -> Vec<f32> {
            let rows = passes.iter().flat_map(|pass| row(pass.graphs(), side));
            rows.copied().collect()
        };
        let contrast = nt_xent(&side(0), &side(1), g, temperature);
        let results = self.tasks(&passes, &states, |i, pass, all, joint| {
            let mut graphs = Array2::zeros((2, g));
            let (left, right) = flat_mut(&mut graphs).split_at_mut(g);
            left.copy_from_slice(&contrast.left[i * g..(i + 1) * g]);
            right.copy_from_slice(&contrast.right[i * g..(i + 1) * g]);
            (0.0, Some(pass.backward(&graphs, all, joint)))
        });
        let result = StepResult {
            loss: contrast.loss,
            gradients: encoded.gradients(layout, weights, &results, views.iter()),
        };
        (result, contrast.nearest)
    }

    fn distances(&self, weights: &[f32], pairs: &[Prepared]) -> Vec<f32> {
        let layout = &self.layout;
        let states = join_states(layout, weights);
        let network = Network::new(&self.config, layout, weights, &states);
        let texts = Texts::of(pairs.iter());
        let passes: Vec<Array2<f32>> = texts
            .list
            .par_chunks(TEXTS_A_TASK)
            .map(|chunk| TextPass::new(layout, weights, chunk.to_vec()).out)
            .collect();
        pairs
            .par_iter()
            .map(|pair| {
                let text = |i: usize| -> &[f32] {
                    let position = texts.position(&pair.texts[i]);
                    row(&passes[position / TEXTS_A_TASK], position % TEXTS_A_TASK)
                };
                network.forward(pair, text, false).squared
            })
            .collect()
    }
}

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

#[cfg(test)]
mod tests;
