//! Proofs that two queries are the same on every database, or differ.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyList;
use twinql::metrics;
use twinql::proving::{details, prove_all, text};
use twinql::record::Status;
use twinql::signature::Signature;
use twinql::status;

use crate::batch::{Bar, Task, Window, stream};
use crate::errors::InternalError;
use crate::json;
use crate::pairs::Pairs;
use crate::results::classes;
use crate::runtime::pool;
use crate::schemas;
use crate::settings;

/// What is proved of a pair: the verdict's name, details, words, or a status with its error.
type Proved = Option<Result<(&'static str, serde_json::Value, String), (Status, String)>>;

/// Proves pairs: a `Proof` for each, in order.
#[pyfunction]
#[pyo3(signature = (pairs, schemas, semantics, dialect, gold_dialect, pred_dialect, threads, progress))]
#[allow(clippy::too_many_arguments)] // Its one caller is the function in Python, which names each of them.
pub(crate) fn prove<'py>(
    py: Python<'py>,
    pairs: &Bound<'py, PyAny>,
    schemas: Option<&Bound<'py, PyAny>>,
    semantics: &str,
    dialect: &str,
    gold_dialect: Option<&str>,
    pred_dialect: Option<&str>,
    threads: Option<usize>,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyList>> {
    let dialects = settings::of_pair(dialect, gold_dialect, pred_dialect)?;
    let semantics = settings::preset(semantics)?;
    let threshold = metrics::metric("proof").map_or(1.0, |m| m.threshold);
    // Nothing is random.
    let signature =
        Signature::without_network("proof", dialects, &semantics, threshold, 0, Vec::new()).to_string();
    let pool = pool(py, threads)?;
    let pairs = Pairs::new(py, &pool, pairs, schemas::argument(py, schemas, dialects)?, dialects)?;
    let bar = Bar::new(progress, pairs.count, "proving")?;
    let task = Task {
        work: Box::new(move |jobs| {
            let said = |proof| match proof {
                Ok(proof) => {
                    Ok((twinql::sql::Proof::name(&proof), details(&proof), text(&proof, &semantics)))
                }
                Err(error) => Err((status::of_proof(&error), error.to_string())),
            };
            prove_all(jobs, &semantics, &|| ())
                .into_iter()
                .map(|proof| proof.map(said))
                .collect::<Vec<Proved>>()
        }),
        failed: Box::new(|_, why| Some(Err((Status::MachineError, why)))),
        window: Window::SMALL_BATCHES,
    };
    let proofs = PyList::empty(py);
    let class = classes(py)?.proof.bind(py);
    stream(py, &pool, pairs, &Arc::new(task), &bar, &mut |job, _, proved| {
        let id = json::to_python(py, &job.id)?;
        let proof = match (proved, status::of_input(&job)) {
            (Some(Ok((name, details, words))), _) => {
                let details = json::to_python(py, &details)?;
                class.call1((id, Status::Ok.name(), name, details, words, None::<String>, &signature))
            }
            (Some(Err((status, error))), _) | (None, (status, Some(error))) => {
                let empty = pyo3::types::PyDict::new(py);
                class.call1((id, status.name(), None::<String>, empty, "", error, &signature))
            }
            (None, (_, None)) => Err(InternalError::new_err("a pair without a proof")),
        };
        proofs.append(proof?)
    })?;
    Ok(proofs)
}
