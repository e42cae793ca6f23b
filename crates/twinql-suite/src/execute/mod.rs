//! The sandbox: an in-memory SQLite database that queries can read and nothing else.
//!
//! Statements pass an authorizer that knows SELECT, column reads, functions and recursion;
//! SQLite's own limits bound lengths and nesting; a progress handler bounds steps and time;
//! rows and bytes are counted as they come out; SQLite's memory is bounded for the whole
//! process. A user's database file is opened read-only and immutable.

mod call;
mod made;
mod made_up;
mod met;
mod opened;

use std::cell::{Cell, RefCell};
use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, Statement, StatementStatus};
use twinql_sql::{Schema, Value};

use crate::clock::Flag;
use crate::confine::{Guard, configure, in_memory, settle};
use crate::database::{Bound, Database, Row, owned};
pub(crate) use met::MET;
pub(crate) use opened::open_immutable;

pub use crate::limits::{ExecError, Limits};
use crate::views::{Names, Relation};
pub use call::{call, collect, functions};
pub use made_up::unknown_function;

/// An answer: rows in order, each with as many values as `width`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Answer {
    /// Number of columns, known for an empty answer too.
    pub width: usize,
    /// The rows.
    pub rows: Vec<Row>,
}

/// An in-memory database of one schema.
pub struct Sandbox {
    connection: Connection,
    guard: Arc<Guard>,
    clock: Arc<Flag>,
    limits: Limits,
    /// What is generated in it; none in a user's file.
    schema: Option<Generated>,
    /// What all executions have cost so far, in steps.
    spent: Cell<u64>,
    /// The functions with values made up, for the pair at hand.
    made_up: RefCell<BTreeSet<String>>,
}

/// A schema whose tables and views are made when a query names them.
struct Generated {
    schema: Schema,
    names: Names,
    made: RefCell<HashSet<Relation>>,
}

impl Generated {
    fn new(schema: &Schema) -> Generated {
        Generated { schema: schema.clone(), names: Names::of(schema), made: RefCell::new(HashSet::new()) }
    }

    /// How many tables there are.
    #[cfg(test)]
    fn tables(&self) -> usize {
        self.schema.tables.len()
    }
}

/// What an execution costs beside its own steps.
const STEPS_OF_A_RUN: u64 = 500;

/// A checked and compiled query of a [`Sandbox`].
pub struct Prepared<'a> {
    statement: Statement<'a>,
    reads: bool,
    sandbox: &'a Sandbox,
}

impl std::fmt::Debug for Sandbox {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sandbox").field("limits", &self.limits).finish_non_exhaustive()
    }
}

impl Sandbox {
    /// A database for the schema's tables and views, without rows. Those of a large schema, and
    /// all views, are made when a query names them.
    ///
    /// # Errors
    /// [`ExecError::Invalid`] where SQLite cannot create a table, naming it.
    pub fn new(schema: &Schema, limits: Limits) -> Result<Sandbox, ExecError> {
        settle(|| Sandbox::generated(schema, limits))
    }

    fn generated(schema: &Schema, limits: Limits) -> Result<Sandbox, ExecError> {
        let connection = in_memory().map_err(invalid)?;
        connection.execute_batch("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;").map_err(invalid)?;
        let mut sandbox = Sandbox::over(connection, limits, !schema.views.is_empty()).map_err(invalid)?;
        sandbox.schema = Some(Generated::new(schema));
        sandbox.make_few()?;
        sandbox.query_only(true)?;
        Ok(sandbox)
    }

    /// A sandbox over an open database, in which nothing is generated. `views` may be read in it.
    fn over(mut connection: Connection, limits: Limits, views: bool) -> rusqlite::Result<Sandbox> {
        let (guard, clock) = (Arc::new(Guard::default()), Arc::new(Flag::default()));
        configure(&mut connection, &guard, &clock, limits, views)?;
        Ok(Sandbox {
            connection,
            guard,
            clock,
            limits,
            schema: None,
            spent: Cell::new(0),
            made_up: RefCell::default(),
        })
    }

