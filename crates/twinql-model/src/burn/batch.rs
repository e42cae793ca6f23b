//! Pairs of a batch, each padded to the size of the largest: lists of codes and places, ready to become tensors.
//!
//! Every pair has `left` places for the nodes of its left graph, then `right` places for those of the other; so many edges,
//! and so many strings. What is padded has [`NONE`] for a code, which is no row of any table.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::{config::GmnConfig, prepare::Prepared};

/// Added to the attention of places where there is no node: nothing is left of it after the softmax,
/// and it is a number in 16 bits too.
const NO_ATTENTION: f32 = -3e4;
/// The code of what is not there.
pub(super) const NONE: i32 = -1;
/// Sizes are multiples of this: a device compiles and tunes its kernels anew for many a size.
const GRAIN: usize = 16;

/// Lists of a batch, padded.
#[derive(Debug, Default)]
pub(super) struct Batch {
    pub(super) pairs: usize,
    /// Places of each left graph.
    pub(super) left: usize,
    /// Places of each right graph.
    pub(super) right: usize,
    /// Edges of each pair.
    pub(super) edges: usize,
    /// Strings of each pair.
    pub(super) own_texts: usize,
    /// Distinct strings of the batch.
    pub(super) texts: usize,
    pub(super) text_length: usize,
    /// pairs × places.
    pub(super) words: Vec<i32>,
    /// pairs × places; empty where no facts are read.
    pub(super) tags: Vec<i32>,
    /// pairs × places: which of the pair's strings.
    pub(super) text_of: Vec<i32>,
    /// pairs × places × walk steps; empty where they are not read.
    pub(super) positions: Vec<f32>,
    /// pairs × places: 1 where there is a node.
    pub(super) is_node: Vec<f32>,
    /// pairs × places.
    pub(super) inverse_degree: Vec<f32>,
    /// pairs × places of a side: 0 where there is a node.
    pub(super) left_mask: Vec<f32>,
    pub(super) right_mask: Vec<f32>,
    /// pairs × edges: places and kinds.
    pub(super) targets: Vec<i32>,
    pub(super) sources: Vec<i32>,
    pub(super) kinds: Vec<i32>,
    /// pairs × strings of a pair: which of the batch's.
    pub(super) pair_texts: Vec<i32>,
    /// texts × characters.
    pub(super) chars: Vec<i32>,
    pub(super) char_mask: Vec<f32>,
    pub(super) text_scale: Vec<f32>,
    /// pairs × left × right; empty where relations are not read.
    pub(super) relations: Vec<i32>,
}

/// The largest of a size over all pairs, to the next grain.
fn most(pairs: &[&Prepared], size: impl Fn(&Prepared) -> usize) -> usize {
    pairs.iter().map(|pair| size(pair)).max().unwrap_or(0).max(1).next_multiple_of(GRAIN)
}

/// A list that is to be so long, padded.
fn pad<T: Copy>(list: &mut Vec<T>, length: usize, with: T) {
    debug_assert!(list.len() <= length, "{} of {length} places", list.len());
    list.resize(length, with);
}

impl Batch {
    pub(super) fn new(pairs: &[&Prepared], config: &GmnConfig) -> Batch {
        let mut batch = Batch {
            pairs: pairs.len(),
            left: most(pairs, |p| p.left),
            right: most(pairs, |p| p.right),
            edges: most(pairs, |p| p.sources.len()),
            own_texts: most(pairs, |p| p.texts.len()),
            ..Batch::default()
        };
        let rows = batch.add_texts(pairs);
        for (done, pair) in pairs.iter().enumerate() {
            batch.add_side(pair, 0..pair.left, done * batch.places() + batch.left, config);
            batch.add_side(pair, pair.left..pair.nodes(), (done + 1) * batch.places(), config);
            batch.add_edges(pair, (done + 1) * batch.edges);
            batch.pair_texts.extend(pair.texts.iter().filter_map(|text| rows.get(text)));
            pad(&mut batch.pair_texts, (done + 1) * batch.own_texts, NONE);
            if config.use_relations {
                batch.add_relations(pair);
            }
        }
        let mask = |nodes: &f32| if *nodes > 0.0 { 0.0 } else { NO_ATTENTION };
        for places in batch.is_node.chunks_exact(batch.left + batch.right) {
            let (left, right) = places.split_at(batch.left);
            batch.left_mask.extend(left.iter().map(mask));
            batch.right_mask.extend(right.iter().map(mask));
        }
        batch
    }

