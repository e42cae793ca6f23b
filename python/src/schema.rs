//! One schema.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple, PyType};
use twinql::Schema;
use twinql::sql::Dialect;

use crate::errors::{self, SchemaError};
use crate::runtime;
use crate::settings;

/// Tables, columns, keys and views of a database.
#[pyclass(name = "Schema", module = "twinql", frozen)]
pub(crate) struct PySchema {
    pub(crate) schema: Arc<Schema>,
}

impl PySchema {
    pub(crate) fn of(schema: Schema) -> PySchema {
        PySchema { schema: Arc::new(schema) }
    }
}

/// Reads DDL text.
pub(crate) fn from_ddl(py: Python<'_>, db_id: &str, ddl: &str, dialect: Dialect) -> PyResult<Schema> {
    runtime::deep(py, || Schema::from_ddl_in(db_id, ddl, dialect))?.map_err(|e| errors::schema(&e))
}

/// A text, as whose schema and whose SQL it was read.
type Key = (Dialect, String, String);

/// Schemas of texts that calls gave, so that the next one need not read them again. Held only with Python's lock.
static KNOWN: Mutex<BTreeMap<Key, Arc<Schema>>> = Mutex::new(BTreeMap::new());
/// Texts that are kept; then all are forgotten.
const KEPT: usize = 1024;

/// The schema of a text that was read before.
pub(crate) fn recall(_: Python<'_>, db_id: &str, ddl: &str, dialect: Dialect) -> Option<Arc<Schema>> {
    let known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    known.get(&(dialect, db_id.to_owned(), ddl.to_owned())).cloned()
}

/// Keeps the schema of a text.
pub(crate) fn remember(_: Python<'_>, db_id: &str, ddl: &str, dialect: Dialect, schema: &Arc<Schema>) {
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if known.len() >= KEPT {
        known.clear();
    }
    known.insert((dialect, db_id.to_owned(), ddl.to_owned()), Arc::clone(schema));
}

/// As [`from_ddl`], once for each text.
pub(crate) fn known_ddl(py: Python<'_>, db_id: &str, ddl: &str, dialect: Dialect) -> PyResult<Arc<Schema>> {
    if let Some(schema) = recall(py, db_id, ddl, dialect) {
        return Ok(schema);
    }
    let schema = Arc::new(from_ddl(py, db_id, ddl, dialect)?);
    remember(py, db_id, ddl, dialect, &schema);
    Ok(schema)
}

#[pymethods]
impl PySchema {
    /// A schema of CREATE statements.
    #[staticmethod]
    #[pyo3(name = "from_ddl", signature = (ddl, *, db_id = "schema", dialect = "sqlite"))]
    fn read_ddl(py: Python<'_>, ddl: &str, db_id: &str, dialect: &str) -> PyResult<PySchema> {
        let dialect = settings::dialect(dialect)?;
        from_ddl(py, db_id, ddl, dialect).map(PySchema::of)
    }

    /// The schema of a SQLite file. Its rows are not read.
    #[staticmethod]
    #[pyo3(signature = (path))]
    fn from_sqlite(py: Python<'_>, path: PathBuf) -> PyResult<PySchema> {
        let schema = runtime::deep(py, || Schema::from_sqlite(&path))?.map_err(|e| errors::schema(&e))?;
        Ok(PySchema::of(schema))
    }

    /// One schema of a `tables.json` of Spider or BIRD.
    #[staticmethod]
    #[pyo3(signature = (path, db_id))]
    fn from_tables_json(py: Python<'_>, path: PathBuf, db_id: &str) -> PyResult<PySchema> {
        let read = runtime::deep(py, || {
            let mut set = twinql::sql::schema::load(&path)?;
            Ok(set.shift_remove(db_id))
        })?;
        let schema = read.map_err(|e: twinql::sql::SchemaError| errors::schema(&e))?;
        let missing = || SchemaError::new_err(format!("{}: no database {db_id:?}", path.display()));
        schema.map(PySchema::of).ok_or_else(missing)
    }

    /// The tables of SQLAlchemy's `MetaData`.
    #[classmethod]
    #[pyo3(signature = (metadata, *, db_id = "schema"))]
    fn from_sqlalchemy<'py>(
        class: &Bound<'py, PyType>,
        metadata: &Bound<'py, PyAny>,
        db_id: &str,
    ) -> PyResult<PySchema> {
        let py = class.py();
        let ddl: String =
            py.import("twinql._sqlalchemy")?.getattr("ddl_of")?.call1((metadata,))?.extract()?;
        from_ddl(py, db_id, &ddl, Dialect::Sqlite).map(PySchema::of)
    }

    /// The database's name.
    #[getter]
    fn db_id(&self) -> &str {
        &self.schema.db_id
    }

    /// Columns by table, as they are declared.
    #[getter]
    fn tables<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let tables = PyDict::new(py);
        for table in &self.schema.tables {
            let columns: Vec<&str> = table.columns.iter().map(|c| c.name.as_str()).collect();
            tables.set_item(&table.name, columns)?;
        }
        Ok(tables)
    }

    /// What of the source is not in the schema, and why.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.schema.notes.iter().map(ToString::to_string).collect()
    }

    /// The schema as CREATE statements.
    fn to_ddl(&self, py: Python<'_>) -> PyResult<String> {
        runtime::deep(py, || self.schema.to_ddl())
    }

    /// The same schema under another name.
    fn renamed(&self, db_id: &str) -> PySchema {
        PySchema::of(Schema { db_id: db_id.to_owned(), ..Schema::clone(&self.schema) })
    }

    /// What `__reduce__` wrote.
    #[staticmethod]
    fn _load(py: Python<'_>, json: &str) -> PyResult<PySchema> {
        runtime::deep(py, || serde_json::from_str(json))?
            .map(PySchema::of)
            .map_err(|e| SchemaError::new_err(format!("not a pickled schema: {e}")))
    }

    fn __reduce__<'py>(slf: &Bound<'py, PySchema>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let json = serde_json::to_string(&*slf.get().schema)
            .map_err(|e| SchemaError::new_err(format!("cannot be pickled: {e}")))?;
        Ok((slf.get_type().getattr("_load")?, PyTuple::new(slf.py(), [json])?))
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<PySchema>().is_ok_and(|other| *other.get().schema == *self.schema)
    }

    fn __hash__(&self) -> u64 {
        use std::hash::{DefaultHasher, Hash, Hasher};
        let mut hasher = DefaultHasher::new();
        self.schema.db_id.hash(&mut hasher);
        self.schema.tables.iter().for_each(|t| t.name.hash(&mut hasher));
        hasher.finish()
    }

    fn __repr__(&self) -> String {
        let tables: Vec<&str> = self.schema.tables.iter().map(|t| t.name.as_str()).collect();
        format!("Schema({:?}, tables: {})", self.schema.db_id, tables.join(", "))
    }
}
