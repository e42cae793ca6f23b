//! What holds a connection back: an authorizer, SQLite's limits, a progress handler, seeded
//! chance, and a clock that stands still.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::functions::FunctionFlags;
use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
use rusqlite::limits::Limit;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags};

use crate::clock::{self, Flag};
use crate::functions;
use crate::limits::{ExecError, Limits};
use crate::timing::Moment;

/// The state of one connection that its handlers share.
#[derive(Default)]
pub(crate) struct Guard {
    pub(crate) querying: AtomicBool,
    pub(crate) steps: AtomicU64,
    /// Steps that an execution may take.
    pub(crate) allowed: AtomicU64,
    pub(crate) out_of_time: AtomicBool,
    pub(crate) out_of_steps: AtomicBool,
    /// The state of `random()` and of the tie-breaker: seeded before every execution.
    pub(crate) random: AtomicU64,
    /// What it was seeded with.
    pub(crate) seed: AtomicU64,
    /// A table was named by what was compiled last.
    pub(crate) reads: AtomicBool,
    /// `random()` or `randomblob()` was called.
    pub(crate) chance: Flag,
    /// When the clock was first read for the query.
    pub(crate) started: Mutex<Option<Moment>>,
}

/// Instructions between two calls of the progress handler.
const PROGRESS: u64 = 1_000;
/// Calls of the progress handler between two looks at the clock.
const CLOCKED: u64 = 4;

/// The function that queries may be made to break ties with; see [`crate::order`]. Without
/// arguments each call gives another number, with arguments each list of values has its own.
pub(crate) const TIE_BREAKER: &str = "twinql_tie_breaker";

/// A user's views may call these functions.
const FLAGS: FunctionFlags = FunctionFlags::SQLITE_UTF8.union(FunctionFlags::SQLITE_INNOCUOUS);

/// Executions pass together; one that ran out of memory passes alone.
static TURNSTILE: RwLock<()> = RwLock::new(());
/// Executions under way, and all that ever began.
static UNDER_WAY: AtomicU64 = AtomicU64::new(0);
static BEGUN: AtomicU64 = AtomicU64::new(0);

/// An execution among others, from its beginning to its end.
struct Visit {
    first: bool,
    number: u64,
}

impl Visit {
    fn begin() -> Visit {
        Visit {
            first: UNDER_WAY.fetch_add(1, Ordering::SeqCst) == 0,
            number: BEGUN.fetch_add(1, Ordering::SeqCst) + 1,
        }
    }

    /// True if no other execution was under way at any time.
    fn alone(&self) -> bool {
        self.first && BEGUN.load(Ordering::SeqCst) == self.number
    }
}

impl Drop for Visit {
    fn drop(&mut self) {
        UNDER_WAY.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Does `work`. Memory is bounded for the process, so where it runs out the culprit may be
/// another thread's query: then the work is done once more while no other thread executes
/// anything, and its own need decides. Where none did the first time, it has decided. Must not be
/// nested.
pub(crate) fn settle<T>(mut work: impl FnMut() -> Result<T, ExecError>) -> Result<T, ExecError> {
    let (first, alone) = {
        let _together = TURNSTILE.read().unwrap_or_else(PoisonError::into_inner);
        let visit = Visit::begin();
        let first = work();
        (first, visit.alone())
    };
    if alone || !matches!(first, Err(ExecError::Limit("memory"))) {
        return first;
    }
    drop(first);
    let _alone = TURNSTILE.write().unwrap_or_else(PoisonError::into_inner);
    work()
}

/// Table-valued functions, which read no table.
const VALUED: [&str; 4] = ["json_each", "json_tree", "jsonb_each", "jsonb_tree"];

fn splitmix(state: &AtomicU64) -> u64 {
    const STEP: u64 = 0x9E37_79B9_7F4A_7C15;
    twinql_sql::hash::finalised(state.fetch_add(STEP, Ordering::Relaxed).wrapping_add(STEP))
}

/// True for functions that reach outside the database or its rows.
fn forbidden(function: &str) -> bool {
    let name = function.to_ascii_lowercase();
    matches!(name.as_str(), "load_extension" | "fts3_tokenizer" | "readfile" | "writefile" | "edit")
        || name.starts_with("pragma_")
        || name.starts_with("sqlite_")
}

fn authorize(context: &AuthContext<'_>) -> Authorization {
    match context.action {
        AuthAction::Select | AuthAction::Recursive => Authorization::Allow,
        AuthAction::Read { table_name, .. } => {
            let name = table_name.to_ascii_lowercase();
            if name.starts_with("sqlite_") || name.starts_with("pragma_") {
                Authorization::Deny
            } else {
                Authorization::Allow
            }
        }
        AuthAction::Function { function_name } if !forbidden(function_name) => Authorization::Allow,
        _ => Authorization::Deny,
    }
}

/// An empty database in memory, of one thread at a time.
pub(crate) fn in_memory() -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    Connection::open_in_memory_with_flags(flags)
}

impl Guard {
    /// Steps and time are counted from here.
    pub(crate) fn restart(&self) {
        self.steps.store(0, Ordering::Relaxed);
        if let Ok(mut started) = self.started.lock() {
            *started = None;
        }
    }
}

/// Puts a connection under all of it. `views` may be read in a user's own database.
pub(crate) fn configure(
    connection: &mut Connection,
    guard: &Arc<Guard>,
    clock: &Arc<Flag>,
    limits: Limits,
    views: bool,
) -> rusqlite::Result<()> {
    set_limits(connection, limits, views)?;
    seed_chance(connection, guard, limits)?;
    clock::stop(connection, limits.value_bytes, clock)?;
    functions::register(connection, limits.value_bytes)?;
    watch_over(connection, guard, limits)?;
    let state = Arc::clone(guard);
    connection.authorizer(Some(move |context: AuthContext<'_>| {
        if state.querying.load(Ordering::Relaxed) {
            if let AuthAction::Read { table_name, .. } = context.action
                && !VALUED.iter().any(|name| table_name.eq_ignore_ascii_case(name))
            {
                state.reads.store(true, Ordering::Relaxed);
            }
            authorize(&context)
        } else {
            Authorization::Allow
        }
    }))
}

