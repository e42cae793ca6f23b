//! The graph matching network in burn: batched over the disjoint union of all graphs of a
//! batch, with masks, on any of burn's devices.
//!
//! Paper §4.1–4.3 and Appendices B and C. Where the paper leaves a choice:
//! - `f_inner` is an MLP of one hidden layer. Its first layer is split into per-node products
//!   before edges are gathered; its second, linear, layer commutes with the sum over edges and
//!   is folded into the GRU's input weights.
//! - positional encodings move by p + tanh(p·S + mean of neighbours' p·N + b), after LSPE
//!   (Dwivedi et al., 2022).
//! - strings are encoded by residual blocks of width-3 convolutions, pooled by maximum and mean.
//!
//! All operations treat both sides alike, so the distance is symmetric.

use std::collections::BTreeMap;
use std::sync::Arc;

use burn::tensor::{
    IndexingUpdateOp, Tensor,
    activation::{relu, sigmoid, softmax},
};

use crate::{
    config::{Compute, GmnConfig, Precision},
    contrast::TINY,
    device::{Place, values, wide},
    engine::{ContrastResult, Engine, Item, ODDS_OF_A_DISTANCE, StepResult},
    error::ModelError,
    prepare::Prepared,
    weights::{Layout, Slot},
};

/// Added to the attention of places where there is no node: nothing is left of it after the softmax,
/// and it is a number in 16 bits too.
const NO_ATTENTION: f32 = -3e4;

/// The network on a burn device.
pub(crate) struct BurnEngine {
    config: GmnConfig,
    layout: Layout,
    device: Place,
}

/// Index lists of a batch, ready to become tensors.
struct Batch {
    pairs: usize,
    nodes: usize,
    edges: usize,
    texts: usize,
    text_length: usize,
    most_left: usize,
    most_right: usize,
    words: Vec<i32>,
    tags: Vec<i32>,
    text_of: Vec<i32>,
    chars: Vec<i32>,
    char_mask: Vec<f32>,
    text_scale: Vec<f32>,
    targets: Vec<i32>,
    sources: Vec<i32>,
    kinds: Vec<i32>,
    inverse_degree: Vec<f32>,
    positions: Vec<f32>,
    /// Node of each padded place, `nodes` where there is none.
    left_places: Vec<i32>,
    right_places: Vec<i32>,
    left_mask: Vec<f32>,
    right_mask: Vec<f32>,
    /// Padded place of each node: left places, then right places.
    place_of: Vec<i32>,
    /// Graph of each node: pair i has graphs 2i and 2i + 1.
    graph_of: Vec<i32>,
}

