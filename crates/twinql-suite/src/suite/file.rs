//! The suite file: gzip over JSON lines, a header and then a line for each schema.
//!
//! The same suite gives the same bytes: no time stamp, no map of unknown order.

use std::io::{BufRead, BufReader, Read, Write};

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use twinql_sql::{Schema, Value};

use super::seal::{self, Unsealed};
use super::{Counts, DistilConfig, FORMAT_VERSION, GoldReport, SchemaSuite, Suite, SuiteError};
use crate::database::{Database, Row};

/// Unpacked bytes that a file may have. A suite of Spider's development set has some MB.
const MAX_BYTES: u64 = 512 << 20;
/// Tables, columns, databases of one schema, and values of all its rows, that are read.
const MAX_ITEMS: usize = 20_000_000;

const NAME: &str = "twinql-suite";
/// How a gzip stream begins.
const MAGIC: [u8; 2] = [0x1f, 0x8b];

#[derive(Debug, Serialize, Deserialize, schemars::JsonSchema)]
struct Header {
    format: String,
    version: u32,
    /// The program that wrote it.
    program: String,
    config: DistilConfig,
    counts: Counts,
}

/// One schema, its databases as plain JSON.
#[derive(Debug, Serialize, Deserialize, schemars::JsonSchema)]
struct Line {
    #[schemars(with = "serde_json::Value")]
    schema: Schema,
    /// By database, table and row. A table that plays no part is null.
    databases: Vec<Vec<Option<Vec<Vec<Json>>>>>,
    golds: Vec<GoldReport>,
    tried: u64,
}

/// The JSON schemas of the lines of a suite file: its header, and what follows for each schema.
pub fn schemas_of_lines() -> [schemars::Schema; 2] {
    [schemars::schema_for!(Header), schemars::schema_for!(Line)]
}

fn to_json(value: &Value) -> Json {
    match value {
        Value::Null => Json::Null,
        Value::Integer(i) => (*i).into(),
        Value::Real(r) if r.0.is_finite() => r.0.into(),
        Value::Real(r) => serde_json::json!({ "real": r.0.to_string() }),
        Value::Text(s) => s.as_str().into(),
        Value::Blob(bytes) => serde_json::json!({ "blob": bytes }),
    }
}

fn from_json(json: Json) -> Result<Value, String> {
    Ok(match json {
        Json::Null => Value::Null,
        Json::String(s) => Value::Text(s),
        Json::Number(n) => match (n.as_i64(), n.as_f64()) {
            (Some(i), _) => Value::Integer(i),
            (None, Some(r)) => Value::Real(r.into()),
            _ => return Err(format!("{n} is no number that SQLite can hold")),
        },
        Json::Object(map) => match (map.get("real"), map.get("blob")) {
            (Some(Json::String(s)), None) => {
                let real: f64 = s.parse().map_err(|_| format!("{s:?} is no number"))?;
                Value::Real(real.into())
            }
            (None, Some(Json::Array(bytes))) => {
                let byte = |b: &Json| b.as_u64().and_then(|b| u8::try_from(b).ok());
                let bytes: Option<Vec<u8>> = bytes.iter().map(byte).collect();
                Value::Blob(bytes.ok_or("a blob holds more than bytes")?)
            }
            _ => return Err("a value is an unknown object".into()),
        },
        other => return Err(format!("{other} is no value")),
    })
}

/// One schema's line, without a line end.
pub(crate) fn write_line(
    schema: &Schema,
    databases: &[Database],
    golds: &[GoldReport],
    tried: u64,
) -> serde_json::Result<String> {
    let rows = |rows: &Vec<Row>| -> Vec<Vec<Json>> {
        rows.iter().map(|r| r.iter().map(to_json).collect()).collect()
    };
    serde_json::to_string(&Line {
        schema: schema.clone(),
        databases: databases
            .iter()
            .map(|d| d.tables.iter().map(|t| t.as_ref().map(rows)).collect())
            .collect(),
        golds: golds.to_vec(),
        tried,
    })
}

/// Reads a schema's line and checks that its parts belong together.
pub(crate) fn read_line(text: &[u8]) -> Result<SchemaSuite, String> {
    let line: Line = serde_json::from_slice(text).map_err(|e| e.to_string())?;
    let schema = line.schema;
    whole(&schema)?;
    let mut items = 0usize;
    let mut databases = Vec::with_capacity(line.databases.len());
    for (number, tables) in line.databases.into_iter().enumerate() {
        let fail = |what: String| format!("{}, database {number}: {what}", schema.db_id);
        if tables.len() != schema.tables.len() {
            return Err(fail(format!("{} tables, the schema has {}", tables.len(), schema.tables.len())));
        }
        let mut database = Database::default();
        for (rows, table) in tables.into_iter().zip(&schema.tables) {
            let Some(rows) = rows else {
                database.tables.push(None);
                continue;
            };
            let mut read: Vec<Row> = Vec::with_capacity(rows.len());
            for row in rows {
                if row.len() != table.columns.len() {
                    return Err(fail(format!(
                        "a row of {} has {} values, the table {} columns",
                        table.name,
                        row.len(),
                        table.columns.len()
                    )));
                }
                items += row.len() + 1;
                if items > MAX_ITEMS {
                    return Err(fail("more values than a suite may have".into()));
                }
                let row: Result<Row, String> = row.into_iter().map(from_json).collect();
                read.push(row.map_err(fail)?);
            }
            database.tables.push(Some(read));
        }
        databases.push(database);
    }
    Ok(SchemaSuite { schema, databases, golds: line.golds, tried: line.tried })
}

