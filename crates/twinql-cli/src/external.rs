//! Scores that another program gave: LLM judges, CodeBERTScore, provers, anything.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::{Context as _, Result, bail};
use serde_json::Value;
use twinql::Engine;
use twinql::evaluation::Subject;
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

impl ExternalFlag {
    /// The file of one system, where each has its own.
    fn path_of(&self, system: &str) -> Option<PathBuf> {
        let path = self.path.to_str()?;
        path.contains("{}").then(|| path.replace("{}", system).into())
    }

    /// Its files: one, or one for each system.
    pub(crate) fn paths(&self, systems: &[String]) -> Vec<PathBuf> {
        let of_systems = systems.iter().map(|system| self.path_of(system));
        of_systems.collect::<Option<Vec<_>>>().unwrap_or_else(|| vec![self.path.clone()])
    }

    /// What the scores are called.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }
}

/// The threshold where none is given.
const THRESHOLD: f64 = 0.5;

impl FromStr for ExternalFlag {
    type Err = String;

    /// Reads `NAME=FILE` or `NAME@THRESHOLD=FILE`. Everything behind the first `=` is the file, whose name may hold
    /// another one; a name of twinql's own is refused, for two columns of the report would have it.
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
    name: String,
    threshold: f64,
    path: PathBuf,
    /// A text for each id, whether the file has it as a number or as a string.
    scores: HashMap<String, f64>,
    /// Every score lies between 0 and 1: it may be meant as a probability.
    within: bool,
    /// Pairs that asked, and those that had a score.
    asked: usize,
    found: usize,
}

impl External {
    /// Reads all files.
    pub(crate) fn read_all(flags: &[ExternalFlag]) -> Result<Vec<External>> {
        names_differ(flags)?;
        flags.iter().map(|flag| External::read(flag, &flag.path, None)).collect()
    }

    /// Reads the scores of several systems, by flag and then by system: a path with `{}` is a file for each
    /// system, the sign standing for its name; any other is one file whose lines name the `system`.
    pub(crate) fn read_of_systems(flags: &[ExternalFlag], systems: &[String]) -> Result<Vec<Vec<External>>> {
        names_differ(flags)?;
        let of_flag = |flag: &ExternalFlag| -> Result<Vec<External>> {
            let of_system = |system: &String| match flag.path_of(system) {
                Some(path) => External::read(flag, &path, None),
                None => External::read(flag, &flag.path, Some(system)),
            };
            systems.iter().map(of_system).collect()
        };
        flags.iter().map(of_flag).collect()
    }

    /// The scores in a file; those of one system where the lines name several.
    fn read(flag: &ExternalFlag, path: &Path, system: Option<&str>) -> Result<External> {
        let mut scores = HashMap::new();
        let mut number = 0usize;
        for line in Lines::open(path)?.filled() {
            let line = line?;
            let place = || format!("{}, line {}", path.display(), line.number);
            let text = line.text().map_err(|e| anyhow::anyhow!("{}: {e}", place()))?;
            let entry = entry(text, &flag.name, number).with_context(place)?;
            if let Some(wanted) = system {
                let named = entry.system.with_context(|| format!("{}: {SYSTEM}", place()))?;
                if named != wanted {
                    continue;
                }
            }
            number += 1;
            let Some(score) = entry.score else { continue };
            if scores.insert(entry.id.clone(), score).is_some() {
                bail!("{}: the id {:?} has a score already", place(), entry.id);
            }
        }
        if scores.is_empty() {
            match system {
                Some(system) => bail!("{}: no score of the system {system:?} in it", path.display()),
                None => bail!("{}: no score in it; {FORM}", path.display()),
            }
        }
        Ok(External {
            name: flag.name.clone(),
            threshold: flag.threshold,
            path: path.to_owned(),
            within: scores.values().all(|s| (0.0..=1.0).contains(s)),
            scores,
            asked: 0,
            found: 0,
        })
    }

    /// What is to be known of them to measure them. A signature has no more to name.
    fn subject(&self) -> Subject {
        Subject {
            metric: self.name.clone(),
            signature: format!("external|metric:{}|threshold:{:.2}", self.name, self.threshold),
            semantics: "external".into(),
            threshold: self.threshold,
            binary: false,
            probability: self.within,
        }
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
        let (path, found, asked) = (self.path.display(), self.found, self.asked);
        if found == 0 && asked > 0 {
            bail!("none of the {} ids of {path} is an id of the {asked} pairs", self.scores.len());
        }
        if found < asked {
            console.warn(format!("{path} has scores for {found} of {asked} pairs"));
        }
        Ok(())
    }
}

/// What is to be known of metrics to measure them: the engine's, then external ones.
pub(crate) fn subjects<'e>(
    engine: &Engine,
    external: impl IntoIterator<Item = &'e External>,
) -> Vec<Subject> {
    let own = engine.metrics().iter().map(|metric| Subject::of(engine, metric));
    own.chain(external.into_iter().map(External::subject)).collect()
}

const FORM: &str = "give {\"id\": …, \"score\": …} or a number a line";
const SYSTEM: &str =
    "no `system` in it; name the system in each line, or give a file for each: NAME=scores/{}.jsonl";

/// Two files of scores must not have one name.
fn names_differ(flags: &[ExternalFlag]) -> Result<()> {
    let mut seen = HashSet::new();
    match flags.iter().find(|flag| !seen.insert(&flag.name)) {
        Some(flag) => {
            bail!("--external: two files give scores called {:?}; give one another name", flag.name)
        }
        None => Ok(()),
    }
}

/// A line of a file.
struct Entry {
    /// The system whose prediction it is about, where it says so.
    system: Option<String>,
    /// The pair's id; its place where the line has none.
    id: String,
    /// None for a null score.
    score: Option<f64>,
}

/// A line: a number, for the pair of that place; an object with `id` and `score`; or a record of
/// `twinql score`, with the score under its name. A null score is none.
fn entry(text: &str, name: &str, number: usize) -> Result<Entry> {
    let json: Value = serde_json::from_str(text).context(FORM)?;
    let Value::Object(map) = &json else {
        return Ok(Entry { system: None, id: number.to_string(), score: value(&json)? });
    };
    let system = map.get("system").map(id_text);
    let id = map.get("id").map_or_else(|| number.to_string(), id_text);
    let score = map
        .get("score")
        .or_else(|| map.get(name))
        .or_else(|| map.get("scores").and_then(|scores| scores.get(name)));
    match score {
        Some(score) => Ok(Entry { system, id, score: value(score)? }),
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
            let entry = entry(text, "judge", 3).unwrap();
            assert_eq!((entry.id.as_str(), entry.score), expected, "{text}");
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
