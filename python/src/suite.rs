//! Test-suite accuracy: how many predictions a distilled suite, or generated databases, call right.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyList;
use twinql::engine::judge_config;
use twinql::files::read_bounded;
use twinql::judging::{crew, judge_all};
use twinql::record::{Status, StatusCounts};
use twinql::signature::{Signature, suite_hash};
use twinql::suite::suite::{RunOptions, RunPair, Suite, run, run_in_processes};
use twinql::suite::worker::Program;
use twinql::suite::{JudgeConfig, Verdict, VerdictBy};
use twinql::{Job, Work, status};

use crate::batch::{Bar, Task, Window, stream};
use crate::errors::{ArgumentError, InputError};
use crate::judging;
use crate::pairs::Pairs;
use crate::runtime::{self, pool};
use crate::schemas;
use crate::settings;

/// MiB of a suite file.
const LARGEST: u64 = 4096;

/// What a pair came to: its status, whether it counts as right where that is known, and its error.
type Outcome = (Status, Option<bool>, Option<String>);

/// A suite of a file, with the hash of its bytes.
fn read(py: Python<'_>, path: &Path) -> PyResult<(Suite, String)> {
    let read = || -> Result<(Suite, String), String> {
        let bytes = read_bounded(path, LARGEST, "suite").map_err(|e| e.to_string())?;
        let suite = Suite::from_bytes(&bytes).map_err(|e| format!("{}: {e}", path.display()))?;
        Ok((suite, suite_hash(&bytes)))
    };
    runtime::deep(py, read)?.map_err(InputError::new_err)
}

/// Counts the predictions that a suite calls right: `(id, status, right, error)` of each pair, counts of statuses,
/// and the signature. Without a suite each pair is judged on databases of its own.
#[pyfunction]
#[pyo3(signature = (pairs, schemas, suite, semantics, databases, seed, dialect, gold_dialect, pred_dialect, plug_values, threads, workers, progress))]
#[allow(clippy::too_many_arguments)] // Its one caller is the function in Python, which names each of them.
pub(crate) fn suite_accuracy<'py>(
    py: Python<'py>,
    pairs: &Bound<'py, PyAny>,
    schemas: Option<&Bound<'py, PyAny>>,
    suite: Option<PathBuf>,
    semantics: &str,
    databases: Option<usize>,
    seed: u64,
    dialect: &str,
    gold_dialect: Option<&str>,
    pred_dialect: Option<&str>,
    plug_values: bool,
    threads: Option<usize>,
    workers: &str,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<(Bound<'py, PyList>, Bound<'py, PyAny>, String)> {
    let dialects = settings::of_pair(dialect, gold_dialect, pred_dialect)?;
    let kind = settings::kind(workers)?;
    let databases = settings::databases(databases)?;
    let pool = pool(py, threads)?;
    let (task, signature, schemas) = match suite {
        None if plug_values => {
            return Err(ArgumentError::new_err("plug_values needs a suite: give suite=FILE"));
        }
        None => {
            let (workers, limits) = settings::workers(py, kind)?;
            let config =
                JudgeConfig { limits, ..judge_config(settings::preset(semantics)?, databases, seed) };
            let signature = judging::signature(&config, dialects);
            let task = Task {
                work: Box::new(move |jobs| {
                    let reports = judge_all(jobs, &config, &workers, &|| ());
                    jobs.iter()
                        .zip(reports)
                        .map(|(job, report)| judged(job, report.map(|r| r.verdict)))
                        .collect()
                }),
                failed: Box::new(failed),
                window: Window::SMALL_BATCHES,
            };
            (task, signature, schemas::argument(py, schemas, dialects)?)
        }
        Some(path) => {
            let (suite, hash) = read(py, &path)?;
            let mut signature = Signature::of_distilled("suite-accuracy", &suite, &hash, dialects);
            if plug_values {
                signature.further.push("values:plugged".into());
            }
            let signature = signature.to_string();
            let schemas = match schemas {
                Some(given) => schemas::argument(py, Some(given), dialects)?,
                // Whatever it was distilled for brings its schema along.
                None => schemas::of_set(
                    &path.display().to_string(),
                    suite.schemas.iter().map(|s| s.schema.clone()),
                    dialects,
                ),
            };
            let limits = settings::limits(kind);
            let program = settings::program(py, kind, &limits)?;
            let options = RunOptions { plug_values, limits, ..RunOptions::default() };
            let work = move |jobs: &[Job]| on_suite(&suite, jobs, options, program.clone());
            let task = Task { work: Box::new(work), failed: Box::new(failed), window: Window::BATCHES };
            (task, signature, schemas)
        }
    };
    let pairs = Pairs::new(py, &pool, pairs, schemas, dialects)?;
    let bar = Bar::new(progress, pairs.count, "judging")?;
    let verdicts = PyList::empty(py);
    let mut counts = StatusCounts::default();
    stream(py, &pool, pairs, &Arc::new(task), &bar, &mut |job, _, (status, right, error)| {
        counts.add(status);
        verdicts.append((crate::json::to_python(py, &job.id)?, status.name(), right, error))
    })?;
    Ok((verdicts, crate::json::of(py, &counts)?, signature))
}

fn failed(_: &Job, why: String) -> Outcome {
    (Status::MachineError, None, Some(why))
}

/// What the judge's verdict comes to.
fn judged(job: &Job, verdict: Option<Verdict>) -> Outcome {
    let Some(verdict) = verdict else {
        let (status, error) = status::of_input(job);
        return (status, wrong_where(status), error);
    };
    let (status, error) = status::of_verdict(&verdict);
    let right = match verdict {
        Verdict::Same { .. } => Some(true),
        Verdict::Different { .. } => Some(false),
        _ => wrong_where(status),
    };
    (status, right, error)
}

/// What is no query is wrong; of other failures nothing is known.
fn wrong_where(status: Status) -> Option<bool> {
    (status == Status::PredError).then_some(false)
}

/// Runs a block on the suite. Pairs that repeat are run once.
fn on_suite(suite: &Suite, jobs: &[Job], options: RunOptions, program: Option<Program>) -> Vec<Outcome> {
    let mut texts: HashMap<&str, Arc<str>> = HashMap::new();
    let mut pairs = Vec::new();
    let mut places = Vec::new();
    for job in jobs {
        places.push(match &job.work {
            Work::Unusable { .. } => None,
            Work::Pair { schema, gold, pred } => {
                let db_id = texts.entry(&schema.db_id).or_insert_with(|| Arc::from(schema.db_id.as_str()));
                let db_id = Arc::clone(db_id);
                pairs.push(RunPair { db_id, gold: Arc::from(gold.as_str()), pred: Arc::from(pred.as_str()) });
                Some(pairs.len() - 1)
            }
        });
    }
    let verdicts = match program {
        None => run(suite, &pairs, options, &|_| ()),
        Some(program) => {
            // Nothing else may have worked with it.
            run_in_processes(suite, &pairs, options, crew(program), &|_| ())
        }
    };
    let outcome = |(job, place): (&Job, Option<usize>)| match place.and_then(|i| verdicts.get(i)) {
        None => judged(job, None),
        Some(verdict) => {
            let (status, error) = status::of_verdict(&verdict.verdict);
            let right = match verdict.verdict {
                VerdictBy::Same { .. } => Some(true),
                VerdictBy::Different { .. } => Some(false),
                _ => wrong_where(status),
            };
            (status, right, error)
        }
    };
    jobs.iter().zip(places).map(outcome).collect()
}
