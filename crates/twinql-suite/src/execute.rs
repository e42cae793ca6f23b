//! The sandbox: an in-memory SQLite database that queries can read and nothing else.
//!
//! Statements pass an authorizer that knows SELECT, column reads, functions and recursion;
//! SQLite's own limits bound lengths and nesting; a progress handler bounds steps and time;
//! rows and bytes are counted as they come out.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::functions::FunctionFlags;
use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
use rusqlite::limits::Limit;
use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, Statement, ToSql};
use serde::{Deserialize, Serialize};
use thiserror::Error;
use twinql_sql::{Schema, Value};

use crate::clock::{self, Flag};
use crate::database::{Database, Row, create_table, quoted};

/// Bounds on one execution of one query.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Bytes of SQL text.
    pub sql_bytes: usize,
    /// Instructions of SQLite's virtual machine; the bound that normally ends a runaway
    /// query, because it does not depend on the machine's load.
    pub steps: u64,
    /// Wall time, for what costs much in few steps: functions over long strings. It is
    /// set so far out that the steps end everything else, on a busy machine too; where
    /// it is met the pair has no label, so a slow machine never turns a label over.
    pub millis: u64,
    /// Rows of the answer.
    pub rows: usize,
    /// Bytes of the answer.
    pub bytes: usize,
    /// Bytes of any one string, blob or row.
    pub value_bytes: i32,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            sql_bytes: 64 * 1024,
            steps: 4_000_000,
            millis: 10_000,
            rows: 20_000,
            bytes: 4 * 1024 * 1024,
            value_bytes: 64 * 1024,
        }
    }
}

/// Why a query gave no answer.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ExecError {
    /// SQLite refuses the text: no such column, a syntax error, something forbidden.
    #[error("{0}")]
    Invalid(String),
    /// The query is not a single SELECT.
    #[error("not a single read-only query")]
    NotAQuery,
    /// It fails on this database: an integer overflow, a string longer than the limit.
    #[error("{0}")]
    Failed(String),
    /// More steps, time, rows or bytes than allowed.
    #[error("stopped: more {0} than allowed")]
    Limit(&'static str),
}

/// An answer: rows in order, each with as many values as `width`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Answer {
    /// Number of columns, known for an empty answer too.
    pub width: usize,
    /// The rows.
    pub rows: Vec<Row>,
}

#[derive(Default)]
struct Guard {
    querying: AtomicBool,
    steps: AtomicU64,
    out_of_time: AtomicBool,
    out_of_steps: AtomicBool,
    /// The state of `random()` and of the tie-breaker: seeded before every execution.
    random: AtomicU64,
    /// What it was seeded with.
    seed: AtomicU64,
    /// `random()` or `randomblob()` was called.
    chance: Flag,
    /// When the query began.
    started: Mutex<Option<Instant>>,
}

/// Instructions between two calls of the progress handler.
const PROGRESS: u64 = 1_000;

/// The function that queries may be made to break ties with; see [`crate::order`]. Without
/// arguments each call gives another number, with arguments each list of values has its own.
pub(crate) const TIE_BREAKER: &str = "twinql_tie_breaker";

/// An in-memory database of one schema.
pub struct Sandbox {
    connection: Connection,
    guard: Arc<Guard>,
    clock: Arc<Flag>,
    limits: Limits,
    inserts: Vec<Option<(String, String)>>,
}

/// A checked and compiled query of a [`Sandbox`].
pub struct Prepared<'a> {
    statement: Statement<'a>,
    sandbox: &'a Sandbox,
}

impl std::fmt::Debug for Sandbox {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sandbox")
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}

struct Bound<'a>(&'a Value);

impl ToSql for Bound<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self.0 {
            Value::Null => ValueRef::Null,
            Value::Integer(i) => ValueRef::Integer(*i),
            Value::Real(r) => ValueRef::Real(r.0),
            Value::Text(s) => ValueRef::Text(s.as_bytes()),
            Value::Blob(b) => ValueRef::Blob(b),
        }))
    }
}

