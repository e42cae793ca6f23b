//! PostgreSQL, by `psql`. Tables, rows and query are one transaction that is rolled back: nothing is left, whatever happens.

use std::process::Command;

use twinql_sql::{Column, Dialect, TypeClass, Value};

use super::{EngineError, FIELD, NULL, Printed, RECORD, Session, System, records, run, script, string};

pub(super) struct Postgres;

const REMEDY: &str = "it comes with PostgreSQL's client (postgresql-client)";

impl System for Postgres {
    fn name(&self) -> &'static str {
        "PostgreSQL"
    }

    fn dialect(&self) -> Dialect {
        Dialect::Postgres
    }

    fn quoted(&self, name: &str) -> String {
        format!("\"{}\"", name.replace('"', "\"\""))
    }

    fn type_of(&self, column: &Column) -> String {
        let declared = column.declared.trim().to_ascii_uppercase();
        let word = declared.split(['(', ' ', '[']).next().unwrap_or_default();
        match word {
            "SERIAL" => "INTEGER".into(),
            "BIGSERIAL" => "BIGINT".into(),
            "SMALLINT" | "INT" | "INTEGER" | "BIGINT" | "NUMERIC" | "DECIMAL" | "REAL" | "DOUBLE"
            | "FLOAT" | "TEXT" | "VARCHAR" | "CHARACTER" | "CHAR" | "DATE" | "TIMESTAMP" | "TIME"
            | "BOOLEAN" | "INTERVAL" | "JSON" | "JSONB" | "UUID" => declared,
            _ => match column.class {
                TypeClass::Integer => "BIGINT".into(),
                TypeClass::Number => "DOUBLE PRECISION".into(),
                TypeClass::Boolean => "BOOLEAN".into(),
                TypeClass::Time if declared.starts_with("DATETIME") => "TIMESTAMP".into(),
                TypeClass::Time | TypeClass::Text | TypeClass::Other => "TEXT".into(),
            },
        }
    }

    fn literal(&self, value: &Value, column: &Column) -> String {
        match value {
            Value::Integer(n) if column.class == TypeClass::Boolean => (*n != 0).to_string(),
            Value::Null => "NULL".into(),
            Value::Integer(n) => n.to_string(),
            Value::Real(r) => format!("{:?}", r.0),
            // An array is JSON here, and has braces there.
            Value::Text(text) if column.declared.trim().ends_with(']') => {
                string(&text.replacen('[', "{", 1).replace(']', "}"))
            }
            Value::Text(text) => string(text),
            Value::Blob(_) => "NULL".into(),
        }
    }

    fn open(&self, place: &str, statements: &[String]) -> Result<Box<dyn Session>, EngineError> {
        let setup = format!(
            "BEGIN; SET LOCAL client_min_messages = error; SET LOCAL statement_timeout = 10000; CREATE SCHEMA twinql; \
             SET LOCAL search_path = twinql; {} SET TRANSACTION READ ONLY",
            script(statements)
        );
        let session = Transaction { place: place.to_owned(), setup };
        match session.run("SELECT 1") {
            Ok(_) => Ok(Box::new(session)),
            // Whoever may make no schema may still make temporary tables.
            Err(EngineError::Query(message)) if message.contains("permission denied for database") => {
                let statements = script(statements).replace("CREATE TABLE ", "CREATE TEMPORARY TABLE ");
                let setup = format!(
                    "BEGIN; SET LOCAL statement_timeout = 10000; {statements} SET TRANSACTION READ ONLY"
                );
                Ok(Box::new(Transaction { place: place.to_owned(), setup }))
            }
            Err(EngineError::Query(message)) => Err(EngineError::Tables { system: "PostgreSQL", message }),
            Err(other) => Err(other),
        }
    }
}

/// What makes the tables, done anew for each query.
struct Transaction {
    place: String,
    setup: String,
}

impl Transaction {
    fn run(&self, sql: &str) -> Result<Printed, EngineError> {
        let mut command = Command::new("psql");
        command.args(["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-P", "null=\u{1d}"]);
        command.args(["-F", FIELD, "-R", RECORD, "-P", "footer=off"]);
        // Setting, query and end are three commands of one session; a command that begins with SELECT is no client's.
        command.args(["-c", &self.setup, "-c", sql, "-c", "ROLLBACK", &self.place]);
        debug_assert_eq!(NULL, "\u{1d}");
        match run(command, "psql", REMEDY, None)? {
            Ok(output) => Ok(records(&output)),
            Err(message) => Err(EngineError::Query(message)),
        }
    }
}

impl Session for Transaction {
    fn query(&self, sql: &str) -> Result<Printed, EngineError> {
        self.run(sql)
    }
}
