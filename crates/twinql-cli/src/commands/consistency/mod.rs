//! `twinql consistency`: how often a system says something else on transformed inputs.
//!
//! Both predictions become queries over the original schema, those over a transformed one through the mapping of
//! its input. Each distinct pair is scored once.

mod examples;
mod fluency;
mod inputs;
mod report;
mod tables;

use anyhow::{Result, bail};
use serde_json::{Value, json};
use twinql::files::Inputs;
use twinql::gmn::Decision;
use twinql::metrics::{Metric, PROOF, Resampling, SUITE, ScoreKind};
use twinql::record::StatusCounts;
use twinql::{Engine, Record, Status};
use twinql_perturb::consistency::{Alarms, Call, Judged, Rates, alarms, rates};
use twinql_perturb::fluency::{Fluency, Trigrams};

use crate::args::consistency::Consistency;
use crate::args::{self, Metrics, Output};
use crate::commands::perturb::sqlite_only;
use crate::commands::{databases, engine, score_all, strict, tell};
use crate::document;
use crate::external::subjects;
use crate::output::Console;
use crate::report::Subject;
use inputs::{Compared, Outcome, Read};

/// What was found.
struct Found {
    /// By metric.
    rates: Vec<Rates>,
    /// Of each metric that compares texts, where others know better.
    alarms: Vec<(String, Vec<Alarms>)>,
    subjects: Vec<Subject>,
    /// How intervals are made.
    how: Resampling,
    /// Of distinct pairs.
    counts: StatusCounts,
}

/// Inputs without predictions that are named on the console; all of them are in the JSON document.
const NAMED: usize = 10;

/// Reads inputs and predictions, judges what is distinct, and tells the rates.
pub(crate) fn run(typed: Consistency, seed: Option<u64>, console: Console) -> Result<bool> {
    sqlite_only(typed.input.dialects.dialect)?;
    let metrics = Metrics::new(typed.metrics, seed)?;
    let output = Output::of_report(typed.output)?;
    let how = args::resampling(typed.resamples, seed);
    if output.fail_under.is_some() {
        bail!(
            "--fail-under: inconsistency rates are better when they are low; use --strict, or read the JSON"
        );
    }
    let mut files = Inputs::default().with([
        ("--questions", Some(typed.questions.as_path())),
        ("--schemas", Some(typed.input.schemas.as_path())),
        ("--originals", Some(typed.originals.as_path())),
        ("--transformed", Some(typed.transformed.as_path())),
        ("--fluency-scores", typed.fluency_scores.as_deref()),
    ]);
    files = files.with(metrics.files());
    document::outputs(&mut files, &[&output.out], &typed.report)?;
    let schemas = databases::schemas(Some(&typed.input.schemas), &metrics, typed.input.dialects.dialect)?;
    let engine = engine(&metrics, &schemas, console)?;
    let spoken = match &typed.fluency_scores {
        Some(path) => Fluency::read(path)?,
        None => Fluency::Model(Box::new(Trigrams::bundled()?)),
    };
    let read = Read::new(&typed.questions, &typed.originals, &typed.transformed, &schemas)?;
    name_missing(&read, console);
    if read.compared.is_empty() {
        bail!("no transformed input has both predictions: there is nothing to compare");
    }
    let records = score_all(&engine, read.distinct.clone(), "judging", console)?;
    let calls: Vec<Vec<Call>> = read.compared.iter().map(|c| calls(&engine, c, &read, &records)).collect();
    let judged: Vec<Judged> =
        read.compared.iter().zip(&calls).map(|(c, calls)| c.judged(calls.clone())).collect();
    let mut counts = StatusCounts::default();
    records.iter().for_each(|record| counts.add(record.status));
    let found = Found {
        rates: engine.metrics().iter().enumerate().map(|(i, m)| rates(m.name, &judged, i, &how)).collect(),
        alarms: false_alarms(&engine, &judged),
        subjects: subjects(&engine, []),
        how,
        counts,
    };
    if let Some(path) = &typed.report {
        let cards = examples::cards(&engine, &read, &calls, how.seed);
        document::write(&report::report(&found, &read, fluency::section(&spoken, &read), cards), path)?;
    }
    let text = tables::text(&found, &read);
    let lines: Vec<Value> =
        read.compared.iter().zip(&calls).map(|(c, calls)| c.line(&engine, calls)).collect();
    tell(&output, &text, || document(&found, &read), &lines, console)?;
    let missing = read.missing();
    if output.strict && missing > 0 {
        console.warn(format!("--strict: {missing} inputs have no pair of predictions"));
        return Ok(false);
    }
    Ok(strict(output.strict, &found.counts, console))
}

