//! `twinql compare`: systems under metrics, with significance, and metrics by how they rank systems.
//!
//! All systems answer the same golds. Each distinct pair of a gold and a prediction is scored once, whoever
//! made it; systems share a third of their predictions and more.

mod measures;
mod report;
mod tables;
mod telling;

use anyhow::Result;
use serde_json::{Value, json};
use twinql::Record;
use twinql::input::Items;
use twinql::metrics::{Column, Comparison, Hardness, Resampling, Systems, metric};
use twinql::record::StatusCounts;

use crate::args::compare::Compare;
use crate::args::{self, Metrics, Output};
use crate::commands::databases;
use crate::commands::entries::{self, Entries, Named};
use crate::commands::{checks, engine, score_all, tell};
use crate::document;
use crate::external::{External, subjects};
use crate::output::Console;
use crate::report::Subject;
use measures::ExternalScores;

/// Reads all systems, scores what is distinct, and compares.
pub(crate) fn run(mut typed: Compare, seed: Option<u64>, console: Console) -> Result<bool> {
    let (reference, own) = measures::reference(&typed.reference, &typed.external)?;
    if own && !typed.metrics.metric.iter().any(|name| name.trim() == reference) {
        typed.metrics.metric.push(reference.clone());
    }
    let metrics = Metrics::new(typed.metrics, seed)?;
    let output = Output::of_report(typed.output)?;
    let how = args::resampling(typed.resamples, seed);
    let named = Named::of(&typed.systems)?;
    let mut inputs = named.inputs(metrics.files());
    let names: Vec<String> = named.systems.iter().map(|(name, _)| name.clone()).collect();
    for path in typed.external.iter().flat_map(|flag| flag.paths(&names)) {
        inputs.add("--external", &path);
    }
    document::outputs(&mut inputs, &[&output.out], &typed.report)?;
    let mut external = External::read_of_systems(&typed.external, &names)?;
    let schemas = databases::schemas(Some(named.schemas()), &metrics, named.dialects()?)?;
    let engine = engine(&metrics, &schemas, console)?;
    let mut sources = vec![named.gold()];
    sources.extend(named.systems.iter().map(|(_, path)| path.as_path()));
    // All systems answer the same golds: those of one name all databases.
    let of_one = || match named.systems.first() {
        Some((_, pred)) => Ok(entries::pairs(named.gold(), pred, &schemas)?.items),
        None => Ok(Box::new(std::iter::empty()) as Items),
    };
    databases::check(&engine, &sources, of_one, console)?;
    let plugging = typed.plug_values.then_some(typed.most_plugged);
    let entries = Entries::read(named.gold(), named.systems, &schemas, plugging, console)?;
    let given = ExternalScores::of(&mut external, &entries, console)?;
    let scored = |record: Record| Scored {
        status: record.status,
        scores: engine.metrics().iter().map(|m| record.score(m.name)).collect(),
    };
    let records = score_all(&engine, entries.distinct(), "scoring", console)?;
    let mut scores: Vec<Scored> = records.into_iter().map(scored).collect();
    let measures = subjects(&engine, external.iter().filter_map(|of_systems| of_systems.first()));
    let table = entries.table(&measures, &scores, &given, &reference);
    given.append(&entries, &mut scores);
    let comparison = table.compare(&how, typed.exchanges)?;
    let counts = entries.counts(&scores);
    let found = Found { comparison, measures, how, entries, counts };
    let Found { comparison, measures, entries, counts, .. } = &found;
    if let Some(path) = &typed.report {
        let telling = entries.telling(measures, &scores, &reference);
        // Witnesses are looked for under the semantics of the reference; an external one has that which was asked for.
        let semantics = metric(&reference).or(metric("suite")).map(|m| engine.semantics_of(m));
        let semantics = semantics.unwrap_or_default();
        let cards = document::cards(&telling, &semantics, found.how.seed);
        let errors = entries.errors(measures, &scores, &reference);
        let shown = document::cards(&errors.telling, &semantics, found.how.seed);
        document::write(&found.report(cards, &errors.of_systems, &shown), path)?;
    }
    tell(&output, &found.text(), || found.document(), &comparison.standings, console)?;
    let first = comparison.standings.iter().find(|s| s.metric == comparison.reference);
    let what = first.map_or_else(String::new, |s| format!("the accuracy of {} by {}", s.system, s.metric));
    let mut all = StatusCounts::default();
    counts.iter().for_each(|of_system| all.merge(of_system));
    Ok(checks(&output, &what, first.map(|s| s.accuracy), &all, console))
}

