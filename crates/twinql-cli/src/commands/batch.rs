//! What commands over many pairs have in common: records in the format that was asked for, as they
//! come, and going on with those of an interrupted run.
//!
//! Lines are written as soon as they are known, since a run may take hours and is often read by another
//! program. A table needs its widest cell and a document says first how many records it has, so that these
//! wait in a temporary file. None of the three holds all records in memory.
//!
//! Only lines in a plain file can be gone on with. The journal beside it says what they depend on, so that a
//! run with other settings does not add to them: see [`settings`].

use std::fs::File;
use std::io::{BufRead as _, BufReader, BufWriter, Seek as _, SeekFrom, Write as _};
use std::path::Path;

use anyhow::{Context as _, Result, bail};
use serde::Serialize;
use serde_json::{Map, Value as Json, json};
use twinql::files::{Destination, Inputs};
use twinql::record::{Status, StatusCounts};
use twinql::{Job, Work};

use crate::args::shared::BatchFlags;
use crate::args::{Format, Input, Output, Source};
use crate::input::{About, Pairs};
use crate::output::{Console, Journal, Kept, Sink, Table};

/// What a metric says of a pair, where results are to show it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Decided {
    pub(super) metric: &'static str,
    /// `same`, `different` or `abstained`.
    pub(super) decision: &'static str,
    /// Scores at or above it count as the same.
    pub(super) threshold: f64,
}

/// A record on its way out.
pub(super) struct Out<'r, T> {
    pub(super) job: &'r Job,
    pub(super) about: &'r About,
    pub(super) status: Status,
    pub(super) record: &'r T,
    /// With --echo.
    pub(super) decided: Vec<Decided>,
}

impl<'r, T> Out<'r, T> {
    /// A record of which no metric says more than it holds itself.
    pub(super) fn new(job: &'r Job, about: &'r About, status: Status, record: &'r T) -> Out<'r, T> {
        Out { job, about, status, record, decided: Vec::new() }
    }

    /// The same, with what metrics say of the pair.
    pub(super) fn decided(self, decided: Vec<Decided>) -> Out<'r, T> {
        Out { decided, ..self }
    }
}

/// The status of a pair that nothing has been asked of yet, and the error where its input is unusable.
pub(super) fn of_input(job: &Job) -> (Status, Option<String>) {
    match &job.work {
        Work::Unusable { status, error, .. } => (*status, Some(error.clone())),
        Work::Pair { .. } => (Status::Ok, None),
    }
}

/// How the records of a command are written for people.
pub(super) struct ForPeople<'f, T> {
    /// A single pair in words.
    pub(super) text: &'f dyn Fn(&T) -> String,
    /// The head of the table of many.
    pub(super) head: Vec<String>,
    /// A pair's row in it.
    pub(super) row: &'f dyn Fn(&T) -> Vec<String>,
}

/// Where the records of a batch go.
pub(super) struct Records<'f, T> {
    /// Where they are written.
    sink: Sink,
    /// How they are written.
    form: Form,
    /// What a person is shown in place of JSON.
    people: ForPeople<'f, T>,
    /// Statuses so far, those of lines of an earlier run too.
    pub(super) counts: StatusCounts,
}

/// How they are written.
enum Form {
    /// A single pair in words.
    Words,
    /// Each on its line.
    Lines,
    /// In one document, which says first how many there are: they wait in a temporary file.
    Document(BufWriter<File>),
    /// A row each, aligned at the end.
    Table(Table),
}

/// What a batch reads, so that no output takes its place; and that its output does not.
pub(super) fn guard<'p>(
    input: &'p Input,
    output: &Output,
    more: impl IntoIterator<Item = (&'p str, Option<&'p Path>)>,
) -> Result<Inputs> {
    let named = match &input.source {
        Source::Pairs(pairs) => vec![("--pairs", Some(pairs.as_path()))],
        Source::Lines { gold, pred } => {
            vec![("--gold", Some(gold.as_path())), ("--pred", Some(pred.as_path()))]
        }
        Source::One { .. } => Vec::new(),
    };
    let mut inputs = Inputs::default().with(named).with([("--schemas", input.schemas.as_deref())]).with(more);
    if let Some(out) = &output.out {
        inputs.output(out)?;
    }
    Ok(inputs)
}

