//! The best of several candidates, behind `twinql.rerank`.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use twinql::rerank::{Candidate, Method, Ranking, RerankConfig, Reranker, Set, SetStatus, Utility, Weights};

use crate::errors::{self, ArgumentError};
use crate::runtime::{Ticket, pool};
use crate::schemas;
use crate::settings;

/// Sets that are ranked together: few enough that Ctrl-C is soon heard.
const BLOCK: usize = 64;

/// A candidate: its text, and the logarithm of its probability where it is known.
type Given = (String, Option<f64>);

/// Ranks sets of candidates: a dict for each set.
#[pyfunction]
#[pyo3(signature = (sets, given, method, utility, weights, parameter, proofs, checkpoint, semantics, dialect, pred_dialect, threads))]
#[allow(clippy::too_many_arguments)] // Its one caller is the function in Python, which names each of them.
pub(crate) fn rerank<'py>(
    py: Python<'py>,
    sets: Vec<Vec<Given>>,
    given: Vec<Bound<'py, PyAny>>,
    method: &str,
    utility: &str,
    weights: &str,
    parameter: f64,
    proofs: bool,
    checkpoint: std::path::PathBuf,
    semantics: &str,
    dialect: &str,
    pred_dialect: Option<&str>,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyList>> {
    let config = RerankConfig {
        method: named("method", method, &[Method::Mbr, Method::Majority], Method::name)?,
        utility: named("utility", utility, &[Utility::Gmn, Utility::RelPm], Utility::name)?,
        weights: match weights {
            "uniform" => Weights::Uniform,
            "logprob" if parameter > 0.0 => Weights::LogProb { temperature: parameter },
            "rank" if parameter > 0.0 && parameter <= 1.0 => Weights::Rank { decay: parameter },
            "logprob" => return Err(ArgumentError::new_err("temperature must be above 0")),
            "rank" => return Err(ArgumentError::new_err("decay must be above 0 and at most 1")),
            _ => {
                return Err(ArgumentError::new_err(format!(
                    "unknown weights {weights:?}; there are uniform, logprob, rank"
                )));
            }
        },
        proofs,
        semantics: settings::preset(semantics)?,
        dialects: settings::of_pair(dialect, pred_dialect, pred_dialect)?,
    };
    let dialect = config.dialects.schema;
    let needed = config.method == Method::Mbr && config.utility == Utility::Gmn;
    let network = if needed { Some(settings::network(py, &checkpoint)?) } else { None };
    let reranker = Reranker::new(network, config).map_err(|e| errors::network(&e))?;
    if sets.len() != given.len() {
        return Err(ArgumentError::new_err(format!(
            "{} sets of candidates and {} schemas",
            sets.len(),
            given.len()
        )));
    }
    let sets = sets
        .into_iter()
        .zip(&given)
        .map(|(candidates, schema)| {
            let schema = schemas::only(py, schema, dialect)?;
            let of = |(sql, logprob)| Candidate { sql, logprob };
            Ok(Set { schema, dialect: None, candidates: candidates.into_iter().map(of).collect() })
        })
        .collect::<PyResult<Vec<Set>>>()?;
    let pool = pool(py, threads)?;
    let results = PyList::empty(py);
    for block in sets.chunks(BLOCK) {
        let (reranker, block) = (reranker.clone(), block.to_vec());
        for ranking in Ticket::start(&pool, move || reranker.rank_all(&block)).wait(py)? {
            results.append(dict(py, &ranking)?)?;
        }
    }
    Ok(results)
}

/// The setting of a name.
fn named<T: Copy>(what: &str, name: &str, all: &[T], name_of: fn(T) -> &'static str) -> PyResult<T> {
    all.iter().copied().find(|one| name_of(*one) == name).ok_or_else(|| {
        let known: Vec<&str> = all.iter().map(|one| name_of(*one)).collect();
        ArgumentError::new_err(format!("unknown {what} {name:?}; there are {}", known.join(", ")))
    })
}

fn dict<'py>(py: Python<'py>, ranking: &Ranking) -> PyResult<Bound<'py, PyDict>> {
    let out = PyDict::new(py);
    out.set_item("chosen", ranking.chosen)?;
    let status = match ranking.status {
        SetStatus::Ok => "ok",
        SetStatus::Unread => "unread",
        SetStatus::Empty => "empty",
    };
    out.set_item("status", status)?;
    out.set_item("scores", &ranking.scores)?;
    out.set_item("classes", &ranking.classes)?;
    out.set_item("errors", &ranking.errors)?;
    Ok(out)
}
