//! Pair files: one JSON object a line, the format that everything else exchanges.

use std::path::Path;

use serde_json::{Map, Value as Json};

use crate::CorpusError;
use crate::io::{lines, read_bytes, write_whole};

/// Two queries over one schema, with what is known about them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Pair {
    /// The pair's id as the file has it, a string or a number; null where it has none.
    pub id: Json,
    /// The database whose schema both queries are over.
    pub db_id: Option<String>,
    /// The schema itself as DDL text, where the pair carries it.
    pub schema: Option<String>,
    /// The reference query.
    pub gold: String,
    /// The query that is compared with it.
    pub pred: String,
    /// 1: the same answer on every database; 0: not.
    pub label: Option<u8>,
    /// The question that both queries answer.
    pub question: Option<String>,
    /// Where the prediction comes from: a file's stem, `neighbour:…`, `rewrite:…`.
    pub source: Option<String>,
    /// `train`, `valid` or another part of the corpus.
    pub split: Option<String>,
    /// Every other field, in file order; written back as it was.
    pub extra: Map<String, Json>,
}

/// A line that holds no pair.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadLine {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub message: String,
}

/// What a pair file holds.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PairFile {
    /// The pairs, in file order.
    pub pairs: Vec<Pair>,
    /// The lines that hold none; the caller says whether that matters.
    pub bad: Vec<BadLine>,
}

impl Pair {
    /// The pair that one line holds.
    ///
    /// # Errors
    /// What is wrong with the line, as a sentence.
    pub fn from_json(line: &str) -> Result<Pair, String> {
        let json: Json = serde_json::from_str(line).map_err(|e| format!("not JSON: {e}"))?;
        let Json::Object(mut map) = json else {
            return Err("not a JSON object".into());
        };
        let text = |map: &mut Map<String, Json>, name: &str| match map.shift_remove(name) {
            None | Some(Json::Null) => Ok(None),
            Some(Json::String(s)) => Ok(Some(s)),
            Some(other) => Err(format!("{name:?} is {other}, not a string")),
        };
        // Benchmarks of provers call the two sides so.
        let side = |map: &mut Map<String, Json>, name: &str, other: &str| match text(map, name)? {
            Some(sql) => Ok(sql),
            None => text(map, other)?.ok_or_else(|| format!("{name:?} is missing")),
        };
        let id = map.shift_remove("id").unwrap_or(Json::Null);
        if !matches!(id, Json::Null | Json::String(_) | Json::Number(_)) {
            return Err(format!("\"id\" is {id}, neither string nor number"));
        }
        let pair = Pair {
            id,
            db_id: text(&mut map, "db_id")?,
            schema: text(&mut map, "schema")?,
            gold: side(&mut map, "gold", "sql1")?,
            pred: side(&mut map, "pred", "sql2")?,
            label: match map.shift_remove("label") {
                None | Some(Json::Null) => None,
                Some(Json::Number(n)) if n.as_u64() == Some(0) => Some(0),
                Some(Json::Number(n)) if n.as_u64() == Some(1) => Some(1),
                Some(Json::Bool(b)) => Some(u8::from(b)),
                // Those of provers say so in letters.
                Some(Json::String(s)) if s == "NEQ" => Some(0),
                Some(Json::String(s)) if s == "EQU" => Some(1),
                Some(v) => return Err(format!("\"label\" is {v}, not 0 or 1")),
            },
            question: text(&mut map, "question")?,
            source: text(&mut map, "source")?,
            split: text(&mut map, "split")?,
            extra: map,
        };
        if pair.db_id.is_none() && pair.schema.is_none() {
            return Err("neither \"db_id\" nor \"schema\" is there".into());
        }
        Ok(pair)
    }

    /// The pair as one JSON object; fields that are not set are left out.
    pub fn to_json(&self) -> Json {
        let mut map = Map::new();
        if !self.id.is_null() {
            map.insert("id".into(), self.id.clone());
        }
        let mut put = |name: &str, value: &Option<String>| {
            if let Some(v) = value {
                map.insert(name.into(), Json::String(v.clone()));
            }
        };
        put("db_id", &self.db_id);
        put("schema", &self.schema);
        put("gold", &Some(self.gold.clone()));
        put("pred", &Some(self.pred.clone()));
        if let Some(label) = self.label {
            map.insert("label".into(), label.into());
        }
        let mut put = |name: &str, value: &Option<String>| {
            if let Some(v) = value {
                map.insert(name.into(), Json::String(v.clone()));
            }
        };
        put("question", &self.question);
        put("source", &self.source);
        put("split", &self.split);
        for (name, value) in &self.extra {
            map.insert(name.clone(), value.clone());
        }
        Json::Object(map)
    }
}

