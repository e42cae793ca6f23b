//! Scores that another program gave: LLM judges, CodeBERTScore, provers, anything.

use std::collections::HashMap;
use std::path::PathBuf;
use std::str::FromStr;

use anyhow::{Context as _, Result, bail};
use serde_json::Value;
use twinql::files::Lines;
use twinql::input::id_text;
use twinql::metrics::metric;

use crate::output::Console;

/// `--external NAME[@THRESHOLD]=FILE` as typed.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ExternalFlag {
    name: String,
    threshold: f64,
    pub(crate) path: PathBuf,
}

/// The threshold where none is given.
const THRESHOLD: f64 = 0.5;

impl FromStr for ExternalFlag {
    type Err = String;

    fn from_str(text: &str) -> Result<ExternalFlag, String> {
        let form = "give NAME=FILE or NAME@THRESHOLD=FILE";
        let (name, path) = text.split_once('=').ok_or(form)?;
        let (name, threshold) = match name.rsplit_once('@') {
            Some((name, threshold)) => {
                let threshold = threshold.trim().parse::<f64>().ok().filter(|t| t.is_finite());
                (name, threshold.ok_or_else(|| format!("the threshold is no number; {form}"))?)
            }
            None => (name, THRESHOLD),
        };
        let name = name.trim();
        if name.is_empty() || path.is_empty() {
            return Err(form.to_owned());
        }
        if metric(name).is_some() {
            return Err(format!("{name} is a metric of twinql's own; give the scores another name"));
        }
        Ok(ExternalFlag { name: name.to_owned(), threshold, path: path.into() })
    }
}

/// The scores of a file, by the pairs' ids.
pub(crate) struct External {
    pub(crate) name: String,
    pub(crate) threshold: f64,
    path: PathBuf,
    scores: HashMap<String, f64>,
    /// Every score lies between 0 and 1: it may be meant as a probability.
    pub(crate) within: bool,
    /// Pairs that asked, and those that had a score.
    asked: usize,
    found: usize,
}

impl External {
    /// Reads all files.
    pub(crate) fn read_all(flags: &[ExternalFlag]) -> Result<Vec<External>> {
        let mut all: Vec<External> = Vec::new();
        for flag in flags {
            if all.iter().any(|other| other.name == flag.name) {
                bail!("--external: two files give scores called {:?}; give one another name", flag.name);
            }
            all.push(External::read(flag)?);
        }
        Ok(all)
    }

    fn read(flag: &ExternalFlag) -> Result<External> {
        let mut scores = HashMap::new();
        let mut number = 0usize;
        for line in Lines::open(&flag.path)? {
            let line = line?;
            if line.is_blank() {
                continue;
            }
            let place = || format!("{}, line {}", flag.path.display(), line.number);
            let text = line.text().map_err(|e| anyhow::anyhow!("{}: {e}", place()))?;
            let (id, score) = entry(text, &flag.name, number).with_context(place)?;
            number += 1;
            let Some(score) = score else { continue };
            if scores.insert(id.clone(), score).is_some() {
                bail!("{}: the id {id:?} has a score already", place());
            }
        }
        if scores.is_empty() {
            bail!("{}: no score in it; {FORM}", flag.path.display());
        }
        Ok(External {
            name: flag.name.clone(),
            threshold: flag.threshold,
            path: flag.path.clone(),
            within: scores.values().all(|s| (0.0..=1.0).contains(s)),
            scores,
            asked: 0,
            found: 0,
        })
    }

    /// The score of a pair; none where the file has none.
    pub(crate) fn score(&mut self, id: &str) -> Option<f64> {
        self.asked += 1;
        let score = self.scores.get(id).copied();
        self.found += usize::from(score.is_some());
        score
    }

    /// Says what of the pairs has a score, once all have asked.
    pub(crate) fn say(&self, console: Console) -> Result<()> {
        if self.found == 0 && self.asked > 0 {
            bail!(
                "none of the {} ids of {} is an id of the {} pairs",
                self.scores.len(),
                self.path.display(),
                self.asked
            );
        }
        if self.found < self.asked {
            console.warn(format!(
                "{} has scores for {} of {} pairs",
                self.path.display(),
                self.found,
                self.asked
            ));
        }
        Ok(())
    }
}

const FORM: &str = "give {\"id\": …, \"score\": …} or a number a line";

/// A line: a number, for the pair of that place; an object with `id` and `score`; or a record of
/// `twinql score`, with the score under its name. A null score is none.
fn entry(text: &str, name: &str, number: usize) -> Result<(String, Option<f64>)> {
    let json: Value = serde_json::from_str(text).context(FORM)?;
    let Value::Object(map) = &json else {
        return Ok((number.to_string(), value(&json)?));
    };
    let id = map.get("id").map_or_else(|| number.to_string(), id_text);
    let score = map
        .get("score")
        .or_else(|| map.get(name))
        .or_else(|| map.get("scores").and_then(|scores| scores.get(name)));
    match score {
        Some(score) => Ok((id, value(score)?)),
        None => bail!("neither `score` nor {name:?} in it; {FORM}"),
    }
}

/// A score: a number, or a verdict.
fn value(json: &Value) -> Result<Option<f64>> {
    match json {
        Value::Null => Ok(None),
        Value::Bool(same) => Ok(Some(f64::from(u8::from(*same)))),
        other => match other.as_f64().filter(|s| s.is_finite()) {
            Some(score) => Ok(Some(score)),
            None => bail!("{other} is no score; {FORM}"),
        },
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn lines_of_all_forms() {
        for (text, expected) in [
            ("0.5", ("3", Some(0.5))),
            ("true", ("3", Some(1.0))),
            ("null", ("3", None)),
            (r#"{"id": "a", "score": -2}"#, ("a", Some(-2.0))),
            (r#"{"id": 7, "judge": false}"#, ("7", Some(0.0))),
            (r#"{"id": 7, "status": "ok", "scores": {"judge": 0.25}}"#, ("7", Some(0.25))),
        ] {
            let (id, score) = entry(text, "judge", 3).unwrap();
            assert_eq!((id.as_str(), score), expected, "{text}");
        }
        for text in ["yes", "\"0.5\"", r#"{"id": 1}"#, r#"{"id": 1, "score": "high"}"#, "[1]"] {
            assert!(entry(text, "judge", 0).is_err(), "{text}");
        }
    }

    #[test]
    fn flags() {
        let flag: ExternalFlag = "llm@0.8=a=b.jsonl".parse().unwrap();
        assert_eq!((flag.name.as_str(), flag.threshold), ("llm", 0.8));
        assert_eq!(flag.path, PathBuf::from("a=b.jsonl"));
        for wrong in ["f.jsonl", "=f", "llm=", "llm@x=f", "gmn=f"] {
            assert!(wrong.parse::<ExternalFlag>().is_err(), "{wrong}");
        }
    }
}
