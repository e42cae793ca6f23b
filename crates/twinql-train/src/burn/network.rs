//! The forward pass in burn: every pair padded to the largest of its batch.
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

use burn::tensor::{
    IndexingUpdateOp, Int, Tensor,
    activation::{relu, sigmoid, softmax},
};
use twinql_gmn::config::GmnConfig;
use twinql_gmn::weights::{Layout, PositionSlots, Slot};

use super::{
    batch::{Batch, Edges, Ends},
    device::{Place, wide},
};

/// Parameter tensors by slot.
pub(super) struct Parameters(pub(super) Vec<Tensor<2>>);

/// A network with its weights on a device.
pub(super) struct Network<'a> {
    pub(super) config: &'a GmnConfig,
    pub(super) layout: &'a Layout,
    pub(super) parameters: &'a Parameters,
    pub(super) place: &'a Place,
}

impl Network<'_> {
    fn get(&self, slot: Slot) -> Tensor<2> {
        self.parameters.0[slot.index].clone()
    }

    /// `x W`. On a GPU for each pair, not for the rows of all at once: the gradient of W is then a product for each pair, which
    /// burn computes side by side, and their sum. That of all rows is one product of small matrices with a very long sum in
    /// it, one number after the other. On a CPU one large product is faster than many small ones.
    fn product(&self, x: Tensor<3>, slot: Slot) -> Tensor<3> {
        if !self.place.gathers() {
            return x.matmul(self.get(slot).reshape([1, slot.rows, slot.cols]));
        }
        let [pairs, rows, cols] = x.dims();
        x.reshape([pairs * rows, cols]).matmul(self.get(slot)).reshape([pairs, rows, slot.cols])
    }

    fn bias(&self, slot: Slot) -> Tensor<3> {
        self.get(slot).reshape([1, 1, slot.cols])
    }

    /// The rows of a parameter for these codes.
    fn rows(&self, slot: Slot, codes: &Tensor<1, Int>, [pairs, rows]: [usize; 2]) -> Tensor<3> {
        if self.place.gathers() {
            return self.get(slot).select(0, codes.clone()).reshape([pairs, rows, slot.cols]);
        }
        self.product(self.place.one_hot(codes.clone(), [pairs, rows], slot.rows), slot)
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
        let edge_states = self.edge_states(&b.edges);
        let relations = layout.relations.zip(b.relations.as_ref()).map(|(slot, codes)| {
            let added = self.rows(slot, codes, [b.pairs, b.left * b.right]);
            added.reshape([b.pairs, b.left, b.right])
        });
        let mut h = self.nodes(b);
        let mut position = layout
            .positions
            .zip(b.positions.clone())
            .map(|(slots, walks)| (slots, self.product(walks, slots.input) + self.bias(slots.input_bias)));
        for step in 0..config.propagation_steps {
            let message = self.messages(b, &edge_states, &h);
            let cross = self.cross_messages(b, relations.as_ref(), &h, position.as_ref());
            h = self.update(h, message, cross);
            // Positional encodings after the last step would be read by nobody.
            if step + 1 < config.propagation_steps {
                position = position.map(|(slots, old)| (slots, self.moved(b, slots, old)));
            }
        }
        self.readout(b, h)
    }

    /// States of nodes before the first step: words, facts and strings.
    fn nodes(&self, b: &Batch) -> Tensor<3> {
        let shape = [b.pairs, b.places()];
        let mut h = self.rows(self.layout.words, &b.words, shape);
        if let Some((slot, tags)) = self.layout.tags.zip(b.tags.as_ref()) {
            h = h + self.rows(slot, tags, shape);
        }
        if b.texts == 0 {
            return h;
        }
        let d = self.config.node_dim;
        let texts = self.texts(b);
        if self.place.gathers() {
            // The row of nodes without a string.
            let texts = Tensor::cat(vec![texts, self.place.zeros([1, d])], 0);
            return h + texts.select(0, b.text_of.clone()).reshape([b.pairs, b.places(), d]);
        }
        let rows = self.place.one_hot(b.text_of.clone(), [1, b.pairs * b.places()], b.texts);
        h + rows.matmul(texts.reshape([1, b.texts, d])).reshape([b.pairs, b.places(), d])
    }

    /// Encodings of the batch's strings, S × d.
    fn texts(&self, b: &Batch) -> Tensor<2> {
        let (s, l, c) = (b.texts, b.text_length, self.config.char_channels);
        let mask = b.char_mask.clone();
        let places = self.get(self.layout.char_places).slice([0..l, 0..c]).reshape([1, l, c]);
        let mut x = self.rows(self.layout.chars, &b.chars, [s, l]) + places;
        x = x * mask.clone();
        for block in &self.layout.blocks {
            let hidden = relu(self.convolve(x.clone(), block.first, block.first_bias)) * mask.clone();
            let change = self.convolve(hidden, block.second, block.second_bias);
            x = relu(x + change) * mask.clone();
        }
        let most: Tensor<2> = x.clone().max_dim(1).reshape([s, c]);
        let mean: Tensor<2> = x.sum_dim(1).reshape([s, c]) * b.text_scale.clone();
        most.matmul(self.get(self.layout.text_max)) + mean.matmul(self.get(self.layout.text_mean))
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

    /// What the kinds of edges add in the hidden layer of `f_inner`.
    fn edge_states(&self, edges: &Edges) -> Tensor<3> {
        let [pairs, each] = match &edges.ends {
            Ends::Listed { targets, .. } => [1, targets.dims()[0]],
            Ends::Marked { targets, .. } => [targets.dims()[0], targets.dims()[1]],
        };
        self.rows(self.layout.edges, &edges.kinds, [pairs, each])
    }

    /// Sums of inner messages along edges, B × places × m.
    fn messages(&self, b: &Batch, edge_states: &Tensor<3>, h: &Tensor<3>) -> Tensor<3> {
        let to_target = self.product(h.clone(), self.layout.target);
        let from_source = self.product(h.clone(), self.layout.source);
        let ends = &b.edges.ends;
        let hidden = relu(at_targets(ends, to_target) + at_sources(ends, from_source) + edge_states.clone());
        self.sums(b, hidden)
    }

    /// The sum over the edges that end at each node, B × places × width.
    fn sums(&self, b: &Batch, of_edges: Tensor<3>) -> Tensor<3> {
        let [pairs, each, width] = of_edges.dims();
        match &b.edges.ends {
            Ends::Marked { targets, .. } => targets.clone().swap_dims(1, 2).matmul(of_edges),
            Ends::Listed { targets, .. } => {
                let sums: Tensor<2> = self.place.zeros([b.pairs * b.places(), width]);
                let of_edges = of_edges.reshape([pairs * each, width]);
                let sums = sums.select_assign(0, targets.clone(), of_edges, IndexingUpdateOp::Add);
                sums.reshape([b.pairs, b.places(), width])
            }
        }
    }

    /// What each node's r = MLP(h ⊕ p) is off what it attends to in the other graph, B × places × d.
    fn cross_messages(
        &self,
        b: &Batch,
        relations: Option<&Tensor<3>>,
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
        if let Some(added) = relations {
            scores = scores + added.clone();
        }
        let to_left = softmax(scores.clone() + b.right_mask.clone(), 2).matmul(right);
        let to_right = softmax(scores + b.left_mask.clone(), 1).swap_dims(1, 2).matmul(left);
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
    fn moved(&self, b: &Batch, slots: PositionSlots, old: Tensor<3>) -> Tensor<3> {
        let near = self.sums(b, at_sources(&b.edges.ends, old.clone())) * b.inverse_degree.clone();
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
        let gated = gate * value * b.is_node.clone();
        let side = |places: std::ops::Range<usize>| gated.clone().slice([0..b.pairs, places]).sum_dim(1);
        let sums = Tensor::cat(vec![side(0..b.left), side(b.left..b.places())], 1);
        let hidden = relu(self.product(sums, layout.graph) + self.bias(layout.graph_bias));
        self.product(hidden, layout.graph_out)
    }
}

/// What nodes hold, at the target of each edge.
fn at_targets(ends: &Ends, x: Tensor<3>) -> Tensor<3> {
    match ends {
        Ends::Listed { targets, .. } => gathered(targets, x),
        Ends::Marked { targets, .. } => targets.clone().matmul(x),
    }
}

/// What nodes hold, at the source of each edge.
fn at_sources(ends: &Ends, x: Tensor<3>) -> Tensor<3> {
    match ends {
        Ends::Listed { sources, .. } => gathered(sources, x),
        Ends::Marked { sources, .. } => sources.clone().matmul(x),
    }
}

fn gathered(places: &Tensor<1, Int>, x: Tensor<3>) -> Tensor<3> {
    let [pairs, rows, width] = x.dims();
    let all: Tensor<2> = x.reshape([pairs * rows, width]);
    all.select(0, places.clone()).reshape([1, places.dims()[0], width])
}
