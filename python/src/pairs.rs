//! Pairs of whatever Python gives: dicts with the fields of a pair file, tuples, the path of one, or Arrow tables.
//!
//! A block of pairs is taken from Python with its lock, and read without it: schemas are parsed and queries
//! translated on the pool's deep stacks. A pair that cannot be used is a job that says so.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyIterator, PyList, PyMapping, PyString, PyTuple};
use rayon::ThreadPool;
use rayon::prelude::*;
use serde_json::{Map, Value as Json};
use twinql::corpus::pairs::{Draft, Problem};
use twinql::input::{PairItems, Schemas, job_of};
use twinql::record::Status;
use twinql::sql::Dialect;
use twinql::{Dialects, Job, Schema, Work};

use crate::arrow;
use crate::errors::{self, InputError};
use crate::raw::{FIELDS, Raw};
use crate::runtime::Ticket;
use crate::schema::{PySchema, recall, remember};

/// What a pair says besides its job.
pub(crate) struct Extra {
    pub(crate) label: Option<bool>,
    /// The name and text of the schema that it carries, to be kept.
    carried: Option<(String, String)>,
}

/// Jobs, with what each says besides.
pub(crate) type Read = (Vec<Job>, Vec<Extra>);

/// Where pairs come from.
pub(crate) enum Source {
    /// An iterator of Python.
    Objects(Py<PyIterator>),
    /// Rows that Arrow gave.
    Rows(std::vec::IntoIter<Raw>),
    /// A pair file; none while a thread reads on in it.
    File(Option<Box<PairItems>>),
}

/// What a block of pairs was before it is read.
pub(crate) enum Block {
    Raw(Vec<Raw>),
    Read(Read),
}

impl Block {
    fn len(&self) -> usize {
        match self {
            Block::Raw(raw) => raw.len(),
            Block::Read((jobs, _)) => jobs.len(),
        }
    }
}

/// Pairs, a block at a time.
pub(crate) struct Pairs {
    source: Source,
    schemas: Arc<Mutex<Schemas>>,
    dialects: Dialects,
    /// How many there are, where that is known.
    pub(crate) count: Option<usize>,
    /// Pairs that were taken.
    taken: usize,
}

impl Pairs {
    /// Pairs of an argument.
    ///
    /// # Errors
    /// It is nothing that holds pairs.
    pub(crate) fn new(
        py: Python<'_>,
        pool: &ThreadPool,
        pairs: &Bound<'_, PyAny>,
        schemas: Schemas,
        dialects: Dialects,
    ) -> PyResult<Pairs> {
        let mut count = None;
        let source = if pairs.is_instance_of::<PyString>() || pairs.hasattr("__fspath__")? {
            let path: PathBuf = pairs.extract()?;
            let own = schemas.clone();
            let opened = Ticket::start(pool, move || PairItems::open(&path, own, false)).wait(py)?;
            Source::File(Some(Box::new(opened.map_err(|e| errors::input(&e))?)))
        } else if let Some(rows) = arrow::rows(py, pairs)? {
            count = Some(rows.len());
            Source::Rows(rows.into_iter())
        } else if pairs.is_instance_of::<PyDict>() {
            return Err(InputError::new_err("pairs is a dict: give a list of pairs, or score_one"));
        } else {
            count = pairs.len().ok();
            let iterator = pairs.try_iter().map_err(|_| {
                let kind = pairs.get_type().name().map(|n| n.to_string()).unwrap_or_default();
                InputError::new_err(format!(
                    "pairs is a {kind}; give an iterable of dicts or tuples, the path of a JSONL file, or an Arrow table"
                ))
            })?;
            Source::Objects(iterator.unbind())
        };
        let schemas = Arc::new(Mutex::new(schemas));
        Ok(Pairs { source, schemas, dialects, count, taken: 0 })
    }

    /// The next pairs, at most `most`; none at the end. `first` is the number of the first of them.
    ///
    /// # Errors
    /// The iterator raised, or the file cannot be read on.
    pub(crate) fn next_block(
        &mut self,
        py: Python<'_>,
        pool: &ThreadPool,
        most: usize,
    ) -> PyResult<Option<Block>> {
        let dialect = self.dialects.schema;
        let block = match &mut self.source {
            Source::Objects(iterator) => {
                let mut iterator = iterator.bind(py).clone();
                let raw: Vec<Raw> = iterator
                    .by_ref()
                    .take(most)
                    .map(|object| Ok(of_object(&object?, dialect)))
                    .collect::<PyResult<_>>()?;
                Block::Raw(raw)
            }
            Source::Rows(rows) => {
                let known = |mut raw: Raw| {
                    raw.schema = raw.schema.or_else(|| of_text(py, &raw.draft, dialect));
                    raw
                };
                Block::Raw(rows.take(most).map(known).collect())
            }
            Source::File(file) => {
                let Some(mut items) = file.take() else { return Ok(None) };
                let read = move || {
                    let (mut jobs, mut extras) = (Vec::new(), Vec::new());
                    for item in items.by_ref().take(most) {
                        match item {
                            Ok(item) => {
                                jobs.push(item.job);
                                extras.push(Extra { label: item.about.label, carried: None });
                            }
                            Err(error) => return (Err(error), items),
                        }
                    }
                    (Ok((jobs, extras)), items)
                };
                let (block, items) = Ticket::start(pool, read).wait(py)?;
                *file = Some(items);
                Block::Read(block.map_err(|e| errors::input(&e))?)
            }
        };
        self.taken += block.len();
        Ok((block.len() > 0).then_some(block))
    }

