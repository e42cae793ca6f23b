//! Prediction files in every form that people have: a query a line (Spider), a JSON document (BIRD's, a list, objects),
//! a JSON value a line, and tables (CSV). Of objects and tables one field is the query, and it is said which.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value as Json;
use twinql_files::{Line, Lines, UnclosedQuote, table_rows};

use crate::bird;
use crate::error::CorpusError;
use crate::io::read_bytes;
use crate::spider::{Prediction, prediction};

/// What programs call the query that they predict, the clearest first: what is called `query` may be a gold, and is read
/// only where nothing else is there.
pub const KEYS: [&str; 21] = twinql_sql::words![
    pred predicted_sql pred_sql predicted_query pred_query prediction predictions predicted predict_sql
    generated_sql generated_query final_sql model_output completion generation output response answer sql sql_query
    query
];

/// The predictions of a file.
#[derive(Debug)]
pub struct Predictions {
    /// In the file's order, blank lines included.
    pub all: Vec<Prediction>,
    /// The field that holds the queries, where the file has fields.
    pub key: Option<String>,
}

/// How a prediction file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// A query a line.
    Lines,
    /// One JSON document.
    Document,
    /// A JSON value a line.
    Values,
    /// Rows of fields, separated by this character.
    Table(char),
}

impl Form {
    /// The form of a file, by its name; of a name that says nothing, by its first line that is not blank: no query begins
    /// with a brace.
    pub fn of(path: &Path, first: Option<&Line>) -> Form {
        let name =
            path.file_name().map(|name| name.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
        let name = name.strip_suffix(".gz").unwrap_or(&name);
        let ends = |ends: &[&str]| ends.iter().any(|end| name.ends_with(end));
        match () {
            () if ends(&[".json"]) => Form::Document,
            () if ends(&[".jsonl", ".ndjson"]) => Form::Values,
            () if ends(&[".csv"]) => Form::Table(','),
            () if ends(&[".tsv"]) => Form::Table('\t'),
            () => match first.and_then(|line| line.text().ok()).map(str::trim_start) {
                Some(text) if is_object(text) => Form::Values,
                _ => Form::Lines,
            },
        }
    }
}

fn is_object(text: &str) -> bool {
    text.starts_with('{') && matches!(serde_json::from_str(text), Ok(Json::Object(_)))
}

/// Reads a prediction file in any form.
///
/// # Errors
/// The file cannot be read or is not what its name says; it has fields, and none of them is a query.
pub fn read(path: &Path) -> Result<Predictions, CorpusError> {
    let first = Lines::open(path)?.filled().next().transpose()?;
    match Form::of(path, first.as_ref()) {
        Form::Lines => {
            let all =
                Lines::open(path)?.map(|line| Ok(prediction(&line?))).collect::<Result<_, CorpusError>>()?;
            Ok(Predictions { all, key: None })
        }
        Form::Document => document(path),
        Form::Values => values(path, Lines::open(path)?),
        Form::Table(separator) => rows(path, separator),
    }
}

/// A prediction before it is known which field holds queries.
struct Entry {
    /// None of a blank line: what such lines mean the counts of golds and predictions say.
    value: Option<Json>,
    line: usize,
    /// What the entry is called in messages.
    name: String,
}

/// A JSON document.
fn document(path: &Path) -> Result<Predictions, CorpusError> {
    let entries = bird::entries(path, &read_bytes(path)?)?;
    let entry = |(number, value): (usize, Json)| Entry {
        value: Some(value),
        line: number + 1,
        name: format!("question {number}"),
    };
    chosen(path, entries.into_iter().map(entry).collect())
}

/// The predictions of a file with a JSON value a line; a blank line stays one.
///
/// # Errors
/// As those of [`read`].
pub fn values(path: &Path, lines: Lines) -> Result<Predictions, CorpusError> {
    let mut entries = Vec::new();
    for line in lines {
        let line = line?;
        let name = format!("line {}", line.number);
        let value = match line.text() {
            Ok(text) if text.trim().is_empty() => None,
            Ok(text) => serde_json::from_str(text).map(Some).map_err(|e| CorpusError::Line {
                file: path.display().to_string(),
                line: line.number,
                message: format!(
                    "not JSON: {e}; give one JSON value a line, or a query a line in a .txt file"
                ),
            })?,
            Err(why) => Some(Json::from(vec![String::from(why)])),
        };
        entries.push(Entry { value, line: line.number, name });
    }
    chosen(path, entries)
}

/// Rows of fields under a row of names.
fn rows(path: &Path, separator: char) -> Result<Predictions, CorpusError> {
    let file = || path.display().to_string();
    let bytes = read_bytes(path)?;
    let text = String::from_utf8(bytes).map_err(|e| CorpusError::File {
        file: file(),
        message: format!(
            "not UTF-8 at byte {}; convert the file (iconv -t UTF-8)",
            e.utf8_error().valid_up_to()
        ),
    })?;
    let rows = table_rows(&text, separator).map_err(|UnclosedQuote { line }| CorpusError::Line {
        file: file(),
        line,
        message: "a quote without an end; close it, and double the quotes inside a quoted field".into(),
    })?;
    let mut rows = rows.into_iter();
    let (_, head) = rows.next().unwrap_or_default();
    let entries = rows.map(|(line, row)| {
        let fields = head.iter().cloned().zip(row).map(|(name, cell)| (name, Json::String(cell)));
        Entry { value: Some(Json::Object(fields.collect())), line, name: format!("line {line}") }
    });
    let entries: Vec<Entry> = entries.collect();
    if key_of(&mut head.iter().map(String::as_str)).is_none() {
        return Err(no_key(path, 1, &mut head.iter().map(String::as_str)));
    }
    chosen(path, entries)
}

/// The predictions of entries: strings as they are, and one field of objects, the same of all.
fn chosen(path: &Path, entries: Vec<Entry>) -> Result<Predictions, CorpusError> {
    let objects =
        || entries.iter().filter_map(|entry| Some((entry.line, entry.value.as_ref()?.as_object()?)));
    let names: BTreeSet<&str> = objects().flat_map(|(_, map)| map.keys().map(String::as_str)).collect();
    let key = key_of(&mut names.iter().copied()).map(str::to_owned);
    if let (None, Some((line, map))) = (&key, objects().next()) {
        return Err(no_key(path, line, &mut map.keys().map(String::as_str)));
    }
    let all = entries.into_iter().map(|entry| one(entry, key.as_deref())).collect();
    Ok(Predictions { all, key })
}

/// The field that holds queries, of the names that are there.
fn key_of<'n>(names: &mut dyn Iterator<Item = &'n str>) -> Option<&'n str> {
    let place = |name: &str| KEYS.iter().position(|key| name.trim().eq_ignore_ascii_case(key));
    names.filter_map(|name| Some((place(name)?, name))).min().map(|(_, name)| name)
}

