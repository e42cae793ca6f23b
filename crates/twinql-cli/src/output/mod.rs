//! Results on stdout or in a file, whole or not at all; everything else on stderr.

mod journal;
mod sink;
mod table;

use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::sync::Arc;

use anyhow::{Result, bail};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressFinish, ProgressStyle};
use twinql::files::{Inputs, Whole};
use twinql::progress::{Progress, Stage};

pub(crate) use journal::{Journal, Kept};
pub(crate) use sink::Sink;
pub(crate) use table::{Table, Waiting, left_table, table};

/// Writes a whole file, or leaves what was there.
pub(crate) fn write_file(path: &Path, bytes: &[u8]) -> Result<()> {
    let mut file = Whole::create(path)?;
    file.write_all(bytes).map_err(|e| file.failed(e))?;
    Ok(file.finish()?)
}

/// Checks a file that is built over a long time, with its finished work beside it.
pub(crate) fn built_file(inputs: &mut Inputs, path: &Path) -> Result<()> {
    if inputs.output(path)?.plain().is_none() {
        bail!("cannot build {}: finished work is kept beside it, so it must be a plain file", path.display());
    }
    Ok(())
}

/// What goes to stderr.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Console {
    /// Nothing but errors.
    pub(crate) quiet: bool,
}

impl Progress for Console {
    fn say(&self, line: &str) {
        Console::say(self, line);
    }

    fn warn(&self, line: &str) {
        Console::warn(self, line);
    }

    fn stage(&self, what: &str, of: Option<u64>) -> Stage {
        let bar = self.bar(of, what).with_finish(ProgressFinish::AndClear);
        Box::new(move || bar.inc(1))
    }
}

impl Console {
    /// For work of the library.
    pub(crate) fn progress(self) -> Arc<dyn Progress> {
        Arc::new(self)
    }

    /// A line of summary.
    pub(crate) fn say(&self, text: impl AsRef<str>) {
        if !self.quiet {
            // Nobody may be listening on stderr.
            let _ = writeln!(io::stderr(), "{}", text.as_ref());
        }
    }

    /// Something the user should know, even when quiet.
    pub(crate) fn warn(&self, text: impl AsRef<str>) {
        let _ = writeln!(io::stderr(), "twinql: warning: {}", text.as_ref());
    }

    /// A progress bar, drawn on a terminal only.
    pub(crate) fn bar(&self, length: Option<u64>, what: &str) -> ProgressBar {
        let target = if self.quiet || !io::stderr().is_terminal() {
            ProgressDrawTarget::hidden()
        } else {
            ProgressDrawTarget::stderr()
        };
        let bar = ProgressBar::with_draw_target(length, target);
        let template = match length {
            Some(_) => "{prefix} {wide_bar} {pos}/{len} {per_sec} {msg} eta {eta}",
            None => "{prefix} {spinner} {pos} {per_sec} {msg}",
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        bar.set_prefix(what.to_owned());
        bar
    }
}
