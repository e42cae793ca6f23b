//! The moment that the sandbox lives in.
//!
//! SQLite reads the machine's clock in `date()`, `strftime('%Y')`, `datetime('now')` and
//! `CURRENT_DATE`, and the machine's time zone in the modifiers `localtime` and `utc`. A
//! verdict may depend on neither. The functions are replaced by ones that put a fixed moment
//! where the clock would be read, drop those two modifiers (the zone is UTC), and hand the
//! rest to SQLite's own functions on a second connection that holds no data.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::limits::Limit;
use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};

const NOW_DATE: &str = "2020-06-15";
const NOW_TIME: &str = "12:00:00";
/// The moment that every query of a sandbox is run at, in UTC.
pub(crate) const NOW: &str = "2020-06-15 12:00:00";

/// SQLite's date functions and how many arguments stand before the time value.
const FUNCTIONS: [(&str, usize); 7] = [
    ("date", 0),
    ("time", 0),
    ("datetime", 0),
    ("julianday", 0),
    ("unixepoch", 0),
    ("strftime", 1),
    ("timediff", 0),
];
/// Arguments that a date function may have: a format, a time value, modifiers.
const MAX_ARGUMENTS: usize = 16;
/// Answers of a date function that are remembered, and the bytes that their arguments may have.
const MAX_KNOWN: usize = 2_000;
const MAX_KNOWN_BYTES: usize = 200;

/// Stops the clock of a connection. `read` is set whenever the time is asked for.
///
/// # Errors
/// Whatever SQLite says where it cannot define a function.
pub(crate) fn stop(connection: &Connection, value_bytes: i32, read: &Arc<Flag>) -> rusqlite::Result<()> {
    for (name, value) in [("current_date", NOW_DATE), ("current_time", NOW_TIME), ("current_timestamp", NOW)]
    {
        let read = Arc::clone(read);
        let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_INNOCUOUS;
        connection.create_scalar_function(name, 0, flags, move |_| {
            read.set();
            Ok(value)
        })?;
    }
    for (name, before) in FUNCTIONS {
        // Opened when it is first needed: most queries call no date function.
        let helper: Mutex<Option<Connection>> = Mutex::default();
        let read = Arc::clone(read);
        let known: Mutex<HashMap<String, Value>> = Mutex::default();
        let flags = FunctionFlags::SQLITE_UTF8
            | FunctionFlags::SQLITE_DETERMINISTIC
            | FunctionFlags::SQLITE_INNOCUOUS;
        connection.create_scalar_function(name, -1, flags, move |context| {
            let (arguments, asked) = arguments(context, name, before)?;
            if asked {
                read.set();
            }
            // Values of generated databases repeat, so most answers are known already.
            let key = format!("{arguments:?}");
            let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(value) = known.get(&key) {
                return Ok(value.clone());
            }
            let mut helper = helper.lock().unwrap_or_else(PoisonError::into_inner);
            let helper = match &mut *helper {
                Some(helper) => helper,
                none => {
                    let new = Connection::open_in_memory()?;
                    new.set_limit(Limit::SQLITE_LIMIT_LENGTH, value_bytes)?;
                    none.insert(new)
                }
            };
            let marks = vec!["?"; arguments.len()].join(",");
            let value =
                helper.query_row(&format!("SELECT {name}({marks})"), params_from_iter(arguments), |row| {
                    row.get::<_, Value>(0)
                })?;
            if key.len() <= MAX_KNOWN_BYTES {
                if known.len() >= MAX_KNOWN {
                    known.clear();
                }
                known.insert(key, value.clone());
            }
            Ok(value)
        })?;
    }
    Ok(())
}

/// A mark that a query read the clock, or threw dice.
#[derive(Debug, Default)]
pub(crate) struct Flag(AtomicBool);

impl Flag {
    pub(crate) fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// The mark, which is removed.
    pub(crate) fn take(&self) -> bool {
        self.0.swap(false, Ordering::Relaxed)
    }
}

fn is(value: &Value, names: &[&str]) -> bool {
    matches!(value, Value::Text(s) if names.iter().any(|n| s.eq_ignore_ascii_case(n)))
}

/// The arguments with the fixed moment in them, and whether the clock would have been read.
fn arguments(context: &Context<'_>, name: &str, before: usize) -> rusqlite::Result<(Vec<Value>, bool)> {
    if context.len() > MAX_ARGUMENTS {
        return Err(rusqlite::Error::UserFunctionError(format!("too many arguments for {name}()").into()));
    }
    let mut given = Vec::with_capacity(context.len() + 1);
    for i in 0..context.len() {
        given.push(context.get::<Value>(i)?);
    }
    let now = || Value::Text(NOW.to_owned());
    let mut asked = false;
    if name == "timediff" {
        for value in &mut given {
            if is(value, &["now"]) {
                *value = now();
                asked = true;
            }
        }
        return Ok((given, asked));
    }
    match given.get(before) {
        // Without a time value SQLite takes the current time; `subsec` alone means the same.
        None if given.len() == before => {
            given.push(now());
            asked = true;
        }
        Some(v) if is(v, &["subsec", "subsecond"]) => {
            given.insert(before, now());
            asked = true;
        }
        Some(v) if is(v, &["now"]) => {
            if let Some(value) = given.get_mut(before) {
                *value = now();
            }
            asked = true;
        }
        _ => {}
    }
    let mut at = 0;
    given.retain(|v| {
        at += 1;
        at <= before + 1 || !is(v, &["localtime", "utc"])
    });
    Ok((given, asked))
}
