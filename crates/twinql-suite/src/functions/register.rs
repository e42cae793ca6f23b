//! The functions on a connection.

use rusqlite::functions::{Aggregate, Context, FunctionFlags};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Error};
use twinql_sql::Value;
use twinql_sql::function::Scalar;

use super::{AGGREGATES, Collector, FUNCTIONS, Function, MATHEMATICS};

/// Bytes that one group of an aggregate may hold.
const MAX_GROUP: usize = 8 << 20;
/// What a collected value costs beside its text.
const OVERHEAD: usize = 48;

fn failure(message: impl Into<String>) -> Error {
    Error::UserFunctionError(message.into().into())
}

fn argument(value: ValueRef<'_>) -> Value {
    match value {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(i) => Value::Integer(i),
        ValueRef::Real(r) => Value::Real(r.into()),
        ValueRef::Text(t) => Value::Text(String::from_utf8_lossy(t).into_owned()),
        ValueRef::Blob(b) => Value::Blob(b.to_vec()),
    }
}

fn arguments(context: &Context<'_>) -> Vec<Value> {
    (0..context.len()).map(|i| argument(context.get_raw(i))).collect()
}

fn size(value: &Value) -> usize {
    OVERHEAD
        + match value {
            Value::Text(s) => s.len(),
            Value::Blob(b) => b.len(),
            _ => 0,
        }
}

/// The answer for SQLite, no longer than a value may be.
fn result(value: Value, longest: usize) -> rusqlite::Result<rusqlite::types::Value> {
    use rusqlite::types::Value as V;
    if size(&value) - OVERHEAD > longest {
        return Err(failure("string or blob too big"));
    }
    Ok(match value {
        Value::Null => V::Null,
        Value::Integer(i) => V::Integer(i),
        Value::Real(r) => V::Real(r.0),
        Value::Text(s) => V::Text(s),
        Value::Blob(b) => V::Blob(b),
    })
}

/// One call, its arguments counted.
fn call(function: Function, row: &Scalar, arguments: &[Value]) -> rusqlite::Result<Value> {
    let (least, most) = row.arity;
    if arguments.len() < least || arguments.len() > most {
        return Err(failure(format!("wrong number of arguments to function {}()", function.name)));
    }
    if row.nulls.is_strict() && arguments.contains(&Value::Null) {
        return Ok(Value::Null);
    }
    (function.call)(arguments).map_err(failure)
}

struct Group {
    rows: Vec<Vec<Value>>,
    bytes: usize,
}

struct Collecting {
    collector: Collector,
    longest: usize,
}

impl Aggregate<Group, rusqlite::types::Value> for Collecting {
    fn init(&self, _: &mut Context<'_>) -> rusqlite::Result<Group> {
        Ok(Group { rows: Vec::new(), bytes: 0 })
    }

    fn step(&self, context: &mut Context<'_>, group: &mut Group) -> rusqlite::Result<()> {
        let row = arguments(context);
        group.bytes += row.iter().map(size).sum::<usize>();
        if group.bytes > MAX_GROUP {
            return Err(failure("a group is too large"));
        }
        group.rows.push(row);
        Ok(())
    }

    fn finalize(
        &self,
        _: &mut Context<'_>,
        group: Option<Group>,
    ) -> rusqlite::Result<rusqlite::types::Value> {
        let rows = group.map(|g| g.rows).unwrap_or_default();
        result((self.collector.call)(&rows).map_err(failure)?, self.longest)
    }
}

/// Defines every function on a connection.
///
/// # Errors
/// Whatever SQLite says where it cannot define one.
pub(crate) fn register(connection: &Connection, value_bytes: i32) -> rusqlite::Result<()> {
    let flags =
        FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC | FunctionFlags::SQLITE_INNOCUOUS;
    let longest = usize::try_from(value_bytes).unwrap_or(0);
    for function in FUNCTIONS.iter().chain(MATHEMATICS) {
        let function = *function;
        // Every one has a row; a test says so.
        let Some(row) = function.row() else { continue };
        connection.create_scalar_function(function.name, -1, flags, move |context| {
            result(call(function, row, &arguments(context))?, longest)
        })?;
    }
    for collector in AGGREGATES {
        let arity = collector.arity().and_then(|n| i32::try_from(n).ok()).unwrap_or(-1);
        let collecting = Collecting { collector: *collector, longest };
        connection.create_aggregate_function(collector.name, arity, flags, collecting)?;
    }
    Ok(())
}

#[cfg(test)]
pub(super) fn call_by_name(name: &str, arguments: &[Value]) -> Result<Value, String> {
    let function = FUNCTIONS
        .iter()
        .chain(MATHEMATICS)
        .find(|f| f.name == name)
        .ok_or_else(|| format!("no function {name}"))?;
    let row = function.row().ok_or_else(|| format!("{name} has no row"))?;
    call(*function, row, arguments).map_err(|e| e.to_string())
}
