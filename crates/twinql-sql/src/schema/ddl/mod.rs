//! Schemas from DDL text.
//!
//! Statements are read one after another into a [`model`] that knows everything by name, so
//! that later ones can rename, drop and add; at the end names become positions. What is not
//! applied is noted with its line: nothing is skipped silently.

mod alter;
mod exprs;
mod finish;
mod model;
mod split;
mod table;
#[cfg(test)]
mod tests;
mod types;
mod views;
mod words;

use std::collections::HashSet;

use crate::dialects::Dialect;

use super::error::{SchemaError, SchemaErrorKind as E};
use super::names::Places;
use super::note::{Note, NoteKind};
use super::scan::{Token, scan};
use super::{Check, Collation, Schema};
use model::{Model, Written};
use split::{Statement, statements};
use words::{Run as _, qualified, shown};

impl Schema {
    /// The schema that `text` (DDL of SQLite, or most of what other systems write) defines:
    /// tables with types, keys, NOT NULL, CHECKs and generated columns, views, enumerated
    /// types, and what later statements change of them. [`Schema::notes`] lists what was not
    /// read, and why.
    ///
    /// # Errors
    /// Empty text, no table, a name defined twice; and where no table is left, why the first
    /// one cannot be read: no columns, a key over a column that the table does not have, a
    /// CREATE TABLE that is not closed. Where other tables can be read, that is a note.
    pub fn from_ddl(db_id: &str, text: &str) -> Result<Schema, SchemaError> {
        read_in(db_id, text, Dialect::Sqlite)
    }

    /// As [`Schema::from_ddl`], quotes, comments and types read as `dialect` has them.
    /// SQLite's reader also takes most of what the others write.
    ///
    /// # Errors
    /// Those of [`Schema::from_ddl`].
    pub fn from_ddl_in(db_id: &str, text: &str, dialect: Dialect) -> Result<Schema, SchemaError> {
        read_in(db_id, text, dialect)
    }
}

/// As [`Schema::from_ddl`].
///
/// # Errors
/// Those of [`Schema::from_ddl`].
pub fn read(db_id: &str, text: &str) -> Result<Schema, SchemaError> {
    read_in(db_id, text, Dialect::Sqlite)
}

/// As [`read`], in a dialect.
///
/// # Errors
/// Those of [`Schema::from_ddl`].
pub fn read_in(db_id: &str, text: &str, dialect: Dialect) -> Result<Schema, SchemaError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut reader = Reader::new(db_id, text, dialect);
    if text.trim().is_empty() {
        return Err(reader.error("", E::Empty));
    }
    let mut scanned = scan(text, dialect);
    reader.places = Places::settle(&mut scanned.tokens, dialect);
    for (line, what) in scanned.skipped {
        reader.ignored(line, what, "it says nothing about tables");
    }
    // Dumps that were put together may say the same of a table twice. What was dropped or changed in between is said again.
    let mut said = HashSet::new();
    for statement in statements(&scanned.tokens) {
        if statement.tokens.is(0, &["DROP", "ALTER"]) {
            said.clear();
        } else if statement.tokens.is(0, &["CREATE"])
            && !said.insert(statement.tokens.iter().map(|token| &token.kind).collect::<Vec<_>>())
        {
            reader.ignored(statement.tokens.line(), "CREATE", "the same statement stands above");
            continue;
        }
        reader.statement(statement)?;
    }
    for (line, what) in scanned.unclosed {
        reader.not_read(
            line,
            format!("{what} that is never closed"),
            "all text behind it was taken for a part of it",
        );
    }
    reader.finish()
}

/// What the CREATE TABLE of a SQLite file says beside its columns and keys: CHECKs with
/// columns by position, the expressions of generated columns by name, and notes.
pub(super) struct Beside {
    pub(super) width: usize,
    pub(super) checks: Vec<Check>,
    pub(super) generated: Vec<(String, String)>,
    pub(super) not_null: Vec<usize>,
    pub(super) collations: Vec<Option<Collation>>,
    pub(super) notes: Vec<Note>,
}

/// Reads the CREATE TABLE that a SQLite file stores.
pub(super) fn beside(sql: &str) -> Option<Beside> {
    let Schema { db_id: _, tables, views: _, typing: _, exact_names: _, notes } = read("", sql).ok()?;
    let table = tables.into_iter().next()?;
    let generated =
        table.columns.iter().filter_map(|c| Some((c.name.clone(), c.generated.clone()?))).collect();
    let not_null = (0..table.columns.len()).filter(|&i| table.columns[i].not_null).collect();
    Some(Beside {
        width: table.columns.len(),
        checks: table.checks,
        generated,
        not_null,
        collations: table.columns.iter().map(|c| c.collation).collect(),
        // What keys and types say comes from SQLite itself.
        notes: notes
            .into_iter()
            .filter(|n| {
                n.what.contains("CHECK") || n.what.starts_with("COLLATE") || n.kind == NoteKind::NotEnforced
            })
            .collect(),
    })
}