    /// Halves the steps that an execution may take for each of `timeouts` that a pair had:
    /// one that is given up in the end costs less than two limits, however often it is tried.
    pub(crate) fn after_timeouts(&self, timeouts: u64) {
        let steps = self.limits.steps.checked_shr(u32::try_from(timeouts).unwrap_or(u32::MAX));
        self.guard.allowed.store(steps.unwrap_or(0), Ordering::Relaxed);
    }

    /// A writer of the given tables, reusable for many databases.
    ///
    /// # Errors
    /// [`ExecError::Failed`] if SQLite refuses a statement.
    pub fn loader(&self, tables: &[usize]) -> Result<Loader<'_>, ExecError> {
        self.make_tables(tables)?;
        self.guard.querying.store(false, Ordering::Relaxed);
        let mut writers = Vec::new();
        for &table in tables {
            if let Some((delete, insert)) = self.writers(table) {
                let delete = self.connection.prepare(&delete).map_err(failed)?;
                let insert = self.connection.prepare(&insert).map_err(failed)?;
                writers.push((table, delete, insert));
            }
        }
        let begin = self.connection.prepare("BEGIN").map_err(failed)?;
        let commit = self.connection.prepare("COMMIT").map_err(failed)?;
        Ok(Loader { sandbox: self, writers, begin, commit })
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
        self.make_mentioned(sql)?;
        let statement = settle(|| {
            self.arm(0);
            self.guard.reads.store(false, Ordering::Relaxed);
            let statement = self.connection.prepare(sql);
            self.guard.querying.store(false, Ordering::Relaxed);
            statement.map_err(|e| match e {
                rusqlite::Error::MultipleStatement => ExecError::NotAQuery,
                other => self.interrupted().unwrap_or_else(|| invalid(other)),
            })
        })?;
        if !statement.readonly() || statement.column_count() == 0 || statement.is_explain() != 0 {
            return Err(ExecError::NotAQuery);
        }
        if statement.parameter_count() != 0 {
            return Err(ExecError::Invalid("the query has parameters".into()));
        }
        Ok(Prepared { reads: self.guard.reads.load(Ordering::Relaxed), statement, sandbox: self })
    }

    fn arm(&self, seed: u64) {
        let guard = &self.guard;
        guard.restart();
        guard.out_of_time.store(false, Ordering::Relaxed);
        guard.out_of_steps.store(false, Ordering::Relaxed);
        guard.random.store(seed, Ordering::Relaxed);
        guard.seed.store(seed, Ordering::Relaxed);
        guard.querying.store(true, Ordering::Relaxed);
    }

    /// The limit at which the progress handler stopped what ran last.
    fn interrupted(&self) -> Option<ExecError> {
        if self.guard.out_of_steps.load(Ordering::Relaxed) {
            Some(ExecError::Limit("steps"))
        } else if self.guard.out_of_time.load(Ordering::Relaxed) {
            Some(ExecError::Limit("time"))
        } else {
            None
        }
    }

    /// Sets `PRAGMA query_only`, a second wall behind the authorizer. SQLite obeys this
    /// pragma when it is compiled; running it would only make it compile all other
    /// statements anew.
    fn query_only(&self, on: bool) -> Result<(), ExecError> {
        self.guard.querying.store(false, Ordering::Relaxed);
        self.connection
            .prepare(if on { "PRAGMA query_only=ON" } else { "PRAGMA query_only=OFF" })
            .map(drop)
            .map_err(failed)
    }

    /// What all executions have cost so far, in steps of SQLite's machine: the same on every machine,
    /// where time is not.
    pub fn spent(&self) -> u64 {
        self.spent.get()
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

fn invalid(e: rusqlite::Error) -> ExecError {
    ExecError::own_limit(&e).unwrap_or_else(|| ExecError::Invalid(message(&e)))
}

fn failed(e: rusqlite::Error) -> ExecError {
    ExecError::own_limit(&e).unwrap_or_else(|| ExecError::Failed(message(&e)))
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
        settle(|| {
            self.sandbox.query_only(false)?;
            let loaded = self.write(database);
            self.sandbox.query_only(true).and(loaded)
        })
    }

    fn write(&mut self, database: &Database) -> Result<(), ExecError> {
        self.sandbox.guard.restart();
        self.begin.raw_execute().map_err(failed)?;
        let result = self.writers.iter_mut().try_for_each(|(table, delete, insert)| {
            delete.raw_execute()?;
            database.rows(*table).iter().try_for_each(|row| {
                let mut cells = row.iter().enumerate();
                cells.try_for_each(|(i, value)| insert.raw_bind_parameter(i + 1, Bound(value)))?;
                insert.raw_execute().map(drop)
            })
        });
        let end = self.commit.raw_execute().map(drop);
        result.and(end).map_err(failed)
    }
}

