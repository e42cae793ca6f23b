//! `twinql evaluate`: how well metrics agree with labels.
//!
//! All metrics are measured on the same pairs, with bootstrap intervals, in all and by group. A pair without
//! a label is left out, and how many there are is said; a pair that a metric says nothing of counts against
//! that metric's coverage and not in its figures. Only numbers are kept of each pair, so that a file may have
//! any length.

mod differences;
mod groups;
mod report;
mod seen;
pub(crate) mod selection;
mod telling;

use std::sync::PoisonError;

use anyhow::Result;
use serde_json::{Map, Value, json};
use twinql::Job;
use twinql::evaluation::Labelled;
use twinql::files::Inputs;
use twinql::input::{Guessing, Source};
use twinql::metrics::Resampling;
use twinql::record::{Record, StatusCounts};

use crate::args::typed;
use crate::args::{self, GroupBy, Metrics, Output};
use crate::commands::contradicted::Contradicted;
use crate::commands::databases;
use crate::commands::records::line;
use crate::commands::stream::stream;
use crate::commands::{checks, engine, status_line, tell, window};
use crate::document;
use crate::external::{External, subjects};
use crate::input::{self, PairItems};
use crate::labels::Labels;
use crate::output::{Console, Sink, write_file};
use crate::report::{MetricReport, Subject, text};
use differences::{Difference, NULL_HYPOTHESIS, differences};
use seen::{Group, Seen};
use selection::Selection;
use telling::Extremes;

/// Scores all pairs of the split, then measures: in all, then group by group.
pub(crate) fn run(typed: typed::Evaluate, seed: Option<u64>, console: Console) -> Result<bool> {
    let metrics = Metrics::new(typed.metrics, seed)?;
    let output = Output::of_report(typed.output)?;
    let how = args::resampling(typed.resamples, seed);
    let source = Source::Pairs(typed.pairs.clone());
    let dialects = input::settled(&typed.input.dialects, &[source], |ddl| {
        Ok(Guessing::new(typed.input.schemas.as_deref(), ddl, None))
    })?;
    let schemas = databases::schemas(typed.input.schemas.as_deref(), &metrics, dialects)?;
    let engine = engine(&metrics, &schemas, console)?;
    let mut inputs = Inputs::default()
        .with([("--pairs", Some(typed.pairs.as_path())), ("--schemas", typed.input.schemas.as_deref())])
        .with([("--labels", typed.labels.labels.as_deref())])
        .with(metrics.files())
        .with(typed.external.iter().map(|flag| ("--external", Some(flag.path.as_path()))));
    document::outputs(&mut inputs, &[&output.out, &typed.scores, &typed.plot], &typed.report)?;
    let mut external = External::read_all(&typed.external)?;
    let labels = Labels::of(typed.labels.labels.as_deref(), &typed.pairs)?;
    let read = || of_split(PairItems::open(&typed.pairs, schemas.clone(), false)?, typed.split.clone());
    databases::check(&engine, &[&typed.pairs], read, console)?;
    let (pairs, selection) = Selection::of(&typed.pairs, schemas, typed.split.clone(), labels)?;
    let mut sink = typed.scores.as_deref().map(|path| Sink::new(Some(path))).transpose()?;
    let mut seen = Seen::new(&engine, external.len());
    let by = wanted(&typed.by, typed.report.is_some());
    let mut contradicted = Contradicted::default();
    let mut extremes = typed.report.is_some().then(Extremes::default);
    let work = |jobs: &[Job]| -> Vec<(Record, Vec<Group>)> {
        let records = engine.score(jobs);
        records.into_iter().zip(groups::of_queries(&by, jobs, &engine)).collect()
    };
    stream(pairs, window(&engine), "scoring", console, &work, &mut |done| {
        let Some((job, about, (record, groups))) = done else {
            return Ok(true);
        };
        contradicted.tell(&job, &record, console);
        if let Some(sink) = &mut sink {
            sink.line(&line(&job, &about, &record, Vec::new)?)?;
        }
        let id = about.id_text(&job.id);
        let label = about.label == Some(true);
        let others: Vec<Option<f64>> = external.iter_mut().map(|e| e.score(&id)).collect();
        let groups = groups.into_iter().chain(groups::of_line(&by, &about));
        seen.add(&engine, &record, &others, label, groups);
        if let Some(extremes) = &mut extremes {
            extremes.note(&engine, &job, &record, &id, label);
        }
        Ok(true)
    })?;
    let selection = selection.lock().unwrap_or_else(PoisonError::into_inner);
    selection.say(&typed.pairs, console)?;
    if let Some(sink) = sink {
        sink.finish()?;
    }

    for external in &external {
        external.say(console)?;
    }

    let subjects = subjects(&engine, &external);
    let reports = |members: &[usize]| seen.pairs.reports(&engine, &subjects, members, &how);
    let measure_groups = |by: GroupBy| -> Vec<(String, Vec<MetricReport>)> {
        seen.members(by).into_iter().map(|(name, members)| (name, reports(&members))).collect()
    };
    // Each kind once: what is asked for may be what a report shows.
    let groups: Vec<_> = by.iter().map(|by| (*by, measure_groups(*by))).collect();
    let grouped = |by: GroupBy| groups.iter().find(|(of, _)| *of == by).map_or(&[][..], |(_, found)| found);
    let measured = Measured {
        overall: reports(&seen.pairs.everything()),
        grouped: typed.by.iter().flat_map(|by| grouped(*by)).cloned().collect(),
        differences: differences(&seen.pairs, &subjects, how.level),
        subjects: &subjects,
        seen: &seen.pairs,
        how,
    };
    if let Some(path) = &typed.plot {
        write_file(path, measured.roc_chart().svg().as_bytes())?;
    }
    if let (Some(path), Some(extremes)) = (&typed.report, extremes) {
        let semantics = engine.metrics().first().map(|m| engine.semantics_of(m)).unwrap_or_default();
        let cards = document::cards(&extremes.telling(&engine), &semantics, how.seed);
        let groups = [GroupBy::Hardness, GroupBy::Keyword].map(grouped);
        document::write(&measured.report(&typed.pairs.display().to_string(), groups, cards), path)?;
    }
    let document = || json_document(&measured, typed.labels.labels.is_some());
    tell(&output, &render(&measured), document, &measured.overall, console)?;
    let first = measured.overall.first();
    let name = first.map_or("", |r| r.metric.as_str());
    let area = first.and_then(|r| r.auc).map(|a| a.estimate);
    Ok(checks(&output, &format!("the AUC of {name}"), area, &seen.pairs.counts, console))
}

