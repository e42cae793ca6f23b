//! A function of SQL that notes which of its calls were given something true.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rusqlite::functions::FunctionFlags;
use rusqlite::types::{Value, ValueRef};

use super::{ExecError, Sandbox, failed};

/// The function: `twinql_met(number, condition)` is the condition, `twinql_met(number, condition, value)` the value.
pub(crate) const MET: &str = "twinql_met";

/// The numbers, below 64, of calls that were given something true. The function is there as long as this is.
pub(crate) struct Met<'s> {
    sandbox: &'s Sandbox,
    numbers: Arc<AtomicU64>,
}

impl Sandbox {
    /// Defines the function.
    pub(crate) fn met(&self) -> Result<Met<'_>, ExecError> {
        let numbers = Arc::new(AtomicU64::new(0));
        let noted = Arc::clone(&numbers);
        // Not deterministic: SQLite may neither fold a call nor move it.
        let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_INNOCUOUS;
        let define = self.connection.create_scalar_function(MET, -1, flags, move |context| {
            let number = context.get::<u32>(0)?;
            let holds = match context.get_raw(1) {
                ValueRef::Null => false,
                ValueRef::Integer(n) => n != 0,
                ValueRef::Real(r) => r != 0.0,
                // Nothing is said of a text as a condition.
                ValueRef::Text(_) | ValueRef::Blob(_) => true,
            };
            if holds {
                noted.fetch_or(1u64.checked_shl(number).unwrap_or(0), Ordering::Relaxed);
            }
            context.get::<Value>(context.len() - 1)
        });
        define.map_err(failed)?;
        Ok(Met { sandbox: self, numbers })
    }
}

impl Met<'_> {
    /// Whether a call of this number was given something true.
    pub(crate) fn has(&self, number: usize) -> bool {
        self.numbers.load(Ordering::Relaxed) >> number & 1 == 1
    }
}

impl Drop for Met<'_> {
    fn drop(&mut self) {
        // One that cannot be taken away does no harm: queries are checked before it is there.
        let _ = self.sandbox.connection.remove_function(MET, -1);
    }
}