/// What was found, and of what.
struct Found {
    comparison: Comparison,
    measures: Vec<Subject>,
    how: Resampling,
    entries: Entries,
    /// By system.
    counts: Vec<StatusCounts>,
}

/// What becomes of one distinct pair.
struct Scored {
    status: twinql::Status,
    /// By metric, external ones last.
    scores: Vec<Option<f64>>,
}

impl Entries {
    /// The scores of every system; a prediction with several candidates has the best score of each metric.
    fn table(
        &self,
        measures: &[Subject],
        scored: &[Scored],
        external: &ExternalScores,
        reference: &str,
    ) -> Systems {
        let best = |candidates: &[usize], metric: usize| -> Option<f64> {
            let scores = candidates.iter().filter_map(|at| *scored.get(*at)?.scores.get(metric)?);
            scores.reduce(f64::max)
        };
        let own = scored.first().map_or(0, |s| s.scores.len());
        let of_system = |(number, system): (usize, &entries::System)| -> Vec<Vec<Option<f64>>> {
            let of_engine =
                (0..own).map(|m| system.answers.iter().map(|candidates| best(candidates, m)).collect());
            of_engine.chain(external.of_system(number)).collect()
        };
        let class = |hardness: Hardness| {
            let members = self.hardness.iter().enumerate().filter(|(_, h)| **h == Some(hardness));
            (hardness.to_string(), members.map(|(i, _)| i).collect())
        };
        let column =
            |m: &Subject| Column { name: m.metric.clone(), threshold: m.threshold, binary: m.binary };
        Systems {
            names: self.systems.iter().map(|s| s.name.clone()).collect(),
            metrics: measures.iter().map(column).collect(),
            scores: self.systems.iter().enumerate().map(of_system).collect(),
            classes: Hardness::ALL.map(class).to_vec(),
            interactions: self.interactions.clone(),
            reference: measures.iter().position(|m| m.metric == reference).unwrap_or(0),
        }
    }

    /// The statuses of each system's predictions, as they stand.
    fn counts(&self, scored: &[Scored]) -> Vec<StatusCounts> {
        let of_system = |system: &entries::System| {
            let mut counts = StatusCounts::default();
            let first = system.first_answers().filter_map(|number| scored.get(number?));
            first.for_each(|scored| counts.add(scored.status));
            counts
        };
        self.systems.iter().map(of_system).collect()
    }
}

impl Found {
    /// The comparison as one JSON object.
    fn document(&self) -> Value {
        let systems = self.entries.systems.iter().zip(&self.counts);
        let systems = systems.map(|(s, counts)| json!({"name": s.name, "file": s.file, "status": counts}));
        let metric =
            |m: &Subject| json!({"name": m.metric, "threshold": m.threshold, "signature": m.signature});
        let mut document = json!({
            "format": 1,
            "golds": self.entries.hardness.len(),
            "systems": systems.collect::<Vec<_>>(),
            "metrics": self.measures.iter().map(metric).collect::<Vec<_>>(),
            "resampling": self.how,
            "null_hypothesis": tables::NULL_HYPOTHESIS,
        });
        if let (Value::Object(document), Value::Object(tables)) = (&mut document, json!(self.comparison)) {
            document.extend(tables);
        }
        document
    }
}
