//! Schemas by name, and whatever else an argument `schemas` may be.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyIterator, PyList, PyMapping, PyString, PyTuple};
use twinql::input::{InputError, Schemas, load_schemas};
use twinql::progress::{Progress, Silent, Stage};
use twinql::sql::Dialect;
use twinql::{Dialects, Schema};

use crate::errors::{self, ArgumentError, SchemaError, SchemaWarning};
use crate::runtime;
use crate::schema::{PySchema, known_ddl};
use crate::settings;

/// Schemas of several databases, read once.
#[pyclass(name = "Schemas", module = "twinql", frozen)]
pub(crate) struct PySchemas {
    origin: String,
    named: Vec<(String, Arc<Schema>)>,
}

/// Keeps what reading schemas warns of.
#[derive(Default)]
struct Warnings(Mutex<Vec<String>>);

impl Progress for Warnings {
    fn say(&self, _: &str) {}

    fn warn(&self, line: &str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(line.to_owned());
    }

    fn stage(&self, _: &str, _: Option<u64>) -> Stage {
        Box::new(|| ())
    }
}

/// A file that was read: it is read again only if it has changed.
struct Loaded {
    path: PathBuf,
    modified: SystemTime,
    bytes: u64,
    dialect: Dialect,
    named: Vec<(String, Arc<Schema>)>,
}

/// The last few files. Held only with Python's lock, and never across work.
static LOADED: Mutex<Vec<Loaded>> = Mutex::new(Vec::new());
/// Files that are kept.
const KEPT: usize = 8;

/// Reads all schemas at `path`.
fn load(py: Python<'_>, path: &Path, dialect: Dialect) -> PyResult<Vec<(String, Arc<Schema>)>> {
    // Of a folder nothing says cheaply whether it has changed.
    let stamp = std::fs::metadata(path).ok().filter(|m| m.is_file());
    let stamp = stamp.and_then(|m| Some((m.modified().ok()?, m.len())));
    let same = |l: &Loaded| l.path == path && l.dialect == dialect && stamp == Some((l.modified, l.bytes));
    {
        let loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = loaded.iter().find(|l| same(l)) {
            return Ok(known.named.clone());
        }
    }
    let warnings = Warnings::default();
    let set = runtime::deep(py, || load_schemas(path, dialect, &warnings))?;
    let set = set.map_err(|e: InputError| errors::input(&e))?;
    let warned = std::mem::take(&mut *warnings.0.lock().unwrap_or_else(PoisonError::into_inner));
    for line in warned {
        warn(py, &line)?;
    }
    let named: Vec<_> = set.into_iter().map(|(id, schema)| (id, Arc::new(schema))).collect();
    if let Some((modified, bytes)) = stamp {
        let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
        loaded.retain(|l| l.path != path || l.dialect != dialect);
        if loaded.len() >= KEPT {
            loaded.remove(0);
        }
        let path = path.to_owned();
        loaded.push(Loaded { path, modified, bytes, dialect, named: named.clone() });
    }
    Ok(named)
}

/// A warning of Python's, at the line that called.
pub(crate) fn warn(py: Python<'_>, line: &str) -> PyResult<()> {
    let text = std::ffi::CString::new(line.replace('\0', " ")).unwrap_or_default();
    PyErr::warn(py, &py.get_type::<SchemaWarning>(), &text, 2)
}

/// True if a text is CREATE statements and no path: it has the word, with space behind it.
fn is_ddl(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    let mut rest = lower.as_str();
    while let Some((_, after)) = rest.split_once("create") {
        if after.starts_with(|c: char| c.is_ascii_whitespace()) {
            return true;
        }
        rest = after;
    }
    false
}

/// One schema of DDL text or of an object.
fn one(py: Python<'_>, db_id: &str, value: &Bound<'_, PyAny>, dialect: Dialect) -> PyResult<Arc<Schema>> {
    if let Ok(schema) = value.cast::<PySchema>() {
        let schema = &schema.get().schema;
        return Ok(match schema.db_id == db_id {
            true => Arc::clone(schema),
            false => Arc::new(Schema { db_id: db_id.to_owned(), ..Schema::clone(schema) }),
        });
    }
    if let Ok(text) = value.cast::<PyString>() {
        return known_ddl(py, db_id, text.to_str()?, dialect);
    }
    let kind = value.get_type().name()?;
    Err(ArgumentError::new_err(format!("the schema of {db_id:?} is a {kind}, neither Schema nor DDL text")))
}

/// Schemas by name, in order.
type Named = Vec<(String, Arc<Schema>)>;

