//! `twinql evaluate`.

use std::collections::BTreeMap;

use anyhow::{Result, bail};
use serde_json::{Map, Value, json};
use twinql::metrics::{Hardness, Kind, MetricInfo, Resampling, SemanticsOf, hardness, roc_band, roc_curve};
use twinql::model::{Decision, GraphConfig};
use twinql::prepare::Graphs;
use twinql::record::{Record, StatusCounts};
use twinql::{Engine, Job, Work};

use crate::args::typed;
use crate::args::{DEFAULT_SEED, Format, GroupBy, Metrics, Output};
use crate::commands::batch::in_chunks;
use crate::commands::{engine, fail_under, status_line, strict};
use crate::input::{self, Item, Schemas};
use crate::output::{Console, Sink, write_file};
use crate::plot::{Curve, Operating, roc_svg};
use crate::report::{Abstention, MetricReport, Subject, measure, text};

pub(crate) fn run(typed: typed::Evaluate, seed: Option<u64>, console: Console) -> Result<bool> {
    let metrics = Metrics::new(typed.metrics, seed)?;
    // The report on stdout is for people; in a file it is for programs.
    let default = if typed.output.out.is_some() {
        Format::Json
    } else {
        Format::Text
    };
    let output = Output::new(typed.output, default)?;
    let how = Resampling {
        resamples: typed.resamples,
        seed: seed.unwrap_or(DEFAULT_SEED),
        ..Resampling::default()
    };
    let engine = engine(&metrics, typed.input.dialect.dialect, console)?;
    let mut schemas = Schemas::load(typed.input.schemas.as_deref(), typed.input.dialect.dialect)?;
    let mut items = input::read_pairs(&typed.pairs, &mut schemas)?;
    if let Some(split) = &typed.split {
        items.retain(|item| item.split.as_deref() == Some(split));
        if items.is_empty() {
            bail!("{}: no pair has split {split:?}", typed.pairs.display());
        }
    }
    if let Some(path) = &typed.labels.labels {
        input::override_labels(&mut items, path, console)?;
    }
    let all = items.len();
    let unread = items.iter().find_map(|item| match (&item.job.work, item.label) {
        (Work::Unusable { error, .. }, None) => Some(error.clone()),
        _ => None,
    });
    items.retain(|item| item.label.is_some());
    if items.is_empty() {
        bail!(
            "{}: none of the {all} pairs has a label; give `label` 0 or 1 in each line, or --labels FILE",
            typed.pairs.display()
        );
    }
    if items.len() < all {
        console.warn(format!(
            "{} of {all} pairs have no label and are left out",
            all - items.len()
        ));
        if let Some(error) = unread {
            console.warn(format!("the first that cannot be used: {error}"));
        }
    }

    let (items, jobs) = split_jobs(items);
    let mut records: Vec<Record> = Vec::with_capacity(jobs.len());
    let work = |chunk: &[Job], each: &(dyn Fn() + Sync)| {
        let scored = engine.score(chunk);
        chunk.iter().for_each(|_| each());
        scored
    };
    in_chunks(&jobs, "scoring", console, &work, &mut |_, scored| {
        records.extend(scored);
        Ok(true)
    })?;

    let mut counts = StatusCounts::default();
    records.iter().for_each(|r| counts.add(r.status));
    let labels: Vec<bool> = items.iter().map(|i| i.label == Some(true)).collect();
    let everything: Vec<usize> = (0..records.len()).collect();
    let overall = reports(&engine, &records, &labels, &everything, &how);
    let grouped: Vec<(String, Vec<MetricReport>)> = match typed.by {
        None => Vec::new(),
        Some(by) => groups(by, &items, &jobs, &engine)
            .into_iter()
            .map(|(name, members)| (name, reports(&engine, &records, &labels, &members, &how)))
            .collect(),
    };

    if let Some(path) = &typed.scores {
        let mut sink = Sink::new(Some(path))?;
        for record in &records {
            sink.line(&serde_json::to_string(record)?)?;
        }
        sink.finish()?;
    }
    if let Some(path) = &typed.plot {
        write_file(path, plot(&engine, &records, &labels, &overall, &how).as_bytes())?;
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

/// What groups and labels need of an item once its job is taken out.
struct About {
    label: Option<bool>,
    source: Option<String>,
    db_id: Option<String>,
}

fn split_jobs(items: Vec<Item>) -> (Vec<About>, Vec<Job>) {
    let split = |item: Item| {
        let about = About {
            label: item.label,
            source: item.source,
            db_id: item.db_id,
        };
        (about, item.job)
    };
    items.into_iter().map(split).unzip()
}

fn subject(engine: &Engine, metric: &'static MetricInfo) -> Subject {
    Subject {
        metric: metric.name.into(),
        signature: engine.signature(metric).to_string(),
        semantics: engine.semantics_of(metric).name,
        threshold: engine.threshold(metric),
        binary: metric.kind == Kind::Binary,
        probability: metric.semantics == SemanticsOf::Checkpoint,
    }
}

/// The scores of a metric and their labels, for those pairs that it says something of.
fn scored(records: &[Record], labels: &[bool], members: &[usize], metric: &str) -> (Vec<f64>, Vec<bool>) {
    let pair = |i: &usize| Some((records.get(*i)?.score(metric)?, *labels.get(*i)?));
    members.iter().filter_map(pair).unzip()
}

fn reports(
    engine: &Engine,
    records: &[Record],
    labels: &[bool],
    members: &[usize],
    how: &Resampling,
) -> Vec<MetricReport> {
    let all: Vec<bool> = members.iter().filter_map(|i| labels.get(*i).copied()).collect();
    let measured = |metric: &&'static MetricInfo| {
        let (scores, labels) = scored(records, labels, members, metric.name);
        let report = measure(&subject(engine, metric), &scores, &labels, how);
        let members = members.iter().filter_map(|i| records.get(*i));
        let decisions: Option<Vec<Decision>> = members.map(|r| engine.decide(metric, r)).collect();
        MetricReport {
            abstention: engine
                .band(metric)
                .zip(decisions)
                .map(|(band, decisions)| Abstention::of(&band, &decisions, &all)),
            unscored: all.len().saturating_sub(scores.len()),
            coverage: scores.len() as f64 / all.len().max(1) as f64,
            ..report
        }
    };
    engine.metrics().iter().map(measured).collect()
}

/// Members by group, in order of name (hardness: from easy to extra).
fn groups(by: GroupBy, items: &[About], jobs: &[Job], engine: &Engine) -> Vec<(String, Vec<usize>)> {
    let forms = match by {
        GroupBy::Form => equal_forms(jobs, engine),
        _ => Vec::new(),
    };
    let mut out: BTreeMap<(usize, String), Vec<usize>> = BTreeMap::new();
    for (i, (item, job)) in items.iter().zip(jobs).enumerate() {
        let none = || (usize::MAX, "(none)".to_owned());
        let key = match by {
            GroupBy::Hardness => class(job).map_or_else(none, |h| (h as usize, h.to_string())),
            GroupBy::Source => item.source.clone().map_or_else(none, |s| (0, s)),
            GroupBy::Form => match forms.get(i).copied().flatten() {
                Some(false) => (0, "forms differ".to_owned()),
                Some(true) => (1, "forms equal".to_owned()),
                None => none(),
            },
            GroupBy::DbId => item.db_id.clone().map_or_else(none, |d| (0, d)),
        };
        out.entry(key).or_default().push(i);
    }
    out.into_iter()
        .map(|((_, name), members)| (name, members))
        .collect()
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
    let queries = pairs().flatten();
    let queries = queries.flat_map(|(schema, gold, pred)| [(schema, gold), (schema, pred)]);
    let semantics = engine.semantics_of(metric);
    let graphs = Graphs::build(queries, &semantics, &GraphConfig::default(), &|| ());
    pairs()
        .map(|pair| {
            let (schema, gold, pred) = pair?;
            let form = |sql: &str| Some(graphs.get(schema, sql).as_ref().as_ref().ok()?.fingerprint());
            Some(form(gold)? == form(pred)?)
        })
        .collect()
}

fn class(job: &Job) -> Option<Hardness> {
    match &job.work {
        Work::Pair { gold, .. } => Some(hardness(&twinql::sql::parse(gold).ok()?.query)),
        Work::Unusable { .. } => None,
    }
}

fn plot(
    engine: &Engine,
    records: &[Record],
    labels: &[bool],
    overall: &[MetricReport],
    how: &Resampling,
) -> String {
    let everything: Vec<usize> = (0..records.len()).collect();
    let curves: Vec<Curve> = engine
        .metrics()
        .iter()
        .zip(overall)
        .filter_map(|(metric, report)| {
            let (scores, labels) = scored(records, labels, &everything, metric.name);
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
    roc_svg(
        &format!("agreement with {} labels", labels.len()),
        &curves,
        how.level,
    )
}

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
        .map(|r| {
            format!(
                "those of {} over the {} that it says something of",
                r.metric, r.pairs
            )
        })
        .collect();
    match partial.as_slice() {
        [] => "every figure is over all of them".to_owned(),
        some => format!("figures are over all {}, but {}", counts.total(), some.join(", ")),
    }
}

fn document(
    overall: &[MetricReport],
    grouped: &[(String, Vec<MetricReport>)],
    counts: &StatusCounts,
    how: &Resampling,
    relabelled: bool,
) -> Value {
    let groups: Map<String, Value> = grouped
        .iter()
        .map(|(name, reports)| (name.clone(), json!(reports)))
        .collect();
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
