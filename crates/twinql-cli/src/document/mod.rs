//! Reports as documents: what a command found, in the format that a file's name asks for.

mod telling;

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use twinql::files::Inputs;
use twinql_report::{Format, Report};

use crate::output::write_file;
pub(crate) use telling::{Telling, badge, cards};

/// The format that a report's file name asks for.
///
/// # Errors
/// The name has no known ending.
fn format_of(path: &Path) -> Result<Format> {
    match Format::of_path(path) {
        Some(format) => Ok(format),
        None => bail!(
            "--report {}: the file's ending says how it is written; use .html, .md, .tex, .txt or .json",
            path.display()
        ),
    }
}

/// Takes in what a command writes, so that nothing takes an input's place. A report that could not be written is
/// refused now: better than after the work.
pub(crate) fn outputs(
    inputs: &mut Inputs,
    outs: &[&Option<PathBuf>],
    report: &Option<PathBuf>,
) -> Result<()> {
    for out in outs.iter().copied().chain([report]).flatten() {
        inputs.output(out)?;
    }
    report.as_deref().map(format_of).transpose()?;
    Ok(())
}

/// Writes a report, whole or not at all.
pub(crate) fn write(report: &Report, path: &Path) -> Result<()> {
    write_file(path, report.render(format_of(path)?).as_bytes())
}
