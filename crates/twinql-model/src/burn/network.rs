//! The forward pass in burn: batched over the disjoint union of all graphs of a batch, with masks.
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

/// A batch's lists as tensors: those that each propagation step reads.
struct Links {
    targets: Tensor<1, Int>,
    sources: Tensor<1, Int>,
    edge_states: Tensor<2>,
    inverse_degree: Tensor<2>,
    left_places: Tensor<1, Int>,
    right_places: Tensor<1, Int>,
    place_of: Tensor<1, Int>,
    left_mask: Tensor<3>,
    right_mask: Tensor<3>,
    /// What the relations of each two nodes add to their attention.
    relations: Option<Tensor<3>>,
}

impl Network<'_> {
    fn get(&self, slot: Slot) -> Tensor<2> {
        self.parameters.0[slot.index].clone()
    }

    fn rows(&self, slot: Slot, rows: &[i32]) -> Tensor<2> {
        self.get(slot).select(0, self.place.indices(rows))
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
            let walks = self.place.matrix(b.positions.clone(), b.nodes, config.walk_steps);
            (slots, walks.matmul(self.get(slots.input)) + self.get(slots.input_bias))
        });
        for step in 0..config.propagation_steps {
            let message = self.messages(b, &links, &h);
            let cross = self.cross_messages(b, &links, &h, position.as_ref());
            h = self.update(h, message, cross);
            // Positional encodings after the last step would be read by nobody.
            if step + 1 < config.propagation_steps {
                position = position.map(|(slots, old)| (slots, self.moved(b, &links, slots, old)));
            }
        }
        self.readout(b, h)
    }

    /// States of nodes before the first step: words, facts and strings.
    fn nodes(&self, b: &Batch) -> Tensor<2> {
        let mut h = self.rows(self.layout.words, &b.words);
        if let Some(tags) = self.layout.tags {
            h = h + self.rows(tags, &b.tags);
        }
        if b.texts > 0 {
            let none = self.place.zeros([1, self.config.node_dim]);
            let texts = Tensor::cat(vec![self.texts(b), none], 0);
            h = h + texts.select(0, self.place.indices(&b.text_of));
        }
        h
    }

    /// Encodings of the batch's strings, S × d.
    fn texts(&self, b: &Batch) -> Tensor<2> {
        let (s, l, c) = (b.texts, b.text_length, self.config.char_channels);
        let places: Vec<i32> = (0..s * l).map(|i| (i % l) as i32).collect();
        let mask = self.place.matrix(b.char_mask.clone(), s * l, 1);
        let mut x = self.rows(self.layout.chars, &b.chars) + self.rows(self.layout.char_places, &places);
        x = x * mask.clone();
        for block in &self.layout.blocks {
            let hidden = self.convolve(b, x.clone(), block.first, block.first_bias);
            let hidden = relu(hidden) * mask.clone();
            let change = self.convolve(b, hidden, block.second, block.second_bias);
            x = relu(x + change) * mask.clone();
        }
        let scale = self.place.matrix(b.text_scale.clone(), s, 1);
        let x: Tensor<3> = x.reshape([s, l, c]);
        let most = x.clone().max_dim(1).reshape([s, c]);
        let mean = x.sum_dim(1).reshape([s, c]) * scale;
        most.matmul(self.get(self.layout.text_max)) + mean.matmul(self.get(self.layout.text_mean))
    }

    /// A convolution over three neighbouring characters, zero beyond a string's ends.
    fn convolve(&self, b: &Batch, x: Tensor<2>, weight: Slot, bias: Slot) -> Tensor<2> {
        let (s, l, c) = (b.texts, b.text_length, self.config.char_channels);
        let window = if l > 1 {
            let x: Tensor<3> = x.reshape([s, l, c]);
            let edge = self.place.zeros([s, 1, c]);
            let before = Tensor::cat(vec![edge.clone(), x.clone().slice([0..s, 0..l - 1])], 1);
            let after = Tensor::cat(vec![x.clone().slice([0..s, 1..l]), edge], 1);
            Tensor::cat(vec![before, x, after], 2).reshape([s * l, 3 * c])
        } else {
            // A slice of no rows is none that burn knows.
            let edge = self.place.zeros([s, c]);
            Tensor::cat(vec![edge.clone(), x, edge], 1)
        };
        window.matmul(self.get(weight)) + self.get(bias)
    }

    fn links(&self, b: &Batch) -> Links {
        let place = self.place;
        let left_mask = place.matrix(b.left_mask.clone(), b.pairs, b.most_left);
        let right_mask = place.matrix(b.right_mask.clone(), b.pairs, b.most_right);
        Links {
            targets: place.indices(&b.targets),
            sources: place.indices(&b.sources),
            edge_states: self.rows(self.layout.edges, &b.kinds),
            inverse_degree: place.matrix(b.inverse_degree.clone(), b.nodes, 1),
            left_places: place.indices(&b.left_places),
            right_places: place.indices(&b.right_places),
            place_of: place.indices(&b.place_of),
            left_mask: left_mask.reshape([b.pairs, b.most_left, 1]),
            right_mask: right_mask.reshape([b.pairs, 1, b.most_right]),
            relations: self.layout.relations.map(|slot| {
                let added = self.rows(slot, &b.relations);
                added.reshape([b.pairs, b.most_left, b.most_right])
            }),
        }
    }

    /// Sums of inner messages along edges, N × m.
    fn messages(&self, b: &Batch, links: &Links, h: &Tensor<2>) -> Tensor<2> {
        let from_target = h.clone().matmul(self.get(self.layout.target));
        let from_source = h.clone().matmul(self.get(self.layout.source));
        let hidden = relu(
            from_target.select(0, links.targets.clone())
                + from_source.select(0, links.sources.clone())
                + links.edge_states.clone(),
        );
        let none = self.place.zeros([b.nodes, self.config.message_dim]);
        none.select_assign(0, links.targets.clone(), hidden, IndexingUpdateOp::Add)
    }

    /// What each node's r = MLP(h ⊕ p) is off what it attends to in the other graph, N × d.
    fn cross_messages(
        &self,
        b: &Batch,
        links: &Links,
        h: &Tensor<2>,
        position: Option<&(PositionSlots, Tensor<2>)>,
    ) -> Tensor<2> {
        let (layout, d) = (self.layout, self.config.node_dim);
        let mut hidden = h.clone().matmul(self.get(layout.attention)) + self.get(layout.attention_bias);
        if let Some((slots, position)) = position {
            hidden = hidden + position.clone().matmul(self.get(slots.attention));
        }
        let r = relu(hidden).matmul(self.get(layout.attention_out)) + self.get(layout.attention_out_bias);
        let padded = Tensor::cat(vec![r.clone(), self.place.zeros([1, d])], 0);
        let left: Tensor<3> =
            padded.clone().select(0, links.left_places.clone()).reshape([b.pairs, b.most_left, d]);
        let right: Tensor<3> =
            padded.select(0, links.right_places.clone()).reshape([b.pairs, b.most_right, d]);
        let mut scores = left.clone().matmul(right.clone().swap_dims(1, 2)) / (d as f64).sqrt();
        if let Some(added) = &links.relations {
            scores = scores + added.clone();
        }
        let to_left = softmax(scores.clone() + links.right_mask.clone(), 2).matmul(right);
        let to_right = softmax(scores + links.left_mask.clone(), 1).swap_dims(1, 2).matmul(left);
        let attended = Tensor::cat(
            vec![to_left.reshape([b.pairs * b.most_left, d]), to_right.reshape([b.pairs * b.most_right, d])],
            0,
        );
        r - attended.select(0, links.place_of.clone())
    }

    /// The gated recurrent update.
    fn update(&self, h: Tensor<2>, message: Tensor<2>, cross: Tensor<2>) -> Tensor<2> {
        let (layout, d) = (self.layout, self.config.node_dim);
        let [n, _] = h.dims();
        let input = message.matmul(self.get(layout.gru_message))
            + cross.matmul(self.get(layout.gru_cross))
            + self.get(layout.gru_bias);
        let state = h.clone().matmul(self.get(layout.gru_state));
        let part = |t: &Tensor<2>, i: usize| t.clone().slice([0..n, i * d..(i + 1) * d]);
        let reset = sigmoid(part(&input, 0) + part(&state, 0));
        let update = sigmoid(part(&input, 1) + part(&state, 1));
        let candidate = (part(&input, 2) + reset * part(&state, 2)).tanh();
        candidate.clone() + update * (h - candidate)
    }

    /// Positional encodings after a step.
    fn moved(&self, b: &Batch, links: &Links, slots: PositionSlots, old: Tensor<2>) -> Tensor<2> {
        let none = self.place.zeros([b.nodes, self.config.position_dim]);
        let sources = old.clone().select(0, links.sources.clone());
        let near = none.select_assign(0, links.targets.clone(), sources, IndexingUpdateOp::Add)
            * links.inverse_degree.clone();
        let change = old.clone().matmul(self.get(slots.own))
            + near.matmul(self.get(slots.near))
            + self.get(slots.update_bias);
        old + change.tanh()
    }

    /// The gated sum over the nodes of each graph, and the MLP over it.
    fn readout(&self, b: &Batch, h: Tensor<2>) -> Tensor<3> {
        let (layout, g) = (self.layout, self.config.graph_dim);
        let gate = sigmoid(h.clone().matmul(self.get(layout.gate)) + self.get(layout.gate_bias));
        let value = h.matmul(self.get(layout.value)) + self.get(layout.value_bias);
        let graph_of = self.place.indices(&b.graph_of);
        let none = self.place.zeros([2 * b.pairs, g]);
        let sums = none.select_assign(0, graph_of, gate * value, IndexingUpdateOp::Add);
        let hidden = relu(sums.matmul(self.get(layout.graph)) + self.get(layout.graph_bias));
        hidden.matmul(self.get(layout.graph_out)).reshape([b.pairs, 2, g])
    }
}