impl Batch {
    fn new(pairs: &[&Prepared], config: &GmnConfig) -> Batch {
        let most_left = pairs.iter().map(|p| p.left).max().unwrap_or(1);
        let most_right = pairs.iter().map(|p| p.right).max().unwrap_or(1);
        let nodes: usize = pairs.iter().map(|p| p.nodes()).sum();
        let mut b = Batch {
            pairs: pairs.len(),
            nodes,
            edges: 0,
            texts: 0,
            text_length: 1,
            most_left,
            most_right,
            words: Vec::with_capacity(nodes),
            tags: Vec::with_capacity(nodes),
            text_of: Vec::with_capacity(nodes),
            chars: Vec::new(),
            char_mask: Vec::new(),
            text_scale: Vec::new(),
            targets: Vec::new(),
            sources: Vec::new(),
            kinds: Vec::new(),
            inverse_degree: Vec::with_capacity(nodes),
            positions: Vec::new(),
            left_places: vec![nodes as i32; pairs.len() * most_left],
            right_places: vec![nodes as i32; pairs.len() * most_right],
            left_mask: vec![NO_ATTENTION; pairs.len() * most_left],
            right_mask: vec![NO_ATTENTION; pairs.len() * most_right],
            place_of: Vec::with_capacity(nodes),
            graph_of: Vec::with_capacity(nodes),
        };
        let mut known: BTreeMap<Arc<[u8]>, usize> = BTreeMap::new();
        let mut texts: Vec<Arc<[u8]>> = Vec::new();
        for pair in pairs {
            for text in &pair.texts {
                known.entry(text.clone()).or_insert_with(|| {
                    texts.push(text.clone());
                    texts.len() - 1
                });
            }
        }
        b.texts = texts.len();
        b.text_length = texts.iter().map(|t| t.len()).max().unwrap_or(0).max(1);
        for text in &texts {
            for i in 0..b.text_length {
                b.chars.push(text.get(i).map_or(0, |&c| i32::from(c)));
                b.char_mask.push(if i < text.len() { 1.0 } else { 0.0 });
            }
            b.text_scale.push(1.0 / text.len().max(1) as f32);
        }
        let mut base = 0;
        for (i, pair) in pairs.iter().enumerate() {
            b.words.extend(pair.words.iter().map(|&w| w as i32));
            b.tags.extend(pair.tags.iter().map(|&t| t as i32));
            for text in &pair.text_of {
                let row = text
                    .and_then(|t| pair.texts.get(t as usize))
                    .and_then(|t| known.get(t))
                    .copied()
                    .unwrap_or(texts.len());
                b.text_of.push(row as i32);
            }
            for node in 0..pair.nodes() {
                let mut degree = 0;
                for (source, kind) in pair.incoming(node) {
                    b.targets.push((base + node) as i32);
                    b.sources.push((base + source) as i32);
                    b.kinds.push(kind as i32);
                    degree += 1;
                }
                b.inverse_degree.push(1.0 / degree.max(1) as f32);
                let (places, mask, place, offset) = if node < pair.left {
                    let place = i * most_left + node;
                    (&mut b.left_places, &mut b.left_mask, place, 0)
                } else {
                    let place = i * most_right + node - pair.left;
                    let offset = pairs.len() * most_left;
                    (&mut b.right_places, &mut b.right_mask, place, offset)
                };
                if let (Some(slot), Some(mask)) = (places.get_mut(place), mask.get_mut(place)) {
                    *slot = (base + node) as i32;
                    *mask = 0.0;
                }
                b.place_of.push((offset + place) as i32);
                b.graph_of.push((2 * i + usize::from(node >= pair.left)) as i32);
            }
            if config.use_positions {
                b.positions.extend_from_slice(&pair.positions);
            }
            base += pair.nodes();
        }
        b.edges = b.targets.len();
        b
    }
}

impl BurnEngine {
    pub(crate) fn new(
        config: GmnConfig,
        layout: Layout,
        compute: Compute,
        precision: Precision,
    ) -> Result<BurnEngine, ModelError> {
        Ok(BurnEngine {
            config,
            layout,
            device: Place::new(compute, precision)?,
        })
    }

    fn parameters(&self, weights: &[f32], device: &Place) -> Vec<Tensor<2>> {
        self.layout
            .slots
            .iter()
            .map(|slot| device.matrix(slot.of(weights).to_vec(), slot.rows, slot.cols))
            .collect()
    }

    /// Encodings of the batch's strings, S × d.
    fn texts(&self, p: &Parameters, b: &Batch, device: &Place) -> Tensor<2> {
        let (s, l, c) = (b.texts, b.text_length, self.config.char_channels);
        let places: Vec<i32> = (0..s * l).map(|i| (i % l) as i32).collect();
        let mask = device.matrix(b.char_mask.clone(), s * l, 1);
        let mut x =
            p.rows(self.layout.chars, &b.chars, device) + p.rows(self.layout.char_places, &places, device);
        x = x * mask.clone();
        let convolve = |x: Tensor<2>, weight: Slot, bias: Slot| {
            let x: Tensor<3> = x.reshape([s, l, c]);
            let edge = device.zeros([s, 1, c]);
            let before = Tensor::cat(vec![edge.clone(), x.clone().slice([0..s, 0..l - 1])], 1);
            let after = Tensor::cat(vec![x.clone().slice([0..s, 1..l]), edge], 1);
            let window = Tensor::cat(vec![before, x, after], 2).reshape([s * l, 3 * c]);
            window.matmul(p.get(weight)) + p.get(bias)
        };
        let convolve = |x: Tensor<2>, weight: Slot, bias: Slot| {
            if l > 1 {
                return convolve(x, weight, bias);
            }
            let edge = device.zeros([s, c]);
            Tensor::cat(vec![edge.clone(), x, edge], 1).matmul(p.get(weight)) + p.get(bias)
        };
        for block in &self.layout.blocks {
            let hidden = relu(convolve(x.clone(), block.first, block.first_bias)) * mask.clone();
            let change = convolve(hidden, block.second, block.second_bias);
            x = relu(x + change) * mask.clone();
        }
        let scale = device.matrix(b.text_scale.clone(), s, 1);
        let x: Tensor<3> = x.reshape([s, l, c]);
        let most = x.clone().max_dim(1).reshape([s, c]);
        let mean = x.sum_dim(1).reshape([s, c]) * scale;
        most.matmul(p.get(self.layout.text_max)) + mean.matmul(p.get(self.layout.text_mean))
    }

