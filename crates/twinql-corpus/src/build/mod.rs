//! Labelled pairs from gold queries: real predictions, neighbours and rewrites of each
//! gold, over its own schema and over changed ones, labelled by the test suite, balanced, split by database.
//!
//! The result depends on the configuration and its files alone, not on the number of
//! threads: every gold has its own random stream. Work that was interrupted goes on from
//! the golds that are done.

mod candidates;
pub mod config;
mod databases;
mod evaluation;
mod gather;
mod golds;
mod grade;
mod oracle;
mod relabel;
mod sampled;
mod share;
mod stats;
mod text;
mod variants;

#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use rand::SeedableRng as _;
use rand::seq::SliceRandom as _;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};
use twinql_sql::{Schema, Semantics};
use twinql_suite::resume::{Finished, partial_of};

pub use config::{BuildConfig, EVALUATION_DATABASES, Role};
pub use grade::{EASE, grade};
pub use oracle::{Oracle, Outcome, SuiteOracle};
pub use relabel::{gold_part, relabel};
pub use share::{SHARE, share};
pub use stats::{CHANGED_SCHEMA, Dropped, Labels, Stats, TURNED, kinds, origin};
use text::hash;
pub use text::{normal, plug_values};

use crate::io::write_whole;
use crate::{CorpusError, Pair, pairs};
use candidates::Candidate;
use databases::Databases;
use gather::{Gathered, Task, gather};

/// How far a build is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Golds that are done.
    pub golds: usize,
    /// Golds in all.
    pub of: usize,
    /// Pairs so far.
    pub pairs: usize,
}

/// What one gold gave.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct Yield {
    pairs: Vec<Json>,
    dropped: Dropped,
}

/// What every gold's work needs.
#[derive(Clone, Copy)]
struct Job<'a> {
    config: &'a BuildConfig,
    semantics: &'a Semantics,
    oracle: &'a dyn Oracle,
    /// Forms of the queries of evaluation sets.
    known: &'a HashSet<u64>,
}

/// Golds between two writes to the file of finished work.
const CHUNK: usize = 256;

/// Builds the corpus that `config` describes, labelled by the built-in suite, and writes
/// it to `config.out` with its statistics beside it (`….stats.json`).
///
/// # Errors
/// A file that cannot be read, aligned or written. One bad prediction or gold is counted
/// in [`Stats::dropped`] and stops nothing.
pub fn build(config: &BuildConfig, progress: &mut dyn FnMut(Progress)) -> Result<Stats, CorpusError> {
    let semantics = config.semantics()?;
    let oracle = SuiteOracle::new(semantics, config.seed, config.databases, config.min_nonempty);
    build_with(config, &oracle, progress)
}

/// As [`build`], with another source of labels.
///
/// # Errors
/// Those of [`build`].
pub fn build_with(
    config: &BuildConfig,
    oracle: &dyn Oracle,
    progress: &mut dyn FnMut(Progress),
) -> Result<Stats, CorpusError> {
    config.check()?;
    let semantics = config.semantics()?;
    let databases = Databases::of(config)?;
    let Gathered { schemas, mut tasks, mut dropped } = gather(config, &databases)?;
    let known = evaluation::forms(&config.evaluation, &semantics)?;
    tasks.extend(sampled::tasks(config, &schemas, &databases, &semantics, oracle)?);
    let job = Job { config, semantics: &semantics, oracle, known: &known };
    if config.max_golds > 0 {
        tasks.shuffle(&mut ChaCha8Rng::seed_from_u64(config.seed));
        tasks.truncate(config.max_golds);
    }
    let path = partial_of(&config.out);
    let read = |line: &[u8]| serde_json::from_slice::<Yield>(line).ok();
    let (mut finished, mut yields) = Finished::open(&path, &fingerprint(config, &tasks), true, read)?;
    let mut pairs_so_far: usize = yields.iter().map(|y| y.pairs.len()).sum();
    while yields.len() < tasks.len() {
        let from = yields.len();
        progress(Progress { golds: from, of: tasks.len(), pairs: pairs_so_far });
        let chunk = &tasks[from..tasks.len().min(from + CHUNK)];
        let done: Vec<Yield> = chunk
            .par_iter()
            .map(|task| match schemas.get(&task.db_id) {
                Some(schema) => one_gold(&job, schema, task),
                None => Yield::default(),
            })
            .collect();
        pairs_so_far += done.iter().map(|y| y.pairs.len()).sum::<usize>();
        let lines: Result<Vec<String>, _> = done.iter().map(serde_json::to_string).collect();
        let lines = lines.map_err(|e| finished.failed(e.into()))?;
        finished.append(&lines).map_err(|e| finished.failed(e))?;
        yields.extend(done);
    }
    progress(Progress { golds: tasks.len(), of: tasks.len(), pairs: pairs_so_far });
    let mut all = Vec::with_capacity(pairs_so_far);
    for done in &yields {
        dropped.add(&done.dropped);
        for json in &done.pairs {
            all.push(
                Pair::from_json(&json.to_string()).map_err(|problem| CorpusError::Config(problem.message))?,
            );
        }
    }
    let mut held = evaluation::held(&all, &schemas, &known, &semantics).into_iter();
    let labelled = all.len();
    all.retain(|_| !held.next().unwrap_or(false));
    dropped.evaluation = labelled - all.len();
    for (number, pair) in all.iter_mut().enumerate() {
        // Parts may be put into one file.
        pair.id = match config.part {
            Some((part, of)) => format!("{part}of{of}-p{number}").into(),
            None => format!("p{number}").into(),
        };
        pair.split = pair.db_id.as_ref().map(|d| databases.role(d).name().to_owned());
    }
    if all.is_empty() {
        return Err(CorpusError::Config(format!(
            "no pair is left ({} lines over reserved databases, {} over unknown ones, {} golds' candidates with an error); check `schemas` and the sources",
            dropped.excluded, dropped.unknown_database, dropped.gold_error
        )));
    }
    pairs::write(&config.out, &all)?;
    let stats = Stats { dropped, ..Stats::of(&all) };
    write_stats(&stats_path(&config.out), &stats)?;
    if let Err(e) = finished.remove() {
        tracing::warn!("{}: cannot remove it: {e}", path.display());
    }
    Ok(stats)
}

