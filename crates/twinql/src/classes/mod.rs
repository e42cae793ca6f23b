//! Queries that answer the same, in classes: by canonical form, then by proof. What [`crate::rerank`] and
//! [`crate::cluster`] share.

mod near;

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use rayon::prelude::*;
use twinql_gmn::GraphConfig;
use twinql_graph::QueryGraph;
use twinql_graph::vocabulary::Word;
use twinql_sql::prove::{Side, Vacuous};
use twinql_sql::{Assumption, Dialect, Nulls, Proof, Schema, Semantics, prove};

use crate::batch::read_pairs;
use crate::names::Names;
use crate::network::Network;
use crate::prepare::{PairGraphs, Read, SharedGraph, SideError, Under, read, translate};

/// Why a query is in its class: the weakest reason that was needed, from the strongest to the weakest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Reason {
    /// It is the first of the class.
    #[default]
    First,
    /// Its canonical form is that of the first.
    Form,
    /// It is proved equal.
    Proof,
    /// The network takes it for equal.
    Network,
}

twinql_sql::named!(Reason: First "first", Form "form", Proof "proof", Network "gmn");

/// Queries over one schema in classes.
#[derive(Debug, Default)]
pub(crate) struct Classes {
    /// The places of the queries of each class, in order; classes by their first query.
    pub(crate) members: Vec<Vec<usize>>,
    /// What the queries of each class have in common: that of its first.
    pub(crate) forms: Vec<Form>,
    /// For each query why it is in its class.
    pub(crate) reasons: Vec<Reason>,
    /// For each query why it is not one over the schema, if it is not.
    pub(crate) errors: Vec<Option<String>>,
    /// Those of them that may be SQL all the same.
    pub(crate) unsupported: Vec<bool>,
    /// The semantics of their forms: all queries together say which columns hold NULLs, where the gold does.
    pub(crate) semantics: Semantics,
}

/// A query as it is compared.
#[derive(Debug)]
pub(crate) struct Form {
    /// Its text in SQLite's SQL.
    sql: String,
    /// A hash of the canonical form.
    form: Option<u64>,
    /// Columns of its answer.
    pub(crate) width: usize,
    /// The tables that its canonical form reads.
    tables: BTreeSet<String>,
    pub(crate) graph: SharedGraph,
    vacuous: Vec<Assumption>,
    emptied: Option<SharedGraph>,
    /// The functions of its form.
    names: Option<Names>,
}

impl Form {
    fn new(sql: String, read: Read) -> Form {
        let tables = match &read.graph {
            Ok(graph) => contents(graph, &[Word::TABLE]).map(|table| first_use(table).to_owned()).collect(),
            Err(_) => BTreeSet::new(),
        };
        Form {
            sql,
            form: read.form,
            width: read.width,
            tables,
            graph: Arc::new(read.graph),
            vacuous: read.vacuous,
            emptied: read.emptied.map(Arc::new),
            names: read.names,
        }
    }
}

/// The table of a node, whose second use in a query is called `singer#2`.
fn first_use(table: &str) -> &str {
    match table.rsplit_once('#') {
        Some((name, use_)) if use_.bytes().all(|b| b.is_ascii_digit()) => name,
        _ => table,
    }
}

/// The contents of a graph's nodes of these words.
fn contents<'g>(graph: &'g QueryGraph, words: &'g [Word]) -> impl Iterator<Item = &'g str> {
    let nodes = graph.graph().node_weights().filter(|node| words.contains(&node.word));
    nodes.filter_map(|node| node.content.as_deref())
}

/// Two forms as the network reads them.
fn graphs(gold: &Form, pred: &Form) -> PairGraphs {
    let emptied = match (&gold.emptied, &pred.emptied) {
        (None, None) => None,
        (one, other) => Some((
            one.clone().unwrap_or_else(|| Arc::clone(&gold.graph)),
            other.clone().unwrap_or_else(|| Arc::clone(&pred.graph)),
        )),
    };
    let names = gold.names.as_ref().zip(pred.names.as_ref());
    PairGraphs {
        gold: Arc::clone(&gold.graph),
        pred: Arc::clone(&pred.graph),
        identical: false,
        vacuous: Vacuous { gold: gold.vacuous.clone(), pred: pred.vacuous.clone() },
        emptied,
        names: names.map(|(gold, pred)| gold.apart(pred)).unwrap_or_default(),
        trees: None,
    }
}

