//! Measures whether engines answer as the sandbox does: each query runs there as written, and here in SQLite's words, on the
//! same generated databases.
//!
//! `engines [--data DIR] [--set FILE] [--dialect D] [--databases 3] [--step 1] [--out FOUND.jsonl]`, with
//! `TWINQL_POSTGRES=postgres://…`, `TWINQL_MYSQL=mysql://…`, `TWINQL_DUCKDB=duckdb` (`scripts/engines.sh` starts and names
//! them); an engine that is not named is skipped, and said to be. Where `TWINQL_SQLGLOT` names a Python that has sqlglot,
//! queries of systems without an engine run in DuckDB as sqlglot translates them.

use std::collections::BTreeMap;
use std::error::Error;
use std::io::Write;
use std::path::PathBuf;

use rayon::prelude::*;
use serde_json::json;
use twinql_sql::{Dialect, Schema, Semantics, Value, in_sqlite};
use twinql_suite::engines::{Engine, EngineError, agree};
use twinql_suite::facts::Facts;
use twinql_suite::generate::Generator;
use twinql_suite::order::Ordering;
use twinql_suite::{Database, Limits, Sandbox};

use super::sets::Subject;
use super::{Wanted, second_opinion};
use crate::{Done, Measurement};

/// The measurement.
pub(crate) const MEASUREMENT: Measurement = Measurement {
    name: "engines",
    about: "whether PostgreSQL, MariaDB and DuckDB answer as the sandbox does",
    usage: "[--data DIR] [--set FILE] [--dialect D] [--databases N] [--step N] [--out FOUND.jsonl]",
    run,
};

/// Where engines are named.
const PLACES: &[&str] = &["TWINQL_POSTGRES", "TWINQL_MYSQL", "TWINQL_DUCKDB"];
/// Seeds under which the sandbox breaks ties: an answer that changes with them is nobody's.
const SEEDS: std::ops::Range<u64> = 0..12;
/// What reads the clock, which stands still in the sandbox.
const CLOCK: [&str; 4] = ["CURRENT_", "'now'", "random", "unixepoch()"];

/// Dialects that have an engine, or are no system's.
const HERE: [Dialect; 5] =
    [Dialect::Sqlite, Dialect::Generic, Dialect::Postgres, Dialect::Mysql, Dialect::Duckdb];

/// A query, and what is asked of an engine.
struct Asked<'a> {
    subject: &'a Subject,
    engine: &'a Engine,
    /// Whose answer it is.
    of: &'a str,
    sql: String,
}

/// What became of a query.
enum Fate {
    /// It is not read here.
    Unread,
    /// The sandbox cannot run it.
    Unrun,
    /// The engine refuses it, in its words.
    Refused(String),
    /// No database of those generated can be had in both.
    NoData(String),
    /// Its answer depends on ties or chance.
    Open,
    /// Both answer the same.
    Agrees,
    /// They do not.
    Differs { ours: String, theirs: String, sqlite: String },
}