impl Prepared<'_> {
    /// Number of columns of the answer.
    pub fn width(&self) -> usize {
        self.statement.column_count()
    }

    /// What SQLite calls the columns of the answer.
    pub fn names(&self) -> Vec<String> {
        let names = self.statement.column_names();
        names.into_iter().map(str::to_owned).collect()
    }

    /// True if it reads a table, so that its answer may depend on the data.
    pub(crate) fn reads(&self) -> bool {
        self.reads
    }

    /// What all executions in its sandbox have cost so far, as [`Sandbox::spent`].
    pub(crate) fn spent(&self) -> u64 {
        self.sandbox.spent()
    }

    /// Runs the query on what is loaded. `seed` starts `random()` and the tie-breaker.
    ///
    /// # Errors
    /// [`ExecError::Failed`] or [`ExecError::Limit`].
    pub fn run(&mut self, seed: u64) -> Result<Answer, ExecError> {
        settle(|| self.once(seed))
    }

    /// As [`Prepared::run`], with the steps of SQLite's machine that it took.
    ///
    /// # Errors
    /// Those of [`Prepared::run`].
    pub(crate) fn run_counted(&mut self, seed: u64) -> Result<(Answer, u64), ExecError> {
        let before = self.spent();
        let answer = self.run(seed)?;
        Ok((answer, (self.spent() - before).saturating_sub(STEPS_OF_A_RUN)))
    }

    /// One run. Rows and bytes are counted as they come, so that an answer beyond the limits is never held
    /// as a whole; what a row's cells cannot be read as counts as NULL.
    fn once(&mut self, seed: u64) -> Result<Answer, ExecError> {
        let limits = self.sandbox.limits;
        let guard = &self.sandbox.guard;
        self.sandbox.arm(seed);
        let width = self.statement.column_count();
        let mut answer = Answer { width, rows: Vec::new() };
        let mut bytes = 0usize;
        let mut rows = self.statement.raw_query();
        let result = loop {
            match rows.next() {
                Ok(Some(row)) => {
                    let mut cells = Vec::with_capacity(width);
                    for i in 0..width {
                        let cell = match row.get_ref(i) {
                            Ok(ValueRef::Real(r)) if r.is_nan() => Value::Null,
                            Ok(cell) => owned(cell),
                            Err(_) => Value::Null,
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
                    break Err(self.sandbox.interrupted().unwrap_or_else(|| failed(e)));
                }
            }
        };
        drop(rows);
        guard.querying.store(false, Ordering::Relaxed);
        let steps = self.statement.reset_status(StatementStatus::VmStep);
        let spent = &self.sandbox.spent;
        spent.set(spent.get() + u64::try_from(steps).unwrap_or(0) + STEPS_OF_A_RUN);
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
        let tables = self.schema.as_ref().map_or(0, Generated::tables);
        for (delete, _) in (0..tables).filter_map(|t| self.writers(t)) {
            let _ = of(&delete.replacen("DELETE", "SELECT rowid, *", 1));
        }
        hasher.finish()
    }

    /// Runs a statement as if there were no authorizer.
    pub(crate) fn write_past_the_authorizer(&self, sql: &str) -> Result<(), ExecError> {
        self.guard.querying.store(false, Ordering::Relaxed);
        self.connection.execute_batch(sql).map_err(failed)
    }
}