/// Reads statements.
struct Reader<'t> {
    file: String,
    db_id: String,
    text: &'t str,
    dialect: Dialect,
    model: Model,
    places: Places,
    notes: Vec<Note>,
    /// Tables that cannot be read.
    broken: Vec<SchemaError>,
}

/// Why an index is passed over, and why a trigger is.
const INDEX: &str = "an index that is not unique says nothing about rows";
const TRIGGER: &str = "a trigger changes data, not what a query sees";

/// Statements that say nothing about what queries see: the words that they begin with, those of which one comes
/// next, and the reason.
const HARMLESS: &[(&[&str], &[&str], &str)] = &[
    (&[], &words![INSERT REPLACE UPDATE DELETE MERGE TRUNCATE COPY LOAD VALUES], "data"),
    (&[], &words![SELECT WITH EXPLAIN], "a query"),
    (&[], &words![SET RESET USE PRAGMA ATTACH DETACH], "a setting"),
    (&[], &words![PRINT], "a message"),
    (&[], &words![BEGIN START COMMIT ROLLBACK SAVEPOINT RELEASE END], "a transaction"),
    (&[], &words![LOCK UNLOCK], "a lock"),
    (&[], &words![GRANT REVOKE REASSIGN], "rights"),
    (&[], &words![COMMENT SECURITY], "a comment"),
    (&[], &words![ANALYZE OPTIMIZE VACUUM REINDEX CLUSTER REFRESH FLUSH], "maintenance"),
    (&[], &words![CALL EXEC EXECUTE], "a call"),
    (&[], &words![DO DECLARE], "a block of code"),
    (&["CREATE"], &words![INDEX FULLTEXT SPATIAL CLUSTERED NONCLUSTERED], INDEX),
    (&["CREATE"], &words![SEQUENCE], "numbers for keys"),
    (&["CREATE", "TEMPORARY"], &words![SEQUENCE], "numbers for keys"),
    (&["CREATE"], &words![SCHEMA DATABASE], "a name before names"),
    (&["CREATE"], &words![EXTENSION LANGUAGE COLLATION], "an extension of the system"),
    (&["CREATE"], &words![STATISTICS], "maintenance"),
    (&["CREATE"], &words![PUBLICATION SUBSCRIPTION], "replication"),
    (&["CREATE"], &words![TRIGGER EVENT], TRIGGER),
    (&["CREATE"], &words![POLICY ROLE USER], "rights"),
    (&["CREATE"], &words![PROCEDURE], "a routine that changes data"),
    (&["ALTER"], &words![SEQUENCE], "numbers for keys"),
    (&["ALTER"], &words![SCHEMA DEFAULT FUNCTION PROCEDURE AGGREGATE ROLE USER], "rights"),
    (&["ALTER"], &words![DATABASE], "a setting"),
    (&["ALTER"], &words![EXTENSION LANGUAGE], "an extension of the system"),
    (&["ALTER"], &words![INDEX], "a setting of an index"),
    (&["ALTER"], &words![TRIGGER], TRIGGER),
    (&["ALTER"], &words![PUBLICATION], "replication"),
    (&["DROP"], &words![SEQUENCE], "numbers for keys"),
    (&["DROP"], &words![SCHEMA DATABASE], "a name before names"),
    (&["DROP"], &words![EXTENSION], "an extension of the system"),
    (&["DROP"], &words![TRIGGER EVENT], TRIGGER),
    (&["DROP"], &words![PROCEDURE FUNCTION AGGREGATE], "a routine"),
    (&["DROP"], &words![POLICY ROLE USER], "rights"),
];

impl<'t> Reader<'t> {
    fn new(db_id: &str, text: &'t str, dialect: Dialect) -> Reader<'t> {
        Reader {
            file: format!("schema {db_id}"),
            db_id: db_id.to_owned(),
            text,
            dialect,
            model: Model::default(),
            places: Places::default(),
            notes: Vec::new(),
            broken: Vec::new(),
        }
    }

    fn error(&self, place: impl Into<String>, kind: E) -> SchemaError {
        SchemaError::new(self.file.clone(), place, kind)
    }

    fn at(&self, line: usize, kind: E) -> SchemaError {
        self.error(format!("line {line}"), kind)
    }

    fn syntax(&self, line: usize, message: impl Into<String>) -> SchemaError {
        self.at(line, E::Syntax(message.into()))
    }

    fn note(&mut self, kind: NoteKind, line: usize, what: impl Into<String>, reason: impl Into<String>) {
        self.notes.push(Note::at_line(kind, line, what.into(), reason));
    }

    fn not_read(&mut self, line: usize, what: impl Into<String>, reason: impl Into<String>) {
        self.note(NoteKind::NotRead, line, what, reason);
    }

    /// Notes what matters to no query; those of one kind are counted together.
    fn ignored(&mut self, line: usize, what: &str, reason: &str) {
        let known = self
            .notes
            .iter_mut()
            .find(|n| n.kind == NoteKind::Ignored && n.what == what && n.reason == reason);
        match known {
            Some(note) => note.count += 1,
            None => self.note(NoteKind::Ignored, line, what, reason),
        }
    }

    /// The text of these tokens as it is written.
    fn source(&self, tokens: &[Token]) -> &'t str {
        match (tokens.first(), tokens.last()) {
            (Some(first), Some(last)) => self.text.get(first.start..last.end).unwrap_or_default(),
            _ => "",
        }
    }

