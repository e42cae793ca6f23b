//! One function over constants, as a query of the sandbox would call it: for those who evaluate queries without it.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::atomic::Ordering;

use rusqlite::params_from_iter;
use twinql_sql::Value;

use super::{Bound, ExecError, Limits, Sandbox, failed, in_memory, settle};
use crate::database::{owned, quoted};

/// Values that a thread remembers, and the bytes that all arguments of one may have.
const MAX_KNOWN: usize = 4_000;
const MAX_KNOWN_BYTES: usize = 200;

thread_local! {
    /// A database without tables, opened when it is first needed.
    static EMPTY: RefCell<Option<Sandbox>> = const { RefCell::new(None) };
    /// Values of generated databases repeat, so most answers are known already.
    static KNOWN: RefCell<HashMap<(String, Vec<Value>), Value>> = RefCell::default();
}

/// Works in a sandbox without tables, of this thread.
fn in_empty<T>(mut work: impl FnMut(&Sandbox) -> rusqlite::Result<T>) -> Result<T, ExecError> {
    settle(|| {
        EMPTY.with_borrow_mut(|empty| {
            let sandbox = match &mut *empty {
                Some(sandbox) => sandbox,
                none => {
                    let connection = in_memory().map_err(failed)?;
                    none.insert(Sandbox::over(connection, Limits::default(), false).map_err(failed)?)
                }
            };
            sandbox.arm(0);
            let done = work(sandbox);
            sandbox.guard.querying.store(false, Ordering::Relaxed);
            done.map_err(|error| sandbox.interrupted().unwrap_or_else(|| failed(error)))
        })
    })
}

/// The only value of a query with these parameters.
fn value(sql: String, parameters: Vec<Value>) -> Result<Value, ExecError> {
    let call = (sql, parameters);
    if let Some(value) = KNOWN.with_borrow(|known| known.get(&call).cloned()) {
        return Ok(value);
    }
    let value = in_empty(|sandbox| {
        let mut statement = sandbox.connection.prepare(&call.0)?;
        statement.query_row(params_from_iter(call.1.iter().map(Bound)), |row| Ok(owned(row.get_ref(0)?)))
    })?;
    let bytes = |value: &Value| match value {
        Value::Text(text) => text.len(),
        Value::Blob(bytes) => bytes.len(),
        _ => size_of::<Value>(),
    };
    if call.1.iter().chain([&value]).map(bytes).sum::<usize>() <= MAX_KNOWN_BYTES {
        KNOWN.with_borrow_mut(|known| {
            if known.len() >= MAX_KNOWN {
                known.clear();
            }
            known.insert(call, value.clone());
        });
    }
    Ok(value)
}

/// The value of a scalar function.
///
/// # Errors
/// SQLite ends a query with an error that calls it so, or it met a [limit](Limits).
pub fn call(name: &str, arguments: &[Value]) -> Result<Value, ExecError> {
    let marks = vec!["?"; arguments.len()].join(",");
    value(format!("SELECT {}({marks})", quoted(name)), arguments.to_vec())
}

/// The value of an aggregate over the arguments of each row, `width` of them, in this order.
///
/// # Errors
/// As [`call`].
pub fn collect(name: &str, width: usize, rows: &[Vec<Value>]) -> Result<Value, ExecError> {
    let name = quoted(name);
    if rows.is_empty() {
        let nothing = vec!["NULL"; width].join(",");
        return value(format!("SELECT {name}({nothing}) WHERE 0"), Vec::new());
    }
    let columns: Vec<String> = (1..=width).map(|i| format!("column{i}")).collect();
    let row = format!("({})", vec!["?"; width].join(","));
    let rows_of = vec![row; rows.len()].join(",");
    let sql = format!("SELECT {name}({}) FROM (VALUES {rows_of})", columns.join(","));
    value(sql, rows.concat())
}

/// The names of all functions that SQLite has in a sandbox, those of other systems and those that it refuses to call
/// among them.
///
/// # Errors
/// As [`call`].
pub fn functions() -> Result<Vec<String>, ExecError> {
    in_empty(|sandbox| {
        sandbox.guard.querying.store(false, Ordering::Relaxed);
        let sql = "SELECT DISTINCT name FROM pragma_function_list ORDER BY name";
        let mut statement = sandbox.connection.prepare(sql)?;
        statement.query_map([], |row| row.get(0))?.collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_called_as_in_a_query() {
        let text = |s: &str| Value::Text(s.into());
        assert_eq!(call("ceil", &[Value::Real(1.25.into())]), Ok(Value::Real(2.0.into())));
        assert_eq!(call("->>", &[text("{\"a\": 3}"), text("a")]), Ok(Value::Integer(3)));
        assert_eq!(call("date", &[]), Ok(text("2020-06-15")));
        assert_eq!(call("current_date", &[]), Ok(text("2020-06-15")));
        assert_eq!(call("pg_split_part", &[text("a-b"), text("-"), Value::Integer(2)]), Ok(text("b")));
        assert!(matches!(call("json", &[text("{")]), Err(ExecError::Failed(_))));
        // What a hostile query would make grow, and what it may not reach.
        assert_eq!(call("zeroblob", &[Value::Integer(1 << 40)]), Err(ExecError::Limit("bytes in one value")));
        assert!(call("load_extension", &[text("x")]).is_err());
    }

    #[test]
    fn aggregates_get_their_rows_in_order() {
        let rows = [Value::Integer(2), Value::Null, Value::Integer(1)].map(|v| vec![v]);
        assert_eq!(collect("json_group_array", 1, &rows), Ok(Value::Text("[2,null,1]".into())));
        assert_eq!(collect("pg_mode", 1, &[]), Ok(Value::Null));
        assert!(functions().unwrap().contains(&"pg_mode".to_owned()));
    }
}
