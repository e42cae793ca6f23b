//! `twinql corpus split`: parts of a data set that have no question, template or database in common.

use std::path::Path;

use anyhow::{Context, Result, bail};
use twinql::corpus::examples::{self, Example};
use twinql::corpus::split::{self, By, split};
use twinql::files::Inputs;

use crate::args::{DEFAULT_SEED, corpus as args};
use crate::output::Console;

/// Splits a file, and writes all parts or none.
pub(crate) fn run(typed: &args::CorpusSplit, seed: Option<u64>, console: Console) -> Result<bool> {
    let (file, outs) = (&typed.file, &typed.out);
    if typed.shares.len() != outs.len() {
        bail!(
            "--shares has {} numbers and --out {} files; give a file for each share",
            typed.shares.len(),
            outs.len()
        );
    }
    let mut inputs = Inputs::default().with([("FILE", Some(file.as_path()))]);
    for out in outs {
        inputs.output(out)?;
    }
    let (by, unit) = match typed.by {
        args::SplitBy::Question => (By::Question, "questions"),
        args::SplitBy::Template => (By::Template, "templates"),
        args::SplitBy::Database => (By::Database, "databases"),
    };
    let found = examples::read(file)?;
    if let Some(bad) = found.bad.first() {
        bail!("{}, line {}: {}; a split loses no row", file.display(), bad.line, bad.message);
    }
    if found.interactions > 0 {
        bail!(
            "{}: blank lines end interactions, which a split would tear apart; give the questions as JSON lines",
            file.display()
        );
    }
    let parts = split(&found.examples, by, &typed.shares, seed.unwrap_or(DEFAULT_SEED))
        .with_context(|| file.display().to_string())?;
    let rows = |part: &split::Part| -> Vec<&Example> {
        part.rows.iter().filter_map(|row| found.examples.get(*row)).collect()
    };
    let files: Vec<(&Path, Vec<&Example>)> =
        outs.iter().zip(&parts).map(|(out, part)| (out.as_path(), rows(part))).collect();
    found.write_parts(&files)?;
    let total = found.examples.len().max(1);
    for (out, part) in outs.iter().zip(&parts) {
        let n = part.rows.len();
        console.say(format!(
            "wrote {}: {n} rows ({:.1} %), {} {unit}",
            out.display(),
            100.0 * n as f64 / total as f64,
            part.groups
        ));
    }
    Ok(true)
}
