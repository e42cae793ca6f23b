//! How much of real SQL the planner covers: of the lines that SQLite itself accepts over
//! the schema, nearly all must have a plan. Needs `TWINQL_DATA`; `TWINQL_SAMPLE=1` reads
//! every line instead of every n-th.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::Path;

use crate::common::real::{Line, data, folder, gold, number, predictions, queries};
use rusqlite::Connection;
use twinql_sql::{Dialect, SchemaSet, SqlError, parse, parse_in, plan, schema::spider::read_tables_json};

fn schemas(path: &Path) -> SchemaSet {
    read_tables_json(&fs::read_to_string(path).unwrap()).unwrap()
}

/// How often something was met, by its kind, with the last of each.
#[derive(Default)]
struct Classes(BTreeMap<String, (usize, String)>);

impl Classes {
    fn add(&mut self, class: String, example: String) {
        let entry = self.0.entry(class).or_default();
        *entry = (entry.0 + 1, example);
    }

    /// Prints the most frequent ones.
    fn print(&self, before: &str, most: usize) {
        let mut all: Vec<_> = self.0.iter().collect();
        all.sort_by_key(|(_, (n, _))| std::cmp::Reverse(*n));
        for (class, (n, example)) in all.into_iter().take(most) {
            eprintln!("  {before}{n} x {class}\n      {example}");
        }
    }
}

#[derive(Default)]
struct Counts {
    lines: usize,
    valid: usize,
    planned: usize,
    rejected: usize,
    rejected_but_planned: usize,
    repaired: usize,
    repairs: BTreeMap<&'static str, usize>,
    failures: Classes,
    lenient: Classes,
}

impl Counts {
    fn share(&self) -> f64 {
        100.0 * self.planned as f64 / self.valid.max(1) as f64
    }
}

/// An error without what varies from line to line.
fn class(error: &SqlError) -> String {
    let text = error.to_string();
    let text = text.split(" at line").next().unwrap();
    let text = text.split(" at Line").next().unwrap();
    text.split(['"', '`']).step_by(2).collect::<Vec<_>>().join("…")
}

fn measure(name: &str, schemas: &SchemaSet, lines: &[Line], every: usize) -> Counts {
    let every = number("TWINQL_SAMPLE", every);
    let mut counts = Counts::default();
    let mut databases: HashMap<&str, Option<Connection>> = HashMap::new();
    for (db, sql) in lines.iter().step_by(every) {
        let Some(schema) = schemas.get(db) else {
            continue;
        };
        counts.lines += 1;
        let connection = databases.entry(db).or_insert_with(|| {
            let connection = Connection::open_in_memory().unwrap();
            match connection.execute_batch(&schema.to_ddl()) {
                Ok(()) => Some(connection),
                Err(error) => {
                    eprintln!("{name}: {db}: {error}");
                    None
                }
            }
        });
        let Some(connection) = connection else {
            continue;
        };
        let verdict =
            connection.prepare(sql).map_err(|e| e.to_string()).and_then(|s| match s.column_count() {
                0 => Err("no columns".to_owned()),
                _ => Ok(()),
            });
        let planned = parse(sql).and_then(|parsed| {
            counts.repaired += usize::from(!parsed.repairs.is_empty());
            let made: std::collections::BTreeSet<_> = parsed.repairs.iter().map(|r| r.name()).collect();
            for name in made {
                *counts.repairs.entry(name).or_default() += 1;
            }
            plan(schema, &parsed).map(|p| (p, parsed.repairs))
        });
        match (verdict, planned) {
            (Ok(()), Ok(_)) => {
                counts.valid += 1;
                counts.planned += 1;
            }
            (Ok(()), Err(error)) => {
                counts.valid += 1;
                counts.failures.add(class(&error), format!("{db}: {sql}"));
            }
            (Err(_), Err(_)) => counts.rejected += 1,
            (Err(why), Ok((_, repairs))) => {
                counts.rejected += 1;
                // A repaired line is a plan of what was meant.
                if repairs.is_empty() {
                    counts.rejected_but_planned += 1;
                    let why = why.split(" in ").next().unwrap();
                    counts.lenient.add(why.to_owned(), format!("{db}: {sql}"));
                }
            }
        }
    }
    eprintln!(
        "{name}: {} lines, {} valid, {} planned ({:.2} %), {} rejected by SQLite, {} of them planned unrepaired, {} repaired",
        counts.lines,
        counts.valid,
        counts.planned,
        counts.share(),
        counts.rejected,
        counts.rejected_but_planned,
        counts.repaired,
    );
    let repairs: Vec<String> = counts.repairs.iter().map(|(name, n)| format!("{name} {n}")).collect();
    eprintln!("  repairs: {}", repairs.join(", "));
    counts.failures.print("", 25);
    counts.lenient.print("planned though SQLite says: ", 12);
    counts
}

