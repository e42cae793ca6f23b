//! Records in the format that was asked for, as they come.
//!
//! Lines are written as soon as they are known, since a run may take hours and is often read by another
//! program. A table needs its widest cell and a document says first how many records it has, so that these
//! wait in a temporary file. None of the three holds all records in memory.

use anyhow::Result;
use serde::Serialize;
use serde_json::{Map, Value as Json, json};
use twinql::Job;
use twinql::record::{Status, StatusCounts};

use super::says::{Decided, Says};
use crate::args::{Format, Output};
use crate::input::About;
use crate::output::{Sink, Table, Waiting};

/// Where the records of a batch go.
pub(super) struct Records {
    sink: Sink,
    form: Form,
    /// What follows the words of a single pair.
    pub(super) signed: String,
    /// Statuses so far, those of lines of an earlier run too.
    pub(super) counts: StatusCounts,
}

/// How they are written.
enum Form {
    /// A single pair in words.
    Words,
    /// Each on its line.
    Lines,
    /// In one document, which says first how many there are.
    Document(Waiting),
    /// A row each, aligned at the end.
    Table(Table),
}

impl Records {
    /// Lines into a sink that is open.
    pub(super) fn lines(sink: Sink) -> Records {
        Records { sink, form: Form::Lines, signed: String::new(), counts: StatusCounts::default() }
    }

    /// Begins an output that nobody goes on with.
    pub(super) fn new(output: &Output, single: bool) -> Result<Records> {
        let form = match output.format {
            Format::Text if single => Form::Words,
            Format::Text => Form::Table(Table::new()?),
            Format::Jsonl => Form::Lines,
            Format::Json => Form::Document(Waiting::new()?),
        };
        Ok(Records { form, ..Records::lines(Sink::new(output.out.as_deref())?) })
    }

    /// A single pair in words: what there is to say stands on stdout.
    pub(super) fn are_words(&self) -> bool {
        matches!(self.form, Form::Words)
    }

    /// Counts a record and writes it.
    pub(super) fn add<S: Says>(
        &mut self,
        says: &S,
        (job, about): (&Job, &About),
        status: Status,
        record: &S::Record,
    ) -> Result<()> {
        let first = self.counts.total() == 0;
        self.counts.add(status);
        let decided = || says.decided(record);
        match &mut self.form {
            Form::Words => self.sink.write(&(says.words(record) + &self.signed)),
            Form::Lines => self.sink.line_of(about.print, &line(job, about, record, decided)?),
            Form::Table(table) => {
                let start = [("id", about.id_text(&job.id)), ("status", status.to_string())];
                let (columns, row): (Vec<_>, Vec<_>) = start.into_iter().chain(says.cells(record)).unzip();
                if first {
                    table.add(&columns.into_iter().map(str::to_owned).collect::<Vec<_>>())?;
                }
                table.add(&row)
            }
            Form::Document(records) => {
                let value: Json = serde_json::from_str(&line(job, about, record, decided)?)?;
                records.add(&indented(&value, about.number.as_deref())?)
            }
        }
    }

    /// Sends what is there on its way; false once nobody reads any more.
    pub(super) fn flush(&mut self) -> Result<bool> {
        if matches!(self.form, Form::Words | Form::Lines) {
            self.sink.flush()?;
        }
        Ok(!self.sink.closed)
    }

    /// The end. `document` is what a document says besides its records.
    pub(super) fn finish(mut self, document: impl FnOnce(&StatusCounts) -> Json) -> Result<StatusCounts> {
        match self.form {
            Form::Words | Form::Lines => {}
            Form::Table(table) => table.lines(&mut |line| self.sink.write(line))?,
            Form::Document(records) => {
                write_document(&document(&self.counts), "records", records, &mut self.sink)?
            }
        }
        self.sink.finish()?;
        Ok(self.counts)
    }
}

/// Signatures, one a line: of all metrics, or the only one.
pub(super) fn signature_lines(signatures: &Json) -> impl Iterator<Item = &str> {
    let of_metrics = signatures.as_object().into_iter().flat_map(Map::values);
    std::iter::once(signatures).chain(of_metrics).filter_map(Json::as_str)
}

/// A record as a line, with what --echo adds.
pub(super) fn line<T: Serialize>(
    job: &Job,
    about: &About,
    record: &T,
    decided: impl FnOnce() -> Vec<Decided>,
) -> Result<String> {
    let mut line = serde_json::to_string(record)?;
    if let Some(number) = &about.number {
        // JSON's numbers are kept as they stood, not as they are usually written.
        let usual = format!("{{\"id\":{}", job.id);
        if let Some(rest) = line.strip_prefix(&usual) {
            line = format!("{{\"id\":{number}{rest}");
        }
    }
    let Some(echo) = &about.echo else {
        return Ok(line);
    };
    let decided = decided();
    let map = |of: fn(&Decided) -> Json| -> Map<String, Json> {
        decided.iter().map(|d| (d.metric.to_owned(), of(d))).collect()
    };
    let more = json!({
        "db_id": about.db_id,
        "gold": echo.gold,
        "pred": echo.pred,
        "decision": map(|d| d.decision.into()),
        "threshold": map(|d| d.threshold.into()),
    });
    let more = more.to_string();
    // The record's last brace gives way to what is added, so that its own fields stay as they were written.
    line.pop();
    line.push(',');
    line.push_str(&more[1..]);
    Ok(line)
}

/// A record as it stands in a document: over several lines, with its id as it was read where that is `number`.
pub(super) fn indented(record: &Json, number: Option<&str>) -> Result<String> {
    let text = serde_json::to_string_pretty(record)?;
    let indented = |(i, line): (usize, &str)| match (number, i) {
        (Some(number), 1) => format!("      \"id\": {number},"),
        _ => format!("    {line}"),
    };
    Ok(text.lines().enumerate().map(indented).collect::<Vec<_>>().join("\n"))
}

/// A document whose last field, `name`, is the list of its records.
pub(super) fn write_document(head: &Json, name: &str, records: Waiting, sink: &mut Sink) -> Result<()> {
    let head = serde_json::to_string_pretty(head)?;
    sink.write(head.strip_suffix("\n}").unwrap_or(&head))?;
    let mut lines = records.lines()?.peekable();
    if lines.peek().is_none() {
        return sink.line(&format!(",\n  \"{name}\": []\n}}"));
    }
    sink.line(&format!(",\n  \"{name}\": ["))?;
    while let Some(line) = lines.next() {
        let line = line?;
        // The brace that ends a record stands by itself.
        let comma = if line == "    }" && lines.peek().is_some() { "," } else { "" };
        sink.line(&format!("{line}{comma}"))?;
    }
    sink.line("  ]\n}")
}
