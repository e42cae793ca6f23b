//! One pair through the network, forward and backward. Rows are nodes, the left graph's first.

use ndarray::{Array2, ArrayView2, Axis, Slice};

use super::math::{
    Gradients, add, add_bias, add_product, add_rows, columns, flat, flat_mut, lanes_sum, matrix, product,
    rows, sigmoid, softmax_rows, tanh,
};
use super::text::relu_mask;
use crate::{
    config::GmnConfig,
    prepare::Prepared,
    weights::{Layout, Slot},
};

/// Weights arranged for the passes: all products of node states in one matrix of columns
/// message target | message source | attention | GRU state (3 d).
pub(super) struct Network<'a> {
    pub(super) config: &'a GmnConfig,
    pub(super) layout: &'a Layout,
    pub(super) weights: &'a [f32],
    states: &'a Array2<f32>,
}

/// The columns of [`Network::states`].
fn state_slots(layout: &Layout) -> [Slot; 4] {
    [layout.target, layout.source, layout.attention, layout.gru_state]
}

/// The joint matrix of node-state products.
pub(super) fn join_states(layout: &Layout, weights: &[f32]) -> Array2<f32> {
    let slots = state_slots(layout);
    let width = slots.iter().map(|s| s.cols).sum();
    let mut joint = Array2::zeros((layout.target.rows, width));
    let mut start = 0;
    for slot in slots {
        joint
            .slice_axis_mut(Axis(1), Slice::from(start..start + slot.cols))
            .assign(&matrix(slot.of(weights), slot.rows, slot.cols));
        start += slot.cols;
    }
    joint
}

/// Adds the joint matrix's gradient to its parts.
pub(super) fn split_states(layout: &Layout, joint: &Array2<f32>, all: &mut Gradients) {
    let mut start = 0;
    for slot in state_slots(layout) {
        let part = columns(joint, start..start + slot.cols);
        *all.of(slot) += &part;
        start += slot.cols;
    }
}

/// One propagation step, with what its backward pass needs.
struct Step {
    /// Products of node states, N × (2 m + 4 d).
    states: Array2<f32>,
    /// Inner messages | cross-graph messages, N × (m + d).
    messages: Array2<f32>,
    attention_hidden: Array2<f32>,
    r: Array2<f32>,
    /// Attention of left nodes over right ones, and the reverse.
    to_left: Array2<f32>,
    to_right: Array2<f32>,
    /// Reset | update | candidate, N × 3 d.
    gates: Array2<f32>,
    h: Array2<f32>,
    position: Option<PositionStep>,
}

struct PositionStep {
    near: Array2<f32>,
    change: Array2<f32>,
    p: Array2<f32>,
}

/// A forward pass.
pub(super) struct PairPass<'a> {
    network: &'a Network<'a>,
    pair: &'a Prepared,
    h: Array2<f32>,
    p: Option<Array2<f32>>,
    steps: Vec<Step>,
    gate: Array2<f32>,
    value: Array2<f32>,
    sums: Array2<f32>,
    hidden: Array2<f32>,
    /// Representations of the two graphs, 2 × g.
    pub(super) graphs: Array2<f32>,
    /// d²
    pub(super) squared: f32,
}

