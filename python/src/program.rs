//! The program, as the script that pip installs runs it.

use std::ffi::OsString;
use std::path::PathBuf;

use pyo3::prelude::*;
use twinql::suite::worker::Program;

/// Runs the program and gives its exit code. Its workers are started by another program: this process is an interpreter.
#[pyfunction]
pub(crate) fn main(
    py: Python<'_>,
    arguments: Vec<OsString>,
    worker: PathBuf,
    worker_arguments: Vec<String>,
) -> u8 {
    let arguments = std::iter::once("twinql".into()).chain(arguments);
    py.detach(|| twinql_cli::run_within(arguments, Program { path: worker, arguments: worker_arguments }))
}
