//! What was not read of a schema.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::Schema;

/// What became of a part of a schema's text that is not in the schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NoteKind {
    /// It may matter to a query, and was not understood or cannot be applied.
    NotRead,
    /// It was read, but generated databases need not keep to it.
    NotEnforced,
    /// It is known to say nothing about what queries see: data, rights, settings.
    Ignored,
}

/// One thing that is not in a schema although its source has it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Note {
    /// What became of it.
    pub kind: NoteKind,
    /// The line of the first occurrence, in text.
    pub line: Option<usize>,
    /// The place elsewhere (`foreign_keys, entry 3`), or empty.
    pub place: String,
    /// The statement or clause, cut short.
    pub what: String,
    /// Why it is not read.
    pub reason: String,
    /// How many of its kind there are; only ignored ones are counted together.
    pub count: usize,
}

impl Note {
    pub(super) fn at_line(kind: NoteKind, line: usize, what: String, reason: impl Into<String>) -> Note {
        Note { kind, line: Some(line), place: String::new(), what, reason: reason.into(), count: 1 }
    }

    pub(super) fn at(place: impl Into<String>, what: impl Into<String>, reason: impl Into<String>) -> Note {
        Note {
            kind: NoteKind::NotRead,
            line: None,
            place: place.into(),
            what: what.into(),
            reason: reason.into(),
            count: 1,
        }
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "line {line}")?,
            None => f.write_str(&self.place)?,
        }
        write!(f, ": {}", self.what)?;
        if self.count > 1 {
            write!(f, " ({} of them)", self.count)?;
        }
        write!(f, ": {}", self.reason)
    }
}

/// How many parts of these schemas were not read, and the first of them.
pub fn not_read<'s>(schemas: impl IntoIterator<Item = &'s Schema>) -> (usize, Option<String>) {
    let mut count = 0;
    let mut first = None;
    for schema in schemas {
        for note in schema.notes.iter().filter(|n| n.kind == NoteKind::NotRead) {
            count += note.count;
            if first.is_none() {
                first = Some(format!("{}, {note}", schema.db_id));
            }
        }
    }
    (count, first)
}