/// What the schemas are, where an output is kept that may be gone on with.
pub(super) fn made_of(output: &Output, schemas: &twinql::input::Schemas) -> String {
    match output.out {
        Some(_) => schemas.fingerprint(),
        None => String::new(),
    }
}

/// What lines depend on, for a run that may be gone on with.
pub(super) fn settings(command: &str, signatures: Json, schemas: String, more: Json) -> Map<String, Json> {
    let commit = option_env!("TWINQL_COMMIT");
    let program = json!({"version": env!("CARGO_PKG_VERSION"), "commit": commit});
    Map::from_iter([
        ("command".to_owned(), command.into()),
        ("program".to_owned(), program),
        ("signature".to_owned(), signatures),
        ("schemas".to_owned(), schemas.into()),
        ("flags".to_owned(), more),
    ])
}

/// How a batch begins.
pub(super) struct Begin<'b> {
    pub(super) output: &'b Output,
    pub(super) flags: &'b BatchFlags,
    pub(super) console: Console,
    /// See [`settings`].
    pub(super) settings: &'b dyn Fn() -> Map<String, Json>,
}

impl<'f, T: Serialize> Records<'f, T> {
    /// Begins the output. With `--resume` the pairs that an earlier run has done are taken from
    /// `pairs`, and `count` gets the line of each.
    pub(super) fn begin(
        begin: &Begin<'_>,
        pairs: &mut Pairs,
        people: ForPeople<'f, T>,
        count: &mut dyn FnMut(&About, &Json) -> Result<()>,
    ) -> Result<Records<'f, T>> {
        let Begin { output, flags, console, .. } = *begin;
        let destination = output.out.as_deref().map(Destination::of).transpose()?;
        let plain = destination.as_ref().and_then(Destination::plain).zip(output.out.as_deref());
        let (out, shown) = match plain.filter(|_| output.format == Format::Jsonl) {
            Some(plain) => plain,
            None if flags.resume => bail!(
                "--resume goes on with the lines of an output file: give --out FILE, a plain file, and --format jsonl"
            ),
            None => return Records::new(output, pairs.single, people),
        };
        let (journal, mut kept) = Journal::open(out, shown, &(begin.settings)(), flags.resume, console)?;
        let (sink, counts) = (Sink::journal(journal), StatusCounts::default());
        let mut records = Records { sink, form: Form::Lines, people, counts };
        records.go_on(pairs, &mut kept, count)?;
        if kept.pairs() > 0 {
            console.say(format!("going on after {} pairs", kept.pairs()));
        }
        Ok(records)
    }

    /// Passes over the pairs that an earlier run has done, line by line beside their records.
    fn go_on(
        &mut self,
        pairs: &mut Pairs,
        kept: &mut Kept,
        count: &mut dyn FnMut(&About, &Json) -> Result<()>,
    ) -> Result<()> {
        for done in 0..kept.pairs() {
            let Some(item) = pairs.items.next().transpose()? else {
                bail!(
                    "an earlier run has done {} pairs, and the input has {done}: --resume needs the \
                     same input",
                    kept.pairs()
                );
            };
            let id = item.about.id_json(&item.job.id);
            let Some(line) = kept.next(&id, item.about.print)? else {
                break;
            };
            let status = line.get("status").cloned().unwrap_or_default();
            self.counts.add(serde_json::from_value(status).context("a line of an earlier run")?);
            count(&item.about, &line)?;
        }
        if let Some(count) = &mut pairs.count {
            *count = count.saturating_sub(kept.pairs() as usize);
        }
        Ok(())
    }

    /// Begins an output that nobody goes on with.
    pub(super) fn new(output: &Output, single: bool, people: ForPeople<'f, T>) -> Result<Records<'f, T>> {
        let form = match output.format {
            Format::Text if single => Form::Words,
            Format::Text => {
                let mut table = Table::new()?;
                table.add(&people.head)?;
                Form::Table(table)
            }
            Format::Jsonl => Form::Lines,
            Format::Json => Form::Document(BufWriter::new(tempfile::tempfile().context("a temporary file")?)),
        };
        Ok(Records { sink: Sink::new(output.out.as_deref())?, form, people, counts: StatusCounts::default() })
    }

    /// A single pair in words: what there is to say stands on stdout.
    pub(super) fn for_people(&self) -> bool {
        matches!(self.form, Form::Words)
    }

    /// Counts a record and writes it.
    pub(super) fn add(&mut self, out: &Out<'_, T>) -> Result<()> {
        self.counts.add(out.status);
        match &mut self.form {
            Form::Words => self.sink.write(&(self.people.text)(out.record)),
            Form::Lines => self.sink.line_of(out.about.print, &line(out)?),
            Form::Table(table) => {
                let mut row = (self.people.row)(out.record);
                if let (Some(number), Some(first)) = (&out.about.number, row.first_mut()) {
                    first.clone_from(number);
                }
                table.add(&row)
            }
            Form::Document(records) => {
                records.write_all((pretty(out)? + "\n").as_bytes()).context("a temporary file")
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
            Form::Document(records) => write_document(&document(&self.counts), records, &mut self.sink)?,
        }
        self.sink.finish()?;
        Ok(self.counts)
    }
}

/// A record as a line, with what --echo adds.
pub(super) fn line<T: Serialize>(out: &Out<'_, T>) -> Result<String> {
    let mut line = serde_json::to_string(out.record)?;
    if let Some(number) = &out.about.number {
        // JSON's numbers are kept as they stood, not as they are usually written.
        let usual = format!("{{\"id\":{}", out.job.id);
        if let Some(rest) = line.strip_prefix(&usual) {
            line = format!("{{\"id\":{number}{rest}");
        }
    }
    let Some(echo) = &out.about.echo else {
        return Ok(line);
    };
    let map = |of: fn(&Decided) -> Json| -> Map<String, Json> {
        out.decided.iter().map(|d| (d.metric.to_owned(), of(d))).collect()
    };
    let more = json!({
        "db_id": out.about.db_id,
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

/// As [`line()`], over several lines, as it stands in a document.
fn pretty<T: Serialize>(out: &Out<'_, T>) -> Result<String> {
    let value: Json = serde_json::from_str(&line(out)?)?;
    let text = serde_json::to_string_pretty(&value)?;
    let mut indented = String::with_capacity(text.len() * 2);
    for (i, line) in text.lines().enumerate() {
        if i > 0 {
            indented.push('\n');
        }
        indented.push_str("    ");
        match (&out.about.number, i) {
            (Some(number), 1) => indented.push_str(&format!("  \"id\": {number},")),
            _ => indented.push_str(line),
        }
    }
    Ok(indented)
}

/// A document whose last field is the list of its records.
fn write_document(head: &Json, records: BufWriter<File>, sink: &mut Sink) -> Result<()> {
    let head = serde_json::to_string_pretty(head)?;
    sink.write(head.strip_suffix("\n}").unwrap_or(&head))?;
    let mut records = records.into_inner().map_err(|e| e.into_error()).context("a temporary file")?;
    records.seek(SeekFrom::Start(0)).context("a temporary file")?;
    let mut lines = BufReader::new(records).lines().peekable();
    if lines.peek().is_none() {
        return sink.line(",\n  \"records\": []\n}");
    }
    sink.write(",\n  \"records\": [\n")?;
    while let Some(line) = lines.next() {
        let line = line.context("a temporary file")?;
        // The brace that ends a record stands by itself.
        let comma = if line == "    }" && lines.peek().is_some() { "," } else { "" };
        sink.line(&format!("{line}{comma}"))?;
    }
    sink.line("  ]\n}")
}
