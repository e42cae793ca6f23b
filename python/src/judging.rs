//! Verdicts of the test suite, with witnesses.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyList;
use twinql::engine::judge_config;
use twinql::judging::judge_all;
use twinql::signature::{Signature, of_suite};
use twinql::status;
use twinql::suite::{JudgeConfig, Report, Verdict};
use twinql::{Dialects, Job};

use crate::batch::{Bar, Task, Window, stream};
use crate::errors::ArgumentError;
use crate::pairs::Pairs;
use crate::results::{classes, witness};
use crate::runtime::pool;
use crate::schemas;
use crate::settings;

/// What verdicts depend on.
pub(crate) fn signature(config: &JudgeConfig, dialects: Dialects) -> String {
    let further = of_suite(config);
    Signature::without_network("suite", dialects, &config.semantics, 0.5, config.seed, further).to_string()
}

/// A report that stands for a panic.
pub(crate) fn failed(message: String) -> Report {
    Report { verdict: Verdict::MachineError { message }, notes: Vec::new() }
}

/// Plausible databases that a witness may be weighed over.
const MOST_PLAUSIBLE: u64 = 10_000;

/// Judges pairs on generated databases: a `Verdict` for each, in order.
#[pyfunction]
#[pyo3(signature = (pairs, schemas, semantics, databases, seed, dialect, gold_dialect, pred_dialect, shrink, plausible, threads, workers, progress))]
#[allow(clippy::too_many_arguments)] // Its one caller is the function in Python, which names each of them.
pub(crate) fn judge<'py>(
    py: Python<'py>,
    pairs: &Bound<'py, PyAny>,
    schemas: Option<&Bound<'py, PyAny>>,
    semantics: &str,
    databases: Option<usize>,
    seed: u64,
    dialect: &str,
    gold_dialect: Option<&str>,
    pred_dialect: Option<&str>,
    shrink: bool,
    plausible: u64,
    threads: Option<usize>,
    workers: &str,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyList>> {
    let dialects = settings::of_pair(dialect, gold_dialect, pred_dialect)?;
    let databases = settings::databases(databases)?;
    if plausible > MOST_PLAUSIBLE {
        return Err(ArgumentError::new_err(format!(
            "plausible={plausible}: must be at most {MOST_PLAUSIBLE}"
        )));
    }
    let (workers, limits) = settings::workers(py, settings::kind(workers)?)?;
    let config = JudgeConfig {
        shrink,
        plausible,
        limits,
        ..judge_config(settings::preset(semantics)?, databases, seed)
    };
    let signature = signature(&config, dialects);
    let pool = pool(py, threads)?;
    let pairs = Pairs::new(py, &pool, pairs, schemas::argument(py, schemas, dialects)?, dialects)?;
    let bar = Bar::new(progress, pairs.count, "judging")?;
    let task = Task {
        work: Box::new(move |jobs| judge_all(jobs, &config, &workers, &|| ())),
        failed: Box::new(|_, why| Some(failed(why))),
        window: Window::SMALL_BATCHES,
    };
    let verdicts = PyList::empty(py);
    stream(py, &pool, pairs, &Arc::new(task), &bar, &mut |job, _, report| {
        verdicts.append(verdict(py, &job, report, &signature)?)
    })?;
    Ok(verdicts)
}

/// The verdict on a pair: its own error where it cannot be used, else what the judge says.
fn verdict<'py>(
    py: Python<'py>,
    job: &Job,
    report: Option<Report>,
    signature: &str,
) -> PyResult<Bound<'py, PyAny>> {
    let (mut status, mut error) = status::of_input(job);
    let (mut said, mut databases, mut nonempty) = (None, None, None);
    let mut shown = py.None().into_bound(py);
    let mut notes = Vec::new();
    if let Some(report) = report {
        notes = report.notes;
        (status, error) = status::of_verdict(&report.verdict);
        match &report.verdict {
            Verdict::Same { databases: n, nonempty: filled } => {
                (said, databases, nonempty) = (Some("same"), Some(*n), Some(*filled));
            }
            Verdict::Different { witness: found } => {
                said = Some("different");
                shown = witness(py, job, found)?;
            }
            Verdict::Untested { databases: n, .. } => databases = Some(*n),
            Verdict::GoldError { .. }
            | Verdict::PredError { .. }
            | Verdict::Timeout { .. }
            | Verdict::MachineError { .. } => {}
        }
    }
    let id = crate::json::to_python(py, &job.id)?;
    classes(py)?.verdict.bind(py).call1((
        id,
        status.name(),
        said,
        databases,
        nonempty,
        shown,
        notes,
        error,
        signature,
    ))
}
