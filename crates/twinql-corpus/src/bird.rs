//! Files of BIRD. Predictions are a JSON object from question number to `SQL\t----- bird -----\tdb_id`. Golds are in a
//! file of Spider's format, or in a JSON list with their questions.

use std::path::Path;

use serde_json::Value as Json;

use crate::CorpusError;
use crate::io::read_bytes;
use crate::pairs::Draft;

/// What stands between query and database.
const SEPARATOR: &str = "\t----- bird -----\t";

/// The query of a prediction.
pub(crate) fn without_database(text: &str) -> &str {
    text.split(SEPARATOR).next().unwrap_or_default()
}

/// The entries of `predict_dev.json` in order of their number; a list is taken too. What their values hold is for
/// [`crate::predictions`] to say.
///
/// # Errors
/// It is not such a JSON; a key that is no number or leaves a gap.
pub(crate) fn entries(path: &Path, bytes: &[u8]) -> Result<Vec<(usize, Json)>, CorpusError> {
    let fail = |message: String| CorpusError::File { file: path.display().to_string(), message };
    let json: Json = serde_json::from_slice(bytes).map_err(|e| {
        let remedy =
            "give a list, or BIRD's predict_dev.json; a file with a JSON value a line is called .jsonl";
        fail(format!("not JSON: {e}; {remedy}"))
    })?;
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
    Ok(entries)
}

/// The golds of `dev.json` or `train.json`, as pairs without a prediction: each has a query, its database, and mostly a
/// question and evidence.
///
/// # Errors
/// It is not such a JSON.
pub fn golds(path: &Path) -> Result<Vec<Draft>, CorpusError> {
    Ok(entries(path, &read_bytes(path)?)?.into_iter().map(|(_, entry)| gold(entry)).collect())
}

/// A gold of a benchmark's JSON, which calls the query `SQL` (BIRD) or `query` (Spider), or a log's, which calls it `sql`. Never fails: the problem says
/// what is wrong.
pub fn gold(entry: Json) -> Draft {
    let mut fields = match entry {
        Json::Object(fields) => fields,
        // The problem of an entry without a query is told as that of an empty one.
        _ => serde_json::Map::new(),
    };
    for (own, known) in [("SQL", "gold"), ("query", "gold"), ("sql", "gold"), ("question_id", "id")] {
        if !fields.contains_key(known)
            && let Some(value) = fields.shift_remove(own)
        {
            fields.insert(known.into(), value);
        }
    }
    Draft::from_fields(fields)
}

#[cfg(test)]
mod tests {
    #[test]
    fn golds_of_either_benchmark() {
        let file = tempfile::Builder::new().suffix(".json").tempfile().unwrap();
        let text = r#"[{"question_id":7,"db_id":"d","question":"q","evidence":"e","SQL":"SELECT 1"},
            {"db_id":"d","query":"SELECT 2"},3]"#;
        std::fs::write(file.path(), text).unwrap();
        let golds = super::golds(file.path()).unwrap();
        assert_eq!((&golds[0].pair.id, golds[0].pair.gold.as_str()), (&7.into(), "SELECT 1"));
        assert_eq!(golds[0].pair.question.as_deref(), Some("q"));
        assert_eq!(golds[0].pair.extra["evidence"], "e");
        assert_eq!(golds[1].pair.gold, "SELECT 2");
        assert!(golds[..2].iter().all(|d| d.problem.as_ref().is_some_and(|p| p.of_prediction)));
        assert!(golds[2].problem.as_ref().is_some_and(|p| !p.of_prediction));
    }

    #[test]
    fn predictions() {
        let file = tempfile::Builder::new().suffix(".json").tempfile().unwrap();
        let read = |text: &str| {
            std::fs::write(file.path(), text).unwrap();
            crate::predictions::read(file.path()).map(|read| read.all)
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