/// Positions in keys point at columns that exist.
fn whole(schema: &Schema) -> Result<(), String> {
    let fail = |table: &str| Err(format!("{}.{table}: a key names a column that it lacks", schema.db_id));
    for table in &schema.tables {
        let keys = std::iter::once(&table.primary_key).chain(&table.unique);
        if keys.flatten().any(|&c| c >= table.columns.len()) {
            return fail(&table.name);
        }
        for key in &table.foreign_keys {
            let Some(target) = schema.tables.get(key.target) else {
                return fail(&table.name);
            };
            if key.columns.len() != key.target_columns.len()
                || key.columns.iter().any(|&c| c >= table.columns.len())
                || key.target_columns.iter().any(|&c| c >= target.columns.len())
            {
                return fail(&table.name);
            }
        }
    }
    Ok(())
}

impl Suite {
    /// The file's bytes; the same for the same suite.
    ///
    /// # Errors
    /// If it cannot be written as JSON.
    pub fn to_bytes(&self) -> Result<Vec<u8>, SuiteError> {
        let fail = |e: String| SuiteError::Format(e);
        let header = Header {
            format: NAME.into(),
            version: FORMAT_VERSION,
            program: env!("CARGO_PKG_VERSION").into(),
            config: self.config.clone(),
            counts: self.counts(),
        };
        let mut out = GzEncoder::new(Vec::new(), Compression::default());
        let mut put = |text: String| {
            out.write_all(text.as_bytes())
                .and_then(|()| out.write_all(b"\n"))
                .map_err(|e| fail(e.to_string()))
        };
        put(serde_json::to_string(&header).map_err(|e| fail(e.to_string()))?)?;
        for schema in &self.schemas {
            put(schema.line().map_err(|e| fail(e.to_string()))?)?;
        }
        out.finish().map(seal::seal).map_err(|e| fail(e.to_string()))
    }

    /// Reads a file's bytes, and checks the checksum that stands at their end.
    ///
    /// # Errors
    /// [`SuiteError::Format`] where they are no suite, or unpack to more than 512 MiB;
    /// [`SuiteError::Checksum`] and [`SuiteError::NoChecksum`] where they are damaged or cut off; [`SuiteError::Version`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Suite, SuiteError> {
        if !bytes.starts_with(&MAGIC) {
            return Err(SuiteError::Format("it is not compressed with gzip".into()));
        }
        match seal::open(bytes) {
            Ok(plain) => Suite::unpack(plain),
            Err(Unsealed::Missing) => Err(SuiteError::NoChecksum),
            Err(Unsealed::Wrong) => Err(SuiteError::Checksum),
        }
    }

    /// Reads the gzip stream.
    fn unpack(bytes: &[u8]) -> Result<Suite, SuiteError> {
        let fail = SuiteError::Format;
        let mut reader = BufReader::new(GzDecoder::new(bytes).take(MAX_BYTES));
        let mut line = Vec::new();
        let mut total = 0u64;
        let mut next = |line: &mut Vec<u8>| -> Result<bool, SuiteError> {
            line.clear();
            let read = reader
                .read_until(b'\n', line)
                .map_err(|e| fail(format!("the file is damaged or cut off: {e}")))?;
            total += read as u64;
            if total >= MAX_BYTES {
                return Err(fail(format!("it unpacks to more than {MAX_BYTES} bytes")));
            }
            Ok(read > 0)
        };
        if !next(&mut line)? {
            return Err(fail("it is empty".into()));
        }
        /// What is read of a header whose version is not known yet.
        #[derive(Deserialize)]
        struct Any {
            format: String,
            version: u32,
        }
        let any: Any = serde_json::from_slice(&line).map_err(|e| fail(format!("its header: {e}")))?;
        if any.format != NAME {
            return Err(fail(format!("its header names the format {:?}", any.format)));
        }
        if any.version != FORMAT_VERSION {
            return Err(SuiteError::Version(any.version));
        }
        let header: Header = serde_json::from_slice(&line).map_err(|e| fail(format!("its header: {e}")))?;
        let mut suite = Suite { config: header.config, schemas: Vec::new() };
        while next(&mut line)? {
            let number = suite.schemas.len() + 1;
            let schema = read_line(&line).map_err(|e| fail(format!("schema {number}: {e}")))?;
            suite.schemas.push(schema);
        }
        if suite.counts() != header.counts {
            return Err(fail("its contents do not add up to the counts of its header".into()));
        }
        Ok(suite)
    }
}
