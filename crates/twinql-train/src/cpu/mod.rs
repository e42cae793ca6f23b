//! The accelerator for CPUs: backward passes by hand over [`twinql_gmn::pass`], several times faster there than burn.
//!
//! Pairs run in parallel on rayon; each is computed by itself and sums run in input order, so results do not depend on
//! the number of threads. Tests hold every gradient to burn's autodiff.

mod gradients;
mod pair;
#[cfg(test)]
mod tests;
mod text;

use ndarray::{Array2, Axis, Slice};
use rayon::prelude::*;
use twinql_gmn::config::GmnConfig;
use twinql_gmn::pass::batch::{Encoded, distances, row};
use twinql_gmn::pass::math::{add, flat_mut};
use twinql_gmn::pass::pair::{Network, PairPass, join_states, state_slots};
use twinql_gmn::prepare::Prepared;
use twinql_gmn::weights::Layout;

use self::{gradients::Gradients, pair::Backward};
use crate::{
    adam::{Learned, Stride},
    backend::{Backend, Lesson, Said},
    contrast::nt_xent,
    target::{Item, total_weight},
};

/// Pairs whose gradients are summed by one task.
const PAIRS_A_TASK: usize = 4;

/// The network on CPUs.
pub(crate) struct CpuBackend {
    config: GmnConfig,
    layout: Layout,
}

/// Loss and gradients of one step.
pub(crate) struct StepResult {
    /// Of the batch.
    pub(crate) loss: f32,
    /// The share of views that are nearest to their own partner.
    pub(crate) nearest: f32,
    /// In the order of the flat weights.
    pub(crate) gradients: Vec<f32>,
}

/// What steps move, and what they did.
pub(crate) struct Learner {
    learned: Learned,
    said: Said,
}

/// What one task of a step gives.
struct TaskResult {
    loss: f32,
    gradients: Gradients,
    /// For each pair the gradient of its string encodings; none where its loss is zero.
    of_texts: Vec<Option<Array2<f32>>>,
}

impl CpuBackend {
    pub(crate) fn new(config: GmnConfig) -> CpuBackend {
        CpuBackend { layout: Layout::new(&config), config }
    }

    /// Loss and gradients of a lesson.
    pub(crate) fn gradients(&self, weights: &[f32], lesson: &Lesson) -> StepResult {
        match lesson {
            Lesson::Pairs(items) => self.supervised(weights, items),
            Lesson::Views(views, temperature) => self.contrast(weights, views, *temperature),
        }
    }

    fn supervised(&self, weights: &[f32], items: &[Item]) -> StepResult {
        let layout = &self.layout;
        let states = join_states(layout, weights);
        let network = Network::new(&self.config, layout, weights, &states);
        let encoded = Encoded::new(layout, weights, items.iter().map(|i| &i.pair), true);
        let total = total_weight(items);
        let results = self.tasks(items, &states, |_, item, all, joint| {
            let share = item.weight / total;
            let text = |i: usize| encoded.of(&item.pair.texts[i]);
            let pass = network.forward(&item.pair, text, true);
            let (loss, slope) = item.target.loss(pass.squared);
            let of_texts =
                (slope != 0.0).then(|| Backward { pass: &pass }.of_distance(slope * share, all, joint));
            (share * loss, of_texts)
        });
        StepResult {
            loss: results.iter().fold(0.0, |sum, r| sum + r.loss),
            nearest: 0.0,
            gradients: self.sum(weights, &encoded, &results, items.iter().map(|i| &i.pair)),
        }
    }

