//! MariaDB and MySQL, by their client. The tables lie in a database of their own, which is dropped in the end.

use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use twinql_sql::{Column, Dialect, TypeClass, Value};

use super::{EngineError, Printed, Session, System, run, script};

pub(super) struct Mariadb;

const REMEDY: &str = "it comes with MariaDB's client (mariadb-client)";

/// Of texts and of the connection.
const COLLATION: &str = "utf8mb4_general_nopad_ci";

/// Databases made so far, for their names.
static MADE: AtomicUsize = AtomicUsize::new(0);

impl System for Mariadb {
    fn name(&self) -> &'static str {
        "MariaDB"
    }

    fn dialect(&self) -> Dialect {
        Dialect::Mysql
    }

    fn quoted(&self, name: &str) -> String {
        format!("`{}`", name.replace('`', "``"))
    }

    fn type_of(&self, column: &Column) -> String {
        let declared = column.declared.trim().to_ascii_uppercase();
        let word = declared.split(['(', ' ']).next().unwrap_or_default();
        match word {
            "DATE" => "DATE".into(),
            "TIME" => "TIME".into(),
            "DATETIME" | "TIMESTAMP" => "DATETIME".into(),
            "DECIMAL" | "NUMERIC" if declared.contains('(') => declared,
            "DECIMAL" | "NUMERIC" => "DECIMAL(20, 6)".into(),
            _ => match column.class {
                TypeClass::Integer => "BIGINT".into(),
                TypeClass::Number => "DOUBLE".into(),
                TypeClass::Boolean => "BOOLEAN".into(),
                TypeClass::Time | TypeClass::Text | TypeClass::Other => "TEXT".into(),
            },
        }
    }

    fn literal(&self, value: &Value, _: &Column) -> String {
        match value {
            Value::Null | Value::Blob(_) => "NULL".into(),
            Value::Integer(n) => n.to_string(),
            Value::Real(r) => format!("{:?}", r.0),
            Value::Text(text) => format!("'{}'", text.replace('\\', "\\\\").replace('\'', "''")),
        }
    }

    fn open(&self, place: &str, statements: &[String]) -> Result<Box<dyn Session>, EngineError> {
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let database = format!("twinql_{}_{number}", std::process::id());
        let session = Made { client: client(place), database };
        let name = &session.database;
        // Blanks at the end count, as in MySQL's own default collation.
        let setup = format!(
            "CREATE DATABASE {name} CHARACTER SET utf8mb4 COLLATE {COLLATION}; USE {name}; {}",
            script(statements)
        );
        match run(session.command(), "mariadb", REMEDY, Some(&setup))? {
            Ok(_) => Ok(Box::new(session)),
            Err(message) => Err(EngineError::Tables { system: "MariaDB", message }),
        }
    }
}

/// The client's arguments for `mysql://USER:PASSWORD@HOST:PORT`, or a socket: `mysql:/run/mysqld.sock`.
fn client(place: &str) -> Vec<String> {
    let rest = place.split_once(':').map_or("", |(_, rest)| rest);
    let Some(address) = rest.strip_prefix("//") else {
        let socket = (!rest.is_empty()).then(|| format!("--socket={rest}"));
        return socket.into_iter().collect();
    };
    let address = address.split('/').next().unwrap_or_default();
    let (account, host) = address.rsplit_once('@').map_or((None, address), |(a, h)| (Some(a), h));
    let (host, port) = host.split_once(':').map_or((host, None), |(h, p)| (h, Some(p)));
    let (user, password) = match account.map(|a| a.split_once(':').map_or((a, None), |(u, p)| (u, Some(p)))) {
        Some((user, password)) => (Some(user), password),
        None => (None, None),
    };
    let flag = |name: &str, value: Option<&str>| value.map(|v| format!("--{name}={v}"));
    let host = (!host.is_empty()).then_some(host);
    [flag("host", host), flag("port", port), flag("user", user), flag("password", password)]
        .into_iter()
        .flatten()
        .collect()
}

/// A database in the server.
struct Made {
    client: Vec<String>,
    database: String,
}

impl Made {
    /// The client, in which no words of its own mean anything (`--binary-mode`).
    fn command(&self) -> Command {
        let mut command = Command::new("mariadb");
        command.args(&self.client).args([
            "--binary-mode",
            "--batch",
            "--skip-column-names",
            "--default-character-set=utf8mb4",
        ]);
        command
    }
}

impl Session for Made {
    fn query(&self, sql: &str) -> Result<Printed, EngineError> {
        let mut command = self.command();
        command.arg(format!("--init-command=SET NAMES utf8mb4 COLLATE {COLLATION}"));
        // A comment that MariaDB executes, and MySQL does not.
        let limited = format!(
            "SET SESSION TRANSACTION READ ONLY; /*M! SET STATEMENT max_statement_time = 10 FOR */ {sql}"
        );
        command.args([&format!("--database={}", self.database), "-e", &limited]);
        match run(command, "mariadb", REMEDY, None)? {
            Ok(output) => Ok(read(&String::from_utf8_lossy(&output))),
            Err(message) => Err(EngineError::Query(message)),
        }
    }
}

impl Drop for Made {
    fn drop(&mut self) {
        let dropped = format!("DROP DATABASE IF EXISTS {};", self.database);
        if let Ok(Err(message)) | Err(EngineError::Query(message)) =
            run(self.command(), "mariadb", REMEDY, Some(&dropped))
        {
            tracing::warn!(database = self.database, message, "the database is left behind");
        }
    }
}

/// The client's lines: tabs between fields, backslashes before what it escapes. The text NULL cannot be told from NULL.
fn read(text: &str) -> Printed {
    let field = |f: &str| {
        (f != "NULL").then(|| {
            let mut out = String::with_capacity(f.len());
            let mut chars = f.chars();
            while let Some(c) = chars.next() {
                match (c, c == '\\') {
                    (_, true) => out.push(match chars.next() {
                        Some('t') => '\t',
                        Some('n') => '\n',
                        Some('0') => '\0',
                        Some(other) => other,
                        None => '\\',
                    }),
                    (c, false) => out.push(c),
                }
            }
            out
        })
    };
    text.lines().map(|line| line.split('\t').map(field).collect()).collect()
}
