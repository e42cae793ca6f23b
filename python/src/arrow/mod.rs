//! Tables of Arrow, in and out, for whatever library made them or takes them: nothing of pyarrow is needed.
//!
//! `arrow-array` with its C interface is what this needs of the Rust implementation; pyo3-arrow would bring casts,
//! kernels, time zones and NumPy's interface besides.

mod capsule;
mod columns;

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::builder::{Float64Builder, Int64Builder, StringBuilder};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use serde_json::Value as Json;
use twinql::gmn::Decision;
use twinql::record::Record;

use crate::errors::{InputError, InternalError};
use crate::raw::Raw;
use crate::results::decision_name;
use crate::runtime::guarded;

/// The pairs of an object with Arrow data; none of another object.
///
/// # Errors
/// The data cannot be read, or holds no pairs.
pub(crate) fn rows(py: Python<'_>, object: &Bound<'_, PyAny>) -> PyResult<Option<Vec<Raw>>> {
    let Some(batches) = capsule::import(object)? else { return Ok(None) };
    let read = move || {
        guarded(|| batches.iter().map(columns::pairs).collect::<Result<Vec<_>, _>>()).and_then(|rows| rows)
    };
    let rows = py.detach(read).map_err(|why| InputError::new_err(format!("Arrow data: {why}")))?;
    Ok(Some(rows.into_iter().flatten().collect()))
}

/// Scores in columns.
#[pyclass(name = "ScoreTable", module = "twinql", frozen)]
pub(crate) struct Table {
    batch: RecordBatch,
}

impl Table {
    /// The columns id, status, one for each metric, decision and details of each, and error.
    pub(crate) fn new(
        names: &[&str],
        scored: &[(Record, Vec<Decision>)],
        signatures: &[(&'static str, String)],
    ) -> PyResult<Table> {
        let mut fields = Vec::new();
        let mut columns: Vec<ArrayRef> = Vec::new();
        let mut add = |name: String, column: ArrayRef, nullable: bool| {
            fields.push(Field::new(name, column.data_type().clone(), nullable));
            columns.push(column);
        };
        add("id".into(), ids(scored), false);
        let mut statuses = StringBuilder::new();
        scored.iter().for_each(|(record, _)| statuses.append_value(record.status.name()));
        add("status".into(), Arc::new(statuses.finish()), false);
        for name in names {
            let mut scores = Float64Builder::with_capacity(scored.len());
            scored.iter().for_each(|(record, _)| scores.append_option(record.score(name)));
            add((*name).to_owned(), Arc::new(scores.finish()), true);
        }
        for (i, name) in names.iter().enumerate() {
            let mut decisions = StringBuilder::new();
            let said = scored.iter().map(|(_, decisions)| decisions.get(i).copied());
            said.for_each(|decision| decisions.append_option(decision.map(decision_name)));
            add(format!("{name}_decision"), Arc::new(decisions.finish()), true);
            let mut details = StringBuilder::new();
            let told = scored.iter().map(|(record, _)| record.details.get(*name).map(Json::to_string));
            told.for_each(|text| details.append_option(text));
            add(format!("{name}_details"), Arc::new(details.finish()), true);
        }
        let mut errors = StringBuilder::new();
        scored.iter().for_each(|(record, _)| errors.append_option(record.error.as_deref()));
        add("error".into(), Arc::new(errors.finish()), true);
        let of_metric = |(name, signature): &(&str, String)| (format!("twinql:{name}"), signature.clone());
        let schema =
            Schema::new_with_metadata(fields, signatures.iter().map(of_metric).collect::<HashMap<_, _>>());
        let batch = RecordBatch::try_new(Arc::new(schema), columns)
            .map_err(|e| InternalError::new_err(format!("a bug of twinql: {e}")))?;
        Ok(Table { batch })
    }
}

/// Ids as numbers where all of them are, as texts elsewhere.
fn ids(scored: &[(Record, Vec<Decision>)]) -> ArrayRef {
    let numbers: Option<Vec<i64>> = scored.iter().map(|(record, _)| record.id.as_i64()).collect();
    match numbers {
        Some(numbers) if !numbers.is_empty() => {
            let mut column = Int64Builder::with_capacity(numbers.len());
            column.append_slice(&numbers);
            Arc::new(column.finish())
        }
        _ => {
            let mut column = StringBuilder::new();
            scored.iter().for_each(|(record, _)| column.append_value(twinql::input::id_text(&record.id)));
            Arc::new(column.finish())
        }
    }
}

#[pymethods]
impl Table {
    /// The columns' names.
    #[getter]
    fn column_names(&self) -> Vec<String> {
        self.batch.schema().fields().iter().map(|f| f.name().clone()).collect()
    }

    fn __len__(&self) -> usize {
        self.batch.num_rows()
    }

    /// The table as a stream of Arrow's C interface.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // A wish, which need not be met.
        let _ = requested_schema;
        capsule::stream(py, &self.batch)
    }

    /// The columns' types by Arrow's C interface.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        capsule::schema(py, &self.batch.schema())
    }

    fn __repr__(&self) -> String {
        let kind = |f: &Arc<Field>| match f.data_type() {
            DataType::Float64 => format!("{}: float", f.name()),
            _ => f.name().clone(),
        };
        let columns: Vec<String> = self.batch.schema().fields().iter().map(kind).collect();
        format!("ScoreTable({} rows; {})", self.batch.num_rows(), columns.join(", "))
    }
}