/// The network's probability that two forms answer the same, for each pair. Its distance is the same both ways, but for
/// rounding: it is asked once.
pub(crate) fn probabilities(network: &Network, pairs: &[(&Form, &Form)]) -> Vec<f64> {
    let pairs: Vec<Option<PairGraphs>> = pairs.iter().map(|(one, other)| Some(graphs(one, other))).collect();
    let threshold = network.scorer().threshold();
    let said = read_pairs(network, &pairs).into_iter();
    said.map(|said| {
        let said = said.and_then(Result::ok);
        let probability =
            said.and_then(|s| s.probability(threshold, false, &|score| Some(score.probability)));
        probability.map_or(0.0, f64::from)
    })
    .collect()
}

impl Classes {
    /// The classes of `texts` by their canonical forms, with the graphs that `network` reads.
    pub(crate) fn of(
        schema: &Schema,
        dialect: Dialect,
        texts: &[&str],
        network: Option<&Network>,
        semantics: &Semantics,
    ) -> Classes {
        // The same text is read once.
        let mut numbers: HashMap<&str, usize> = HashMap::new();
        let mut distinct: Vec<&str> = Vec::new();
        let mut number = |text| {
            *numbers.entry(text).or_insert_with(|| {
                distinct.push(text);
                distinct.len() - 1
            })
        };
        let places: Vec<usize> = texts.iter().map(|text| number(text.trim())).collect();
        let translated: Vec<Result<String, SideError>> = distinct
            .par_iter()
            .map(|text| translate(schema, Side::Pred, text, dialect).map(|t| t.sql))
            .collect();
        let sqlite: Vec<&str> = translated.iter().filter_map(|t| t.as_deref().ok()).collect();
        let semantics = asked_by_any(semantics, schema, &sqlite).into_owned();
        let marks = match network {
            Some(network) => asked_by_any(&network.conditioned_on(&semantics), schema, &sqlite).into_owned(),
            None => semantics.clone(),
        };
        let under = Under { asked: semantics, marks };
        let config = network.map_or_else(GraphConfig::default, |n| n.graph());
        let forms: Vec<Result<Form, SideError>> = translated
            .into_par_iter()
            .map(|sql| {
                let sql = sql?;
                let mut made = read(schema, &sql, &under, &config, &|_| true)?;
                match made.lacking.take() {
                    Some(error) => Err(error),
                    // A query beyond the limits of a graph is compared by its form alone.
                    None => Ok(Form::new(sql, made)),
                }
            })
            .collect();
        let mut classes = Classes { semantics: under.asked, ..Classes::default() };
        classes.gather(forms, &places);
        classes
    }

    /// Puts each query into the class of its form; `places` says which form each has.
    fn gather(&mut self, forms: Vec<Result<Form, SideError>>, places: &[usize]) {
        // Classes by the hashes of the first query's form and graph.
        let mut by_form: HashMap<u64, usize> = HashMap::new();
        let mut by_graph: HashMap<u64, usize> = HashMap::new();
        let mut class_of: Vec<Result<usize, SideError>> = Vec::with_capacity(forms.len());
        for form in forms {
            class_of.push(form.map(|form| {
                let graph = form.graph.as_ref().as_ref().ok().map(QueryGraph::fingerprint);
                let hash = form.form;
                let known =
                    [graph.and_then(|graph| by_graph.get(&graph)), hash.and_then(|hash| by_form.get(&hash))];
                if let Some(&class) = known.into_iter().flatten().min() {
                    return class;
                }
                let class = self.forms.len();
                by_graph.extend(graph.map(|graph| (graph, class)));
                by_form.extend(hash.map(|hash| (hash, class)));
                self.forms.push(form);
                self.members.push(Vec::new());
                class
            }));
        }
        for (place, &form) in places.iter().enumerate() {
            let (mut reason, mut error, mut unsupported) = (Reason::First, None, false);
            match class_of.get(form) {
                Some(Ok(class)) => {
                    if let Some(members) = self.members.get_mut(*class) {
                        reason = if members.is_empty() { Reason::First } else { Reason::Form };
                        members.push(place);
                    }
                }
                Some(Err(e)) => (error, unsupported) = (Some(e.message.clone()), e.unsupported),
                None => {}
            }
            self.reasons.push(reason);
            self.errors.push(error);
            self.unsupported.push(unsupported);
        }
    }

