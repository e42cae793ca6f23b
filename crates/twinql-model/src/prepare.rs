//! A pair checked and laid out for the network: both graphs' nodes in one list.

use std::sync::Arc;

use twinql_graph::{PairArrays, agree::CODES};

use crate::{config::GmnConfig, error::ModelError, text, weights::EDGE_KINDS};

/// Most nodes on one side; attention costs the product of both sides.
pub(crate) const MAX_NODES: usize = 4_096;
/// Most edges on one side.
const MAX_EDGES: usize = 65_536;

/// A pair ready for the network. Rows are nodes: the left graph's, then the right graph's.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Prepared {
    pub(crate) left: usize,
    pub(crate) right: usize,
    pub(crate) words: Vec<u32>,
    /// Rows of the table of facts: tag and agreement code; empty where neither is used.
    pub(crate) tags: Vec<u32>,
    /// For each node its string in `texts`.
    pub(crate) text_of: Vec<Option<u32>>,
    /// Distinct strings as character classes.
    pub(crate) texts: Vec<Arc<[u8]>>,
    /// Incoming edges of node v are `starts[v]..starts[v + 1]` of `sources` and `kinds`.
    pub(crate) starts: Vec<u32>,
    pub(crate) sources: Vec<u32>,
    pub(crate) kinds: Vec<u8>,
    /// Random-walk encodings, nodes × K.
    pub(crate) positions: Vec<f32>,
    pub(crate) identical: bool,
}

impl Prepared {
    pub(crate) fn new(pair: &PairArrays, config: &GmnConfig) -> Result<Prepared, ModelError> {
        let (left, right) = (pair.left.words.len(), pair.right.words.len());
        if config.use_positions && pair.steps != config.walk_steps {
            return Err(ModelError::Input(format!(
                "encodings have {} walk steps, the network reads {}",
                pair.steps, config.walk_steps
            )));
        }
        let mut words = Vec::with_capacity(left + right);
        let mut tags = Vec::with_capacity(left + right);
        let mut text_of = Vec::with_capacity(left + right);
        let mut texts: Vec<Arc<[u8]>> = Vec::new();
        let mut directed: Vec<(u32, u32, u8)> = Vec::new();
        let mut positions = Vec::new();
        let sides = [
            ("left", &pair.left, &pair.left_positions, &pair.left_agreement, 0),
            (
                "right",
                &pair.right,
                &pair.right_positions,
                &pair.right_agreement,
                left,
            ),
        ];
        for (side, graph, encodings, agreement, base) in sides {
            let nodes = graph.words.len();
            let fail = |reason: String| Err(ModelError::Input(format!("{side} graph: {reason}")));
            if nodes == 0 {
                return fail("it has no nodes".into());
            }
            if nodes > MAX_NODES || graph.edges.len() > MAX_EDGES {
                return fail(format!(
                    "{nodes} nodes and {} edges exceed the limits of {MAX_NODES} and {MAX_EDGES}",
                    graph.edges.len()
                ));
            }
            if graph.contents.len() != nodes || (config.use_tags && graph.tags.len() != nodes) {
                return fail("its lists differ in length".into());
            }
            if let Some(word) = graph.words.iter().find(|&&w| usize::from(w) >= config.words) {
                return fail(format!("word {word} is not in the vocabulary"));
            }
            words.extend(graph.words.iter().map(|&w| u32::from(w)));
            if config.use_tags
                && let Some(tag) = graph.tags.iter().find(|&&t| usize::from(t) >= config.tags)
            {
                return fail(format!("tag {tag} is not in the vocabulary"));
            }
            let unknown = |&code: &u16| usize::from(code) >= CODES;
            if config.use_agreement && (agreement.len() != nodes || agreement.iter().any(unknown)) {
                return fail("its agreement codes do not fit its nodes".into());
            }
            if config.fact_rows().is_some() {
                tags.extend((0..nodes).map(|node| {
                    let tag = if config.use_tags {
                        graph.tags.get(node)
                    } else {
                        None
                    };
                    let code = if config.use_agreement {
                        agreement.get(node)
                    } else {
                        None
                    };
                    let codes = if config.use_agreement { CODES as u32 } else { 1 };
                    tag.map_or(0, |&t| u32::from(t)) * codes + code.map_or(0, |&c| u32::from(c))
                }));
            }
            let mut local = Vec::with_capacity(graph.strings.len());
            for string in &graph.strings {
                let codes = text::classes(string, config.string_length);
                let known = texts.iter().position(|t| **t == *codes);
                local.push(known.unwrap_or_else(|| {
                    texts.push(codes.into());
                    texts.len() - 1
                }) as u32);
            }
            for content in &graph.contents {
                text_of.push(match content {
                    None => None,
                    Some(index) => match local.get(*index as usize) {
                        Some(text) => Some(*text),
                        None => return fail(format!("string {index} does not exist")),
                    },
                });
            }
            for &(from, to, kind) in &graph.edges {
                if from as usize >= nodes || to as usize >= nodes || kind > 2 {
                    return fail(format!("edge ({from}, {to}, {kind}) is out of range"));
                }
                let (from, to) = (from + base as u32, to + base as u32);
                directed.push((to, from, kind));
                directed.push((from, to, kind + (EDGE_KINDS / 2) as u8));
            }
            if config.use_positions {
                if encodings.len() != nodes * config.walk_steps {
                    return fail("its encodings do not fit its nodes".into());
                }
                if encodings.iter().any(|p| !p.is_finite()) {
                    return fail("its encodings are not finite".into());
                }
                positions.extend_from_slice(encodings);
            }
        }
        // Sorted by target and source, so that a node's sum does not depend on the order in
        // which edges were listed.
        directed.sort_unstable();
        let mut starts = vec![0u32; left + right + 1];
        for &(target, _, _) in &directed {
            if let Some(count) = starts.get_mut(target as usize + 1) {
                *count += 1;
            }
        }
        let mut sum = 0;
        for start in &mut starts {
            sum += *start;
            *start = sum;
        }
        Ok(Prepared {
            left,
            right,
            words,
            tags,
            text_of,
            texts,
            starts,
            sources: directed.iter().map(|e| e.1).collect(),
            kinds: directed.iter().map(|e| e.2).collect(),
            positions,
            identical: pair.identical,
        })
    }

    pub(crate) fn nodes(&self) -> usize {
        self.left + self.right
    }

    /// Incoming edges of a node: sources and kinds.
    pub(crate) fn incoming(&self, node: usize) -> impl Iterator<Item = (usize, usize)> {
        let start = self.starts.get(node).copied().unwrap_or(0) as usize;
        let end = self.starts.get(node + 1).copied().unwrap_or(0) as usize;
        let sources = self.sources.get(start..end).unwrap_or_default();
        let kinds = self.kinds.get(start..end).unwrap_or_default();
        sources
            .iter()
            .zip(kinds)
            .map(|(&s, &k)| (s as usize, usize::from(k)))
    }
}
