//! No clause is dropped: each field of the AST of real queries is mutated, and the mutated
//! query must have another canonical form, or be refused. What has no influence on an
//! answer stands in `neutral.rs`, each with its reason; what a rule of normalisation proves
//! is written out, to be judged by execution.
//!
//! `twinql-clauses [--data DIR] [--queries 200] [--mutations 1000000] [--out PROVED.jsonl]`

mod mutate;
mod neutral;
mod zoo;

use std::collections::BTreeMap;
use std::error::Error;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use sqlparser::ast::Query;
use twinql_sql::{Dialect, Parsed, Schema, SchemaSet, Semantics, normalize, parse_in, plan, schema};

use mutate::{Donors, Mutation, Step, applied, mutations};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

struct Options {
    data: Option<PathBuf>,
    queries: usize,
    mutations: u64,
    out: Option<PathBuf>,
}

fn options() -> Result<Options> {
    let mut found = Options { data: None, queries: 200, mutations: u64::MAX, out: None };
    let mut args = std::env::args().skip(1);
    while let Some(flag) = args.next() {
        let value = args.next().ok_or_else(|| format!("{flag} needs a value"))?;
        match flag.as_str() {
            "--data" => found.data = Some(value.into()),
            "--queries" => found.queries = value.parse()?,
            "--mutations" => found.mutations = value.parse()?,
            "--out" => found.out = Some(value.into()),
            _ => return Err(format!("unknown option {flag}").into()),
        }
    }
    Ok(found)
}

/// A query over one of the schemas.
#[derive(Clone)]
struct Item {
    schema: Schema,
    db_id: String,
    sql: String,
    /// Whose SQL it is, where it is not read as that of every dialect.
    dialect: Option<Dialect>,
}

/// `SQL<TAB>db_id` lines.
fn gold(path: &Path) -> Result<Vec<(String, String)>> {
    let text = std::fs::read_to_string(path)?;
    let lines = text.lines().filter_map(|l| l.rsplit_once('\t'));
    Ok(lines.map(|(sql, db)| (sql.trim().to_owned(), db.trim().to_owned())).collect())
}

/// One SQL a line, aligned with golds.
fn predictions(path: &Path, gold: &[(String, String)]) -> Result<Vec<(String, String)>> {
    let text = String::from_utf8_lossy(&std::fs::read(path)?).into_owned();
    let lines = text.lines().zip(gold);
    Ok(lines.map(|(l, (_, db))| (l.split('\t').next().unwrap_or_default().to_owned(), db.clone())).collect())
}

/// `count` of the lines, evenly spread.
fn spread<T: Clone>(lines: &[T], count: usize) -> Vec<T> {
    let step = (lines.len() / count.max(1)).max(1);
    lines.iter().step_by(step).take(count).cloned().collect()
}

/// The bundled pairs of another dialect, both sides; a few of them in a reduced run.
fn own_dialect(folder: &Path, dialect: Dialect, options: &Options) -> Result<Vec<Item>> {
    let schemas = schema::load_in(folder.join(dialect.name()), dialect)?;
    let text = std::fs::read_to_string(folder.join(format!("{}.jsonl", dialect.name())))?;
    let mut out = Vec::new();
    for line in spread(&text.lines().collect::<Vec<_>>(), options.queries / 4) {
        let pair: serde_json::Value = serde_json::from_str(line)?;
        for side in ["gold", "pred"] {
            let (Some(db_id), Some(sql)) = (pair["db_id"].as_str(), pair[side].as_str()) else {
                return Err(format!("a pair without db_id or {side}: {line}").into());
            };
            let schema = schemas.get(db_id).ok_or_else(|| format!("no schema {db_id}"))?;
            out.push(Item {
                schema: schema.clone(),
                db_id: db_id.to_owned(),
                sql: sql.to_owned(),
                dialect: Some(dialect),
            });
        }
    }
    Ok(out)
}

