//! Pairs of a batch as one disjoint union of graphs: lists of indices, ready to become tensors.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::{config::GmnConfig, prepare::Prepared};

/// Added to the attention of places where there is no node: nothing is left of it after the softmax,
/// and it is a number in 16 bits too.
const NO_ATTENTION: f32 = -3e4;

/// Index lists of a batch.
pub(super) struct Batch {
    pub(super) pairs: usize,
    pub(super) nodes: usize,
    pub(super) edges: usize,
    pub(super) texts: usize,
    pub(super) text_length: usize,
    pub(super) most_left: usize,
    pub(super) most_right: usize,
    pub(super) words: Vec<i32>,
    pub(super) tags: Vec<i32>,
    pub(super) text_of: Vec<i32>,
    pub(super) chars: Vec<i32>,
    pub(super) char_mask: Vec<f32>,
    pub(super) text_scale: Vec<f32>,
    pub(super) targets: Vec<i32>,
    pub(super) sources: Vec<i32>,
    pub(super) kinds: Vec<i32>,
    pub(super) inverse_degree: Vec<f32>,
    pub(super) positions: Vec<f32>,
    /// Node of each padded place, `nodes` where there is none.
    pub(super) left_places: Vec<i32>,
    pub(super) right_places: Vec<i32>,
    pub(super) left_mask: Vec<f32>,
    pub(super) right_mask: Vec<f32>,
    /// Padded place of each node: left places, then right places.
    pub(super) place_of: Vec<i32>,
    /// Graph of each node: pair i has graphs 2i and 2i + 1.
    pub(super) graph_of: Vec<i32>,
    /// Relations of left places with right ones, 0 where there is no node; empty where they are not used.
    pub(super) relations: Vec<i32>,
}

impl Batch {
    pub(super) fn new(pairs: &[&Prepared], config: &GmnConfig) -> Batch {
        let mut batch = Batch::empty(pairs);
        let rows = batch.add_texts(pairs);
        let mut base = 0;
        for (i, pair) in pairs.iter().enumerate() {
            batch.add_nodes(i, pair, &rows, base);
            if config.use_positions {
                batch.positions.extend_from_slice(&pair.positions);
            }
            if config.use_relations {
                batch.add_relations(pair);
            }
            base += pair.nodes();
        }
        batch.edges = batch.targets.len();
        batch
    }

    /// The sizes of a batch, and places for its attention with no node in them yet.
    fn empty(pairs: &[&Prepared]) -> Batch {
        let most_left = pairs.iter().map(|p| p.left).max().unwrap_or(1);
        let most_right = pairs.iter().map(|p| p.right).max().unwrap_or(1);
        let nodes: usize = pairs.iter().map(|p| p.nodes()).sum();
        Batch {
            pairs: pairs.len(),
            nodes,
            edges: 0,
            texts: 0,
            text_length: 1,
            most_left,
            most_right,
            words: Vec::with_capacity(nodes),
            tags: Vec::with_capacity(nodes),
            text_of: Vec::with_capacity(nodes),
            chars: Vec::new(),
            char_mask: Vec::new(),
            text_scale: Vec::new(),
            targets: Vec::new(),
            sources: Vec::new(),
            kinds: Vec::new(),
            inverse_degree: Vec::with_capacity(nodes),
            positions: Vec::new(),
            left_places: vec![nodes as i32; pairs.len() * most_left],
            right_places: vec![nodes as i32; pairs.len() * most_right],
            left_mask: vec![NO_ATTENTION; pairs.len() * most_left],
            right_mask: vec![NO_ATTENTION; pairs.len() * most_right],
            place_of: Vec::with_capacity(nodes),
            graph_of: Vec::with_capacity(nodes),
            relations: Vec::new(),
        }
    }

    /// The relations of the next pair.
    fn add_relations(&mut self, pair: &Prepared) {
        let start = self.relations.len();
        self.relations.resize(start + self.most_left * self.most_right, 0);
        let rows = self.relations[start..].chunks_exact_mut(self.most_right);
        for (row, codes) in rows.zip(pair.relations().chunks_exact(pair.right.max(1))) {
            for (place, &code) in row.iter_mut().zip(codes) {
                *place = i32::from(code);
            }
        }
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
        for text in &texts {
            for i in 0..self.text_length {
                self.chars.push(text.get(i).map_or(0, |&c| i32::from(c)));
                self.char_mask.push(if i < text.len() { 1.0 } else { 0.0 });
            }
            self.text_scale.push(1.0 / text.len().max(1) as f32);
        }
        rows
    }

    /// The nodes and edges of pair `i`, of which `base` nodes come before. A node without a string has the row after
    /// the last.
    fn add_nodes(&mut self, i: usize, pair: &Prepared, rows: &BTreeMap<Arc<[u8]>, i32>, base: usize) {
        self.words.extend(pair.words.iter().map(|&w| w as i32));
        self.tags.extend(pair.tags.iter().map(|&t| t as i32));
        let none = self.texts as i32;
        self.text_of.extend(pair.text_of.iter().map(|text| {
            let text = text.and_then(|t| pair.texts.get(t as usize));
            text.and_then(|t| rows.get(t)).copied().unwrap_or(none)
        }));
        for node in 0..pair.nodes() {
            let edges = self.targets.len();
            for (source, kind) in pair.incoming(node) {
                self.targets.push((base + node) as i32);
                self.sources.push((base + source) as i32);
                self.kinds.push(kind as i32);
            }
            let degree = self.targets.len() - edges;
            self.inverse_degree.push(1.0 / degree.max(1) as f32);
            let (places, mask, place, offset) = if node < pair.left {
                let place = i * self.most_left + node;
                (&mut self.left_places, &mut self.left_mask, place, 0)
            } else {
                let place = i * self.most_right + node - pair.left;
                let offset = self.pairs * self.most_left;
                (&mut self.right_places, &mut self.right_mask, place, offset)
            };
            places[place] = (base + node) as i32;
            mask[place] = 0.0;
            self.place_of.push((offset + place) as i32);
            self.graph_of.push((2 * i + usize::from(node >= pair.left)) as i32);
        }
    }
}