    /// Places of each pair.
    pub(super) fn places(&self) -> usize {
        self.left + self.right
    }

    /// The distinct strings, padded to one length. Gives the row of each.
    fn add_texts(&mut self, pairs: &[&Prepared]) -> BTreeMap<Arc<[u8]>, i32> {
        let mut rows: BTreeMap<Arc<[u8]>, i32> = BTreeMap::new();
        let mut texts: Vec<Arc<[u8]>> = Vec::new();
        for text in pairs.iter().flat_map(|p| &p.texts) {
            rows.entry(text.clone()).or_insert_with(|| {
                texts.push(text.clone());
                texts.len() as i32 - 1
            });
        }
        self.texts = texts.len();
        self.text_length = texts.iter().map(|t| t.len()).max().unwrap_or(0).max(1);
        for (done, text) in texts.iter().enumerate() {
            self.chars.extend(text.iter().map(|&c| i32::from(c)));
            pad(&mut self.chars, (done + 1) * self.text_length, NONE);
            self.char_mask.extend(text.iter().map(|_| 1.0));
            pad(&mut self.char_mask, (done + 1) * self.text_length, 0.0);
            self.text_scale.push(1.0 / text.len().max(1) as f32);
        }
        rows
    }

    /// The nodes of one graph of a pair; with them `end` places are filled.
    fn add_side(&mut self, pair: &Prepared, nodes: std::ops::Range<usize>, end: usize, config: &GmnConfig) {
        self.words.extend(pair.words[nodes.clone()].iter().map(|&w| w as i32));
        pad(&mut self.words, end, NONE);
        if !pair.tags.is_empty() {
            self.tags.extend(pair.tags[nodes.clone()].iter().map(|&t| t as i32));
            pad(&mut self.tags, end, NONE);
        }
        self.text_of.extend(pair.text_of[nodes.clone()].iter().map(|text| text.map_or(NONE, |t| t as i32)));
        pad(&mut self.text_of, end, NONE);
        if config.use_positions {
            let k = config.walk_steps;
            self.positions.extend_from_slice(&pair.positions[nodes.start * k..nodes.end * k]);
            pad(&mut self.positions, end * k, 0.0);
        }
        let degree = |node: usize| (pair.starts[node + 1] - pair.starts[node]).max(1);
        self.inverse_degree.extend(nodes.clone().map(|node| 1.0 / degree(node) as f32));
        pad(&mut self.inverse_degree, end, 0.0);
        self.is_node.extend(nodes.map(|_| 1.0));
        pad(&mut self.is_node, end, 0.0);
    }

    /// The edges of a pair; with them `end` are there.
    fn add_edges(&mut self, pair: &Prepared, end: usize) {
        let place = |node: usize| if node < pair.left { node } else { self.left + node - pair.left } as i32;
        for node in 0..pair.nodes() {
            for (source, kind) in pair.incoming(node) {
                self.targets.push(place(node));
                self.sources.push(place(source));
                self.kinds.push(kind as i32);
            }
        }
        for list in [&mut self.targets, &mut self.sources, &mut self.kinds] {
            pad(list, end, NONE);
        }
    }

    /// The relations of the next pair.
    fn add_relations(&mut self, pair: &Prepared) {
        let start = self.relations.len();
        self.relations.resize(start + self.left * self.right, NONE);
        let rows = self.relations[start..].chunks_exact_mut(self.right);
        for (row, codes) in rows.zip(pair.relations().chunks_exact(pair.right.max(1))) {
            for (place, &code) in row.iter_mut().zip(codes) {
                *place = i32::from(code);
            }
        }
    }
}
