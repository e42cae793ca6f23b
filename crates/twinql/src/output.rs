//! Results on stdout or in a file, whole or not at all; everything else on stderr.

use std::fs::File;
use std::io::{self, BufWriter, ErrorKind, IsTerminal, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use tempfile::NamedTempFile;

/// Where results are written.
pub(crate) struct Sink {
    target: Target,
    /// The reader of stdout has gone away: nothing more is written, and that is no error.
    pub(crate) closed: bool,
}

enum Target {
    Stdout(BufWriter<io::Stdout>),
    File {
        temporary: BufWriter<NamedTempFile>,
        path: PathBuf,
    },
}

impl Sink {
    /// Stdout, or a temporary file beside `path` that takes its name in [`Sink::finish`].
    pub(crate) fn new(path: Option<&Path>) -> Result<Sink> {
        let target = match path {
            None => Target::Stdout(BufWriter::new(io::stdout())),
            Some(path) => Target::File {
                temporary: BufWriter::new(temporary_beside(path)?),
                path: path.to_owned(),
            },
        };
        Ok(Sink {
            target,
            closed: false,
        })
    }

    /// Writes a line.
    pub(crate) fn line(&mut self, text: &str) -> Result<()> {
        self.write(text)?;
        self.write("\n")
    }

    /// Writes text as it is.
    pub(crate) fn write(&mut self, text: &str) -> Result<()> {
        if self.closed {
            return Ok(());
        }
        let result = match &mut self.target {
            Target::Stdout(out) => out.write_all(text.as_bytes()),
            Target::File { temporary, .. } => temporary.write_all(text.as_bytes()),
        };
        self.check(result)
    }

    /// Lets a reader of stdout see what there is so far.
    pub(crate) fn flush(&mut self) -> Result<()> {
        if self.closed {
            return Ok(());
        }
        let result = match &mut self.target {
            Target::Stdout(out) => out.flush(),
            Target::File { .. } => Ok(()),
        };
        self.check(result)
    }

    fn check(&mut self, result: io::Result<()>) -> Result<()> {
        match (result, &self.target) {
            (Ok(()), _) => Ok(()),
            (Err(e), Target::Stdout(_)) if e.kind() == ErrorKind::BrokenPipe => {
                self.closed = true;
                Ok(())
            }
            (Err(e), Target::Stdout(_)) => Err(e).context("cannot write to stdout"),
            (Err(e), Target::File { path, .. }) => {
                Err(e).with_context(|| format!("cannot write {}", path.display()))
            }
        }
    }

    /// Ends the output: the file gets its name.
    pub(crate) fn finish(mut self) -> Result<()> {
        self.flush()?;
        match self.target {
            Target::Stdout(out) => {
                // After a broken pipe the buffer must not be written again on drop.
                drop(out.into_parts());
                Ok(())
            }
            Target::File { temporary, path } => {
                let file = temporary
                    .into_inner()
                    .map_err(io::IntoInnerError::into_error)
                    .with_context(|| format!("cannot write {}", path.display()))?;
                persist(file, &path)
            }
        }
    }
}

fn temporary_beside(path: &Path) -> Result<NamedTempFile> {
    // Said before the work is done, not after it.
    if path.is_dir() {
        bail!(
            "cannot write {}: it is a folder; name a file in it",
            path.display()
        );
    }
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    std::fs::create_dir_all(folder)
        .with_context(|| format!("cannot create the folder {}", folder.display()))?;
    NamedTempFile::new_in(folder)
        .with_context(|| format!("cannot write into the folder {}", folder.display()))
}

fn persist(file: NamedTempFile, path: &Path) -> Result<()> {
    share(file.as_file());
    file.persist(path)
        .map_err(|e| e.error)
        .with_context(|| format!("cannot write {}", path.display()))?;
    Ok(())
}

/// Temporary files are private; results get the permissions that files usually have.
#[cfg(unix)]
fn share(file: &File) {
    use std::os::unix::fs::PermissionsExt;
    // A file system without permissions is no reason to lose the results.
    let _ = file.set_permissions(std::fs::Permissions::from_mode(0o644));
}

#[cfg(not(unix))]
fn share(_: &File) {}

/// Writes a whole file, or leaves what was there.
pub(crate) fn write_file(path: &Path, bytes: &[u8]) -> Result<()> {
    let mut file = temporary_beside(path)?;
    file.write_all(bytes)
        .with_context(|| format!("cannot write {}", path.display()))?;
    persist(file, path)
}

/// What goes to stderr.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Console {
    /// Nothing but errors.
    pub(crate) quiet: bool,
}

impl Console {
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

/// A table of text, columns aligned: the first to the left, the others to the right.
pub(crate) fn table(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |c: usize| {
        rows.iter()
            .filter_map(|r| r.get(c))
            .map(|s| s.chars().count())
            .max()
            .unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut out = String::new();
    for row in rows {
        let mut line = String::new();
        for (c, cell) in row.iter().enumerate() {
            let pad = widths
                .get(c)
                .copied()
                .unwrap_or(0)
                .saturating_sub(cell.chars().count());
            if c > 0 {
                line.push_str("  ");
                line.push_str(&" ".repeat(pad));
            }
            line.push_str(cell);
            if c == 0 {
                line.push_str(&" ".repeat(pad));
            }
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}
