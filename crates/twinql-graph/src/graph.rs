//! The heterogeneous program graph of a query.

use petgraph::Direction;
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::EdgeRef;

use crate::error::GraphError;
use crate::vocabulary::{Fnv, Tag, Word};

/// The most nodes a graph may have. Real queries have 20 to 80.
pub(crate) const MAX_NODES: usize = 2048;

/// A node: computing (an operator, no content) or content (an operand, a leaf).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Node {
    /// The operator, or the kind of content.
    pub word: Word,
    /// Schema facts, storage class or mark.
    pub tag: Tag,
    /// The string of a content node: a table, a column, a literal.
    pub content: Option<String>,
}

/// What an edge means. The numbers are those of [`GraphArrays::edges`](crate::GraphArrays::edges).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum EdgeKind {
    /// From an operator to its operand.
    Tree = 0,
    /// From an operator of a query block to the one that runs on its rows; between
    /// the branches of a CASE.
    Logic = 1,
    /// From a column's producer to its first use, and from each use to the next.
    Data = 2,
}

/// The graph of one query (FuncEvalGMN, sections 3 and 4). Node 0 is the root, and every
/// other node has one tree parent, whose index is smaller.
#[derive(Debug, Clone)]
pub struct QueryGraph {
    graph: DiGraph<Node, EdgeKind>,
    fingerprint: u64,
    width: Option<usize>,
}

impl QueryGraph {
    pub(crate) fn new(graph: DiGraph<Node, EdgeKind>, fingerprint: u64) -> QueryGraph {
        QueryGraph { graph, fingerprint, width: None }
    }

    /// The same graph, of a query whose answer has so many columns.
    pub(crate) fn of_width(self, width: Option<usize>) -> QueryGraph {
        QueryGraph { width, ..self }
    }

    /// The same nodes with tree edges alone: without logic and data flow.
    pub fn without_flows(mut self) -> QueryGraph {
        self.graph.retain_edges(|graph, edge| graph[edge] == EdgeKind::Tree);
        self
    }

    /// The graph itself.
    pub fn graph(&self) -> &DiGraph<Node, EdgeKind> {
        &self.graph
    }

    pub(crate) fn into_graph(self) -> DiGraph<Node, EdgeKind> {
        self.graph
    }

    /// A hash of the plan, equal for equal plans; stable within one build of twinql.
    pub fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    /// How many columns the answer has. A graph that is not of a plan does not know.
    pub fn width(&self) -> Option<usize> {
        self.width
    }

    /// How many columns this answer and another have, where both are known and differ.
    pub fn widths_apart(&self, other: &QueryGraph) -> Option<[usize; 2]> {
        let (own, other) = self.width.zip(other.width)?;
        (own != other).then_some([own, other])
    }

    /// The regularities that the query met, where it was asked about plausible databases by them.
    pub fn regularities(&self) -> impl Iterator<Item = &str> {
        let marks = self.graph.node_weights().filter(|node| node.tag == Tag::REGULARITY);
        marks.filter_map(|node| node.content.as_deref())
    }

    /// How many nodes there are, at least 1.
    pub fn node_count(&self) -> usize {
        self.graph.node_count()
    }

    /// How many edges of all kinds there are.
    pub fn edge_count(&self) -> usize {
        self.graph.edge_count()
    }

    /// The node at an index.
    pub fn node(&self, index: usize) -> Option<&Node> {
        self.graph.node_weight(NodeIndex::new(index))
    }

    /// For each node its children over tree edges, in the order in which they were added.
    pub fn children(&self) -> Vec<Vec<usize>> {
        self.graph
            .node_indices()
            .map(|node| {
                let mut children: Vec<usize> = self
                    .graph
                    .edges_directed(node, Direction::Outgoing)
                    .filter(|edge| *edge.weight() == EdgeKind::Tree)
                    .map(|edge| edge.target().index())
                    .collect();
                children.sort_unstable();
                children
            })
            .collect()
    }

    /// For each node a hash of its subtree: words, contents and the bag of children's
    /// hashes. Equal hashes mean RelPM 1 in both directions.
    pub fn subtree_hashes(&self) -> Vec<u64> {
        let children = self.children();
        let mut hashes = vec![0u64; self.node_count()];
        // Parents precede their children, so the reverse order is bottom-up.
        for (index, node) in self.graph.node_weights().enumerate().collect::<Vec<_>>().into_iter().rev() {
            let mut below: Vec<u64> = children[index].iter().map(|&c| hashes[c]).collect();
            below.sort_unstable();
            let mut hash = Fnv::default();
            hash.write(&node.word.index().to_le_bytes());
            if let Some(content) = &node.content {
                hash.write(content.as_bytes());
            }
            for child in below {
                hash.write(&child.to_le_bytes());
            }
            hashes[index] = hash.0;
        }
        hashes
    }
}

/// Adds nodes and edges while watching the size.
#[derive(Debug, Default)]
pub(crate) struct Builder {
    pub(crate) graph: DiGraph<Node, EdgeKind>,
}

impl Builder {
    /// Adds a node below `parent`.
    pub(crate) fn add(
        &mut self,
        parent: Option<NodeIndex>,
        word: Word,
        tag: Tag,
        content: Option<String>,
    ) -> Result<NodeIndex, GraphError> {
        if self.graph.node_count() >= MAX_NODES {
            return Err(GraphError::TooLarge { limit: MAX_NODES });
        }
        let node = self.graph.add_node(Node { word, tag, content });
        if let Some(parent) = parent {
            self.graph.add_edge(parent, node, EdgeKind::Tree);
        }
        Ok(node)
    }

    /// Adds an edge unless its ends are the same node.
    pub(crate) fn edge(&mut self, from: NodeIndex, to: NodeIndex, kind: EdgeKind) {
        if from != to {
            self.graph.add_edge(from, to, kind);
        }
    }
}