    /// What reads the block that was taken last; called on a thread of the pool.
    pub(crate) fn reader(&self, block: &Block) -> Reader {
        Reader {
            schemas: Arc::clone(&self.schemas),
            dialects: self.dialects,
            first: self.taken.saturating_sub(block.len()),
        }
    }

    /// Keeps the schemas that pairs of a block brought along.
    pub(crate) fn remember(&self, py: Python<'_>, (jobs, extras): &Read) {
        for (job, extra) in jobs.iter().zip(extras) {
            if let (Some((db_id, ddl)), Work::Pair { schema, .. }) = (&extra.carried, &job.work) {
                remember(py, db_id, ddl, self.dialects.schema, schema);
            }
        }
    }
}

/// Makes jobs of a block.
pub(crate) struct Reader {
    schemas: Arc<Mutex<Schemas>>,
    dialects: Dialects,
    /// The number of its first pair.
    first: usize,
}

impl Reader {
    /// The jobs, in order.
    pub(crate) fn read(&self, block: Block) -> Read {
        let raw = match block {
            Block::Read(read) => return read,
            Block::Raw(raw) => raw,
        };
        // One after the other: the same text is read once.
        let with_schemas: Vec<_> = {
            let mut schemas = self.schemas.lock().unwrap_or_else(PoisonError::into_inner);
            let find = |Raw { draft, schema }: Raw| {
                let carried = match (&schema, &draft.pair.schema) {
                    (None, Some(ddl)) => Some((name_of(&draft).to_owned(), ddl.clone())),
                    _ => None,
                };
                let schema = schema.map_or_else(|| schemas.of(&draft.pair), Ok);
                (draft, schema, carried)
            };
            raw.into_iter().map(find).collect()
        };
        with_schemas
            .into_par_iter()
            .enumerate()
            .map(|(i, (draft, schema, carried))| {
                let label = draft.pair.label.map(|l| l == 1);
                (job(draft, schema, self.dialects, self.first + i), Extra { label, carried })
            })
            .unzip()
    }
}

/// The job of a pair, or one that says what is wrong with it; `number` stands for an id that it lacks.
fn job(draft: Draft, schema: Result<Arc<Schema>, String>, dialects: Dialects, number: usize) -> Job {
    let Draft { pair, problem, .. } = draft;
    let id = match &pair.id {
        Json::Null => Json::from(number.to_string()),
        id => id.clone(),
    };
    let work = match (problem, schema) {
        (Some(Problem { of_prediction: false, message }), _) | (_, Err(message)) => {
            Work::Unusable { status: Status::GoldError, error: message, alike: false }
        }
        (Some(problem), Ok(_)) => {
            Work::Unusable { status: Status::PredError, error: problem.message, alike: false }
        }
        (None, Ok(schema)) => return job_of(id, &schema, pair, dialects),
    };
    Job::new(id, work)
}

/// What reads one pair over a schema, on a thread of the pool.
pub(crate) fn one(
    gold: &Bound<'_, PyAny>,
    pred: &Bound<'_, PyAny>,
    schema: Arc<Schema>,
    dialects: Dialects,
) -> impl FnOnce() -> Job + Send + use<> {
    let Raw { draft, .. } = of_sequence(&[gold.clone(), pred.clone()]);
    move || job(draft, Ok(schema), dialects, 0)
}

/// What the schema of a pair's own text is called.
fn name_of(draft: &Draft) -> &str {
    draft.pair.db_id.as_deref().unwrap_or("schema")
}

/// The schema of a pair's own text, where that was read before.
fn of_text(py: Python<'_>, draft: &Draft, dialect: Dialect) -> Option<Arc<Schema>> {
    recall(py, name_of(draft), draft.pair.schema.as_deref()?, dialect)
}

/// A pair that cannot be used, since its object is none.
fn no_pair(message: String) -> Raw {
    let problem = Some(Problem { of_prediction: false, message });
    Raw { draft: Draft { problem, ..Draft::default() }, schema: None }
}

