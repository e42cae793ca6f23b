//! What the nodes of two graphs attend to in each other (paper §4.3 and Appendix H).

use crate::score::Score;

/// Cross-graph attention of one pair. Nodes are named by their index in the pair's
/// [`GraphArrays`](twinql_graph::GraphArrays), which is the node's index in its
/// [`QueryGraph`](twinql_graph::QueryGraph).
#[derive(Debug, Clone, PartialEq)]
pub struct Attention {
    /// The pair's score, as [`Scorer::score`](crate::Scorer::score) gives it.
    pub score: Score,
    /// G, the nodes of the gold's graph, at least 1.
    pub gold_nodes: usize,
    /// P, the nodes of the prediction's graph, at least 1.
    pub pred_nodes: usize,
    /// One for each propagation step, the first step first.
    pub steps: Vec<AttentionStep>,
}

/// The two attention matrices of one propagation step, row-major.
#[derive(Debug, Clone, PartialEq)]
pub struct AttentionStep {
    /// G × P: how gold node g spreads over the prediction's nodes; each row sums to 1.
    pub gold_over_pred: Vec<f32>,
    /// P × G: how node p of the prediction spreads over the gold's; each row sums to 1.
    pub pred_over_gold: Vec<f32>,
}

/// The node that another one attends to most.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Match {
    /// Index of the node in the gold's graph.
    pub gold: usize,
    /// Its attention, the mean over all steps: in (0, 1].
    pub weight: f32,
}

impl Attention {
    /// For each node of the prediction, in order, the gold node of the highest attention, meant
    /// over all steps; of equally high ones the first.
    pub fn matches(&self) -> Vec<Match> {
        let width = self.gold_nodes.max(1);
        let scale = 1.0 / self.steps.len().max(1) as f32;
        (0..self.pred_nodes)
            .map(|node| {
                let mut row = vec![0.0f32; self.gold_nodes];
                for step in &self.steps {
                    let weights = step.pred_over_gold.chunks_exact(width).nth(node);
                    for (sum, weight) in row.iter_mut().zip(weights.unwrap_or_default()) {
                        *sum += scale * weight;
                    }
                }
                let first = Match { gold: 0, weight: row.first().copied().unwrap_or(0.0) };
                row.iter().enumerate().fold(first, |best, (gold, &weight)| {
                    if weight > best.weight { Match { gold, weight } } else { best }
                })
            })
            .collect()
    }
}

impl AttentionStep {
    /// The entries of one matrix that are at least `floor`, and the greatest of each row whatever
    /// it is: (row, column, weight), row by row. `width` is the length of a row.
    pub fn sparse(matrix: &[f32], width: usize, floor: f32) -> Vec<(usize, usize, f32)> {
        let mut out = Vec::new();
        for (row, weights) in matrix.chunks_exact(width.max(1)).enumerate() {
            let most = weights.iter().copied().fold(0.0f32, f32::max);
            let kept = weights.iter().enumerate().filter(|(_, w)| **w >= floor.min(most));
            out.extend(kept.map(|(column, &weight)| (row, column, weight)));
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use twinql_graph::{PairArrays, QueryGraph};

    use crate::{Checkpoint, CheckpointInfo, Network, Scorer, weights::Layout};

    /// A network of random weights, and pairs of syntax trees.
    fn scorer_and_pairs() -> (Scorer, Vec<PairArrays>) {
        let network = Network::default();
        let weights = Layout::new(&network.model).init(3);
        let scorer = Scorer::new(Checkpoint { info: CheckpointInfo::untrained(&network), weights });
        let graph = |sql: &str| QueryGraph::of_ast(&twinql_sql::parse(sql).unwrap().query).unwrap();
        let gold = graph("SELECT name FROM ships WHERE year > 1900");
        let pairs = ["SELECT name FROM ships", "SELECT MAX(year), name FROM ships GROUP BY name"]
            .map(|pred| PairArrays::build(&gold, &graph(pred), &network.model.encoding()));
        (scorer, pairs.to_vec())
    }

    #[test]
    fn rows_are_distributions_and_the_score_is_the_scorers() {
        let (scorer, pairs) = scorer_and_pairs();
        for (pair, score) in pairs.iter().zip(scorer.score(&pairs)) {
            let attention = scorer.attention(pair).unwrap();
            assert_eq!(attention.score, score.unwrap());
            assert_eq!(attention.steps.len(), scorer.info().model.propagation_steps);
            let (g, p) = (attention.gold_nodes, attention.pred_nodes);
            assert_eq!((g, p), (pair.left.words.len(), pair.right.words.len()));
            for step in &attention.steps {
                assert_eq!(step.gold_over_pred.len(), g * p);
                assert_eq!(step.pred_over_gold.len(), g * p);
                for (matrix, width) in [(&step.gold_over_pred, p), (&step.pred_over_gold, g)] {
                    for row in matrix.chunks_exact(width) {
                        assert!((row.iter().sum::<f32>() - 1.0).abs() < 1e-5);
                        assert!(row.iter().all(|w| *w >= 0.0));
                    }
                }
            }
        }
    }

    #[test]
    fn exchanging_the_graphs_exchanges_the_matrices() {
        let (scorer, mut pairs) = scorer_and_pairs();
        let pair = pairs.remove(0);
        let swapped = PairArrays {
            left: pair.right.clone(),
            right: pair.left.clone(),
            left_positions: pair.right_positions.clone(),
            right_positions: pair.left_positions.clone(),
            left_agreement: pair.right_agreement.clone(),
            right_agreement: pair.left_agreement.clone(),
            ..pair.clone()
        };
        let (a, b) = (scorer.attention(&pair).unwrap(), scorer.attention(&swapped).unwrap());
        for (a, b) in a.steps.iter().zip(&b.steps) {
            for (x, y) in a.gold_over_pred.iter().zip(&b.pred_over_gold) {
                assert!((x - y).abs() < 1e-5);
            }
        }
    }

    #[test]
    fn matches_and_sparse_lists() {
        let attention = Attention {
            score: Score { distance: 1.0, probability: 0.5 },
            gold_nodes: 3,
            pred_nodes: 2,
            steps: vec![
                AttentionStep {
                    gold_over_pred: vec![0.5; 6],
                    pred_over_gold: vec![0.6, 0.3, 0.1, 0.2, 0.2, 0.6],
                },
                AttentionStep {
                    gold_over_pred: vec![0.5; 6],
                    pred_over_gold: vec![0.2, 0.7, 0.1, 0.1, 0.1, 0.8],
                },
            ],
        };
        let found: Vec<(usize, f32)> = attention.matches().iter().map(|m| (m.gold, m.weight)).collect();
        assert_eq!(found.iter().map(|m| m.0).collect::<Vec<_>>(), [1, 2]);
        assert!((found[0].1 - 0.5).abs() < 1e-6 && (found[1].1 - 0.7).abs() < 1e-6);
        assert_eq!(
            AttentionStep::sparse(&attention.steps[1].pred_over_gold, 3, 0.15),
            [(0, 0, 0.2), (0, 1, 0.7), (1, 2, 0.8)]
        );
        assert_eq!(
            AttentionStep::sparse(&attention.steps[1].pred_over_gold, 3, 0.9),
            [(0, 1, 0.7), (1, 2, 0.8)]
        );
    }
}
