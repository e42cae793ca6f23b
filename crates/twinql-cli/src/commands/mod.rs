//! One file for each command.
//!
//! A command turns its arguments into what the library takes, hands pairs to it, and shows what comes back.
//! What several commands share stands beside them: `batch` (the skeleton of commands over pairs), `says` (what such
//! a command says), `records` (in the format that was asked for), `stream` (pairs in parallel, in bounded memory),
//! `verdicts`, `witness` and `answers` (databases and answers as people read them), `worker` (processes that may be
//! killed), `clients` (programs of other databases).
//!
//! A command answers whether every check that was asked for held (`--strict`, `--fail-under`): the exit code
//! is then 0, and 1 where one failed. An error means that it could not be run, which is 2.

mod answers;
mod attention;
pub(crate) mod audit;
mod batch;
pub(crate) mod calibrate;
pub(crate) mod check_refactor;
mod clients;
pub(crate) mod cluster;
pub(crate) mod compare;
pub(crate) mod consistency;
mod contradicted;
pub(crate) mod corpus;
pub(crate) mod corpus_split;
pub(crate) mod corpus_stats;
mod databases;
mod entries;
#[cfg(feature = "train")]
mod environment;
pub(crate) mod estimate;
pub(crate) mod evaluate;
pub(crate) mod execute;
pub(crate) mod explain;
pub(crate) mod judge;
pub(crate) mod perturb;
#[cfg(feature = "train")]
pub(crate) mod pretrain;
pub(crate) mod profile;
pub(crate) mod prove;
mod records;
pub(crate) mod registries;
pub(crate) mod rerank;
mod says;
pub(crate) mod schema;
pub(crate) mod score;
pub(crate) mod selftest;
#[cfg(feature = "serve")]
pub(crate) mod serve;
mod stream;
pub(crate) mod suite;
pub(crate) mod suite_show;
mod tally;
#[cfg(feature = "train")]
pub(crate) mod train;
pub(crate) mod verdicts;
pub(crate) mod verify;
pub(crate) mod witness;
pub(crate) mod worker;

use std::path::Path;

use anyhow::{Result, bail};
use serde::Serialize;
use serde_json::Value;
use twinql::corpus::spider::read_predictions;
use twinql::input::Schemas;
use twinql::metrics::{Hardness, Metric, TRIVIAL, TrivialNgrams, hardness};
use twinql::record::{Record, Status, StatusCounts};
use twinql::sql::parse;
use twinql::{Engine, Job, Network, Profiles, Schema};

use crate::args::{Format, Metrics, Output};
use crate::input::{About, Item, Pairs};
use crate::output::{Console, Sink};

/// The engine that the arguments ask for, over these schemas. Says where a metric's semantics is not the one asked
/// for, and what of a profile is not followed.
pub(crate) fn engine(metrics: &Metrics, schemas: &Schemas, console: Console) -> Result<Engine> {
    let learned = metrics.metrics.iter().any(|m| m.is_learned());
    let network = learned.then(|| Network::chosen(metrics.checkpoint.as_deref())).transpose()?;
    let asked = metrics.semantics.clone().unwrap_or_default();
    if let (Some(network), Some(wanted)) = (&network, &metrics.semantics) {
        // Better said than found out.
        if let Some(nearest) = network.stands_in_for(wanted) {
            console.warn(format!(
                "the network was trained on labels under {}: it is read as under {nearest}, the nearest; canonical forms, proofs and databases follow --semantics {wanted}",
                network.semantics().join(", ")
            ));
        }
    }
    let profiles = settled_profiles(metrics.profile.as_deref(), schemas.all(), console)?;
    let workers = worker::workers(metrics.workers, &metrics.limits)?;
    Ok(Engine::builder()
        .metrics(metrics.metrics.iter().copied())
        .network(network)
        .semantics(asked)
        .question(metrics.question)
        .databases(metrics.databases)
        .plausible(metrics.plausible)
        .probes(metrics.probe)
        .profiles(profiles)
        .assume_accuracy(metrics.assume_accuracy)
        .matching(metrics.matching)
        .trivial_ngrams(trivial_ngrams(metrics.crystalbleu_corpus.as_deref())?)
        .without_rules(metrics.without_rules.clone())
        .seed(metrics.seed)
        .translated_from(schemas.dialects())
        .workers(workers, metrics.limits)
        .runs(databases::runs(metrics)?)
        .build()?)
}

/// What crystalbleu leaves out, where that is to be read from a file.
fn trivial_ngrams(path: Option<&Path>) -> Result<Option<TrivialNgrams>> {
    let Some(path) = path else { return Ok(None) };
    let queries = read_predictions(path)?;
    let ngrams = TrivialNgrams::of_queries(queries.iter().map(|q| q.sql.as_str()), TRIVIAL);
    if ngrams.is_empty() {
        bail!("--crystalbleu-corpus {}: the file holds no queries; give one a line", path.display());
    }
    Ok(Some(ngrams))
}

