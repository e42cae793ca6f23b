//! A pair checked and laid out for the network: both graphs' nodes in one list.

use std::sync::Arc;

use twinql_graph::{
    GraphArrays, PairArrays,
    agree::CODES,
    codes::{Contents, coded},
};

use crate::{config::GmnConfig, error::ModelError, text, weights::EDGE_KINDS};

/// Most nodes on one side; attention costs the product of both sides.
pub(crate) const MAX_NODES: usize = 4_096;
/// Most edges on one side.
const MAX_EDGES: usize = 65_536;

/// A pair ready for the network. Rows are nodes: the left graph's, then the right graph's.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Prepared {
    /// Nodes of the left graph.
    pub left: usize,
    /// Nodes of the right graph.
    pub right: usize,
    /// Words of the vocabulary.
    pub words: Vec<u32>,
    /// Rows of the table of facts: tag and agreement code; empty where neither is used.
    pub tags: Vec<u32>,
    /// For each node its string in `texts`.
    pub text_of: Vec<Option<u32>>,
    /// Distinct strings as character classes.
    pub texts: Vec<Arc<[u8]>>,
    /// Incoming edges of node v are `starts[v]..starts[v + 1]` of `sources` and `kinds`.
    pub starts: Vec<u32>,
    /// Where each edge starts.
    pub sources: Vec<u32>,
    /// Its kind and direction.
    pub kinds: Vec<u8>,
    /// Random-walk encodings, nodes × K.
    pub positions: Vec<f32>,
    /// What each node is compared by with those of the other graph; empty where relations are not used.
    pub views: Vec<[u32; 3]>,
    /// The two canonical forms are equal.
    pub identical: bool,
}

/// One graph of a pair, as it came.
struct OneGraph<'a> {
    name: &'static str,
    graph: &'a GraphArrays,
    positions: &'a [f32],
    agreement: &'a [u16],
    /// Each node's string; those of `graph`, unless names are not to be read.
    contents: &'a [Option<u32>],
    strings: &'a [String],
}

impl OneGraph<'_> {
    fn nodes(&self) -> usize {
        self.graph.words.len()
    }

    fn error(&self, reason: impl std::fmt::Display) -> ModelError {
        ModelError::Input(format!("{} graph: {reason}", self.name))
    }

    /// Refuses sizes beyond the limits, lists that do not fit each other, and what the vocabulary does not have.
    fn check(&self, config: &GmnConfig) -> Result<(), ModelError> {
        let (graph, nodes) = (self.graph, self.nodes());
        if nodes == 0 {
            return Err(self.error("it has no nodes"));
        }
        if nodes > MAX_NODES || graph.edges.len() > MAX_EDGES {
            return Err(self.error(format!(
                "{nodes} nodes and {} edges exceed the limits of {MAX_NODES} and {MAX_EDGES}",
                graph.edges.len()
            )));
        }
        if graph.contents.len() != nodes || (config.use_tags && graph.tags.len() != nodes) {
            return Err(self.error("its lists differ in length"));
        }
        if let Some(word) = graph.words.iter().find(|&&w| usize::from(w) >= config.words) {
            return Err(self.error(format!("word {word} is not in the vocabulary")));
        }
        if config.use_tags
            && let Some(tag) = graph.tags.iter().find(|&&t| usize::from(t) >= config.tags)
        {
            return Err(self.error(format!("tag {tag} is not in the vocabulary")));
        }
        let unknown = |&code: &u16| usize::from(code) >= CODES;
        if config.use_agreement && (self.agreement.len() != nodes || self.agreement.iter().any(unknown)) {
            return Err(self.error("its agreement codes do not fit its nodes"));
        }
        if config.use_relations && graph.views.len() != nodes {
            return Err(self.error("its views do not fit its nodes"));
        }
        if config.use_positions && self.positions.len() != nodes * config.walk_steps {
            return Err(self.error("its encodings do not fit its nodes"));
        }
        if config.use_positions && self.positions.iter().any(|p| !p.is_finite()) {
            return Err(self.error("its encodings are not finite"));
        }
        Ok(())
    }
}

impl Prepared {
    /// Checks a pair, and lays it out.
    ///
    /// # Errors
    /// [`ModelError::Input`] for a graph that the network cannot read.
    pub fn new(pair: &PairArrays, config: &GmnConfig) -> Result<Prepared, ModelError> {
        if config.use_positions && pair.steps != config.walk_steps {
            return Err(ModelError::Input(format!(
                "encodings have {} walk steps, the network reads {}",
                pair.steps, config.walk_steps
            )));
        }
        let (left, right) = (pair.left.words.len(), pair.right.words.len());
        let mut prepared = Prepared {
            left,
            right,
            words: Vec::with_capacity(left + right),
            tags: Vec::with_capacity(left + right),
            text_of: Vec::with_capacity(left + right),
            starts: vec![0; left + right + 1],
            identical: pair.identical,
            ..Prepared::default()
        };
        let codes = (!config.use_names).then(|| coded(pair));
        let (left_codes, right_codes) = codes.as_ref().map(|(left, right)| (left, right)).unzip();
        let sides = [
            ("left", &pair.left, &pair.left_positions, &pair.left_agreement, left_codes),
            ("right", &pair.right, &pair.right_positions, &pair.right_agreement, right_codes),
        ];
        let mut directed = Vec::new();
        for (name, graph, positions, agreement, codes) in sides {
            let (contents, strings) = strings(graph, codes);
            let side = &OneGraph { name, graph, positions, agreement, contents, strings };
            side.check(config)?;
            // Nodes of the other graph before these.
            let base = prepared.words.len() as u32;
            prepared.add_nodes(side, config)?;
            add_edges(side, base, &mut directed)?;
            if config.use_positions {
                prepared.positions.extend_from_slice(side.positions);
            }
            if config.use_relations {
                prepared.views.extend_from_slice(&side.graph.views);
            }
        }
        prepared.set_edges(directed);
        Ok(prepared)
    }

