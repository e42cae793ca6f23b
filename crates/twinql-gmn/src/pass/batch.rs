//! Many pairs at a time, whose strings are encoded once.

use std::collections::BTreeMap;
use std::sync::Arc;

use ndarray::Array2;
use rayon::prelude::*;

use super::math::flat;
use super::pair::{Network, join_states};
use super::text::TextPass;
use crate::{config::GmnConfig, prepare::Prepared, weights::Layout};

/// Strings encoded by one task.
const TEXTS_A_TASK: usize = 16;

/// The distinct strings of a batch, in the order in which they first come.
#[derive(Debug, Default)]
pub struct Texts {
    /// Each with its place in the list.
    pub places: BTreeMap<Arc<[u8]>, usize>,
    /// The strings.
    pub list: Vec<Arc<[u8]>>,
}

impl Texts {
    /// Those of some pairs.
    pub fn of<'p>(pairs: impl Iterator<Item = &'p Prepared>) -> Texts {
        let mut texts = Texts::default();
        for text in pairs.flat_map(|pair| &pair.texts) {
            texts.places.entry(text.clone()).or_insert_with(|| {
                texts.list.push(text.clone());
                texts.list.len() - 1
            });
        }
        texts
    }
}

/// The distinct strings of a batch, encoded.
pub struct Encoded {
    places: BTreeMap<Arc<[u8]>, usize>,
    /// The passes over them, so many strings each.
    pub passes: Vec<TextPass>,
}

impl Encoded {
    /// Encodes the strings of these pairs; `keep` keeps what the backward pass needs.
    pub fn new<'p>(
        layout: &Layout,
        weights: &[f32],
        pairs: impl Iterator<Item = &'p Prepared>,
        keep: bool,
    ) -> Encoded {
        let Texts { places, list } = Texts::of(pairs);
        let passes = list
            .par_chunks(TEXTS_A_TASK)
            .map(|chunk| {
                let mut pass = TextPass::new(layout, weights, chunk.to_vec());
                if !keep {
                    pass.blocks.clear();
                }
                pass
            })
            .collect();
        Encoded { places, passes }
    }

    /// The pass that one of these strings is in, and its row there.
    pub fn place(&self, text: &Arc<[u8]>) -> (usize, usize) {
        let place = self.places[text];
        (place / TEXTS_A_TASK, place % TEXTS_A_TASK)
    }

    /// The encoding of one of these strings.
    pub fn of(&self, text: &Arc<[u8]>) -> &[f32] {
        let (pass, place) = self.place(text);
        row(&self.passes[pass].out, place)
    }
}

/// A row of a matrix.
#[inline]
pub fn row(matrix: &Array2<f32>, row: usize) -> &[f32] {
    let width = matrix.ncols();
    &flat(matrix)[row * width..(row + 1) * width]
}

/// Squared distances of pairs, in order.
pub fn distances(config: &GmnConfig, layout: &Layout, weights: &[f32], pairs: &[Prepared]) -> Vec<f32> {
    let states = join_states(layout, weights);
    let network = Network::new(config, layout, weights, &states);
    let encoded = Encoded::new(layout, weights, pairs.iter(), false);
    let distance = |pair: &Prepared| network.forward(pair, |i| encoded.of(&pair.texts[i]), false).squared;
    pairs.par_iter().map(distance).collect()
}
