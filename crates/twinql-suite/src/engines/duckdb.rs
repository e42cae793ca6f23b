//! DuckDB, by its command line, over a file of its own.

use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use twinql_sql::{Column, Dialect, TypeClass, Value};

use super::{EngineError, FIELD, NULL, Printed, RECORD, Session, System, records, run, script, string};

pub(super) struct Duckdb;

const REMEDY: &str = "pip install duckdb-cli brings it";

/// Files made so far, for their names.
static MADE: AtomicUsize = AtomicUsize::new(0);

impl System for Duckdb {
    fn name(&self) -> &'static str {
        "DuckDB"
    }

    fn dialect(&self) -> Dialect {
        Dialect::Duckdb
    }

    fn quoted(&self, name: &str) -> String {
        format!("\"{}\"", name.replace('"', "\"\""))
    }

    fn type_of(&self, column: &Column) -> String {
        let declared = column.declared.trim().to_ascii_uppercase();
        let word = declared.split(['(', ' ']).next().unwrap_or_default();
        match word {
            "DATE" | "TIME" => word.to_owned(),
            "DATETIME" | "TIMESTAMP" => "TIMESTAMP".into(),
            "DECIMAL" | "NUMERIC" if declared.contains('(') => declared,
            _ => match column.class {
                TypeClass::Integer => "BIGINT".into(),
                TypeClass::Number => "DOUBLE".into(),
                TypeClass::Boolean => "BOOLEAN".into(),
                TypeClass::Time | TypeClass::Text | TypeClass::Other => "VARCHAR".into(),
            },
        }
    }

    fn literal(&self, value: &Value, column: &Column) -> String {
        match value {
            Value::Integer(n) if column.class == TypeClass::Boolean => (*n != 0).to_string(),
            Value::Null | Value::Blob(_) => "NULL".into(),
            Value::Integer(n) => n.to_string(),
            Value::Real(r) => format!("{:?}::DOUBLE", r.0),
            Value::Text(text) => string(text),
        }
    }

    fn open(&self, place: &str, statements: &[String]) -> Result<Box<dyn Session>, EngineError> {
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let folder = match place.split_once(':') {
            Some((_, folder)) if !folder.is_empty() => PathBuf::from(folder),
            _ => std::env::temp_dir(),
        };
        let made = Made { file: folder.join(format!("twinql_{}_{number}.duckdb", std::process::id())) };
        let mut command = Command::new("duckdb");
        command.args(["-batch", "-bail"]).arg(&made.file);
        match run(command, "duckdb", REMEDY, Some(&script(statements)))? {
            Ok(_) => Ok(Box::new(made)),
            Err(message) => Err(EngineError::Tables { system: "DuckDB", message }),
        }
    }
}

/// A database in a file.
struct Made {
    file: PathBuf,
}

impl Session for Made {
    fn query(&self, sql: &str) -> Result<Printed, EngineError> {
        let mut command = Command::new("duckdb");
        // A query reads no other file, and nothing from a network.
        command.args(["-readonly", "-batch", "-list", "-noheader", "-nullvalue", NULL]);
        command.args(["-cmd", "SET enable_external_access = false"]);
        command.args(["-separator", FIELD, "-newline", RECORD, "-bail"]).arg(&self.file).args(["-c", sql]);
        match run(command, "duckdb", REMEDY, None)? {
            Ok(output) => Ok(records(&output)),
            Err(message) => Err(EngineError::Query(message)),
        }
    }
}

impl Drop for Made {
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_file(&self.file) {
            tracing::warn!(file = %self.file.display(), %error, "the file is left behind");
        }
    }
}
