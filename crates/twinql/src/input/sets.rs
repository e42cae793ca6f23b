//! Sets of candidates from a JSONL file, one at a time: `id`, `db_id` or `schema`, `candidates`, perhaps `pred_dialect`.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};
use twinql_corpus::Pair;
use twinql_corpus::spider::Golds;
use twinql_files::{Line, Lines};

use super::{InputError, Schemas};
use crate::rerank::{Candidate, Set};

/// Why a line holds no set: where it stands, and what is wrong.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NoSet(pub String);

/// A set of a file.
pub struct SetItem {
    /// Its id as it stood in the input, or its number from 0 as text.
    pub id: Value,
    /// The set, or why there is none.
    pub set: Result<Set, NoSet>,
}

/// Reads a file of sets. `idx` and `beam` are taken for `id` and `candidates`, as beam files have them.
pub struct SetItems {
    lines: Lines,
    path: PathBuf,
    schemas: Schemas,
    /// The databases of sets that name none, by the set's number.
    databases: Vec<String>,
    count: usize,
}

impl SetItems {
    /// Opens a file of sets. Where `golds` is given, a set that names no database is over that of the gold in the line
    /// of its number: its `id` or `idx` where that is a whole number, its place in the file elsewhere.
    ///
    /// # Errors
    /// A file cannot be read.
    pub fn open(path: &Path, schemas: Schemas, golds: Option<&Path>) -> Result<SetItems, InputError> {
        let mut databases = Vec::new();
        if let Some(golds) = golds {
            for gold in Golds::new(Lines::open(golds)?) {
                databases.push(gold?.db_id);
            }
        }
        Ok(SetItems { lines: Lines::open(path)?, path: path.to_owned(), schemas, databases, count: 0 })
    }

    fn item(&mut self, line: &Line) -> SetItem {
        let number = self.count;
        self.count += 1;
        let place = format!("{}, line {}", self.path.display(), line.number);
        let map = match line.text().map_err(String::from).and_then(object) {
            Ok(map) => map,
            Err(why) => {
                return SetItem { id: number.to_string().into(), set: Err(NoSet(format!("{place}: {why}"))) };
            }
        };
        let id = match map.get("id").or_else(|| map.get("idx")) {
            Some(id @ (Value::String(_) | Value::Number(_))) => id.clone(),
            _ => number.to_string().into(),
        };
        let row = id.as_u64().and_then(|n| usize::try_from(n).ok()).unwrap_or(number);
        let set = self.set(&map, row).map_err(|why| NoSet(format!("{place}: {why}")));
        SetItem { id, set }
    }

    fn set(&mut self, map: &Map<String, Value>, row: usize) -> Result<Set, String> {
        let text = |name: &str| match map.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(_) => Err(format!("{name:?} is not a string")),
        };
        let (schema, db_id) = (text("schema")?, text("db_id")?);
        let dialect = match text("pred_dialect")? {
            Some(name) => Some(name.parse().map_err(|e| format!("pred_dialect: {e}"))?),
            None => None,
        };
        let db_id = match (&schema, db_id) {
            (None, None) if !self.databases.is_empty() => match self.databases.get(row) {
                Some(id) if !id.is_empty() => Some(id.clone()),
                _ => return Err(format!("no gold of number {row} names its database")),
            },
            (_, db_id) => db_id,
        };
        let listed = map.get("candidates").or_else(|| map.get("beam"));
        let Some(Value::Array(listed)) = listed else {
            return Err("\"candidates\" is missing, or no list".into());
        };
        let candidates = listed.iter().map(candidate).collect();
        let schema = self.schemas.of(&Pair { db_id, schema, ..Pair::default() })?;
        Ok(Set { schema, dialect, candidates })
    }
}

/// The fields of a line.
fn object(text: &str) -> Result<Map<String, Value>, String> {
    match serde_json::from_str(text) {
        Ok(Value::Object(map)) => Ok(map),
        Ok(_) => Err("not a JSON object".into()),
        Err(error) => Err(format!("no JSON: {error}")),
    }
}

/// A candidate: a text, or an object with `sql` and perhaps `logprob`. What is neither keeps its place as an empty text,
/// which is no query.
fn candidate(value: &Value) -> Candidate {
    match value {
        Value::String(sql) => Candidate::new(sql.as_str()),
        Value::Object(map) => Candidate {
            sql: map.get("sql").and_then(Value::as_str).unwrap_or_default().to_owned(),
            logprob: map.get("logprob").and_then(Value::as_f64),
        },
        _ => Candidate::new(""),
    }
}

impl Iterator for SetItems {
    type Item = Result<SetItem, InputError>;

    fn next(&mut self) -> Option<Self::Item> {
        let line = self.lines.find(|line| !line.as_ref().is_ok_and(Line::is_blank))?;
        Some(line.map(|line| self.item(&line)).map_err(Into::into))
    }
}
