//! `twinql score`.

use anyhow::{Result, bail};
use serde_json::{Map, Value, json};
use twinql::model::Decision;
use twinql::record::{Record, StatusCounts};
use twinql::reward::reward;
use twinql::{Engine, Job, Work, vacuous};

use crate::args::typed;
use crate::args::{Format, Input, Metrics, Output, Source};
use crate::commands::batch::{Records, in_chunks};
use crate::commands::{engine, fail_under, signatures, status_line, strict};
use crate::input;
use crate::output::{Console, table};

pub(crate) fn run(typed: typed::Score, seed: Option<u64>, console: Console) -> Result<bool> {
    let input = Input::new(typed.input)?;
    let metrics = Metrics::new(typed.metrics, seed)?;
    let default = match input.source {
        Source::One { .. } => Format::Text,
        _ => Format::Jsonl,
    };
    let output = Output::new(typed.output, default)?;
    if typed.reward && metrics.metrics.iter().all(|m| m.name != "gmn") {
        bail!("--reward is made of the score of gmn; add it to --metric");
    }
    let engine = engine(&metrics, input.dialect, console)?;
    if typed.abstain && engine.metrics().iter().all(|m| engine.band(m).is_none()) {
        bail!(
            "--abstain needs a learned metric (gmn, two-tier, three-tier) and a checkpoint with an \
             abstention band; `twinql train` stores one"
        );
    }
    let items = input::read(&input)?;
    let jobs: Vec<Job> = items.items.into_iter().map(|item| item.job).collect();

    let single = items.single;
    let mut records = Records::new(&output, single)?;
    let mut sums = vec![0.0; engine.metrics().len()];
    let work = |chunk: &[Job], each: &(dyn Fn() + Sync)| {
        let mut scored = engine.score(chunk);
        for (record, job) in scored.iter_mut().zip(chunk) {
            if let (true, Work::Pair { pred, .. }) = (typed.reward, &job.work)
                && let Some(reward) = reward(record, pred)
            {
                record.set_detail("gmn", "reward", reward);
            }
            if typed.abstain {
                abstain(&engine, record);
            }
            each();
        }
        scored
    };
    in_chunks(&jobs, "scoring", console, &work, &mut |_, scored| {
        for record in scored {
            for (sum, metric) in sums.iter_mut().zip(engine.metrics()) {
                *sum += record.score(metric.name).unwrap_or(0.0);
            }
            let status = record.status;
            records.add(record, status, |record| one(&engine, record))?;
        }
        records.flush()
    })?;
    let names = engine.metrics().iter().map(|m| m.name);
    let n = records.counts.total().max(1) as f64;
    let means: Vec<(&str, f64)> = names.zip(sums.iter().map(|s| s / n)).collect();
    let spoken = records.for_people();
    let counts = records.finish(
        |counts, records| document(&engine, records, counts, &means),
        |records| listing(&engine, records),
    )?;
    if !spoken {
        console.say(format!("scored {}", status_line(&counts)));
        let means: Vec<String> = means
            .iter()
            .map(|(name, mean)| format!("{name} {mean:.4}"))
            .collect();
        console.say(format!("mean over all {}: {}", counts.total(), means.join(", ")));
        for (_, signature) in signatures(&engine) {
            console.say(signature);
        }
    }
    let (name, mean) = means.first().copied().unwrap_or(("", 0.0));
    let reached = fail_under(
        output.fail_under,
        &format!("the mean of {name}"),
        Some(mean),
        console,
    );
    Ok(strict(output.strict, &counts, console) && reached)
}

/// Adds to the details of each metric that has a band what it says: `decision` is true for the
/// same, false for not the same, and null where it abstains.
fn abstain(engine: &Engine, record: &mut Record) {
    for metric in engine.metrics() {
        let Some(decision) = engine.decide(metric, record) else {
            continue;
        };
        let said = match decision {
            Decision::Same => Value::Bool(true),
            Decision::Different => Value::Bool(false),
            Decision::Abstained => Value::Null,
        };
        record.set_detail(metric.name, "decision", said);
        record.set_detail(metric.name, "abstained", decision == Decision::Abstained);
    }
}

fn document(engine: &Engine, records: &[Record], counts: &StatusCounts, means: &[(&str, f64)]) -> Value {
    let signatures: Map<String, Value> = signatures(engine)
        .into_iter()
        .map(|(name, s)| (name.to_owned(), s.into()))
        .collect();
    let means: Map<String, Value> = means
        .iter()
        .map(|(name, m)| ((*name).to_owned(), (*m).into()))
        .collect();
    json!({
        "format": 1,
        "signatures": signatures,
        "pairs": counts.total(),
        "status": counts,
        "mean": means,
        "records": records,
    })
}

fn listing(engine: &Engine, records: &[Record]) -> String {
    let mut rows = vec![vec!["id".to_owned(), "status".to_owned()]];
    rows.extend(
        records
            .iter()
            .map(|r| vec![input::id_text(&r.id), r.status.to_string()]),
    );
    for metric in engine.metrics() {
        let mut column = vec![metric.name.to_owned()];
        column.extend(
            records
                .iter()
                .map(|r| format!("{:.4}", r.score(metric.name).unwrap_or(0.0))),
        );
        rows.iter_mut().zip(column).for_each(|(row, cell)| row.push(cell));
    }
    table(&rows)
}

/// A single pair for people: a line for each metric, what is wrong, and the signatures.
fn one(engine: &Engine, record: &Record) -> String {
    let mut out = String::new();
    let width = engine.metrics().iter().map(|m| m.name.len()).max().unwrap_or(0);
    for metric in engine.metrics() {
        let score = record.score(metric.name).unwrap_or(0.0);
        let threshold = engine.threshold(metric);
        let abstained =
            record.details.get(metric.name).and_then(|d| d.get("abstained")) == Some(&Value::Bool(true));
        let called = if abstained {
            "too close to call"
        } else if score >= threshold {
            "the same"
        } else {
            "not the same"
        };
        let identical =
            record.details.get(metric.name).and_then(|d| d.get("identical")) == Some(&Value::Bool(true));
        let why = if identical { ", equal canonical forms" } else { "" };
        out.push_str(&format!(
            "{:<width$}  {score:.4}  {called} (threshold {threshold:.2}{why})\n",
            metric.name
        ));
    }
    if let Some(error) = &record.error {
        out.push_str(&format!("{}: {error}\n", record.status));
    }
    let mut said: Vec<String> = Vec::new();
    for metric in engine.metrics() {
        let Some(by) = record.details.get(metric.name).and_then(|d| d.get("vacuous_by")) else {
            continue;
        };
        said.extend(vacuous::sentences(
            &vacuous::from_names(by),
            &engine.semantics_of(metric),
        ));
    }
    let mut listed: Vec<&String> = Vec::new();
    for sentence in &said {
        if !listed.contains(&sentence) {
            listed.push(sentence);
            out.push_str(&format!("{sentence}\n"));
        }
    }
    for (_, signature) in signatures(engine) {
        out.push_str(&signature);
        out.push('\n');
    }
    out
}
