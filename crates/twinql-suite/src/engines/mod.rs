//! Other systems that execute queries: PostgreSQL, MariaDB or MySQL, DuckDB.
//!
//! The sandbox says what a query of another dialect means in SQLite's words; an engine says what its own system answers.
//! A query runs through the system's own client program, which knows the user's passwords, sockets and certificates.
//! Tables are made in a place of their own that is gone afterwards, and queries run read only, with a limit of time.
//!
//! A prediction is hostile SQL, here as well: its comments are taken out, since a system may execute some of them, and it
//! has to be one query by our own parser. Give an account without rights all the same.

mod agree;
mod bout;
mod duckdb;
mod mariadb;
mod postgres;

use std::io::Write;
use std::process::{Command, Stdio};

use sqlparser::tokenizer::{Token, Tokenizer};
use twinql_sql::{Column, Dialect, Schema, Value};

pub use agree::agree;
pub use bout::Said;

use crate::database::Database;

/// The rows of an answer as a system prints them; `None` is NULL.
pub type Printed = Vec<Vec<Option<String>>>;

/// Why an engine gave no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EngineError {
    /// No engine goes by this name.
    #[error("no engine is called {0:?}; give postgres://USER@HOST/DATABASE, mysql://USER@HOST or duckdb")]
    Unknown(String),
    /// The client cannot be started.
    #[error("cannot start {program}: {why}; {remedy}")]
    Client {
        /// The client program.
        program: &'static str,
        /// What the operating system says.
        why: String,
        /// Where it is to be had.
        remedy: &'static str,
    },
    /// The tables cannot be made.
    #[error("{system} does not take the tables: {message}")]
    Tables {
        /// The system.
        system: &'static str,
        /// What it says.
        message: String,
    },
    /// The system refuses the query, or fails on it.
    #[error("{0}")]
    Query(String),
}

/// One system: how its tables are made and its queries run.
trait System: Sync {
    /// Its name in messages.
    fn name(&self) -> &'static str;
    /// The dialect that it speaks.
    fn dialect(&self) -> Dialect;
    /// A name in its quotes.
    fn quoted(&self, name: &str) -> String;
    /// Its type for a column.
    fn type_of(&self, column: &Column) -> String;
    /// A value of a column.
    fn literal(&self, value: &Value, column: &Column) -> String;
    /// Tables made by these statements, in a place of their own.
    fn open(&self, place: &str, statements: &[String]) -> Result<Box<dyn Session>, EngineError>;
}

/// Tables in a system, gone when this is dropped.
pub trait Session {
    /// The answer to one query.
    ///
    /// # Errors
    /// [`EngineError::Query`] with the system's own words, [`EngineError::Client`].
    fn query(&self, sql: &str) -> Result<Printed, EngineError>;
}

/// A system at a place.
#[derive(Clone)]
pub struct Engine {
    system: &'static dyn System,
    place: String,
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Engine").field("system", &self.system.name()).finish_non_exhaustive()
    }
}

impl Engine {
    /// The engine of `postgres://…`, `mysql://…`, `mariadb://…` or `duckdb`.
    ///
    /// # Errors
    /// [`EngineError::Unknown`].
    pub fn named(text: &str) -> Result<Engine, EngineError> {
        let scheme = text.split(':').next().unwrap_or_default();
        let system: &'static dyn System = match scheme {
            "postgres" | "postgresql" => &postgres::Postgres,
            "mysql" | "mariadb" => &mariadb::Mariadb,
            "duckdb" => &duckdb::Duckdb,
            _ => return Err(EngineError::Unknown(text.to_owned())),
        };
        Ok(Engine { system, place: text.to_owned() })
    }

    /// The system's name.
    pub fn name(&self) -> &'static str {
        self.system.name()
    }

    /// The dialect of the queries that it takes.
    pub fn dialect(&self) -> Dialect {
        self.system.dialect()
    }

    /// Whether it can be asked at all, before any work is done for it.
    ///
    /// # Errors
    /// Its client cannot be started, or says why it cannot reach the system.
    pub fn reach(&self) -> Result<(), EngineError> {
        let answer = self.open(&Schema::default(), &Database::default())?.query("SELECT 1")?;
        match answer.as_slice() {
            [row] if row.len() == 1 => Ok(()),
            other => Err(EngineError::Query(format!("it answers {other:?} to SELECT 1"))),
        }
    }

    /// The tables of a database, ready for queries.
    ///
    /// # Errors
    /// [`EngineError::Tables`], [`EngineError::Client`].
    pub fn open(&self, schema: &Schema, database: &Database) -> Result<Box<dyn Session>, EngineError> {
        self.system.open(&self.place, &statements(self.system, schema, database))
    }
}