/// SQLite's own switches and limits.
fn set_limits(connection: &mut Connection, limits: Limits, views: bool) -> rusqlite::Result<()> {
    // The last of these holds for the whole process and can only be lowered.
    connection.execute_batch(&format!(
        "PRAGMA temp_store=MEMORY; PRAGMA trusted_schema=OFF; PRAGMA hard_heap_limit={};",
        limits.heap_bytes
    ))?;
    for (config, on) in [
        (DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, views),
        (DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false),
        // SQLite's default: a quoted name that is no column is a string.
        (DbConfig::SQLITE_DBCONFIG_DQS_DML, true),
    ] {
        connection.set_db_config(config, on)?;
    }
    for (limit, value) in [
        (Limit::SQLITE_LIMIT_LENGTH, limits.value_bytes),
        (Limit::SQLITE_LIMIT_SQL_LENGTH, i32::try_from(limits.sql_bytes).unwrap_or(i32::MAX)),
        (Limit::SQLITE_LIMIT_EXPR_DEPTH, 100),
        (Limit::SQLITE_LIMIT_COMPOUND_SELECT, 20),
        (Limit::SQLITE_LIMIT_FUNCTION_ARG, 16),
        (Limit::SQLITE_LIMIT_ATTACHED, 0),
        (Limit::SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1_000),
        (Limit::SQLITE_LIMIT_WORKER_THREADS, 0),
        (Limit::SQLITE_LIMIT_TRIGGER_DEPTH, 1),
    ] {
        connection.set_limit(limit, value)?;
    }
    Ok(())
}

/// `random()`, `randomblob()` and the tie-breaker, seeded before every execution.
fn seed_chance(connection: &mut Connection, guard: &Arc<Guard>, limits: Limits) -> rusqlite::Result<()> {
    let state = Arc::clone(guard);
    connection.create_scalar_function("random", 0, FLAGS, move |_| {
        state.chance.set();
        Ok(splitmix(&state.random) as i64)
    })?;
    let state = Arc::clone(guard);
    connection.create_scalar_function(TIE_BREAKER, -1, FLAGS, move |context| {
        if context.is_empty() {
            return Ok((splitmix(&state.random) >> 1) as i64);
        }
        // Of a row's values: the same all through one execution, however often a subquery runs.
        let hash = AtomicU64::new(state.seed.load(Ordering::Relaxed));
        for i in 0..context.len() {
            let mix = |bytes: &[u8]| {
                for part in bytes.chunks(8) {
                    let word = part.iter().fold(part.len() as u64, |w, b| w << 8 ^ u64::from(*b));
                    hash.store(splitmix(&hash) ^ word, Ordering::Relaxed);
                }
            };
            match context.get_raw(i) {
                ValueRef::Null => mix(b"n"),
                ValueRef::Integer(n) => mix(&(n as f64).to_bits().to_le_bytes()),
                ValueRef::Real(r) => mix(&r.to_bits().to_le_bytes()),
                ValueRef::Text(t) => mix(t),
                ValueRef::Blob(b) => mix(b),
            }
        }
        Ok((splitmix(&hash) >> 1) as i64)
    })?;
    let state = Arc::clone(guard);
    let most = usize::try_from(limits.value_bytes).unwrap_or(0);
    connection.create_scalar_function("randomblob", 1, FLAGS, move |context| {
        state.chance.set();
        let wanted = match context.get_raw(0) {
            ValueRef::Integer(n) => n,
            ValueRef::Real(r) => r as i64,
            ValueRef::Text(t) => std::str::from_utf8(t).ok().and_then(|t| t.trim().parse().ok()).unwrap_or(0),
            _ => 0,
        };
        let length = usize::try_from(wanted.max(1)).unwrap_or(usize::MAX);
        if length > most {
            return Err(rusqlite::Error::UserFunctionError("string or blob too big".into()));
        }
        let bytes: Vec<u8> = (0..length).map(|_| splitmix(&state.random) as u8).collect();
        Ok(bytes)
    })?;
    Ok(())
}

/// The handler that ends an execution beyond its steps or its time.
fn watch_over(connection: &mut Connection, guard: &Arc<Guard>, limits: Limits) -> rusqlite::Result<()> {
    guard.allowed.store(limits.steps, Ordering::Relaxed);
    let state = Arc::clone(guard);
    let longest = Duration::from_millis(limits.millis);
    connection.progress_handler(
        PROGRESS as i32,
        Some(move || {
            let steps = state.steps.fetch_add(PROGRESS, Ordering::Relaxed);
            if steps >= state.allowed.load(Ordering::Relaxed) {
                state.out_of_steps.store(true, Ordering::Relaxed);
                return true;
            }
            // Reading the clock costs as much as some of the steps between.
            if !(steps / PROGRESS).is_multiple_of(CLOCKED) || !state.querying.load(Ordering::Relaxed) {
                return false;
            }
            // Most queries are over before the clock is read at all.
            let Ok(mut started) = state.started.lock() else {
                return false;
            };
            if started.get_or_insert_with(Moment::now).elapsed() > longest {
                state.out_of_time.store(true, Ordering::Relaxed);
                return true;
            }
            false
        }),
    )?;
    Ok(())
}
