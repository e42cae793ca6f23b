//! DataFusion as a second opinion on the rules: the plan of a query before any rule and its
//! canonical form, both printed as SQL, are planned and run by DataFusion on the same
//! generated databases. DataFusion shares no code with SQLite or with the rules, so what
//! both engines say of both texts is worth more than what one says.
//!
//! `twinql-oracle --data DIR [--step 10] [--databases 10] [--semantics default] [--out FOUND.jsonl]`

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use datafusion::arrow::array::{
    Array, ArrayRef, AsArray, Float64Array, Int64Array, RecordBatch, StringArray,
};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Field, Float64Type, Int64Type, Schema as ArrowSchema};
use datafusion::common::TableReference;
use datafusion::datasource::MemTable;
use datafusion::prelude::{SessionConfig, SessionContext};
use twinql_sql::{Column, Schema, Semantics, TypeClass, Value, print};
use twinql_suite::Database;
use twinql_suite::compare::{Columns, Mode, equal};
use twinql_suite::execute::{Answer, Limits, Sandbox};
use twinql_suite::facts::Facts;
use twinql_suite::generate::Generator;
use twinql_suite::order::Ordering;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// An execution that takes longer is given up.
const PATIENCE: Duration = Duration::from_secs(5);

#[derive(Default)]
struct Counts {
    queries: u64,
    planned_by_us: u64,
    changed: u64,
    planned: u64,
    executed: u64,
    open: u64,
    agreed: u64,
    engines_agree: u64,
    differ: u64,
    refused: BTreeMap<String, u64>,
    causes: BTreeMap<&'static str, u64>,
}

fn field(column: &Column) -> DataType {
    match column.class {
        TypeClass::Integer | TypeClass::Boolean => DataType::Int64,
        TypeClass::Number => DataType::Float64,
        _ => DataType::Utf8,
    }
}

/// The rows of a table as DataFusion holds them; `None` where a value has not its column's type.
fn table(schema: &Schema, at: usize, database: &Database) -> Option<MemTable> {
    let table = schema.tables.get(at)?;
    let rows = database.rows(at);
    let mut fields = Vec::new();
    let mut arrays: Vec<ArrayRef> = Vec::new();
    for (i, column) in table.columns.iter().enumerate() {
        let kind = field(column);
        let cells = rows.iter().map(|r| r.get(i).unwrap_or(&Value::Null));
        let array: ArrayRef = match kind {
            DataType::Int64 => Arc::new(
                cells
                    .map(|v| match v {
                        Value::Null => Some(None),
                        Value::Integer(n) => Some(Some(*n)),
                        _ => None,
                    })
                    .collect::<Option<Int64Array>>()?,
            ),
            DataType::Float64 => Arc::new(
                cells
                    .map(|v| match v {
                        Value::Null => Some(None),
                        v => v.as_f64().map(Some),
                    })
                    .collect::<Option<Float64Array>>()?,
            ),
            _ => Arc::new(
                cells
                    .map(|v| match v {
                        Value::Null => Some(None),
                        Value::Text(s) => Some(Some(s.as_str())),
                        _ => None,
                    })
                    .collect::<Option<StringArray>>()?,
            ),
        };
        fields.push(Field::new(&column.name, kind, true));
        arrays.push(array);
    }
    let arrow = Arc::new(ArrowSchema::new(fields));
    let batch = RecordBatch::try_new(Arc::clone(&arrow), arrays).ok()?;
    MemTable::try_new(arrow, vec![vec![batch]]).ok()
}

fn context(schema: &Schema, tables: &[usize], database: &Database) -> Option<SessionContext> {
    let mut config = SessionConfig::new().with_target_partitions(1);
    // Names stand in the texts as the schema has them.
    config.options_mut().sql_parser.enable_ident_normalization = false;
    let context = SessionContext::new_with_config(config);
    for &at in tables {
        let name = TableReference::bare(schema.tables.get(at)?.name.clone());
        context
            .register_table(name, Arc::new(table(schema, at, database)?))
            .ok()?;
    }
    Some(context)
}

fn cell(array: &dyn Array, row: usize) -> Value {
    if array.is_null(row) {
        return Value::Null;
    }
    match array.data_type() {
        DataType::Int64 => Value::Integer(array.as_primitive::<Int64Type>().value(row)),
        DataType::Float64 => match array.as_primitive::<Float64Type>().value(row) {
            // What SQLite says of division by zero.
            x if !x.is_finite() => Value::Null,
            x => Value::Real(x.into()),
        },
        _ => Value::Text(array.as_string::<i32>().value(row).to_owned()),
    }
}

