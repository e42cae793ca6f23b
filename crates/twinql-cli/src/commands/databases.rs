//! The users' own databases, opened for metrics that execute on them.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Result, bail};
use twinql::input::{Items, Schemas};
use twinql::runs::Runs;
use twinql::suite::Files;
use twinql::{Dialects, Engine};

use super::worker;
use crate::args::Metrics;
use crate::input;
use crate::output::Console;

/// Databases whose errors are listed.
const LISTED: usize = 5;

/// What metrics that execute need; none where none is asked for.
pub(super) fn runs(metrics: &Metrics) -> Result<Option<Runs>> {
    let Some(folder) = &metrics.db else { return Ok(None) };
    let limits = metrics.limits_on_files;
    let workers = worker::workers(metrics.workers, &limits)?;
    Ok(Some(Runs { limits, cost: metrics.cost, workers, ..Runs::new(Files::find(folder)?) }))
}

/// The schemas of the pairs. Where all metrics execute, the databases hold what is needed, and none has to be given.
pub(crate) fn schemas(
    path: Option<&Path>,
    metrics: &Metrics,
    dialects: impl Into<Dialects>,
) -> Result<Schemas> {
    match (path, &metrics.db) {
        (None, Some(folder)) if metrics.metrics.iter().all(|m| m.executes()) => {
            Ok(input::schemas_of_files(&Files::find(folder)?, dialects))
        }
        _ => input::schemas(path, dialects),
    }
}

/// Checks the databases of all pairs, before any is scored. Pairs that can be read only once are not looked at: those
/// without a database are `gold_error` then.
///
/// # Errors
/// A pair's database has no file, or one that cannot be read.
pub(crate) fn check(
    engine: &Engine,
    sources: &[&Path],
    pairs: impl FnOnce() -> Result<Items>,
    console: Console,
) -> Result<()> {
    let Some(runs) = engine.runs() else { return Ok(()) };
    if !sources.iter().all(|path| path.is_file()) {
        console.warn("the pairs can be read only once, so that their databases are not checked before");
        return Ok(());
    }
    let mut named = BTreeSet::new();
    for item in pairs()? {
        let item = item?;
        let of_schema = || item.job.pair().map(|(schema, ..)| schema.db_id.clone());
        named.extend(item.about.db_id.clone().or_else(of_schema));
    }
    let errors: Vec<String> = named
        .iter()
        .filter_map(|id| runs.files.check(id, runs.limits).err().map(|error| error.to_string()))
        .collect();
    if errors.is_empty() {
        return Ok(());
    }
    let (n, all) = (errors.len(), named.len());
    let more = if n > LISTED { format!("\n  and {} more", n - LISTED) } else { String::new() };
    let listed = errors[..n.min(LISTED)].join("\n  ");
    bail!(
        "--db {}: {n} of {all} databases that pairs are over cannot be used; add them, or leave their pairs out:\n  {listed}{more}",
        runs.files.root().display(),
    )
}