/// The profiles of a file or folder over these schemas, none where no path is given. Says what of them is not followed.
pub(crate) fn settled_profiles<'s>(
    path: Option<&Path>,
    schemas: impl Iterator<Item = &'s Schema>,
    console: Console,
) -> Result<Profiles> {
    let mut profiles = path.map(Profiles::load).transpose()?.unwrap_or_default();
    for warning in profiles.settle(schemas)? {
        console.warn(warning);
    }
    Ok(profiles)
}

/// How many pairs are scored at a time: few where each may take as long as the suite needs.
fn window(engine: &Engine) -> stream::Window {
    match engine.is_slow() {
        true => stream::Window::SMALL_BATCHES,
        false => stream::Window::BATCHES,
    }
}

/// Prints a text, or a JSON document in its place.
fn print(format: Format, text: impl FnOnce() -> String, document: impl FnOnce() -> Value) -> Result<()> {
    let format = if format == Format::Text { Format::Text } else { Format::Json };
    write_as(None, format, text, document, &[(); 0])
}

/// Writes in the format that was asked for: the text, one document, or a line for each of `lines`.
fn write_as<T: Serialize>(
    out: Option<&Path>,
    format: Format,
    text: impl FnOnce() -> String,
    document: impl FnOnce() -> Value,
    lines: &[T],
) -> Result<()> {
    let mut sink = Sink::new(out)?;
    match format {
        Format::Text => sink.write(&text())?,
        Format::Json => sink.line(&serde_json::to_string_pretty(&document())?)?,
        Format::Jsonl => {
            for line in lines {
                sink.line(&serde_json::to_string(line)?)?;
            }
        }
    }
    sink.finish()
}

/// Writes a report. What goes into a file for programs is said on the console as well.
fn tell<T: Serialize>(
    output: &Output,
    text: &str,
    document: impl FnOnce() -> Value,
    lines: &[T],
    console: Console,
) -> Result<()> {
    write_as(output.out.as_deref(), output.format, || text.to_owned(), document, lines)?;
    if output.out.is_some() && output.format != Format::Text {
        console.say(text.trim_end());
    }
    Ok(())
}

/// The signatures of all metrics, one a line.
pub(crate) fn signatures(engine: &Engine) -> Vec<(&'static str, String)> {
    let signature = |m: &&'static Metric| (m.name, engine.signature(m).to_string());
    engine.metrics().iter().map(signature).collect()
}

/// `12 of 12 pairs: ok 11, pred_error 1`.
pub(crate) fn status_line(counts: &StatusCounts) -> String {
    let n = counts.total();
    format!("{n} {}: {counts}", if n == 1 { "pair" } else { "pairs" })
}

/// Nothing could be done for any pair, because the machine failed.
///
/// # Errors
/// Every status is `machine_error`.
pub(crate) fn machine(counts: &StatusCounts) -> Result<()> {
    let failed = counts.get(Status::MachineError);
    if failed > 0 && failed == counts.total() {
        bail!(
            "the machine failed on {}: the records say how; free memory, processes or file descriptors, or try --workers threads",
            if failed == 1 { "the pair".to_owned() } else { format!("all {failed} pairs") }
        );
    }
    Ok(())
}

/// Checks `--strict`: says what failed.
pub(crate) fn strict(strict: bool, counts: &StatusCounts, console: Console) -> bool {
    let bad = counts.total() - counts.get(Status::Ok);
    if strict && bad > 0 {
        console.warn(format!("--strict: {bad} of {} pairs are not ok", counts.total()));
        return false;
    }
    true
}

/// Checks `--fail-under` of a figure and `--strict`, and says what failed.
fn checks(output: &Output, what: &str, value: Option<f64>, counts: &StatusCounts, console: Console) -> bool {
    let reached = fail_under(output.fail_under, what, value, console);
    strict(output.strict, counts, console) && reached
}

/// Scores jobs that are no pairs of a file, in their order.
fn score_all(engine: &Engine, jobs: Vec<Job>, doing: &'static str, console: Console) -> Result<Vec<Record>> {
    let mut records = Vec::with_capacity(jobs.len());
    let count = Some(jobs.len());
    let items = jobs.into_iter().map(|job| Ok(Item { job, about: About::default() }));
    let pairs = Pairs::of(Box::new(items), count);
    let mut contradicted = contradicted::Contradicted::default();
    stream::stream(pairs, window(engine), doing, console, &|jobs| engine.score(jobs), &mut |done| {
        if let Some((job, _, record)) = done {
            contradicted.tell(&job, &record, console);
            records.push(record);
        }
        Ok(true)
    })?;
    Ok(records)
}

/// Spider's class of a query; none where it cannot be read.
fn hardness_of(sql: &str) -> Option<Hardness> {
    Some(hardness(&parse(sql).ok()?.query))
}

/// Checks `--fail-under`: says what failed.
pub(crate) fn fail_under(limit: Option<f64>, what: &str, value: Option<f64>, console: Console) -> bool {
    let Some(limit) = limit else { return true };
    let reached = value.is_some_and(|value| value >= limit);
    if !reached {
        let is = value.map_or_else(|| "not defined on this data".into(), |value| format!("{value:.4}"));
        console.warn(format!("--fail-under {limit}: {what} is {is}"));
    }
    reached
}
