//! Transformed inputs with both predictions, as queries over the original schema.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::sync::Arc;

use anyhow::Result;
use serde_json::{Value, json};
use twinql::input::Schemas;
use twinql::metrics::Hardness;
use twinql::sql::{Schema, SqlError, parse, plan};
use twinql::{Engine, Job, Work};
use twinql_perturb::consistency::{Call, Judged, same_text};
use twinql_perturb::predictions::{Input, Predictions, inputs};
use twinql_perturb::translate::{Seen, seen};
use twinql_perturb::{PerturbError, Relation, relation};

use crate::commands::hardness_of;

/// What two predictions for one question are to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    /// The same text.
    SameText,
    /// One of them is no query over its schema.
    OneInvalid(Side),
    /// Neither is, and the texts differ.
    NeitherValid,
    /// A pair to be scored, by number.
    Pair(usize),
}

/// Which prediction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    /// Over the schema as it was.
    Original,
    /// Over the transformed schema, and read back through the mapping before it is compared.
    Transformed,
}

/// An input with both predictions.
#[derive(Debug, Clone)]
pub(super) struct Compared {
    pub(super) id: String,
    pub(super) origin: usize,
    pub(super) relation: &'static str,
    pub(super) question: String,
    /// The question as it was.
    pub(super) asked: String,
    pub(super) hardness: Option<Hardness>,
    /// The prediction for the original.
    pub(super) original: String,
    /// The prediction for the transformed input, as it stands.
    pub(super) transformed: String,
    /// What of the schema changed, in words.
    pub(super) change: String,
    pub(super) outcome: Outcome,
    /// Why a prediction is no query.
    pub(super) why: Option<String>,
}

impl Compared {
    /// What the rates are computed from: the calls, and the groups that the input is in.
    pub(super) fn judged(&self, calls: Vec<Call>) -> Judged {
        Judged { origin: self.origin, relation: self.relation, hardness: self.hardness, calls }
    }

    /// A line for programs.
    pub(super) fn line(&self, engine: &Engine, calls: &[Call]) -> Value {
        let calls: serde_json::Map<String, Value> =
            engine.metrics().iter().zip(calls).map(|(m, call)| (m.name.to_owned(), json!(call))).collect();
        json!({
            "id": self.id,
            "origin": self.origin,
            "relation": self.relation,
            "hardness": self.hardness.map(Hardness::name),
            "same_text": self.outcome == Outcome::SameText,
            "calls": calls,
            "error": self.why,
        })
    }
}

/// All inputs.
#[derive(Default)]
pub(super) struct Read {
    /// Transformed inputs in the file.
    pub(super) inputs: usize,
    pub(super) compared: Vec<Compared>,
    /// Pairs of predictions that are scored, each once.
    pub(super) distinct: Vec<Job>,
    /// Numbers of originals without a prediction.
    pub(super) without_original: Vec<String>,
    /// Ids of inputs without a prediction.
    pub(super) without_transformed: Vec<String>,
    /// Ids of inputs whose original schema is not there.
    pub(super) without_schema: Vec<String>,
    unpaired: usize,
}

/// Schemas and predictions while inputs are read.
struct Reading<'s> {
    /// Original schemas.
    schemas: &'s Schemas,
    /// By the number of the question.
    originals: Predictions,
    /// By the id of the input.
    transformed: Predictions,
    /// Transformed schemas by name.
    new: HashMap<String, Option<Arc<Schema>>>,
    /// Distinct pairs by original database and texts.
    known: HashMap<(String, String, String), usize>,
    /// What a prediction over a transformed schema is over the original one.
    translated: HashMap<(String, String), Seen>,
    /// Originals without a prediction, each once, however many inputs come of it.
    lost_originals: BTreeSet<usize>,
}

