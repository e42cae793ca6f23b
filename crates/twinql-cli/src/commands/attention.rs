//! What the network sees in a pair, for `twinql explain`: attention between the two graphs, step
//! by step, and the alignment that it amounts to.

use anyhow::{Context, Result};
use serde::Serialize;
use twinql::Network;
use twinql::gmn::{Attention, AttentionStep, GraphConfig};
use twinql::graph::{Made, PairArrays, QueryGraph, agree};
use twinql::sql::spans::outermost;
use twinql::sql::{Expr, Plan, Schema, Semantics, Spans, TextRange, normalize_with_spans};

/// Weights below it are left out of files.
const FLOOR: f32 = 0.01;
/// Lines of the alignment that are printed.
const LINES: usize = 20;

/// One query as the network reads it.
struct Reading {
    /// `g` or `p`, which begins the ids of nodes, so that a line names nodes of both queries.
    letter: char,
    /// What the network gets.
    graph: QueryGraph,
    /// The node above each: the first that refers to it, where a subtree is shared.
    parents: Vec<Option<usize>>,
    /// Where each node comes from in the text.
    places: Vec<Vec<TextRange>>,
    /// For each node the bits that say what of it the other graph has too.
    agreement: Vec<u16>,
}

/// A pair as the network reads it.
pub(super) struct View {
    /// Its hash, as signatures have it.
    checkpoint: String,
    /// The semantics that the network answers for, which may be another than the one asked for.
    semantics: String,
    /// Both graphs are one: then there is nothing to align.
    identical: bool,
    /// What each node looks at in the other graph, step by step, and the score.
    attention: Attention,
    gold: Reading,
    pred: Reading,
}

/// A query's text, its plan as written, and the plan's places.
pub(super) type Written<'a> = (&'a str, &'a Plan, &'a Spans);