fn items(options: &Options) -> Result<Vec<Item>> {
    let mut sets: Vec<(SchemaSet, Vec<(String, String)>)> = Vec::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    match &options.data {
        None => {
            let all = gold(&root.join("data/gold.tsv"))?;
            sets.push((schema::load(root.join("data/schemas"))?, spread(&all, options.queries)));
        }
        Some(data) => {
            let part = options.queries / 5 + 1;
            let read = |name: &str| -> Result<SchemaSet> {
                Ok(schema::spider::read_tables_json(&std::fs::read_to_string(data.join(name))?)?)
            };
            let spider = gold(&data.join("spider/train_gold.sql"))?;
            let main = gold(&data.join("spider/train_spider_gold.sql"))?;
            let others = gold(&data.join("spider/train_others_gold.sql"))?;
            let bird = gold(&data.join("bird/train_gold.sql"))?;
            let folder = data.join("predictions");
            let picard = predictions(&folder.join("spider_train/T5-PICARD_top1.txt"), &main)?;
            let deepseek =
                predictions(&folder.join("spider_train/train_others_deepseek-chat_xi-ix.txt"), &others)?;
            let faith = predictions(&folder.join("bird_train/birdfaith_train_first1000.txt"), &bird)?;
            let mut lines = spread(&spider, part);
            lines.extend(spread(&picard, part / 2));
            lines.extend(spread(&deepseek, part / 2));
            sets.push((read("spider/tables.json")?, lines));
            let mut lines = spread(&bird, part);
            lines.extend(spread(&faith, part));
            sets.push((read("bird/train_tables.json")?, lines));
        }
    }
    let mut out = Vec::new();
    for (schemas, lines) in sets {
        for (sql, db_id) in lines {
            if let Some(schema) = schemas.get(&db_id) {
                out.push(Item { schema: schema.clone(), db_id, sql, dialect: None });
            }
        }
    }
    for dialect in [Dialect::Postgres, Dialect::Mysql] {
        out.extend(own_dialect(&root.join("data/dialects"), dialect, options)?);
    }
    Ok(out)
}

/// The parser's own dialects, for the rarer clauses.
fn read_anyhow(sql: &str) -> Option<Query> {
    use sqlparser::dialect as d;
    let dialects: [&dyn d::Dialect; 11] = [
        &d::GenericDialect {},
        &d::PostgreSqlDialect {},
        &d::MySqlDialect {},
        &d::SQLiteDialect {},
        &d::SnowflakeDialect {},
        &d::BigQueryDialect {},
        &d::ClickHouseDialect {},
        &d::DuckDbDialect {},
        &d::MsSqlDialect {},
        &d::HiveDialect {},
        &d::OracleDialect {},
    ];
    dialects.into_iter().find_map(|dialect| {
        let mut parser = sqlparser::parser::Parser::new(dialect).try_with_sql(sql).ok()?;
        let query = parser.parse_query().ok()?;
        (parser.peek_token().token == sqlparser::tokenizer::Token::EOF).then_some(*query)
    })
}

#[derive(Default)]
struct Counts {
    queries: u64,
    mutations: u64,
    refused: u64,
    told_apart: u64,
    neutral: BTreeMap<&'static str, u64>,
    proved: BTreeMap<String, u64>,
    /// By the kind of place: how many, and the first.
    dropped: BTreeMap<String, (u64, String)>,
}

/// The plan with its columns numbered by first appearance.
fn shape(query: &twinql_sql::Query) -> String {
    let text = format!("{query:?}");
    let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();
    let mut out = String::with_capacity(text.len());
    let mut parts = text.split("ColumnId(");
    out.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let (number, rest) = part.split_once(')').unwrap_or((part, ""));
        let next = numbers.len();
        let number = *numbers.entry(number).or_insert(next);
        out.push_str(&format!("#{number}{rest}"));
    }
    out
}

/// A name for the kind of place that a mutation changed, and for the change.
fn class(mutation: &Mutation) -> String {
    let names = mutate::names(&mutation.path);
    let last = names.get(names.len().saturating_sub(2)..).unwrap_or_default();
    let place = last.join(".");
    let at = match mutation.path.last() {
        Some(Step::At(i)) => format!("[{i}]"),
        _ => String::new(),
    };
    match mutation.kind {
        mutate::Kind::Exchanged => {
            let (old, new) = (mutate::variant(&mutation.old), mutate::variant(&mutation.new));
            format!("{} {old} -> {new}", last.last().unwrap_or(&""))
        }
        kind => {
            let new: String = mutation.new.to_string().chars().take(24).collect();
            format!("{place}{at} {kind:?} {new}")
        }
    }
}

