//! `twinql evaluate`: how well metrics agree with labels.
//!
//! All metrics are measured on the same pairs, with bootstrap intervals, in all and by group. A pair without
//! a label is left out, and how many there are is said; a pair that a metric says nothing of counts against
//! that metric's coverage and not in its figures. Only numbers are kept of each pair, so that a file may have
//! any length.

mod seen;
pub(crate) mod selection;

use std::sync::PoisonError;

use anyhow::Result;
use rayon::prelude::*;
use serde_json::{Map, Value, json};
use twinql::files::Inputs;
use twinql::metrics::{
    Hardness, MetricInfo, Resampling, ScoreKind, SemanticsOf, hardness, roc_band, roc_curve,
};
use twinql::model::GraphConfig;
use twinql::prepare::Graphs;
use twinql::record::{Record, StatusCounts};
use twinql::{Engine, Job, Work};

use crate::args::typed;
use crate::args::{DEFAULT_SEED, Format, GroupBy, Metrics, Output};
use crate::commands::batch::{Out, line};
use crate::commands::databases;
use crate::commands::stream::stream;
use crate::commands::{engine, fail_under, status_line, strict, window};
use crate::input::{self, PairItems};
use crate::labels::Labels;
use crate::output::{Console, Sink, write_file};
use crate::plot::{Curve, Operating, roc_svg};
use crate::report::{Abstention, MetricReport, Subject, measure, text};
use seen::{Group, Seen};
use selection::Selection;

/// Scores all pairs of the split, then measures: in all, then group by group.
pub(crate) fn run(typed: typed::Evaluate, seed: Option<u64>, console: Console) -> Result<bool> {
    let metrics = Metrics::new(typed.metrics, seed)?;
    // The report on stdout is for people; in a file it is for programs.
    let default = if typed.output.out.is_some() { Format::Json } else { Format::Text };
    let output = Output::new(typed.output, default)?;
    let how = Resampling {
        resamples: typed.resamples,
        seed: seed.unwrap_or(DEFAULT_SEED),
        ..Resampling::default()
    };
    let schemas = databases::schemas(typed.input.schemas.as_deref(), &metrics, typed.input.dialect.dialect)?;
    let engine = engine(&metrics, &schemas, console)?;
    let mut inputs = Inputs::default().with([
        ("--pairs", Some(typed.pairs.as_path())),
        ("--schemas", typed.input.schemas.as_deref()),
        ("--labels", typed.labels.labels.as_deref()),
        ("--checkpoint", metrics.checkpoint.as_deref()),
        ("--profile", metrics.profile.as_deref()),
        ("--db", metrics.db.as_deref()),
    ]);
    for out in [&output.out, &typed.scores, &typed.plot].into_iter().flatten() {
        inputs.output(out)?;
    }
    let labels = typed.labels.labels.as_deref().map(Labels::read).transpose()?;
    if let Some(labels) = &labels {
        labels.check(&typed.pairs)?;
    }
    let again = schemas.clone();
    let split = typed.split.clone();
    let read = || -> Result<input::Items> {
        let pairs = PairItems::open(&typed.pairs, again, false)?;
        let of_split = move |item: &Result<input::Item, _>| match (&split, item) {
            (Some(split), Ok(item)) => item.about.split.as_ref() == Some(split),
            _ => true,
        };
        Ok(Box::new(pairs.filter(of_split)))
    };
    databases::check(&engine, &[&typed.pairs], read, console)?;
    let (pairs, selection) =
        Selection::of(PairItems::open(&typed.pairs, schemas, false)?, typed.split.clone(), labels);
    let mut sink = typed.scores.as_deref().map(|path| Sink::new(Some(path))).transpose()?;
    let mut seen = Seen::new(&engine);
    let work = |jobs: &[Job]| -> Vec<(Record, Option<Group>)> {
        let records = engine.score(jobs);
        records.into_iter().zip(groups(typed.by, jobs, &engine)).collect()
    };
    stream(pairs, window(&engine), "scoring", console, &work, &mut |done| {
        let Some((job, about, (record, group))) = done else {
            return Ok(true);
        };
        if let Some(sink) = &mut sink {
            sink.line(&line(&Out::new(&job, &about, record.status, &record))?)?;
        }
        // Two of the groups are told by the line, the others by the queries.
        let group = typed.by.map(|by| match by {
            GroupBy::Source => about.source.clone().map(|s| (0, s)),
            GroupBy::DbId => about.db_id.clone().map(|d| (0, d)),
            GroupBy::Hardness | GroupBy::Form => group,
        });
        seen.add(&engine, &record, about.label == Some(true), group);
        Ok(true)
    })?;
    let selection = selection.lock().unwrap_or_else(PoisonError::into_inner);
    selection.say(&typed.pairs, console)?;
    if let Some(sink) = sink {
        sink.finish()?;
    }

    let counts = seen.counts.clone();
    let everything: Vec<usize> = (0..seen.labels.len()).collect();
    let overall = reports(&engine, &seen, &everything, &how);
    let grouped: Vec<(String, Vec<MetricReport>)> = seen
        .members()
        .into_iter()
        .map(|(name, members)| (name, reports(&engine, &seen, &members, &how)))
        .collect();
    if let Some(path) = &typed.plot {
        write_file(path, plot(&engine, &seen, &overall, &how).as_bytes())?;
    }
    let text = render(&overall, &grouped, &counts, &how);
    let mut sink = Sink::new(output.out.as_deref())?;
    match output.format {
        Format::Text => sink.write(&text)?,
        Format::Json => {
            let document = document(&overall, &grouped, &counts, &how, typed.labels.labels.is_some());
            sink.line(&serde_json::to_string_pretty(&document)?)?;
        }
        Format::Jsonl => {
            for report in &overall {
                sink.line(&serde_json::to_string(report)?)?;
            }
        }
    }
    sink.finish()?;
    if output.out.is_some() && output.format != Format::Text {
        console.say(text.trim_end());
    }
    let first = overall.first();
    let name = first.map_or("", |r| r.metric.as_str());
    let area = first.and_then(|r| r.auc).map(|a| a.estimate);
    let reached = fail_under(output.fail_under, &format!("the AUC of {name}"), area, console);
    Ok(strict(output.strict, &counts, console) && reached)
}

