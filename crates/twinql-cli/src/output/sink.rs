//! Where results are written.

use std::io::{self, ErrorKind, Write as _};
use std::path::Path;

use anyhow::{Context as _, Result};
use twinql::files::{Destination, Whole};

use super::Journal;
use crate::interrupt;

/// Results on their way to stdout, a file, a pipe or a device.
pub(crate) struct Sink {
    /// Where results go.
    target: Target,
    /// What is not written yet.
    buffer: Vec<u8>,
    /// The reader of the pipe has gone away: nothing more is written, and that is no error.
    pub(crate) closed: bool,
}

/// Where results go.
enum Target {
    /// A terminal or a pipe, whose reader may go away.
    Stdout,
    /// A file that takes its name when it is whole.
    File(Whole),
    /// A file that a later run can go on with.
    Journal(Box<Journal>),
}

/// Bytes that are held back at most.
const BUFFER: usize = 1 << 20;

impl Sink {
    /// Stdout, or the file at `path`. A plain file takes its name in [`Sink::finish`].
    pub(crate) fn new(path: Option<&Path>) -> Result<Sink> {
        let target = match path {
            None => Target::Stdout,
            Some(path) if Destination::of(path)? == Destination::Stdout => Target::Stdout,
            Some(path) => Target::File(Whole::create(path)?),
        };
        Ok(Sink::of(target))
    }

    /// A file that a later run can go on with.
    pub(crate) fn journal(journal: Journal) -> Sink {
        Sink::of(Target::Journal(Box::new(journal)))
    }

    fn of(target: Target) -> Sink {
        Sink { target, buffer: Vec::new(), closed: false }
    }

    /// Writes a line.
    pub(crate) fn line(&mut self, text: &str) -> Result<()> {
        self.write(text)?;
        self.write("\n")
    }

    /// Writes the line of a pair; `print` tells the pair from others.
    pub(crate) fn line_of(&mut self, print: u64, text: &str) -> Result<()> {
        if let Target::Journal(journal) = &mut self.target {
            journal.note(print);
        }
        self.line(text)
    }

    /// Writes text as it is.
    pub(crate) fn write(&mut self, text: &str) -> Result<()> {
        if self.closed {
            return Ok(());
        }
        self.buffer.extend_from_slice(text.as_bytes());
        // The journal's marks lie between lines, where a caller flushes.
        if self.buffer.len() >= BUFFER && !matches!(self.target, Target::Journal(_)) {
            return self.flush();
        }
        Ok(())
    }

    /// Sends what there is so far on its way.
    pub(crate) fn flush(&mut self) -> Result<()> {
        if self.closed || self.buffer.is_empty() {
            return Ok(());
        }
        // An interrupt waits for whole lines.
        let _writing = interrupt::writing();
        let written = match &mut self.target {
            Target::Stdout => {
                let mut out = io::stdout().lock();
                out.write_all(&self.buffer).and_then(|()| out.flush())
            }
            Target::File(file) => file.write_all(&self.buffer).and_then(|()| file.flush()),
            Target::Journal(journal) => return journal.append(&mut self.buffer),
        };
        self.buffer.clear();
        match (written, &self.target) {
            (Ok(()), _) => Ok(()),
            (Err(e), _) if e.kind() == ErrorKind::BrokenPipe => {
                self.closed = true;
                Ok(())
            }
            (Err(e), Target::File(file)) => Err(file.failed(e).into()),
            (Err(e), _) => Err(e).context("cannot write to stdout"),
        }
    }

    /// Ends the output: a plain file gets its name.
    pub(crate) fn finish(mut self) -> Result<()> {
        self.flush()?;
        match self.target {
            Target::Stdout => Ok(()),
            Target::File(_) if self.closed => Ok(()),
            Target::File(file) => Ok(file.finish()?),
            Target::Journal(journal) => journal.finish(),
        }
    }
}
