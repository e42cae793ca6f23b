//! Gold queries with what stands beside them, whatever the file: what statistics and splits read.
//!
//! | file | an example is |
//! |---|---|
//! | `.json` | an object of a list, as Spider and BIRD publish their questions |
//! | `.jsonl` | an object on a line: a pair, or a question as above |
//! | any other | a line `SQL<TAB>db_id`; blank lines between interactions are skipped |
//!
//! Each may end in `.gz`. Of an object, the query is `gold`, `sql1`, `query`, `SQL` or `sql`, the prediction
//! `pred` or `sql2`, the database `db_id` or `database_id` (or the text of `schema`), the question `question`.

use std::path::Path;

use serde_json::{Map, Value as Json};
use twinql_files::Lines;

use crate::CorpusError;
use crate::io::{read_bytes, write_several};
use crate::pairs::BadLine;

/// A gold query with what is known of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Example {
    /// The query.
    pub sql: String,
    /// Its database's id, or the schema's text where there is no id.
    pub database: String,
    /// The question that it answers.
    pub question: Option<String>,
    /// A prediction for it.
    pub pred: Option<String>,
    /// As the file has it: written back as it was.
    raw: Raw,
}

#[derive(Debug, Clone, PartialEq)]
enum Raw {
    Line(String),
    Object(Json),
}

/// How the examples of a file stand in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    List,
    Objects,
    Golds,
}

/// What a file holds.
#[derive(Debug, Clone, PartialEq)]
pub struct Examples {
    /// The examples, in file order.
    pub examples: Vec<Example>,
    /// Lines, or entries of a list, that hold none.
    pub bad: Vec<BadLine>,
    /// Blank lines between others: the ends of interactions in a gold file.
    pub interactions: usize,
    form: Form,
}

impl Form {
    /// By the file's name.
    fn of(path: &Path) -> Form {
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        let name = name.strip_suffix(".gz").unwrap_or(&name);
        if name.ends_with(".json") {
            Form::List
        } else if name.ends_with(".jsonl") || name.ends_with(".ndjson") {
            Form::Objects
        } else {
            Form::Golds
        }
    }
}

/// Reads a file of examples.
///
/// # Errors
/// The file cannot be read, is no JSON although its name says so, or holds nothing that is an example; the
/// message names the first thing that is not.
pub fn read(path: impl AsRef<Path>) -> Result<Examples, CorpusError> {
    let path = path.as_ref();
    let mut found = Examples { examples: Vec::new(), bad: Vec::new(), interactions: 0, form: Form::of(path) };
    if found.form == Form::List {
        let fail = |message: String| CorpusError::File { file: path.display().to_string(), message };
        let list: Vec<Json> = serde_json::from_slice(&read_bytes(path)?)
            .map_err(|e| fail(format!("not a JSON list: {e}; give one with an object for each question")))?;
        for (at, object) in list.into_iter().enumerate() {
            found.add(at + 1, Example::of_object(object));
        }
    } else {
        let mut blank = 0;
        for line in Lines::open(path)? {
            let line = line?;
            if line.is_blank() {
                blank += 1;
                continue;
            }
            if !found.examples.is_empty() {
                found.interactions += blank;
            }
            blank = 0;
            let text = line.text().map_err(String::from);
            let example = match found.form {
                Form::Golds => text.and_then(Example::of_gold),
                _ => text.and_then(|text| {
                    let object = serde_json::from_str(text).map_err(|e| format!("not JSON: {e}"))?;
                    Ok(Example { raw: Raw::Line(text.to_owned()), ..Example::of_object(object)? })
                }),
            };
            found.add(line.number, example);
        }
    }
    match (found.examples.is_empty(), found.bad.first()) {
        (true, Some(bad)) => Err(CorpusError::Line {
            file: path.display().to_string(),
            line: bad.line,
            message: format!("{}; nothing in the file is a gold query", bad.message),
        }),
        (true, None) => Err(CorpusError::File {
            file: path.display().to_string(),
            message: "the file holds no queries".into(),
        }),
        _ => Ok(found),
    }
}

impl Examples {
    fn add(&mut self, line: usize, example: Result<Example, String>) {
        match example {
            Ok(example) => self.examples.push(example),
            Err(message) => self.bad.push(BadLine { line, message }),
        }
    }

    /// Writes parts of the examples to files, in the form that they were read in: all of the files, or none.
    ///
    /// # Errors
    /// Whatever the operating system refuses; the old files, if any, then stay as they were.
    pub fn write_parts(&self, parts: &[(&Path, Vec<&Example>)]) -> Result<(), CorpusError> {
        let mut files = Vec::with_capacity(parts.len());
        for (path, examples) in parts {
            let mut text = Vec::new();
            match self.form {
                Form::List => {
                    let list: Vec<&Json> = examples.iter().filter_map(|e| e.raw.object()).collect();
                    serde_json::to_writer_pretty(&mut text, &list)
                        .map_err(|e| crate::io::io_error(path, &e.into()))?;
                    text.push(b'\n');
                }
                Form::Objects | Form::Golds => {
                    for example in examples {
                        text.extend(example.raw.line().as_bytes());
                        text.push(b'\n');
                    }
                }
            }
            files.push((*path, text));
        }
        write_several(&files)
    }
}

