//! Random-walk positional encodings (FuncEvalGMN, section 4.2) and the merged pair graph.

use std::collections::HashMap;

use crate::graph::QueryGraph;
use crate::vocabulary::Word;

/// How nodes are encoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EncodingConfig {
    /// K, the number of walk steps; each node gets K numbers.
    pub steps: usize,
    /// Walk on the merged pair graph rather than on each graph alone.
    pub merged: bool,
}

impl Default for EncodingConfig {
    /// Eight steps on the merged graph.
    fn default() -> Self {
        EncodingConfig { steps: 8, merged: true }
    }
}

/// How many walks run side by side: enough to fill vector registers, few enough for a
/// block of a large graph to stay in the cache.
const LANES: usize = 32;

/// The probabilities that a random walk from v is back at v after 1, 2, …, `steps` steps:
/// the diagonals of the powers of T = A D⁻¹. `edges` are undirected; loops and parallel edges
/// count once or not at all. Row-major, `nodes × steps`; an isolated node has zeros.
///
/// T is similar to the symmetric S = D^-½ A D^-½, so T^k has the diagonal of S^k, and with
/// x_i = S^i e_v two halves of a walk meet: (S^{i+j})_vv = x_i · x_j. Half the steps suffice.
pub fn return_probabilities(nodes: usize, edges: &[(u32, u32)], steps: usize) -> Vec<f32> {
    let mut encoding = vec![0f32; nodes * steps];
    if nodes == 0 || steps == 0 {
        return encoding;
    }
    let rows = Symmetric::new(nodes, edges);
    let half = steps.div_ceil(2);
    let mut current = vec![[0f32; LANES]; nodes];
    let mut next = vec![[0f32; LANES]; nodes];
    for first in (0..nodes).step_by(LANES) {
        let lanes = LANES.min(nodes - first);
        current.iter_mut().for_each(|row| *row = [0.0; LANES]);
        for (lane, row) in current.iter_mut().skip(first).take(lanes).enumerate() {
            row[lane] = 1.0;
        }
        for step in 1..=half {
            rows.multiply(&current, &mut next);
            // x_{step-1} · x_step, and x_step · x_step.
            let mut odd = [0f32; LANES];
            let mut even = [0f32; LANES];
            for (a, b) in current.iter().zip(&next) {
                for lane in 0..LANES {
                    odd[lane] += a[lane] * b[lane];
                    even[lane] += b[lane] * b[lane];
                }
            }
            let out = encoding.chunks_exact_mut(steps).skip(first).take(lanes);
            for ((row, odd), even) in out.zip(odd).zip(even) {
                row[2 * step - 2] = odd;
                if let Some(cell) = row.get_mut(2 * step - 1) {
                    *cell = even;
                }
            }
            std::mem::swap(&mut current, &mut next);
        }
    }
    encoding
}

/// S = D^-½ A D^-½ in compressed rows. `petgraph::Csr` would hold the columns and values in two lists, and be filled in
/// an order of its own: the sums below would not have the same bits.
struct Symmetric {
    /// Where each row starts in `entries`; one more than there are rows.
    starts: Vec<usize>,
    /// Column and value.
    entries: Vec<(u32, f32)>,
}

impl Symmetric {
    fn new(nodes: usize, edges: &[(u32, u32)]) -> Symmetric {
        let mut both: Vec<(u32, u32)> = edges
            .iter()
            .filter(|(a, b)| a != b && (*a as usize) < nodes && (*b as usize) < nodes)
            .flat_map(|&(a, b)| [(a, b), (b, a)])
            .collect();
        both.sort_unstable();
        both.dedup();
        let mut starts = vec![0usize; nodes + 1];
        for &(from, _) in &both {
            starts[from as usize + 1] += 1;
        }
        let scale: Vec<f32> = starts[1..]
            .iter()
            .map(|&degree| if degree == 0 { 0.0 } else { 1.0 / (degree as f32).sqrt() })
            .collect();
        for row in 0..nodes {
            starts[row + 1] += starts[row];
        }
        let entries =
            both.into_iter().map(|(from, to)| (to, scale[from as usize] * scale[to as usize])).collect();
        Symmetric { starts, entries }
    }

    /// `out = S x`, for all lanes at once.
    fn multiply(&self, x: &[[f32; LANES]], out: &mut [[f32; LANES]]) {
        for (row, bounds) in out.iter_mut().zip(self.starts.windows(2)) {
            let mut sum = [0f32; LANES];
            for &(column, value) in &self.entries[bounds[0]..bounds[1]] {
                for (s, x) in sum.iter_mut().zip(&x[column as usize]) {
                    *s += value * x;
                }
            }
            *row = sum;
        }
    }
}

/// The undirected edges of a graph, all kinds, node indices raised by `offset`.
fn undirected(graph: &QueryGraph, offset: u32) -> impl Iterator<Item = (u32, u32)> + '_ {
    graph.graph().raw_edges().iter().map(move |edge| {
        let (a, b) = (edge.source().index() as u32, edge.target().index() as u32);
        (a + offset, b + offset)
    })
}