async fn ask(context: &SessionContext, sql: &str) -> std::result::Result<Answer, String> {
    let frame = context.sql(sql).await.map_err(|e| e.strip_backtrace())?;
    let width = frame.schema().fields().len();
    let batches = match tokio::time::timeout(PATIENCE, frame.collect()).await {
        Ok(batches) => batches.map_err(|e| e.strip_backtrace())?,
        Err(_) => return Err("out of time".into()),
    };
    let mut answer = Answer {
        width,
        rows: Vec::new(),
    };
    for batch in batches {
        let mut columns = Vec::new();
        for column in batch.columns() {
            let to = match column.data_type() {
                DataType::Boolean => DataType::Int64,
                t if t.is_integer() => DataType::Int64,
                t if t.is_numeric() => DataType::Float64,
                _ => DataType::Utf8,
            };
            columns.push(cast(column, &to).map_err(|e| e.to_string())?);
        }
        for row in 0..batch.num_rows() {
            answer.rows.push(columns.iter().map(|c| cell(c, row)).collect());
        }
    }
    Ok(answer)
}

/// A message without what varies from query to query.
fn class(message: &str) -> String {
    let first = message.lines().next().unwrap_or_default();
    let cut: String = first
        .split(['"', '\'', '`'])
        .step_by(2)
        .collect::<Vec<_>>()
        .join("…");
    let words: Vec<&str> = cut.split_whitespace().take(9).collect();
    words.join(" ")
}

/// Why DataFusion's answers to the two texts may differ although SQLite's do not.
fn cause(sql: &str, rules: &[&str], open: bool) -> &'static str {
    let sql = sql.to_ascii_lowercase();
    if open {
        "ties, or first rows"
    } else if rules.contains(&"literal-typing") {
        "a number compared with text"
    } else if sql.contains(" like ") {
        "LIKE minds case in DataFusion"
    } else if sql.contains('/') {
        "division"
    } else if sql.contains("cast") {
        "CAST"
    } else {
        "other"
    }
}

struct Options {
    data: PathBuf,
    step: usize,
    databases: u64,
    semantics: Semantics,
    out: Option<PathBuf>,
}

fn options() -> Result<Options> {
    let mut options = Options {
        data: std::env::var_os("TWINQL_DATA")
            .map(PathBuf::from)
            .unwrap_or_default(),
        step: 1,
        databases: 10,
        semantics: Semantics::default(),
        out: None,
    };
    let mut args = std::env::args().skip(1);
    while let Some(flag) = args.next() {
        let value = args.next().ok_or_else(|| format!("{flag} needs a value"))?;
        match flag.as_str() {
            "--data" => options.data = value.into(),
            "--step" => options.step = value.parse::<usize>()?.max(1),
            "--databases" => options.databases = value.parse()?,
            "--semantics" => options.semantics = value.parse()?,
            "--out" => options.out = Some(value.into()),
            _ => return Err(format!("unknown option {flag}").into()),
        }
    }
    // A printed form has its columns where the query has them.
    options.semantics.any_column_order = false;
    Ok(options)
}

/// The distinct gold queries and predictions, by the file that names their schemas.
fn queries(data: &Path) -> Result<Vec<(PathBuf, BTreeSet<(String, String)>)>> {
    let mut all = Vec::new();
    for (tables, gold, folder) in [
        (
            "spider/tables.json",
            "spider/dev_gold.sql",
            Some("predictions/spider_dev"),
        ),
        (
            "spider/test_tables.json",
            "spider/test_gold.sql",
            Some("predictions/spider_test"),
        ),
        ("spider/tables.json", "spider/train_gold.sql", None),
        (
            "bird/dev_tables.json",
            "bird/dev_gold.sql",
            Some("predictions/bird_dev"),
        ),
    ] {
        let gold: Vec<(String, String)> = std::fs::read_to_string(data.join(gold))?
            .lines()
            .filter_map(|l| l.rsplit_once('\t'))
            .map(|(sql, db)| (db.trim().to_owned(), sql.trim().to_owned()))
            .collect();
        let mut texts: BTreeSet<(String, String)> = gold.iter().cloned().collect();
        if let Some(folder) = folder {
            for entry in std::fs::read_dir(data.join(folder))? {
                let bytes = std::fs::read(entry?.path())?;
                let text = String::from_utf8_lossy(&bytes).into_owned();
                for (line, (db, _)) in text.lines().zip(&gold) {
                    let sql = line.split('\t').next().unwrap_or_default().trim();
                    texts.insert((db.clone(), sql.to_owned()));
                }
            }
        }
        all.push((data.join(tables), texts));
    }
    Ok(all)
}