impl View {
    /// Runs the network over a pair: forms follow the semantics asked for, marks the nearest that the network knows.
    pub(super) fn new(
        network: &Network,
        schema: &Schema,
        [gold, pred]: [Written<'_>; 2],
        asked: &Semantics,
    ) -> Result<View> {
        // Probabilities as `score` has them.
        let network = &network.asked(network.question(), asked)?;
        let told = network.conditioned_on(asked);
        let plan = gold.1;
        let [form, marks] = [asked, &told].map(|semantics| semantics.for_gold(schema, plan));
        let mut gold = Reading::new(schema, gold, 'g', [&form, &marks], &network.graph())?;
        let mut pred = Reading::new(schema, pred, 'p', [&form, &marks], &network.graph())?;
        let pair = PairArrays::build(&gold.graph, &pred.graph, &network.encoding());
        let attention = network.scorer().attention(&pair).context("the network cannot read the pair")?;
        gold.agreement = pair.left_agreement;
        pred.agreement = pair.right_agreement;
        Ok(View {
            checkpoint: network.hash().to_owned(),
            semantics: told.name.clone(),
            identical: pair.identical,
            attention,
            gold,
            pred,
        })
    }

    /// For each node of the prediction that the gold does not hold as it is, the gold's node that
    /// it attends to most, and how much.
    fn alone(&self) -> Vec<(usize, usize, f32)> {
        let matches = self.attention.matches().into_iter().enumerate();
        let alone = matches.filter(|(node, _)| !self.identical && self.pred.is_alone(*node));
        alone.map(|(node, best)| (node, best.gold, best.weight)).collect()
    }

    /// The alignment for people; `network` names the checkpoint.
    pub(super) fn text(&self) -> String {
        let score = &self.attention.score;
        let mut out = format!(
            "network (semantics {}): probability {:.4}, distance {:.4}\n",
            self.semantics, score.probability, score.distance
        );
        if let Some([gold, pred]) = self.gold.graph.widths_apart(&self.pred.graph) {
            out.push_str(&format!(
                "  columns of the answers: {gold} of the gold, {pred} of the prediction\n"
            ));
        }
        let alone = self.alone();
        if alone.is_empty() {
            out.push_str("  every part of the prediction is found again in the gold\n");
            return out;
        }
        out.push_str("  parts of the prediction alone, and what they attend to most in the gold:\n");
        let label = |(node, gold, weight): &(usize, usize, f32)| {
            (self.pred.label(*node), self.gold.label(*gold), *weight)
        };
        let shown: Vec<_> = alone.iter().take(LINES).map(label).collect();
        let width = |label: &String| label.chars().count();
        let left = shown.iter().map(|(pred, ..)| width(pred)).max().unwrap_or(0);
        let right = shown.iter().map(|(_, gold, _)| width(gold)).max().unwrap_or(0);
        for (pred, gold, weight) in &shown {
            out.push_str(&format!("    {pred:left$}  ~  {gold:right$}  {weight:.2}\n"));
        }
        if alone.len() > LINES {
            let more = alone.len() - LINES;
            out.push_str(&format!("    … and {more} more; --attention FILE holds all\n"));
        }
        out
    }

    /// What `--format json` of `explain` holds of it.
    pub(super) fn summary(&self) -> Summary {
        let aligned =
            |(node, gold, weight)| Aligned { pred: self.pred.id(node), gold: self.gold.id(gold), weight };
        Summary {
            checkpoint: self.checkpoint.clone(),
            semantics: self.semantics.clone(),
            distance: self.attention.score.distance,
            probability: self.attention.score.probability,
            alignment: self.alone().into_iter().map(aligned).collect(),
        }
    }

    /// The file of `--attention`.
    pub(super) fn document(&self) -> Document<'_> {
        let list = |matrix: &[f32], rows: &Reading, columns: &Reading| {
            AttentionStep::sparse(matrix, columns.graph.node_count(), FLOOR)
                .into_iter()
                .map(|(row, column, weight)| (rows.id(row), columns.id(column), weight))
                .collect()
        };
        let step = |(i, step): (usize, &AttentionStep)| Step {
            step: i + 1,
            gold_over_pred: list(&step.gold_over_pred, &self.gold, &self.pred),
            pred_over_gold: list(&step.pred_over_gold, &self.pred, &self.gold),
        };
        Document {
            format: 1,
            network: self.summary(),
            floor: FLOOR,
            gold: self.gold.nodes(),
            pred: self.pred.nodes(),
            steps: self.attention.steps.iter().enumerate().map(step).collect(),
        }
    }
}

impl Reading {
    fn new(
        schema: &Schema,
        (sql, plan, spans): Written<'_>,
        letter: char,
        [semantics, marks]: [&Semantics; 2],
        config: &GraphConfig,
    ) -> Result<Reading> {
        let (form, spans) = normalize_with_spans(schema, plan.clone(), spans, semantics);
        let (graph, made) = if *config == GraphConfig::default() {
            QueryGraph::lower_traced(schema, &form.plan, marks)?
        } else {
            // Networks of ablations: their graphs come without places.
            let graph = twinql::prepare::graph(schema, sql, semantics, config)?;
            let made = vec![None; graph.node_count()];
            (graph, made)
        };
        let mut parents = vec![None; graph.node_count()];
        for (parent, children) in graph.children().into_iter().enumerate() {
            for child in children {
                if let Some(entry) = parents.get_mut(child) {
                    *entry = Some(parent);
                }
            }
        }
        Ok(Reading { letter, places: places(&parents, &made, &spans), parents, graph, agreement: Vec::new() })
    }

    /// As `explain --dot` names it.
    fn id(&self, node: usize) -> String {
        format!("{}{node}", self.letter)
    }

    /// Whether the other graph holds neither the node's subtree, nor the node in the same place.
    fn is_alone(&self, node: usize) -> bool {
        let found = agree::SUBTREE | agree::PATH;
        self.agreement.get(node).is_none_or(|code| code & found == 0)
    }