/// What an argument `schemas` or `schema` holds, as named schemas and where they are from.
fn named(py: Python<'_>, value: &Bound<'_, PyAny>, dialect: Dialect) -> PyResult<(String, Named)> {
    if let Ok(schemas) = value.cast::<PySchemas>() {
        let schemas = schemas.get();
        return Ok((schemas.origin.clone(), schemas.named.clone()));
    }
    if let Ok(schema) = value.cast::<PySchema>() {
        let schema = Arc::clone(&schema.get().schema);
        return Ok(("the schema".into(), vec![(schema.db_id.clone(), schema)]));
    }
    if let Ok(text) = value.cast::<PyString>()
        && is_ddl(text.to_str()?)
    {
        let schema = known_ddl(py, "schema", text.to_str()?, dialect)?;
        return Ok(("the schema".into(), vec![("schema".into(), schema)]));
    }
    if let Ok(map) = value.cast::<PyMapping>() {
        let mut found = Vec::new();
        for pair in map.items()?.iter() {
            let (id, value) = pair.extract::<(String, Bound<'_, PyAny>)>()?;
            let schema = one(py, &id, &value, dialect)?;
            found.push((id, schema));
        }
        return Ok(("the schemas".into(), found));
    }
    // SQLAlchemy is not imported to find out that this is none of it.
    if value.hasattr("sorted_tables")? {
        let ddl: String = py.import("twinql._sqlalchemy")?.getattr("ddl_of")?.call1((value,))?.extract()?;
        let schema = known_ddl(py, "schema", &ddl, Dialect::Sqlite)?;
        return Ok(("the metadata".into(), vec![("schema".into(), schema)]));
    }
    let path: PathBuf = value.extract().map_err(|_| {
        let kind = value.get_type().name().map(|n| n.to_string()).unwrap_or_default();
        ArgumentError::new_err(format!(
            "schemas is a {kind}; give a path, DDL text, a Schema, Schemas or a dict of them by db_id"
        ))
    })?;
    Ok((path.display().to_string(), load(py, &path, dialect)?))
}

/// Schemas as the library has them, from whatever the argument is; without one, pairs carry theirs.
pub(crate) fn argument(
    py: Python<'_>,
    value: Option<&Bound<'_, PyAny>>,
    dialects: Dialects,
) -> PyResult<Schemas> {
    let (origin, found) = match value {
        None => (String::new(), Vec::new()),
        Some(value) => named(py, value, dialects.schema)?,
    };
    Ok(Schemas::new(origin, found, dialects, Arc::new(Silent)))
}

/// Schemas that something else brought along, each under its own name.
pub(crate) fn of_set(origin: &str, schemas: impl Iterator<Item = Schema>, dialects: Dialects) -> Schemas {
    let named = schemas.map(|schema| (schema.db_id.clone(), Arc::new(schema)));
    Schemas::new(origin, named, dialects, Arc::new(Silent))
}

/// The only schema that an argument holds.
pub(crate) fn only(py: Python<'_>, value: &Bound<'_, PyAny>, dialect: Dialect) -> PyResult<Arc<Schema>> {
    let (origin, mut found) = named(py, value, dialect)?;
    let count = found.len();
    match found.pop() {
        Some((_, schema)) if count == 1 => Ok(schema),
        _ => Err(SchemaError::new_err(format!(
            "{origin}: {count} databases where one is needed; take one of Schemas, schemas[\"name\"]"
        ))),
    }
}

#[pymethods]
impl PySchemas {
    /// Schemas by name: of a dict whose values are `Schema` or DDL text.
    #[new]
    #[pyo3(signature = (schemas, *, dialect = "sqlite"))]
    fn new(py: Python<'_>, schemas: &Bound<'_, PyAny>, dialect: &str) -> PyResult<PySchemas> {
        let (origin, named) = named(py, schemas, settings::dialect(dialect)?)?;
        Ok(PySchemas { origin, named })
    }

    /// All schemas at a path: a `tables.json`, a `.sql` or SQLite file, or a folder of these.
    #[staticmethod]
    #[pyo3(name = "load", signature = (path, *, dialect = "sqlite"))]
    fn read(py: Python<'_>, path: PathBuf, dialect: &str) -> PyResult<PySchemas> {
        let named = load(py, &path, settings::dialect(dialect)?)?;
        Ok(PySchemas { origin: path.display().to_string(), named })
    }

    /// The names, in the order of the source.
    fn keys<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        PyList::new(py, self.named.iter().map(|(id, _)| id))
    }

    fn __len__(&self) -> usize {
        self.named.len()
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        self.keys(py)?.try_iter()
    }

    fn __contains__(&self, db_id: &Bound<'_, PyAny>) -> bool {
        db_id.extract::<String>().is_ok_and(|db_id| self.named.iter().any(|(id, _)| *id == db_id))
    }

    fn __getitem__(&self, db_id: &str) -> PyResult<PySchema> {
        let found = self.named.iter().find(|(id, _)| id == db_id);
        let schema = found.map(|(_, schema)| PySchema { schema: Arc::clone(schema) });
        schema.ok_or_else(|| PyKeyError::new_err(db_id.to_owned()))
    }

    fn __reduce__<'py>(slf: &Bound<'py, PySchemas>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let py = slf.py();
        let schemas = PyDict::new(py);
        for (id, schema) in &slf.get().named {
            schemas.set_item(id, PySchema { schema: Arc::clone(schema) }.into_pyobject(py)?)?;
        }
        Ok((slf.get_type().into_any(), PyTuple::new(py, [schemas])?))
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<PySchemas>().is_ok_and(|other| other.get().named == self.named)
    }

    fn __repr__(&self) -> String {
        format!("Schemas({:?}, {} databases)", self.origin, self.named.len())
    }
}
