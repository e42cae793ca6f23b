//! Questions with their gold queries: Spider's JSON, or JSON lines.

use std::path::Path;

use serde_json::Value as Json;
use twinql_corpus::io::{lines, read_bytes};

use crate::PerturbError;

/// A question with its gold query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// Its place in the file, from 0.
    pub number: usize,
    /// The question.
    pub question: String,
    /// The gold query.
    pub gold: String,
    /// Its database.
    pub db_id: String,
}

/// What of a file is no question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bad {
    /// Its place in the file, from 0.
    pub number: usize,
    /// Why, and what helps.
    pub why: String,
}

/// The questions of a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Questions {
    /// In file order.
    pub questions: Vec<Question>,
    /// What is none.
    pub bad: Vec<Bad>,
}

impl Questions {
    /// Reads a JSON list of objects, or an object a line, with `question`, `query` (or `gold`, `SQL`) and `db_id`.
    ///
    /// # Errors
    /// The file cannot be read, or holds no question.
    pub fn read(path: &Path) -> Result<Questions, PerturbError> {
        let bytes = read_bytes(path)?;
        let start = bytes.iter().find(|b| !b.is_ascii_whitespace());
        let file = || path.display().to_string();
        let entries: Vec<Result<Json, String>> = if start == Some(&b'[') {
            let list: Vec<Json> = serde_json::from_slice(&bytes).map_err(|e| PerturbError::Questions {
                file: file(),
                why: format!("not a JSON list: {e}"),
            })?;
            list.into_iter().map(Ok).collect()
        } else {
            let given = lines(&bytes).filter(|line| !line.trim_ascii().is_empty());
            given.map(|line| serde_json::from_slice(line).map_err(|e| format!("not JSON: {e}"))).collect()
        };
        let mut found = Questions::default();
        for (number, entry) in entries.into_iter().enumerate() {
            match entry.and_then(|json| question(number, &json)) {
                Ok(question) => found.questions.push(question),
                Err(why) => found.bad.push(Bad { number, why }),
            }
        }
        match (found.questions.is_empty(), found.bad.first()) {
            (true, Some(bad)) => Err(PerturbError::Questions {
                file: file(),
                why: format!("none of {} entries is a question; the first: {}", found.bad.len(), bad.why),
            }),
            (true, None) => Err(PerturbError::Questions { file: file(), why: "the file is empty".into() }),
            (false, _) => Ok(found),
        }
    }
}

fn question(number: usize, json: &Json) -> Result<Question, String> {
    let text = |names: &[&str]| {
        let found = names.iter().find_map(|name| json.get(name)?.as_str()).map(str::trim);
        found.filter(|text| !text.is_empty()).map(str::to_owned)
    };
    Ok(Question {
        number,
        question: text(&["question"]).ok_or("no \"question\"")?,
        gold: text(&["query", "gold", "SQL", "sql"]).ok_or("no \"query\" and no \"gold\"")?,
        db_id: text(&["db_id"]).ok_or("no \"db_id\"")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Questions, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("q");
        std::fs::write(&path, text).unwrap();
        Questions::read(&path).map_err(|e| e.to_string())
    }

    #[test]
    fn both_forms() {
        let list = read(r#"[{"question":"a?","query":"SELECT 1","db_id":"d"},{"question":""},3]"#).unwrap();
        assert_eq!((list.questions.len(), list.bad.len()), (1, 2));
        assert_eq!(list.bad[0], Bad { number: 1, why: "no \"question\"".into() });
        let lines = read("{\"question\":\"né?\",\"gold\":\"SELECT 1\",\"db_id\":\"d\"}\n\n{}\n{\"question\":\"b\",\"SQL\":\"SELECT 2\",\"db_id\":\"d\"}\n").unwrap();
        let numbers: Vec<usize> = lines.questions.iter().map(|q| q.number).collect();
        assert_eq!(numbers, [0, 2]);
        for (text, says) in
            [("", "is empty"), ("[3]", "none of 1 entries"), ("[{", "not a JSON list"), ("x\n", "not JSON")]
        {
            assert!(read(text).unwrap_err().contains(says), "{text}");
        }
    }
}