    /// An expression, in SQLite's terms where it has a form there.
    fn written(&self, tokens: &[Token]) -> Written {
        let text = self.source(tokens);
        Written {
            line: tokens.line(),
            text: text.to_owned(),
            expr: crate::parse::parse_expression(text, self.dialect)
                .map_err(|e| e.to_string())
                .and_then(|e| exprs::to_sqlite(e, self.dialect)),
        }
    }

    fn statement(&mut self, statement: Statement<'_>) -> Result<(), SchemaError> {
        let Statement { tokens, joined } = statement;
        let Some(first) = tokens.first() else {
            return Ok(());
        };
        let line = first.line;
        if joined {
            self.ignored(line, "a missing semicolon", "a new statement begins on this line");
        }
        if self.definition(tokens)? {
            return Ok(());
        }
        let harmless = HARMLESS.iter().find_map(|(before, next, reason)| {
            let begins = before.iter().enumerate().all(|(at, word)| tokens.is(at, &[word]));
            let word = *next.iter().find(|word| begins && tokens.is(before.len(), &[word]))?;
            let words: Vec<&str> = before.iter().copied().chain([word]).collect();
            Some((words.join(" "), reason))
        });
        match harmless {
            Some((words, reason)) => self.ignored(line, &words, reason),
            None => self.not_read(line, shown(tokens), "it is no statement that is known here"),
        }
        Ok(())
    }

    /// Reads a statement that defines or changes something; false where it is no such one.
    fn definition(&mut self, tokens: &[Token]) -> Result<bool, SchemaError> {
        if tokens.is(0, &["ALTER"]) && tokens.is(1, &["TABLE", "FOREIGN"]) {
            self.alter_table(tokens);
        } else if tokens.is(0, &["ALTER"]) && tokens.is(1, &["TYPE"]) {
            self.alter_type(tokens);
        } else if tokens.is(0, &["ALTER"]) && tokens.is(1, &["VIEW", "MATERIALIZED", "DOMAIN"]) {
            self.alter_view(tokens);
        } else if tokens.is(0, &["RENAME"]) && tokens.is(1, &["TABLE"]) {
            self.rename_tables(tokens);
        } else if tokens.is(0, &["DROP"])
            && tokens.is(1, &["TABLE", "VIEW", "MATERIALIZED", "INDEX", "TYPE", "DOMAIN"])
        {
            self.drop_things(tokens);
        } else if tokens.is(0, &["CREATE", "VIEW"]) {
            return self.create(tokens);
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    fn create(&mut self, tokens: &[Token]) -> Result<bool, SchemaError> {
        let line = tokens.line();
        // CREATE [words] TABLE | VIEW | TYPE | DOMAIN | [UNIQUE] INDEX.
        const KINDS: &[&str] = &words![
            TABLE VIEW TYPE DOMAIN INDEX TRIGGER FUNCTION PROCEDURE EVENT AGGREGATE RULE OPERATOR CAST
        ];
        // MySQL writes DEFINER=`who`@`where` before VIEW.
        let Some(at) = tokens.iter().take(24).position(|t| t.is_any(KINDS)) else {
            return Ok(false);
        };
        let before = tokens.get(..at).unwrap_or_default();
        let Some(kind) = tokens.get(at) else {
            return Ok(false);
        };
        if kind.is("TABLE") {
            if let Err(error) = self.create_table(tokens, at + 1) {
                if matches!(error.kind, E::Duplicate { what: "table", .. }) {
                    return Err(error);
                }
                self.broken.push(error);
            }
        } else if kind.is("VIEW") {
            self.create_view(tokens, at + 1);
        } else if kind.is("TYPE") || kind.is("DOMAIN") {
            self.create_type(tokens, at);
        } else if kind.is("INDEX") && before.iter().any(|t| t.is("UNIQUE")) {
            self.unique_index(tokens, at + 1);
        } else if kind.is("INDEX") {
            self.ignored(line, "CREATE INDEX", INDEX);
        } else if kind.is("TRIGGER") || kind.is("EVENT") {
            self.ignored(line, "CREATE TRIGGER", TRIGGER);
        } else if kind.is("PROCEDURE") {
            self.ignored(line, "CREATE PROCEDURE", "a routine that changes data");
        } else if kind.is("FUNCTION") || kind.is("AGGREGATE") {
            let name = qualified(tokens, at + 1).map_or_else(String::new, |(n, _)| n);
            self.note(
                NoteKind::NotEnforced,
                line,
                format!("CREATE {} {name}", kind.shown().to_uppercase()),
                "a query that calls it is scored, but cannot be executed",
            );
        } else {
            self.not_read(line, shown(tokens), "such definitions are not read");
        }
        Ok(true)
    }
}
