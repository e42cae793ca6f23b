//! Results of a batch that a later run can go on with.
//!
//! Until `OUT` is whole, its lines lie in `OUT.partial`. Beside it, `OUT.partial.state` says what
//! they depend on, and every now and then how far they are and of which input: what follows the last
//! of these marks is computed again.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};
use twinql::files::hex;
use twinql::files::resume::{open_alone, partial_of};

use super::Console;
use crate::interrupt;

/// Between two marks.
const PAUSE: Duration = Duration::from_millis(500);

/// How far the lines are.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct Mark {
    /// Whose lines are written whole.
    pairs: u64,
    /// Of `OUT.partial`.
    bytes: u64,
    /// A hash over the input of these pairs.
    input: String,
}

/// The open files.
pub(crate) struct Journal {
    /// As the user wrote it.
    shown: PathBuf,
    /// Takes the lines when all are there.
    out: PathBuf,
    /// `OUT.partial`, the lines so far.
    partial: PathBuf,
    /// The same, open, and locked against another run.
    lines: File,
    /// `OUT.partial.state`: the settings, and the marks.
    state: PathBuf,
    /// The same, open.
    marks: File,
    /// What has been noted.
    mark: Mark,
    /// When the last mark was written, so that marks cost little.
    marked: Option<Instant>,
}

/// Lines that an earlier run has left.
pub(crate) struct Kept {
    /// Up to the last mark; what stands behind it may be half a line.
    lines: BufReader<std::io::Take<File>>,
    /// What the earlier run has marked.
    mark: Mark,
    /// For messages.
    partial: PathBuf,
    /// What has been read of it, which must come to the same hash.
    noted: Mark,
}

impl Journal {
    /// Begins the lines of `out` (behind all links; `shown` as the user wrote it), or with `resume`
    /// goes on with those of an earlier run under the same `settings`.
    pub(crate) fn open(
        out: &Path,
        shown: &Path,
        settings: &Map<String, Value>,
        resume: bool,
        console: Console,
    ) -> Result<(Journal, Kept)> {
        let partial = partial_of(out);
        let state = partial_of(out).with_extension("partial.state");
        let lines = open_alone(&partial)?;
        let mut marks = open_alone(&state)?;
        let length = lines.metadata().map_or(0, |m| m.len());
        let mut found = None;
        if resume && length > 0 {
            found = Some(read_state(&mut marks, settings, length, &partial)?);
        } else if resume {
            console.warn(format!(
                "there is no {} to go on from: this run begins with the first pair",
                partial.display()
            ));
        } else if length > 0 {
            console.warn(format!(
                "{} of an earlier run is replaced; --resume would have gone on from it",
                partial.display()
            ));
        }
        let (mark, bytes) = found.unwrap_or_default();
        let fail = || format!("cannot write {}", partial.display());
        lines.set_len(mark.bytes).with_context(fail)?;
        marks.set_len(bytes).with_context(fail)?;
        if bytes == 0 {
            marks.write_all((serde_json::to_string(settings)? + "\n").as_bytes()).with_context(fail)?;
        }
        let mut reader = lines.try_clone().with_context(fail)?;
        reader.seek(SeekFrom::Start(0)).with_context(fail)?;
        let kept = Kept {
            lines: BufReader::new(reader.take(mark.bytes)),
            noted: Mark::default(),
            partial: partial.clone(),
            mark: mark.clone(),
        };
        let (shown, out) = (shown.to_owned(), out.to_owned());
        let journal = Journal { shown, out, partial, lines, state, marks, mark, marked: None };
        journal.hint();
        Ok((journal, kept))
    }

    /// Notes the input of the next line.
    pub(crate) fn note(&mut self, print: u64) {
        self.mark.note(print);
    }

    /// Writes lines, whole ones.
    pub(crate) fn append(&mut self, lines: &mut Vec<u8>) -> Result<()> {
        let fail = || format!("cannot write {}", self.partial.display());
        self.lines.write_all(lines).with_context(fail)?;
        self.mark.bytes += lines.len() as u64;
        lines.clear();
        if self.marked.is_none_or(|at| at.elapsed() >= PAUSE) {
            let line = serde_json::to_string(&self.mark)? + "\n";
            self.marks.write_all(line.as_bytes()).with_context(fail)?;
            self.marked = Some(Instant::now());
            self.hint();
        }
        Ok(())
    }

