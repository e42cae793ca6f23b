//! The character ConvNet's backward pass.

use std::sync::Arc;

use ndarray::Array2;
use twinql_gmn::pass::math::{add, flat, flat_mut, product};
use twinql_gmn::pass::text::{NOWHERE, TextPass, each_window, of};
use twinql_gmn::weights::Layout;

use super::gradients::{Gradients, add_rows, relu_mask};

/// The reverse of `windows` in [`twinql_gmn::pass::text`]: sums what each character gave to its windows.
fn fold_windows(texts: &[Arc<[u8]>], windows: &Array2<f32>, to: &mut Array2<f32>) {
    let c = to.ncols();
    let (from, to) = (flat(windows), flat_mut(to));
    each_window(texts, c, |start, span| add(&from[start..start + span.len()], &mut to[span]));
}

/// From the gradient of the encodings to those of the parameters, each part the reverse of its part of
/// [`TextPass::new`].
pub(super) fn backward(
    pass: &TextPass,
    layout: &Layout,
    weights: &[f32],
    gradient: &Array2<f32>,
    all: &mut Gradients,
) {
    let c = layout.chars.cols;
    let rows: usize = pass.texts.iter().map(|t| t.len()).sum();
    for (slot, pooled) in [(layout.text_max, &pass.most), (layout.text_mean, &pass.mean)] {
        all.add_weight(slot, pooled.view(), gradient);
    }
    let most = product(gradient.view(), of(layout.text_max, weights).t());
    let mean = product(gradient.view(), of(layout.text_mean, weights).t());
    let mut g = Array2::zeros((rows, c));
    let to = flat_mut(&mut g);
    let mut base = 0;
    let pooled =
        flat(&most).chunks_exact(c).zip(flat(&mean).chunks_exact(c)).zip(pass.places.chunks_exact(c));
    for (((most, mean), places), text) in pooled.zip(&pass.texts) {
        if text.is_empty() {
            continue;
        }
        let scale = 1.0 / text.len() as f32;
        for row in to[base * c..(base + text.len()) * c].chunks_exact_mut(c) {
            for (to, from) in row.iter_mut().zip(mean) {
                *to += from * scale;
            }
        }
        for k in 0..c {
            if places[k] != NOWHERE {
                to[places[k] as usize * c + k] += most[k];
            }
        }
        base += text.len();
    }
    for (slots, block) in layout.blocks.iter().zip(&pass.blocks).rev() {
        relu_mask(&mut g, &block.out);
        all.add_weight(slots.second, block.second_window.view(), &g);
        add_rows(&g, all.of(slots.second_bias));
        let spread = product(g.view(), of(slots.second, weights).t());
        let mut hidden = Array2::zeros((rows, c));
        fold_windows(&pass.texts, &spread, &mut hidden);
        relu_mask(&mut hidden, &block.hidden);
        all.add_weight(slots.first, block.first_window.view(), &hidden);
        add_rows(&hidden, all.of(slots.first_bias));
        let spread = product(hidden.view(), of(slots.first, weights).t());
        fold_windows(&pass.texts, &spread, &mut g);
    }
    let codes = pass.texts.iter().flat_map(|t| t.iter().enumerate());
    for (row, (place, &code)) in flat(&g).chunks_exact(c).zip(codes) {
        add(row, all.row(layout.chars, usize::from(code)));
        add(row, all.row(layout.char_places, place));
    }
}