/// Reads a pair file (`.jsonl`, or `.jsonl.gz`). Empty lines are skipped; a line that
/// holds no pair is reported and does not stop the rest.
///
/// # Errors
/// The file cannot be read, or holds nothing at all.
pub fn read(path: impl AsRef<Path>) -> Result<PairFile, CorpusError> {
    let path = path.as_ref();
    let bytes = read_bytes(path)?;
    let mut file = PairFile::default();
    for (i, line) in lines(&bytes).enumerate() {
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        let pair = match std::str::from_utf8(line) {
            Ok(text) => Pair::from_json(text),
            Err(e) => Err(format!("not UTF-8 at byte {}", e.valid_up_to())),
        };
        match pair {
            Ok(pair) => file.pairs.push(pair),
            Err(message) => file.bad.push(BadLine { line: i + 1, message }),
        }
    }
    if file.pairs.is_empty() && file.bad.is_empty() {
        return Err(CorpusError::File {
            file: path.display().to_string(),
            message: "the file holds no pairs; give one JSON object a line".into(),
        });
    }
    Ok(file)
}

/// As [`read`], where a bad line is an error: for files that a training run depends on.
///
/// # Errors
/// Those of [`read`], and the first bad line.
pub fn read_strict(path: impl AsRef<Path>) -> Result<Vec<Pair>, CorpusError> {
    let path = path.as_ref();
    let file = read(path)?;
    match file.bad.into_iter().next() {
        None => Ok(file.pairs),
        Some(bad) => Err(CorpusError::Line {
            file: path.display().to_string(),
            line: bad.line,
            message: bad.message,
        }),
    }
}

/// Writes a pair file whole or not at all; compressed if its name ends in `.gz`.
///
/// # Errors
/// Whatever the operating system refuses.
pub fn write<'p>(
    path: impl AsRef<Path>,
    pairs: impl IntoIterator<Item = &'p Pair>,
) -> Result<(), CorpusError> {
    write_whole(path.as_ref(), |out| {
        for pair in pairs {
            serde_json::to_writer(&mut *out, &pair.to_json())?;
            out.write_all(b"\n")?;
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;

    #[test]
    fn unknown_fields_and_ids_pass_through() {
        for line in [
            r#"{"id":785,"db_id":"d","gold":"SELECT 1","pred":"SELECT 2","label":0,"model":"x","n":[1,{"a":null}]}"#,
            r#"{"id":"a","schema":"CREATE TABLE t(a)","gold":"SELECT 1","pred":"","split":"train"}"#,
            r#"{"db_id":"d","gold":"g","pred":"p","question":"q","source":"s"}"#,
        ] {
            assert_eq!(Pair::from_json(line).unwrap().to_json().to_string(), line);
        }
    }

    #[test]
    fn benchmarks_of_provers_are_read() {
        let pair = Pair::from_json(r#"{"id":1,"schema":"s","sql1":"a","sql2":"b","label":"EQU"}"#).unwrap();
        assert_eq!(
            (pair.gold.as_str(), pair.pred.as_str(), pair.label),
            ("a", "b", Some(1))
        );
        let both = Pair::from_json(r#"{"db_id":"d","gold":"g","pred":"p","sql1":"a"}"#).unwrap();
        assert_eq!(
            (both.gold.as_str(), both.extra["sql1"].as_str()),
            ("g", Some("a"))
        );
    }

    #[test]
    fn bad_lines_are_reported_and_the_rest_is_read() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("p.jsonl");
        let good = r#"{"db_id":"d","gold":"g","pred":"p","label":true}"#;
        let mut bytes = format!("\u{feff}{good}\r\n").into_bytes();
        bytes.extend(b"\n{\"gold\":\n[1]\n\xff\n{\"db_id\":\"d\",\"gold\":\"g\"}\n");
        bytes.extend(b"{\"gold\":\"g\",\"pred\":\"p\"}\n");
        bytes.extend(b"{\"db_id\":\"d\",\"gold\":\"g\",\"pred\":3}\n");
        bytes.extend(b"{\"db_id\":\"d\",\"gold\":\"g\",\"pred\":\"p\",\"label\":2}\n");
        std::fs::write(&path, bytes).unwrap();
        let file = read(&path).unwrap();
        assert_eq!(file.pairs.len(), 1);
        assert_eq!(file.pairs[0].label, Some(1));
        let bad: Vec<(usize, &str)> = file.bad.iter().map(|b| (b.line, b.message.as_str())).collect();
        for ((line, message), (n, part)) in bad.iter().zip([
            (3, "not JSON"),
            (4, "not a JSON object"),
            (5, "not UTF-8 at byte 0"),
            (6, "\"pred\" is missing"),
            (7, "neither \"db_id\" nor \"schema\""),
            (8, "not a string"),
            (9, "not 0 or 1"),
        ]) {
            assert_eq!(*line, n);
            assert!(message.contains(part), "{message}");
        }
        assert_eq!(bad.len(), 7);
        let e = read_strict(&path).unwrap_err().to_string();
        assert!(e.contains("p.jsonl, line 3: "), "{e}");
        std::fs::write(&path, "").unwrap();
        assert!(read(&path).is_err());
    }

    #[test]
    fn gzip_by_extension() {
        let dir = tempfile::tempdir().unwrap();
        let pair = Pair {
            db_id: Some("d".into()),
            gold: "g".into(),
            ..Pair::default()
        };
        for name in ["a.jsonl", "a.jsonl.gz"] {
            let path = dir.path().join(name);
            write(&path, [&pair, &pair]).unwrap();
            assert_eq!(read_strict(&path).unwrap(), [pair.clone(), pair.clone()]);
        }
    }
}