    /// Words, facts and strings of a graph's nodes. Strings of both graphs that are alike are one.
    fn add_nodes(&mut self, side: &OneGraph<'_>, config: &GmnConfig) -> Result<(), ModelError> {
        let graph = side.graph;
        self.words.extend(graph.words.iter().map(|&w| u32::from(w)));
        if config.fact_rows().is_some() {
            let codes = if config.use_agreement { CODES as u32 } else { 1 };
            self.tags.extend((0..side.nodes()).map(|node| {
                // `check` has seen that the lists in use are as long as there are nodes.
                let tag = if config.use_tags { graph.tags[node] } else { 0 };
                let code = if config.use_agreement { side.agreement[node] } else { 0 };
                u32::from(tag) * codes + u32::from(code)
            }));
        }
        let mut local = Vec::with_capacity(side.strings.len());
        for string in side.strings {
            let codes = text::classes(string, config.string_length);
            let known = self.texts.iter().position(|t| **t == *codes);
            local.push(known.unwrap_or_else(|| {
                self.texts.push(codes.into());
                self.texts.len() - 1
            }) as u32);
        }
        for content in side.contents {
            let text = content.map(|index| {
                let text = local.get(index as usize).copied();
                text.ok_or_else(|| side.error(format!("string {index} does not exist")))
            });
            self.text_of.push(text.transpose()?);
        }
        Ok(())
    }

    /// Sorted by target and source, so that a node's sum does not depend on the order in
    /// which edges were listed.
    fn set_edges(&mut self, mut directed: Vec<(u32, u32, u8)>) {
        directed.sort_unstable();
        for &(target, _, _) in &directed {
            self.starts[target as usize + 1] += 1;
        }
        let mut sum = 0;
        for start in &mut self.starts {
            sum += *start;
            *start = sum;
        }
        self.sources = directed.iter().map(|e| e.1).collect();
        self.kinds = directed.iter().map(|e| e.2).collect();
    }

    /// Nodes of both graphs.
    pub fn nodes(&self) -> usize {
        self.left + self.right
    }

    /// What each left node has in common with each right one, a row for each left node: codes below
    /// [`RELATIONS`](crate::config::RELATIONS). Empty where relations are not used.
    pub fn relations(&self) -> Vec<u8> {
        if self.views.is_empty() {
            return Vec::new();
        }
        let (left, right) = self.views.split_at(self.left);
        let (left_words, right_words) = self.words.split_at(self.left);
        let mut codes = Vec::with_capacity(self.left * self.right);
        for (own, word) in left.iter().zip(left_words) {
            codes.extend(right.iter().zip(right_words).map(|(other, other_word)| {
                u8::from(word == other_word)
                    | u8::from(own[0] == other[0]) << 1
                    | u8::from(own[1] == other[1]) << 2
                    | u8::from(own[2] == other[2]) << 3
            }));
        }
        codes
    }

    /// Incoming edges of a node: sources and kinds.
    pub fn incoming(&self, node: usize) -> impl Iterator<Item = (usize, usize)> {
        let edges = self.starts[node] as usize..self.starts[node + 1] as usize;
        let (sources, kinds) = (&self.sources[edges.clone()], &self.kinds[edges]);
        sources.iter().zip(kinds).map(|(&s, &k)| (s as usize, usize::from(k)))
    }
}

/// The strings that the network reads of a graph: its own, or those with codes for names.
fn strings<'a>(graph: &'a GraphArrays, coded: Option<&'a Contents>) -> (&'a [Option<u32>], &'a [String]) {
    match coded {
        Some(coded) => (&coded.contents, &coded.strings),
        None => (&graph.contents, &graph.strings),
    }
}

/// Both directions of a graph's edges: (target, source, kind).
fn add_edges(side: &OneGraph<'_>, base: u32, directed: &mut Vec<(u32, u32, u8)>) -> Result<(), ModelError> {
    let back = (EDGE_KINDS / 2) as u8;
    for &(from, to, kind) in &side.graph.edges {
        if from as usize >= side.nodes() || to as usize >= side.nodes() || kind >= back {
            return Err(side.error(format!("edge ({from}, {to}, {kind}) is out of range")));
        }
        let (from, to) = (from + base, to + base);
        directed.push((to, from, kind));
        directed.push((from, to, kind + back));
    }
    Ok(())
}
