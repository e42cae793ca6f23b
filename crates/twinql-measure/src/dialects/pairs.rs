//! Measures pairs of other dialects, and across them: what proofs, the suite and the networks say, and what is known.
//!
//! `dialect-pairs [--data DIR] [--set NAME] [--semantics PRESET] [--out FOUND.jsonl]`
//!
//! | set | pairs | known |
//! |---|---|---|
//! | `minidev` | golds of BIRD Mini-Dev in SQLite and in PostgreSQL | nominally the same |
//! | `parity` | one question in two systems, by each system and the next | nominally the same |
//! | `differing` | those of them that were read and differ, for the reasons in `parity_differing.tsv` | different |
//! | `questions` | two questions over one database in two systems | different |
//! | `own` | pairs written by hand, checked on engines or by documentation | by each pair |

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value, json};
use twinql::gmn::Decision;
use twinql::metrics::{GMN, PROOF, SUITE, TWO_TIER};
use twinql::{Dialects, Engine, Job, Metric, Semantics, Work, input};
use twinql_sql::{Dialect, Schema, schema};

use crate::{Done, Measurement};

/// The measurement.
pub(crate) const MEASUREMENT: Measurement = Measurement {
    name: "dialect-pairs",
    about: "pairs of other dialects and across them: proved, executed, scored",
    usage: "[--data DIR] [--set NAME] [--semantics PRESET] [--out FOUND.jsonl]",
    run,
};

/// What is asked of each pair.
const METRICS: [&Metric; 4] = [&PROOF, &SUITE, &GMN, &TWO_TIER];

/// A pair whose answer is known, at least by name.
struct Known {
    set: &'static str,
    id: String,
    dialects: Dialects,
    gold: String,
    pred: String,
    schema: Arc<Schema>,
    same: bool,
}

fn run(args: &[String]) -> Done {
    let mut data = std::env::var_os("TWINQL_DATA").map(PathBuf::from);
    let (mut set, mut semantics, mut out) = (None, Semantics::default(), None);
    let mut args = args.iter();
    while let Some(flag) = args.next() {
        let value = args.next().ok_or_else(|| format!("{flag} needs a value"))?;
        match flag.as_str() {
            "--data" => data = Some(value.into()),
            "--set" => set = Some(value.clone()),
            "--semantics" => semantics = value.parse()?,
            "--out" => out = Some(PathBuf::from(value)),
            _ => return Err(format!("unknown option {flag}").into()),
        }
    }
    let Some(data) = data else {
        println!("skipped: TWINQL_DATA is not set");
        return Ok(());
    };
    let mut pairs = own(&data)?;
    pairs.extend(minidev(&data)?);
    pairs.extend(parity(&data)?);
    pairs.retain(|pair| set.as_ref().is_none_or(|set| pair.set == set));
    let engine = Engine::builder().metrics(METRICS).semantics(semantics).build()?;
    let jobs: Vec<Job> = pairs
        .iter()
        .map(|pair| {
            Job::new(
                pair.id.clone().into(),
                input::work(Arc::clone(&pair.schema), pair.gold.clone(), pair.pred.clone(), pair.dialects),
            )
        })
        .collect();
    let records = engine.score(&jobs);
    let mut file = out.map(std::fs::File::create).transpose()?;
    let mut tallies: BTreeMap<(&str, &str), [usize; 4]> = BTreeMap::new();
    for (pair, (job, record)) in pairs.iter().zip(jobs.iter().zip(&records)) {
        let calls = METRICS.map(|metric| engine.call(metric, record, true));
        for (metric, call) in METRICS.iter().zip(&calls) {
            let tally = tallies.entry((pair.set, metric.name)).or_default();
            tally[0] += 1;
            tally[match (call, pair.same) {
                (Decision::Abstained, _) => 3,
                (Decision::Same, true) | (Decision::Different, false) => 1,
                _ => 2,
            }] += 1;
        }
        if let Some(file) = &mut file {
            let said: BTreeMap<&str, Value> = METRICS
                .iter()
                .map(|m| (m.name, json!([record.score(m.name), record.status_of(m.name)])))
                .collect();
            let sqlite = match &job.work {
                Work::Pair { gold, pred, .. } => json!([gold, pred]),
                _ => Value::Null,
            };
            let line = json!({"set": pair.set, "id": pair.id, "dialects": pair.dialects.to_string(), "db_id": pair.schema.db_id,
                "same": pair.same, "said": said, "error": record.error, "gold": pair.gold, "pred": pair.pred, "sqlite": sqlite});
            writeln!(file, "{line}")?;
        }
    }
    println!("pairs\tmetric\tin all\tright\twrong\tundecided\tright, %");
    for ((set, metric), [all, right, wrong, open]) in tallies {
        println!(
            "{set}\t{metric}\t{all}\t{right}\t{wrong}\t{open}\t{:.1}",
            100.0 * right as f64 / all.max(1) as f64
        );
    }
    Ok(())
}

