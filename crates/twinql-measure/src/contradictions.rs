//! Proofs that a database refutes, counted over real predictions: there is none, or one of twinql's parts is wrong.
//!
//! Of the distinct pairs of golds and predictions those are taken that are proved equal and not written alike. The suite
//! judges them, a probe looks at them as they are written, and an engine says which are contradicted.

use std::collections::HashSet;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use twinql::corpus::{examples, pairs, predictions};
use twinql::metrics::{GMN, PROOF, SUITE, TWO_TIER};
use twinql::prepare::same_tokens;
use twinql::{Engine, Job, Record, Schema, Semantics, Status, Work};

use crate::inputs::{Schemas, schemas};
use crate::{Done, Measurement};

/// The measurement.
pub(crate) const MEASUREMENT: Measurement = Measurement {
    name: "contradictions",
    about: "proofs of equality that a database refutes, over real predictions",
    usage: "[STEP [SEMANTICS]]",
    run,
};

/// Golds, the folder of what systems predict for them, and their schemas.
const PREDICTIONS: [[&str; 3]; 6] = [
    ["spider/dev_gold.sql", "predictions/spider_dev", "spider/tables.json"],
    ["spider/test_gold.sql", "predictions/spider_test", "spider/test_tables.json"],
    ["bird/dev_gold.sql", "predictions/bird_dev", "bird/dev_tables.json"],
    ["bird/mini_dev_sqlite.json", "predictions/bird_mini_dev", "bird/dev_tables.json"],
    ["cosql/dev_gold.txt", "predictions/cosql_dev", "cosql/tables.json"],
    ["sparc/dev_gold.txt", "predictions/sparc_dev", "spider/tables.json"],
];

/// Files of pairs, and their schemas.
const PAIRS: [[&str; 2]; 3] = [
    ["pairs/spider_pair_dev.jsonl", "spider/tables.json"],
    ["pairs/bird_ex_dev.jsonl", "bird/dev_tables.json"],
    ["pairs/splash_train_seq2struct.jsonl", "spider/tables.json"],
];

fn run(args: &[String]) -> Done {
    let Some(data) = std::env::var_os("TWINQL_DATA").map(PathBuf::from) else {
        println!("skipped: TWINQL_DATA is not set");
        return Ok(());
    };
    let step = args.first().map_or(Ok(1), |step| step.parse())?;
    let semantics: Semantics = args.get(1).map_or_else(|| Ok(Semantics::default()), |s| s.parse())?;
    let found = count(&data, step, &semantics)?;
    println!("{found}");
    for pair in &found.contradicted {
        println!("\n{pair}");
    }
    match found.contradicted.len() {
        0 => Ok(()),
        n => Err(format!("{n} proofs are refuted").into()),
    }
}

/// What was found.
#[derive(Debug, Default)]
pub struct Found {
    /// Distinct pairs.
    pub pairs: usize,
    /// Those that are proved equal, and not written alike.
    pub proved: usize,
    /// Those whose proof a database refutes, in words.
    pub contradicted: Vec<String>,
}

impl std::fmt::Display for Found {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Found { pairs, proved, contradicted } = self;
        write!(f, "{pairs} pairs, {proved} proved equal, {} of them refuted", contradicted.len())
    }
}

/// Counts over every STEPth of the distinct pairs of all real data.
pub fn count(data: &Path, step: usize, semantics: &Semantics) -> Result<Found, Box<dyn Error>> {
    let all: Vec<Job> = jobs(data)?.into_iter().step_by(step.max(1)).collect();
    let prover = Engine::builder().metric(&PROOF).semantics(semantics.clone()).build()?;
    let judge =
        Engine::builder().metrics([&PROOF, &GMN, &TWO_TIER, &SUITE]).semantics(semantics.clone()).build()?;
    let mut found = Found { pairs: all.len(), ..Found::default() };
    for block in all.chunks(4096) {
        let records = prover.score(block);
        let proved: Vec<Job> = block
            .iter()
            .zip(records)
            .filter(|(job, record)| record.score("proof") == Some(1.0) && !is_written_alike(job))
            .map(|(job, _)| job.clone())
            .collect();
        found.proved += proved.len();
        let records = judge.score(&proved);
        let refuted = proved.iter().zip(&records).filter(|(_, record)| record.status == Status::Contradicted);
        found.contradicted.extend(refuted.map(|(job, record)| in_words(job, record)));
    }
    Ok(found)
}

fn is_written_alike(job: &Job) -> bool {
    matches!(&job.work, Work::Pair { gold, pred, .. } if same_tokens(gold, pred))
}

fn in_words(job: &Job, record: &Record) -> String {
    let Work::Pair { schema, gold, pred } = &job.work else { return String::new() };
    let by: Vec<String> = ["proof", "gmn", "two-tier"]
        .iter()
        .filter_map(|name| Some(format!("{name} by {}", record.detail(name, "contradicted_by")?.as_str()?)))
        .collect();
    format!("{} over {}: {}\n{gold}\n{pred}", job.id, schema.db_id, by.join(", "))
}

/// The distinct pairs of all real data that is there.
fn jobs(data: &Path) -> Result<Vec<Job>, Box<dyn Error>> {
    let mut seen = HashSet::new();
    let mut jobs = Vec::new();
    let mut add = |id: String, schema: Option<&Arc<Schema>>, gold: &str, pred: &str| {
        let Some(schema) = schema else { return };
        if !pred.trim().is_empty() && seen.insert((schema.db_id.clone(), gold.to_owned(), pred.to_owned())) {
            let work =
                Work::Pair { schema: Arc::clone(schema), gold: gold.to_owned(), pred: pred.to_owned() };
            jobs.push(Job { id: id.into(), work });
        }
    };
    for [golds, folder, tables] in PREDICTIONS {
        let Some((golds, schemas)) = there(data, golds, tables)? else { continue };
        let golds = examples::read(golds)?.examples;
        for file in files(&data.join(folder))? {
            let mut read = predictions::read(&file)?.all;
            // Blank lines between interactions; and some files answer the first golds only.
            if read.len() > golds.len() {
                read.retain(|prediction| !prediction.sql.is_empty());
            }
            let stem = file.file_stem().unwrap_or_default().to_string_lossy();
            for (number, (gold, pred)) in golds.iter().zip(read).enumerate() {
                add(format!("{stem}:{number}"), schemas.get(&gold.database), &gold.sql, &pred.sql);
            }
        }
    }
    for [file, tables] in PAIRS {
        let Some((file, schemas)) = there(data, file, tables)? else { continue };
        for (number, pair) in pairs::read(&file)?.pairs.into_iter().enumerate() {
            let schema = pair.db_id.as_ref().and_then(|id| schemas.get(id));
            let stem = file.file_stem().unwrap_or_default().to_string_lossy();
            add(format!("{stem}:{number}"), schema, &pair.gold, &pair.pred);
        }
    }
    Ok(jobs)
}

/// A file and its schemas, where both are there.
fn there(data: &Path, file: &str, tables: &str) -> Result<Option<(PathBuf, Schemas)>, Box<dyn Error>> {
    let (file, tables) = (data.join(file), data.join(tables));
    match file.exists() && tables.exists() {
        true => Ok(Some((file, schemas(&tables)?))),
        false => Ok(None),
    }
}

/// The files of a folder by their names; none where there is no folder.
fn files(folder: &Path) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let entries = std::fs::read_dir(folder)?.collect::<Result<Vec<_>, _>>()?;
    let mut files: Vec<PathBuf> =
        entries.into_iter().map(|entry| entry.path()).filter(|p| p.is_file()).collect();
    files.sort();
    Ok(files)
}