impl<'a> Network<'a> {
    pub(super) fn new(
        config: &'a GmnConfig,
        layout: &'a Layout,
        weights: &'a [f32],
        states: &'a Array2<f32>,
    ) -> Network<'a> {
        Network {
            config,
            layout,
            weights,
            states,
        }
    }

    fn of(&self, slot: Slot) -> ArrayView2<'a, f32> {
        matrix(slot.of(self.weights), slot.rows, slot.cols)
    }

    fn bias(&self, slot: Slot) -> &'a [f32] {
        slot.of(self.weights)
    }

    /// The GRU's input weights: the two slots lie side by side in the flat weights.
    fn gru_input(&self) -> ArrayView2<'a, f32> {
        let (message, cross) = (self.layout.gru_message, self.layout.gru_cross);
        let joint = Slot {
            rows: message.rows + cross.rows,
            ..message
        };
        self.of(joint)
    }

    /// Runs the network. `text` gives a string's encoding by its index in the pair; `keep` keeps
    /// what the backward pass needs.
    pub(super) fn forward<'t>(
        &'a self,
        pair: &'a Prepared,
        text: impl Fn(usize) -> &'t [f32],
        keep: bool,
    ) -> PairPass<'a> {
        let (layout, config) = (self.layout, self.config);
        let d = config.node_dim;
        let mut h0 = Array2::zeros((pair.nodes(), d));
        let words = layout.words.of(self.weights);
        for (node, row) in flat_mut(&mut h0).chunks_exact_mut(d).enumerate() {
            let word = pair.words[node] as usize * d;
            row.copy_from_slice(&words[word..word + d]);
            if let Some(tags) = layout.tags {
                let tag = pair.tags[node] as usize * d;
                add(&tags.of(self.weights)[tag..tag + d], row);
            }
            if let Some(index) = pair.text_of[node] {
                add(text(index as usize), row);
            }
        }
        let p0 = layout.positions.map(|slots| {
            let walks = matrix(&pair.positions, pair.nodes(), config.walk_steps);
            let mut p = product(walks, self.of(slots.input));
            add_bias(&mut p, self.bias(slots.input_bias));
            p
        });
        let mut steps: Vec<Step> = Vec::with_capacity(config.propagation_steps);
        for t in 0..config.propagation_steps {
            let (h, p) = state(&h0, p0.as_ref(), steps.last());
            let step = self.step(pair, h, p, t + 1 == config.propagation_steps);
            if !keep {
                steps.clear();
            }
            steps.push(step);
        }
        let (h, _) = state(&h0, None, steps.last());
        let mut gate = product(h.view(), self.of(layout.gate));
        add_bias(&mut gate, self.bias(layout.gate_bias));
        for x in flat_mut(&mut gate) {
            *x = sigmoid(*x);
        }
        let mut value = product(h.view(), self.of(layout.value));
        add_bias(&mut value, self.bias(layout.value_bias));
        let g = config.graph_dim;
        let mut sums = Array2::zeros((2, g));
        let (left, right) = flat_mut(&mut sums).split_at_mut(g);
        let rows = flat(&gate).chunks_exact(g).zip(flat(&value).chunks_exact(g));
        for (node, (gate, value)) in rows.enumerate() {
            let sum = if node < pair.left { &mut *left } else { &mut *right };
            for ((sum, gate), value) in sum.iter_mut().zip(gate).zip(value) {
                *sum += gate * value;
            }
        }
        let mut hidden = product(sums.view(), self.of(layout.graph));
        add_bias(&mut hidden, self.bias(layout.graph_bias));
        for x in flat_mut(&mut hidden) {
            *x = x.max(0.0);
        }
        let graphs = product(hidden.view(), self.of(layout.graph_out));
        let (left, right) = flat(&graphs).split_at(g);
        PairPass {
            squared: left.iter().zip(right).map(|(l, r)| (l - r) * (l - r)).sum(),
            network: self,
            pair,
            h: h0,
            p: p0,
            steps,
            gate,
            value,
            sums,
            hidden,
            graphs,
        }
    }

    fn step(&self, pair: &Prepared, h: &Array2<f32>, p: Option<&Array2<f32>>, last: bool) -> Step {
        let (layout, config) = (self.layout, self.config);
        let (d, m) = (config.node_dim, config.message_dim);
        let (n, width) = (pair.nodes(), 2 * m + 4 * d);
        let states = product(h.view(), self.states.view());
        let products = flat(&states);
        let mut messages = Array2::zeros((n, m + d));
        let kinds = layout.edges.of(self.weights);
        for (node, message) in flat_mut(&mut messages).chunks_exact_mut(m + d).enumerate() {
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
        // Cross-graph attention over r = MLP(h ⊕ p).
        let mut attention_hidden = match (p, layout.positions) {
            (Some(p), Some(slots)) => product(p.view(), self.of(slots.attention)),
            _ => Array2::zeros((n, d)),
        };
        let bias = self.bias(layout.attention_bias);
        for (row, states) in flat_mut(&mut attention_hidden)
            .chunks_exact_mut(d)
            .zip(products.chunks_exact(width))
        {
            for ((x, a), b) in row.iter_mut().zip(&states[2 * m..2 * m + d]).zip(bias) {
                *x = (*x + a + b).max(0.0);
            }
        }
        let mut r = product(attention_hidden.view(), self.of(layout.attention_out));
        add_bias(&mut r, self.bias(layout.attention_out_bias));
        let (left, right) = (rows(&r, 0..pair.left), rows(&r, pair.left..n));
        let factor = 1.0 / (d as f32).sqrt();
        let mut to_left = product(left, right.t());
        softmax_rows(&mut to_left, factor);
        let mut to_right = product(right, left.t());
        softmax_rows(&mut to_right, factor);
        for (row, r) in flat_mut(&mut messages)
            .chunks_exact_mut(m + d)
            .zip(flat(&r).chunks_exact(d))
        {
            row[m..].copy_from_slice(r);
        }
        let (mut cross_left, mut cross_right) = messages
            .slice_axis_mut(Axis(1), Slice::from(m..))
            .split_at(Axis(0), pair.left);
        add_product(-1.0, to_left.view(), right, cross_left.view_mut());
        add_product(-1.0, to_right.view(), left, cross_right.view_mut());
        // Gated recurrent update.
        let mut gates = product(messages.view(), self.gru_input());
        add_bias(&mut gates, self.bias(layout.gru_bias));
        let mut next = Array2::zeros((n, d));
        let all = flat_mut(&mut gates)
            .chunks_exact_mut(3 * d)
            .zip(products.chunks_exact(width))
            .zip(flat_mut(&mut next).chunks_exact_mut(d))
            .zip(flat(h).chunks_exact(d));
        for (((gates, states), next), h) in all {
            let states = &states[2 * m + d..];
            for (x, y) in gates[..2 * d].iter_mut().zip(states) {
                *x = sigmoid(*x + y);
            }
            let (reset, rest) = gates.split_at_mut(d);
            let (update, candidate) = rest.split_at_mut(d);
            for ((x, y), reset) in candidate.iter_mut().zip(&states[2 * d..]).zip(&*reset) {
                *x = tanh(*x + reset * y);
            }
            for (((to, h), z), c) in next.iter_mut().zip(h).zip(&*update).zip(&*candidate) {
                *to = c + z * (h - c);
            }
        }
        // Positional encodings; those after the last step would be read by nobody.
        let position = match (p, layout.positions) {
            (Some(old), Some(slots)) if !last => {
                let q = config.position_dim;
                let mut near = Array2::zeros((n, q));
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
                Some(PositionStep { near, change, p })
            }
            _ => None,
        };
        Step {
            states,
            messages,
            attention_hidden,
            r,
            to_left,
            to_right,
            gates,
            h: next,
            position,
        }
    }
}

