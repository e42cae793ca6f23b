//! `twinql estimate`: the execution accuracy of systems without their databases.

mod tables;

use anyhow::{Context as _, Result};
use serde_json::{Value, json};
use twinql::estimates::{Assumed, Estimates, System, estimate};
use twinql::metrics::{EX, Resampling};
use twinql::record::StatusCounts;
use twinql::suite::Limits;
use twinql::{Engine, Network};

use crate::args::estimate::Estimate;
use crate::args::{self, DEFAULT_SEED, Output};
use crate::commands::entries::{Entries, Named};
use crate::commands::worker::workers;
use crate::commands::{checks, score_all, settled_profiles, tell};
use crate::input;
use crate::output::Console;

/// Reads all systems, scores what is distinct, and estimates.
pub(crate) fn run(typed: Estimate, seed: Option<u64>, console: Console) -> Result<bool> {
    let output = Output::of_report(typed.output)?;
    let how = Resampling { level: typed.level, ..args::resampling(typed.resamples, seed) };
    let named = Named::of(&typed.systems)?;
    let mut inputs = named.inputs([
        ("--checkpoint", typed.checkpoint.as_deref()),
        ("--profile", typed.profile.profile.as_deref()),
    ]);
    if let Some(out) = &output.out {
        inputs.output(out)?;
    }
    let schemas = input::schemas(Some(named.schemas()), named.dialects()?)?;
    let network = Network::chosen(typed.checkpoint.as_deref())?;
    let limits = typed.run.limits(Limits::default())?;
    let engine = Engine::builder()
        .metric(&EX)
        .network(network)
        .semantics(typed.semantics.get()?)
        .databases(args::databases(typed.databases)?)
        .plausible(typed.plausible)
        .profiles(settled_profiles(typed.profile.profile.as_deref(), schemas.all(), console)?)
        .seed(seed.unwrap_or(DEFAULT_SEED))
        .translated_from(schemas.dialects())
        .workers(workers(typed.run.workers, &limits)?, limits)
        .build()?;
    let entries = Entries::read(named.gold(), named.systems, &schemas, None, console)?;
    let distinct = entries.distinct();
    let records = score_all(&engine, distinct.clone(), "scoring", console)?;
    let mut counts = StatusCounts::default();
    records.iter().for_each(|record| counts.add(record.status));
    let pairs: Vec<_> = distinct.into_iter().zip(records).collect();
    let systems: Vec<System> = entries
        .systems
        .iter()
        .map(|s| System { name: s.name.clone(), predictions: s.first_answers().flatten().collect() })
        .collect();
    let assumed = typed.assume_accuracy.unwrap_or_default();
    let model = engine.execution_model().context("ex has no model")?;
    let found = estimate(model, &pairs, &systems, assumed, &how);
    let found = Found { found, how, assumed, signature: engine.signature(&EX).to_string() };
    tell(&output, &found.text(), || found.document(), &found.found.systems, console)?;
    let first = found.found.systems.first();
    let what = first.map_or_else(String::new, |s| format!("the estimate of {}", s.system));
    Ok(checks(&output, &what, first.map(|s| s.estimate), &counts, console))
}

/// What was found, and how.
struct Found {
    found: Estimates,
    how: Resampling,
    assumed: Assumed,
    signature: String,
}

impl Found {
    /// The estimates as one JSON object.
    fn document(&self) -> Value {
        json!({
            "format": 1,
            "level": self.how.level,
            "resamples": self.how.resamples,
            "assumed_accuracy": match self.assumed {
                Assumed::AsFitted => Value::Null,
                Assumed::Share(share) => share.into(),
                Assumed::Batch => "batch".into(),
            },
            "systems": self.found.systems,
            "contests": self.found.contests,
            "signature": self.signature,
        })
    }
}