/// What is to be known of a metric to measure it.
fn subject(engine: &Engine, metric: &'static MetricInfo) -> Subject {
    Subject {
        metric: metric.name.into(),
        signature: engine.signature(metric).to_string(),
        semantics: engine.semantics_of(metric).name,
        threshold: engine.threshold(metric),
        binary: metric.kind == ScoreKind::Binary,
        probability: metric.semantics == SemanticsOf::Checkpoint,
    }
}

/// Each metric's report over some of the pairs.
fn reports(engine: &Engine, seen: &Seen, members: &[usize], how: &Resampling) -> Vec<MetricReport> {
    let all: Vec<bool> = members.iter().map(|i| seen.labels[*i]).collect();
    let measured = |(number, metric): (usize, &&'static MetricInfo)| {
        let (scores, labels) = seen.scored(number, members);
        let report = measure(&subject(engine, metric), &scores, &labels, how);
        MetricReport {
            abstention: engine
                .band(metric)
                .zip(seen.decisions(number, members))
                .map(|(band, decisions)| Abstention::of(&band, &decisions, &all)),
            unscored: all.len().saturating_sub(scores.len()),
            coverage: scores.len() as f64 / all.len().max(1) as f64,
            ..report
        }
    };
    engine.metrics().iter().enumerate().map(measured).collect()
}

/// The groups of jobs that follow from their queries, all at once: hardness, or forms.
fn groups(by: Option<GroupBy>, jobs: &[Job], engine: &Engine) -> Vec<Option<Group>> {
    match by {
        Some(GroupBy::Hardness) => {
            jobs.par_iter().map(|job| class(job).map(|h| (h as usize, h.to_string()))).collect()
        }
        Some(GroupBy::Form) => equal_forms(jobs, engine)
            .into_iter()
            .map(|equal| {
                equal.map(|equal| match equal {
                    false => (0, "forms differ".to_owned()),
                    true => (1, "forms equal".to_owned()),
                })
            })
            .collect(),
        Some(GroupBy::Source | GroupBy::DbId) | None => vec![None; jobs.len()],
    }
}