impl Read {
    pub(super) fn new(
        questions: &Path,
        originals: &Path,
        transformed: &Path,
        schemas: &Schemas,
    ) -> Result<Read> {
        let (mut ids, mut last) = (Vec::new(), 0);
        inputs(questions, |input: Input| -> Result<(), PerturbError> {
            last = last.max(input.origin);
            ids.push(input.id);
            Ok(())
        })?;
        let mut reading = Reading {
            schemas,
            originals: originals_of(originals, last)?,
            transformed: Predictions::read(transformed, &ids)?,
            new: HashMap::new(),
            known: HashMap::new(),
            translated: HashMap::new(),
            lost_originals: BTreeSet::new(),
        };
        let mut read = Read { inputs: ids.len(), ..Read::default() };
        inputs(questions, |input: Input| -> Result<(), PerturbError> {
            let paired = reading.add(input, &mut read)?;
            read.unpaired += usize::from(!paired);
            Ok(())
        })?;
        read.without_original = reading.lost_originals.iter().map(usize::to_string).collect();
        Ok(read)
    }

    /// Inputs that are not compared.
    pub(super) fn missing(&self) -> usize {
        self.unpaired
    }

    /// What inputs that are not compared lack, with their ids.
    pub(super) fn lacking(&self) -> [(&'static str, &[String]); 3] {
        [
            ("originals without a prediction", &self.without_original),
            ("transformed inputs without a prediction", &self.without_transformed),
            ("inputs without a schema", &self.without_schema),
        ]
    }

    /// Inputs for which both predictions are the same text.
    pub(super) fn same_text(&self) -> usize {
        self.compared.iter().filter(|c| c.outcome == Outcome::SameText).count()
    }

    /// Whether the second query of a pair is one over the schema.
    pub(super) fn is_query(&self, number: usize) -> bool {
        match self.distinct.get(number).map(|job| &job.work) {
            Some(Work::Pair { schema, pred, .. }) => is_query(schema, pred).is_ok(),
            _ => false,
        }
    }
}

/// Predictions for originals: a file of lines may go on behind the last original that an input comes from.
fn originals_of(path: &Path, last: usize) -> Result<Predictions> {
    let bytes = twinql::corpus::io::read_bytes(path)?;
    let lines = twinql::corpus::io::lines(&bytes).count();
    let ids: Vec<String> = (0..lines.max(last + 1)).map(|i| i.to_string()).collect();
    Ok(Predictions::read(path, &ids)?)
}

/// Whether a prediction is valid. What is beyond the planner's limits may be a query and counts as one: the metrics say
/// then that they cannot tell.
fn is_query(schema: &Schema, sql: &str) -> Result<(), String> {
    match parse(sql).and_then(|parsed| plan(schema, &parsed)) {
        Ok(_) | Err(SqlError::Unsupported { .. } | SqlError::TooLarge { .. }) => Ok(()),
        Err(error) => Err(error.to_string()),
    }
}

impl Reading<'_> {
    /// Takes an input; false where it is not compared.
    fn add(&mut self, input: Input, read: &mut Read) -> Result<bool, PerturbError> {
        let original = self.originals.get(&input.origin.to_string()).map(str::to_owned);
        let transformed = self.transformed.get(&input.id).map(str::to_owned);
        if original.is_none() {
            self.lost_originals.insert(input.origin);
        }
        if transformed.is_none() {
            read.without_transformed.push(input.id.clone());
        }
        let (Some(original), Some(transformed)) = (original, transformed) else { return Ok(false) };
        let Ok(old) = self.schemas.get(&input.mapping.db_id) else {
            read.without_schema.push(input.id);
            return Ok(false);
        };
        let Some(relation) = relation(&input.relation) else {
            let known = "the relation is not one of this version";
            return Err(PerturbError::Setting(format!("{}: {known}: {:?}", input.id, input.relation)));
        };
        let (outcome, why) = self.outcome(&input, &old, &original, &transformed, &mut read.distinct);
        read.compared.push(Compared {
            hardness: hardness_of(&input.gold),
            change: change(&input, &old, relation),
            asked: input.original,
            id: input.id,
            origin: input.origin,
            relation: relation.name,
            question: input.question,
            original,
            transformed,
            outcome,
            why,
        });
        Ok(true)
    }

