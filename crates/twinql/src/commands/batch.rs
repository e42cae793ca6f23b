//! What commands over many pairs have in common: chunks, so that results appear while the
//! rest is computed, and records in the format that was asked for.

use anyhow::Result;
use serde::Serialize;
use serde_json::Value as Json;
use twinql::Job;
use twinql::record::{Status, StatusCounts};

use crate::args::{Format, Output};
use crate::output::{Console, Sink};

/// How many pairs are worked on at a time: enough for all threads, few enough for results to
/// appear while the rest is computed.
const CHUNK: usize = 512;

/// Gives a result for each job of a chunk, and calls its second argument once for each that
/// is done.
type Work<'f, R> = dyn Fn(&[Job], &(dyn Fn() + Sync)) -> Vec<R> + 'f;
/// Takes a chunk and its results, and says whether to go on.
type Take<'f, R> = dyn FnMut(&[Job], Vec<R>) -> Result<bool> + 'f;

/// Works on jobs a chunk at a time.
pub(super) fn in_chunks<R>(
    jobs: &[Job],
    doing: &'static str,
    console: Console,
    work: &Work<'_, R>,
    take: &mut Take<'_, R>,
) -> Result<()> {
    let bar = console.bar(Some(jobs.len() as u64), doing);
    for chunk in jobs.chunks(CHUNK) {
        let results = work(chunk, &|| bar.inc(1));
        if !take(chunk, results)? {
            break;
        }
    }
    bar.finish_and_clear();
    Ok(())
}

/// Where the records of a batch go: line by line, or into one document or table in the end.
pub(super) struct Records<T> {
    sink: Sink,
    format: Format,
    /// A single pair, given as two texts.
    single: bool,
    kept: Vec<T>,
    pub(super) counts: StatusCounts,
}

impl<T: Serialize> Records<T> {
    pub(super) fn new(output: &Output, single: bool) -> Result<Records<T>> {
        Ok(Records {
            sink: Sink::new(output.out.as_deref())?,
            format: output.format,
            single,
            kept: Vec::new(),
            counts: StatusCounts::default(),
        })
    }

    /// A single pair in words: what there is to say stands on stdout.
    pub(super) fn for_people(&self) -> bool {
        self.single && self.format == Format::Text
    }

    /// `text` gives a single pair in words.
    pub(super) fn add(&mut self, record: T, status: Status, text: impl FnOnce(&T) -> String) -> Result<()> {
        self.counts.add(status);
        if self.for_people() {
            self.sink.write(&text(&record))?;
        } else if self.format == Format::Jsonl {
            self.sink.line(&serde_json::to_string(&record)?)?;
        } else {
            self.kept.push(record);
        }
        Ok(())
    }

    /// Sends what is there on its way; false once nobody reads any more.
    pub(super) fn flush(&mut self) -> Result<bool> {
        self.sink.flush()?;
        Ok(!self.sink.closed)
    }

    /// The end: one document, or a table.
    pub(super) fn finish(
        mut self,
        document: impl FnOnce(&StatusCounts, &[T]) -> Json,
        listing: impl FnOnce(&[T]) -> String,
    ) -> Result<StatusCounts> {
        match self.format {
            Format::Json => {
                let document = document(&self.counts, &self.kept);
                self.sink.line(&serde_json::to_string_pretty(&document)?)?;
            }
            Format::Text if !self.single => self.sink.write(&listing(&self.kept))?,
            _ => {}
        }
        self.sink.finish()?;
        Ok(self.counts)
    }
}
