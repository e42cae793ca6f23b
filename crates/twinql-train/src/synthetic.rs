//! Random graphs for tests and measurements. `tests/parity.rs` includes this file too, so that it takes what it needs of
//! the crate from the module around it.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use twinql_graph::{GraphArrays, PairArrays};

use twinql_gmn::GmnConfig;

use super::Example;

/// The number of words used; word 2k and word 2k + 1 mean the same.
pub(crate) const WORDS: u16 = 20;

pub(crate) fn small_config() -> GmnConfig {
    GmnConfig {
        words: usize::from(WORDS) + 2,
        tags: 4,
        node_dim: 16,
        message_dim: 16,
        graph_dim: 16,
        position_dim: 8,
        walk_steps: 4,
        propagation_steps: 3,
        char_channels: 8,
        char_blocks: 1,
        ..GmnConfig::default()
    }
}

fn below(rng: &mut ChaCha8Rng, n: usize) -> usize {
    (rng.next_u64() % n.max(1) as u64) as usize
}

/// A random tree with some flow edges; every third leaf carries a string.
pub(crate) fn graph(seed: u64, nodes: usize) -> GraphArrays {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let rng = &mut rng;
    let mut graph = GraphArrays::default();
    for node in 0..nodes {
        let content = node % 5 < 2 && node > 0;
        graph.words.push(if content { WORDS } else { below(rng, usize::from(WORDS)) as u16 });
        graph.tags.push(below(rng, 4) as u16);
        graph.contents.push(content.then(|| {
            let string = format!("table_{}.column{}", below(rng, 4), below(rng, 12));
            let known = graph.strings.iter().position(|s| *s == string);
            known.unwrap_or_else(|| {
                graph.strings.push(string);
                graph.strings.len() - 1
            }) as u32
        }));
        if node > 0 {
            graph.edges.push((below(rng, node) as u32, node as u32, 0));
        }
        if node > 1 && node % 5 == 0 {
            graph.edges.push((below(rng, node) as u32, node as u32, 1 + (node % 2) as u8));
        }
    }
    graph
}

/// Views stand-in: a node's word, its word and string, and its place.
fn views(graph: &GraphArrays) -> Vec<[u32; 3]> {
    let content = |node: usize| graph.contents[node].map_or(99, |string| string % 5);
    let word = |node: usize| u32::from(graph.words[node]);
    (0..graph.words.len())
        .map(|node| [word(node) * 100 + content(node), word(node) / 4, node as u32])
        .collect()
}

/// Return probabilities stand-in: smooth numbers that depend on words and degrees alone.
fn positions(graph: &GraphArrays, steps: usize) -> Vec<f32> {
    let mut degree = vec![0.0f32; graph.words.len()];
    for &(a, b, _) in &graph.edges {
        degree[a as usize] += 1.0;
        degree[b as usize] += 1.0;
    }
    degree.iter().flat_map(|d| (0..steps).map(move |k| 1.0 / (1.0 + d * (k + 1) as f32))).collect()
}

pub(crate) fn pair(mut left: GraphArrays, mut right: GraphArrays, steps: usize) -> PairArrays {
    left.views = views(&left);
    right.views = views(&right);
    let (left_words, right_words) = (left.words.len(), right.words.len());
    PairArrays {
        left_agreement: vec![0; left_words],
        right_agreement: vec![0; right_words],
        left_positions: positions(&left, steps),
        right_positions: positions(&right, steps),
        left,
        right,
        steps,
        identical: false,
        widths_differ: false,
    }
}

/// Positive: the same tree with two words replaced by their synonyms. Negative: with two words
/// replaced by words of another meaning.
pub(crate) fn example(seed: u64, nodes: usize, steps: usize) -> Example {
    let label = seed.is_multiple_of(2);
    let mut rng = ChaCha8Rng::seed_from_u64(seed ^ 0x5eed);
    let left = graph(seed, nodes);
    let mut right = left.clone();
    let places: Vec<usize> = (0..nodes).filter(|&n| right.words[n] < WORDS).collect();
    for _ in 0..2 {
        let word = &mut right.words[places[below(&mut rng, places.len())]];
        *word = if label {
            *word ^ 1
        } else {
            (*word + 2 + below(&mut rng, usize::from(WORDS) - 4) as u16) % WORDS
        };
    }
    Example::new(pair(left, right, steps), label)
}

pub(crate) fn examples(from: u64, count: u64, nodes: usize, steps: usize) -> Vec<Example> {
    (from..from + count).map(|seed| example(seed, nodes + (seed % 7) as usize, steps)).collect()
}
