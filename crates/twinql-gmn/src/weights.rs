//! The network's parameters: one flat vector of `f32`, and a layout that names its parts.
//!
//! Every execution of the network (burn's autodiff, the plain-Rust passes) reads the same
//! layout, so there is one model. All parameters are matrices, row-major, and apply from the
//! right: `y = x W + b`, with biases as one-row matrices.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use crate::{
    config::{GmnConfig, RELATIONS},
    text,
};

/// Kinds of edges times the two directions in which messages run.
pub const EDGE_KINDS: usize = 6;

/// One parameter matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slot {
    /// Position in [`Layout::slots`].
    pub index: usize,
    /// First element in the flat vector.
    pub offset: usize,
    /// Its rows.
    pub rows: usize,
    /// Its columns.
    pub cols: usize,
}

impl Slot {
    /// Its number of elements.
    #[inline]
    pub fn elements(self) -> usize {
        self.rows * self.cols
    }

    /// Its part of the flat weights, row after row.
    #[inline]
    pub fn of(self, flat: &[f32]) -> &[f32] {
        &flat[self.offset..self.offset + self.elements()]
    }

    /// As [`Slot::of`].
    #[inline]
    pub fn of_mut(self, flat: &mut [f32]) -> &mut [f32] {
        &mut flat[self.offset..self.offset + self.elements()]
    }
}

/// A residual block of the character ConvNet: two convolutions of width 3, as matrix products
/// over three neighbouring characters.
#[derive(Debug, Clone, Copy)]
pub struct BlockSlots {
    /// The first convolution.
    pub first: Slot,
    /// Its bias.
    pub first_bias: Slot,
    /// The second.
    pub second: Slot,
    /// Its bias.
    pub second_bias: Slot,
}

/// Parameters of the positional encodings.
#[derive(Debug, Clone, Copy)]
pub struct PositionSlots {
    /// Random-walk encoding → first learned encoding.
    pub input: Slot,
    /// Its bias.
    pub input_bias: Slot,
    /// Update from the node's own encoding …
    pub own: Slot,
    /// … and from the mean of its neighbours'.
    pub near: Slot,
    /// The update's bias.
    pub update_bias: Slot,
    /// The encoding's share in the hidden layer of r = MLP(h ⊕ p).
    pub attention: Slot,
}

/// Names, shapes and places of all parameters.
#[derive(Debug, Clone)]
pub struct Layout {
    /// The name of each parameter, in the order of the flat weights.
    pub names: Vec<String>,
    /// The place of each.
    pub slots: Vec<Slot>,
    scales: Vec<f32>,
    /// Elements of the flat weights.
    pub total: usize,
    /// Words of nodes.
    pub words: Slot,
    /// Facts of nodes: tag and agreement code, as [`Prepared::tags`](crate::prepare::Prepared::tags).
    pub tags: Option<Slot>,
    /// Classes of characters.
    pub chars: Slot,
    /// Places of characters in a string.
    pub char_places: Slot,
    /// Blocks of the character ConvNet.
    pub blocks: Vec<BlockSlots>,
    /// From the maximum over a string's characters to its encoding.
    pub text_max: Slot,
    /// The same from their mean.
    pub text_mean: Slot,
    /// Edge embeddings, already in the hidden layer of `f_inner`.
    pub edges: Slot,
    /// Products of messages with the node that gets them.
    pub target: Slot,
    /// Products with the node that sends them.
    pub source: Slot,
    /// Positional encodings; none where they are not used.
    pub positions: Option<PositionSlots>,
    /// The hidden layer of r = MLP(h ⊕ p).
    pub attention: Slot,
    /// Its bias.
    pub attention_bias: Slot,
    /// From there to r.
    pub attention_out: Slot,
    /// Its bias.
    pub attention_out_bias: Slot,
    /// GRU: columns are reset, update, candidate.
    pub gru_message: Slot,
    /// The same of cross-graph messages.
    pub gru_cross: Slot,
    /// Their bias.
    pub gru_bias: Slot,
    /// Of the state.
    pub gru_state: Slot,
    /// Gates of the readout.
    pub gate: Slot,
    /// Their bias.
    pub gate_bias: Slot,
    /// What they let through.
    pub value: Slot,
    /// Its bias.
    pub value_bias: Slot,
    /// The hidden layer of `MLP_G`.
    pub graph: Slot,
    /// Its bias.
    pub graph_bias: Slot,
    /// From there to a graph's representation.
    pub graph_out: Slot,
    /// What each relation of two nodes adds to their attention.
    pub relations: Option<Slot>,
}

#[derive(Default)]
struct Builder {
    names: Vec<String>,
    slots: Vec<Slot>,
    scales: Vec<f32>,
    total: usize,
}

impl Builder {
    fn add(&mut self, name: &str, rows: usize, cols: usize, scale: f32) -> Slot {
        let slot = Slot { index: self.slots.len(), offset: self.total, rows, cols };
        self.names.push(name.to_owned());
        self.slots.push(slot);
        self.scales.push(scale);
        self.total += rows * cols;
        slot
    }

