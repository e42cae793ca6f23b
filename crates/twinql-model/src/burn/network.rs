//! The forward pass in burn: every pair padded to the largest of its batch, and nothing but products of matrices, and what works
//! number by number.
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
//!
//! Rows of a table, nodes of edges and sums over edges are products with a matrix of zeros and ones, which the device makes
//! of the codes. burn can gather rows by their numbers too, and the gradient of that adds to rows; on its GPU backends one
//! thread a column does so, row after row, which took most of a training step.

use burn::tensor::{
    Int, Tensor,
    activation::{relu, sigmoid, softmax},
};

use super::{
    batch::Batch,
    device::{Place, wide},
};
use crate::{
    config::GmnConfig,
    weights::{Layout, PositionSlots, Slot},
};

/// Parameter tensors by slot.
pub(super) struct Parameters(pub(super) Vec<Tensor<2>>);

impl Parameters {
    /// The same, of which gradients are asked for.
    pub(super) fn tracked(self) -> Parameters {
        Parameters(self.0.into_iter().map(Tensor::require_grad).collect())
    }
}

/// A network with its weights on a device.
pub(super) struct Network<'a> {
    pub(super) config: &'a GmnConfig,
    pub(super) layout: &'a Layout,
    pub(super) parameters: &'a Parameters,
    pub(super) place: &'a Place,
}

/// What each propagation step reads of a batch, as tensors.
struct Links {
    /// 1 where an edge ends at a node, B × edges × places.
    targets: Tensor<3>,
    /// 1 where it starts there.
    sources: Tensor<3>,
    /// B × edges × m.
    edge_states: Tensor<3>,
    inverse_degree: Tensor<3>,
    left_mask: Tensor<3>,
    right_mask: Tensor<3>,
    /// What the relations of each two nodes add to their attention.
    relations: Option<Tensor<3>>,
}