fn no_key(path: &Path, line: usize, names: &mut dyn Iterator<Item = &str>) -> CorpusError {
    let names: Vec<&str> = names.take(12).collect();
    CorpusError::Line {
        file: path.display().to_string(),
        line,
        message: format!(
            "none of its fields ({}) is known to be a predicted query; call it \"pred\", or one of {}",
            names.join(", "),
            KEYS[1..].join(", ")
        ),
    }
}

/// The prediction of an entry.
fn one(Entry { value, line, name }: Entry, key: Option<&str>) -> Prediction {
    let Some(value) = value else {
        return Prediction { sql: String::new(), line, unusable: None };
    };
    let (value, which) = match (value, key) {
        (Json::Object(mut map), Some(key)) => match map.shift_remove(key) {
            Some(value) => (value, format!("{key:?}")),
            None => {
                let why = format!("{name}: {key:?} is missing");
                return Prediction { sql: String::new(), line, unusable: Some(why) };
            }
        },
        (value, _) => (value, "the value".to_owned()),
    };
    let (sql, unusable) = match value {
        Json::String(text) => {
            let sql = bird::without_database(&text).trim().to_owned();
            let why = sql.is_empty().then(|| format!("{name}: empty prediction"));
            (sql, why)
        }
        other => (
            String::new(),
            Some(format!("{name}: {which} {} is not a string", crate::pairs::shortened(&other))),
        ),
    };
    Prediction { sql, line, unusable }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_as(name: &str, text: &str) -> Result<Predictions, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        read(&path).map_err(|e| e.to_string())
    }

    #[test]
    fn every_form_is_read() {
        for (name, text, key, expected) in [
            ("p.txt", "SELECT 1\tdb\n\nSELECT 2\n", None, &["SELECT 1", "", "SELECT 2"][..]),
            ("p.json", r#"["SELECT 1", "SELECT 2"]"#, None, &["SELECT 1", "SELECT 2"]),
            (
                "p.json",
                r#"{"1": "SELECT 2\t----- bird -----\td", "0": "SELECT 1"}"#,
                None,
                &["SELECT 1", "SELECT 2"],
            ),
            (
                "p.json",
                r#"[{"predicted_sql": "SELECT 1"}, {"predicted_sql": "SELECT 2"}]"#,
                Some("predicted_sql"),
                &["SELECT 1", "SELECT 2"],
            ),
            (
                "p.json",
                r#"{"0": {"SQL": "SELECT 1"}, "1": {"SQL": "SELECT 2"}}"#,
                Some("SQL"),
                &["SELECT 1", "SELECT 2"],
            ),
            // What is called `query` may be the gold.
            (
                "p.json",
                r#"[{"query": "SELECT 0", "question": "?", "prediction": "SELECT 1"}]"#,
                Some("prediction"),
                &["SELECT 1"],
            ),
            (
                "p.jsonl",
                "{\"pred\": \"SELECT 1\"}\n{\"pred\": \"SELECT\\n2\"}\n",
                Some("pred"),
                &["SELECT 1", "SELECT\n2"],
            ),
            (
                "p.txt",
                "{\"pred\": \"SELECT 1\"}\n\n{\"pred\": \"SELECT 2\"}\n",
                Some("pred"),
                &["SELECT 1", "", "SELECT 2"],
            ),
            ("p.jsonl", "\"SELECT 1\"\n", None, &["SELECT 1"]),
            (
                "p.csv",
                "id,pred\r\n1,\"SELECT a, b\nFROM \"\"t\"\"\"\r\n2,SELECT 2\r\n",
                Some("pred"),
                &["SELECT a, b\nFROM \"t\"", "SELECT 2"],
            ),
            ("p.tsv", "generated_sql\tid\nSELECT 1\t7\n", Some("generated_sql"), &["SELECT 1"]),
        ] {
            let read = read_as(name, text).unwrap();
            let found: Vec<&str> = read.all.iter().map(|p| p.sql.as_str()).collect();
            assert_eq!((found.as_slice(), read.key.as_deref()), (expected, key), "{name}: {text}");
        }
    }

    #[test]
    fn what_is_no_query_is_said() {
        for (name, text, message) in [
            ("p.json", r#"[{"text_to_sql": "SELECT 1"}]"#, "line 1: none of its fields (text_to_sql)"),
            ("p.jsonl", "{\"a\": 1, \"b\": 2}", "line 1: none of its fields (a, b)"),
            ("p.jsonl", "{\"pred\": \"a\"}\n{\"pred\"\n", "line 2: not JSON"),
            ("p.csv", "pred\nSELECT 1\n\"SELECT 2\nSELECT 3\n", "line 3: a quote without an end"),
            ("p.csv", "SELECT 1\nSELECT 2\n", "line 1: none of its fields (SELECT 1)"),
        ] {
            let error = read_as(name, text).unwrap_err();
            assert!(error.contains(message), "{error}");
        }
        let read = read_as(
            "p.json",
            r#"[{"pred": "SELECT 1"}, {"error": "timeout"}, {"pred": null}, {"pred": ""}]"#,
        );
        let why: Vec<_> = read.unwrap().all.into_iter().map(|p| p.unusable).collect();
        assert_eq!(why[0], None);
        for (why, message) in
            why[1..].iter().zip(["\"pred\" is missing", "\"pred\" null is not", "empty prediction"])
        {
            assert!(why.as_ref().is_some_and(|why| why.contains(message)), "{why:?}");
        }
    }
}
