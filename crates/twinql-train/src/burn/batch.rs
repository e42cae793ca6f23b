//! Pairs of a batch as tensors on a device, each padded to the size of the largest.
//!
//! Every pair has `left` places for the nodes of its left graph, then `right` places for those of the other. A place where
//! there is no node has code 0: nothing attends to it, no edge ends there and it is not read out, so that its state does
//! not matter. Where the device [gathers](Place::gathers), edges are one list of the whole batch; elsewhere each pair has as
//! many, and those that are padding end at [`NONE`].

use burn::tensor::{Int, Tensor};
use twinql_gmn::{config::GmnConfig, pass::batch::Texts, prepare::Prepared};

use super::device::Place;

/// Added to the attention of places where there is no node: nothing is left of it after the softmax,
/// and it is a number in 16 bits too.
const NO_ATTENTION: f32 = -3e4;
/// The place of what is not there.
const NONE: i32 = -1;
/// On GPUs sizes are multiples of this: a device compiles and tunes its kernels again for many a size.
const GRAIN: usize = 16;

/// A batch on a device.
#[derive(Debug)]
pub(super) struct Batch {
    pub(super) pairs: usize,
    /// Places of each left graph.
    pub(super) left: usize,
    /// Places of each right graph.
    pub(super) right: usize,
    /// Distinct strings.
    pub(super) texts: usize,
    pub(super) text_length: usize,
    /// pairs × places.
    pub(super) words: Tensor<1, Int>,
    /// pairs × places; none where no facts are read.
    pub(super) tags: Option<Tensor<1, Int>>,
    /// pairs × places: which of the strings, and one beyond them where there is none.
    pub(super) text_of: Tensor<1, Int>,
    /// pairs × places × walk steps; none where they are not read.
    pub(super) positions: Option<Tensor<3>>,
    /// pairs × places × 1: 1 where there is a node.
    pub(super) is_node: Tensor<3>,
    /// pairs × places × 1.
    pub(super) inverse_degree: Tensor<3>,
    /// pairs × left × 1 and pairs × 1 × right: 0 where there is a node.
    pub(super) left_mask: Tensor<3>,
    pub(super) right_mask: Tensor<3>,
    pub(super) edges: Edges,
    /// texts × characters.
    pub(super) chars: Tensor<1, Int>,
    /// texts × characters × 1: 1 where there is one.
    pub(super) char_mask: Tensor<3>,
    /// texts × 1.
    pub(super) text_scale: Tensor<2>,
    /// pairs × left × right; none where relations are not read.
    pub(super) relations: Option<Tensor<1, Int>>,
}

/// Directed edges.
#[derive(Debug)]
pub(super) struct Edges {
    pub(super) kinds: Tensor<1, Int>,
    pub(super) ends: Ends,
}

/// Where edges lie.
#[derive(Debug)]
pub(super) enum Ends {
    /// Places in the list of all nodes of the batch.
    Listed { targets: Tensor<1, Int>, sources: Tensor<1, Int> },
    /// For each pair, edges × places: 1 where one ends or starts. Sums over edges are then products.
    Marked { targets: Tensor<3>, sources: Tensor<3> },
}

/// The sizes that pairs are padded to.
#[derive(Clone, Copy)]
struct Sizes {
    left: usize,
    right: usize,
}

impl Sizes {
    fn places(self) -> usize {
        self.left + self.right
    }

    /// Puts a list with an entry for each node of a pair into that of all places.
    fn put<T: Copy>(self, pair: &Prepared, width: usize, from: &[T], to: &mut [T]) {
        let (left, right) = from.split_at(pair.left * width);
        to[..left.len()].copy_from_slice(left);
        let start = self.left * width;
        to[start..start + right.len()].copy_from_slice(right);
    }

    /// Entries of all pairs, `width` for each place.
    fn all<T: Copy>(
        self,
        pairs: &[&Prepared],
        width: usize,
        rest: T,
        of: impl Fn(&Prepared) -> Vec<T>,
    ) -> Vec<T> {
        let mut all = vec![rest; pairs.len() * self.places() * width];
        for (pair, to) in pairs.iter().zip(all.chunks_exact_mut(self.places() * width)) {
            self.put(pair, width, &of(pair), to);
        }
        all
    }

    /// The edges of a pair: the places where each ends and starts among those of the pair, and its kind.
    fn edges(self, pair: &Prepared) -> impl Iterator<Item = [i32; 3]> {
        (0..pair.nodes()).flat_map(move |node| {
            pair.incoming(node)
                .map(move |(source, kind)| [self.place(pair, node), self.place(pair, source), kind as i32])
        })
    }

    /// The place of a node among those of its pair.
    fn place(self, pair: &Prepared, node: usize) -> i32 {
        if node < pair.left { node as i32 } else { (self.left + node - pair.left) as i32 }
    }
}