    /// Id, word and content.
    fn label(&self, node: usize) -> String {
        let mut label = self.id(node);
        if let Some(n) = self.graph.node(node) {
            label.push(' ');
            label.push_str(n.word.name());
            if let Some(content) = &n.content {
                label.push(' ');
                label.extend(content.chars().take(40).map(|c| if c.is_control() { ' ' } else { c }));
            }
        }
        label
    }

    fn nodes(&self) -> Vec<NodeRecord<'_>> {
        let nodes = self.graph.graph().node_weights().enumerate();
        let record = nodes.map(|(index, node)| NodeRecord {
            id: self.id(index),
            parent: self.parents.get(index).copied().flatten().map(|p| self.id(p)),
            word: node.word.name(),
            tag: node.tag.name(),
            content: node.content.as_deref(),
            alone: self.is_alone(index),
            spans: self.places.get(index).map(Vec::as_slice).unwrap_or_default(),
        });
        record.collect()
    }
}

/// Where in the query each node comes from: its own place; else that of the expression around it;
/// else those of what lies below it.
fn places(parents: &[Option<usize>], made: &[Option<Made<'_>>], spans: &Spans) -> Vec<Vec<TextRange>> {
    let mut places: Vec<Vec<TextRange>> = made
        .iter()
        .map(|made| match made {
            Some(Made::Expr(expr)) => spans.places(expr),
            Some(Made::Use(column)) => spans.places(&Expr::Column(*column)),
            Some(Made::Producer(column)) => spans.of_column(*column).into_iter().collect(),
            None => Vec::new(),
        })
        .collect();
    // Parents precede their children.
    let above = |places: &[Vec<TextRange>], node: usize| -> Vec<TextRange> {
        let parent = parents.get(node).copied().flatten();
        parent.map_or_else(Vec::new, |p| places[p].clone())
    };
    for node in 0..places.len() {
        if places[node].is_empty() {
            places[node] = above(&places, node);
        }
    }
    let known: Vec<bool> = places.iter().map(|p| !p.is_empty()).collect();
    for node in (0..places.len()).rev() {
        let parent = parents.get(node).copied().flatten();
        if let Some(parent) = parent.filter(|p| !known[*p]) {
            let so_far = std::mem::take(&mut places[parent]);
            places[parent] = outermost([so_far.as_slice(), &places[node]].concat());
        }
    }
    places
}

/// The wire type of the file.
#[derive(Debug, Serialize)]
pub(super) struct Document<'a> {
    format: u32,
    network: Summary,
    /// Weights below it are left out; the greatest of each row never is.
    floor: f32,
    gold: Vec<NodeRecord<'a>>,
    pred: Vec<NodeRecord<'a>>,
    steps: Vec<Step>,
}

/// The network's word on the pair.
#[derive(Debug, Serialize)]
pub(super) struct Summary {
    checkpoint: String,
    /// What the network answers for.
    semantics: String,
    distance: f32,
    probability: f32,
    alignment: Vec<Aligned>,
}

/// A node of the prediction without an equal counterpart, and its best match.
#[derive(Debug, Serialize)]
pub(super) struct Aligned {
    pred: String,
    gold: String,
    /// Attention, the mean over all steps.
    weight: f32,
}

#[derive(Debug, Serialize)]
struct NodeRecord<'a> {
    id: String,
    parent: Option<String>,
    word: &'static str,
    tag: &'static str,
    content: Option<&'a str>,
    /// It has no equal counterpart in the other graph.
    alone: bool,
    /// Where in the query it comes from.
    spans: &'a [TextRange],
}

/// The attention of one propagation step: from, to, weight.
#[derive(Debug, Serialize)]
struct Step {
    step: usize,
    gold_over_pred: Vec<(String, String, f32)>,
    pred_over_gold: Vec<(String, String, f32)>,
}
