//! Reports as documents: what a command found, in the format that a file's name asks for.

mod telling;

use std::path::Path;

use anyhow::{Result, bail};
use twinql_report::{Format, Report};

use crate::output::write_file;
pub(crate) use telling::{Telling, cards};

/// The format that a report's file name asks for; better known before the work than after it.
///
/// # Errors
/// The name has no known ending.
pub(crate) fn format_of(path: &Path) -> Result<Format> {
    match Format::of_path(path) {
        Some(format) => Ok(format),
        None => bail!(
            "--report {}: the file's ending says how it is written; use .html, .md, .tex, .txt or .json",
            path.display()
        ),
    }
}

/// Writes a report, whole or not at all.
pub(crate) fn write(report: &Report, path: &Path) -> Result<()> {
    write_file(path, report.render(format_of(path)?).as_bytes())
}
