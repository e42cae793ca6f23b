//! Pair files: one JSON object a line, the format that everything else exchanges.

use std::path::Path;

use serde_json::{Map, Value as Json};
use twinql_files::Lines;

use crate::CorpusError;
use crate::io::write_whole;

/// Two queries over one schema, with what is known about them.
#[derive(Debug, Clone, Default, PartialEq, schemars::JsonSchema)]
pub struct Pair {
    /// The pair's id as the file has it, a string or a number; null where it has none.
    pub id: Json,
    /// The database whose schema both queries are over.
    pub db_id: Option<String>,
    /// The schema itself as DDL text, where the pair carries it.
    pub schema: Option<String>,
    /// The reference query.
    pub gold: String,
    /// Further references, any of which the prediction may meet; the first stands for `gold` where that is missing.
    pub golds: Vec<String>,
    /// The query that is compared with them.
    pub pred: String,
    /// Whose SQL the gold is, where the pair says so.
    pub gold_dialect: Option<String>,
    /// Whose SQL the prediction is, where the pair says so.
    pub pred_dialect: Option<String>,
    /// 1: the same answer on every database; 0: not.
    pub label: Option<u8>,
    /// The question that both queries answer.
    pub question: Option<String>,
    /// Where the prediction comes from: a file's stem, `neighbour:…`, `rewrite:…`.
    pub source: Option<String>,
    /// `train`, `valid` or another part of the corpus.
    pub split: Option<String>,
    /// Every other field, in file order; written back as it was.
    #[schemars(flatten)]
    pub extra: Map<String, Json>,
}

/// Why a pair with several golds cannot be used where two queries are compared.
pub const SEVERAL_GOLDS: &str =
    "\"golds\": several golds of a question are read by score and evaluate alone; give one as \"gold\"";

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

/// A line of a pair file, as far as it can be read: what cannot be used is empty, and the problem
/// says so.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Draft {
    /// The fields that can be used.
    pub pair: Pair,
    /// The id's text where it is a number that JSON readers would write in another way: `1e3`, or
    /// one of more digits than they keep.
    pub number: Option<String>,
    /// The first thing that is wrong; one with the prediction comes last.
    pub problem: Option<Problem>,
}

/// What is wrong with a line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Problem {
    /// It is the prediction that is missing or no text: all else is there.
    pub of_prediction: bool,
    /// What is wrong, as a sentence.
    pub message: String,
}

/// Takes fields out of a line, and keeps the first problem.
struct Fields {
    map: Map<String, Json>,
    problem: Option<String>,
}

impl Fields {
    fn complain(&mut self, message: String) {
        self.problem.get_or_insert(message);
    }

    /// A field of text; none where it is missing, null or something else.
    fn text(&mut self, name: &str) -> Option<String> {
        match self.map.shift_remove(name) {
            None | Some(Json::Null) => None,
            Some(Json::String(s)) => Some(s),
            Some(other) => {
                self.complain(format!("{name:?} is {}, not a string", shortened(&other)));
                None
            }
        }
    }

    /// A query; benchmarks of provers call the two sides `sql1` and `sql2`. The problem is not
    /// noted, but given.
    fn side(&mut self, name: &str, other: &str) -> Result<String, String> {
        let before = self.problem.take();
        let sql = match self.map.contains_key(name) {
            true => {
                let null = self.map.get(name) == Some(&Json::Null);
                let sql = self.text(name);
                sql.or_else(|| self.text(other)).ok_or(null)
            }
            false => self.text(other).ok_or(false),
        };
        let problem = std::mem::replace(&mut self.problem, before);
        match (sql, problem) {
            (Ok(sql), None) => Ok(sql),
            (_, Some(problem)) => Err(problem),
            (Err(true), None) => Err(format!("{name:?} is null: there is no query")),
            (Err(false), None) => Err(format!("{name:?} is missing")),
        }
    }

    /// A list of queries; none where it is missing or null.
    fn queries(&mut self, name: &str) -> Vec<String> {
        match self.map.shift_remove(name) {
            None | Some(Json::Null) => Vec::new(),
            Some(value) => serde_json::from_value(value).unwrap_or_else(|_| {
                self.complain(format!("{name:?} is not a list of strings"));
                Vec::new()
            }),
        }
    }

    fn label(&mut self) -> Option<u8> {
        match self.map.shift_remove("label") {
            None | Some(Json::Null) => None,
            Some(Json::Number(n)) if n.as_u64() == Some(0) => Some(0),
            Some(Json::Number(n)) if n.as_u64() == Some(1) => Some(1),
            Some(Json::Bool(b)) => Some(u8::from(b)),
            // Those of provers say so in letters.
            Some(Json::String(s)) if s == "NEQ" => Some(0),
            Some(Json::String(s)) if s == "EQU" => Some(1),
            Some(v) => {
                self.complain(format!("\"label\" is {}, not 0 or 1", shortened(&v)));
                None
            }
        }
    }
}

/// A value in a message: it may be long.
pub(crate) fn shortened(value: &Json) -> String {
    let text = value.to_string();
    match text.char_indices().nth(60) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text,
    }
}