/// All files and folders that a build reads.
///
/// # Errors
/// A pattern that names no file.
pub fn sources(config: &BuildConfig) -> Result<Vec<PathBuf>, CorpusError> {
    let mut paths: Vec<PathBuf> = config.schemas.iter().map(PathBuf::from).collect();
    let mut patterns: Vec<&String> = config.pairs.iter().map(|source| &source.path).collect();
    for source in &config.gold {
        paths.push(PathBuf::from(&source.gold));
        patterns.extend(source.predictions.iter().chain(&source.beams));
    }
    for source in &config.evaluation {
        paths.push(PathBuf::from(&source.path));
        paths.extend(source.schemas.iter().map(PathBuf::from));
    }
    if !config.split.test_file.is_empty() {
        paths.push(PathBuf::from(&config.split.test_file));
    }
    for pattern in patterns {
        paths.extend(gather::glob(pattern)?);
    }
    Ok(paths)
}

/// Where the statistics of a corpus stand: `pairs.jsonl.gz` → `pairs.stats.json`.
pub fn stats_path(corpus: &Path) -> PathBuf {
    let name = corpus.file_name().map(|n| n.to_string_lossy().into_owned());
    let name = name.unwrap_or_default();
    let stem = name.trim_end_matches(".gz").trim_end_matches(".jsonl");
    corpus.with_file_name(format!("{stem}.stats.json"))
}

/// Writes statistics as JSON, whole or not at all.
///
/// # Errors
/// Whatever the operating system refuses.
pub fn write_stats(path: &Path, stats: &Stats) -> Result<(), CorpusError> {
    write_whole(path, |out| {
        serde_json::to_writer_pretty(&mut *out, stats)?;
        out.write_all(b"\n")
    })
}

fn fingerprint(config: &BuildConfig, tasks: &[Task]) -> String {
    let settings = serde_json::to_string(config).unwrap_or_default();
    let mut parts: Vec<&str> = vec![env!("CARGO_PKG_VERSION"), &settings];
    for task in tasks {
        parts.push(&task.db_id);
        parts.push(&task.gold);
        parts.extend(task.real.iter().map(|r| r.sql.as_str()));
    }
    format!("{:016x}", hash(&parts))
}

/// All labelled pairs of one gold.
fn one_gold(job: &Job<'_>, schema: &Schema, task: &Task) -> Yield {
    let &Job { config, semantics, oracle, .. } = job;
    let seed = hash(&["gold", &config.seed.to_string(), &task.db_id, &task.gold]);
    let mut dropped = Dropped::default();
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let candidates = candidates::propose(&config.sample, oracle, schema, task, &mut rng, &mut dropped);
    let candidates = candidates::prove(schema, semantics, &task.gold, candidates, &mut dropped);
    let candidates = candidates::thin(&config.select, candidates, &mut rng, &mut dropped);
    let sql: Vec<&str> = candidates.iter().map(|c| c.sql.as_str()).collect();
    let outcomes = oracle.label(schema, &task.gold, &sql);
    let mut labelled: Vec<(Candidate, u8)> = Vec::new();
    for (candidate, outcome) in candidates.iter().zip(outcomes) {
        match (candidate.label, outcome) {
            (Some(label), _) | (None, Outcome::Label(label)) => {
                labelled.push((candidate.clone(), label));
            }
            (None, outcome) => dropped.outcome(outcome),
        }
    }
    let before = labelled.len();
    let kept = candidates::select(&config.select, labelled, &mut rng);
    dropped.not_selected += before - kept.len();
    let variants = variants::variants(job, schema, task, &kept, &mut dropped);
    let own = kept.into_iter().map(|(candidate, label)| Pair {
        db_id: Some(task.db_id.clone()),
        gold: task.gold.clone(),
        pred: candidate.sql,
        label: Some(label),
        question: task.question.clone(),
        source: Some(candidate.source),
        extra: Map::from_iter([
            ("semantics".to_owned(), Json::String(config.semantics.clone())),
            ("proved".to_owned(), Json::Bool(candidate.proved)),
        ]),
        ..Pair::default()
    });
    let pairs = own.chain(variants).map(|pair| pair.to_json()).collect();
    Yield { pairs, dropped }
}