    /// Squared distances, shape \[pairs\].
    fn forward(&self, p: &Parameters, b: &Batch, device: &Place) -> Tensor<1> {
        let g = self.config.graph_dim;
        let graphs = wide(self.graphs(p, b, device));
        let difference = graphs.clone().slice([0..b.pairs, 0..1]) - graphs.slice([0..b.pairs, 1..2]);
        difference
            .powi_scalar(2)
            .reshape([b.pairs, g])
            .sum_dim(1)
            .reshape([b.pairs])
    }

    /// Representations of the graphs, shape \[pairs, 2, g\].
    fn graphs(&self, p: &Parameters, b: &Batch, device: &Place) -> Tensor<3> {
        let (layout, config) = (&self.layout, &self.config);
        let (n, d) = (b.nodes, config.node_dim);
        let mut h = p.rows(layout.words, &b.words, device);
        if let Some(tags) = layout.tags {
            h = h + p.rows(tags, &b.tags, device);
        }
        if b.texts > 0 {
            let none = device.zeros([1, d]);
            let texts = Tensor::cat(vec![self.texts(p, b, device), none], 0);
            h = h + texts.select(0, device.indices(&b.text_of));
        }
        let targets = device.indices(&b.targets);
        let sources = device.indices(&b.sources);
        let edge_states = p.rows(layout.edges, &b.kinds, device);
        let inverse_degree = device.matrix(b.inverse_degree.clone(), n, 1);
        let left_places = device.indices(&b.left_places);
        let right_places = device.indices(&b.right_places);
        let place_of = device.indices(&b.place_of);
        let (most_left, most_right) = (b.most_left, b.most_right);
        let left_mask: Tensor<3> = device
            .matrix(b.left_mask.clone(), b.pairs, most_left)
            .reshape([b.pairs, most_left, 1]);
        let right_mask: Tensor<3> = device
            .matrix(b.right_mask.clone(), b.pairs, most_right)
            .reshape([b.pairs, 1, most_right]);
        let mut position = layout.positions.map(|slots| {
            device
                .matrix(b.positions.clone(), n, config.walk_steps)
                .matmul(p.get(slots.input))
                + p.get(slots.input_bias)
        });
        for step in 0..config.propagation_steps {
            // Inner messages.
            let from_target = h.clone().matmul(p.get(layout.target));
            let from_source = h.clone().matmul(p.get(layout.source));
            let hidden = relu(
                from_target.select(0, targets.clone())
                    + from_source.select(0, sources.clone())
                    + edge_states.clone(),
            );
            let message = device.zeros([n, config.message_dim]).select_assign(
                0,
                targets.clone(),
                hidden,
                IndexingUpdateOp::Add,
            );
            // Cross-graph attention.
            let mut hidden = h.clone().matmul(p.get(layout.attention)) + p.get(layout.attention_bias);
            if let (Some(position), Some(slots)) = (&position, layout.positions) {
                hidden = hidden + position.clone().matmul(p.get(slots.attention));
            }
            let r = relu(hidden).matmul(p.get(layout.attention_out)) + p.get(layout.attention_out_bias);
            let padded = Tensor::cat(vec![r.clone(), device.zeros([1, d])], 0);
            let left: Tensor<3> = padded
                .clone()
                .select(0, left_places.clone())
                .reshape([b.pairs, most_left, d]);
            let right: Tensor<3> = padded
                .select(0, right_places.clone())
                .reshape([b.pairs, most_right, d]);
            let scores = left.clone().matmul(right.clone().swap_dims(1, 2)) / (d as f64).sqrt();
            let to_left = softmax(scores.clone() + right_mask.clone(), 2).matmul(right);
            let to_right = softmax(scores + left_mask.clone(), 1)
                .swap_dims(1, 2)
                .matmul(left);
            let attended = Tensor::cat(
                vec![
                    to_left.reshape([b.pairs * most_left, d]),
                    to_right.reshape([b.pairs * most_right, d]),
                ],
                0,
            )
            .select(0, place_of.clone());
            let cross = r - attended;
            // Gated recurrent update.
            let input = message.matmul(p.get(layout.gru_message))
                + cross.matmul(p.get(layout.gru_cross))
                + p.get(layout.gru_bias);
            let state = h.clone().matmul(p.get(layout.gru_state));
            let part = |t: &Tensor<2>, i: usize| t.clone().slice([0..n, i * d..(i + 1) * d]);
            let reset = sigmoid(part(&input, 0) + part(&state, 0));
            let update = sigmoid(part(&input, 1) + part(&state, 1));
            let candidate = (part(&input, 2) + reset * part(&state, 2)).tanh();
            h = candidate.clone() + update * (h - candidate);
            // Positional encodings; those after the last step would be read by nobody.
            if step + 1 < config.propagation_steps
                && let (Some(old), Some(slots)) = (&position, layout.positions)
            {
                let near = device.zeros([n, config.position_dim]).select_assign(
                    0,
                    targets.clone(),
                    old.clone().select(0, sources.clone()),
                    IndexingUpdateOp::Add,
                ) * inverse_degree.clone();
                let change = old.clone().matmul(p.get(slots.own))
                    + near.matmul(p.get(slots.near))
                    + p.get(slots.update_bias);
                position = Some(old.clone() + change.tanh());
            }
        }
        // Gated sum over the nodes of each graph.
        let gate = sigmoid(h.clone().matmul(p.get(layout.gate)) + p.get(layout.gate_bias));
        let value = h.matmul(p.get(layout.value)) + p.get(layout.value_bias);
        let g = config.graph_dim;
        let sums = device.zeros([2 * b.pairs, g]).select_assign(
            0,
            device.indices(&b.graph_of),
            gate * value,
            IndexingUpdateOp::Add,
        );
        let graphs =
            relu(sums.matmul(p.get(layout.graph)) + p.get(layout.graph_bias)).matmul(p.get(layout.graph_out));
        graphs.reshape([b.pairs, 2, g])
    }