impl Raw {
    fn object(&self) -> Option<&Json> {
        match self {
            Raw::Object(object) => Some(object),
            Raw::Line(_) => None,
        }
    }

    fn line(&self) -> &str {
        match self {
            Raw::Line(line) => line,
            Raw::Object(_) => "",
        }
    }
}

/// The first of these fields that is text.
fn text(object: &Map<String, Json>, names: &[&str]) -> Option<String> {
    names.iter().find_map(|name| object.get(*name)?.as_str()).map(str::to_owned)
}

impl Example {
    fn of_gold(line: &str) -> Result<Example, String> {
        // A tab may stand inside the query; the database comes after the last one.
        let (sql, database) = line
            .trim_end()
            .rsplit_once('\t')
            .ok_or("no tab; a gold line is the query, a tab, and the database's id")?;
        Ok(Example {
            sql: sql.trim().to_owned(),
            database: database.trim().to_owned(),
            question: None,
            pred: None,
            raw: Raw::Line(line.to_owned()),
        })
    }

    fn of_object(json: Json) -> Result<Example, String> {
        let Some(object) = json.as_object() else { return Err("not a JSON object".into()) };
        let sql = text(object, &["gold", "sql1", "query", "SQL", "sql"])
            .ok_or("no query: none of \"gold\", \"query\" and \"SQL\" is text")?;
        Ok(Example {
            sql,
            database: text(object, &["db_id", "database_id", "schema"])
                .ok_or("no database: neither \"db_id\" nor \"schema\" is text")?,
            question: text(object, &["question"]),
            pred: text(object, &["pred", "sql2"]),
            raw: Raw::Object(json),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_forms() {
        let folder = tempfile::tempdir().unwrap();
        let read_as = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            read(&path)
        };
        let golds = read_as("gold.sql", "SELECT 1\td1\n\nSELECT\t2\td2\n\n").unwrap();
        assert_eq!((golds.examples.len(), golds.interactions), (2, 1));
        assert_eq!(
            (golds.examples[1].sql.as_str(), golds.examples[1].database.as_str()),
            ("SELECT\t2", "d2")
        );
        let lines = "{\"db_id\":\"d\",\"query\":\"SELECT 1\",\"question\":\"q\"}\n{\"db_id\":\"d\",\"gold\":\"SELECT 1\",\"pred\":\"p\"}\n3\n";
        let objects = read_as("x.jsonl", lines).unwrap();
        assert_eq!(objects.examples[0].question.as_deref(), Some("q"));
        assert_eq!(objects.examples[1].pred.as_deref(), Some("p"));
        assert_eq!((objects.bad[0].line, objects.bad[0].message.as_str()), (3, "not a JSON object"));
        let list =
            read_as("x.json", r#"[{"db_id":"d","SQL":"SELECT 1"},{"db_id":"d","sql":{"sel":1}}]"#).unwrap();
        assert_eq!((list.examples.len(), list.bad.len()), (1, 1));
        for (name, text, says) in [
            ("none.sql", "", "holds no queries"),
            ("bad.sql", "SELECT 1\n", "line 1: no tab"),
            ("bad.json", "{}", "not a JSON list"),
            ("bad.jsonl", "{\"db_id\":\"d\"}\n", "line 1: no query"),
        ] {
            let error = read_as(name, text).unwrap_err().to_string();
            assert!(error.contains(says), "{error}");
        }
    }

    #[test]
    fn written_as_they_were() {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in [
            (
                "a.jsonl",
                "{\"n\":1.50, \"db_id\":\"d\",\"gold\":\"SELECT 1\"}\n{\"db_id\":\"d\",\"gold\":\"SELECT 2\"}\n",
            ),
            ("a.sql", "SELECT 1 \td\nSELECT 2\td\n"),
            (
                "a.json",
                "[\n  {\n    \"z\": [],\n    \"db_id\": \"d\",\n    \"SQL\": \"SELECT 1\"\n  },\n  {\n    \"db_id\": \"d\",\n    \"SQL\": \"SELECT 2\"\n  }\n]\n",
            ),
        ] {
            let (path, out) = (folder.path().join(name), folder.path().join(format!("out-{name}")));
            std::fs::write(&path, text).unwrap();
            let found = read(&path).unwrap();
            found.write_parts(&[(&out, found.examples.iter().collect())]).unwrap();
            assert_eq!(std::fs::read_to_string(&out).unwrap(), text);
        }
    }

    #[test]
    fn all_parts_or_none() {
        let folder = tempfile::tempdir().unwrap();
        let (path, out) = (folder.path().join("a.sql"), folder.path().join("out.sql"));
        std::fs::write(&path, "SELECT 1\td\n").unwrap();
        let found = read(&path).unwrap();
        // A folder stands where the second file should.
        let parts = [(out.as_path(), found.examples.iter().collect()), (folder.path(), Vec::new())];
        assert!(found.write_parts(&parts).is_err());
        assert!(!out.exists());
    }
}