fn splitmix(state: &AtomicU64) -> u64 {
    let mut z = state
        .fetch_add(0x9E37_79B9_7F4A_7C15, Ordering::Relaxed)
        .wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// True for functions that reach outside the database or its rows.
fn forbidden(function: &str) -> bool {
    let name = function.to_ascii_lowercase();
    matches!(
        name.as_str(),
        "load_extension" | "fts3_tokenizer" | "readfile" | "writefile" | "edit"
    ) || name.starts_with("pragma_")
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

impl Sandbox {
    /// A database with the schema's tables and no rows.
    ///
    /// # Errors
    /// [`ExecError::Invalid`] where SQLite cannot create a table, naming it.
    pub fn new(schema: &Schema, limits: Limits) -> Result<Sandbox, ExecError> {
        let mut connection = Connection::open_in_memory_with_flags(
            rusqlite::OpenFlags::SQLITE_OPEN_READ_WRITE | rusqlite::OpenFlags::SQLITE_OPEN_NO_MUTEX,
        )
        .map_err(invalid)?;
        let guard = Arc::new(Guard::default());
        let clock = Arc::new(Flag::default());
        configure(&mut connection, &guard, &clock, limits).map_err(invalid)?;
        let mut inserts = Vec::with_capacity(schema.tables.len());
        for (index, table) in schema.tables.iter().enumerate() {
            let Some(create) = create_table(schema, index) else {
                inserts.push(None);
                continue;
            };
            connection
                .execute_batch(&create)
                .map_err(|e| ExecError::Invalid(format!("cannot create table {:?}: {e}", table.name)))?;
            let marks = vec!["?"; table.columns.len()].join(",");
            let name = quoted(&table.name);
            inserts.push(Some((
                format!("DELETE FROM {name}"),
                format!("INSERT INTO {name} VALUES ({marks})"),
            )));
        }
        let sandbox = Sandbox {
            connection,
            guard,
            clock,
            limits,
            inserts,
        };
        sandbox.query_only(true)?;
        Ok(sandbox)
    }

    /// A writer of the given tables, reusable for many databases.
    ///
    /// # Errors
    /// [`ExecError::Failed`] if SQLite refuses a statement.
    pub fn loader(&self, tables: &[usize]) -> Result<Loader<'_>, ExecError> {
        self.guard.querying.store(false, Ordering::Relaxed);
        let mut writers = Vec::new();
        for &table in tables {
            if let Some(Some((delete, insert))) = self.inserts.get(table) {
                let delete = self.connection.prepare(delete).map_err(failed)?;
                let insert = self.connection.prepare(insert).map_err(failed)?;
                writers.push((table, delete, insert));
            }
        }
        let begin = self.connection.prepare("BEGIN").map_err(failed)?;
        let commit = self.connection.prepare("COMMIT").map_err(failed)?;
        Ok(Loader {
            sandbox: self,
            writers,
            begin,
            commit,
        })
    }

    /// Compiles a query.
    ///
    /// # Errors
    /// [`ExecError::Invalid`], [`ExecError::NotAQuery`], or [`ExecError::Limit`].
    pub fn prepare(&self, sql: &str) -> Result<Prepared<'_>, ExecError> {
        let sql = trim(sql);
        if sql.len() > self.limits.sql_bytes {
            return Err(ExecError::Limit("bytes of SQL"));
        }
        if sql.is_empty() {
            return Err(ExecError::NotAQuery);
        }
        // SQLite would stop reading there, silently.
        if sql.contains('\0') {
            return Err(ExecError::Invalid("the text holds a NUL byte".into()));
        }
        self.arm(0);
        let statement = self.connection.prepare(sql);
        self.guard.querying.store(false, Ordering::Relaxed);
        let statement = statement.map_err(|e| match e {
            rusqlite::Error::MultipleStatement => ExecError::NotAQuery,
            other => invalid(other),
        })?;
        if !statement.readonly() || statement.column_count() == 0 || statement.is_explain() != 0 {
            return Err(ExecError::NotAQuery);
        }
        if statement.parameter_count() != 0 {
            return Err(ExecError::Invalid("the query has parameters".into()));
        }
        Ok(Prepared {
            statement,
            sandbox: self,
        })
    }

    fn arm(&self, seed: u64) {
        let guard = &self.guard;
        guard.steps.store(0, Ordering::Relaxed);
        guard.out_of_time.store(false, Ordering::Relaxed);
        guard.out_of_steps.store(false, Ordering::Relaxed);
        guard.random.store(seed, Ordering::Relaxed);
        guard.seed.store(seed, Ordering::Relaxed);
        if let Ok(mut started) = guard.started.lock() {
            *started = Some(Instant::now());
        }
        guard.querying.store(true, Ordering::Relaxed);
    }

    /// Sets `PRAGMA query_only`, a second wall behind the authorizer. SQLite obeys this
    /// pragma when it is compiled; running it would only make it compile all other
    /// statements anew.
    fn query_only(&self, on: bool) -> Result<(), ExecError> {
        self.guard.querying.store(false, Ordering::Relaxed);
        self.connection
            .prepare(if on {
                "PRAGMA query_only=ON"
            } else {
                "PRAGMA query_only=OFF"
            })
            .map(drop)
            .map_err(failed)
    }

    /// What queries have asked for that is fixed here, since the last call: the clock,
    /// random numbers.
    pub(crate) fn fixed(&self) -> (bool, bool) {
        (self.clock.take(), self.guard.chance.take())
    }
}

