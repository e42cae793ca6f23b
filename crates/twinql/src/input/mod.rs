//! Pairs from files or texts, one at a time, joined with their schemas.
//!
//! ```no_run
//! use std::{path::Path, sync::Arc};
//! use twinql::input::{PairItems, Schemas};
//! use twinql::progress::Silent;
//! use twinql::sql::Dialect;
//!
//! let schemas = Schemas::load(Some(Path::new("tables.json")), Dialect::Sqlite, Arc::new(Silent))?;
//! let jobs = PairItems::open(Path::new("pairs.jsonl"), schemas, false)?
//!     .map(|item| item.map(|item| item.job))
//!     .collect::<Result<Vec<_>, _>>()?;
//! # Ok::<(), twinql::input::InputError>(())
//! ```

mod aligned;
mod golds;
mod guess;
mod pairs;
mod schemas;
mod sets;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;
use twinql_corpus::Pair;
use twinql_corpus::pairs::{Draft, SEVERAL_GOLDS};
use twinql_files::read_bounded;
use twinql_sql::guess::readers;
use twinql_sql::prove::Side;
use twinql_sql::{Dialect, Schema, Translated, lacking, parse};

use crate::dialects::Dialects;
use crate::job::{Job, Work};
use crate::prepare;
use crate::record::Status;
use crate::status;
pub use golds::{GoldSource, open_golds};
pub use guess::{Guessing, MOST_VOTES};
pub use pairs::PairItems;
pub use schemas::{Schemas, load_schemas};
pub use sets::{SetItem, SetItems};

