//! Names that arguments have: metrics, presets of semantics, dialects, checkpoints.

use std::io;
use std::path::{Path, PathBuf};

use pyo3::prelude::*;
use twinql::corpus::spider::read_predictions;
use twinql::graph::{Question, RelPmConfig};
use twinql::judging::{self, WORKER_HEAP, Workers};
use twinql::metrics::{
    METRICS, Metric, ScoreKind, Setting, TRIVIAL, TrivialNgrams, WithoutRules, check_read, named,
};
use twinql::serving;
use twinql::sql::Dialect;
use twinql::sql::semantics::PRESETS;
use twinql::suite::Limits;
use twinql::suite::worker::Program;
use twinql::{Dialects, Network, Semantics};

use crate::errors::{self, ArgumentError, InputError};
use crate::runtime;

/// The semantics of a preset's name.
pub(crate) fn preset(name: &str) -> PyResult<Semantics> {
    name.parse::<Semantics>().map_err(|e| ArgumentError::new_err(e.to_string()))
}

/// The question of this name.
pub(crate) fn question(name: &str) -> PyResult<Question> {
    name.parse::<Question>().map_err(|e| ArgumentError::new_err(e.to_string()))
}

/// The dialect of this name.
pub(crate) fn dialect(name: &str) -> PyResult<Dialect> {
    name.parse::<Dialect>().map_err(|e| ArgumentError::new_err(e.to_string()))
}

/// The dialects of a pair by these names: `dialect` is that of the DDL, and of golds and predictions where theirs is not named.
pub(crate) fn of_pair(name: &str, gold: Option<&str>, pred: Option<&str>) -> PyResult<Dialects> {
    let of = |name: Option<&str>| name.map(dialect).transpose();
    Ok(Dialects::new(dialect(name)?, of(gold)?, of(pred)?))
}

/// Metrics by name, each once.
pub(crate) fn metric_list(names: &[String]) -> PyResult<Vec<&'static Metric>> {
    match named(names.iter().map(String::as_str)) {
        Ok(found) if found.is_empty() => Err(ArgumentError::new_err("no metric is named")),
        found => found.map_err(|e| ArgumentError::new_err(e.to_string())),
    }
}

/// Settings by the names of their arguments, of which those that are given are to be read by one of these metrics.
pub(crate) fn read(metrics: &[&Metric], arguments: &[(Setting, &str, bool)]) -> PyResult<()> {
    let given = arguments.iter().filter(|(.., is_given)| *is_given);
    check_read(metrics, given.map(|(setting, name, _)| (*setting, *name)))
        .map_err(|e| ArgumentError::new_err(e.to_string()))
}

/// The parameters of partial matching, the usual ones where none are given.
pub(crate) fn matching(alpha: Option<f64>, beta: Option<f64>, omega: Option<f64>) -> PyResult<RelPmConfig> {
    RelPmConfig::with(alpha, beta, omega).map_err(|e| ArgumentError::new_err(format!("relpm_{e}")))
}

/// What `esm+` leaves out.
pub(crate) fn without_rules(names: &[String]) -> PyResult<WithoutRules> {
    WithoutRules::named(names.iter().map(String::as_str))
        .map_err(|e| ArgumentError::new_err(format!("without_rules: {e}")))
}

/// The n-grams that `crystalbleu` leaves out, of the queries of a file.
pub(crate) fn trivial_ngrams(path: Option<&Path>) -> PyResult<Option<TrivialNgrams>> {
    let Some(path) = path else { return Ok(None) };
    let queries = read_predictions(path).map_err(|e| InputError::new_err(e.to_string()))?;
    let ngrams = TrivialNgrams::of_queries(queries.iter().map(|q| q.sql.as_str()), TRIVIAL);
    match ngrams.is_empty() {
        true => Err(InputError::new_err(format!("{}: the file holds no queries", path.display()))),
        false => Ok(Some(ngrams)),
    }
}

/// A number of plausible databases, as the command line takes it.
pub(crate) fn plausible(databases: Option<u64>) -> PyResult<Option<u64>> {
    match databases {
        Some(n) if !(1..=10_000).contains(&n) => {
            Err(ArgumentError::new_err("plausible must be from 1 to 10000"))
        }
        other => Ok(other),
    }
}

