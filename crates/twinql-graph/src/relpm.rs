//! RelPM, rule-based partial matching of operator trees (FuncEvalGMN, appendix A).

use crate::graph::QueryGraph;

/// The free parameters of RelPM.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RelPmConfig {
    /// α: how much a node's own match counts against its children's, in (0, 1).
    pub alpha: f64,
    /// β: how much recall counts against precision.
    pub beta: f64,
}

impl Default for RelPmConfig {
    fn default() -> Self {
        RelPmConfig {
            alpha: 0.5,
            beta: 1.0,
        }
    }
}

/// How much of two queries' trees matches, in [0, 1], 1 for equal trees: F_β (Algorithm 2)
/// of recall (the gold tree matched in the predicted one) and precision (the reverse).
pub fn relpm(gold: &QueryGraph, pred: &QueryGraph, config: &RelPmConfig) -> f64 {
    let (g, p) = (Tree::new(gold), Tree::new(pred));
    let recall = node_match(&g, &p, config.alpha);
    let precision = node_match(&p, &g, config.alpha);
    let square = config.beta * config.beta;
    let below = square * precision + recall;
    if below > 0.0 {
        ((1.0 + square) * precision * recall / below).clamp(0.0, 1.0)
    } else {
        0.0
    }
}

struct Tree<'a> {
    values: Vec<(u16, Option<&'a str>)>,
    children: Vec<Vec<usize>>,
}

impl<'a> Tree<'a> {
    fn new(graph: &'a QueryGraph) -> Tree<'a> {
        let node = |n: &'a crate::graph::Node| (n.word.index(), n.content.as_deref());
        Tree {
            values: graph.graph().node_weights().map(node).collect(),
            children: graph.children(),
        }
    }
}

/// The match of the source's root with the target's (Algorithm 3): a node's score with a
/// candidate is α for equal values, plus 1 − α times the mean of its children's best scores
/// among the candidate's children. Memoised over pairs of nodes, so O(edges × edges).
fn node_match(source: &Tree<'_>, target: &Tree<'_>, alpha: f64) -> f64 {
    let width = target.values.len();
    let mut scores = vec![0f64; source.values.len() * width];
    // Parents precede children, so the reverse order is bottom-up.
    for s in (0..source.values.len()).rev() {
        for t in (0..width).rev() {
            let own = f64::from(u8::from(source.values[s] == target.values[t]));
            let below = &source.children[s];
            let score = if below.is_empty() {
                own
            } else {
                let sum: f64 = below
                    .iter()
                    .map(|child| {
                        let candidates = target.children[t].iter();
                        candidates.map(|c| scores[child * width + c]).fold(0.0, f64::max)
                    })
                    .sum();
                alpha * own + (1.0 - alpha) * sum / below.len() as f64
            };
            scores[s * width + t] = score;
        }
    }
    scores.first().copied().unwrap_or(0.0)
}
