//! Candidates that answer the same: by canonical form, then by proof.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use twinql_gmn::GraphConfig;
use twinql_graph::vocabulary::Word;
use twinql_sql::prove::Side;
use twinql_sql::{Assumption, Nulls, Proof, Schema, Semantics, prove};

use super::config::{RerankConfig, Set};
use super::weights::Candidate;
use crate::names::Names;
use crate::network::Network;
use crate::prepare::{Read, SharedGraph, SideError, Under, read, translate};

/// Pairs of classes of one set for which a proof is tried.
const MOST_PROOFS: usize = 32;

/// The candidates of a set in classes.
#[derive(Debug, Default)]
pub(super) struct Classes {
    /// The places of the candidates of each class, in order; classes by their first candidate.
    pub(super) members: Vec<Vec<usize>>,
    /// What the candidates of each class have in common: that of its first.
    pub(super) forms: Vec<Form>,
    /// For each candidate why it is no query over the schema, if it is none.
    pub(super) errors: Vec<Option<String>>,
    /// Those of them that may be SQL all the same.
    pub(super) unsupported: Vec<bool>,
}

/// A candidate as it is compared.
#[derive(Debug)]
pub(super) struct Form {
    /// Its text in SQLite's SQL.
    sql: String,
    /// A hash of the canonical form.
    form: Option<u64>,
    /// Columns of its answer.
    pub(super) width: usize,
    /// The tables that its canonical form reads.
    tables: BTreeSet<String>,
    pub(super) graph: SharedGraph,
    pub(super) vacuous: Vec<Assumption>,
    pub(super) emptied: Option<SharedGraph>,
    /// The functions of its form.
    pub(super) names: Option<Names>,
}

impl Form {
    fn new(sql: String, read: Read) -> Form {
        let tables = match &read.graph {
            Ok(graph) => {
                let nodes = graph.graph().node_weights();
                nodes.filter(|n| n.word == Word::TABLE).filter_map(|n| n.content.clone()).collect()
            }
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

    /// The canonical forms are equal.
    fn equals(&self, other: &Form) -> bool {
        match (self.graph.as_ref(), other.graph.as_ref()) {
            (Ok(one), Ok(other)) if one.fingerprint() == other.fingerprint() => true,
            _ => self.form.is_some() && self.form == other.form,
        }
    }
}

impl Classes {
    /// Those of the candidates that are looked at, by the graphs that `network` reads.
    pub(super) fn of(
        set: &Set,
        candidates: &[Candidate],
        network: Option<&Network>,
        how: &RerankConfig,
    ) -> Classes {
        let dialect = set.dialect.unwrap_or(how.dialects.pred);
        let translated: Vec<Result<String, SideError>> = candidates
            .iter()
            .map(|c| translate(&set.schema, Side::Pred, c.sql.trim(), dialect).map(|t| t.sql))
            .collect();
        let texts = || translated.iter().filter_map(|t| t.as_deref().ok());
        let semantics = asked_by_any(&how.semantics, &set.schema, texts()).into_owned();
        let marks = match network {
            Some(network) => {
                asked_by_any(&network.conditioned_on(&semantics), &set.schema, texts()).into_owned()
            }
            None => semantics.clone(),
        };
        let under = Under { asked: semantics, marks };
        let config = network.map_or_else(GraphConfig::default, |n| n.graph());
        let mut classes = Classes::default();
        // What each text became: the same text is read once.
        let mut known: HashMap<&str, Result<usize, (bool, String)>> = HashMap::new();
        for (place, text) in translated.iter().enumerate() {
            let found = match text {
                Err(error) => Err((error.unsupported, error.message.clone())),
                Ok(sql) => known
                    .entry(sql)
                    .or_insert_with(|| {
                        let made = read(&set.schema, sql, &under, &config, &|_| true);
                        let made = made.and_then(|read| match &read.lacking {
                            Some(error) => Err(error.clone()),
                            None => Ok(read),
                        });
                        let read = made.map_err(|e| (e.unsupported, e.message))?;
                        // A query beyond the limits of a graph is compared by its form alone.
                        Ok(classes.add(Form::new(sql.clone(), read)))
                    })
                    .clone(),
            };
            match found {
                Ok(class) => {
                    if let Some(members) = classes.members.get_mut(class) {
                        members.push(place);
                    }
                    classes.errors.push(None);
                    classes.unsupported.push(false);
                }
                Err((unsupported, message)) => {
                    classes.errors.push(Some(message));
                    classes.unsupported.push(unsupported);
                }
            }
        }
        if how.proofs {
            classes.join_proved(&set.schema, &under.asked);
        }
        classes
    }

    /// The class of a form: a known one, or a new one.
    fn add(&mut self, form: Form) -> usize {
        if let Some(class) = self.forms.iter().position(|known| known.equals(&form)) {
            return class;
        }
        self.forms.push(form);
        self.members.push(Vec::new());
        self.forms.len() - 1
    }

    /// Joins classes that are proved equal. Equality of answers is transitive, but for order and ties: what is proved
    /// must hold both ways, and two classes join by their first candidates alone.
    fn join_proved(&mut self, schema: &Schema, semantics: &Semantics) {
        let mut into: BTreeMap<usize, usize> = BTreeMap::new();
        let mut tried = 0;
        for later in 1..self.forms.len() {
            for earlier in 0..later {
                if tried >= MOST_PROOFS || into.contains_key(&earlier) || into.contains_key(&later) {
                    continue;
                }
                let (Some(one), Some(other)) = (self.forms.get(earlier), self.forms.get(later)) else {
                    continue;
                };
                // Queries over other tables are rarely equal, and more rarely proved so.
                if one.width != other.width || one.tables != other.tables {
                    continue;
                }
                tried += 1;
                let equal = |a: &Form, b: &Form| {
                    matches!(prove(schema, &a.sql, &b.sql, semantics), Ok(Proof::Equal(_)))
                };
                if equal(one, other) && equal(other, one) {
                    into.insert(later, earlier);
                }
            }
        }
        if into.is_empty() {
            return;
        }
        let members = std::mem::take(&mut self.members);
        let forms = std::mem::take(&mut self.forms);
        let mut new_place: BTreeMap<usize, usize> = BTreeMap::new();
        for (class, (members, form)) in members.into_iter().zip(forms).enumerate() {
            match into.get(&class).and_then(|earlier| new_place.get(earlier)) {
                Some(&place) => {
                    if let Some(known) = self.members.get_mut(place) {
                        known.extend(members);
                        known.sort_unstable();
                    }
                }
                None => {
                    new_place.insert(class, self.members.len());
                    self.members.push(members);
                    self.forms.push(form);
                }
            }
        }
    }
}

/// The semantics for a set: where it is the gold that says which columns hold NULLs, all candidates say so together,
/// since any of them may be right.
fn asked_by_any<'s, 't>(
    semantics: &'s Semantics,
    schema: &Schema,
    texts: impl Iterator<Item = &'t str>,
) -> Cow<'s, Semantics> {
    if semantics.nulls != Nulls::Asked {
        return Cow::Borrowed(semantics);
    }
    let mut columns = BTreeSet::new();
    let distinct: BTreeSet<&str> = texts.collect();
    for text in distinct {
        columns.extend(semantics.for_gold_text(schema, text).nulls.asked());
    }
    // None is said as such: a proof would ask its first query again.
    Cow::Owned(Semantics { nulls: Nulls::In(columns), ..semantics.clone() })
}
