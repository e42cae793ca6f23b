//! One pair through the network. Rows are nodes, the left graph's first.

use ndarray::{Array2, ArrayView2, Axis, Slice};

use super::math::{
    add, add_bias, add_product, flat, flat_mut, layer, matrix, of_rows, product, relu, rows, sigmoid,
    softmax_rows, tanh,
};
use crate::{
    config::GmnConfig,
    prepare::Prepared,
    weights::{Layout, PositionSlots, Slot},
};

/// Weights arranged for the passes: all products of node states in one matrix of columns
/// message target | message source | attention | GRU state (3 d).
pub struct Network<'a> {
    /// Its shape.
    pub config: &'a GmnConfig,
    /// Where each parameter lies.
    pub layout: &'a Layout,
    /// All parameters.
    pub weights: &'a [f32],
    /// [`join_states`] of them.
    pub states: &'a Array2<f32>,
}

/// The columns of [`Network::states`].
pub fn state_slots(layout: &Layout) -> [Slot; 4] {
    [layout.target, layout.source, layout.attention, layout.gru_state]
}

/// The joint matrix of node-state products.
pub fn join_states(layout: &Layout, weights: &[f32]) -> Array2<f32> {
    let slots = state_slots(layout);
    let width = slots.iter().map(|s| s.cols).sum();
    let mut joint = Array2::zeros((layout.target.rows, width));
    let mut start = 0;
    for slot in slots {
        joint.slice_axis_mut(Axis(1), Slice::from(start..start + slot.cols)).assign(&matrix(
            slot.of(weights),
            slot.rows,
            slot.cols,
        ));
        start += slot.cols;
    }
    joint
}

/// One propagation step, with what its backward pass needs.
pub struct Step {
    /// Products of node states, N × (2 m + 4 d).
    pub states: Array2<f32>,
    /// Inner messages | cross-graph messages, N × (m + d).
    pub messages: Array2<f32>,
    /// The cross-graph attention.
    pub attention: AttentionPass,
    /// Reset | update | candidate, N × 3 d.
    pub gates: Array2<f32>,
    /// Node states after the step, N × d.
    pub h: Array2<f32>,
    /// Positional encodings after it; none after the last step, or where there are none.
    pub position: Option<PositionStep>,
}

/// Cross-graph attention of a step.
pub struct AttentionPass {
    /// The hidden layer of r, N × d.
    pub hidden: Array2<f32>,
    /// r = MLP(h ⊕ p), N × d.
    pub r: Array2<f32>,
    /// Attention of left nodes over right ones.
    pub to_left: Array2<f32>,
    /// Of right nodes over left ones.
    pub to_right: Array2<f32>,
}

/// Positional encodings after a step, and what they came of.
pub struct PositionStep {
    /// The mean of the neighbours' encodings, N × q.
    pub near: Array2<f32>,
    /// What is added, N × q.
    pub change: Array2<f32>,
    /// The sum, N × q.
    pub p: Array2<f32>,
}

/// A forward pass.
pub struct PairPass<'a> {
    /// The network.
    pub network: &'a Network<'a>,
    /// The pair.
    pub pair: &'a Prepared,
    /// Node states before the first step, N × d.
    pub h: Array2<f32>,
    /// Positional encodings before it, N × q.
    pub p: Option<Array2<f32>>,
    /// [`Prepared::relations`].
    pub relations: Vec<u8>,
    /// All steps where they were kept, else the last.
    pub steps: Vec<Step>,
    /// From the last states to representations.
    pub readout: Readout,
    /// d²
    pub squared: f32,
}

/// From the last states to representations.
pub struct Readout {
    /// Gates, N × g.
    pub gate: Array2<f32>,
    /// Values, N × g.
    pub value: Array2<f32>,
    /// Gated sums of both graphs, 2 × g.
    pub sums: Array2<f32>,
    /// The hidden layer of the MLP over them, 2 × g.
    pub hidden: Array2<f32>,
    /// Representations of the two graphs, 2 × g.
    pub graphs: Array2<f32>,
}

