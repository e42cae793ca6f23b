//! `twinql._twinql`: what of the Python package is compiled.
//!
//! Python sees few classes and functions here, all of them typed in `_twinql.pyi`; `python/twinql` makes the
//! package of them that users import. What crosses is plain: texts, numbers, dicts. Where work is done, Python's
//! lock is released and the work runs on threads of `runtime` that have deep stacks, since queries are nested
//! input. No panic crosses: it ends as the status of its pair, or as an `InternalError`.

use pyo3::prelude::*;

mod arrow;
mod batch;
mod engine;
mod errors;
mod evaluation;
mod explain;
mod json;
mod judging;
mod pairs;
mod program;
mod proving;
mod raw;
mod rerank;
mod results;
mod rewards;
mod runtime;
mod schema;
mod schemas;
mod settings;
mod suite;

/// Plans and graphs are many small boxes, as in the program: see its `main.rs`. With musl the system's own allocator
/// serves, since a library that is loaded late has no room there for the variables of threads.
#[cfg(not(target_env = "musl"))]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The compiled part of twinql.
#[pymodule]
fn _twinql(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    errors::add(module)?;
    module.add_class::<schema::PySchema>()?;
    module.add_class::<schemas::PySchemas>()?;
    module.add_class::<engine::PyEngine>()?;
    module.add_class::<arrow::Table>()?;
    module.add_function(wrap_pyfunction!(judging::judge, module)?)?;
    module.add_function(wrap_pyfunction!(proving::prove, module)?)?;
    module.add_function(wrap_pyfunction!(explain::explain, module)?)?;
    module.add_function(wrap_pyfunction!(suite::suite_accuracy, module)?)?;
    module.add_class::<rewards::PyRewarder>()?;
    module.add("GUARD_DATABASES", twinql::rewards::GUARD_DATABASES)?;
    module.add_function(wrap_pyfunction!(rewards::extract_sql, module)?)?;
    module.add_function(wrap_pyfunction!(rewards::reward_names, module)?)?;
    module.add_function(wrap_pyfunction!(rerank::rerank, module)?)?;
    module.add_function(wrap_pyfunction!(settings::metrics, module)?)?;
    module.add_function(wrap_pyfunction!(settings::semantics, module)?)?;
    module.add_function(wrap_pyfunction!(settings::dialects, module)?)?;
    module.add_function(wrap_pyfunction!(settings::serve, module)?)?;
    module.add_function(wrap_pyfunction!(program::main, module)?)?;
    Ok(())
}