/// Why an input cannot be used as a whole. What is wrong with one pair alone is that pair's
/// [`Work::Unusable`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InputError {
    /// A file cannot be read.
    #[error(transparent)]
    File(#[from] twinql_files::FileError),
    /// A file is not what it should be.
    #[error(transparent)]
    Corpus(#[from] twinql_corpus::CorpusError),
    /// A schema cannot be read.
    #[error(transparent)]
    Schema(#[from] twinql_sql::SchemaError),
    /// A configuration is no text.
    #[error("{}: not UTF-8 at byte {at}", path.display())]
    NotUtf8 {
        /// The file.
        path: PathBuf,
        /// The first byte that is no text.
        at: usize,
    },
    /// A pair file without a line.
    #[error("{} is empty: it holds no pairs; give one JSON object a line", .0.display())]
    Empty(PathBuf),
    /// A pair file without a pair.
    #[error("{lines} is a pair; {first}; give one JSON object a line, with db_id, gold and pred")]
    NoPair {
        /// Which lines were read, in words.
        lines: String,
        /// What is wrong with the first of them.
        first: String,
    },
    /// Two aligned files no longer fit each other.
    #[error("{} or {} was changed while it was read", gold.display(), pred.display())]
    Changed {
        /// The golds.
        gold: PathBuf,
        /// The predictions.
        pred: PathBuf,
    },
    /// What a pipe held cannot be kept.
    #[error("a temporary file: {0}")]
    Temporary(std::io::Error),
    /// There are several databases, and none is named.
    #[error("{schemas} has {count} databases: say which with --db-id ({names})")]
    WhichDatabase {
        /// Where the schemas come from.
        schemas: String,
        /// How many there are.
        count: usize,
        /// Some of their names.
        names: String,
    },
    /// There is no such database, or its schema cannot be read.
    #[error("{0}")]
    Database(String),
}

/// Where pairs come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// A JSONL file.
    Pairs(PathBuf),
    /// Two aligned files.
    Lines {
        /// A gold query a line, or JSON.
        gold: PathBuf,
        /// The predictions, one for each gold.
        pred: PathBuf,
    },
    /// One pair, as text.
    One {
        /// The reference.
        gold: String,
        /// What is compared with it.
        pred: String,
    },
}

impl Source {
    /// The files that it is read from.
    pub fn files(&self) -> Vec<&Path> {
        match self {
            Source::Pairs(pairs) => vec![pairs],
            Source::Lines { gold, pred } => vec![gold, pred],
            Source::One { .. } => Vec::new(),
        }
    }
}

/// A pair's work: both queries as SQLite has them. Everything behind this door is SQLite's;
/// a query of another dialect is translated here, each from its own, and one that cannot be is the pair's
/// error.
///
/// A translated query is planned twice, once to be printed in SQLite's words and again from these words. The text is what
/// all metrics share: SQLite executes it, and metrics over syntax trees parse it. Its plan need not be the first one, since
/// printing writes out what SQLite lacks, so the first one is not handed on.
pub fn work(schema: Arc<Schema>, gold: String, pred: String, dialects: impl Into<Dialects>) -> Work {
    let dialects = dialects.into();
    let both = in_sqlite(&schema, Side::Gold, &gold, dialects)
        .and_then(|sqlite| Ok((sqlite, pred_in_sqlite(&schema, &gold, &pred, dialects)?)));
    match both {
        Ok((gold, pred)) => Work::Pair { schema, gold, pred },
        // The same words of two systems may say two things.
        Err((status, error)) => {
            Work::Unusable { status, error, alike: dialects.are_one() && prepare::surely_alike(&gold, &pred) }
        }
    }
}

/// As [`work`], of a pair that may name its own dialects, which win over the `usual` ones. A name that no dialect has is the
/// pair's error: what it says was not read.
pub fn work_of(schema: Arc<Schema>, pair: Pair, usual: Dialects) -> Work {
    let Pair { gold, pred, gold_dialect, pred_dialect, .. } = pair;
    match usual.of_pair(gold_dialect.as_deref(), pred_dialect.as_deref()) {
        Ok(dialects) => work(schema, gold, pred, dialects),
        Err(error) => Work::Unusable {
            status: Status::Unsupported,
            error,
            alike: gold_dialect == pred_dialect && prepare::surely_alike(&gold, &pred),
        },
    }
}

/// The job of a pair over its schema, with all of its golds.
pub fn job_of(id: Value, schema: &Arc<Schema>, mut pair: Pair, usual: Dialects) -> Job {
    let golds = std::mem::take(&mut pair.golds).into_iter();
    let others =
        golds.map(|gold| work_of(Arc::clone(schema), Pair { gold, ..pair.clone() }, usual)).collect();
    Job { id, work: work_of(Arc::clone(schema), pair, usual), others }
}

/// A prediction of a pair in these dialects as SQLite has it, or the status and the error of the pair.
///
/// # Errors
/// Those of [`in_sqlite`]; what its own system refuses, unless that refuses the gold too; and beside a gold of another
/// system, what no gold excuses.
pub fn pred_in_sqlite(
    schema: &Schema,
    gold: &str,
    sql: &str,
    dialects: Dialects,
) -> Result<String, (Status, String)> {
    let Translated { sql: pred, refused } = translated(schema, Side::Pred, sql, dialects)?;
    if let Some(error) = refused {
        let gold =
            || prepare::translate(schema, Side::Gold, gold, dialects).is_ok_and(|g| g.refused.is_some());
        if !(dialects.are_one() && gold()) {
            return Err((status::of_side(Side::Pred, false), format!("pred: {error}")));
        }
    }
    if !dialects.are_one() {
        runs_beside_another(&pred, dialects.pred)?;
    }
    Ok(pred)
}

/// Whether a prediction runs where its gold is of another system. Elsewhere a gold that SQLite lacks a word of excuses the
/// same of its prediction; two systems excuse nothing of each other.
///
/// # Errors
/// SQLite refuses a prediction of its own dialect: that is no query. A function of another system that SQLite and the
/// sandbox lack is merely not supported.
fn runs_beside_another(pred: &str, dialect: Dialect) -> Result<(), (Status, String)> {
    let Some(error) = parse(pred).ok().as_ref().and_then(lacking) else { return Ok(()) };
    let (unsupported, error) = match dialect {
        Dialect::Sqlite => (false, Side::Pred.flagged(&error.to_string())),
        other => (true, format!("what {other} means has no form in SQLite: {error}")),
    };
    Err((status::of_side(Side::Pred, unsupported), format!("pred: {error}")))
}

/// A query as SQLite has it, or the status and the error of its pair.
///
/// # Errors
/// The query is not one over the schema, is not supported, or has no form in SQLite.
pub fn in_sqlite(
    schema: &Schema,
    side: Side,
    sql: &str,
    dialects: Dialects,
) -> Result<String, (Status, String)> {
    translated(schema, side, sql, dialects).map(|t| t.sql)
}

fn translated(
    schema: &Schema,
    side: Side,
    sql: &str,
    dialects: Dialects,
) -> Result<Translated, (Status, String)> {
    prepare::translate(schema, side, sql, dialects).map_err(|error| {
        let status = status::of_side(side, error.unsupported);
        let said = side.flagged(&error.message);
        // It is a sign of another system: of which, where one reads it.
        let readers = if said == error.message { Vec::new() } else { readers(schema, sql) };
        let names: Vec<&str> = readers.into_iter().map(Dialect::name).collect();
        let theirs = if names.is_empty() { String::new() } else { format!("; read by {}", names.join(", ")) };
        (status, format!("{side}: {said}{theirs}"))
    })
}

/// A job with what the pair's line says besides.
pub struct Item {
    /// What there is to do.
    pub job: Job,
    /// What else its line says.
    pub about: About,
}

impl Item {
    /// The same, but that a pair with several golds cannot be used: for what compares two queries, or learns from a label.
    #[must_use]
    pub fn of_one_gold(mut self) -> Item {
        if !self.job.others.is_empty() {
            let error = SEVERAL_GOLDS.to_owned();
            self.job =
                Job::new(self.job.id, Work::Unusable { status: Status::GoldError, error, alike: false });
        }
        self
    }
}

/// What a pair's line says besides its job.
#[derive(Default)]
pub struct About {
    /// The id's text where it is a number that is usually written in another way.
    pub number: Option<String>,
    /// Whether the two queries are the same, where that is known.
    pub label: Option<bool>,
    /// Where the pair comes from.
    pub source: Option<String>,
    /// The database that the line names.
    pub db_id: Option<String>,
    /// The split that it belongs to.
    pub split: Option<String>,
    /// The interaction that it is a turn of, where the golds have interactions.
    pub interaction: Option<usize>,
    /// What `corpus grade` says of a pair that differs, from 0 to 1.
    pub ease: Option<f32>,
    /// On what share of plausible databases the two queries agree, as `corpus share` says.
    pub share: Option<f32>,
    /// Both queries as they stood in the input, where results are to show them.
    pub echo: Option<Box<Echo>>,
    /// What a gold answers, where golds are read by themselves.
    pub answers: Option<Box<Answers>>,
    /// Tells this input from others.
    pub print: u64,
}

/// What a gold answers: texts of its line, empty where it has none.
#[derive(Debug, Default)]
pub struct Answers {
    /// The question.
    pub question: String,
    /// What the question's words mean: BIRD's evidence.
    pub evidence: String,
    /// Another gold of the question, where pairs are read as two golds, and whose SQL it is.
    pub other: Option<(String, Dialect)>,
}

/// The queries of a pair as they stood in the input; none where there is none.
pub struct Echo {
    /// The reference.
    pub gold: Option<String>,
    /// What is compared with it.
    pub pred: Option<String>,
}

impl About {
    /// The id as JSON.
    pub fn id_json(&self, id: &Value) -> String {
        self.number.clone().unwrap_or_else(|| id.to_string())
    }

    /// The id as text, as `--labels` writes it.
    pub fn id_text(&self, id: &Value) -> String {
        self.number.clone().unwrap_or_else(|| id_text(id))
    }
}

/// Pairs, one at a time. An error ends them.
pub type Items = Box<dyn Iterator<Item = Result<Item, InputError>> + Send>;

/// Everything a command works on.
pub struct Pairs {
    /// The pairs, in the order of the input.
    pub items: Items,
    /// It was given as two texts.
    pub single: bool,
    /// How many there are, where that is known.
    pub count: Option<usize>,
    /// What is to be said of how the input was read.
    pub notes: Vec<String>,
}

impl Pairs {
    /// Pairs of files, of which there is nothing to be said.
    pub fn of(items: Items, count: Option<usize>) -> Pairs {
        Pairs { items, single: false, count, notes: Vec::new() }
    }
}

/// Opens the input. A line that cannot be used becomes a job that says so; only a file
/// that cannot be used at all is an error. With `echo` each pair brings its queries along.
/// Pairs that name no database are over `db_id`.
///
/// # Errors
/// See [`InputError`].
pub fn open(source: &Source, db_id: Option<&str>, schemas: Schemas, echo: bool) -> Result<Pairs, InputError> {
    let schemas = schemas.unnamed(db_id);
    match source {
        Source::Pairs(path) => Ok(Pairs::of(Box::new(PairItems::open(path, schemas, echo)?), None)),
        Source::Lines { gold, pred } => {
            let lines = aligned::Aligned::open(gold, pred, schemas, echo)?;
            let (count, notes) = (lines.pairs(), lines.notes());
            Ok(Pairs { notes, ..Pairs::of(Box::new(lines), Some(count)) })
        }
        Source::One { gold, pred } => {
            let schema = schemas.only(db_id)?;
            let db_id = Some(schema.db_id.clone());
            let echo = echo.then(|| Box::new(Echo { gold: Some(gold.clone()), pred: Some(pred.clone()) }));
            let item = Item {
                job: Job::new(Value::from("0"), work(schema, gold.clone(), pred.clone(), schemas.dialects())),
                about: About { db_id, echo, ..About::default() },
            };
            Ok(Pairs { single: true, ..Pairs::of(Box::new(std::iter::once(Ok(item))), Some(1)) })
        }
    }
}

/// The id of a line as text; `number` stands for it where there is none.
pub fn id_of(draft: &Draft, number: usize) -> String {
    match (&draft.number, &draft.pair.id) {
        (Some(text), _) => text.clone(),
        (None, Value::Null) => number.to_string(),
        (None, id) => id_text(id),
    }
}

/// MiB of a configuration.
const LARGEST_CONFIGURATION: u64 = 16;

/// The text of a configuration file.
///
/// # Errors
/// It cannot be read, is larger than any, or is no text.
pub fn configuration(path: &Path) -> Result<String, InputError> {
    let bytes = read_bounded(path, LARGEST_CONFIGURATION, "configuration")?;
    String::from_utf8(bytes)
        .map_err(|e| InputError::NotUtf8 { path: path.to_owned(), at: e.utf8_error().valid_up_to() })
}

/// An id as text, as `--labels` writes it.
pub fn id_text(id: &Value) -> String {
    match id {
        Value::String(s) => s.clone(),
        other => other.to_string(),
    }
}