/// The states before a step: those after the one before, or the first.
fn state<'s>(
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
    pub(super) fn attention(&self) -> impl Iterator<Item = [&Array2<f32>; 2]> {
        self.steps.iter().map(|step| [&step.to_left, &step.to_right])
    }

    /// Gradients of `scale` · d², as [`PairPass::backward`].
    pub(super) fn backward_distance(
        &self,
        scale: f32,
        all: &mut Gradients,
        states: &mut Array2<f32>,
    ) -> Array2<f32> {
        let g = self.network.config.graph_dim;
        let (left, right) = flat(&self.graphs).split_at(g);
        let mut graphs = Array2::zeros((2, g));
        let (to_left, to_right) = flat_mut(&mut graphs).split_at_mut(g);
        let sides = left.iter().zip(right).zip(to_left.iter_mut().zip(to_right));
        for ((l, r), (to_left, to_right)) in sides {
            *to_left = 2.0 * scale * (l - r);
            *to_right = -*to_left;
        }
        self.backward(&graphs, all, states)
    }

    /// From the gradients of the two representations, 2 × g, to those of the parameters. Those of
    /// the joint state matrix go to `states`; the result is the gradient of the pair's string
    /// encodings.
    pub(super) fn backward(
        &self,
        graphs: &Array2<f32>,
        all: &mut Gradients,
        states: &mut Array2<f32>,
    ) -> Array2<f32> {
        let network = self.network;
        let (layout, config) = (network.layout, network.config);
        let (d, g) = (config.node_dim, config.graph_dim);
        let nodes = self.pair.nodes();
        let into = all.of(layout.graph_out).view_mut();
        add_product(1.0, self.hidden.t(), graphs.view(), into);
        let mut hidden = product(graphs.view(), network.of(layout.graph_out).t());
        relu_mask(&mut hidden, &self.hidden);
        let into = all.of(layout.graph).view_mut();
        add_product(1.0, self.sums.t(), hidden.view(), into);
        add_rows(&hidden, all.of(layout.graph_bias));
        let sums = product(hidden.view(), network.of(layout.graph).t());
        let mut gate = Array2::zeros((nodes, g));
        let mut value = Array2::zeros((nodes, g));
        for node in 0..nodes {
            let side = usize::from(node >= self.pair.left);
            let sums = &flat(&sums)[side * g..(side + 1) * g];
            let row = node * g..(node + 1) * g;
            let inputs = flat(&self.gate)[row.clone()]
                .iter()
                .zip(&flat(&self.value)[row.clone()]);
            let outputs = flat_mut(&mut gate)[row.clone()]
                .iter_mut()
                .zip(&mut flat_mut(&mut value)[row]);
            for (((gate, value), (a, v)), sum) in outputs.zip(inputs).zip(sums) {
                *gate = sum * v * a * (1.0 - a);
                *value = sum * a;
            }
        }
        let (last, _) = state(&self.h, None, self.steps.last());
        let mut gh = product(gate.view(), network.of(layout.gate).t());
        add_product(1.0, value.view(), network.of(layout.value).t(), gh.view_mut());
        for (slot, bias, gradient) in [
            (layout.gate, layout.gate_bias, &gate),
            (layout.value, layout.value_bias, &value),
        ] {
            add_product(1.0, last.t(), gradient.view(), all.of(slot).view_mut());
            add_rows(gradient, all.of(bias));
        }
        let mut gp: Option<Array2<f32>> = None;
        for t in (0..self.steps.len()).rev() {
            let before = t.checked_sub(1).and_then(|t| self.steps.get(t));
            let (h, p) = state(&self.h, self.p.as_ref(), before);
            if let Some(step) = self.steps.get(t) {
                (gh, gp) = self.step_backward(step, h, p, &gh, gp, all, states);
            }
        }
        if let (Some(gp), Some(slots)) = (gp, layout.positions) {
            let walks = matrix(&self.pair.positions, nodes, config.walk_steps);
            let into = all.of(slots.input).view_mut();
            add_product(1.0, walks.t(), gp.view(), into);
            add_rows(&gp, all.of(slots.input_bias));
        }
        let mut texts = Array2::zeros((self.pair.texts.len(), d));
        for (node, row) in flat(&gh).chunks_exact(d).enumerate() {
            add(row, all.row(layout.words, self.pair.words[node] as usize));
            if let Some(tags) = layout.tags {
                add(row, all.row(tags, self.pair.tags[node] as usize));
            }
            if let Some(text) = self.pair.text_of[node] {
                let text = text as usize;
                add(row, &mut flat_mut(&mut texts)[text * d..(text + 1) * d]);
            }
        }
        texts
    }

    /// From the gradients of the states after a step to those before it.
    #[allow(clippy::too_many_arguments)] // Two states, their gradients, and two accumulators.
    fn step_backward(
        &self,
        step: &Step,
        h: &Array2<f32>,
        p: Option<&Array2<f32>>,
        gh_next: &Array2<f32>,
        gp_next: Option<Array2<f32>>,
        all: &mut Gradients,
        joint: &mut Array2<f32>,
    ) -> (Array2<f32>, Option<Array2<f32>>) {
        let (network, pair) = (self.network, self.pair);
        let (layout, config) = (network.layout, network.config);
        let (d, m) = (config.node_dim, config.message_dim);
        let (n, width) = (pair.nodes(), 2 * m + 4 * d);
        let mut gh = Array2::zeros((n, d));
        let mut gates = Array2::zeros((n, 3 * d));
        let mut states = Array2::zeros((n, width));
        for node in 0..n {
            let own = node * d..(node + 1) * d;
            let gh_next = &flat(gh_next)[own.clone()];
            let h = &flat(h)[own.clone()];
            let gh = &mut flat_mut(&mut gh)[own];
            let (reset, rest) = flat(&step.gates)[node * 3 * d..(node + 1) * 3 * d].split_at(d);
            let (update, candidate) = rest.split_at(d);
            let old = &flat(&step.states)[(node + 1) * width - d..(node + 1) * width];
            let (g_reset, rest) = flat_mut(&mut gates)[node * 3 * d..(node + 1) * 3 * d].split_at_mut(d);
            let (g_update, g_candidate) = rest.split_at_mut(d);
            let start = node * width + 2 * m + d;
            let (s_reset, rest) = flat_mut(&mut states)[start..start + 3 * d].split_at_mut(d);
            let (s_update, s_candidate) = rest.split_at_mut(d);
            for i in 0..d {
                let (g, z, c, r) = (gh_next[i], update[i], candidate[i], reset[i]);
                gh[i] = g * z;
                let dc = g * (1.0 - z) * (1.0 - c * c);
                let dz = g * (h[i] - c) * z * (1.0 - z);
                let dr = dc * old[i] * r * (1.0 - r);
                g_reset[i] = dr;
                g_update[i] = dz;
                g_candidate[i] = dc;
                s_reset[i] = dr;
                s_update[i] = dz;
                s_candidate[i] = dc * r;
            }
        }
        let messages = &step.messages;
        let into = all.of(layout.gru_message).view_mut();
        add_product(1.0, columns(messages, 0..m).t(), gates.view(), into);
        let into = all.of(layout.gru_cross).view_mut();
        add_product(1.0, columns(messages, m..m + d).t(), gates.view(), into);
        add_rows(&gates, all.of(layout.gru_bias));
        let g_messages = product(gates.view(), network.gru_input().t());

        // Cross-graph attention.
        let mut gr = columns(&g_messages, m..m + d).to_owned();
        let (r_left, r_right) = (rows(&step.r, 0..pair.left), rows(&step.r, pair.left..n));
        let cross = columns(&g_messages, m..m + d);
        let (cross_left, cross_right) = cross.split_at(Axis(0), pair.left);
        let mut scores = product(cross_left, r_right.t());
        softmax_backward(&mut scores, &step.to_left, d);
        let mut scores_right = product(cross_right, r_left.t());
        softmax_backward(&mut scores_right, &step.to_right, d);
        scores += &scores_right.t();
        {
            let (mut gr_left, mut gr_right) = gr.view_mut().split_at(Axis(0), pair.left);
            add_product(-1.0, step.to_left.t(), cross_left, gr_right.view_mut());
            add_product(-1.0, step.to_right.t(), cross_right, gr_left.view_mut());
            add_product(1.0, scores.view(), r_right, gr_left.view_mut());
            add_product(1.0, scores.t(), r_left, gr_right.view_mut());
        }
        let into = all.of(layout.attention_out).view_mut();
        add_product(1.0, step.attention_hidden.t(), gr.view(), into);
        add_rows(&gr, all.of(layout.attention_out_bias));
        let mut hidden = product(gr.view(), network.of(layout.attention_out).t());
        relu_mask(&mut hidden, &step.attention_hidden);
        add_rows(&hidden, all.of(layout.attention_bias));

        // Inner messages.
        let kinds = layout.edges.of(network.weights);
        let products = flat(&step.states);
        let g_states = flat_mut(&mut states);
        for node in 0..n {
            g_states[node * width + 2 * m..node * width + 2 * m + d]
                .copy_from_slice(&flat(&hidden)[node * d..(node + 1) * d]);
            let gradient = &flat(&g_messages)[node * (m + d)..node * (m + d) + m];
            let target = &products[node * width..node * width + m];
            for (source, kind) in pair.incoming(node) {
                let source_row = source * width + m;
                let states = &products[source_row..source_row + m];
                let edge = &kinds[kind * m..(kind + 1) * m];
                let g_edge = all.row(layout.edges, kind);
                for i in 0..m {
                    let open = target[i] + states[i] + edge[i] > 0.0;
                    let g = if open { gradient[i] } else { 0.0 };
                    g_states[node * width + i] += g;
                    g_states[source_row + i] += g;
                    g_edge[i] += g;
                }
            }
        }
        add_product(1.0, h.t(), states.view(), joint.view_mut());
        add_product(1.0, states.view(), network.states.t(), gh.view_mut());

        // Positional encodings.
        let gp = match (p, layout.positions) {
            (Some(p), Some(slots)) => {
                let into = all.of(slots.attention).view_mut();
                add_product(1.0, p.t(), hidden.view(), into);
                let mut gp = product(hidden.view(), network.of(slots.attention).t());
                if let (Some(position), Some(next)) = (&step.position, gp_next) {
                    self.position_backward(position, p, &next, &mut gp, all);
                }
                Some(gp)
            }
            _ => None,
        };
        (gh, gp)
    }

    fn position_backward(
        &self,
        step: &PositionStep,
        p: &Array2<f32>,
        next: &Array2<f32>,
        gp: &mut Array2<f32>,
        all: &mut Gradients,
    ) {
        let Some(slots) = self.network.layout.positions else {
            return;
        };
        let q = self.network.config.position_dim;
        let mut change = next.clone();
        for (g, x) in flat_mut(&mut change).iter_mut().zip(flat(&step.change)) {
            *g *= 1.0 - x * x;
        }
        add(flat(next), flat_mut(gp));
        let own = self.network.of(slots.own);
        add_product(1.0, change.view(), own.t(), gp.view_mut());
        add_product(1.0, p.t(), change.view(), all.of(slots.own).view_mut());
        let into = all.of(slots.near).view_mut();
        add_product(1.0, step.near.t(), change.view(), into);
        add_rows(&change, all.of(slots.update_bias));
        let near = product(change.view(), self.network.of(slots.near).t());
        let gp = flat_mut(gp);
        for (node, row) in flat(&near).chunks_exact(q).enumerate() {
            let degree = self.pair.incoming(node).count();
            let scale = 1.0 / degree.max(1) as f32;
            for (source, _) in self.pair.incoming(node) {
                for (to, from) in gp[source * q..(source + 1) * q].iter_mut().zip(row) {
                    *to += scale * from;
                }
            }
        }
    }
}

/// From the negated gradient of attention weights to that of the products r · r.
fn softmax_backward(gradient: &mut Array2<f32>, weights: &Array2<f32>, d: usize) {
    let factor = -1.0 / (d as f32).sqrt();
    let width = weights.ncols().max(1);
    let mut products = vec![0.0; width];
    let rows = flat_mut(gradient)
        .chunks_exact_mut(width)
        .zip(flat(weights).chunks_exact(width));
    for (row, weights) in rows {
        for ((product, g), w) in products.iter_mut().zip(&*row).zip(weights) {
            *product = g * w;
        }
        let mean = lanes_sum(&products);
        for (g, w) in row.iter_mut().zip(weights) {
            *g = factor * w * (*g - mean);
        }
    }
}
