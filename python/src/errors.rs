//! The exceptions of the package. What is wrong with one pair of a batch raises none: its status says so.

use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyUserWarning};
use pyo3::prelude::*;
use twinql::NetworkError;
use twinql::input::InputError as LibraryInputError;
use twinql::sql::SchemaError as LibrarySchemaError;

create_exception!(twinql, TwinqlError, PyException, "What all exceptions of twinql are.");
create_exception!(twinql, ArgumentError, TwinqlError, "An argument has a value that means nothing.");
create_exception!(twinql, SchemaError, TwinqlError, "A schema cannot be read, or is missing.");
create_exception!(
    twinql,
    CheckpointError,
    TwinqlError,
    "A checkpoint cannot be read, or lacks what a metric needs."
);
create_exception!(twinql, InputError, TwinqlError, "An input as a whole cannot be read as pairs.");
create_exception!(twinql, QueryError, TwinqlError, "A query cannot be read, where it is the only one.");
create_exception!(twinql, InternalError, TwinqlError, "A bug of twinql; please report it with the input.");
create_exception!(twinql, SchemaWarning, PyUserWarning, "A schema was not read in full.");

/// Names them in the module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add("TwinqlError", py.get_type::<TwinqlError>())?;
    module.add("ArgumentError", py.get_type::<ArgumentError>())?;
    module.add("SchemaError", py.get_type::<SchemaError>())?;
    module.add("CheckpointError", py.get_type::<CheckpointError>())?;
    module.add("InputError", py.get_type::<InputError>())?;
    module.add("QueryError", py.get_type::<QueryError>())?;
    module.add("InternalError", py.get_type::<InternalError>())?;
    module.add("SchemaWarning", py.get_type::<SchemaWarning>())
}

/// Why there is no network: the checkpoint's fault, or that of what was asked of it.
pub(crate) fn network(error: &NetworkError) -> PyErr {
    match error {
        NetworkError::NoDatabases(metric) => {
            ArgumentError::new_err(format!("{metric} executes queries on databases: give db=FOLDER"))
        }
        NetworkError::OtherQuestion { .. } => ArgumentError::new_err(error.to_string()),
        other => CheckpointError::new_err(other.to_string()),
    }
}

/// Why a schema cannot be read.
pub(crate) fn schema(error: &LibrarySchemaError) -> PyErr {
    SchemaError::new_err(error.to_string())
}

/// Why an input cannot be read.
pub(crate) fn input(error: &LibraryInputError) -> PyErr {
    match error {
        LibraryInputError::Schema(error) => schema(error),
        LibraryInputError::WhichDatabase { .. } | LibraryInputError::Database(_) => {
            SchemaError::new_err(error.to_string())
        }
        other => InputError::new_err(other.to_string()),
    }
}
