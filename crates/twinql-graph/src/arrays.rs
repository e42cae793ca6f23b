//! Graphs as plain arrays: what the network reads.

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
    /// K, the number of walk steps.
    pub steps: usize,
    /// The canonical forms of the two queries are equal.
    pub identical: bool,
}