/// A pair of an object. Never fails: the problem says what is wrong.
fn of_object(object: &Bound<'_, PyAny>, dialect: Dialect) -> Raw {
    let py = object.py();
    let raw = if let Ok(tuple) = object.cast::<PyTuple>() {
        of_sequence(&tuple.iter().collect::<Vec<_>>())
    } else if let Ok(list) = object.cast::<PyList>() {
        of_sequence(&list.iter().collect::<Vec<_>>())
    } else if let Ok(dict) = object.cast::<PyDict>() {
        of_fields(|name| dict.get_item(name).ok().flatten())
    } else if let Ok(mapping) = object.cast::<PyMapping>() {
        of_fields(|name| mapping.get_item(name).ok())
    } else {
        let kind = object.get_type().name().map(|n| n.to_string()).unwrap_or_default();
        no_pair(format!("a {kind} is no pair; give a dict with gold and pred, or a tuple"))
    };
    match raw.schema {
        Some(_) => raw,
        None => Raw { schema: of_text(py, &raw.draft, dialect), ..raw },
    }
}

/// `(gold, pred)`, or with a third part that says over what: a `Schema`, or a database's name.
fn of_sequence(parts: &[Bound<'_, PyAny>]) -> Raw {
    match parts {
        [gold, pred] => of_fields(|name| match name {
            "gold" => Some(gold.clone()),
            "pred" => Some(pred.clone()),
            _ => None,
        }),
        [gold, pred, over] => {
            let field = if over.is_instance_of::<PySchema>() { "schema" } else { "db_id" };
            of_fields(|name| match name {
                "gold" => Some(gold.clone()),
                "pred" => Some(pred.clone()),
                name if name == field => Some(over.clone()),
                _ => None,
            })
        }
        parts => no_pair(format!(
            "a tuple of {} is no pair; give (gold, pred) or (gold, pred, db_id)",
            parts.len()
        )),
    }
}

/// A pair of named fields.
fn of_fields<'py>(get: impl Fn(&str) -> Option<Bound<'py, PyAny>>) -> Raw {
    let mut fields = Map::new();
    let mut schema = None;
    let mut wrong: Option<Problem> = None;
    for name in FIELDS {
        let Some(value) = get(name) else { continue };
        if name == "schema"
            && let Ok(object) = value.cast::<PySchema>()
        {
            schema = Some(Arc::clone(&object.get().schema));
            continue;
        }
        match of_value(&value) {
            Ok(value) => {
                fields.insert(name.to_owned(), value);
            }
            Err(what) => {
                let of_prediction = matches!(name, "pred" | "sql2");
                let problem = Problem { of_prediction, message: format!("{name:?} is {what}, not a string") };
                // One with the prediction comes last.
                match &wrong {
                    Some(known) if !known.of_prediction || of_prediction => {}
                    _ => wrong = Some(problem),
                }
            }
        }
    }
    let mut draft = Draft::from_fields(fields);
    if let Some(wrong) = wrong {
        draft.problem = match draft.problem {
            // What is not there is what cannot be used.
            Some(known) if !known.of_prediction && wrong.of_prediction => Some(known),
            _ => Some(wrong),
        };
    }
    Raw { draft, schema }
}

/// A field's value as JSON has it, or what it is in words. A number that is none stands for a missing value, as tables
/// have it.
fn of_value(value: &Bound<'_, PyAny>) -> Result<Json, String> {
    if value.is_none() {
        Ok(Json::Null)
    } else if let Ok(text) = value.cast::<PyString>() {
        text.to_str().map(Json::from).map_err(|_| "a text with lone surrogates".to_owned())
    } else if let Ok(flag) = value.cast::<PyBool>() {
        Ok(Json::from(flag.is_true()))
    } else if value.is_instance_of::<PyInt>() {
        let signed = value.extract::<i64>().map(Json::from);
        let whole = signed.or_else(|_| value.extract::<u64>().map(Json::from));
        // Longer ones are kept as the text that they are.
        whole.or_else(|_| value.str().map(|s| Json::from(s.to_string_lossy()))).map_err(|_| "a number".into())
    } else if value.is_instance_of::<PyFloat>() {
        let number = value.extract::<f64>().map_err(|_| "a number".to_owned())?;
        // 1.0 is the label 1, as columns with gaps have it.
        match number {
            n if n.fract() == 0.0 && n.abs() < 9e15 => Ok(Json::from(n as i64)),
            n => Ok(Json::from(n)),
        }
    } else if let Ok(plain) = value.call_method0("item")
        && !plain.get_type().is(value.get_type())
    {
        // A number of NumPy.
        of_value(&plain)
    } else {
        let kind = value.get_type().name().map(|n| n.to_string()).unwrap_or_default();
        Err(format!("a {kind}"))
    }
}
