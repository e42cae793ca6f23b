//! Augmentations of a query graph for contrastive pretraining (You et al., 2020; FuncEvalGMN,
//! appendix C.4): what is left of a graph after one still stands for the same query.
//!
//! Each is a unit of its own in [`AUGMENTATIONS`]. All keep the root, which stands for the query,
//! and the order of nodes, so that parents still precede their children; what is left need not hang
//! together.

use petgraph::graph::{DiGraph, NodeIndex};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::Rng;

use crate::graph::{EdgeKind, Node, QueryGraph};
use crate::vocabulary::{Tag, Word};

/// One way to change a graph at random.
#[derive(Debug)]
pub struct Augmentation {
    /// What configurations call it.
    pub name: &'static str,
    /// What it does with a share of the graph.
    pub doc: &'static str,
    apply: fn(&QueryGraph, f64, &mut ChaCha8Rng) -> QueryGraph,
}

/// All augmentations.
pub static AUGMENTATIONS: [Augmentation; 4] = [
    Augmentation {
        name: "node-dropping",
        doc: "removes a share of the nodes, each with its edges",
        apply: drop_nodes,
    },
    Augmentation {
        name: "edge-perturbation",
        doc: "removes a share of the edges and adds as many between random nodes",
        apply: perturb_edges,
    },
    Augmentation {
        name: "attribute-masking",
        doc: "hides word, tag and content of a share of the nodes",
        apply: mask_attributes,
    },
    Augmentation {
        name: "subgraph",
        doc: "keeps what a random walk reaches, all but a share of the nodes",
        apply: subgraph,
    },
];

impl Augmentation {
    /// The one of this name.
    pub fn find(name: &str) -> Option<&'static Augmentation> {
        AUGMENTATIONS.iter().find(|a| a.name == name)
    }

    /// A changed copy; `share`, in [0, 1], says how much changes. The copy is no plan any more:
    /// its fingerprint says nothing.
    pub fn apply(&self, graph: &QueryGraph, share: f64, rng: &mut ChaCha8Rng) -> QueryGraph {
        (self.apply)(graph, share.clamp(0.0, 1.0), rng)
    }
}

/// A uniform number below `n`, which is not 0. The bias of the remainder is below 2⁻⁵⁰ here.
fn below(rng: &mut ChaCha8Rng, n: usize) -> usize {
    (rng.next_u64() % n.max(1) as u64) as usize
}

/// How many of `n` a share is. Of what is left of one, the chance decides: always rounding would
/// never or always change small graphs.
fn count(rng: &mut ChaCha8Rng, n: usize, share: f64) -> usize {
    let exact = n as f64 * share;
    let unit = (rng.next_u32() >> 8) as f64 / f64::from(1u32 << 24);
    (exact.floor() as usize + usize::from(unit < exact.fract())).min(n)
}

/// Marks `count` of the nodes 1…, drawn without replacement.
fn choose(rng: &mut ChaCha8Rng, nodes: usize, count: usize) -> Vec<bool> {
    let mut order: Vec<usize> = (1..nodes).collect();
    let mut chosen = vec![false; nodes];
    for i in 0..count.min(order.len()) {
        let j = i + below(rng, order.len() - i);
        order.swap(i, j);
        chosen[order[i]] = true;
    }
    chosen
}

/// The graph of the nodes that are kept, in their order, with the edges between them.
fn keep(graph: &QueryGraph, kept: &[bool]) -> QueryGraph {
    let mut small: DiGraph<Node, EdgeKind> = DiGraph::new();
    let mut place: Vec<Option<NodeIndex>> = Vec::with_capacity(kept.len());
    for (node, &kept) in graph.graph().node_weights().zip(kept) {
        place.push(kept.then(|| small.add_node(node.clone())));
    }
    for edge in graph.graph().raw_edges() {
        let end = |node: NodeIndex| place.get(node.index()).copied().flatten();
        if let (Some(from), Some(to)) = (end(edge.source()), end(edge.target())) {
            small.add_edge(from, to, edge.weight);
        }
    }
    QueryGraph::new(small, 0)
}

fn drop_nodes(graph: &QueryGraph, share: f64, rng: &mut ChaCha8Rng) -> QueryGraph {
    let nodes = graph.node_count();
    let dropped = count(rng, nodes - 1, share);
    let kept: Vec<bool> = choose(rng, nodes, dropped).into_iter().map(|d| !d).collect();
    keep(graph, &kept)
}