#[test]
fn spider_dev_is_planned() {
    let Some(data) = data() else { return };
    let schemas = schemas(&data.join("spider/tables.json"));
    let mut lines = gold(&data.join("spider/dev_gold.sql"));
    let gold_counts = measure("spider dev gold", &schemas, &lines, 1);
    assert!(gold_counts.share() >= 99.0);
    lines = folder(&data.join("predictions/spider_dev"), &lines);
    let counts = measure("spider dev predictions", &schemas, &lines, 29);
    assert!(counts.share() >= 98.0);
}

#[test]
fn spider_test_is_planned() {
    let Some(data) = data() else { return };
    let schemas = schemas(&data.join("spider/test_tables.json"));
    let mut lines = gold(&data.join("spider/test_gold.sql"));
    let gold_counts = measure("spider test gold", &schemas, &lines, 3);
    assert!(gold_counts.share() >= 99.0);
    lines = folder(&data.join("predictions/spider_test"), &lines);
    let counts = measure("spider test predictions", &schemas, &lines, 29);
    assert!(counts.share() >= 98.0);
}

#[test]
fn training_data_is_planned() {
    let Some(data) = data() else { return };
    let schemas = schemas(&data.join("spider/tables.json"));
    let lines = gold(&data.join("spider/train_gold.sql"));
    let counts = measure("spider train gold", &schemas, &lines, 7);
    assert!(counts.share() >= 99.0);
    let t5 = predictions(
        &data.join("predictions/spider_train/T5-PICARD_top1.txt"),
        &gold(&data.join("spider/train_spider_gold.sql")),
    );
    measure("T5-PICARD on train", &schemas, &t5, 5);
    let deepseek = predictions(
        &data.join("predictions/spider_train/train_others_deepseek-chat_xi-ix.txt"),
        &gold(&data.join("spider/train_others_gold.sql")),
    );
    measure("deepseek on train", &schemas, &deepseek, 5);
    let splash = queries(&data.join("pairs/splash_train_seq2struct.jsonl"), "pred");
    let counts = measure("SPLASH predictions", &schemas, &splash, 11);
    assert!(counts.share() >= 98.0);
}

#[test]
fn pairs_are_planned() {
    let Some(data) = data() else { return };
    let schemas = schemas(&data.join("spider/tables.json"));
    for field in ["gold", "pred"] {
        let lines = queries(&data.join("pairs/spider_pair_dev.jsonl"), field);
        let counts = measure(&format!("pairs, {field}"), &schemas, &lines, 1);
        assert!(counts.share() >= 99.0);
    }
}

#[test]
fn bird_is_planned() {
    let Some(data) = data() else { return };
    let train = schemas(&data.join("bird/train_tables.json"));
    let lines = gold(&data.join("bird/train_gold.sql"));
    let counts = measure("BIRD train gold", &train, &lines, 11);
    assert!(counts.share() >= 97.0);
    let dev = schemas(&data.join("bird/dev_tables.json"));
    let lines = gold(&data.join("bird/dev_gold.sql"));
    measure("BIRD dev gold", &dev, &lines, 3);
    let predicted = folder(&data.join("predictions/bird_dev"), &lines);
    let counts = measure("BIRD dev predictions", &dev, &predicted, 37);
    assert!(counts.share() >= 97.0);
}

/// Predictions in PostgreSQL's flavour: how much is read in each dialect. SQLite is not
/// asked, so that lines that are no SQL at all, and unknown names, count as failures.
#[test]
fn postgres_flavour_is_planned() {
    let Some(data) = data() else { return };
    let schemas = schemas(&data.join("spider/tables.json"));
    let folder = data.join("predictions/spider_train_subset_codegen");
    let (one, many) = (gold(&folder.join("spider_gold.sql")), gold(&folder.join("spider_gold_mt.sql")));
    let mut lines: Vec<Line> = Vec::new();
    for (file, gold) in [
        ("pred.txt", &one),
        ("pred_ua.txt", &one),
        ("pred_codegen.txt", &one),
        ("pred_codegen_ua.txt", &one),
        ("pred_mt.txt", &many),
        ("pred_mt_v2.txt", &many),
        ("pred_codegen_mt.txt", &many),
    ] {
        lines.extend(predictions(&folder.join(file), gold));
    }
    let every = number("TWINQL_SAMPLE", 7);
    let mut shares = BTreeMap::new();
    for dialect in Dialect::ALL {
        let (mut all, mut parsed, mut planned) = (0, 0, 0);
        let mut failures = Classes::default();
        for (db, sql) in lines.iter().step_by(every) {
            let Some(schema) = schemas.get(db) else { continue };
            all += 1;
            let made = parse_in(sql, dialect).and_then(|p| {
                parsed += 1;
                plan(schema, &p)
            });
            match made {
                Ok(_) => planned += 1,
                Err(error) => failures.add(class(&error), sql.clone()),
            }
        }
        let share = |n: usize| 100.0 * n as f64 / f64::from(all.max(1));
        eprintln!(
            "codegen predictions as {dialect}: {all} lines, parsed {:.2} %, planned {:.2} %",
            share(parsed),
            share(planned)
        );
        failures.print("", 10);
        shares.insert(dialect, parsed);
    }
    assert!(shares[&Dialect::Postgres] >= shares[&Dialect::Sqlite]);
}