fn run(options: &Options) -> Result<Counts> {
    let items = items(options)?;
    let semantics = Semantics::preset("strict").ok_or("no preset strict")?;
    let mut donors = Donors::default();
    let mut read = 0;
    for sql in zoo::QUERIES {
        if let Some(query) = read_anyhow(sql) {
            donors.learn(&twinql_clauses::to_json(&query)?);
            read += 1;
        } else {
            eprintln!("not read by any dialect: {sql}");
        }
    }
    for item in spread(&items, 300) {
        if let Ok(parsed) = parse_in(&item.sql, item.dialect.unwrap_or(Dialect::Generic)) {
            donors.learn(&twinql_clauses::to_json(&parsed.query)?);
        }
    }
    eprintln!("{read} of {} queries with rarer clauses", zoo::QUERIES.len());
    let mut out = match &options.out {
        Some(path) => Some(std::io::BufWriter::new(std::fs::File::create(path)?)),
        None => None,
    };
    let mut counts = Counts::default();
    for item in &items {
        for dialect in Dialect::ALL {
            if counts.mutations >= options.mutations {
                return Ok(counts);
            }
            let Ok(parsed) = parse_in(&item.sql, dialect) else {
                continue;
            };
            let Ok(first) = plan(&item.schema, &parsed) else {
                continue;
            };
            counts.queries += 1;
            let first_shape = shape(&first.query);
            let canonical = normalize(&item.schema, first.clone(), &semantics).plan.query;
            let mut tree = twinql_clauses::to_json(&parsed.query)?;
            for mutation in mutations(&mut tree, &mut donors) {
                let Ok(query) = applied(&mut tree, &mutation.path, &mutation.new) else {
                    continue;
                };
                if query == *parsed.query {
                    continue;
                }
                counts.mutations += 1;
                let text = query.to_string();
                let mutated = Parsed::of_ast(Box::new(query), dialect);
                let Ok(second) = plan(&item.schema, &mutated) else {
                    counts.refused += 1;
                    continue;
                };
                let raw = second.query.clone();
                if raw != first.query && normalize(&item.schema, second, &semantics).plan.query != canonical {
                    counts.told_apart += 1;
                    continue;
                }
                let unused = shape(&raw) == first_shape;
                if let Some(reason) = neutral::reason(&mutation, dialect, unused) {
                    *counts.neutral.entry(reason).or_default() += 1;
                    continue;
                }
                let class = class(&mutation);
                if unused {
                    let example = format!("{dialect}: {}\n      {text}", item.sql);
                    counts.dropped.entry(class).or_insert((0, example)).0 += 1;
                    continue;
                }
                *counts.proved.entry(class.clone()).or_default() += 1;
                if let Some(out) = &mut out {
                    let line = serde_json::json!({
                        "id": format!("{}", counts.mutations), "db_id": item.db_id, "gold": item.sql,
                        "pred": text, "dialect": dialect.name(), "class": class,
                    });
                    writeln!(out, "{line}")?;
                }
            }
        }
    }
    Ok(counts)
}

fn report(counts: &Counts, seconds: f64) {
    println!(
        "{} mutations of {} queries (each dialect counts) in {seconds:.0} s",
        counts.mutations, counts.queries
    );
    println!("refused: {}; told apart: {}", counts.refused, counts.told_apart);
    let neutral: u64 = counts.neutral.values().sum();
    println!("without influence on an answer: {neutral}");
    for (reason, n) in &counts.neutral {
        println!("  {n:8} {reason}");
    }
    let proved: u64 = counts.proved.values().sum();
    println!("read, and proved equal by the rules: {proved}");
    let mut classes: Vec<_> = counts.proved.iter().collect();
    classes.sort_by_key(|(_, n)| std::cmp::Reverse(**n));
    for (class, n) in classes.iter().take(40) {
        println!("  {n:8} {class}");
    }
    let dropped: u64 = counts.dropped.values().map(|(n, _)| n).sum();
    println!("dropped: {dropped}");
    for (class, (n, example)) in &counts.dropped {
        println!("  {n:8} {class}\n      {example}");
    }
}

fn main() -> ExitCode {
    let started = Instant::now();
    let counts = options().and_then(|o| run(&o));
    match counts {
        Ok(counts) => {
            report(&counts, started.elapsed().as_secs_f64());
            if counts.dropped.is_empty() && counts.mutations > 0 {
                ExitCode::SUCCESS
            } else {
                ExitCode::FAILURE
            }
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}
