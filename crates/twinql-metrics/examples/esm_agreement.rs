//! How often `esm:official` and `esm+:published` say what the published scripts of Spider and ESM+ say, on the
//! predictions of eight systems over Spider dev; and how `esm+` compares with the latter.
//!
//! `TWINQL_DATA=… cargo run --release -p twinql-metrics --example esm_agreement [-- METRIC]`; with a metric's name
//! each pair on which it disagrees with the script is printed too.

use std::error::Error;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::Value;
use twinql_metrics::{esm_plus, exact_set_match};
use twinql_sql::{Schema, SchemaSet};

const SYSTEMS: [&str; 8] = ["C3", "Claude", "DAIL", "DIN", "GPT4Turbo", "Graphix", "RASAT+PICARD", "RESDSQL"];

/// Agreement of one metric with one script on one system.
#[derive(Default)]
struct Tally {
    ours: usize,
    theirs: usize,
    only_ours: usize,
    only_theirs: usize,
    time: Duration,
}

impl Tally {
    fn add(&mut self, ours: bool, theirs: bool) {
        self.ours += usize::from(ours);
        self.theirs += usize::from(theirs);
        self.only_ours += usize::from(ours && !theirs);
        self.only_theirs += usize::from(theirs && !ours);
    }

    fn print(&self, system: &str, metric: &str, pairs: usize) {
        let apart = self.only_ours + self.only_theirs;
        let agree = 100.0 * (pairs - apart) as f64 / pairs as f64;
        println!(
            "{system:<14} {metric:<15} {pairs:>6} {:>6} {:>7} {:>10} {:>12} {agree:>9.2} {:>8.0}",
            self.ours,
            self.theirs,
            self.only_ours,
            self.only_theirs,
            self.time.as_secs_f64() * 1e3,
        );
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let Some(data) = std::env::var_os("TWINQL_DATA") else {
        eprintln!("skipped: TWINQL_DATA is not set");
        return Ok(());
    };
    let show = std::env::args().nth(1);
    let data = Path::new(&data);
    let tables = twinql_sql::schema::load(data.join("spider/tables.json"))?;
    let golds: Vec<(String, String)> = fs::read_to_string(data.join("spider/dev_gold.sql"))?
        .lines()
        .filter_map(|l| l.split_once('\t'))
        .map(|(sql, db)| (sql.to_owned(), db.trim().to_owned()))
        .collect();
    let databases = databases(data, &tables, &golds);
    println!(
        "{:<14} {:<15} {:>6} {:>6} {:>7} {:>10} {:>12} {:>9} {:>8}",
        "system", "metric", "pairs", "ours", "theirs", "only ours", "only theirs", "agree %", "ms"
    );
    for system in SYSTEMS {
        let verdicts = fs::read_to_string(data.join(format!("esmp_verdicts/spider_dev/{system}.jsonl")))?;
        let file = format!("predictions/spider_dev/ESMp_{}.txt", system.replace('+', "_"));
        let preds = fs::read_to_string(data.join(file))?;
        let (mut official, mut published) = (Tally::default(), Tally::default());
        let mut pairs = 0;
        for ((verdict, pred), (i, (gold, db))) in
            verdicts.lines().zip(preds.lines()).zip(golds.iter().enumerate())
        {
            let verdict: Value = serde_json::from_str(verdict)?;
            let (Some(json), Some(real)) = (tables.get(db), databases.get(db)) else { continue };
            let pred = pred.trim().split('\t').next().unwrap_or_default();
            // The ESM+ script executes predictions first; what fails there is wrong.
            let runs = verdict.get("pred_executes").and_then(Value::as_bool) != Some(false);
            pairs += 1;
            type Score = fn(&Schema, &str, &str) -> twinql_metrics::Scored;
            let metrics: [(&str, &str, Score, &Schema, bool, &mut Tally); 2] = [
                ("esm:official", "esm", exact_set_match, json, true, &mut official),
                ("esm+:published", "esmp", esm_plus, real, runs, &mut published),
            ];
            for (name, key, score, schema, valid, tally) in metrics {
                let start = Instant::now();
                let scored = score(schema, gold, pred);
                tally.time += start.elapsed();
                let ours = valid && scored.score == 1.0;
                let theirs = verdict.get(key).and_then(Value::as_i64) == Some(1);
                tally.add(ours, theirs);
                if ours != theirs && show.as_deref() == Some(name) {
                    let details = Value::from(scored.details);
                    println!(
                        "{system} {i} {db}: ours {ours}, theirs {theirs}, valid {valid}\n  {gold}\n  {pred}\n  {details}"
                    );
                }
            }
        }
        official.print(system, "esm:official", pairs);
        published.print(system, "esm+:published", pairs);
    }
    Ok(())
}

/// The schemas of the real databases: the ESM+ script asks them for keys and NOT NULL.
fn databases(data: &Path, tables: &SchemaSet, golds: &[(String, String)]) -> SchemaSet {
    let mut out = SchemaSet::default();
    for (_, db) in golds {
        if out.contains_key(db) {
            continue;
        }
        let folder = data.join("spider/database");
        let file = [folder.join(format!("{db}/{db}.sqlite")), folder.join(format!("{db}.sqlite"))]
            .into_iter()
            .find(|f| f.exists());
        let real = match file {
            Some(file) => Schema::from_sqlite(&file).ok().and_then(|mut schema| {
                as_sqlite_says(&file, &mut schema).ok()?;
                Some(schema)
            }),
            None => {
                let ddl = twinql_sql::schema::load(folder.join(db).join("schema.sql"));
                ddl.ok().and_then(|schemas| schemas.into_values().next())
            }
        };
        if real.is_none() {
            eprintln!("{db}: no database, its schema is read from tables.json");
        }
        if let Some(schema) = real.or_else(|| tables.get(db).cloned()) {
            out.insert(db.clone(), schema);
        }
    }
    out
}

/// The script asks SQLite which columns are NOT NULL; SQLite does not say that the parts of a composite key are,
/// unless they are declared so.
fn as_sqlite_says(file: &Path, schema: &mut Schema) -> Result<(), rusqlite::Error> {
    let db = rusqlite::Connection::open_with_flags(file, rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    for table in schema.tables.iter_mut().filter(|t| t.primary_key.len() > 1) {
        for part in &table.primary_key {
            let Some(column) = table.columns.get_mut(*part) else { continue };
            let sql = "SELECT \"notnull\" FROM pragma_table_info(?1) WHERE name = ?2";
            column.not_null = db.query_row(sql, [&table.name, &column.name], |row| row.get(0))?;
        }
    }
    Ok(())
}
