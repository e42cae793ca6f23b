//! Arrow's C interface in Python's capsules: the one place of the package with unsafe code written by hand.
//!
//! See the specification "The Arrow PyCapsule Interface". A capsule owns a C structure; whoever takes it over moves it
//! out and leaves a released one behind, which `from_raw` does.
#![allow(unsafe_code)] // Pointers of other libraries, for which their capsules' names vouch.

use std::ffi::CStr;

use arrow_array::array::{Array, StructArray};
use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi};
use arrow_array::ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader};
use arrow_array::{RecordBatch, RecordBatchIterator, RecordBatchReader};
use arrow_schema::{ArrowError, DataType, SchemaRef};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};

use crate::errors::InputError;
use crate::runtime::guarded;

/// What the specification calls capsules of streams, schemas and arrays.
const STREAM: &CStr = c"arrow_array_stream";
const SCHEMA: &CStr = c"arrow_schema";
const ARRAY: &CStr = c"arrow_array";

fn failed(why: impl std::fmt::Display) -> PyErr {
    InputError::new_err(format!("Arrow data cannot be read: {why}"))
}

/// All batches of an object with `__arrow_c_stream__` or `__arrow_c_array__`; none of another object.
///
/// # Errors
/// The object promises Arrow data, and gives none that can be read.
pub(super) fn import(object: &Bound<'_, PyAny>) -> PyResult<Option<Vec<RecordBatch>>> {
    if object.hasattr("__arrow_c_stream__")? {
        let capsule = object.call_method0("__arrow_c_stream__")?;
        let pointer = capsule.cast::<PyCapsule>()?.pointer_checked(Some(STREAM))?;
        // SAFETY: a capsule of this name holds such a structure for as long as it lives, which is to the end of this
        // function; the structure is moved out of it.
        let stream = unsafe { FFI_ArrowArrayStream::from_raw(pointer.cast().as_ptr()) };
        // The producer may be Python and then takes the lock itself.
        let batches = object.py().detach(move || {
            guarded(move || RecordBatchStreamReader::try_new(stream)?.collect::<Result<Vec<_>, ArrowError>>())
        });
        return Ok(Some(batches.map_err(failed)?.map_err(failed)?));
    }
    if object.hasattr("__arrow_c_array__")? {
        let pair = object.call_method0("__arrow_c_array__")?;
        let (schema, array): (Bound<'_, PyCapsule>, Bound<'_, PyCapsule>) =
            pair.cast::<PyTuple>()?.extract()?;
        let schema = schema.pointer_checked(Some(SCHEMA))?.cast::<FFI_ArrowSchema>();
        let array = array.pointer_checked(Some(ARRAY))?.cast::<FFI_ArrowArray>();
        let batch = guarded(|| {
            // SAFETY: capsules of these names hold such structures for as long as they live, which is to the end of
            // this function. The array is moved out of its own; the schema is only looked at.
            let data = unsafe { from_ffi(FFI_ArrowArray::from_raw(array.as_ptr()), schema.as_ref()) }?;
            match data.data_type() {
                DataType::Struct(_) => Ok(RecordBatch::from(StructArray::from(data))),
                other => Err(ArrowError::CDataInterface(format!("an array of {other}, not of structs"))),
            }
        });
        return Ok(Some(vec![batch.map_err(failed)?.map_err(failed)?]));
    }
    Ok(None)
}

/// A batch as the capsule of a stream.
pub(super) fn stream<'py>(py: Python<'py>, batch: &RecordBatch) -> PyResult<Bound<'py, PyCapsule>> {
    let reader = RecordBatchIterator::new([Ok(batch.clone())], batch.schema());
    let reader: Box<dyn RecordBatchReader + Send> = Box::new(reader);
    PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(reader), STREAM)
}

/// The types of a batch as a capsule.
pub(super) fn schema<'py>(py: Python<'py>, schema: &SchemaRef) -> PyResult<Bound<'py, PyCapsule>> {
    let schema = FFI_ArrowSchema::try_from(schema.as_ref()).map_err(failed)?;
    PyCapsule::new_with_value(py, schema, SCHEMA)
}

/// The texts of a column, checked: what another library says is UTF-8 need not be.
pub(super) fn checked(column: &dyn Array) -> Result<(), ArrowError> {
    column.to_data().validate_full()
}