/// The checkpoint of this name or in this file.
pub(crate) fn network(py: Python<'_>, checkpoint: &Path) -> PyResult<Network> {
    runtime::deep(py, || Network::named(checkpoint))?.map_err(|e| errors::network(&e))
}

/// `(name, what it says, source, whether it is 0 or 1)` of each metric.
#[pyfunction]
pub(crate) fn metrics() -> Vec<(&'static str, &'static str, &'static str, bool)> {
    METRICS.iter().map(|m| (m.name, m.summary, m.source, m.kind == ScoreKind::Binary)).collect()
}

/// The names of the presets of semantics.
#[pyfunction]
pub(crate) fn semantics() -> Vec<&'static str> {
    PRESETS.to_vec()
}

/// The names of the dialects.
#[pyfunction]
pub(crate) fn dialects() -> Vec<&'static str> {
    Dialect::ALL.iter().map(|d| d.name()).collect()
}

/// What runs the suite's queries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Processes that can be killed: a query that brings one down costs one pair.
    Processes,
    /// Threads of this process.
    Threads,
}

/// The kind of this name.
pub(crate) fn kind(name: &str) -> PyResult<Kind> {
    match name {
        "processes" => Ok(Kind::Processes),
        "threads" => Ok(Kind::Threads),
        _ => Err(ArgumentError::new_err(format!("workers={name:?}: give \"processes\" or \"threads\""))),
    }
}

/// A number of databases of a probe, as the command line takes it.
pub(crate) fn probes(probes: Option<u64>) -> PyResult<Option<u64>> {
    match probes {
        Some(1_001..) => Err(ArgumentError::new_err("probes must be at most 1000")),
        other => Ok(other),
    }
}

/// A number of databases for a pair.
pub(crate) fn databases(databases: Option<usize>) -> PyResult<Option<usize>> {
    match databases {
        Some(0) => Err(ArgumentError::new_err("databases must be at least 1")),
        other => Ok(other),
    }
}

/// Bounds on the suite's executions: those of the program.
pub(crate) fn limits(kind: Kind) -> Limits {
    let usual = Limits::default();
    match kind {
        Kind::Threads => usual,
        Kind::Processes => Limits { heap_bytes: WORKER_HEAP, ..usual },
    }
}

/// What is started as a worker process; none where threads work.
pub(crate) fn program(py: Python<'_>, kind: Kind, limits: &Limits) -> PyResult<Option<Program>> {
    if kind == Kind::Threads {
        return Ok(None);
    }
    let command = py.import("twinql._worker")?.getattr("command")?;
    let command: Option<(PathBuf, Vec<String>)> = command.call0()?.extract()?;
    let (path, mut arguments) = command.ok_or_else(|| {
        ArgumentError::new_err(
            "this Python does not know its own program to start workers with: give workers=\"threads\"",
        )
    })?;
    arguments.push(serving::address_space(limits).to_string());
    Ok(Some(Program { path, arguments }))
}

/// What the suite's queries are run by, and within which limits.
pub(crate) fn workers(py: Python<'_>, kind: Kind) -> PyResult<(Workers, Limits)> {
    let limits = limits(kind);
    let workers = match program(py, kind, &limits)? {
        None => Workers::Threads,
        Some(program) => Workers::Processes(judging::crew(program)),
    };
    Ok((workers, limits))
}

/// Stack of a worker's own thread, as the program's.
const STACK: usize = 64 << 20;

/// Judges what comes on standard input, until it ends.
#[pyfunction]
pub(crate) fn serve(py: Python<'_>, address_space: u64) -> PyResult<()> {
    let serve = move || {
        // One for each thread that asks: there is nothing to share out.
        rayon::ThreadPoolBuilder::new()
            .num_threads(1)
            .stack_size(STACK)
            .build_global()
            .map_err(io::Error::other)?;
        serving::run(address_space)
    };
    let served = py.detach(|| {
        let thread = std::thread::Builder::new().stack_size(STACK).spawn(serve)?;
        thread.join().unwrap_or_else(|panic| Err(io::Error::other(runtime::said(&*panic))))
    });
    served.map_err(PyErr::from)
}
