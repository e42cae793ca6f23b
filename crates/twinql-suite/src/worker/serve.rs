//! The life of a worker.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::io::{self, BufRead, Write};
use std::sync::Arc;

use serde::Serialize;
use twinql_sql::Schema;

use super::GREETING;
use super::wire::Request;
use crate::bird::{BirdConfig, BirdJudge};
use crate::execute::ExecError;
use crate::files::{FileConfig, FileJudge};
use crate::judge::{Expectation, Judge, JudgeConfig, Report};
use crate::profile::{Bound, ProfileError};
use crate::suite::{SchemaSuite, read_line, run_piece};

/// Judges that a worker keeps ready.
const KEPT_JUDGES: usize = 64;

/// Says that this process is a worker: the first line of its output.
///
/// # Errors
/// It cannot be written.
pub fn greet(output: impl Write) -> io::Result<()> {
    Lines(output).line(&GREETING)
}

/// Answers requests until `input` ends, after [`greet`]. `before` is called before each answer with the number
/// of pairs that it is for, to renew limits that the operating system holds.
///
/// # Errors
/// A request that cannot be read, an answer that cannot be written.
pub fn serve(input: impl BufRead, output: impl Write, mut before: impl FnMut(usize)) -> io::Result<()> {
    let mut output = Lines(output);
    let mut known = Known::default();
    for line in input.lines() {
        match serde_json::from_str(&line?)? {
            Request::Judging(config) => {
                known.judging = *config;
                known.judges.clear();
            }
            Request::Schema(id, schema) => {
                known.schemas.insert(id, schema);
            }
            Request::Profile(id, profile) => {
                let schema = known.schemas.get(&id);
                let schema = schema.ok_or_else(|| io::Error::other("a profile before its schema"))?;
                let said = |errors: Vec<ProfileError>| {
                    errors.iter().map(ToString::to_string).collect::<Vec<String>>().join("; ")
                };
                let bound = profile.bind(schema).map(|(bound, _)| Arc::new(bound)).map_err(said);
                known.profiles.insert(id, bound);
                known.judges.remove(&id);
            }
            Request::Forget => {
                known.schemas.clear();
                known.profiles.clear();
                known.judges.clear();
            }
            Request::Databases(line) => {
                known.databases = Some(read_line(line.as_bytes()).map_err(io::Error::other)?);
            }
            Request::Executing(config) => known.files = FileJudge::new(*config),
            Request::Pair { schema, gold, pred } => {
                before(1);
                let report = match known.judge_of(schema)? {
                    Ok(judge) => judge.report(&gold, &pred),
                    Err(error) => Report::schema_error(&error),
                };
                output.line(&report)?;
            }
            Request::Expected { schema, gold, pred, config } => {
                before(1);
                let contradicted = match known.profiles.get(&schema) {
                    Some(Err(error)) => Some(Report::profile_error(error).verdict),
                    _ => None,
                };
                let expectation = match known.judge_of(schema)? {
                    Ok(judge) => {
                        contradicted.map_or_else(|| judge.expected(&gold, &pred, config), Expectation::None)
                    }
                    Err(error) => Expectation::None(Report::schema_error(&error).verdict),
                };
                output.line(&expectation)?;
            }
            Request::Piece { semantics, options, pairs } => {
                before(pairs.len());
                let suite = known
                    .databases
                    .as_ref()
                    .ok_or_else(|| io::Error::other("pairs before their databases"))?;
                let pairs: Vec<(&str, &str)> = pairs.iter().map(|(g, p)| (g.as_str(), p.as_str())).collect();
                output.line(&run_piece(suite, &semantics, &pairs, options))?;
            }
            Request::Files { files, gold, pred } => {
                before(files.len());
                output.line(&known.files.report(&files, &gold, &pred))?;
            }
            Request::Measuring(config) => known.bird = BirdJudge::new(config),
            Request::Measure { file, gold, pred } => {
                // Runs that are repeated take as long as a second pair.
                before(2);
                output.line(&known.bird.measure(&file, &gold, &pred))?;
            }
        }
    }
    Ok(())
}

/// What a worker has been told.
struct Known {
    judging: JudgeConfig,
    schemas: HashMap<usize, Schema>,
    /// Or what is wrong with them.
    profiles: HashMap<usize, Result<Arc<Bound>, String>>,
    /// Of the schemas that were used last.
    judges: HashMap<usize, Judge>,
    databases: Option<SchemaSuite>,
    files: FileJudge,
    bird: BirdJudge,
}

impl Default for Known {
    fn default() -> Self {
        Known {
            judging: JudgeConfig::default(),
            schemas: HashMap::new(),
            profiles: HashMap::new(),
            judges: HashMap::new(),
            databases: None,
            files: FileJudge::new(FileConfig::default()),
            bird: BirdJudge::new(BirdConfig::default()),
        }
    }
}

impl Known {
    /// The judge over a schema; what SQLite says where it cannot hold that.
    fn judge_of(&mut self, id: usize) -> io::Result<Result<&Judge, ExecError>> {
        if self.judges.len() >= KEPT_JUDGES && !self.judges.contains_key(&id) {
            self.judges.clear();
        }
        Ok(match self.judges.entry(id) {
            Entry::Occupied(entry) => Ok(entry.into_mut()),
            Entry::Vacant(entry) => {
                let schema =
                    self.schemas.get(&id).ok_or_else(|| io::Error::other("a pair before its schema"))?;
                let profile = self.profiles.get(&id).and_then(|p| p.as_ref().ok()).cloned();
                Judge::new(schema, self.judging.clone()).map(|judge| &*entry.insert(judge.following(profile)))
            }
        })
    }
}

struct Lines<W>(W);

impl<W: Write> Lines<W> {
    fn line(&mut self, answer: &impl Serialize) -> io::Result<()> {
        serde_json::to_writer(&mut self.0, answer)?;
        self.0.write_all(b"\n")?;
        self.0.flush()
    }
}
