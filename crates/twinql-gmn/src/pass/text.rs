//! The character ConvNet, over strings of different lengths without padding.

use std::ops::Range;
use std::sync::Arc;

use ndarray::{Array2, ArrayView2};

use super::math::{add, add_product, flat, flat_mut, layer, matrix, product, relu};
use crate::weights::{Layout, Slot};

/// The place of a maximum that is zero: no character gave it.
pub const NOWHERE: u32 = u32::MAX;

/// A forward pass over some strings, with what the backward pass needs.
pub struct TextPass {
    /// The strings, as classes of characters.
    pub texts: Vec<Arc<[u8]>>,
    /// Each residual block.
    pub blocks: Vec<BlockPass>,
    /// Row of each maximum, S × c, or [`NOWHERE`].
    pub places: Vec<u32>,
    /// The maximum of each channel, S × c.
    pub most: Array2<f32>,
    /// Its mean, S × c.
    pub mean: Array2<f32>,
    /// S × d.
    pub out: Array2<f32>,
}

/// A residual block's pass. Rows are characters of all strings.
pub struct BlockPass {
    /// What the first convolution reads.
    pub first_window: Array2<f32>,
    /// What it gives, cut below zero.
    pub hidden: Array2<f32>,
    /// What the second reads.
    pub second_window: Array2<f32>,
    /// What the block gives.
    pub out: Array2<f32>,
}

/// A parameter as a matrix.
pub fn of(slot: Slot, weights: &[f32]) -> ArrayView2<'_, f32> {
    matrix(slot.of(weights), slot.rows, slot.cols)
}

/// A window is a character of `c` values with its two neighbours, as far as the string has them. For each one, `visit` gets
/// where it begins in a matrix of windows, and which values it spans in the matrix of all characters.
pub fn each_window(texts: &[Arc<[u8]>], c: usize, mut visit: impl FnMut(usize, Range<usize>)) {
    let mut base = 0;
    for text in texts {
        for i in 0..text.len() {
            let first = i.saturating_sub(1);
            let last = (i + 1).min(text.len() - 1);
            let start = (base + i) * 3 * c + (first + 1 - i) * c;
            visit(start, (base + first) * c..(base + last + 1) * c);
        }
        base += text.len();
    }
}

/// Each character with its two neighbours, zero beyond a string's ends.
fn windows(texts: &[Arc<[u8]>], x: &Array2<f32>) -> Array2<f32> {
    let mut out = Array2::zeros((x.nrows(), 3 * x.ncols()));
    let (from, to) = (flat(x), flat_mut(&mut out));
    each_window(texts, x.ncols(), |start, span| to[start..start + span.len()].copy_from_slice(&from[span]));
    out
}

impl TextPass {
    /// Forward: characters and places, residual blocks, then maximum and mean over a string's characters. All strings lie
    /// behind each other in one matrix; only `windows` knows where one ends.
    pub fn new(layout: &Layout, weights: &[f32], texts: Vec<Arc<[u8]>>) -> TextPass {
        let c = layout.chars.cols;
        let rows: usize = texts.iter().map(|t| t.len()).sum();
        let mut x = Array2::zeros((rows, c));
        let (chars, positions) = (layout.chars.of(weights), layout.char_places.of(weights));
        let codes = texts.iter().flat_map(|t| t.iter().enumerate());
        for (row, (place, &code)) in flat_mut(&mut x).chunks_exact_mut(c).zip(codes) {
            let code = usize::from(code) * c;
            add(&chars[code..code + c], row);
            add(&positions[place * c..(place + 1) * c], row);
        }
        let mut blocks = Vec::with_capacity(layout.blocks.len());
        for slots in &layout.blocks {
            let first_window = windows(&texts, &x);
            let mut hidden =
                layer(first_window.view(), of(slots.first, weights), slots.first_bias.of(weights));
            relu(&mut hidden);
            let second_window = windows(&texts, &hidden);
            let mut out =
                layer(second_window.view(), of(slots.second, weights), slots.second_bias.of(weights));
            add(flat(&x), flat_mut(&mut out));
            relu(&mut out);
            x = out.clone();
            blocks.push(BlockPass { first_window, hidden, second_window, out });
        }
        let mut most = Array2::zeros((texts.len(), c));
        let mut mean = Array2::zeros((texts.len(), c));
        let mut places = vec![NOWHERE; texts.len() * c];
        let mut base = 0;
        let pooled = flat_mut(&mut most)
            .chunks_exact_mut(c)
            .zip(flat_mut(&mut mean).chunks_exact_mut(c))
            .zip(places.chunks_exact_mut(c));
        for (((most, mean), places), text) in pooled.zip(&texts) {
            let scale = 1.0 / text.len().max(1) as f32;
            let rows = flat(&x)[base * c..(base + text.len()) * c].chunks_exact(c);
            for (i, row) in rows.enumerate() {
                for k in 0..c {
                    // Activations are not negative, and those at zero pass no gradient.
                    if row[k] > most[k] {
                        most[k] = row[k];
                        places[k] = (base + i) as u32;
                    }
                    mean[k] += row[k] * scale;
                }
            }
            base += text.len();
        }
        let mut out = product(most.view(), of(layout.text_max, weights));
        add_product(1.0, mean.view(), of(layout.text_mean, weights), out.view_mut());
        TextPass { texts, blocks, places, most, mean, out }
    }
}