/// Pairs of nodes, left and right, that the merged graph joins: the roots, and the roots of
/// maximal equal subtrees (RelPM 1 both ways), each with one partner at most. Equal leaves are
/// joined only where they are tables: the other leaves' operators say more.
pub fn seeds(left: &QueryGraph, right: &QueryGraph) -> Vec<(u32, u32)> {
    let mut seeds = vec![(0, 0)];
    let left_children = left.children();
    let right_children = right.children();
    let left_hashes = left.subtree_hashes();
    let right_hashes = right.subtree_hashes();
    if left_hashes.first() == right_hashes.first() {
        return seeds;
    }
    let mut candidates: HashMap<u64, Vec<usize>> = HashMap::new();
    for (index, hash) in left_hashes.iter().enumerate().skip(1).rev() {
        candidates.entry(*hash).or_default().push(index);
    }
    let mut left_taken = vec![false; left.node_count()];
    let mut right_taken = vec![false; right.node_count()];
    // Parents precede children, so larger subtrees come first.
    for (index, hash) in right_hashes.iter().enumerate().skip(1) {
        let leaf = right_children[index].is_empty();
        let table = right.node(index).is_some_and(|n| n.word == Word::TABLE);
        if right_taken[index] || (leaf && !table) {
            continue;
        }
        let Some(list) = candidates.get_mut(hash) else {
            continue;
        };
        while let Some(partner) = list.pop() {
            if !left_taken[partner] {
                take_subtree(partner, &left_children, &mut left_taken);
                take_subtree(index, &right_children, &mut right_taken);
                seeds.push((partner as u32, index as u32));
                break;
            }
        }
    }
    seeds
}

fn take_subtree(root: usize, children: &[Vec<usize>], taken: &mut [bool]) {
    let mut stack = vec![root];
    while let Some(node) = stack.pop() {
        // Whoever is taken is so with its subtree; in views of a graph (see [`crate::augment`]) a
        // node may have several parents.
        if !std::mem::replace(&mut taken[node], true) {
            stack.extend(&children[node]);
        }
    }
}

/// The encodings of both graphs, row-major: `left nodes × steps` and `right nodes × steps`.
pub fn encode_pair(left: &QueryGraph, right: &QueryGraph, config: &EncodingConfig) -> (Vec<f32>, Vec<f32>) {
    let offset = left.node_count() as u32;
    if !config.merged {
        return (encode_one(left, config.steps), encode_one(right, config.steps));
    }
    let mut edges: Vec<(u32, u32)> = undirected(left, 0).chain(undirected(right, offset)).collect();
    edges.extend(seeds(left, right).into_iter().map(|(l, r)| (l, r + offset)));
    let nodes = left.node_count() + right.node_count();
    let mut both = return_probabilities(nodes, &edges, config.steps);
    let second = both.split_off(left.node_count() * config.steps);
    (both, second)
}

/// The encodings of a graph alone, row-major: `nodes × steps`.
pub fn encode_one(graph: &QueryGraph, steps: usize) -> Vec<f32> {
    let edges: Vec<(u32, u32)> = undirected(graph, 0).collect();
    return_probabilities(graph.node_count(), &edges, steps)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Diagonals of powers of A D⁻¹, the plain way.
    fn dense(nodes: usize, edges: &[(u32, u32)], steps: usize) -> Vec<f32> {
        let mut a = vec![vec![0f64; nodes]; nodes];
        for &(x, y) in edges {
            if x != y {
                a[x as usize][y as usize] = 1.0;
                a[y as usize][x as usize] = 1.0;
            }
        }
        let degrees: Vec<f64> = a.iter().map(|row| row.iter().sum()).collect();
        let t: Vec<Vec<f64>> = a
            .iter()
            .map(|row| row.iter().zip(&degrees).map(|(x, d)| if *d > 0.0 { x / d } else { 0.0 }).collect())
            .collect();
        let mut power = t.clone();
        let mut out = vec![0f32; nodes * steps];
        for step in 0..steps {
            for v in 0..nodes {
                out[v * steps + step] = power[v][v] as f32;
            }
            power = power
                .iter()
                .map(|row| (0..nodes).map(|c| (0..nodes).map(|k| row[k] * t[k][c]).sum()).collect())
                .collect();
        }
        out
    }

    fn close(a: &[f32], b: &[f32]) -> bool {
        a.len() == b.len() && a.iter().zip(b).all(|(x, y)| (x - y).abs() < 1e-5)
    }

    #[test]
    fn a_path_of_three() {
        // The middle node is back after two steps for certain, an end with one half.
        let p = return_probabilities(3, &[(0, 1), (1, 2)], 4);
        let expected = [0.0, 0.5, 0.0, 0.5, 0.0, 1.0, 0.0, 1.0, 0.0, 0.5, 0.0, 0.5];
        assert!(close(&p, &expected), "{p:?}");
    }

    #[test]
    fn no_nodes_no_steps_no_edges() {
        assert!(return_probabilities(0, &[], 8).is_empty());
        assert!(return_probabilities(3, &[(0, 1)], 0).is_empty());
        assert_eq!(return_probabilities(1, &[(0, 0)], 3), [0.0; 3]);
    }

    fn graphs() -> impl Strategy<Value = (usize, Vec<(u32, u32)>)> {
        (1usize..70).prop_flat_map(|n| {
            let node = 0..n as u32;
            (Just(n), prop::collection::vec((node.clone(), node), 0..150))
        })
    }

    proptest! {
        #[test]
        fn agrees_with_matrix_powers((n, edges) in graphs(), steps in 1usize..10) {
            let fast = return_probabilities(n, &edges, steps);
            prop_assert!(close(&fast, &dense(n, &edges, steps)));
            prop_assert!(fast.iter().all(|p| (-1e-6..=1.0 + 1e-5).contains(p)));
        }

        #[test]
        fn a_permutation_permutes((n, edges) in graphs(), shift in 0u32..70) {
            let to = |v: u32| (v + shift) % n as u32;
            let moved: Vec<_> = edges.iter().map(|&(a, b)| (to(b), to(a))).collect();
            let (p, q) = (return_probabilities(n, &edges, 6), return_probabilities(n, &moved, 6));
            for v in 0..n {
                let w = to(v as u32) as usize;
                prop_assert!(close(&p[v * 6..v * 6 + 6], &q[w * 6..w * 6 + 6]));
            }
        }
    }
}