    /// What becomes of one input. Both predictions are compared over the original schema, so that only pairs of valid,
    /// different queries go to the metrics. The rest is decided here, and each distinct pair is scored once.
    fn outcome(
        &mut self,
        input: &Input,
        old: &Arc<Schema>,
        original: &str,
        transformed: &str,
        distinct: &mut Vec<Job>,
    ) -> (Outcome, Option<String>) {
        let text = match self.seen(input, old, transformed) {
            Seen::Query(text) => text,
            Seen::Invalid(why) => {
                return match (is_query(old, original), same_text(original, transformed)) {
                    (Ok(()), _) => (Outcome::OneInvalid(Side::Transformed), Some(why)),
                    (Err(_), true) => (Outcome::SameText, Some(why)),
                    (Err(_), false) => (Outcome::NeitherValid, Some(why)),
                };
            }
        };
        if same_text(original, &text) {
            return (Outcome::SameText, None);
        }
        if let Err(why) = is_query(old, original) {
            return match is_query(old, &text) {
                Ok(()) => (Outcome::OneInvalid(Side::Original), Some(why)),
                Err(_) => (Outcome::NeitherValid, Some(why)),
            };
        }
        let number = *self.known.entry((old.db_id.clone(), original.to_owned(), text)).or_insert_with_key(
            |(_, gold, pred)| {
                let work = Work::Pair { schema: old.clone(), gold: gold.clone(), pred: pred.clone() };
                distinct.push(Job::new(Value::from(input.id.as_str()), work));
                distinct.len() - 1
            },
        );
        (Outcome::Pair(number), None)
    }

    /// The prediction over the original schema. Of an input whose schema is the original it is the text itself,
    /// which is compared as it stands.
    fn seen(&mut self, input: &Input, old: &Schema, text: &str) -> Seen {
        if input.mapping.db_id == input.db_id {
            return Seen::Query(text.to_owned());
        }
        let key = (input.db_id.clone(), text.to_owned());
        if let Some(known) = self.translated.get(&key) {
            return known.clone();
        }
        let new = self
            .new
            .entry(input.db_id.clone())
            .or_insert_with(|| Schema::from_ddl(&input.db_id, &input.schema).ok().map(Arc::new));
        let made = match new {
            Some(new) => seen(old, new, &input.mapping, text),
            None => Seen::Invalid("the transformed schema cannot be read".to_owned()),
        };
        self.translated.insert(key, made.clone());
        made
    }
}

/// What of the schema changed, in words.
fn change(input: &Input, old: &Schema, relation: &Relation) -> String {
    let mapping = &input.mapping;
    if mapping.db_id == input.db_id {
        return String::new();
    }
    if mapping.tables.is_empty() {
        return relation.schema.to_owned();
    }
    let mut said = Vec::new();
    for table in &mapping.tables {
        let renamed = table.columns.iter().filter(|(new, old)| new != old);
        said.extend(renamed.map(|(new, old)| format!("{}.{old} is called {new}", table.from)));
        if table.name != table.from {
            let columns: Vec<&str> = table.columns.keys().map(String::as_str).collect();
            said.push(format!("a new table {} holds {}", table.name, columns.join(", ")));
            continue;
        }
        let kept = |name: &str| table.columns.values().any(|old| old.eq_ignore_ascii_case(name));
        let columns = old.table(&table.from).into_iter().flat_map(|t| &t.columns);
        let lost: Vec<&str> = columns.map(|c| c.name.as_str()).filter(|name| !kept(name)).collect();
        if !lost.is_empty() {
            said.push(format!("{} has no {}", table.name, lost.join(", ")));
        }
        if !table.computed.is_empty() {
            said.push(format!("{} has {}", table.name, table.computed.join(", ")));
        }
    }
    said.extend(mapping.gone.iter().map(|t| format!("there is no table {}", t.name)));
    said.join("; ")
}
