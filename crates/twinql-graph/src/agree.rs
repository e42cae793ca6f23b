//! What each node of a pair finds again in the other graph: a code of four yes-no facts.
//!
//! The cross attention has to learn that two strings are the same from their characters;
//! that is what transfers worst to databases whose names it has never read. These facts are
//! exact and cost a few hashes, and leave the network the question that needs learning:
//! whether a part without a counterpart matters.

use crate::graph::QueryGraph;
use crate::vocabulary::Fnv;

/// The subtree of the node occurs in the other graph.
pub const SUBTREE: u16 = 1;
/// The node's label (word and content) occurs in the other graph.
pub const LABEL: u16 = 2;
/// The node's label occurs in the other graph below the same chain of words from the root.
pub const PATH: u16 = 4;
/// The node's label occurs equally often in both graphs.
pub const COUNT: u16 = 8;
/// How many codes there are: the size of an embedding table.
pub const CODES: usize = 16;

/// Hashes of one graph's nodes under the three views.
pub(crate) struct Views {
    subtrees: Vec<u64>,
    labels: Vec<u64>,
    paths: Vec<u64>,
}

impl Views {
    pub(crate) fn new(graph: &QueryGraph) -> Views {
        let nodes = graph.node_count();
        let mut labels = Vec::with_capacity(nodes);
        for node in graph.graph().node_weights() {
            let mut hash = Fnv::default();
            hash.write(&node.word.index().to_le_bytes());
            if let Some(content) = &node.content {
                hash.write(content.as_bytes());
            }
            labels.push(hash.0);
        }
        // The chain of words above each node; parents precede their children.
        let mut above = vec![Fnv::default().0; nodes];
        for (parent, children) in graph.children().into_iter().enumerate() {
            let Some(word) = graph.node(parent).map(|node| node.word.index()) else {
                continue;
            };
            for child in children {
                let mut hash = Fnv::default();
                hash.write(&above[parent].to_le_bytes());
                hash.write(&word.to_le_bytes());
                above[child] = hash.0;
            }
        }
        let paths = above
            .iter()
            .zip(&labels)
            .map(|(above, label)| {
                let mut hash = Fnv::default();
                hash.write(&above.to_le_bytes());
                hash.write(&label.to_le_bytes());
                hash.0
            })
            .collect();
        Views { subtrees: graph.subtree_hashes(), labels, paths }
    }

    /// Of each node what it is compared by with nodes of the other graph, see [`GraphArrays::views`].
    ///
    /// [`GraphArrays::views`]: crate::GraphArrays::views
    pub(crate) fn short(&self) -> Vec<[u32; 3]> {
        let rows = self.labels.iter().zip(&self.subtrees).zip(&self.paths);
        rows.map(|((label, subtree), path)| [*label as u32, *subtree as u32, *path as u32]).collect()
    }
}

/// Hashes in order, to be looked up: of graphs of some dozen nodes this costs less than a table.
struct Sorted(Vec<u64>);

impl Sorted {
    fn of(hashes: &[u64]) -> Sorted {
        let mut hashes = hashes.to_vec();
        hashes.sort_unstable();
        Sorted(hashes)
    }

    fn contains(&self, hash: u64) -> bool {
        self.0.binary_search(&hash).is_ok()
    }

    fn count(&self, hash: u64) -> usize {
        self.0.partition_point(|h| *h <= hash) - self.0.partition_point(|h| *h < hash)
    }
}

/// The codes of all nodes, left and right, each below [`CODES`]. Exchanging the graphs
/// exchanges the lists; equal graphs get all four facts everywhere.
pub(crate) fn agreement(left: &Views, right: &Views) -> (Vec<u16>, Vec<u16>) {
    (codes(left, right), codes(right, left))
}

fn codes(own: &Views, other: &Views) -> Vec<u16> {
    let (subtrees, paths) = (Sorted::of(&other.subtrees), Sorted::of(&other.paths));
    let (labels, own_labels) = (Sorted::of(&other.labels), Sorted::of(&own.labels));
    own.subtrees
        .iter()
        .zip(&own.labels)
        .zip(&own.paths)
        .map(|((subtree, label), path)| {
            let fact = |holds: bool, code: u16| if holds { code } else { 0 };
            fact(subtrees.contains(*subtree), SUBTREE)
                | fact(labels.contains(*label), LABEL)
                | fact(paths.contains(*path), PATH)
                | fact(labels.count(*label) == own_labels.count(*label), COUNT)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Builder;
    use crate::vocabulary::{Tag, Word};

    fn graph(filters: &[(Word, &str)]) -> QueryGraph {
        let mut b = Builder::default();
        let root = b.add(None, Word::RELS, Tag::NONE, None).unwrap();
        for (word, content) in filters {
            let parent = b.add(Some(root), *word, Tag::NONE, None).unwrap();
            b.add(Some(parent), Word::COLUMN, Tag::NONE, Some((*content).to_owned())).unwrap();
        }
        QueryGraph::new(b.graph, 0)
    }

    #[test]
    fn equal_graphs_agree_everywhere() {
        let g = graph(&[(Word::EQ, "a"), (Word::LT, "b")]);
        let (left, right) = agreement(&Views::new(&g), &Views::new(&g));
        assert!(left.iter().chain(&right).all(|&code| code == SUBTREE | LABEL | PATH | COUNT));
    }

    #[test]
    fn views_tell_labels_subtrees_and_paths_apart() {
        let views = Views::new(&graph(&[(Word::EQ, "a"), (Word::GT, "a"), (Word::EQ, "a")])).short();
        let alike = |a: usize, b: usize| [0, 1, 2].map(|view| views[a][view] == views[b][view]);
        // The three columns, and the two equalities.
        assert_eq!(alike(2, 4), [true, true, false]);
        assert_eq!(alike(2, 6), [true, true, true]);
        assert_eq!(alike(1, 5), [true, true, true]);
        assert_eq!(alike(1, 3), [false, false, false]);
    }

    #[test]
    fn each_fact_by_itself() {
        let left = graph(&[(Word::EQ, "a"), (Word::LT, "b")]);
        let right = graph(&[(Word::EQ, "a"), (Word::GT, "b"), (Word::GT, "a")]);
        let (codes, _) = agreement(&Views::new(&left), &Views::new(&right));
        // The roots differ below; `=` and its column are found again, but `a` twice.
        assert_eq!(codes[0], LABEL | PATH | COUNT);
        assert_eq!(codes[1], SUBTREE | LABEL | PATH | COUNT);
        assert_eq!(codes[2], SUBTREE | LABEL | PATH);
        // `<` is nowhere; its column stands below another comparison.
        assert_eq!(codes[3], 0);
        assert_eq!(codes[4], SUBTREE | LABEL | COUNT);
    }
}
