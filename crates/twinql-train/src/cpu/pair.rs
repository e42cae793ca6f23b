//! A pair's backward pass: each function is the reverse of that of the same name in [`twinql_gmn::pass::pair`].

use ndarray::{Array2, Axis};
use twinql_gmn::pass::math::{add, add_product, columns, flat, flat_mut, lanes_sum, matrix, product, rows};
use twinql_gmn::pass::pair::{AttentionPass, PairPass, PositionStep, Step, state};
use twinql_gmn::weights::PositionSlots;

use super::gradients::{Gradients, add_rows, relu_mask};

/// The way back through a forward pass that kept its steps.
pub(super) struct Backward<'p> {
    pub(super) pass: &'p PairPass<'p>,
}

impl Backward<'_> {
    /// Gradients of `scale` · d², as [`Backward::all`].
    pub(super) fn of_distance(
        &self,
        scale: f32,
        all: &mut Gradients,
        states: &mut Array2<f32>,
    ) -> Array2<f32> {
        let g = self.pass.network.config.graph_dim;
        let (left, right) = flat(&self.pass.readout.graphs).split_at(g);
        let mut graphs = Array2::zeros((2, g));
        let (to_left, to_right) = flat_mut(&mut graphs).split_at_mut(g);
        let sides = left.iter().zip(right).zip(to_left.iter_mut().zip(to_right));
        for ((l, r), (to_left, to_right)) in sides {
            *to_left = 2.0 * scale * (l - r);
            *to_right = -*to_left;
        }
        self.all(&graphs, all, states)
    }

    /// From the gradients of the two representations, 2 × g, to those of the parameters. Those of
    /// the joint state matrix go to `states`; the result is the gradient of the pair's string
    /// encodings.
    pub(super) fn all(
        &self,
        graphs: &Array2<f32>,
        all: &mut Gradients,
        states: &mut Array2<f32>,
    ) -> Array2<f32> {
        let network = self.pass.network;
        let (layout, config) = (network.layout, network.config);
        let d = config.node_dim;
        let mut gh = self.readout_backward(graphs, all);
        let mut gp: Option<Array2<f32>> = None;
        for t in (0..self.pass.steps.len()).rev() {
            let before = t.checked_sub(1).and_then(|t| self.pass.steps.get(t));
            let (h, p) = state(&self.pass.h, self.pass.p.as_ref(), before);
            if let Some(step) = self.pass.steps.get(t) {
                (gh, gp) = self.step_backward(step, h, p, &gh, gp, all, states);
            }
        }
        if let (Some(gp), Some(slots)) = (gp, layout.positions) {
            let walks = matrix(&self.pass.pair.positions, self.pass.pair.nodes(), config.walk_steps);
            all.add_weight(slots.input, walks, &gp);
            add_rows(&gp, all.of(slots.input_bias));
        }
        let mut texts = Array2::zeros((self.pass.pair.texts.len(), d));
        for (node, row) in flat(&gh).chunks_exact(d).enumerate() {
            add(row, all.row(layout.words, self.pass.pair.words[node] as usize));
            if let Some(tags) = layout.tags {
                add(row, all.row(tags, self.pass.pair.tags[node] as usize));
            }
            if let Some(text) = self.pass.pair.text_of[node] {
                let text = text as usize;
                add(row, &mut flat_mut(&mut texts)[text * d..(text + 1) * d]);
            }
        }
        texts
    }

    /// From the gradients of the two representations to that of the last states.
    fn readout_backward(&self, graphs: &Array2<f32>, all: &mut Gradients) -> Array2<f32> {
        let network = self.pass.network;
        let (layout, g, nodes) = (network.layout, network.config.graph_dim, self.pass.pair.nodes());
        all.add_weight(layout.graph_out, self.pass.readout.hidden.view(), graphs);
        let mut hidden = product(graphs.view(), network.of(layout.graph_out).t());
        relu_mask(&mut hidden, &self.pass.readout.hidden);
        all.add_weight(layout.graph, self.pass.readout.sums.view(), &hidden);
        add_rows(&hidden, all.of(layout.graph_bias));
        let sums = product(hidden.view(), network.of(layout.graph).t());
        let mut gate = Array2::zeros((nodes, g));
        let mut value = Array2::zeros((nodes, g));
        for node in 0..nodes {
            let side = usize::from(node >= self.pass.pair.left);
            let sums = &flat(&sums)[side * g..(side + 1) * g];
            let row = node * g..(node + 1) * g;
            let inputs = flat(&self.pass.readout.gate)[row.clone()]
                .iter()
                .zip(&flat(&self.pass.readout.value)[row.clone()]);
            let outputs = flat_mut(&mut gate)[row.clone()].iter_mut().zip(&mut flat_mut(&mut value)[row]);
            for (((gate, value), (a, v)), sum) in outputs.zip(inputs).zip(sums) {
                *gate = sum * v * a * (1.0 - a);
                *value = sum * a;
            }
        }
        let (last, _) = state(&self.pass.h, None, self.pass.steps.last());
        let mut gh = product(gate.view(), network.of(layout.gate).t());
        add_product(1.0, value.view(), network.of(layout.value).t(), gh.view_mut());
        for (slot, bias, gradient) in
            [(layout.gate, layout.gate_bias, &gate), (layout.value, layout.value_bias, &value)]
        {
            all.add_weight(slot, last.view(), gradient);
            add_rows(gradient, all.of(bias));
        }
        gh
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
        let network = self.pass.network;
        let (layout, m) = (network.layout, network.config.message_dim);
        // The gradient of the products of node states; each part of the step adds its columns.
        let mut states = Array2::zeros(step.states.raw_dim());
        let (mut gh, gates) = self.update_backward(step, h, gh_next, &mut states);
        all.add_weight(layout.gru_message, columns(&step.messages, 0..m), &gates);
        all.add_weight(layout.gru_cross, columns(&step.messages, m..step.messages.ncols()), &gates);
        add_rows(&gates, all.of(layout.gru_bias));
        let messages = product(gates.view(), network.gru_input().t());
        let hidden = self.attention_backward(&step.attention, &messages, all);
        self.messages_backward(step, &hidden, &messages, &mut states, all);
        add_product(1.0, h.t(), states.view(), joint.view_mut());
        add_product(1.0, states.view(), network.states.t(), gh.view_mut());
        let gp = match (p, layout.positions) {
            (Some(p), Some(slots)) => {
                all.add_weight(slots.attention, p.view(), &hidden);
                let mut gp = product(hidden.view(), network.of(slots.attention).t());
                if let (Some(position), Some(next)) = (&step.position, gp_next) {
                    self.position_backward(slots, position, p, &next, &mut gp, all);
                }
                Some(gp)
            }
            _ => None,
        };
        (gh, gp)
    }

    /// Through the gated recurrent update: the gradient of the states that it keeps, and that of its gates. That of the
    /// products it reads goes to `states`.
    fn update_backward(
        &self,
        step: &Step,
        h: &Array2<f32>,
        gh_next: &Array2<f32>,
        states: &mut Array2<f32>,
    ) -> (Array2<f32>, Array2<f32>) {
        let (d, m) = (self.pass.network.config.node_dim, self.pass.network.config.message_dim);
        let (n, width) = (self.pass.pair.nodes(), states.ncols());
        let mut gh = Array2::zeros((n, d));
        let mut gates = Array2::zeros((n, 3 * d));
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
            let (s_reset, rest) = flat_mut(states)[start..start + 3 * d].split_at_mut(d);
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
        (gh, gates)
    }

    /// Through the cross-graph attention, from the gradient of all messages to that of its hidden layer.
    fn attention_backward(
        &self,
        attention: &AttentionPass,
        messages: &Array2<f32>,
        all: &mut Gradients,
    ) -> Array2<f32> {
        let (network, pair) = (self.pass.network, self.pass.pair);
        let (layout, n) = (network.layout, pair.nodes());
        let (d, m) = (network.config.node_dim, network.config.message_dim);
        let cross = columns(messages, m..m + d);
        let mut gr = cross.to_owned();
        let r = &attention.r;
        let (r_left, r_right) = (rows(r, 0..pair.left), rows(r, pair.left..n));
        let (cross_left, cross_right) = cross.split_at(Axis(0), pair.left);
        let mut scores = product(cross_left, r_right.t());
        softmax_backward(&mut scores, &attention.to_left, d);
        let mut scores_right = product(cross_right, r_left.t());
        softmax_backward(&mut scores_right, &attention.to_right, d);
        scores += &scores_right.t();
        if let Some(slot) = layout.relations {
            let factor = (d as f32).sqrt();
            let added = flat_mut(all.of(slot));
            for (gradient, &code) in flat(&scores).iter().zip(&self.pass.relations) {
                added[usize::from(code)] += factor * gradient;
            }
        }
        {
            let (mut gr_left, mut gr_right) = gr.view_mut().split_at(Axis(0), pair.left);
            add_product(-1.0, attention.to_left.t(), cross_left, gr_right.view_mut());
            add_product(-1.0, attention.to_right.t(), cross_right, gr_left.view_mut());
            add_product(1.0, scores.view(), r_right, gr_left.view_mut());
            add_product(1.0, scores.t(), r_left, gr_right.view_mut());
        }
        all.add_weight(layout.attention_out, attention.hidden.view(), &gr);
        add_rows(&gr, all.of(layout.attention_out_bias));
        let mut hidden = product(gr.view(), network.of(layout.attention_out).t());
        relu_mask(&mut hidden, &attention.hidden);
        add_rows(&hidden, all.of(layout.attention_bias));
        hidden
    }

    /// Through the inner messages. Gradients of the products of node states go to `states`, those of the attention's
    /// hidden layer too.
    fn messages_backward(
        &self,
        step: &Step,
        hidden: &Array2<f32>,
        messages: &Array2<f32>,
        states: &mut Array2<f32>,
        all: &mut Gradients,
    ) {
        let (network, pair) = (self.pass.network, self.pass.pair);
        let (d, m) = (network.config.node_dim, network.config.message_dim);
        let width = states.ncols();
        let kinds = network.layout.edges.of(network.weights);
        let products = flat(&step.states);
        let g_states = flat_mut(states);
        for node in 0..pair.nodes() {
            g_states[node * width + 2 * m..node * width + 2 * m + d]
                .copy_from_slice(&flat(hidden)[node * d..(node + 1) * d]);
            let gradient = &flat(messages)[node * (m + d)..node * (m + d) + m];
            let target = &products[node * width..node * width + m];
            for (source, kind) in pair.incoming(node) {
                let source_row = source * width + m;
                let states = &products[source_row..source_row + m];
                let edge = &kinds[kind * m..(kind + 1) * m];
                let g_edge = all.row(network.layout.edges, kind);
                for i in 0..m {
                    let open = target[i] + states[i] + edge[i] > 0.0;
                    let g = if open { gradient[i] } else { 0.0 };
                    g_states[node * width + i] += g;
                    g_states[source_row + i] += g;
                    g_edge[i] += g;
                }
            }
        }
    }

    /// Through the positional encodings' update, to those before it.
    fn position_backward(
        &self,
        slots: PositionSlots,
        step: &PositionStep,
        p: &Array2<f32>,
        next: &Array2<f32>,
        gp: &mut Array2<f32>,
        all: &mut Gradients,
    ) {
        let q = self.pass.network.config.position_dim;
        let mut change = next.clone();
        for (g, x) in flat_mut(&mut change).iter_mut().zip(flat(&step.change)) {
            *g *= 1.0 - x * x;
        }
        add(flat(next), flat_mut(gp));
        let own = self.pass.network.of(slots.own);
        add_product(1.0, change.view(), own.t(), gp.view_mut());
        all.add_weight(slots.own, p.view(), &change);
        all.add_weight(slots.near, step.near.view(), &change);
        add_rows(&change, all.of(slots.update_bias));
        let near = product(change.view(), self.pass.network.of(slots.near).t());
        let gp = flat_mut(gp);
        for (node, row) in flat(&near).chunks_exact(q).enumerate() {
            let degree = self.pass.pair.incoming(node).count();
            let scale = 1.0 / degree.max(1) as f32;
            for (source, _) in self.pass.pair.incoming(node) {
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
    let rows = flat_mut(gradient).chunks_exact_mut(width).zip(flat(weights).chunks_exact(width));
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