    /// Parameters that gradients are asked for.
    fn tracked(&self, weights: &[f32], device: &Place) -> Parameters {
        Parameters {
            tensors: self
                .parameters(weights, device)
                .into_iter()
                .map(Tensor::require_grad)
                .collect(),
            empty: device.zeros([1, 1]),
        }
    }

    /// The gradients of a loss, in the order of the flat weights.
    fn gradients(&self, loss: &Tensor<1>, p: &Parameters) -> Vec<f32> {
        let scale = self.device.loss_scale();
        let mut all = (loss.clone() * scale).backward();
        let mut gradients = vec![0.0; self.layout.total];
        for (slot, tensor) in self.layout.slots.iter().zip(&p.tensors) {
            if let Some(gradient) = tensor.grad_remove(&mut all) {
                let gradient = values(gradient);
                for (to, from) in slot.of_mut(&mut gradients).iter_mut().zip(gradient) {
                    *to = from / scale;
                }
            }
        }
        gradients
    }
}

/// Parameter tensors by slot.
struct Parameters {
    tensors: Vec<Tensor<2>>,
    empty: Tensor<2>,
}

impl Parameters {
    fn get(&self, slot: Slot) -> Tensor<2> {
        self.tensors.get(slot.index).unwrap_or(&self.empty).clone()
    }

    fn rows(&self, slot: Slot, rows: &[i32], device: &Place) -> Tensor<2> {
        self.get(slot).select(0, device.indices(rows))
    }
}

