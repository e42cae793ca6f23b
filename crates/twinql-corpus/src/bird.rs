//! Prediction files of BIRD: a JSON object from question number to
//! `SQL\t----- bird -----\tdb_id`. Gold files have Spider's format.

use std::path::Path;

use serde_json::Value as Json;

use crate::CorpusError;
use crate::io::read_bytes;
use crate::spider::Prediction;

/// What stands between query and database.
const SEPARATOR: &str = "\t----- bird -----\t";

/// Reads `predict_dev.json`: the predictions in order of their number. A list of strings
/// is taken too. A value that is no string (they occur) is an unusable prediction.
///
/// # Errors
/// The file cannot be read, is not UTF-8 or not such a JSON; a key that is no number or
/// leaves a gap.
pub fn read_predictions(path: impl AsRef<Path>) -> Result<Vec<Prediction>, CorpusError> {
    let path = path.as_ref();
    let fail = |message: String| CorpusError::File { file: path.display().to_string(), message };
    let json: Json = serde_json::from_slice(&read_bytes(path)?)
        .map_err(|e| fail(format!("not JSON: {e}; give BIRD's predict_dev.json")))?;
    let mut entries: Vec<(usize, Json)> = match json {
        Json::Array(list) => list.into_iter().enumerate().collect(),
        Json::Object(map) => map
            .into_iter()
            .map(|(key, value)| match key.parse() {
                Ok(number) => Ok((number, value)),
                Err(_) => Err(fail(format!("key {key:?} is not a question's number"))),
            })
            .collect::<Result<_, _>>()?,
        _ => return Err(fail("neither an object nor a list".into())),
    };
    entries.sort_by_key(|(number, _)| *number);
    if let Some((i, (number, _))) = entries.iter().enumerate().find(|(i, (n, _))| i != n) {
        return Err(fail(format!("question {i} is missing (the next one is {number})")));
    }
    Ok(entries
        .into_iter()
        .map(|(number, value)| {
            let (sql, unusable) = match value {
                Json::String(s) => {
                    let sql = s.split(SEPARATOR).next().unwrap_or_default().trim();
                    let empty = sql.is_empty();
                    (sql.to_owned(), empty.then(|| format!("question {number}: empty prediction")))
                }
                other => {
                    let why = format!("question {number}: the value {other} is not a string");
                    (String::new(), Some(why))
                }
            };
            Prediction { sql, line: number + 1, unusable }
        })
        .collect())
}

/// Reads predictions in either form: BIRD's where the file's name ends in `.json`,
/// Spider's otherwise.
///
/// # Errors
/// Those of the form's reader.
pub fn read_any_predictions(path: &Path) -> Result<Vec<Prediction>, CorpusError> {
    if path.extension().is_some_and(|e| e.eq_ignore_ascii_case("json")) {
        read_predictions(path)
    } else {
        crate::spider::read_predictions(path)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;

    #[test]
    fn predictions() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let read = |text: &str| {
            std::fs::write(file.path(), text).unwrap();
            read_predictions(file.path())
        };
        let got = read(r#"{"1":0,"0":"SELECT 1\t----- bird -----\td","10":"x","2":"a","3":"","4":"a","5":"a","6":"a","7":"a","8":"a","9":"a"}"#).unwrap();
        assert_eq!(got.len(), 11);
        assert_eq!(got[0].sql, "SELECT 1");
        assert_eq!(got[10].sql, "x");
        assert!(got[1].unusable.as_deref().unwrap().contains("the value 0"));
        assert!(got[3].unusable.is_some() && got[2].unusable.is_none());
        assert_eq!(read(r#"["a","b"]"#).unwrap().len(), 2);
        for (text, message) in [
            ("{", "not JSON"),
            ("3", "neither"),
            (r#"{"x":""}"#, "not a question's number"),
            (r#"{"0":"","2":""}"#, "question 1 is missing"),
        ] {
            let e = read(text).unwrap_err().to_string();
            assert!(e.contains(message), "{e}");
        }
    }
}