/// What each metric says of a compared input.
fn calls(engine: &Engine, compared: &Compared, read: &Read, records: &[Record]) -> Vec<Call> {
    let all = |call: Call| vec![call; engine.metrics().len()];
    match compared.outcome {
        Outcome::SameText => all(Call::Same),
        Outcome::OneInvalid(_) => all(Call::Different),
        Outcome::NeitherValid => all(Call::Unknown),
        Outcome::Pair(number) => {
            let Some(record) = records.get(number) else { return all(Call::Unknown) };
            if record.status == Status::GoldError {
                // The prediction for the original is no query: the other one either is, or is another such text.
                return all(if read.is_query(number) { Call::Different } else { Call::Unknown });
            }
            let call = |m: &&'static twinql::Metric| match engine.call(m, record, false) {
                Decision::Same => Call::Same,
                Decision::Different => Call::Different,
                Decision::Abstained => Call::Unknown,
            };
            engine.metrics().iter().map(call).collect()
        }
    }
}

/// Metrics that decide by what is written, which others may know better.
fn decides_by_texts(metric: &Metric) -> bool {
    metric.kind == ScoreKind::Binary && metric.compares_texts()
}

/// How often metrics that compare texts call predictions different that a proof or the suite knows to answer the same.
/// Nothing can be said where neither of these was asked for.
fn false_alarms(engine: &Engine, judged: &[Judged]) -> Vec<(String, Vec<Alarms>)> {
    let place = |metric: &Metric| engine.metrics().iter().position(|m| *m == metric);
    let (proof, suite) = (place(&PROOF), place(&SUITE));
    if proof.is_none() && suite.is_none() {
        return Vec::new();
    }
    let texts = engine.metrics().iter().enumerate().filter(|(_, m)| decides_by_texts(m));
    texts.map(|(i, m)| (m.name.to_owned(), alarms(judged, i, proof, suite))).collect()
}

/// Names inputs that are not compared, by what they lack: rates over the rest alone would look better than they are.
fn name_missing(read: &Read, console: Console) {
    for (what, ids) in read.lacking().into_iter().filter(|(_, ids)| !ids.is_empty()) {
        let what = what.replace("without a schema", "over a database that --schemas does not have");
        let rest = match ids.len().saturating_sub(NAMED) {
            0 => String::new(),
            more => format!(" and {more} more (--format json lists all)"),
        };
        console.warn(format!("{} {what}: {}{rest}", ids.len(), ids[..ids.len().min(NAMED)].join(", ")));
    }
}

/// All of it as one JSON object.
fn document(found: &Found, read: &Read) -> Value {
    let metric = |(rates, subject): (&Rates, &Subject)| {
        json!({
            "name": rates.name,
            "threshold": subject.threshold,
            "signature": subject.signature,
            "all": rates.all,
            "by_relation": rates.by_relation,
            "by_hardness": rates.by_hardness,
        })
    };
    let metrics: Vec<Value> = found.rates.iter().zip(&found.subjects).map(metric).collect();
    let alarms: Vec<Value> =
        found.alarms.iter().map(|(name, groups)| json!({"metric": name, "groups": groups})).collect();
    json!({
        "format": 1,
        "inputs": read.inputs,
        "compared": read.compared.len(),
        "same_text": read.same_text(),
        "distinct_pairs": read.distinct.len(),
        "status": found.counts,
        "missing": {
            "originals": read.without_original,
            "transformed": read.without_transformed,
            "schemas": read.without_schema,
        },
        "resampling": found.how,
        "clusters": "originals",
        "metrics": metrics,
        "false_alarms": alarms,
    })
}
