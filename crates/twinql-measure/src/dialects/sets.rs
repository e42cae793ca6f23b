//! Real queries of many dialects, from `TWINQL_DATA/dialects`.

use std::collections::HashMap;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;
use twinql_sql::{Dialect, Schema, SchemaSet, schema};

/// A file of queries.
struct Source {
    file: &'static str,
    /// The fields with queries, and whose SQL each is.
    queries: &'static [(&'static str, Whose)],
    schema: Place,
}

enum Whose {
    /// A field says it.
    Field(&'static str),
    Always(Dialect),
}

use Whose::{Always, Field};

/// Where a query's schema is.
enum Place {
    /// A field says it.
    Said,
    /// BIRD's, in PostgreSQL's DDL for PostgreSQL's queries.
    Bird,
    /// A file below `schemas`.
    File(&'static str),
    /// A file of a folder below `schemas`, by the database's name.
    Folder(&'static str),
}

const SOURCES: &[Source] = &[
    Source { file: "spider2_bigquery", queries: &[("gold", Field("dialect"))], schema: Place::Said },
    Source { file: "spider2_snowflake", queries: &[("gold", Field("dialect"))], schema: Place::Said },
    Source {
        file: "spider2_snowflake_two_golds",
        queries: &[("gold", Field("dialect")), ("pred", Field("dialect"))],
        schema: Place::Folder("spider2_snowflake"),
    },
    Source { file: "sede_tsql", queries: &[("gold", Field("dialect"))], schema: Place::Said },
    Source { file: "tpc_duckdb_databricks", queries: &[("gold", Field("dialect"))], schema: Place::Said },
    Source { file: "defog_parity", queries: &[("gold", Field("dialect"))], schema: Place::Said },
    Source {
        file: "beaver_dw_oracle_mysql",
        queries: &[("gold_oracle", Always(Dialect::Oracle)), ("gold_mysql", Always(Dialect::Mysql))],
        schema: Place::Said,
    },
    Source {
        file: "minidev_sqlite_postgres",
        queries: &[("gold", Field("gold_dialect")), ("pred", Field("pred_dialect"))],
        schema: Place::Bird,
    },
    Source { file: "postgres_accepts", queries: &[("sql", Field("dialect"))], schema: Place::Bird },
    Source {
        file: "minidev_predictions_mysql_postgres",
        queries: &[("pred", Field("dialect"))],
        schema: Place::Bird,
    },
    Source {
        file: "own_pairs_engine_checked",
        queries: &[("gold", Field("dialect")), ("pred", Field("dialect"))],
        schema: Place::File("shop.sql"),
    },
    Source {
        file: "own_pairs_dialects",
        queries: &[("gold", Field("dialect")), ("pred", Field("dialect"))],
        schema: Place::File("shop.sql"),
    },
];

/// Constructs that we have written ourselves, by dialect: an expression over `item` a line, or a query.
const CONSTRUCTS: &[(Dialect, &str)] = &[
    (Dialect::Postgres, include_str!("constructs/postgres.sql")),
    (Dialect::Mysql, include_str!("constructs/mysql.sql")),
    (Dialect::Duckdb, include_str!("constructs/duckdb.sql")),
];

/// The table of the constructs.
const ITEM: &str = include_str!("constructs/schema.sql");

/// What begins a query, where a line is more than an expression.
const BEGINNINGS: &[&str] = &["SELECT ", "WITH ", "FROM "];

/// Our own constructs as queries.
pub(super) fn constructs() -> Vec<Subject> {
    let mut out = Vec::new();
    for (dialect, text) in CONSTRUCTS {
        let schema =
            Schema::from_ddl_in("constructs", ITEM, *dialect).map(Arc::new).map_err(|e| e.to_string());
        let lines = text.lines().enumerate().filter(|(_, line)| !line.starts_with("--"));
        out.extend(lines.map(|(at, line)| Subject {
            set: "constructs",
            id: format!("{dialect}/{}", at + 1),
            dialect: *dialect,
            schema: schema.clone(),
            sql: match BEGINNINGS.iter().any(|word| line.starts_with(word)) {
                true => line.to_owned(),
                false => format!("SELECT {line} FROM item"),
            },
            accepted: None,
        }));
    }
    out
}

/// A query with its schema.
pub(super) struct Subject {
    /// The file that it stands in.
    pub(super) set: &'static str,
    pub(super) id: String,
    pub(super) dialect: Dialect,
    /// The schema, or why there is none.
    pub(super) schema: Result<Arc<Schema>, String>,
    pub(super) sql: String,
    /// What the system says of it, where the data says so.
    pub(super) accepted: Option<bool>,
}

/// Schemas by path and dialect, read once.
#[derive(Default)]
struct Schemas(HashMap<(PathBuf, Dialect), Result<SchemaSet, String>>);

impl Schemas {
    fn find(&mut self, path: PathBuf, dialect: Dialect, database: &str) -> Result<Arc<Schema>, String> {
        let read = || schema::load_in(&path, dialect).map_err(|e| e.to_string());
        let set =
            self.0.entry((path.clone(), dialect)).or_insert_with(read).as_ref().map_err(Clone::clone)?;
        // A file of DDL holds one schema, under the file's name.
        let only = || set.values().next().filter(|_| set.len() == 1);
        let found = set.get(database).or_else(only);
        found.cloned().map(Arc::new).ok_or_else(|| format!("no schema of {database}"))
    }
}

/// Every query of the data.
///
/// # Errors
/// A file that cannot be read, or is no JSONL.
pub(super) fn subjects(data: &Path) -> Result<Vec<Subject>, Box<dyn Error>> {
    let folder = data.join("dialects");
    let mut schemas = Schemas::default();
    let mut out = Vec::new();
    for source in SOURCES {
        let path = folder.join(source.file).with_extension("jsonl");
        let text = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        for line in text.lines() {
            let row: Value = serde_json::from_str(line).map_err(|e| format!("{}: {e}", path.display()))?;
            let said = |field: &str| row[field].as_str().unwrap_or_default();
            for (field, whose) in source.queries {
                let Some(sql) = row[*field].as_str() else { continue };
                let dialect: Dialect = match whose {
                    Field(name) => said(name).parse()?,
                    Always(dialect) => *dialect,
                };
                let database = said("db_id");
                let of = |folder: &str| format!("schemas/{folder}/{database}.sql");
                let (at, ddl) = match (&source.schema, dialect) {
                    (Place::Said, _) => (folder.join(said("schema")), dialect),
                    (Place::File(file), _) => (folder.join("schemas").join(file), dialect),
                    (Place::Folder(name), _) => (folder.join(of(name)), dialect),
                    (Place::Bird, Dialect::Postgres) => (folder.join(of("bird_pg")), dialect),
                    (Place::Bird, _) => (data.join("bird/dev_tables.json"), Dialect::Sqlite),
                };
                out.push(Subject {
                    set: source.file,
                    id: format!(
                        "{}{field}",
                        row["id"].as_str().map_or_else(|| row["id"].to_string(), str::to_owned) + "/"
                    ),
                    dialect,
                    schema: schemas.find(at, ddl, database),
                    sql: sql.to_owned(),
                    accepted: row["accepted"].as_bool(),
                });
            }
        }
    }
    Ok(out)
}
