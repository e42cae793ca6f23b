//! CodeBLEU of two queries (Ren et al. 2020), over their syntax trees or, as FuncEvalGMN has it (Zhan et al.
//! 2024, section 5.2), over their relational operator trees.
//!
//! ```text
//! CodeBLEU = (BLEU + BLEU_w + M_tree + M_flow) / 4
//! BLEU     as the metric `bleu`
//! BLEU_w   = BP · Σ μ(t) · min(count in prediction, count in gold) / Σ μ(t) · count in prediction
//!            over tokens t (1-grams, as Ren et al. have it), where μ is 5 for keywords of SQL and 1 for others
//! M_tree   = common subtrees / subtrees of the gold
//! M_flow   = common data-flow edges / data-flow edges of the gold
//! ```
//!
//! A subtree is a node that has children, with all below it. Leaves count by their kind and not by their text,
//! and the order of children is left aside: what a query is called by is the business of the other parts. A
//! data-flow edge goes from where a column is made to its first use, and from each use to the next; it counts
//! by the column's name, and by the operators that both ends stand in. A syntax tree resolves no names, so that
//! both forms of the metric read the data flow of the operator trees. Subtrees and edges are counted as often as
//! they stand in both. The parts that the gold has nothing for (no subtree, no edge) are left out of the mean.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use twinql_graph::vocabulary::Word;
use twinql_graph::{EdgeKind, Node, QueryGraph};

use crate::classic::bleu::{bleu, brevity, texts};
use crate::classic::tokens::{Kind, Token, tokens};
use crate::classic::{Pair, Scored};

/// How much a keyword counts against another token.
const KEYWORD_WEIGHT: f64 = 5.0;

/// CodeBLEU with subtrees of syntax trees or of relational operator trees.
pub fn code_bleu(pair: &Pair<'_>, gold_tree: &QueryGraph, pred_tree: &QueryGraph) -> Scored {
    let (gold, pred) = (tokens(pair.schema, &pair.gold), tokens(pair.schema, &pair.pred));
    let parts = [
        ("bleu", Some(bleu(&texts(&gold), &texts(&pred), &|_| true))),
        ("weighted_bleu", Some(weighted(&gold, &pred))),
        ("subtrees", share(subtrees(gold_tree), subtrees(pred_tree))),
        ("data_flow", share(flows(pair.gold.rot), flows(pair.pred.rot))),
    ];
    let there: Vec<f64> = parts.iter().filter_map(|(_, part)| *part).collect();
    let mut scored = Scored::from(there.iter().sum::<f64>() / there.len().max(1) as f64);
    for (name, part) in parts {
        scored.details.insert(name.into(), part.into());
    }
    scored
}

/// BLEU of single tokens, of which keywords count more.
fn weighted(gold: &[Token], pred: &[Token]) -> f64 {
    if pred.is_empty() {
        return f64::from(u8::from(gold.is_empty()));
    }
    let expected = counts(gold);
    let (mut common, mut total) = (0.0, 0.0);
    // In the order of the text: floating-point sums depend on it.
    let mut seen: HashMap<&Token, usize> = HashMap::new();
    for token in pred {
        let weight = if token.kind == Kind::Keyword { KEYWORD_WEIGHT } else { 1.0 };
        let times = seen.entry(token).or_default();
        *times += 1;
        total += weight;
        if *times <= *expected.get(token).unwrap_or(&0) {
            common += weight;
        }
    }
    brevity(gold.len(), pred.len()) * common / total
}

fn counts<T: Hash + Eq>(items: impl IntoIterator<Item = T>) -> HashMap<T, usize> {
    let mut counts = HashMap::new();
    for item in items {
        *counts.entry(item).or_default() += 1;
    }
    counts
}

/// The share of the gold's items that the prediction has as well; none where the gold has none.
fn share(gold: Vec<u64>, pred: Vec<u64>) -> Option<f64> {
    let total = gold.len();
    let pred = counts(pred);
    let common: usize =
        counts(gold).iter().map(|(item, count)| *count.min(pred.get(item).unwrap_or(&0))).sum();
    (total > 0).then(|| common as f64 / total as f64)
}

/// A hash of each subtree that is more than a leaf.
fn subtrees(graph: &QueryGraph) -> Vec<u64> {
    let children = graph.children();
    let mut hashes = vec![0u64; children.len()];
    let mut found = Vec::new();
    // Parents precede their children, so the reverse order is bottom-up.
    for (at, below) in children.iter().enumerate().rev() {
        let Some(node) = graph.node(at) else { continue };
        let kept = below.iter().filter(|&&child| !graph.node(child).is_some_and(assumed));
        let mut of_children: Vec<u64> = kept.filter_map(|&child| hashes.get(child).copied()).collect();
        of_children.sort_unstable();
        // A keyword or a function without a word of its own is told by its text.
        let text = node.content.as_deref().filter(|_| node.word == Word::UNKNOWN_FUNCTION);
        let hash = hash_of(&(node.word, text, &of_children));
        if let Some(slot) = hashes.get_mut(at) {
            *slot = hash;
        }
        // What is assumed is no part of a query; it is a child of the root alone.
        if !of_children.is_empty() && !assumed(node) {
            found.push(hash);
        }
    }
    found
}

fn assumed(node: &Node) -> bool {
    node.word == Word::ASSUME
}

/// A hash of each data-flow edge.
fn flows(graph: &QueryGraph) -> Vec<u64> {
    let mut parents: Vec<Option<Word>> = vec![None; graph.node_count()];
    for (parent, children) in graph.children().iter().enumerate() {
        for &child in children {
            if let Some(slot) = parents.get_mut(child) {
                *slot = graph.node(parent).map(|n| n.word);
            }
        }
    }
    let end = |at: usize| {
        let node = graph.node(at);
        (node.map(|n| (n.word, n.content.clone())), parents.get(at).copied().flatten())
    };
    let edges = graph.graph().raw_edges().iter().filter(|edge| edge.weight == EdgeKind::Data);
    edges.map(|edge| hash_of(&(end(edge.source().index()), end(edge.target().index())))).collect()
}

/// The same for equal items, whatever the machine and the run.
fn hash_of(item: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    item.hash(&mut hasher);
    hasher.finish()
}