    /// Joins classes that are proved equal, trying at most so many pairs, the most alike first. What is proved must hold
    /// both ways: else one of two answers may have less order than the other.
    pub(crate) fn join_proved(&mut self, schema: &Schema, semantics: &Semantics, most: usize) {
        let pairs = near::pairs(&self.forms, most);
        let equal = |one: usize, other: usize| {
            let (Some(one), Some(other)) = (self.forms.get(one), self.forms.get(other)) else { return false };
            let proved = |gold: &Form, pred: &Form| {
                matches!(prove(schema, &gold.sql, &pred.sql, semantics), Ok(Proof::Equal(_)))
            };
            proved(one, other) && proved(other, one)
        };
        let proved: Vec<(usize, usize)> =
            pairs.into_par_iter().filter(|&(one, other)| equal(one, other)).collect();
        let mut heads: Vec<usize> = (0..self.forms.len()).collect();
        for (one, other) in proved {
            let (one, other) = (head(&heads, one), head(&heads, other));
            if let Some(of_later) = heads.get_mut(one.max(other)) {
                *of_later = one.min(other);
            }
        }
        self.join(&heads, Reason::Proof);
    }

    /// Joins a class to an earlier one that the network takes for equal, with at least this probability, asking for at
    /// most so many pairs. What is likely is not transitive: a class that others have joined does not join one itself.
    pub(crate) fn join_likely(&mut self, network: &Network, threshold: f64, most: usize) {
        let pairs = near::pairs(&self.forms, most);
        let asked: Vec<(&Form, &Form)> = pairs
            .iter()
            .filter_map(|&(one, other)| Some((self.forms.get(one)?, self.forms.get(other)?)))
            .collect();
        let mut likely: Vec<(f64, (usize, usize))> =
            probabilities(network, &asked).into_iter().zip(pairs).filter(|(p, _)| *p >= threshold).collect();
        likely.sort_by(|(p, one), (q, other)| q.total_cmp(p).then(one.cmp(other)));
        let mut heads: Vec<usize> = (0..self.forms.len()).collect();
        let mut joined = vec![false; self.forms.len()];
        for (_, (earlier, later)) in likely {
            let is_head = heads.get(earlier) == Some(&earlier);
            if is_head && joined.get(later) == Some(&false) && heads.get(later) == Some(&later) {
                heads[later] = earlier;
                joined[earlier] = true;
            }
        }
        self.join(&heads, Reason::Network);
    }

    /// Joins each class to its head, which is the earlier one, for this reason.
    fn join(&mut self, heads: &[usize], reason: Reason) {
        let members = std::mem::take(&mut self.members);
        let forms = std::mem::take(&mut self.forms);
        let mut new_place: HashMap<usize, usize> = HashMap::new();
        for (class, (members, form)) in members.into_iter().zip(forms).enumerate() {
            let head = head(heads, class);
            match new_place.get(&head).and_then(|&place| self.members.get_mut(place)) {
                Some(known) => {
                    for &member in &members {
                        if let Some(own) = self.reasons.get_mut(member) {
                            *own = reason.max(*own);
                        }
                    }
                    known.extend(members);
                    known.sort_unstable();
                }
                None => {
                    new_place.insert(head, self.members.len());
                    self.members.push(members);
                    self.forms.push(form);
                }
            }
        }
    }
}

/// The class that a class has joined in the end.
fn head(heads: &[usize], mut class: usize) -> usize {
    while let Some(&next) = heads.get(class).filter(|&&next| next < class) {
        class = next;
    }
    class
}

/// The semantics for queries of which any may be right: where it is the gold that says which columns hold NULLs, all of
/// them say so together.
fn asked_by_any<'s>(semantics: &'s Semantics, schema: &Schema, texts: &[&str]) -> Cow<'s, Semantics> {
    if semantics.nulls != Nulls::Asked {
        return Cow::Borrowed(semantics);
    }
    let asked = |text: &&str| semantics.for_gold_text(schema, text).nulls.asked().collect::<Vec<_>>();
    let columns: BTreeSet<_> = texts.par_iter().flat_map_iter(asked).collect();
    // None is said as such: a proof would ask its first query again.
    Cow::Owned(Semantics { nulls: Nulls::In(columns), ..semantics.clone() })
}