fn run(args: &[String]) -> Done {
    let mut wanted = Wanted::new();
    let (mut databases, mut step, mut out) = (3, 1, None);
    let mut args = args.iter();
    while let Some(flag) = args.next() {
        let value = args.next().ok_or_else(|| format!("{flag} needs a value"))?;
        match flag.as_str() {
            "--databases" => databases = value.parse()?,
            "--step" => step = value.parse::<usize>()?.max(1),
            "--out" => out = Some(PathBuf::from(value)),
            _ if wanted.take(flag, value)? => {}
            _ => return Err(format!("unknown option {flag}").into()),
        }
    }
    let mut engines: Vec<Engine> = Vec::new();
    for place in PLACES {
        match std::env::var(place) {
            Ok(at) => {
                let engine = Engine::named(&at)?;
                engine.reach().map_err(|e| format!("{place}: {e}"))?;
                engines.push(engine);
            }
            Err(_) => {
                println!("skipped: {place} is not set; scripts/engines.sh starts an engine and names it")
            }
        }
    }
    let subjects = wanted.subjects()?;
    let (own, foreign): (Vec<&Subject>, Vec<&Subject>) =
        subjects.iter().step_by(step).partition(|s| engines.iter().any(|e| e.dialect() == s.dialect));
    let of = |dialect| engines.iter().find(|e: &&Engine| e.dialect() == dialect);
    let mut work: Vec<Asked<'_>> = own
        .into_iter()
        .filter_map(|s| {
            Some(Asked { subject: s, engine: of(s.dialect)?, of: of(s.dialect)?.name(), sql: s.sql.clone() })
        })
        .collect();
    if let (Ok(python), Some(engine)) = (std::env::var(second_opinion::PLACE), of(Dialect::Duckdb)) {
        let foreign: Vec<&Subject> = foreign.into_iter().filter(|s| !HERE.contains(&s.dialect)).collect();
        let found = second_opinion::translations(&python, &foreign)?;
        work.extend(
            foreign
                .into_iter()
                .zip(found)
                .filter_map(|(subject, sql)| Some(Asked { subject, engine, of: "sqlglot", sql: sql? })),
        );
    }
    let fates: Vec<Fate> = work.par_iter().map(|asked| fate(asked, databases)).collect::<Result<_, _>>()?;
    report(&work, &fates);
    if let Some(path) = out {
        write_found(&path, &work, &fates)?;
    }
    Ok(())
}

/// One query on both sides.
fn fate(asked: &Asked<'_>, databases: u64) -> Result<Fate, String> {
    let Asked { subject, engine, of: _, sql } = asked;
    let Ok(schema) = &subject.schema else { return Ok(Fate::Unread) };
    let Ok(sqlite) = in_sqlite(schema, &subject.sql, subject.dialect) else { return Ok(Fate::Unread) };
    let sandbox = Sandbox::new(schema, Limits::default()).map_err(|e| e.to_string())?;
    let Ok(mut prepared) = sandbox.prepare(&sqlite) else { return Ok(Fate::Unrun) };
    let Ok(parsed) = twinql_sql::parse(&sqlite) else { return Ok(Fate::Unread) };
    if CLOCK.iter().any(|word| sqlite.contains(word)) {
        return Ok(Fate::Open);
    }
    let shaken = Ordering::of(&parsed.query, prepared.width()).shaken;
    let mut shaken = shaken.and_then(|sql| sandbox.prepare(&sql).ok());
    let facts = [Facts::of(schema, &parsed.query)];
    let semantics = Semantics::default();
    let generator = Generator::new(schema, &semantics, &facts, &[], 8);
    let mut loader = sandbox.loader(generator.tables()).map_err(|e| e.to_string())?;
    let (mut agreed, mut trouble) = (false, String::new());
    // Small databases come first, and say little.
    for database in (4..4 + databases).filter_map(|n| generator.database(n)) {
        let database = as_declared(schema, database);
        if let Err(error) = loader.load(&database) {
            trouble = error.to_string();
            continue;
        }
        let Ok(ours) = prepared.run(0) else { continue };
        let mut others: Vec<_> =
            shaken.iter_mut().flat_map(|p| SEEDS.filter_map(|seed| p.run(seed).ok())).collect();
        // Windows take rows that tie in the order in which they are stored.
        let mut turned = database.clone();
        turned.tables.iter_mut().flatten().for_each(|rows| rows.reverse());
        others.extend(loader.load(&turned).ok().and_then(|()| prepared.run(0).ok()));
        if others.iter().any(|other| sorted(&other.rows) != sorted(&ours.rows)) {
            return Ok(Fate::Open);
        }
        let session = match engine.open(schema, &database) {
            Ok(session) => session,
            Err(error @ EngineError::Client { .. }) => return Err(error.to_string()),
            Err(error) => {
                trouble = error.to_string();
                continue;
            }
        };
        match session.query(sql) {
            Err(error @ EngineError::Client { .. }) => return Err(error.to_string()),
            Err(error) => return Ok(Fate::Refused(error.to_string())),
            Ok(theirs) => {
                if !agree(&ours.rows, &theirs, subject.dialect) {
                    let (ours, theirs) = (shown(&ours.rows), format!("{theirs:?}"));
                    return Ok(Fate::Differs { ours, theirs, sqlite });
                }
                agreed = true;
            }
        }
    }
    Ok(if agreed { Fate::Agrees } else { Fate::NoData(trouble) })
}