/// Compares a query and its canonical form on both engines. Longer than functions should be: each step may be the last one,
/// and what is counted on the way has its order.
async fn check(
    schema: &Schema,
    sql: &str,
    options: &Options,
    counts: &mut Counts,
    out: &mut Option<std::fs::File>,
) -> Result<()> {
    counts.queries += 1;
    let Ok(parsed) = twinql_sql::parse(sql) else {
        return Ok(());
    };
    let facts = [Facts::of(schema, &parsed.query)];
    let Ok(plan) = twinql_sql::plan(schema, &parsed) else {
        return Ok(());
    };
    let semantics = &options.semantics;
    let canonical = twinql_sql::normalize(schema, plan.clone(), semantics);
    let (Ok(raw), Ok(end)) = (
        print::to_sql(schema, &plan),
        print::to_sql(schema, &canonical.plan),
    ) else {
        return Ok(());
    };
    let sandbox = Sandbox::new(schema, Limits::default())?;
    let (Ok(mut raw_sqlite), Ok(mut end_sqlite)) = (sandbox.prepare(&raw), sandbox.prepare(&end)) else {
        return Ok(());
    };
    counts.planned_by_us += 1;
    if raw == end {
        return Ok(());
    }
    counts.changed += 1;
    let ordering = Ordering::of(&parsed.query, raw_sqlite.width());
    let mode = Mode::new(semantics, false);
    let generator = Generator::new(schema, semantics, &facts, &[], 8);
    let mut loader = sandbox.loader(generator.tables())?;
    let (mut planned, mut ran, mut engines, mut different) = (false, 0, true, None);
    for index in 0..options.databases {
        let Some(database) = generator.database(index) else {
            continue;
        };
        let Some(context) = context(schema, generator.tables(), &database) else {
            continue;
        };
        if !planned {
            for text in [&raw, &end] {
                let refused = match context.sql(text).await {
                    Ok(frame) => frame.create_physical_plan().await.err(),
                    Err(e) => Some(e),
                };
                if let Some(error) = refused {
                    *counts.refused.entry(class(&error.strip_backtrace())).or_default() += 1;
                    return Ok(());
                }
            }
            planned = true;
            counts.planned += 1;
        }
        let (one, two) = match (ask(&context, &raw).await, ask(&context, &end).await) {
            (Ok(one), Ok(two)) => (one, two),
            (Err(e), Err(_)) | (Err(e), Ok(_)) => {
                *counts
                    .refused
                    .entry(format!("at run time: {}", class(&e)))
                    .or_default() += 1;
                return Ok(());
            }
            (Ok(_), Err(e)) => {
                *counts
                    .refused
                    .entry(format!("canonical form at run time: {}", class(&e)))
                    .or_default() += 1;
                return Ok(());
            }
        };
        ran += 1;
        let same = |a: &Answer, b: &Answer| equal(a, b, mode, &mut Columns::new(a.width, false));
        loader.load(&database)?;
        let (first, second) = (raw_sqlite.run(0).ok(), end_sqlite.run(0).ok());
        engines &= second.as_ref().is_some_and(|s| same(&one, s));
        if !same(&one, &two) && different.is_none() {
            let agrees = |own: &Answer, other: &Option<Answer>| other.as_ref().is_some_and(|o| same(own, o));
            different = Some(serde_json::json!({
                "db_id": schema.db_id, "sql": sql, "raw": raw, "canonical": end, "rules": canonical.applied,
                "datafusion_raw": one.rows, "datafusion_canonical": two.rows,
                "sqlite_agrees_with_raw": agrees(&one, &first), "sqlite_agrees_with_canonical": agrees(&two, &second),
                "statements": database.to_sql(schema),
            }));
        }
    }
    if ran == 0 {
        return Ok(());
    }
    counts.executed += 1;
    let open = ordering.limited || ordering.sensitive && sql.to_ascii_lowercase().contains("limit");
    counts.open += u64::from(open);
    counts.engines_agree += u64::from(engines);
    match different {
        None => counts.agreed += 1,
        Some(found) => {
            counts.differ += 1;
            *counts
                .causes
                .entry(cause(sql, &canonical.applied, open))
                .or_default() += 1;
            if let Some(out) = out {
                writeln!(out, "{found}")?;
            }
        }
    }
    Ok(())
}

fn main() -> Result<()> {
    let options = options()?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()?;
    let mut out = options.out.as_ref().map(std::fs::File::create).transpose()?;
    let mut counts = Counts::default();
    for (tables, texts) in queries(&options.data)? {
        let schemas = twinql_sql::schema::load(&tables)?;
        for (db, sql) in texts.iter().step_by(options.step) {
            if let Some(schema) = schemas.get(db) {
                runtime.block_on(check(schema, sql, &options, &mut counts, &mut out))?;
            }
        }
        eprintln!("{}: {} queries so far", tables.display(), counts.queries);
    }
    println!("queries {}", counts.queries);
    println!("planned here, executable {}", counts.planned_by_us);
    println!("changed by a rule {}", counts.changed);
    println!("both texts planned by DataFusion {}", counts.planned);
    println!("both run {}", counts.executed);
    println!("  with LIMIT {}", counts.open);
    println!("  DataFusion answers both alike {}", counts.agreed);
    println!(
        "  DataFusion's answer to the plan is SQLite's to the canonical form {}",
        counts.engines_agree
    );
    println!("  DataFusion answers differently {}", counts.differ);
    for (cause, n) in &counts.causes {
        println!("    {cause}: {n}");
    }
    println!("not planned or not run, by DataFusion's message");
    let mut refused: Vec<(&String, &u64)> = counts.refused.iter().collect();
    refused.sort_by_key(|(message, n)| (std::cmp::Reverse(**n), message.as_str()));
    for (message, n) in refused.into_iter().take(25) {
        println!("    {n} {message}");
    }
    Ok(())
}
