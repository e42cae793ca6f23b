//! Graphs as plain arrays: what the network reads.

use std::collections::HashMap;

use crate::agree::{Views, agreement};
use crate::encode::{EncodingConfig, encode_pair};
use crate::graph::QueryGraph;

/// One query graph, flattened. Node 0 is the root (`Rels` in the paper).
#[derive(Debug, Clone, PartialEq, Default)]
pub struct GraphArrays {
    /// For each node its word in the vocabulary: the operator of a computing node, or the
    /// kind of a content node (a table, a column, a string, a number).
    pub words: Vec<u16>,
    /// For each node its tag in the tag vocabulary: schema facts of the node (a column's
    /// type, key and nullability; a literal's storage class; `none`, which is 0, elsewhere).
    pub tags: Vec<u16>,
    /// For each node the string of a content node, as an index into `strings`; `None` for
    /// computing nodes.
    pub contents: Vec<Option<u32>>,
    /// The distinct strings of this graph.
    pub strings: Vec<String>,
    /// Directed edges: source node, target node, kind (0 tree, 1 logic flow, 2 data flow).
    /// The network passes messages along both directions.
    pub edges: Vec<(u32, u32, u8)>,
    /// For each node hashes of its label, of its subtree, and of its label below its chain of words
    /// from the root: two nodes of whatever graphs are alike in what their hashes are equal.
    pub views: Vec<[u32; 3]>,
}

/// Two graphs with the positional encodings of their nodes, computed on the merged graph
/// (or separately, by configuration).
#[derive(Debug, Clone, PartialEq)]
pub struct PairArrays {
    /// The gold query's graph.
    pub left: GraphArrays,
    /// The predicted query's graph.
    pub right: GraphArrays,
    /// Random-walk encodings of the left nodes: row-major, `left.words.len() × steps`.
    pub left_positions: Vec<f32>,
    /// Random-walk encodings of the right nodes: row-major, `right.words.len() × steps`.
    pub right_positions: Vec<f32>,
    /// For each left node what it finds again on the right: a code below
    /// [`agree::CODES`](crate::agree::CODES).
    pub left_agreement: Vec<u16>,
    /// The same for the right nodes.
    pub right_agreement: Vec<u16>,
    /// K, the number of walk steps.
    pub steps: usize,
    /// The canonical forms of the two queries are equal.
    pub identical: bool,
    /// The answers have different numbers of columns.
    pub widths_differ: bool,
}

impl GraphArrays {
    /// Flattens a graph; each distinct string is stored once.
    pub fn new(graph: &QueryGraph) -> GraphArrays {
        GraphArrays::with_views(graph, &Views::new(graph))
    }

    fn with_views(graph: &QueryGraph, views: &Views) -> GraphArrays {
        let mut arrays = GraphArrays { views: views.short(), ..GraphArrays::default() };
        let mut known: HashMap<&str, u32> = HashMap::new();
        for node in graph.graph().node_weights() {
            arrays.words.push(node.word.index());
            arrays.tags.push(node.tag.index());
            let content = node.content.as_deref().map(|text| {
                *known.entry(text).or_insert_with(|| {
                    arrays.strings.push(text.to_owned());
                    arrays.strings.len() as u32 - 1
                })
            });
            arrays.contents.push(content);
        }
        for edge in graph.graph().raw_edges() {
            let (from, to) = (edge.source().index() as u32, edge.target().index() as u32);
            arrays.edges.push((from, to, edge.weight as u8));
        }
        arrays
    }
}

impl PairArrays {
    /// Both graphs with their encodings. Never fails; the cost is linear in nodes and edges
    /// but for the walks, which cost nodes × edges × steps.
    pub fn build(left: &QueryGraph, right: &QueryGraph, config: &EncodingConfig) -> PairArrays {
        let (left_positions, right_positions) = encode_pair(left, right, config);
        let (left_views, right_views) = (Views::new(left), Views::new(right));
        let (left_agreement, right_agreement) = agreement(&left_views, &right_views);
        PairArrays {
            left: GraphArrays::with_views(left, &left_views),
            right: GraphArrays::with_views(right, &right_views),
            left_positions,
            right_positions,
            left_agreement,
            right_agreement,
            steps: config.steps,
            identical: left.fingerprint() == right.fingerprint(),
            widths_differ: left.widths_apart(right).is_some(),
        }
    }
}