/// Whether the canonical forms of both sides are equal under the semantics that the first metric
/// answers for; none where a side has no form.
fn equal_forms(jobs: &[Job], engine: &Engine) -> Vec<Option<bool>> {
    let Some(metric) = engine.metrics().first() else {
        return Vec::new();
    };
    let pairs = || {
        jobs.iter().map(|job| match &job.work {
            Work::Pair { schema, gold, pred } => Some((schema, gold.as_str(), pred.as_str())),
            Work::Unusable { .. } => None,
        })
    };
    let semantics = engine.semantics_of(metric);
    let graphs = Graphs::build(pairs().flatten(), &semantics, &GraphConfig::default(), &|| ());
    pairs()
        .map(|pair| {
            let (schema, gold, pred) = pair?;
            let graphs = graphs.pair(schema, gold, pred);
            let (gold, pred) = graphs.both()?;
            Some(gold.fingerprint() == pred.fingerprint())
        })
        .collect()
}

/// Spider's hardness of the gold.
fn class(job: &Job) -> Option<Hardness> {
    match &job.work {
        Work::Pair { gold, .. } => Some(hardness(&twinql::sql::parse(gold).ok()?.query)),
        Work::Unusable { .. } => None,
    }
}

/// ROC curves of all metrics that have one, in one picture.
fn plot(engine: &Engine, seen: &Seen, overall: &[MetricReport], how: &Resampling) -> String {
    let everything: Vec<usize> = (0..seen.labels.len()).collect();
    let metrics = engine.metrics().iter().zip(overall).enumerate();
    let curves: Vec<Curve> = metrics
        .filter_map(|(number, (metric, report))| {
            let (scores, labels) = seen.scored(number, &everything);
            let points = roc_curve(&scores, &labels).ok()?;
            Some(Curve {
                name: format!("{} ({})", metric.name, engine.semantics_of(metric)),
                operating: Operating::of(&points, report.threshold),
                points,
                band: roc_band(&scores, &labels, how).ok()?,
                auc: report.auc?,
            })
        })
        .collect();
    roc_svg(&format!("agreement with {} labels", seen.labels.len()), &curves, how.level)
}

/// The reports as tables: all pairs, then the groups, then what the figures are over.
fn render(
    overall: &[MetricReport],
    grouped: &[(String, Vec<MetricReport>)],
    counts: &StatusCounts,
    how: &Resampling,
) -> String {
    let rows: Vec<_> = overall.iter().map(|r| (None, r)).collect();
    let mut out = text(&rows, how.level);
    if !grouped.is_empty() {
        let rows: Vec<_> = grouped
            .iter()
            .flat_map(|(name, reports)| reports.iter().map(move |r| (Some(name.clone()), r)))
            .collect();
        out.push('\n');
        out.push_str(&text(&rows, how.level));
    }
    out.push_str(&format!("\n{}; {}\n", status_line(counts), over(overall, counts)));
    for why in overall.iter().filter_map(|r| r.undefined.as_ref()).take(1) {
        out.push_str(&format!("n/a: {why}\n"));
    }
    for report in overall {
        out.push_str(&report.signature);
        out.push('\n');
    }
    out
}

/// What the figures are over: all pairs, or those that a metric says something of.
fn over(overall: &[MetricReport], counts: &StatusCounts) -> String {
    let partial: Vec<String> = overall
        .iter()
        .filter(|r| r.unscored > 0)
        .map(|r| format!("those of {} over the {} that it says something of", r.metric, r.pairs))
        .collect();
    match partial.as_slice() {
        [] => "every figure is over all of them".to_owned(),
        some => format!("figures are over all {}, but {}", counts.total(), some.join(", ")),
    }
}

/// The reports as one JSON object.
fn document(
    overall: &[MetricReport],
    grouped: &[(String, Vec<MetricReport>)],
    counts: &StatusCounts,
    how: &Resampling,
    relabelled: bool,
) -> Value {
    let groups: Map<String, Value> =
        grouped.iter().map(|(name, reports)| (name.clone(), json!(reports))).collect();
    json!({
        "format": 1,
        "pairs": counts.total(),
        "status": counts,
        "labels": if relabelled { "overridden" } else { "of the pairs" },
        "resampling": how,
        "metrics": overall,
        "groups": groups,
    })
}
