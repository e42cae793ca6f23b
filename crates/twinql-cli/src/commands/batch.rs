//! The skeleton of commands over many pairs: [`Batch::run`] reads pairs, has them worked on, counts and writes the
//! record of each, and says at the end what came of all. A command brings the work, and what it [`Says`].
//!
//! Only lines in a plain file can be gone on with. The journal beside it says what they depend on, so that a
//! run with other settings does not add to them.

use std::path::Path;

use anyhow::{Context as _, Result, bail};
use serde_json::{Map, Value as Json, json};
use twinql::files::{Destination, Inputs};
use twinql::input::Schemas;

use super::records::{Records, signature_lines};
use super::says::Says;
use super::stream::{Window, Work as Working, stream};
use super::{checks, machine, status_line};
use crate::args::shared::BatchFlags;
use crate::args::{Format, Input, Output, Source};
use crate::input::{self, Item, Pairs};
use crate::output::{Console, Journal, Kept, Sink};

/// A run of a command over pairs.
pub(super) struct Batch<'b> {
    /// The command, and what it is doing and has done: `score`, `scoring`, `scored`.
    pub(super) names: [&'static str; 3],
    pub(super) input: &'b Input,
    pub(super) output: &'b Output,
    /// Those of the input.
    pub(super) schemas: Schemas,
    /// Of commands that take --echo and --resume.
    pub(super) flags: Option<&'b BatchFlags>,
    /// What lines depend on besides the schemas and the signatures.
    pub(super) settings: Json,
    /// A text, or one for each metric.
    pub(super) signatures: Json,
    pub(super) window: Window,
    /// It runs queries, for which the machine may fail.
    pub(super) runs: bool,
    /// A pair may have several golds, any of which the prediction may meet.
    pub(super) several_golds: bool,
    /// What is said of all follows the words of a single pair, too.
    pub(super) always_said: bool,
    pub(super) console: Console,
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

impl Batch<'_> {
    /// Reads the pairs, does `work` on them, and writes and says what came of it; false where a check failed.
    pub(super) fn run<S: Says>(self, work: &Working<'_, S::Record>, mut says: S) -> Result<bool> {
        let Batch { input, output, console, .. } = self;
        let settings = self.settings();
        let echo = self.flags.is_some_and(|flags| flags.echo);
        let mut pairs = input::open(&input.source, input.db_id.as_deref(), self.schemas, echo)?;
        if !self.several_golds {
            pairs.items = Box::new(pairs.items.map(|item| item.map(Item::of_one_gold)));
        }
        input::say(&pairs, console);
        let resume = self.flags.map(|flags| (flags.resume, settings));
        let mut records = begin(output, resume, &mut pairs, &mut says, console)?;
        if !self.always_said {
            records.signed = signature_lines(&self.signatures).map(|line| format!("{line}\n")).collect();
        }
        stream(pairs, self.window, self.names[1], console, work, &mut |done| {
            let Some((job, about, mut record)) = done else {
                return records.flush();
            };
            let status = says.add(&job, &about, &mut record)?;
            records.add(&says, (&job, &about), status, &record)?;
            Ok(true)
        })?;
        let end = says.end(&records.counts)?;
        let words = records.are_words();
        let named = if self.signatures.is_object() { "signatures" } else { "signature" };
        let counts = records.finish(|counts| {
            let total = counts.total();
            let mut head = json!({"format": 1, named: self.signatures, "pairs": total, "status": counts});
            if let (Json::Object(head), Json::Object(more)) = (&mut head, end.document) {
                head.extend(more);
            }
            head
        })?;
        // The records say how the machine failed.
        let machine = if self.runs { machine(&counts) } else { Ok(()) };
        if !(if self.always_said { machine.is_err() } else { words }) {
            console.say(format!("{} {}", self.names[2], status_line(&counts)));
            end.lines.iter().for_each(|line| console.say(line));
            signature_lines(&self.signatures).for_each(|line| console.say(line));
        }
        machine?;
        let in_part = output.strict && end.in_part > 0;
        if in_part {
            console.warn(format!("--strict: of {} pairs a metric says nothing", end.in_part));
        }
        Ok(checks(output, &end.checked.0, Some(end.checked.1), &counts, console) && !in_part)
    }

    /// What lines depend on, for a run that may be gone on with: the schemas' hash takes a while.
    fn settings(&self) -> Map<String, Json> {
        let commit = option_env!("TWINQL_COMMIT");
        let schemas = match (self.flags, &self.output.out) {
            (Some(_), Some(_)) => self.schemas.fingerprint(),
            _ => String::new(),
        };
        Map::from_iter([
            ("command".to_owned(), self.names[0].into()),
            ("program".to_owned(), json!({"version": env!("CARGO_PKG_VERSION"), "commit": commit})),
            ("signature".to_owned(), self.signatures.clone()),
            ("schemas".to_owned(), schemas.into()),
            ("flags".to_owned(), self.settings.clone()),
        ])
    }
}

/// Begins the output. `resume` is whether to go on with an earlier run of which settings. The pairs that it has done
/// are taken from `pairs` then, and their lines counted.
fn begin<S: Says>(
    output: &Output,
    resume: Option<(bool, Map<String, Json>)>,
    pairs: &mut Pairs,
    says: &mut S,
    console: Console,
) -> Result<Records> {
    let destination = output.out.as_deref().map(Destination::of).transpose()?;
    let plain = destination.as_ref().and_then(Destination::plain).zip(output.out.as_deref());
    match (resume, plain.filter(|_| output.format == Format::Jsonl)) {
        (Some((resume, settings)), Some((out, shown))) => {
            let (journal, mut kept) = Journal::open(out, shown, &settings, resume, console)?;
            let mut records = Records::lines(Sink::journal(journal));
            go_on(&mut records, pairs, &mut kept, says)?;
            if kept.pairs() > 0 {
                console.say(format!("going on after {} pairs", kept.pairs()));
            }
            Ok(records)
        }
        (Some((true, _)), None) => bail!(
            "--resume goes on with the lines of an output file: give --out FILE, a plain file, and --format jsonl"
        ),
        _ => Records::new(output, pairs.single),
    }
}

/// Passes over the pairs that an earlier run has done, line by line beside their records.
fn go_on<S: Says>(records: &mut Records, pairs: &mut Pairs, kept: &mut Kept, says: &mut S) -> Result<()> {
    for done in 0..kept.pairs() {
        let Some(item) = pairs.items.next().transpose()? else {
            bail!(
                "an earlier run has done {} pairs, and the input has {done}: --resume needs the same input",
                kept.pairs()
            );
        };
        let id = item.about.id_json(&item.job.id);
        let Some(line) = kept.next(&id, item.about.print)? else {
            break;
        };
        let status = line.get("status").cloned().unwrap_or_default();
        records.counts.add(serde_json::from_value(status).context("a line of an earlier run")?);
        says.again(&item, &line)?;
    }
    if let Some(count) = &mut pairs.count {
        *count = count.saturating_sub(kept.pairs() as usize);
    }
    Ok(())
}