/// The text of the number that is the `id` of a JSON object; `line` is known to be one.
fn number_of(line: &str) -> Option<&str> {
    let bytes = line.as_bytes();
    let (mut at, mut depth, mut found) = (0, 0usize, None);
    let skip = |from: usize, skipped: fn(u8) -> bool| {
        let rest = bytes.get(from..).unwrap_or_default();
        from + rest.iter().take_while(|b| skipped(**b)).count()
    };
    while let Some(byte) = bytes.get(at) {
        at += 1;
        match byte {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            b'"' => {
                let begin = at;
                while let Some(inner) = bytes.get(at).filter(|b| **b != b'"') {
                    at += if *inner == b'\\' { 2 } else { 1 };
                }
                let name = bytes.get(begin..at);
                at += 1;
                let colon = skip(at, |b| b.is_ascii_whitespace());
                if depth == 1 && name == Some(b"id") && bytes.get(colon) == Some(&b':') {
                    let begin = skip(colon + 1, |b| b.is_ascii_whitespace());
                    let end =
                        skip(begin, |b| b.is_ascii_digit() || matches!(b, b'-' | b'+' | b'.' | b'e' | b'E'));
                    found = line.get(begin..end);
                }
            }
            _ => {}
        }
    }
    found.filter(|text| !text.is_empty())
}

impl Draft {
    /// Reads a line. Never fails: the problem says what is wrong.
    pub fn from_json(line: &str) -> Draft {
        let problem = |message: String| Draft {
            problem: Some(Problem { of_prediction: false, message }),
            ..Draft::default()
        };
        match serde_json::from_str(line) {
            Ok(Json::Object(map)) => {
                let draft = Draft::from_fields(map);
                let number = match &draft.pair.id {
                    Json::Number(n) => number_of(line).filter(|text| *text != n.to_string()),
                    _ => None,
                };
                Draft { number: number.map(str::to_owned), ..draft }
            }
            Ok(_) => problem("not a JSON object".into()),
            Err(e) => problem(format!("not JSON: {e}")),
        }
    }

    /// Reads the fields of an object that is no text any more.
    pub fn from_fields(map: Map<String, Json>) -> Draft {
        let mut fields = Fields { map, problem: None };
        let id = match fields.map.shift_remove("id") {
            None => Json::Null,
            Some(id @ (Json::Null | Json::Number(_) | Json::String(_))) => id,
            Some(other) => {
                fields.complain(format!("\"id\" is {}, neither string nor number", shortened(&other)));
                Json::Null
            }
        };
        let (db_id, schema) = (fields.text("db_id"), fields.text("schema"));
        let mut golds = fields.queries("golds");
        let gold = match fields.side("gold", "sql1") {
            Err(_) if !golds.is_empty() => Ok(golds.remove(0)),
            gold => gold,
        };
        let pred = fields.side("pred", "sql2");
        if let Err(message) = &gold {
            fields.complain(message.clone());
        }
        let (gold_dialect, pred_dialect) = (fields.text("gold_dialect"), fields.text("pred_dialect"));
        let label = fields.label();
        let (question, source, split) =
            (fields.text("question"), fields.text("source"), fields.text("split"));
        let problem = match (fields.problem, &pred) {
            (Some(message), _) => Some((false, message)),
            (None, Err(message)) => Some((true, message.clone())),
            (None, Ok(_)) => None,
        };
        Draft {
            pair: Pair {
                id,
                db_id,
                schema,
                gold: gold.unwrap_or_default(),
                golds,
                pred: pred.unwrap_or_default(),
                gold_dialect,
                pred_dialect,
                label,
                question,
                source,
                split,
                extra: fields.map,
            },
            number: None,
            problem: problem.map(|(of_prediction, message)| Problem { of_prediction, message }),
        }
    }
}

impl Pair {
    /// The pair that one line holds.
    ///
    /// # Errors
    /// What is wrong with the line.
    pub fn from_json(line: &str) -> Result<Pair, Problem> {
        let Draft { pair, problem, .. } = Draft::from_json(line);
        match problem {
            Some(problem) if !problem.of_prediction => Err(problem),
            // Its label is that of all.
            _ if !pair.golds.is_empty() => {
                Err(Problem { of_prediction: false, message: SEVERAL_GOLDS.to_owned() })
            }
            _ if pair.db_id.is_none() && pair.schema.is_none() => {
                let message = "neither \"db_id\" nor \"schema\" is there".into();
                Err(Problem { of_prediction: false, message })
            }
            Some(problem) => Err(problem),
            None => Ok(pair),
        }
    }