/// The lines of a file of the data.
fn lines(data: &Path, file: &str) -> Result<Vec<Value>, Box<dyn Error>> {
    let path = data.join("dialects").join(file);
    let text = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    Ok(text.lines().map(serde_json::from_str).collect::<Result<_, _>>()?)
}

fn text(row: &Value, field: &str) -> String {
    row[field].as_str().map_or_else(|| row[field].to_string(), str::to_owned)
}

/// The schema of a file that holds one.
fn only(path: &Path, dialect: Dialect) -> Result<Arc<Schema>, Box<dyn Error>> {
    Ok(Arc::new(schema::load_in(path, dialect)?.into_values().next().ok_or("no schema")?))
}

fn own(data: &Path) -> Result<Vec<Known>, Box<dyn Error>> {
    let path = data.join("dialects/schemas/shop.sql");
    let mut schemas: BTreeMap<Dialect, Arc<Schema>> = BTreeMap::new();
    let mut out = Vec::new();
    for file in ["own_pairs_dialects.jsonl", "own_pairs_engine_checked.jsonl"] {
        for row in lines(data, file)? {
            let dialect: Dialect = text(&row, "dialect").parse()?;
            let schema = match schemas.entry(dialect) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(new) => new.insert(only(&path, dialect)?),
            };
            out.push(Known {
                set: "own",
                id: text(&row, "id"),
                dialects: dialect.into(),
                gold: text(&row, "gold"),
                pred: text(&row, "pred"),
                schema: Arc::clone(schema),
                same: row["label"] == 1,
            });
        }
    }
    Ok(out)
}

fn minidev(data: &Path) -> Result<Vec<Known>, Box<dyn Error>> {
    let schemas = crate::inputs::schemas(&data.join("bird/dev_tables.json"))?;
    let mut out = Vec::new();
    for row in lines(data, "minidev_sqlite_postgres.jsonl")? {
        let dialects = Dialects::from(Dialect::Sqlite)
            .of_pair(Some(&text(&row, "gold_dialect")), Some(&text(&row, "pred_dialect")))?;
        let schema = schemas.get(&text(&row, "db_id")).ok_or("no schema")?;
        out.push(Known {
            set: "minidev",
            id: text(&row, "id"),
            dialects,
            gold: text(&row, "gold"),
            pred: text(&row, "pred"),
            schema: Arc::clone(schema),
            same: true,
        });
    }
    Ok(out)
}

/// A question's query with its system, and the DDL that it is over.
type Said = (Dialect, String, String);

/// Pairs of one question that were read, and differ on some database.
const DIFFERING: &str = include_str!("parity_differing.tsv");

/// Snowflake's questions have numbers of their own, and are left out.
fn parity(data: &Path) -> Result<Vec<Known>, Box<dyn Error>> {
    let mut questions: BTreeMap<(String, String), Vec<Said>> = BTreeMap::new();
    for row in lines(data, "defog_parity.jsonl")? {
        let dialect: Dialect = text(&row, "dialect").parse()?;
        if dialect != Dialect::Snowflake {
            let of = questions.entry((text(&row, "db_id"), text(&row, "question"))).or_default();
            of.push((dialect, text(&row, "gold"), text(&row, "schema")));
        }
    }
    let read = DIFFERING.lines().filter_map(|line| line.split('\t').nth(2));
    let differing: BTreeSet<&str> = read.flat_map(str::split_whitespace).collect();
    let mut schemas: BTreeMap<(String, Dialect), Arc<Schema>> = BTreeMap::new();
    let mut known = |set, id: String, gold: &Said, pred: &Said| -> Result<Known, Box<dyn Error>> {
        let (dialect, path) = (gold.0, &gold.2);
        let schema = match schemas.entry((path.clone(), dialect)) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => new.insert(only(&data.join("dialects").join(path), dialect)?),
        };
        Ok(Known {
            set,
            id,
            dialects: Dialects { schema: dialect, gold: gold.0, pred: pred.0 },
            gold: gold.1.clone(),
            pred: pred.1.clone(),
            schema: Arc::clone(schema),
            same: set == "parity",
        })
    };
    let mut out = Vec::new();
    let all: Vec<_> = questions.iter().collect();
    for (at, ((db, question), queries)) in all.iter().enumerate() {
        for (one, two) in queries.iter().zip(queries.iter().skip(1)) {
            let id = format!("{question}/{}/{}", one.0, two.0);
            let set = if differing.contains(id.as_str()) { "differing" } else { "parity" };
            out.push(known(set, id, one, two)?);
        }
        // The next question over the same database.
        let Some(((_, next), others)) = all.get(at + 1).filter(|((other, _), _)| other == db) else {
            continue;
        };
        for (one, two) in queries.iter().zip(others.iter().skip(1)) {
            out.push(known("questions", format!("{question}/{}/{next}/{}", one.0, two.0), one, two)?);
        }
    }
    Ok(out)
}