fn perturb_edges(graph: &QueryGraph, share: f64, rng: &mut ChaCha8Rng) -> QueryGraph {
    let (nodes, edges) = (graph.node_count(), graph.edge_count());
    let removed = count(rng, edges, share);
    // One more than there are edges, since `choose` leaves out the first.
    let gone = choose(rng, edges + 1, removed);
    let mut changed: DiGraph<Node, EdgeKind> = DiGraph::new();
    for node in graph.graph().node_weights() {
        changed.add_node(node.clone());
    }
    for (edge, &gone) in graph.graph().raw_edges().iter().zip(gone.iter().skip(1)) {
        let (from, to) = match gone {
            false => (edge.source(), edge.target()),
            // Another edge of its kind, from the lower to the higher node: still no cycle.
            true => {
                let (a, b) = (below(rng, nodes), below(rng, nodes));
                if a == b {
                    continue;
                }
                (NodeIndex::new(a.min(b)), NodeIndex::new(a.max(b)))
            }
        };
        changed.add_edge(from, to, edge.weight);
    }
    QueryGraph::new(changed, 0)
}

/// What a hidden node shows: a name that is not given, which no query's graph holds.
fn mask() -> Node {
    Node { word: Word::NAME, tag: Tag::NONE, content: None }
}

fn mask_attributes(graph: &QueryGraph, share: f64, rng: &mut ChaCha8Rng) -> QueryGraph {
    let nodes = graph.node_count();
    let masked = count(rng, nodes - 1, share);
    let masked = choose(rng, nodes, masked);
    let changed = graph.graph().map(
        |index, node| match masked.get(index.index()) {
            Some(true) => mask(),
            _ => node.clone(),
        },
        |_, kind| *kind,
    );
    QueryGraph::new(changed, 0)
}

fn subgraph(graph: &QueryGraph, share: f64, rng: &mut ChaCha8Rng) -> QueryGraph {
    let nodes = graph.node_count();
    let wanted = nodes - count(rng, nodes - 1, share);
    if wanted == nodes {
        return keep(graph, &vec![true; nodes]);
    }
    let mut near = vec![Vec::new(); nodes];
    for edge in graph.graph().raw_edges() {
        let (a, b) = (edge.source().index(), edge.target().index());
        near[a].push(b);
        near[b].push(a);
    }
    let mut kept = vec![false; nodes];
    let mut size = 0;
    let mut node = 0;
    // Walks in a corner for long are cut: what they reached is the subgraph.
    for _ in 0..128 * nodes {
        if !std::mem::replace(&mut kept[node], true) {
            size += 1;
        }
        if size >= wanted || near[node].is_empty() {
            break;
        }
        node = near[node][below(rng, near[node].len())];
    }
    keep(graph, &kept)
}

#[cfg(test)]
mod tests {
    use rand_chacha::rand_core::SeedableRng;

    use super::*;
    use crate::encode::encode_pair;
    use crate::graph::Builder;
    use crate::{EncodingConfig, PairArrays};

    /// A tree of `nodes` whose contents are their numbers, with a flow edge between siblings.
    fn graph(nodes: usize) -> QueryGraph {
        let mut b = Builder::default();
        let mut all = vec![b.add(None, Word::RELS, Tag::NONE, None).unwrap()];
        for n in 1..nodes {
            let content = Some(n.to_string());
            all.push(b.add(Some(all[(n - 1) / 3]), Word::COLUMN, Tag::NONE, content).unwrap());
            if n % 3 == 0 {
                b.edge(all[n - 1], all[n], EdgeKind::Data);
            }
        }
        QueryGraph::new(b.graph, 7)
    }

    fn rng(seed: u64) -> ChaCha8Rng {
        ChaCha8Rng::seed_from_u64(seed)
    }

    fn run(name: &str, graph: &QueryGraph, share: f64, seed: u64) -> QueryGraph {
        Augmentation::find(name).unwrap().apply(graph, share, &mut rng(seed))
    }

    fn edges(graph: &QueryGraph) -> Vec<(usize, usize, EdgeKind)> {
        let edges = graph.graph().raw_edges().iter();
        edges.map(|e| (e.source().index(), e.target().index(), e.weight)).collect()
    }

    fn masked(graph: &QueryGraph) -> usize {
        graph.graph().node_weights().filter(|n| **n == mask()).count()
    }