/// Values as the columns' types hold them: a number in a column of texts is a text.
fn as_declared(schema: &Schema, mut database: Database) -> Database {
    for (table, rows) in schema.tables.iter().zip(&mut database.tables) {
        for row in rows.iter_mut().flatten() {
            for (value, column) in row.iter_mut().zip(&table.columns) {
                *value =
                    twinql_suite::database::store(std::mem::replace(value, Value::Null), column.affinity);
            }
        }
    }
    database
}

fn sorted(rows: &[Vec<Value>]) -> Vec<String> {
    let mut out: Vec<String> = rows.iter().map(|r| format!("{r:?}")).collect();
    out.sort();
    out
}

fn shown(rows: &[Vec<Value>]) -> String {
    let row = |r: &Vec<Value>| r.iter().map(|v| format!("{v:?}")).collect::<Vec<_>>().join(", ");
    rows.iter().map(|r| format!("[{}]", row(r))).collect::<Vec<_>>().join(", ")
}

fn report(work: &[Asked<'_>], fates: &[Fate]) {
    let mut tallies: BTreeMap<(&str, &str), [usize; 8]> = BTreeMap::new();
    for (Asked { subject, of, .. }, fate) in work.iter().zip(fates) {
        let tally = tallies.entry((subject.set, *of)).or_default();
        tally[0] += 1;
        tally[match fate {
            Fate::Unread => 1,
            Fate::Unrun => 2,
            Fate::Refused(_) => 3,
            Fate::NoData(_) => 4,
            Fate::Open => 5,
            Fate::Agrees => 6,
            Fate::Differs { .. } => 7,
        }] += 1;
    }
    println!(
        "queries\tengine\tin all\tnot read\tnot run\trefused there\tno data\topen\tsame\tdifferent\tsame, %"
    );
    let row = |set: &str, engine: &str, counts: &[usize; 8]| {
        let [.., same, different] = counts;
        let share = 100.0 * *same as f64 / (same + different).max(1) as f64;
        let counts: Vec<String> = counts.iter().map(usize::to_string).collect();
        println!("{set}\t{engine}\t{}\t{share:.2}", counts.join("\t"));
    };
    let mut by_engine: BTreeMap<&str, [usize; 8]> = BTreeMap::new();
    for ((set, engine), counts) in &tallies {
        row(set, engine, counts);
        let sums = by_engine.entry(engine).or_default();
        sums.iter_mut().zip(counts).for_each(|(sum, n)| *sum += n);
    }
    for (engine, counts) in &by_engine {
        row("all", engine, counts);
    }
}

/// One line for each query on which the two do not agree.
fn write_found(path: &PathBuf, work: &[Asked<'_>], fates: &[Fate]) -> Result<(), Box<dyn Error>> {
    let mut file = std::io::BufWriter::new(std::fs::File::create(path)?);
    for (Asked { subject, sql, .. }, fate) in work.iter().zip(fates) {
        let said = match fate {
            Fate::Differs { ours, theirs, sqlite } => {
                json!({"fate": "differs", "sqlite": sqlite, "ours": ours, "theirs": theirs})
            }
            Fate::Refused(why) => json!({"fate": "refused", "why": why}),
            Fate::NoData(why) => json!({"fate": "no data", "why": why}),
            _ => continue,
        };
        let mut line = json!({"set": subject.set, "id": subject.id, "dialect": subject.dialect, "sql": subject.sql, "asked": sql, "accepted": subject.accepted});
        if let (Some(line), Some(said)) = (line.as_object_mut(), said.as_object()) {
            line.extend(said.clone());
        }
        writeln!(file, "{line}")?;
    }
    Ok(file.flush()?)
}