/// SQL without the white space and semicolons around it.
pub(crate) fn trim(sql: &str) -> &str {
    sql.trim().trim_end_matches([';', ' ', '\t', '\r', '\n'])
}

fn configure(
    connection: &mut Connection,
    guard: &Arc<Guard>,
    clock: &Arc<Flag>,
    limits: Limits,
) -> rusqlite::Result<()> {
    connection.execute_batch(
        "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA temp_store=MEMORY;
         PRAGMA trusted_schema=OFF; PRAGMA cell_size_check=OFF;",
    )?;
    for (config, on) in [
        (DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false),
        (DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false),
        // SQLite's default: a quoted name that is no column is a string.
        (DbConfig::SQLITE_DBCONFIG_DQS_DML, true),
    ] {
        connection.set_db_config(config, on)?;
    }
    for (limit, value) in [
        (Limit::SQLITE_LIMIT_LENGTH, limits.value_bytes),
        (
            Limit::SQLITE_LIMIT_SQL_LENGTH,
            i32::try_from(limits.sql_bytes).unwrap_or(i32::MAX),
        ),
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
    let state = Arc::clone(guard);
    connection.create_scalar_function("random", 0, FunctionFlags::SQLITE_UTF8, move |_| {
        state.chance.set();
        Ok(splitmix(&state.random) as i64)
    })?;
    let state = Arc::clone(guard);
    connection.create_scalar_function(TIE_BREAKER, -1, FunctionFlags::SQLITE_UTF8, move |context| {
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
    let longest = usize::try_from(limits.value_bytes).unwrap_or(0);
    connection.create_scalar_function("randomblob", 1, FunctionFlags::SQLITE_UTF8, move |context| {
        state.chance.set();
        let wanted = match context.get_raw(0) {
            ValueRef::Integer(n) => n,
            ValueRef::Real(r) => r as i64,
            ValueRef::Text(t) => std::str::from_utf8(t)
                .ok()
                .and_then(|t| t.trim().parse().ok())
                .unwrap_or(0),
            _ => 0,
        };
        let length = usize::try_from(wanted.max(1)).unwrap_or(usize::MAX);
        if length > longest {
            return Err(rusqlite::Error::UserFunctionError(
                "string or blob too big".into(),
            ));
        }
        let bytes: Vec<u8> = (0..length).map(|_| splitmix(&state.random) as u8).collect();
        Ok(bytes)
    })?;
    clock::stop(connection, limits.value_bytes, clock)?;
    let state = Arc::clone(guard);
    let wall = Duration::from_millis(limits.millis);
    connection.progress_handler(
        PROGRESS as i32,
        Some(move || {
            let steps = state.steps.fetch_add(PROGRESS, Ordering::Relaxed);
            if steps >= limits.steps {
                state.out_of_steps.store(true, Ordering::Relaxed);
                return true;
            }
            let began = state.started.lock().ok().and_then(|s| *s);
            if began.is_some_and(|s| s.elapsed() > wall) {
                state.out_of_time.store(true, Ordering::Relaxed);
                return true;
            }
            false
        }),
    )?;
    let state = Arc::clone(guard);
    connection.authorizer(Some(move |context: AuthContext<'_>| {
        if state.querying.load(Ordering::Relaxed) {
            authorize(&context)
        } else {
            Authorization::Allow
        }
    }))
}

fn invalid(e: rusqlite::Error) -> ExecError {
    ExecError::Invalid(message(&e))
}

fn failed(e: rusqlite::Error) -> ExecError {
    ExecError::Failed(message(&e))
}

fn message(e: &rusqlite::Error) -> String {
    match e {
        rusqlite::Error::SqliteFailure(_, Some(text)) => text.clone(),
        rusqlite::Error::SqlInputError { msg, .. } => msg.clone(),
        rusqlite::Error::NulError(_) => "the text holds a NUL byte".into(),
        other => other.to_string(),
    }
}

/// Writes databases into a [`Sandbox`].
pub struct Loader<'a> {
    sandbox: &'a Sandbox,
    writers: Vec<(usize, Statement<'a>, Statement<'a>)>,
    begin: Statement<'a>,
    commit: Statement<'a>,
}

impl Loader<'_> {
    /// Replaces the rows of this loader's tables by those of `database`.
    ///
    /// # Errors
    /// [`ExecError::Failed`] if SQLite refuses a row.
    pub fn load(&mut self, database: &Database) -> Result<(), ExecError> {
        self.sandbox.query_only(false)?;
        let loaded = self.write(database);
        self.sandbox.query_only(true).and(loaded)
    }

    fn write(&mut self, database: &Database) -> Result<(), ExecError> {
        let guard = &self.sandbox.guard;
        guard.steps.store(0, Ordering::Relaxed);
        if let Ok(mut started) = guard.started.lock() {
            *started = None;
        }
        self.begin.raw_execute().map_err(failed)?;
        let mut result = Ok(());
        'tables: for (table, delete, insert) in &mut self.writers {
            result = delete.raw_execute().map(|_| ());
            if result.is_err() {
                break;
            }
            for row in database.rows(*table) {
                for (i, value) in row.iter().enumerate() {
                    result = insert.raw_bind_parameter(i + 1, Bound(value));
                    if result.is_err() {
                        break 'tables;
                    }
                }
                result = insert.raw_execute().map(|_| ());
                if result.is_err() {
                    break 'tables;
                }
            }
        }
        let end = self.commit.raw_execute().map(|_| ());
        result.and(end).map_err(failed)
    }
}