impl Engine for BurnEngine {
    fn step(&self, weights: &[f32], items: &[Item]) -> StepResult {
        let device = self.device.autodiff();
        let pairs: Vec<&Prepared> = items.iter().map(|i| &i.pair).collect();
        let batch = Batch::new(&pairs, &self.config);
        let p = self.tracked(weights, &device);
        let squared = self.forward(&p, &batch, &device);
        let total: f32 = items.iter().map(|i| i.weight).sum::<f32>().max(f32::MIN_POSITIVE);
        let list = |f: &dyn Fn(&Item) -> f32| device.wide_list(items.iter().map(f).collect());
        let (least, most) = (list(&|i| i.target.least), list(&|i| i.target.most));
        let shares = list(&|i| i.weight / total);
        let (at, graded) = (list(&|i| i.target.at), list(&|i| i.target.weight));
        let (taught, chance) = (
            list(&|i| f32::from(u8::from(i.target.chance.is_some()))),
            list(&|i| i.target.chance.unwrap_or(0.0)),
        );
        let odds = (squared.clone() - 1.0) * -ODDS_OF_A_DISTANCE;
        let spread = relu(odds.clone()) + (odds.clone().abs().neg().exp() + 1.0).log();
        let entropy = (spread - chance * odds) * taught / ODDS_OF_A_DISTANCE;
        let bounds = relu(least - squared.clone()) + relu(squared.clone() - most);
        let outside = bounds + (squared - at).abs() * graded + entropy;
        let loss = (outside * shares).sum();
        StepResult {
            gradients: self.gradients(&loss, &p),
            loss: values(loss.inner()).first().copied().unwrap_or(f32::NAN),
        }
    }

    fn contrast(&self, weights: &[f32], views: &[Prepared], temperature: f32) -> ContrastResult {
        let device = self.device.autodiff();
        let pairs: Vec<&Prepared> = views.iter().collect();
        let batch = Batch::new(&pairs, &self.config);
        let p = self.tracked(weights, &device);
        let (n, g) = (batch.pairs, self.config.graph_dim);
        let graphs = wide(self.graphs(&p, &batch, &device));
        let unit = |side: usize| {
            let rows: Tensor<2> = graphs.clone().slice([0..n, side..side + 1]).reshape([n, g]);
            let lengths = (rows.clone().powi_scalar(2).sum_dim(1) + TINY).sqrt();
            rows / lengths
        };
        let (left, right) = (unit(0), unit(1));
        let own = (left.clone() * right.clone()).sum_dim(1) / temperature;
        let similarity = left.matmul(right.swap_dims(0, 1)) / temperature;
        // Similarities are at most 1 / τ, so their exponentials are no danger.
        let others: Vec<f32> = (0..n * n).map(|i| f32::from(u8::from(i / n != i % n))).collect();
        let shares = similarity.clone().exp() * device.wide_list(others).reshape([n, n]);
        let sums = shares.clone().sum_dim(1).log().reshape([n, 1]) + shares.sum_dim(0).log().reshape([n, 1]);
        let loss = (sums * 0.5 - own).mean();
        let similarity = values(similarity.inner());
        let nearest = (0..n).flat_map(|i| {
            let of = |row: usize, column: usize| similarity.get(row * n + column).copied().unwrap_or(0.0);
            let first = |at: &dyn Fn(usize) -> f32| (0..n).all(|j| j == i || at(j) < at(i));
            [first(&|j| of(i, j)), first(&|j| of(j, i))]
        });
        ContrastResult {
            nearest: nearest.filter(|first| *first).count() as f32 / (2 * n).max(1) as f32,
            gradients: self.gradients(&loss, &p),
            loss: values(loss.inner()).first().copied().unwrap_or(f32::NAN),
        }
    }

    fn distances(&self, weights: &[f32], pairs: &[Prepared]) -> Vec<f32> {
        let p = Parameters {
            tensors: self.parameters(weights, &self.device),
            empty: self.device.zeros([1, 1]),
        };
        let mut out = Vec::with_capacity(pairs.len());
        for chunk in pairs.chunks(64) {
            let chunk: Vec<&Prepared> = chunk.iter().collect();
            let batch = Batch::new(&chunk, &self.config);
            out.extend(values(self.forward(&p, &batch, &self.device)));
        }
        out
    }
}