    /// What an interrupt is to say.
    fn hint(&self) {
        interrupt::hint(format!(
            "{} pairs are in {}; the same command with --resume goes on from there",
            self.mark.pairs,
            partial_of(&self.shown).display()
        ));
    }

    /// The lines are whole, and take their name.
    pub(crate) fn finish(self) -> Result<()> {
        let fail = || format!("cannot write {}", self.shown.display());
        self.lines.sync_all().with_context(fail)?;
        if let Ok(old) = std::fs::metadata(&self.out) {
            // A file system without permissions is no reason to lose the results.
            let _ = self.lines.set_permissions(old.permissions());
        }
        std::fs::rename(&self.partial, &self.out).with_context(fail)?;
        interrupt::hint(String::new());
        // It says something of lines that are no longer there, and is of no use.
        let _ = std::fs::remove_file(&self.state);
        Ok(())
    }
}

impl Mark {
    /// Takes in the input of one pair. The hash goes over all before it, so that a changed, missing or moved pair is
    /// found.
    fn note(&mut self, print: u64) {
        self.pairs += 1;
        let mut sha = Sha256::new();
        sha.update(&self.input);
        sha.update(print.to_le_bytes());
        self.input = hex(sha.finalize());
        self.input.truncate(16);
    }
}

impl Kept {
    /// How many lines there are.
    pub(crate) fn pairs(&self) -> u64 {
        self.mark.pairs
    }

    /// The next line, of a pair with this id, as JSON, and input.
    pub(crate) fn next(&mut self, id: &str, print: u64) -> Result<Option<Value>> {
        if self.noted.pairs == self.mark.pairs {
            return Ok(None);
        }
        let mut line = String::new();
        let fail = || format!("cannot read {}", self.partial.display());
        self.lines.read_line(&mut line).with_context(fail)?;
        self.noted.note(print);
        let number = self.noted.pairs;
        let path = self.partial.display();
        if !line.starts_with(&format!("{{\"id\":{id},")) {
            bail!(
                "{path}, line {number} is not of the pair with id {id}: --resume needs the same pairs; \
                 without it this run begins anew"
            );
        }
        if number == self.mark.pairs && self.noted.input != self.mark.input {
            bail!(
                "{path} was made of other pairs with the same ids: --resume needs the same input; \
                 without it this run begins anew"
            );
        }
        Ok(Some(serde_json::from_str(&line).with_context(|| format!("{path}, line {number}"))?))
    }
}

/// The last mark that the lines reach, and how many bytes of the state lead to it.
fn read_state(
    marks: &mut File,
    settings: &Map<String, Value>,
    length: u64,
    partial: &Path,
) -> Result<(Mark, u64)> {
    let (mut text, path) = (String::new(), partial.display());
    marks.read_to_string(&mut text).with_context(|| format!("cannot read the state of {path}"))?;
    let mut lines = text.split_inclusive('\n');
    let first = lines.next().unwrap_or_default();
    let Ok(before) = serde_json::from_str::<Map<String, Value>>(first) else {
        bail!(
            "what {path} was made with is not known: its state is missing or damaged; without --resume \
             this run begins anew"
        );
    };
    let differs = |key: &&String| before.get(*key) != settings.get(*key);
    if let Some(key) = before.keys().chain(settings.keys()).find(differs) {
        let shown = |map: &Map<String, Value>| map.get(key).map_or("nothing".into(), Value::to_string);
        let (before, now) = (shown(&before), shown(settings));
        bail!(
            "{path} was made with another {key} ({before}, now {now}): --resume needs the same settings; without \
             it this run begins anew"
        );
    }
    let (mut found, mut bytes) = (Mark::default(), first.len() as u64);
    for line in lines {
        match serde_json::from_str::<Mark>(line) {
            Ok(mark) if line.ends_with('\n') && mark.bytes <= length => {
                found = mark;
                bytes += line.len() as u64;
            }
            _ => break,
        }
    }
    Ok((found, bytes))
}