impl Prepared<'_> {
    /// Number of columns of the answer.
    pub fn width(&self) -> usize {
        self.statement.column_count()
    }

    /// Runs the query on what is loaded. `seed` starts `random()` and the tie-breaker.
    ///
    /// # Errors
    /// [`ExecError::Failed`] or [`ExecError::Limit`].
    pub fn run(&mut self, seed: u64) -> Result<Answer, ExecError> {
        let limits = self.sandbox.limits;
        let guard = &self.sandbox.guard;
        self.sandbox.arm(seed);
        let width = self.statement.column_count();
        let mut answer = Answer {
            width,
            rows: Vec::new(),
        };
        let mut bytes = 0usize;
        let mut rows = self.statement.raw_query();
        let result = loop {
            match rows.next() {
                Ok(Some(row)) => {
                    let mut cells = Vec::with_capacity(width);
                    for i in 0..width {
                        let cell = match row.get_ref(i) {
                            Ok(ValueRef::Integer(i)) => Value::Integer(i),
                            Ok(ValueRef::Real(r)) => Value::Real(r.into()),
                            Ok(ValueRef::Text(t)) => Value::Text(String::from_utf8_lossy(t).into_owned()),
                            Ok(ValueRef::Blob(b)) => Value::Blob(b.to_vec()),
                            Ok(ValueRef::Null) | Err(_) => Value::Null,
                        };
                        bytes += 16
                            + match &cell {
                                Value::Text(s) => s.len(),
                                Value::Blob(b) => b.len(),
                                _ => 0,
                            };
                        cells.push(cell);
                    }
                    answer.rows.push(cells);
                    if answer.rows.len() > limits.rows {
                        break Err(ExecError::Limit("rows"));
                    }
                    if bytes > limits.bytes {
                        break Err(ExecError::Limit("bytes"));
                    }
                }
                Ok(None) => break Ok(()),
                Err(e) => {
                    break Err(if guard.out_of_steps.load(Ordering::Relaxed) {
                        ExecError::Limit("steps")
                    } else if guard.out_of_time.load(Ordering::Relaxed) {
                        ExecError::Limit("time")
                    } else {
                        failed(e)
                    });
                }
            }
        };
        drop(rows);
        guard.querying.store(false, Ordering::Relaxed);
        result.map(|()| answer)
    }
}

#[cfg(test)]
impl Sandbox {
    /// A hash of the whole database: its schema, and the rows of all tables in order.
    pub(crate) fn fingerprint(&self) -> u64 {
        use std::hash::{DefaultHasher, Hash, Hasher};
        self.guard.querying.store(false, Ordering::Relaxed);
        let mut hasher = DefaultHasher::new();
        let mut of = |sql: &str| -> rusqlite::Result<()> {
            let mut statement = self.connection.prepare(sql)?;
            let width = statement.column_count();
            let mut rows = statement.raw_query();
            while let Some(row) = rows.next()? {
                for i in 0..width {
                    format!("{:?}", row.get_ref(i)?).hash(&mut hasher);
                }
            }
            Ok(())
        };
        let _ = of("SELECT * FROM sqlite_schema ORDER BY rowid");
        for (insert, _) in self.inserts.iter().flatten() {
            let _ = of(&insert.replacen("DELETE", "SELECT rowid, *", 1));
        }
        hasher.finish()
    }

    /// Runs a statement as if there were no authorizer.
    pub(crate) fn write_past_the_authorizer(&self, sql: &str) -> Result<(), ExecError> {
        self.guard.querying.store(false, Ordering::Relaxed);
        self.connection.execute_batch(sql).map_err(failed)
    }
}