    #[test]
    fn all_of_them_keep_what_others_rely_on() {
        for augmentation in &AUGMENTATIONS {
            for nodes in [1, 2, 3, 40] {
                let original = graph(nodes);
                for (seed, share) in [(1, 0.0), (2, 0.1), (3, 0.5), (4, 1.0), (5, f64::NAN)] {
                    let share = if share.is_nan() { 0.0 } else { share };
                    let view = augmentation.apply(&original, share, &mut rng(seed));
                    assert_eq!(view.node(0).unwrap().word, Word::RELS, "{} {share}", augmentation.name);
                    assert!(edges(&view).iter().all(|(a, b, _)| a < b));
                    // The merged graph, its encodings and the agreement can be computed.
                    let other = augmentation.apply(&original, share, &mut rng(seed + 10));
                    let pair = PairArrays::build(&view, &other, &EncodingConfig::default());
                    assert_eq!(pair.left.words.len(), view.node_count());
                    let (left, _) = encode_pair(&view, &other, &EncodingConfig::default());
                    assert!(left.iter().all(|p| p.is_finite()));
                }
            }
        }
    }

    #[test]
    fn a_seed_repeats_and_another_differs() {
        let original = graph(60);
        for a in &AUGMENTATIONS {
            let view = |seed| {
                let view = a.apply(&original, 0.3, &mut rng(seed));
                (edges(&view), view.graph().node_weights().cloned().collect::<Vec<_>>())
            };
            assert_eq!(view(1), view(1), "{}", a.name);
            assert_ne!(view(1), view(2), "{}", a.name);
        }
    }

    #[test]
    fn nothing_changes_at_share_zero() {
        let original = graph(30);
        for a in &AUGMENTATIONS {
            let view = a.apply(&original, 0.0, &mut rng(3));
            assert_eq!(view.node_count(), 30, "{}", a.name);
            assert_eq!(edges(&view), edges(&original), "{}", a.name);
        }
    }

    #[test]
    fn node_dropping() {
        let view = run("node-dropping", &graph(41), 0.1, 1);
        assert_eq!(view.node_count(), 37);
        // Whoever is left kept its place in the order, and lost only edges.
        let left: Vec<u32> =
            view.graph().node_weights().filter_map(|n| n.content.as_ref()?.parse().ok()).collect();
        assert!(left.is_sorted());
        assert!(view.edge_count() < graph(41).edge_count());
        assert_eq!(run("node-dropping", &graph(9), 1.0, 1).node_count(), 1);
    }

    #[test]
    fn the_share_holds_on_average_for_small_graphs() {
        let dropped: usize =
            (0..400).map(|seed| 5 - run("node-dropping", &graph(5), 0.1, seed).node_count()).sum();
        // 400 graphs × 4 nodes × 0.1.
        assert!((120..200).contains(&dropped), "{dropped}");
    }

    #[test]
    fn edge_perturbation() {
        let original = graph(61);
        let view = run("edge-perturbation", &original, 0.2, 1);
        assert_eq!(view.node_count(), 61);
        assert!(view.graph().node_weights().eq(original.graph().node_weights()));
        let before = edges(&original);
        let kept = edges(&view).iter().filter(|e| before.contains(e)).count();
        let (least, most) = (before.len() * 7 / 10, before.len() * 9 / 10);
        assert!((least..most).contains(&kept), "{kept} of {}", before.len());
        let kinds = |list: &[(usize, usize, EdgeKind)], kind| list.iter().filter(|e| e.2 == kind).count();
        assert!(kinds(&edges(&view), EdgeKind::Data) <= kinds(&before, EdgeKind::Data));
    }

    #[test]
    fn attribute_masking() {
        let original = graph(41);
        let view = run("attribute-masking", &original, 0.1, 1);
        assert_eq!(edges(&view), edges(&original));
        assert_eq!(masked(&view), 4);
        assert_eq!(masked(&run("attribute-masking", &original, 1.0, 1)), 40);
    }

    #[test]
    fn subgraph_of_a_walk() {
        let view = run("subgraph", &graph(40), 0.5, 1);
        // All but half of the 39 nodes below the root.
        assert!((20..=21).contains(&view.node_count()), "{}", view.node_count());
        // What a walk from the root reaches hangs together.
        let mut reached = vec![false; view.node_count()];
        let mut stack = vec![0];
        while let Some(node) = stack.pop() {
            if !std::mem::replace(&mut reached[node], true) {
                for (a, b, _) in edges(&view) {
                    stack.extend([a, b].into_iter().filter(|_| a == node || b == node));
                }
            }
        }
        assert!(reached.iter().all(|r| *r));
    }
}