impl<'a> Network<'a> {
    /// A network of these weights.
    pub fn new(
        config: &'a GmnConfig,
        layout: &'a Layout,
        weights: &'a [f32],
        states: &'a Array2<f32>,
    ) -> Network<'a> {
        Network { config, layout, weights, states }
    }

    /// A parameter as a matrix.
    pub fn of(&self, slot: Slot) -> ArrayView2<'a, f32> {
        matrix(slot.of(self.weights), slot.rows, slot.cols)
    }

    fn bias(&self, slot: Slot) -> &'a [f32] {
        slot.of(self.weights)
    }

    /// x · W + b
    fn layer(&self, x: ArrayView2<'_, f32>, weight: Slot, bias: Slot) -> Array2<f32> {
        layer(x, self.of(weight), self.bias(bias))
    }

    /// The GRU's input weights: the two slots lie side by side in the flat weights.
    pub fn gru_input(&self) -> ArrayView2<'a, f32> {
        let (message, cross) = (self.layout.gru_message, self.layout.gru_cross);
        let joint = Slot { rows: message.rows + cross.rows, ..message };
        self.of(joint)
    }

    /// Runs the network. `text` gives a string's encoding by its index in the pair; `keep` keeps
    /// what the backward pass needs.
    pub fn forward<'t>(
        &'a self,
        pair: &'a Prepared,
        text: impl Fn(usize) -> &'t [f32],
        keep: bool,
    ) -> PairPass<'a> {
        let config = self.config;
        let h0 = self.nodes(pair, text);
        let p0 = self.layout.positions.map(|slots| {
            let walks = matrix(&pair.positions, pair.nodes(), config.walk_steps);
            self.layer(walks, slots.input, slots.input_bias)
        });
        let relations = pair.relations();
        let mut steps: Vec<Step> = Vec::with_capacity(config.propagation_steps);
        for t in 0..config.propagation_steps {
            let (h, p) = state(&h0, p0.as_ref(), steps.last());
            let step = self.step(pair, h, p, &relations, t + 1 == config.propagation_steps);
            if !keep {
                steps.clear();
            }
            steps.push(step);
        }
        let (h, _) = state(&h0, None, steps.last());
        let readout = self.readout(pair, h);
        let (left, right) = flat(&readout.graphs).split_at(config.graph_dim);
        PairPass {
            squared: left.iter().zip(right).map(|(l, r)| (l - r) * (l - r)).sum(),
            network: self,
            pair,
            h: h0,
            p: p0,
            relations,
            steps,
            readout,
        }
    }

    /// States of nodes before the first step: words, facts and strings.
    fn nodes<'t>(&self, pair: &Prepared, text: impl Fn(usize) -> &'t [f32]) -> Array2<f32> {
        let d = self.config.node_dim;
        let mut h = Array2::zeros((pair.nodes(), d));
        let words = self.layout.words.of(self.weights);
        for (node, row) in flat_mut(&mut h).chunks_exact_mut(d).enumerate() {
            let word = pair.words[node] as usize * d;
            row.copy_from_slice(&words[word..word + d]);
            if let Some(tags) = self.layout.tags {
                let tag = pair.tags[node] as usize * d;
                add(&tags.of(self.weights)[tag..tag + d], row);
            }
            if let Some(index) = pair.text_of[node] {
                add(text(index as usize), row);
            }
        }
        h
    }

    /// The gated sum over the nodes of each graph, and the MLP over it.
    fn readout(&self, pair: &Prepared, h: &Array2<f32>) -> Readout {
        let (layout, g) = (self.layout, self.config.graph_dim);
        let mut gate = self.layer(h.view(), layout.gate, layout.gate_bias);
        for x in flat_mut(&mut gate) {
            *x = sigmoid(*x);
        }
        let value = self.layer(h.view(), layout.value, layout.value_bias);
        let mut sums = Array2::zeros((2, g));
        let (left, right) = flat_mut(&mut sums).split_at_mut(g);
        let rows = flat(&gate).chunks_exact(g).zip(flat(&value).chunks_exact(g));
        for (node, (gate, value)) in rows.enumerate() {
            let sum = if node < pair.left { &mut *left } else { &mut *right };
            for ((sum, gate), value) in sum.iter_mut().zip(gate).zip(value) {
                *sum += gate * value;
            }
        }
        let mut hidden = self.layer(sums.view(), layout.graph, layout.graph_bias);
        relu(&mut hidden);
        Readout { graphs: product(hidden.view(), self.of(layout.graph_out)), gate, value, sums, hidden }
    }

    /// One propagation step; positional encodings after the last one would be read by nobody.
    fn step(
        &self,
        pair: &Prepared,
        h: &Array2<f32>,
        p: Option<&Array2<f32>>,
        relations: &[u8],
        last: bool,
    ) -> Step {
        let (d, m) = (self.config.node_dim, self.config.message_dim);
        let states = product(h.view(), self.states.view());
        let mut messages = Array2::zeros((pair.nodes(), m + d));
        self.inner_messages(pair, &states, &mut messages);
        let attention = self.cross_messages(pair, &states, p, relations, &mut messages);
        let (gates, next) = self.update(&states, &messages, h);
        let position = match (p, self.layout.positions) {
            (Some(old), Some(slots)) if !last => Some(self.moved(pair, old, slots)),
            _ => None,
        };
        Step { states, messages, attention, gates, h: next, position }
    }

    /// Sums of inner messages along edges, to the first m columns.
    fn inner_messages(&self, pair: &Prepared, states: &Array2<f32>, messages: &mut Array2<f32>) {
        let (d, m) = (self.config.node_dim, self.config.message_dim);
        let (products, width) = (flat(states), states.ncols());
        let kinds = self.layout.edges.of(self.weights);
        for (node, message) in flat_mut(messages).chunks_exact_mut(m + d).enumerate() {
            let message = &mut message[..m];
            let target = &products[node * width..node * width + m];
            for (source, kind) in pair.incoming(node) {
                let source = &products[source * width + m..source * width + 2 * m];
                let kind = &kinds[kind * m..(kind + 1) * m];
                for (((sum, a), b), c) in message.iter_mut().zip(target).zip(source).zip(kind) {
                    *sum += (a + b + c).max(0.0);
                }
            }
        }
    }

    /// Cross-graph attention over r = MLP(h ⊕ p); what r is off what it attends to goes to the last d columns.
    fn cross_messages(
        &self,
        pair: &Prepared,
        states: &Array2<f32>,
        p: Option<&Array2<f32>>,
        relations: &[u8],
        messages: &mut Array2<f32>,
    ) -> AttentionPass {
        let layout = self.layout;
        let (d, m) = (self.config.node_dim, self.config.message_dim);
        let n = pair.nodes();
        let mut hidden = match (p, layout.positions) {
            (Some(p), Some(slots)) => product(p.view(), self.of(slots.attention)),
            _ => Array2::zeros((n, d)),
        };
        let bias = self.bias(layout.attention_bias);
        for (row, states) in
            flat_mut(&mut hidden).chunks_exact_mut(d).zip(flat(states).chunks_exact(states.ncols()))
        {
            for ((x, a), b) in row.iter_mut().zip(&states[2 * m..2 * m + d]).zip(bias) {
                *x = (*x + a + b).max(0.0);
            }
        }
        let r = self.layer(hidden.view(), layout.attention_out, layout.attention_out_bias);
        let (left, right) = (rows(&r, 0..pair.left), rows(&r, pair.left..n));
        let factor = 1.0 / (d as f32).sqrt();
        let mut to_left = product(left, right.t());
        if let Some(slot) = layout.relations {
            // Before the softmax divides by √d.
            let added: Vec<f32> = self.bias(slot).iter().map(|weight| weight / factor).collect();
            for (score, &code) in flat_mut(&mut to_left).iter_mut().zip(relations) {
                *score += added[usize::from(code)];
            }
        }
        let mut to_right = to_left.t().as_standard_layout().into_owned();
        softmax_rows(&mut to_left, factor);
        softmax_rows(&mut to_right, factor);
        for (row, r) in flat_mut(messages).chunks_exact_mut(m + d).zip(flat(&r).chunks_exact(d)) {
            row[m..].copy_from_slice(r);
        }
        let (mut cross_left, mut cross_right) =
            messages.slice_axis_mut(Axis(1), Slice::from(m..)).split_at(Axis(0), pair.left);
        add_product(-1.0, to_left.view(), right, cross_left.view_mut());
        add_product(-1.0, to_right.view(), left, cross_right.view_mut());
        AttentionPass { hidden, r, to_left, to_right }
    }

    /// The gated recurrent update: its gates, and the states after it.
    fn update(
        &self,
        states: &Array2<f32>,
        messages: &Array2<f32>,
        h: &Array2<f32>,
    ) -> (Array2<f32>, Array2<f32>) {
        let (d, m) = (self.config.node_dim, self.config.message_dim);
        let mut gates = layer(messages.view(), self.gru_input(), self.bias(self.layout.gru_bias));
        let mut next = Vec::with_capacity(h.len());
        let all = flat_mut(&mut gates)
            .chunks_exact_mut(3 * d)
            .zip(flat(states).chunks_exact(states.ncols()))
            .zip(flat(h).chunks_exact(d));
        for ((gates, states), h) in all {
            let states = &states[2 * m + d..];
            for (x, y) in gates[..2 * d].iter_mut().zip(states) {
                *x = sigmoid(*x + y);
            }
            let (reset, rest) = gates.split_at_mut(d);
            let (update, candidate) = rest.split_at_mut(d);
            for ((x, y), reset) in candidate.iter_mut().zip(&states[2 * d..]).zip(&*reset) {
                *x = tanh(*x + reset * y);
            }
            next.extend(h.iter().zip(&*update).zip(&*candidate).map(|((h, z), c)| c + z * (h - c)));
        }
        (gates, of_rows(next, d))
    }

    /// Positional encodings after a step.
    fn moved(&self, pair: &Prepared, old: &Array2<f32>, slots: PositionSlots) -> PositionStep {
        let q = self.config.position_dim;
        let mut near = Array2::zeros(old.raw_dim());
        for (node, row) in flat_mut(&mut near).chunks_exact_mut(q).enumerate() {
            let mut degree = 0;
            for (source, _) in pair.incoming(node) {
                add(&flat(old)[source * q..(source + 1) * q], row);
                degree += 1;
            }
            let scale = 1.0 / degree.max(1) as f32;
            row.iter_mut().for_each(|x| *x *= scale);
        }
        let mut change = product(old.view(), self.of(slots.own));
        add_product(1.0, near.view(), self.of(slots.near), change.view_mut());
        add_bias(&mut change, self.bias(slots.update_bias));
        let mut p = old.clone();
        for (p, x) in flat_mut(&mut p).iter_mut().zip(flat_mut(&mut change)) {
            *x = tanh(*x);
            *p += *x;
        }
        PositionStep { near, change, p }
    }
}

/// The states before a step: those after the one before, or the first.
pub fn state<'s>(
    h0: &'s Array2<f32>,
    p0: Option<&'s Array2<f32>>,
    before: Option<&'s Step>,
) -> (&'s Array2<f32>, Option<&'s Array2<f32>>) {
    match before {
        None => (h0, p0),
        Some(step) => (&step.h, step.position.as_ref().map(|p| &p.p)),
    }
}

impl PairPass<'_> {
    /// Cross-graph attention of each step that was kept: left nodes over right ones, and the
    /// reverse.
    pub fn attention(&self) -> impl Iterator<Item = [&Array2<f32>; 2]> {
        let attention = self.steps.iter().map(|step| &step.attention);
        attention.map(|a| [&a.to_left, &a.to_right])
    }

    /// Representations of the two graphs, 2 × g.
    pub fn graphs(&self) -> &Array2<f32> {
        &self.readout.graphs
    }
}
