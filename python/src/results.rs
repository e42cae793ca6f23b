//! Results as objects of the package's own classes, which are written in Python (`_results.py`).

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyList, PyTuple};
use twinql::gmn::Decision;
use twinql::record::Record;
use twinql::suite::Witness;
use twinql::{Job, Work};

use crate::json;

/// The classes that results are of.
pub(crate) struct Classes {
    pub(crate) score: Py<PyAny>,
    pub(crate) verdict: Py<PyAny>,
    pub(crate) witness: Py<PyAny>,
    pub(crate) proof: Py<PyAny>,
}

static CLASSES: PyOnceLock<Classes> = PyOnceLock::new();

/// The classes, which are looked up once.
pub(crate) fn classes(py: Python<'_>) -> PyResult<&Classes> {
    CLASSES.get_or_try_init(py, || {
        let module = py.import("twinql._results")?;
        let class = |name: &str| module.getattr(name).map(Bound::unbind);
        Ok(Classes {
            score: class("Score")?,
            verdict: class("Verdict")?,
            witness: class("Witness")?,
            proof: class("Proof")?,
        })
    })
}

/// The name of what a metric says.
pub(crate) fn decision_name(decision: Decision) -> &'static str {
    match decision {
        Decision::Same => "same",
        Decision::Different => "different",
        Decision::Abstained => "abstained",
    }
}

/// Makes `Score` objects of one engine's records.
pub(crate) struct Scores<'py> {
    class: Bound<'py, PyAny>,
    names: Vec<Bound<'py, PyAny>>,
    /// By metric; one dict for all of them.
    signatures: Bound<'py, PyDict>,
}

impl<'py> Scores<'py> {
    /// Of metrics with these signatures.
    pub(crate) fn new(py: Python<'py>, signatures: &[(&'static str, String)]) -> PyResult<Scores<'py>> {
        let dict = PyDict::new(py);
        let mut names = Vec::new();
        for (name, signature) in signatures {
            let name = name.into_pyobject(py)?;
            dict.set_item(&name, signature)?;
            names.push(name.into_any());
        }
        Ok(Scores { class: classes(py)?.score.bind(py).clone(), names, signatures: dict })
    }

    /// A record with what its metrics say.
    pub(crate) fn of(&self, record: &Record, decisions: &[Decision]) -> PyResult<Bound<'py, PyAny>> {
        let py = self.class.py();
        let said = PyDict::new(py);
        for (name, decision) in self.names.iter().zip(decisions) {
            said.set_item(name, decision_name(*decision))?;
        }
        self.class.call1((
            json::to_python(py, &record.id)?,
            record.status.name(),
            json::dict(py, &record.scores)?,
            json::dict(py, &record.details)?,
            record.error.as_deref(),
            said,
            &self.signatures,
        ))
    }
}

/// A witness of a pair; None of a job that holds no pair.
pub(crate) fn witness<'py>(py: Python<'py>, job: &Job, witness: &Witness) -> PyResult<Bound<'py, PyAny>> {
    let Work::Pair { gold, pred, .. } = &job.work else {
        return Ok(py.None().into_bound(py));
    };
    let rows = |rows: &[Vec<twinql::sql::Value>]| {
        let rows = rows.iter().map(|row| {
            let cells = row.iter().map(|value| json::cell(py, value)).collect::<PyResult<Vec<_>>>()?;
            PyTuple::new(py, cells)
        });
        PyList::new(py, rows.collect::<PyResult<Vec<_>>>()?)
    };
    let plausibility = match &witness.plausibility {
        Some(plausibility) => json::of(py, plausibility)?,
        None => py.None().into_bound(py),
    };
    classes(py)?.witness.bind(py).call1((
        &witness.statements,
        &witness.gold_columns,
        rows(&witness.gold_rows)?,
        &witness.pred_columns,
        rows(&witness.pred_rows)?,
        twinql::witness::file(gold, pred, witness),
        plausibility,
    ))
}
