//! Predictions for originals and for transformed inputs, and the transformed test set itself.

use std::collections::HashMap;
use std::path::Path;

use serde::Deserialize;
use serde_json::Value as Json;
use twinql_corpus::io::{lines, read_bytes};
use twinql_files::Lines;

use crate::PerturbError;
use crate::mapping::Mapping;
use crate::relation::ORIGINAL;

/// Predictions by the ids of inputs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Predictions(HashMap<String, String>);

/// An input without a text is none: so files say that nothing was predicted.
const EMPTY: &str = "-- empty prediction";

impl Predictions {
    /// Reads predictions: one SQL query a line in the order of `ids`; JSON lines with `id` and `sql` (or `pred`,
    /// `query`, `prediction`); or one JSON object of ids and queries. An empty line, or a JSON null, is no prediction.
    ///
    /// # Errors
    /// The file cannot be read; a line is no prediction; a file of lines does not have one for each id; no id is known.
    pub fn read(path: &Path, ids: &[String]) -> Result<Predictions, PerturbError> {
        let bytes = read_bytes(path)?;
        let wrong = |why: String| PerturbError::Predictions { file: path.display().to_string(), why };
        let mut found = HashMap::new();
        if bytes.iter().find(|b| !b.is_ascii_whitespace()) == Some(&b'{') {
            if let Ok(Json::Object(all)) = serde_json::from_slice::<Json>(&bytes)
                && !all.contains_key("id")
            {
                for (id, text) in &all {
                    put(&mut found, id.clone(), text).map_err(wrong)?;
                }
            } else {
                for (number, line) in lines(&bytes).enumerate().filter(|(_, l)| !l.trim_ascii().is_empty()) {
                    let at = |why: &str| wrong(format!("line {}: {why}", number + 1));
                    let json: Json =
                        serde_json::from_slice(line).map_err(|e| at(&format!("no JSON: {e}")))?;
                    let id = match json.get("id") {
                        Some(Json::String(id)) => id.clone(),
                        Some(Json::Number(id)) => id.to_string(),
                        _ => return Err(at("no id; give {\"id\": …, \"sql\": …}")),
                    };
                    let text = ["sql", "pred", "query", "prediction"].iter().find_map(|name| json.get(name));
                    put(&mut found, id, text.unwrap_or(&Json::Null)).map_err(|why| at(&why))?;
                }
            }
            if !found.is_empty() && !ids.iter().any(|id| found.contains_key(id)) {
                let one = found.keys().min().cloned().unwrap_or_default();
                let first = ids.first().cloned().unwrap_or_default();
                return Err(wrong(format!(
                    "no id of it is an input's: it has {one:?}, and the first input is {first:?}"
                )));
            }
        } else {
            let mut count = 0;
            for (number, line) in lines(&bytes).enumerate() {
                count = number + 1;
                let text = std::str::from_utf8(line).map_err(|_| {
                    wrong(format!("line {count} is not UTF-8; convert the file (iconv -t UTF-8)"))
                })?;
                if let Some(id) = ids.get(number) {
                    put(&mut found, id.clone(), &Json::from(text)).map_err(wrong)?;
                }
            }
            if count != ids.len() {
                return Err(wrong(format!(
                    "{count} lines for {} inputs; give a line for each, empty where there is no prediction, or JSON lines with ids",
                    ids.len()
                )));
            }
        }
        Ok(Predictions(found))
    }

    /// The prediction for an input.
    pub fn get(&self, id: &str) -> Option<&str> {
        self.0.get(id).map(String::as_str)
    }
}

fn put(found: &mut HashMap<String, String>, id: String, text: &Json) -> Result<(), String> {
    let text = match text {
        Json::Null => "",
        Json::String(text) => text.as_str(),
        _ => return Err(format!("{id:?}: the prediction is no text")),
    };
    // Spider's and BIRD's files may have the database behind a tab.
    let text = text.split('\t').next().unwrap_or_default().trim();
    if text.is_empty() || text == EMPTY {
        return Ok(());
    }
    match found.insert(id.clone(), text.to_owned()) {
        Some(_) => Err(format!("{id:?} has two predictions; give one")),
        None => Ok(()),
    }
}

/// One transformed input, as far as predictions are compared on it.
#[derive(Debug, Clone, Deserialize)]
pub struct Input {
    /// Its id.
    pub id: String,
    /// The original question's place in its file, from 0.
    pub origin: usize,
    /// The relation.
    pub relation: String,
    /// The question.
    pub question: String,
    /// The question as it was.
    #[serde(default)]
    pub original: String,
    /// The gold query.
    pub gold: String,
    /// The schema's name.
    pub db_id: String,
    /// The schema as DDL.
    pub schema: String,
    /// How the schema relates to the original.
    pub mapping: Mapping,
}

/// Shows each input of a transformed test set, in the order of the file; originals among them are passed over.
///
/// # Errors
/// The file cannot be read, or a line is no input; what `each` says.
pub fn inputs<E: From<PerturbError>>(
    path: &Path,
    mut each: impl FnMut(Input) -> Result<(), E>,
) -> Result<(), E> {
    let wrong =
        |line: usize, why: String| PerturbError::TestSet { file: path.display().to_string(), line, why };
    let opened = Lines::open(path).map_err(|e| E::from(twinql_corpus::CorpusError::from(e).into()))?;
    for line in opened.filled() {
        let line = line.map_err(|e| E::from(twinql_corpus::CorpusError::from(e).into()))?;
        let text = line.text().map_err(|why| wrong(line.number, why.into()))?;
        let input: Input = serde_json::from_str(text).map_err(|e| wrong(line.number, e.to_string()))?;
        if input.relation != ORIGINAL.name {
            each(input)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, ids: &[&str]) -> Result<Predictions, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("p");
        std::fs::write(&path, text).unwrap();
        let ids: Vec<String> = ids.iter().map(|id| (*id).to_owned()).collect();
        Predictions::read(&path, &ids).map_err(|e| e.to_string())
    }

    #[test]
    fn three_forms() {
        for text in [
            "SELECT 1\td\n\nSELECT 3\n",
            "{\"id\":\"a\",\"sql\":\"SELECT 1\"}\n{\"id\":\"b\",\"sql\":null}\n{\"id\":\"c\",\"pred\":\"SELECT 3\"}\n",
            "{\"a\": \"SELECT 1\", \"b\": \"-- empty prediction\", \"c\": \" SELECT 3\\t----- bird -----\\td\"}",
        ] {
            let found = read(text, &["a", "b", "c"]).unwrap();
            assert_eq!(
                [found.get("a"), found.get("b"), found.get("c")],
                [Some("SELECT 1"), None, Some("SELECT 3")]
            );
        }
        assert_eq!(read("{\"id\":7,\"sql\":\"SELECT é\"}", &["7"]).unwrap().get("7"), Some("SELECT é"));
    }

    #[test]
    fn what_does_not_fit_is_named() {
        for (text, says) in [
            ("SELECT 1\n", "1 lines for 2 inputs"),
            ("{\"x\":\"SELECT 1\"}", "it has \"x\", and the first input is \"a\""),
            ("{\"id\":\"a\",\"sql\":3}", "line 1: \"a\": the prediction is no text"),
            ("{\"id\":\"a\",\"sql\":\"s\"}\n{\"id\":\"a\",\"sql\":\"s\"}", "two predictions"),
            ("{\"id\":\"a\",\"sql\":\"s\"}\nSELECT\n", "line 2: no JSON"),
        ] {
            let error = read(text, &["a", "b"]).unwrap_err();
            assert!(error.contains(says), "{error}");
        }
    }
}