    /// A weight matrix with Glorot's uniform bound.
    fn weight(&mut self, name: &str, rows: usize, cols: usize) -> Slot {
        let bound = (6.0 / (rows + cols) as f32).sqrt();
        self.add(name, rows, cols, bound)
    }

    fn bias(&mut self, name: &str, cols: usize) -> Slot {
        self.add(name, 1, cols, 0.0)
    }
}

impl Layout {
    /// The layout of a network of this shape: one line for each parameter, so as long as there are parameters. Their order is
    /// that of the flat weights and of each one's random stream: a new one goes to the end.
    pub fn new(config: &GmnConfig) -> Layout {
        let (d, m, g) = (config.node_dim, config.message_dim, config.graph_dim);
        let (q, c) = (config.position_dim, config.char_channels);
        let mut b = Builder::default();
        // The fields of a literal are made in the order in which they stand here.
        Layout {
            words: b.add("node.word", config.words, d, 0.7),
            tags: config.fact_rows().map(|rows| b.add("node.facts", rows, d, 0.5)),
            chars: b.add("text.char", text::CLASSES, c, 1.0),
            char_places: b.add("text.place", config.string_length, c, 0.5),
            blocks: (0..config.char_blocks)
                .map(|i| BlockSlots {
                    first: b.weight(&format!("text.block{i}.first.weight"), 3 * c, c),
                    first_bias: b.bias(&format!("text.block{i}.first.bias"), c),
                    second: b.weight(&format!("text.block{i}.second.weight"), 3 * c, c),
                    second_bias: b.bias(&format!("text.block{i}.second.bias"), c),
                })
                .collect(),
            text_max: b.weight("text.out.max", c, d),
            text_mean: b.weight("text.out.mean", c, d),
            edges: b.add("message.edge", EDGE_KINDS, m, 0.3),
            target: b.weight("message.target", d, m),
            source: b.weight("message.source", d, m),
            positions: config.use_positions.then(|| PositionSlots {
                input: b.weight("position.input.weight", config.walk_steps, q),
                input_bias: b.bias("position.input.bias", q),
                own: b.weight("position.own", q, q),
                near: b.weight("position.near", q, q),
                update_bias: b.bias("position.bias", q),
                attention: b.weight("attention.position", q, d),
            }),
            attention: b.weight("attention.state", d, d),
            attention_bias: b.bias("attention.bias", d),
            attention_out: b.weight("attention.out.weight", d, d),
            attention_out_bias: b.bias("attention.out.bias", d),
            gru_message: b.add("update.message", m, 3 * d, (6.0 / (m + d) as f32).sqrt() * 0.5),
            gru_cross: b.weight("update.cross", d, 3 * d),
            gru_bias: b.bias("update.bias", 3 * d),
            gru_state: b.weight("update.state", d, 3 * d),
            gate: b.weight("readout.gate.weight", d, g),
            gate_bias: b.bias("readout.gate.bias", g),
            value: b.weight("readout.value.weight", d, g),
            value_bias: b.bias("readout.value.bias", g),
            graph: b.weight("graph.hidden.weight", g, g),
            graph_bias: b.bias("graph.hidden.bias", g),
            // Sums run over some fifty nodes: a small last layer starts distances near one.
            graph_out: b.add("graph.out", g, g, (3.0 / g as f32).sqrt() * 0.2),
            relations: config.use_relations.then(|| b.add("attention.relation", RELATIONS, 1, 0.0)),
            names: b.names,
            slots: b.slots,
            scales: b.scales,
            total: b.total,
        }
    }

    /// Initial weights: uniform within each matrix's bound, biases zero. Each matrix draws from
    /// its own stream, so adding one does not move the others.
    pub fn init(&self, seed: u64) -> Vec<f32> {
        let mut flat = vec![0.0; self.total];
        for (slot, &bound) in self.slots.iter().zip(&self.scales) {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            rng.set_stream(slot.index as u64 + 1);
            for value in slot.of_mut(&mut flat) {
                *value = bound * (2.0 * unit(&mut rng) - 1.0);
            }
        }
        flat
    }

    /// These weights in a layout of the same parameters, some of which have more rows there: those are zero.
    pub fn grown(&self, weights: &[f32], to: &Layout) -> Vec<f32> {
        let mut flat = vec![0.0; to.total];
        for (own, there) in self.slots.iter().zip(&to.slots) {
            let values = own.of(weights);
            let place = there.of_mut(&mut flat);
            let shared = values.len().min(place.len());
            place[..shared].copy_from_slice(&values[..shared]);
        }
        flat
    }
}

/// A uniform number in [0, 1) of 24 bits.
pub fn unit(rng: &mut ChaCha8Rng) -> f32 {
    (rng.next_u32() >> 8) as f32 / (1u32 << 24) as f32
}