    fn contrast(&self, weights: &[f32], views: &[Prepared], temperature: f32) -> StepResult {
        let (layout, g) = (&self.layout, self.config.graph_dim);
        let states = join_states(layout, weights);
        let network = Network::new(&self.config, layout, weights, &states);
        let encoded = Encoded::new(layout, weights, views.iter(), true);
        // The loss of a view depends on all others: all go forward before any goes back.
        let passes: Vec<PairPass<'_>> = views
            .par_iter()
            .map(|pair| network.forward(pair, |i| encoded.of(&pair.texts[i]), true))
            .collect();
        let side = |side: usize| -> Vec<f32> {
            let rows = passes.iter().flat_map(|pass| row(&pass.readout.graphs, side));
            rows.copied().collect()
        };
        let contrast = nt_xent(&side(0), &side(1), g, temperature);
        let results = self.tasks(&passes, &states, |i, pass, all, joint| {
            let mut graphs = Array2::zeros((2, g));
            let (left, right) = flat_mut(&mut graphs).split_at_mut(g);
            left.copy_from_slice(&contrast.left[i * g..(i + 1) * g]);
            right.copy_from_slice(&contrast.right[i * g..(i + 1) * g]);
            (0.0, Some(Backward { pass }.all(&graphs, all, joint)))
        });
        StepResult {
            loss: contrast.loss,
            nearest: contrast.nearest,
            gradients: self.sum(weights, &encoded, &results, views.iter()),
        }
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

    /// The batch's gradients: those of its tasks, and through the strings.
    fn sum<'p>(
        &self,
        weights: &[f32],
        encoded: &Encoded,
        results: &[TaskResult],
        pairs: impl Iterator<Item = &'p Prepared>,
    ) -> Vec<f32> {
        let layout = &self.layout;
        let d = layout.words.cols;
        let mut gradients = vec![0.0; layout.total];
        let mut of_passes: Vec<Array2<f32>> =
            encoded.passes.iter().map(|pass| Array2::zeros((pass.out.nrows(), d))).collect();
        for result in results {
            result.gradients.add_to(layout, &mut gradients);
        }
        for (of_texts, pair) in results.iter().flat_map(|r| &r.of_texts).zip(pairs) {
            let Some(of_texts) = of_texts else { continue };
            for (i, text) in pair.texts.iter().enumerate() {
                let (pass, place) = encoded.place(text);
                add(row(of_texts, i), &mut flat_mut(&mut of_passes[pass])[place * d..(place + 1) * d]);
            }
        }
        let of_texts: Vec<Gradients> = encoded
            .passes
            .par_iter()
            .zip(&of_passes)
            .map(|(pass, gradient)| {
                let mut all = Gradients::new(layout);
                text::backward(pass, layout, weights, gradient, &mut all);
                all
            })
            .collect();
        for part in of_texts {
            part.add_to(layout, &mut gradients);
        }
        gradients
    }
}

/// Adds the joint matrix's gradient to its parts.
fn split_states(layout: &Layout, joint: &Array2<f32>, all: &mut Gradients) {
    let mut start = 0;
    for slot in state_slots(layout) {
        let part = joint.slice_axis(Axis(1), Slice::from(start..start + slot.cols));
        *all.of(slot) += &part;
        start += slot.cols;
    }
}

impl Backend for CpuBackend {
    type Batch = Lesson;
    type Learner = Learner;

    const STEPS_A_QUESTION: usize = 1;

    fn batch(&self, lesson: Lesson) -> Lesson {
        lesson
    }

    fn learner(&self, from: &Learned) -> Learner {
        Learner { learned: from.clone(), said: Said::default() }
    }

    fn step(&self, learner: &mut Learner, batch: Lesson, stride: &Stride) {
        let result = self.gradients(&learner.learned.weights, &batch);
        let finite = result.loss.is_finite() && result.gradients.iter().all(|g| g.is_finite());
        learner.said.loss += if finite { f64::from(result.loss) } else { f64::NAN };
        learner.said.nearest += f64::from(result.nearest);
        learner.learned.update(&result.gradients, stride);
    }

    fn said(&self, learner: &mut Learner) -> Said {
        std::mem::take(&mut learner.said)
    }

    fn learned(&self, learner: &Learner) -> Learned {
        learner.learned.clone()
    }

    fn distances(&self, weights: &[f32], pairs: &[Prepared]) -> Vec<f32> {
        distances(&self.config, &self.layout, weights, pairs)
    }
}
