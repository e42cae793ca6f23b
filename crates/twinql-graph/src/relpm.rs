//! RelPM, rule-based partial matching of operator trees (FuncEvalGMN, appendix A).

use crate::graph::QueryGraph;
use crate::vocabulary::Word;

/// The free parameters of RelPM.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RelPmConfig {
    /// α: how much a node's own match counts against its children's, in (0, 1).
    pub alpha: f64,
    /// β: how much recall counts against precision; positive.
    pub beta: f64,
    /// ω: how much the match of a node counts in its score against the scores of its children, in (0, 1].
    pub omega: f64,
}

impl Default for RelPmConfig {
    /// α 0.5 counts a node as much as all that stands below it; β 2 puts the weight on
    /// recall, as A.3 does: what the gold query asks for and the prediction lacks. ω 1 takes the match of the
    /// root, which sees the whole tree, for the score.
    fn default() -> Self {
        RelPmConfig { alpha: 0.5, beta: 2.0, omega: 1.0 }
    }
}

/// A parameter is not in its range.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum RelPmError {
    /// α is not in (0, 1).
    #[error("alpha is {0}, and has to lie between 0 and 1")]
    Alpha(f64),
    /// β is not a positive number.
    #[error("beta is {0}, and has to be a positive number of at most 1000")]
    Beta(f64),
    /// ω is not in (0, 1].
    #[error("omega is {0}, and has to lie above 0, and be at most 1")]
    Omega(f64),
}

impl RelPmConfig {
    /// The usual parameters but for those that are given.
    ///
    /// # Errors
    /// Those of [`RelPmConfig::check`].
    pub fn with(
        alpha: Option<f64>,
        beta: Option<f64>,
        omega: Option<f64>,
    ) -> Result<RelPmConfig, RelPmError> {
        let usual = RelPmConfig::default();
        let config = RelPmConfig {
            alpha: alpha.unwrap_or(usual.alpha),
            beta: beta.unwrap_or(usual.beta),
            omega: omega.unwrap_or(usual.omega),
        };
        config.check().map(|()| config)
    }

    /// Checks the ranges: within them a score of 1 means equal trees.
    ///
    /// # Errors
    /// The first parameter that is out of its range.
    pub fn check(&self) -> Result<(), RelPmError> {
        if !(self.alpha > 0.0 && self.alpha < 1.0) {
            return Err(RelPmError::Alpha(self.alpha));
        }
        if !(self.beta > 0.0 && self.beta <= 1e3) {
            return Err(RelPmError::Beta(self.beta));
        }
        if !(self.omega > 0.0 && self.omega <= 1.0) {
            return Err(RelPmError::Omega(self.omega));
        }
        Ok(())
    }
}

/// How much of two queries' trees matches, in [0, 1]; 1 exactly for equal trees, the order of
/// siblings aside. F_β (Algorithm 2) of recall (the gold tree matched in the predicted
/// one) and precision (the reverse). On graphs of syntax trees this is ASTPM.
pub fn relpm(gold: &QueryGraph, pred: &QueryGraph, config: &RelPmConfig) -> f64 {
    let (gold, pred) = (Tree::new(gold), Tree::new(pred));
    let recall = node_match(&gold, &pred, config);
    let precision = node_match(&pred, &gold, config);
    let square = config.beta * config.beta;
    let below = square * precision + recall;
    if below > 0.0 { ((1.0 + square) * precision * recall / below).clamp(0.0, 1.0) } else { 0.0 }
}

/// A graph's tree edges, with what matching asks of a node.
struct Tree<'a> {
    /// The attributes that matching compares (Algorithm 1).
    values: Vec<(Word, Option<&'a str>)>,
    children: Vec<Vec<usize>>,
    /// The nodes of each level, the root's first.
    levels: Vec<Vec<usize>>,
}