/// What makes the tables and fills them.
fn statements(system: &dyn System, schema: &Schema, database: &Database) -> Vec<String> {
    let mut out = Vec::new();
    for (index, table) in schema.tables.iter().enumerate() {
        let Some(Some(rows)) = database.tables.get(index) else { continue };
        let name = system.quoted(table.bare_name());
        let columns =
            table.columns.iter().map(|c| format!("{} {}", system.quoted(&c.name), system.type_of(c)));
        out.push(format!("CREATE TABLE {name} ({})", columns.collect::<Vec<_>>().join(", ")));
        for row in rows {
            let values = row.iter().zip(&table.columns).map(|(value, column)| system.literal(value, column));
            out.push(format!("INSERT INTO {name} VALUES ({})", values.collect::<Vec<_>>().join(", ")));
        }
    }
    out
}

/// Statements as one text.
fn script(statements: &[String]) -> String {
    statements.iter().flat_map(|s| [s.as_str(), ";\n"]).collect()
}

/// A query that may be given to an engine: one query of its dialect, without comments.
///
/// # Errors
/// [`EngineError::Query`] where it is none.
pub fn harmless(sql: &str, dialect: Dialect) -> Result<String, EngineError> {
    let parsed = twinql_sql::parse_in(sql, dialect).map_err(|e| EngineError::Query(e.to_string()))?;
    let grammar = dialect.grammar();
    let tokens = Tokenizer::new(grammar, &parsed.sql)
        .with_unescape(false)
        .tokenize()
        .map_err(|e| EngineError::Query(e.to_string()))?;
    let mut out = String::with_capacity(parsed.sql.len());
    for token in tokens {
        match token {
            Token::Whitespace(_) => out.push(' '),
            Token::SemiColon => break,
            other => out.push_str(&other.to_string()),
        }
    }
    Ok(out.trim().to_owned())
}

/// Runs a client to its end; its standard output, or what it says on the other one.
fn run(
    mut command: Command,
    program: &'static str,
    remedy: &'static str,
    input: Option<&str>,
) -> Result<Result<Vec<u8>, String>, EngineError> {
    let failed = |e: std::io::Error| EngineError::Client { program, why: e.to_string(), remedy };
    command.stdin(if input.is_some() { Stdio::piped() } else { Stdio::null() });
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().map_err(failed)?;
    if let (Some(text), Some(mut stdin)) = (input, child.stdin.take()) {
        // A client that has ended says why itself.
        let _ = stdin.write_all(text.as_bytes());
    }
    let output = child.wait_with_output().map_err(failed)?;
    Ok(match output.status.success() {
        true => Ok(output.stdout),
        false => Err(String::from_utf8_lossy(&output.stderr).trim().to_owned()),
    })
}

/// What stands between fields, between records, and for NULL where a client lets one choose: characters that no data has.
const FIELD: &str = "\u{1f}";
const RECORD: &str = "\u{1e}";
const NULL: &str = "\u{1d}";

/// Records that a client has printed with these signs. The last ends in a new line (psql) or in the sign as well (duckdb); no
/// records are no output at all.
fn records(output: &[u8]) -> Printed {
    let text = String::from_utf8_lossy(output);
    let Some(text) = text.strip_suffix('\n').or_else(|| text.strip_suffix(RECORD)) else { return Vec::new() };
    let record = |line: &str| line.split(FIELD).map(|f| (f != NULL).then(|| f.to_owned())).collect();
    text.split(RECORD).map(record).collect()
}

/// A text in single quotes.
fn string(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn engines_by_name() {
        for (name, dialect) in [
            ("postgres://me@host/db", Dialect::Postgres),
            ("mysql://root@localhost:3306", Dialect::Mysql),
            ("mariadb:/run/mysqld.sock", Dialect::Mysql),
            ("duckdb", Dialect::Duckdb),
        ] {
            assert_eq!(Engine::named(name).unwrap().dialect(), dialect, "{name}");
        }
        assert_eq!(Engine::named("oracle://x").unwrap_err(), EngineError::Unknown("oracle://x".into()));
    }

    /// Comments go, since a system may execute what stands in one; a second statement and a command are no query.
    #[test]
    fn what_reaches_an_engine_is_one_query() {
        let clean = |sql| harmless(sql, Dialect::Mysql);
        assert_eq!(clean("SELECT 'a;b' /* ; x */ FROM t -- y").unwrap(), "SELECT 'a;b'   FROM t");
        // MySQL executes such a comment, and it is read so.
        for sql in
            ["SELECT 1 /*!; DROP TABLE t */", "DROP TABLE t", "SELECT 1; DROP TABLE t", "\\! rm -rf /", ""]
        {
            assert!(clean(sql).is_err(), "{sql}");
        }
    }

    #[test]
    fn printed_records() {
        assert_eq!(records(b""), Printed::new());
        assert_eq!(records(b"\n"), vec![vec![Some(String::new())]]);
        let rows = records("a\u{1f}\u{1d}\u{1e}b\u{1f}c\n".as_bytes());
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(rows, vec![vec![some("a"), None], vec![some("b"), some("c")]]);
    }
}
