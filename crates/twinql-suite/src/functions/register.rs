//! The functions on a connection.

use std::collections::VecDeque;

use rusqlite::functions::{Aggregate, Context, FunctionFlags, WindowAggregate};
use rusqlite::{Connection, Error};
use twinql_sql::Value;
use twinql_sql::function::Scalar;

use super::{AGGREGATES, Collector, FUNCTIONS, Function, MATHEMATICS, Returned, Stop};
use crate::database::Bound;
use crate::database::owned;

/// Bytes that one group of an aggregate may hold.
const MAX_GROUP: usize = 8 << 20;
/// What a collected value costs beside its text.
const OVERHEAD: usize = 48;

fn failure(message: impl Into<String>) -> Error {
    Error::UserFunctionError(message.into().into())
}

fn arguments(context: &Context<'_>) -> Vec<Value> {
    (0..context.len()).map(|i| owned(context.get_raw(i))).collect()
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
fn result(returned: Returned, longest: usize) -> rusqlite::Result<Bound<Value>> {
    match returned {
        Ok(value) if size(&value) - OVERHEAD > longest => Err(failure("string or blob too big")),
        Ok(value) => Ok(Bound(value)),
        Err(Stop::Null) => Ok(Bound(Value::Null)),
        Err(Stop::Error(message)) => Err(failure(message)),
    }
}

/// One call, its arguments counted.
fn call(function: Function, row: &Scalar, arguments: &[Value]) -> Returned {
    let (least, most) = row.arity;
    if arguments.len() < least || arguments.len() > most {
        return Err(format!("wrong number of arguments to function {}()", function.name).into());
    }
    if row.nulls.is_strict() && arguments.contains(&Value::Null) {
        return Err(Stop::Null);
    }
    (function.call)(arguments)
}

struct Group {
    rows: VecDeque<Vec<Value>>,
    bytes: usize,
}

struct Collecting {
    collector: Collector,
    longest: usize,
}

impl Aggregate<Group, Bound<Value>> for Collecting {
    fn init(&self, _: &mut Context<'_>) -> rusqlite::Result<Group> {
        Ok(Group { rows: VecDeque::new(), bytes: 0 })
    }

    fn step(&self, context: &mut Context<'_>, group: &mut Group) -> rusqlite::Result<()> {
        let row = arguments(context);
        group.bytes += row.iter().map(size).sum::<usize>();
        if group.bytes > MAX_GROUP {
            return Err(failure("a group is too large"));
        }
        group.rows.push_back(row);
        Ok(())
    }

    fn finalize(&self, _: &mut Context<'_>, group: Option<Group>) -> rusqlite::Result<Bound<Value>> {
        let mut rows = group.map(|g| g.rows).unwrap_or_default();
        result((self.collector.call)(rows.make_contiguous()), self.longest)
    }
}

/// The same over a window: its rows leave in the order in which they came.
impl WindowAggregate<Group, Bound<Value>> for Collecting {
    fn value(&self, group: Option<&mut Group>) -> rusqlite::Result<Bound<Value>> {
        let rows = group.map(|g| &*g.rows.make_contiguous()).unwrap_or_default();
        result((self.collector.call)(rows), self.longest)
    }

    fn inverse(&self, _: &mut Context<'_>, group: &mut Group) -> rusqlite::Result<()> {
        if let Some(row) = group.rows.pop_front() {
            group.bytes -= row.iter().map(size).sum::<usize>();
        }
        Ok(())
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
            result(call(function, row, &arguments(context)), longest)
        })?;
    }
    for collector in AGGREGATES {
        let arity = collector.arity().and_then(|n| i32::try_from(n).ok()).unwrap_or(-1);
        let collecting = Collecting { collector: *collector, longest };
        connection.create_window_function(collector.name, arity, flags, collecting)?;
    }
    Ok(())
}

#[cfg(test)]
pub(super) fn call_by_name(name: &str, arguments: &[Value]) -> Returned {
    let function = FUNCTIONS.iter().chain(MATHEMATICS).find(|f| f.name == name);
    let function = function.ok_or_else(|| format!("no function {name}"))?;
    let row = function.row().ok_or_else(|| format!("{name} has no row"))?;
    call(*function, row, arguments)
}