impl Batch {
    pub(super) fn new(pairs: &[&Prepared], config: &GmnConfig, place: &Place) -> Batch {
        let grain = if place.gathers() { 1 } else { GRAIN };
        let most = |size: fn(&Prepared) -> usize| {
            pairs.iter().map(|pair| size(pair)).max().unwrap_or(0).max(1).next_multiple_of(grain)
        };
        let sizes = Sizes { left: most(|p| p.left), right: most(|p| p.right) };
        let (b, n) = (pairs.len(), sizes.places());
        let codes = |codes: &[u32]| codes.iter().map(|&code| code as i32).collect();
        let column = |list: Vec<f32>| place.list(list, [b, n, 1]);
        let is_node = sizes.all(pairs, 1, 0.0, |pair| vec![1.0; pair.nodes()]);
        let mask = |part: std::ops::Range<usize>| -> Vec<f32> {
            let places = is_node.chunks_exact(n).flat_map(|places| &places[part.clone()]);
            places.map(|&node| if node > 0.0 { 0.0 } else { NO_ATTENTION }).collect()
        };
        let inverse_degree = |pair: &Prepared| {
            let degrees = pair.starts.windows(2).map(|ends| 1.0 / (ends[1] - ends[0]).max(1) as f32);
            degrees.collect()
        };
        let texts = Texts::of(pairs.iter().copied());
        let text_of = |pair: &Prepared| {
            let place = |text: &Option<u32>| {
                text.map_or(texts.list.len(), |text| texts.places[&pair.texts[text as usize]])
            };
            pair.text_of.iter().map(|text| place(text) as i32).collect()
        };
        let k = config.walk_steps;
        Batch {
            pairs: b,
            left: sizes.left,
            right: sizes.right,
            texts: texts.list.len(),
            text_length: longest(&texts),
            words: place.indices(&sizes.all(pairs, 1, 0, |pair| codes(&pair.words))),
            tags: config
                .fact_rows()
                .map(|_| place.indices(&sizes.all(pairs, 1, 0, |pair| codes(&pair.tags)))),
            text_of: place.indices(&sizes.all(pairs, 1, texts.list.len() as i32, text_of)),
            positions: config
                .use_positions
                .then(|| place.list(sizes.all(pairs, k, 0.0, |pair| pair.positions.clone()), [b, n, k])),
            left_mask: place.list(mask(0..sizes.left), [b, sizes.left, 1]),
            right_mask: place.list(mask(sizes.left..n), [b, 1, sizes.right]),
            inverse_degree: column(sizes.all(pairs, 1, 0.0, inverse_degree)),
            is_node: column(is_node),
            edges: if place.gathers() {
                Edges::listed(pairs, sizes, place)
            } else {
                Edges::marked(pairs, sizes, most(|p| p.sources.len()), place)
            },
            chars: place.indices(&padded(&texts, 0, i32::from)),
            char_mask: place.list(padded(&texts, 0.0, |_| 1.0), [texts.list.len(), longest(&texts), 1]),
            text_scale: {
                let scales = texts.list.iter().map(|text| 1.0 / text.len().max(1) as f32);
                place.list(scales.collect(), [texts.list.len(), 1])
            },
            relations: config.use_relations.then(|| place.indices(&relations(pairs, sizes))),
        }
    }

    /// Places of each pair.
    pub(super) fn places(&self) -> usize {
        self.left + self.right
    }
}

impl Edges {
    fn listed(pairs: &[&Prepared], sizes: Sizes, place: &Place) -> Edges {
        let (mut kinds, mut targets, mut sources) = (Vec::new(), Vec::new(), Vec::new());
        for (number, pair) in pairs.iter().enumerate() {
            let first = (number * sizes.places()) as i32;
            for [target, source, kind] in sizes.edges(pair) {
                targets.push(first + target);
                sources.push(first + source);
                kinds.push(kind);
            }
        }
        let ends = Ends::Listed { targets: place.indices(&targets), sources: place.indices(&sources) };
        Edges { kinds: place.indices(&kinds), ends }
    }

    fn marked(pairs: &[&Prepared], sizes: Sizes, edges: usize, place: &Place) -> Edges {
        let (mut kinds, mut targets, mut sources) = (Vec::new(), Vec::new(), Vec::new());
        for (number, pair) in pairs.iter().enumerate() {
            for [target, source, kind] in sizes.edges(pair) {
                targets.push(target);
                sources.push(source);
                kinds.push(kind);
            }
            let end = (number + 1) * edges;
            kinds.resize(end, 0);
            targets.resize(end, NONE);
            sources.resize(end, NONE);
        }
        let marks = |list: &[i32]| place.one_hot(place.indices(list), [pairs.len(), edges], sizes.places());
        let ends = Ends::Marked { targets: marks(&targets), sources: marks(&sources) };
        Edges { kinds: place.indices(&kinds), ends }
    }
}

/// The relations of all pairs' nodes.
fn relations(pairs: &[&Prepared], sizes: Sizes) -> Vec<i32> {
    let mut all = vec![0; pairs.len() * sizes.left * sizes.right];
    for (pair, to) in pairs.iter().zip(all.chunks_exact_mut(sizes.left * sizes.right)) {
        let codes = pair.relations();
        for (row, codes) in to.chunks_exact_mut(sizes.right).zip(codes.chunks_exact(pair.right.max(1))) {
            for (place, &code) in row.iter_mut().zip(codes) {
                *place = i32::from(code);
            }
        }
    }
    all
}

/// The length of the longest string.
fn longest(texts: &Texts) -> usize {
    texts.list.iter().map(|text| text.len()).max().unwrap_or(0).max(1)
}

/// An entry for each character of each string, padded to one length.
fn padded<T: Copy>(texts: &Texts, rest: T, of: impl Fn(u8) -> T) -> Vec<T> {
    let length = longest(texts);
    let mut all = vec![rest; texts.list.len() * length];
    for (text, to) in texts.list.iter().zip(all.chunks_exact_mut(length)) {
        for (&code, to) in text.iter().zip(to) {
            *to = of(code);
        }
    }
    all
}