impl<'a> Tree<'a> {
    fn new(graph: &'a QueryGraph) -> Tree<'a> {
        let mut children = graph.children();
        // What is assumed is no part of a query.
        let assumed = |&node: &usize| graph.node(node).is_some_and(|n| n.word == Word::ASSUME);
        if let Some(root) = children.first_mut() {
            root.retain(|child| !assumed(child));
        }
        let mut depths = vec![0usize; children.len()];
        // Parents precede their children, so index order is downwards.
        let mut levels: Vec<Vec<usize>> = Vec::new();
        for node in (0..children.len()).filter(|node| !assumed(node)) {
            let depth = depths[node];
            if levels.len() <= depth {
                levels.resize(depth + 1, Vec::new());
            }
            levels[depth].push(node);
            for &child in &children[node] {
                depths[child] = depth + 1;
            }
        }
        let values = graph.graph().node_weights();
        Tree { values: values.map(|n| (n.word, n.content.as_deref())).collect(), children, levels }
    }
}

/// The score of the source's root with the target's, in two stages that are computed together.
///
/// *Matching* (A.1, Algorithm 3). The match of a node with a candidate is α for equal values, plus
/// 1 − α times the mean of what its children match with the candidate's children. Each candidate serves one
/// child, the highest matches first; the published algorithm lets one serve many, and so takes `SELECT a, a`
/// for `SELECT a`.
///
/// *Scoring* (A.2). The score of a matched node is ω times its match, plus 1 − ω times the mean of its
/// children's scores with the candidates that matching gave them; a child without one scores 0. The less
/// ω, the more the lower parts of a tree count. The paper lets clauses have weights ωᵢ of their own, with
/// ω + Σ ωᵢ = 1, and gives no values: here they are equal.
///
/// Memoised over pairs of nodes of one level: O(n · m) of them.
fn node_match(source: &Tree<'_>, target: &Tree<'_>, config: &RelPmConfig) -> f64 {
    let RelPmConfig { alpha, beta: _, omega } = *config;
    let width = target.values.len();
    let mut matches = vec![0f64; source.values.len() * width];
    // With ω 1 the score is the match, and needs no matrix of its own.
    let weighs = omega < 1.0;
    let mut scores = if weighs { matches.clone() } else { Vec::new() };
    let mut pairs: Vec<(f64, usize, usize)> = Vec::new();
    let levels = source.levels.iter().zip(&target.levels);
    for (sources, targets) in levels.rev() {
        for &s in sources {
            let below = &source.children[s];
            for &t in targets {
                let own = f64::from(u8::from(source.values[s] == target.values[t]));
                let candidates = &target.children[t];
                let (matched, scored) = match (below.is_empty(), candidates.is_empty()) {
                    (true, true) => (own, own),
                    // A leaf is not the same as an operator with operands.
                    (true, false) => (alpha * own, alpha * own),
                    (false, true) => (alpha * own, omega * alpha * own),
                    (false, false) => {
                        pairs.clear();
                        for (i, &child) in below.iter().enumerate() {
                            for (j, &candidate) in candidates.iter().enumerate() {
                                let score = matches[child * width + candidate];
                                if score > 0.0 {
                                    pairs.push((score, i, j));
                                }
                            }
                        }
                        let n = below.len() as f64;
                        let kept = assign(&mut pairs);
                        let mean = kept.iter().map(|p| p.0).sum::<f64>() / n;
                        let matched = alpha * own + (1.0 - alpha) * mean;
                        let scored = match weighs {
                            true => {
                                let score = |&(_, i, j): &(f64, usize, usize)| {
                                    scores[below[i] * width + candidates[j]]
                                };
                                omega * matched + (1.0 - omega) * kept.iter().map(score).sum::<f64>() / n
                            }
                            false => matched,
                        };
                        (matched, scored)
                    }
                };
                matches[s * width + t] = matched;
                if weighs {
                    scores[s * width + t] = scored;
                }
            }
        }
    }
    let of_root = if weighs { scores.first() } else { matches.first() };
    of_root.copied().unwrap_or(0.0)
}

/// Greedily pairs children with candidates, the best pairs first, and leaves the pairs that are
/// kept. Finds the perfect assignment where there is one, since a match of 1 means equal subtrees.
fn assign(pairs: &mut Vec<(f64, usize, usize)>) -> &[(f64, usize, usize)] {
    pairs.sort_unstable_by(|a, b| {
        let by_score = b.0.total_cmp(&a.0);
        by_score.then_with(|| (a.1, a.2).cmp(&(b.1, b.2)))
    });
    let mut taken_left = vec![false; 1 + pairs.iter().map(|p| p.1).max().unwrap_or(0)];
    let mut taken_right = vec![false; 1 + pairs.iter().map(|p| p.2).max().unwrap_or(0)];
    pairs.retain(|&(_, i, j)| {
        let free = !taken_left[i] && !taken_right[j];
        if free {
            taken_left[i] = true;
            taken_right[j] = true;
        }
        free
    });
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Builder;
    use crate::vocabulary::Tag;
    use petgraph::graph::NodeIndex;
    use proptest::prelude::*;

    /// A tree from each node's parent and label: the first `(_, label)` is the root's.
    fn tree(nodes: &[(usize, u8)]) -> QueryGraph {
        let words = [Word::FILTER, Word::EQ, Word::SELECT];
        let mut builder = Builder::default();
        for (index, (parent, label)) in nodes.iter().enumerate() {
            let parent = (index > 0).then(|| NodeIndex::new(parent % index));
            let word = words[usize::from(*label) % words.len()];
            let content = (*label > 5).then(|| label.to_string());
            builder.add(parent, word, Tag::NONE, content).unwrap();
        }
        QueryGraph::new(builder.graph, 0)
    }

    fn trees() -> impl Strategy<Value = QueryGraph> {
        prop::collection::vec((0usize..20, 0u8..9), 1..20).prop_map(|nodes| tree(&nodes))
    }

    fn score(a: &QueryGraph, b: &QueryGraph) -> f64 {
        relpm(a, b, &RelPmConfig::default())
    }

    #[test]
    fn a_missing_sibling_costs_recall_alone() {
        let two = tree(&[(0, 0), (0, 1), (0, 6)]);
        let one = tree(&[(0, 0), (0, 1)]);
        // Recall 0.5 + 0.5 · ½, precision 1.
        let expected = 5.0 * 0.75 / 4.75;
        assert!((score(&two, &one) - expected).abs() < 1e-12);
    }

    #[test]
    fn less_omega_gives_more_to_what_stands_below() {
        // The roots differ; both children are equal.
        let (gold, pred) = (tree(&[(0, 0), (0, 1), (0, 6)]), tree(&[(0, 1), (0, 1), (0, 6)]));
        let of = |omega: f64| relpm(&gold, &pred, &RelPmConfig { omega, ..RelPmConfig::default() });
        // The root's match is 0.5, the mean score of its children 1.
        assert!((of(1.0) - 0.5).abs() < 1e-12);
        assert!((of(0.4) - (0.4 * 0.5 + 0.6)).abs() < 1e-12);
        // Below a node without a partner nothing scores.
        let (tall, flat) = (tree(&[(0, 0), (0, 1)]), tree(&[(0, 0)]));
        let config = RelPmConfig { omega: 0.4, beta: 1.0, ..RelPmConfig::default() };
        let (recall, precision) = (0.4 * 0.5, 0.5);
        let expected = 2.0 * recall * precision / (recall + precision);
        assert!((relpm(&tall, &flat, &config) - expected).abs() < 1e-12);
    }

    #[test]
    fn ranges_are_checked() {
        let usual = RelPmConfig::default();
        assert_eq!(usual.check(), Ok(()));
        for (config, message) in [
            (RelPmConfig { alpha: 1.0, ..usual }, "alpha is 1"),
            (RelPmConfig { alpha: f64::NAN, ..usual }, "alpha is NaN"),
            (RelPmConfig { beta: 0.0, ..usual }, "beta is 0"),
            (RelPmConfig { omega: 0.0, ..usual }, "omega is 0"),
            (RelPmConfig { omega: 1.5, ..usual }, "omega is 1.5"),
        ] {
            let said = config.check().unwrap_err().to_string();
            assert!(said.starts_with(message), "{said}");
        }
    }

    #[test]
    fn a_repeated_child_is_not_matched_twice() {
        let once = tree(&[(0, 0), (0, 7)]);
        let twice = tree(&[(0, 0), (0, 7), (0, 7)]);
        assert!(score(&once, &twice) < 1.0);
    }

    #[test]
    fn nothing_in_common_is_zero() {
        assert_eq!(score(&tree(&[(0, 0)]), &tree(&[(0, 1)])), 0.0);
    }

    proptest! {
        #[test]
        fn within_bounds_and_one_exactly_for_equal_trees(
            a in trees(),
            b in trees(),
            omega in 0.1f64..=1.0,
        ) {
            let config = RelPmConfig { omega, ..RelPmConfig::default() };
            let score = |a, b| relpm(a, b, &config);
            prop_assert!((score(&a, &a) - 1.0).abs() < 1e-12);
            let s = score(&a, &b);
            prop_assert!((0.0..=1.0).contains(&s));
            let equal = a.subtree_hashes()[0] == b.subtree_hashes()[0];
            prop_assert_eq!(equal, s > 1.0 - 1e-9);
        }

        #[test]
        fn symmetric_at_beta_one(a in trees(), b in trees()) {
            let config = RelPmConfig { beta: 1.0, ..RelPmConfig::default() };
            prop_assert!((relpm(&a, &b, &config) - relpm(&b, &a, &config)).abs() < 1e-12);
        }
    }
}