/// The pairs of a split, or all; an error is left for whoever reads it.
fn of_split(pairs: PairItems, split: Option<String>) -> Result<input::Items> {
    Ok(Box::new(pairs.filter(move |item| match (&split, item) {
        (Some(split), Ok(item)) => item.about.split.as_ref() == Some(split),
        _ => true,
    })))
}

/// How pairs are grouped: as asked for, and as a report shows them.
fn wanted(asked: &[GroupBy], report: bool) -> Vec<GroupBy> {
    let mut by = asked.to_vec();
    if report {
        by.extend([GroupBy::Hardness, GroupBy::Keyword]);
    }
    by.sort_unstable();
    by.dedup();
    by
}

/// All that was measured.
struct Measured<'s> {
    overall: Vec<MetricReport>,
    grouped: Vec<(String, Vec<MetricReport>)>,
    differences: Vec<Difference>,
    subjects: &'s [Subject],
    seen: &'s Labelled,
    how: Resampling,
}

/// The reports as tables: all pairs, then the groups, then differences, then what the figures are over.
fn render(measured: &Measured<'_>) -> String {
    let Measured { overall, grouped, differences, seen, how, .. } = measured;
    let counts = &seen.counts;
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
    out.push_str(&differences::text(differences, how.level));
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
fn json_document(measured: &Measured<'_>, relabelled: bool) -> Value {
    let Measured { overall, grouped, differences, seen, how, .. } = measured;
    let groups: Map<String, Value> =
        grouped.iter().map(|(name, reports)| (name.clone(), json!(reports))).collect();
    json!({
        "format": 1,
        "pairs": seen.counts.total(),
        "status": seen.counts,
        "labels": if relabelled { "overridden" } else { "of the pairs" },
        "resampling": how,
        "metrics": overall,
        "groups": groups,
        "differences": differences,
        "null_hypothesis": NULL_HYPOTHESIS,
    })
}