    /// The pair as one JSON object; fields that are not set are left out.
    pub fn to_json(&self) -> Json {
        let text = |value: &Option<String>| value.clone().map(Json::String);
        let fields = [
            ("id", Some(self.id.clone()).filter(|id| !id.is_null())),
            ("db_id", text(&self.db_id)),
            ("schema", text(&self.schema)),
            ("gold", Some(self.gold.clone().into())),
            ("golds", Some(self.golds.clone().into()).filter(|_| !self.golds.is_empty())),
            ("pred", Some(self.pred.clone().into())),
            ("gold_dialect", text(&self.gold_dialect)),
            ("pred_dialect", text(&self.pred_dialect)),
            ("label", self.label.map(Json::from)),
            ("question", text(&self.question)),
            ("source", text(&self.source)),
            ("split", text(&self.split)),
        ];
        let given = fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
        let mut map = Map::from_iter(given);
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
    let mut file = PairFile::default();
    for line in Lines::open(path)?.filled() {
        let line = line?;
        let read = line.text().map_err(String::from);
        match read.and_then(|text| Pair::from_json(text).map_err(|problem| problem.message)) {
            Ok(pair) => file.pairs.push(pair),
            Err(message) => file.bad.push(BadLine { line: line.number, message }),
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
        Some(bad) => {
            Err(CorpusError::Line { file: path.display().to_string(), line: bad.line, message: bad.message })
        }
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
    use super::*;

    #[test]
    fn unknown_fields_and_ids_pass_through() {
        for line in [
            r#"{"id":785,"db_id":"d","gold":"SELECT 1","pred":"SELECT 2","label":0,"model":"x","n":[1,{"a":null}]}"#,
            r#"{"id":"a","schema":"CREATE TABLE t(a)","gold":"SELECT 1","pred":"","split":"train"}"#,
            r#"{"db_id":"d","gold":"g","pred":"p","question":"q","source":"s"}"#,
            r#"{"db_id":"d","gold":"g","pred":"p","gold_dialect":"sqlite","pred_dialect":"postgres","label":1}"#,
        ] {
            assert_eq!(Pair::from_json(line).unwrap().to_json().to_string(), line);
        }
        let several = r#"{"db_id":"d","gold":"g","golds":["h"],"pred":"p","label":1}"#;
        assert_eq!(Draft::from_json(several).pair.to_json().to_string(), several);
        assert_eq!(Pair::from_json(several).unwrap_err().message, SEVERAL_GOLDS);
    }

    #[test]
    fn benchmarks_of_provers_are_read() {
        let pair = Pair::from_json(r#"{"id":1,"schema":"s","sql1":"a","sql2":"b","label":"EQU"}"#).unwrap();
        assert_eq!((pair.gold.as_str(), pair.pred.as_str(), pair.label), ("a", "b", Some(1)));
        let both = Pair::from_json(r#"{"db_id":"d","gold":"g","pred":"p","sql1":"a"}"#).unwrap();
        assert_eq!((both.gold.as_str(), both.extra["sql1"].as_str()), ("g", Some("a")));
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
    fn what_can_be_read_of_a_line_is_kept() {
        for (line, id, of_prediction, part) in [
            (r#"{"id":7,"db_id":"d","pred":"p"}"#, "7", false, "\"gold\" is missing"),
            (r#"{"id":"x","db_id":"d","gold":null,"pred":"p"}"#, "\"x\"", false, "\"gold\" is null"),
            (r#"{"id":"x","db_id":"d","gold":["g"],"pred":"p"}"#, "\"x\"", false, "not a string"),
            (r#"{"id":7,"db_id":"d","gold":"g","pred":null}"#, "7", true, "\"pred\" is null"),
            (r#"{"id":7,"db_id":"d","gold":"g"}"#, "7", true, "\"pred\" is missing"),
            (r#"{"id":7,"db_id":"d","gold":"g","pred":{}}"#, "7", true, "not a string"),
            (r#"{"id":[7],"db_id":"d","gold":"g","pred":"p"}"#, "null", false, "neither string nor number"),
            (
                r#"{"id":7,"gold":"g","pred":"p","pred_dialect":1}"#,
                "7",
                false,
                "\"pred_dialect\" is 1, not a string",
            ),
        ] {
            let draft = Draft::from_json(line);
            let problem = draft.problem.unwrap();
            assert_eq!(draft.pair.id.to_string(), id, "{line}");
            assert_eq!(problem.of_prediction, of_prediction, "{line}");
            assert!(problem.message.contains(part), "{}", problem.message);
        }
        let number = |text: &str| {
            let line = format!(r#"{{"id":{text},"db_id":"d","gold":"g","pred":"p"}}"#);
            Draft::from_json(&line).number
        };
        assert_eq!((number("12"), number("0.5")), (None, None));
        for text in ["123456789012345678901234567890", "1e3", "1.50", "-0"] {
            assert_eq!(number(text).as_deref(), Some(text));
        }
        let line = r#"{"x":{"id":1.0e1},"y":"\"id\":2e1","z":["id",3e1], "id" : 4e1 ,"gold":"g"}"#;
        assert_eq!(Draft::from_json(line).number.as_deref(), Some("4e1"));
    }

    #[test]
    fn gzip_by_extension() {
        let dir = tempfile::tempdir().unwrap();
        let pair = Pair { db_id: Some("d".into()), gold: "g".into(), ..Pair::default() };
        for name in ["a.jsonl", "a.jsonl.gz"] {
            let path = dir.path().join(name);
            write(&path, [&pair, &pair]).unwrap();
            assert_eq!(read_strict(&path).unwrap(), [pair.clone(), pair.clone()]);
        }
    }
}