impl Network<'_> {
    fn get(&self, slot: Slot) -> Tensor<2> {
        self.parameters.0[slot.index].clone()
    }

    /// `x W` for each pair, not for the rows of all at once: the gradient of W is then a product for each pair, which burn computes
    /// side by side, and their sum. That of all rows is one product of small matrices with a very long sum in it, one number after
    /// the other.
    fn product(&self, x: Tensor<3>, slot: Slot) -> Tensor<3> {
        x.matmul(self.get(slot).reshape([1, slot.rows, slot.cols]))
    }

    fn bias(&self, slot: Slot) -> Tensor<3> {
        self.get(slot).reshape([1, 1, slot.cols])
    }

    /// A row for each code: 1 at that place of `size`, all 0 for no code.
    fn one_hot(&self, codes: &[i32], [pairs, rows]: [usize; 2], size: usize) -> Tensor<3> {
        let codes = self.place.indices(codes).reshape([codes.len(), 1]);
        let all: Vec<i32> = (0..size as i32).collect();
        let all: Tensor<2, Int> = self.place.indices(&all).reshape([1, size]);
        self.place.narrow(codes.equal(all)).reshape([pairs, rows, size])
    }

    /// The rows of a parameter for these codes.
    fn rows(&self, slot: Slot, codes: &[i32], shape: [usize; 2]) -> Tensor<3> {
        self.product(self.one_hot(codes, shape, slot.rows), slot)
    }

    /// Squared distances, shape \[pairs\], in 32 bits.
    pub(super) fn squared_distances(&self, b: &Batch) -> Tensor<1> {
        let graphs = wide(self.graphs(b));
        let difference = graphs.clone().slice([0..b.pairs, 0..1]) - graphs.slice([0..b.pairs, 1..2]);
        difference.powi_scalar(2).reshape([b.pairs, self.config.graph_dim]).sum_dim(1).reshape([b.pairs])
    }

    /// Representations of the graphs, shape \[pairs, 2, g\].
    pub(super) fn graphs(&self, b: &Batch) -> Tensor<3> {
        let (layout, config) = (self.layout, self.config);
        let links = self.links(b);
        let mut h = self.nodes(b);
        let mut position = layout.positions.map(|slots| {
            let walks = self.place.matrix(b.positions.clone(), b.pairs * b.places(), config.walk_steps);
            let walks = walks.reshape([b.pairs, b.places(), config.walk_steps]);
            (slots, self.product(walks, slots.input) + self.bias(slots.input_bias))
        });
        for step in 0..config.propagation_steps {
            let message = self.messages(&links, &h);
            let cross = self.cross_messages(b, &links, &h, position.as_ref());
            h = self.update(h, message, cross);
            // Positional encodings after the last step would be read by nobody.
            if step + 1 < config.propagation_steps {
                position = position.map(|(slots, old)| (slots, self.moved(&links, slots, old)));
            }
        }
        self.readout(b, h)
    }

    /// States of nodes before the first step: words, facts and strings.
    fn nodes(&self, b: &Batch) -> Tensor<3> {
        let shape = [b.pairs, b.places()];
        let mut h = self.rows(self.layout.words, &b.words, shape);
        if let Some(tags) = self.layout.tags {
            h = h + self.rows(tags, &b.tags, shape);
        }
        if b.texts == 0 {
            return h;
        }
        let (own, d) = (b.own_texts, self.config.node_dim);
        let texts = self.one_hot(&b.pair_texts, [1, b.pairs * own], b.texts).matmul(self.texts(b));
        h + self.one_hot(&b.text_of, shape, own).matmul(texts.reshape([b.pairs, own, d]))
    }

    /// Encodings of the batch's strings, 1 × S × d.
    fn texts(&self, b: &Batch) -> Tensor<3> {
        let (s, l, c) = (b.texts, b.text_length, self.config.char_channels);
        let mask = self.place.matrix(b.char_mask.clone(), s * l, 1).reshape([s, l, 1]);
        let places = self.get(self.layout.char_places).slice([0..l, 0..c]).reshape([1, l, c]);
        let mut x = self.rows(self.layout.chars, &b.chars, [s, l]) + places;
        x = x * mask.clone();
        for block in &self.layout.blocks {
            let hidden = relu(self.convolve(x.clone(), block.first, block.first_bias)) * mask.clone();
            let change = self.convolve(hidden, block.second, block.second_bias);
            x = relu(x + change) * mask.clone();
        }
        let scale = self.place.matrix(b.text_scale.clone(), s, 1).reshape([1, s, 1]);
        let most = x.clone().max_dim(1).reshape([1, s, c]);
        let mean = x.sum_dim(1).reshape([1, s, c]) * scale;
        self.product(most, self.layout.text_max) + self.product(mean, self.layout.text_mean)
    }

    /// A convolution over three neighbouring characters, zero beyond a string's ends.
    fn convolve(&self, x: Tensor<3>, weight: Slot, bias: Slot) -> Tensor<3> {
        let [s, l, c] = x.dims();
        let edge = self.place.zeros([s, 1, c]);
        let window = if l > 1 {
            let before = Tensor::cat(vec![edge.clone(), x.clone().slice([0..s, 0..l - 1])], 1);
            let after = Tensor::cat(vec![x.clone().slice([0..s, 1..l]), edge], 1);
            Tensor::cat(vec![before, x, after], 2)
        } else {
            // A slice of no rows is none that burn knows.
            Tensor::cat(vec![edge.clone(), x, edge], 2)
        };
        self.product(window, weight) + self.bias(bias)
    }

    fn links(&self, b: &Batch) -> Links {
        let place = self.place;
        let ends = |list: &[i32]| self.one_hot(list, [b.pairs, b.edges], b.places());
        let column = |list: &[f32], rows: usize| place.matrix(list.to_vec(), b.pairs, rows);
        Links {
            targets: ends(&b.targets),
            sources: ends(&b.sources),
            edge_states: self.rows(self.layout.edges, &b.kinds, [b.pairs, b.edges]),
            inverse_degree: column(&b.inverse_degree, b.places()).reshape([b.pairs, b.places(), 1]),
            left_mask: column(&b.left_mask, b.left).reshape([b.pairs, b.left, 1]),
            right_mask: column(&b.right_mask, b.right).reshape([b.pairs, 1, b.right]),
            relations: self.layout.relations.map(|slot| {
                let added = self.rows(slot, &b.relations, [b.pairs, b.left * b.right]);
                added.reshape([b.pairs, b.left, b.right])
            }),
        }
    }

    /// Sums of inner messages along edges, B × places × m. An edge that is padding ends nowhere.
    fn messages(&self, links: &Links, h: &Tensor<3>) -> Tensor<3> {
        let from_target = self.product(h.clone(), self.layout.target);
        let from_source = self.product(h.clone(), self.layout.source);
        let hidden = relu(
            links.targets.clone().matmul(from_target)
                + links.sources.clone().matmul(from_source)
                + links.edge_states.clone(),
        );
        links.targets.clone().swap_dims(1, 2).matmul(hidden)
    }

    /// What each node's r = MLP(h ⊕ p) is off what it attends to in the other graph, B × places × d.
    fn cross_messages(
        &self,
        b: &Batch,
        links: &Links,
        h: &Tensor<3>,
        position: Option<&(PositionSlots, Tensor<3>)>,
    ) -> Tensor<3> {
        let (layout, d) = (self.layout, self.config.node_dim);
        let mut hidden = self.product(h.clone(), layout.attention) + self.bias(layout.attention_bias);
        if let Some((slots, position)) = position {
            hidden = hidden + self.product(position.clone(), slots.attention);
        }
        let r = self.product(relu(hidden), layout.attention_out) + self.bias(layout.attention_out_bias);
        let left = r.clone().slice([0..b.pairs, 0..b.left]);
        let right = r.clone().slice([0..b.pairs, b.left..b.places()]);
        let mut scores = left.clone().matmul(right.clone().swap_dims(1, 2)) / (d as f64).sqrt();
        if let Some(added) = &links.relations {
            scores = scores + added.clone();
        }
        let to_left = softmax(scores.clone() + links.right_mask.clone(), 2).matmul(right);
        let to_right = softmax(scores + links.left_mask.clone(), 1).swap_dims(1, 2).matmul(left);
        r - Tensor::cat(vec![to_left, to_right], 1)
    }

    /// The gated recurrent update.
    fn update(&self, h: Tensor<3>, message: Tensor<3>, cross: Tensor<3>) -> Tensor<3> {
        let (layout, d) = (self.layout, self.config.node_dim);
        let [b, n, _] = h.dims();
        let input = self.product(message, layout.gru_message)
            + self.product(cross, layout.gru_cross)
            + self.bias(layout.gru_bias);
        let state = self.product(h.clone(), layout.gru_state);
        let part = |t: &Tensor<3>, i: usize| t.clone().slice([0..b, 0..n, i * d..(i + 1) * d]);
        let reset = sigmoid(part(&input, 0) + part(&state, 0));
        let update = sigmoid(part(&input, 1) + part(&state, 1));
        let candidate = (part(&input, 2) + reset * part(&state, 2)).tanh();
        candidate.clone() + update * (h - candidate)
    }

    /// Positional encodings after a step.
    fn moved(&self, links: &Links, slots: PositionSlots, old: Tensor<3>) -> Tensor<3> {
        let sources = links.sources.clone().matmul(old.clone());
        let near = links.targets.clone().swap_dims(1, 2).matmul(sources) * links.inverse_degree.clone();
        let change = self.product(old.clone(), slots.own)
            + self.product(near, slots.near)
            + self.bias(slots.update_bias);
        old + change.tanh()
    }

    /// The gated sum over the nodes of each graph, and the MLP over it.
    fn readout(&self, b: &Batch, h: Tensor<3>) -> Tensor<3> {
        let layout = self.layout;
        let gate = sigmoid(self.product(h.clone(), layout.gate) + self.bias(layout.gate_bias));
        let value = self.product(h, layout.value) + self.bias(layout.value_bias);
        let is_node = self.place.matrix(b.is_node.clone(), b.pairs, b.places());
        let gated = gate * value * is_node.reshape([b.pairs, b.places(), 1]);
        let side = |places: std::ops::Range<usize>| gated.clone().slice([0..b.pairs, places]).sum_dim(1);
        let sums = Tensor::cat(vec![side(0..b.left), side(b.left..b.places())], 1);
        let hidden = relu(self.product(sums, layout.graph) + self.bias(layout.graph_bias));
        self.product(hidden, layout.graph_out)
    }
}
