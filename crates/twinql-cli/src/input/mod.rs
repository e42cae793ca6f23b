//! Pairs from files or arguments, one at a time, joined with their schemas.

mod aligned;
mod labels;
mod pairs;
mod schemas;

use std::path::Path;
use std::sync::Arc;

use anyhow::Result;
use serde_json::Value;
use sha2::{Digest, Sha256};
use twinql::corpus::pairs::Draft;
use twinql::files::read_bounded;
use twinql::prepare;
use twinql::record::Status;
use twinql::sql::prove::Side;
use twinql::sql::{Dialect, Schema};
use twinql::status;
use twinql::{Job, Work};

use crate::args::{Input, Source};
pub(crate) use labels::Labels;
pub(crate) use schemas::{Schemas, load_schemas};

/// A pair's work: both queries as SQLite has them. Everything behind this door is SQLite's;
/// a query of another dialect is translated here, and one that cannot be is the pair's
/// error.
fn work(schema: Arc<Schema>, gold: String, pred: String, dialect: Dialect) -> Work {
    let both = in_sqlite(&schema, "gold", &gold, dialect)
        .and_then(|gold| Ok((gold, in_sqlite(&schema, "pred", &pred, dialect)?)));
    match both {
        Ok((gold, pred)) => Work::Pair { schema, gold, pred },
        Err((status, error)) => Work::Unusable { status, error },
    }
}

/// A query as SQLite has it, or the status and the error of its pair. `side` is `gold` or
/// `pred`.
pub(crate) fn in_sqlite(
    schema: &Schema,
    side: &str,
    sql: &str,
    dialect: Dialect,
) -> std::result::Result<String, (Status, String)> {
    prepare::in_sqlite(schema, sql, dialect).map_err(|error| {
        let which = match side {
            "gold" => Side::Gold,
            _ => Side::Pred,
        };
        let status = status::of_side(which, error.unsupported);
        (status, format!("{side}: {error}"))
    })
}

/// A job with what the pair's line says besides.
pub(crate) struct Item {
    pub(crate) job: Job,
    pub(crate) about: About,
}

/// What a pair's line says besides its job.
#[derive(Default)]
pub(crate) struct About {
    /// The id's text where it is a number that is usually written in another way.
    pub(crate) number: Option<String>,
    pub(crate) label: Option<bool>,
    pub(crate) source: Option<String>,
    pub(crate) db_id: Option<String>,
    pub(crate) split: Option<String>,
    /// What `corpus grade` says of a pair that differs, from 0 to 1.
    pub(crate) ease: Option<f32>,
    /// Both queries as they stood in the input, where results are to show them.
    pub(crate) echo: Option<Box<Echo>>,
    /// Tells this input from others.
    pub(crate) print: u64,
}

/// The queries of a pair as they stood in the input; none where there is none.
pub(crate) struct Echo {
    pub(crate) gold: Option<String>,
    pub(crate) pred: Option<String>,
}

impl About {
    /// The id as JSON.
    pub(crate) fn id_json(&self, id: &Value) -> String {
        self.number.clone().unwrap_or_else(|| id.to_string())
    }

    /// The id as text, as `--labels` writes it.
    pub(crate) fn id_text(&self, id: &Value) -> String {
        self.number.clone().unwrap_or_else(|| id_text(id))
    }
}

/// Pairs, one at a time. An error ends them.
pub(crate) type Items = Box<dyn Iterator<Item = Result<Item>> + Send>;

/// Everything a command works on.
pub(crate) struct Pairs {
    pub(crate) items: Items,
    /// It was given as two texts.
    pub(crate) single: bool,
    /// How many there are, where that is known.
    pub(crate) count: Option<usize>,
}

/// Opens the input. A line that cannot be used becomes a job that says so; only a file
/// that cannot be used at all is an error. With `echo` each pair brings its queries along.
pub(crate) fn open(input: &Input, schemas: Schemas, echo: bool) -> Result<Pairs> {
    let schemas = schemas.unnamed(input.db_id.as_deref());
    match &input.source {
        Source::Pairs(path) => Ok(Pairs {
            items: Box::new(of_file(path, schemas, echo)?),
            single: false,
            count: None,
        }),
        Source::Lines { gold, pred } => {
            let lines = aligned::Aligned::open(gold, pred, schemas, echo)?;
            Ok(Pairs {
                count: Some(lines.pairs()),
                items: Box::new(lines),
                single: false,
            })
        }
        Source::One { gold, pred } => {
            let schema = schemas.only(input.db_id.as_deref())?;
            let db_id = Some(schema.db_id.clone());
            let echo = echo.then(|| {
                Box::new(Echo {
                    gold: Some(gold.clone()),
                    pred: Some(pred.clone()),
                })
            });
            let item = Item {
                job: Job {
                    id: Value::from("0"),
                    work: work(schema, gold.clone(), pred.clone(), input.dialect),
                },
                about: About {
                    db_id,
                    echo,
                    ..About::default()
                },
            };
            Ok(Pairs {
                items: Box::new(std::iter::once(Ok(item))),
                single: true,
                count: Some(1),
            })
        }
    }
}

/// The pairs of a pair file, in the order of its lines.
pub(crate) fn of_file(path: &Path, schemas: Schemas, echo: bool) -> Result<pairs::PairItems> {
    pairs::PairItems::open(path, schemas, echo)
}

/// The id of a line as text; `number` stands for it where there is none.
fn id_of(draft: &Draft, number: usize) -> String {
    match (&draft.number, &draft.pair.id) {
        (Some(text), _) => text.clone(),
        (None, Value::Null) => number.to_string(),
        (None, id) => id_text(id),
    }
}

/// MiB of a configuration.
const LARGEST_CONFIGURATION: u64 = 16;

/// The text of a configuration file.
pub(crate) fn configuration(path: &Path) -> Result<String> {
    let bytes = read_bounded(path, LARGEST_CONFIGURATION, "configuration")?;
    String::from_utf8(bytes).map_err(|e| {
        anyhow::anyhow!(
            "{}: not UTF-8 at byte {}",
            path.display(),
            e.utf8_error().valid_up_to()
        )
    })
}

/// A number that tells inputs apart, the same on every machine.
fn print(parts: &[&[u8]]) -> u64 {
    let mut sha = Sha256::new();
    for part in parts {
        sha.update((part.len() as u64).to_le_bytes());
        sha.update(part);
    }
    sha.finalize()
        .iter()
        .take(8)
        .fold(0, |h, b| (h << 8) | u64::from(*b))
}

/// An id as text, as `--labels` writes it.
pub(crate) fn id_text(id: &Value) -> String {
    match id {
        Value::String(s) => s.clone(),
        other => other.to_string(),
    }
}
