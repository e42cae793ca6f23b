//! `twinql score`.

use anyhow::Result;
use serde_json::{Map, Value, json};
use twinql::record::{Record, StatusCounts};
use twinql::{Engine, Job};

use crate::args::typed;
use crate::args::{Format, Input, Metrics, Output, Source};
use crate::commands::{CHUNK, engine, fail_under, signatures, status_line, strict};
use crate::input;
use crate::output::{Console, Sink, table};

pub(crate) fn run(typed: typed::Score, seed: Option<u64>, console: Console) -> Result<bool> {
    let input = Input::new(typed.input)?;
    let metrics = Metrics::new(typed.metrics, seed)?;
    let default = match input.source {
        Source::One { .. } => Format::Text,
        _ => Format::Jsonl,
    };
    let output = Output::new(typed.output, default)?;
    let engine = engine(&metrics, input.dialect, console)?;
    let items = input::read(&input)?;
    let jobs: Vec<Job> = items.items.into_iter().map(|item| item.job).collect();

    let mut sink = Sink::new(output.out.as_deref())?;
    let mut counts = StatusCounts::default();
    let mut sums = vec![0.0; engine.metrics().len()];
    let mut kept: Vec<Record> = Vec::new();
    let bar = console.bar(Some(jobs.len() as u64), "scoring");
    for chunk in jobs.chunks(CHUNK) {
        for record in engine.score(chunk) {
            counts.add(record.status);
            for (sum, metric) in sums.iter_mut().zip(engine.metrics()) {
                *sum += record.score(metric.name).unwrap_or(0.0);
            }
            match output.format {
                Format::Jsonl => sink.line(&serde_json::to_string(&record)?)?,
                Format::Text | Format::Json => kept.push(record),
            }
        }
        sink.flush()?;
        bar.inc(chunk.len() as u64);
        if sink.closed {
            break;
        }
    }
    bar.finish_and_clear();

    let n = counts.total().max(1) as f64;
    let means: Vec<(&str, f64)> = engine
        .metrics()
        .iter()
        .map(|m| m.name)
        .zip(sums.iter().map(|s| s / n))
        .collect();
    match output.format {
        Format::Jsonl => {}
        Format::Json => sink.line(&document(&engine, &kept, &counts, &means)?)?,
        Format::Text => sink.write(&text(&engine, &kept, items.single))?,
    }
    sink.finish()?;

    let single = items.single && output.format == Format::Text;
    if !single {
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

fn document(
    engine: &Engine,
    records: &[Record],
    counts: &StatusCounts,
    means: &[(&str, f64)],
) -> Result<String> {
    let signatures: Map<String, Value> = signatures(engine)
        .into_iter()
        .map(|(name, s)| (name.to_owned(), s.into()))
        .collect();
    let means: Map<String, Value> = means
        .iter()
        .map(|(name, m)| ((*name).to_owned(), (*m).into()))
        .collect();
    Ok(serde_json::to_string_pretty(&json!({
        "format": 1,
        "signatures": signatures,
        "pairs": counts.total(),
        "status": counts,
        "mean": means,
        "records": records,
    }))?)
}

fn text(engine: &Engine, records: &[Record], single: bool) -> String {
    match records {
        [record] if single => one(engine, record),
        _ => {
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
    }
}

/// A single pair for people: a line for each metric, what is wrong, and the signatures.
fn one(engine: &Engine, record: &Record) -> String {
    let mut out = String::new();
    let width = engine.metrics().iter().map(|m| m.name.len()).max().unwrap_or(0);
    for metric in engine.metrics() {
        let score = record.score(metric.name).unwrap_or(0.0);
        let threshold = engine.threshold(metric);
        let called = if score >= threshold {
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
    for (_, signature) in signatures(engine) {
        out.push_str(&signature);
        out.push('\n');
    }
    out
}
