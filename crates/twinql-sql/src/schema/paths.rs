//! Tables that are named by a path, `project.dataset.table`, and tables that a name with a star stands for.
//!
//! A schema keeps the path as it is declared; a query finds a table by the parts that both write, compared from the end.
//! BigQuery keeps one table for each day or year, `events_20240101`, and reads several as `events_*`
//! (<https://cloud.google.com/bigquery/docs/querying-wildcard-tables>). Here they are one table with the column
//! `_TABLE_SUFFIX`, so that what holds for one day's table holds for those that the schema does not list.

use std::collections::BTreeMap;

use super::names::{Found, NamePart};
use super::scan::{Token, TokenKind};
use super::{Column, Schema, Table, same_name};
use crate::dialects::Dialect;

/// The column that says which of its tables a row of `events_*` comes from.
pub(crate) const SUFFIX: &str = "_TABLE_SUFFIX";

/// Digits at the end of a name that make it one of several tables: a year or a day.
const LEAST_DIGITS: usize = 4;

/// A table that a name with a star, or one of its tables' own, reads.
pub(crate) struct Part {
    /// Index into [`Schema::tables`].
    pub(crate) table: usize,
    /// What its rows have in [`SUFFIX`], where the table has that column.
    pub(crate) rows: Rows,
    /// What the query sees as the suffix.
    pub(crate) suffix: Suffix,
}

/// Which rows of a table are read.
pub(crate) enum Rows {
    /// All.
    All,
    /// Those with this suffix.
    Of(String),
    /// Those whose suffix begins so.
    Beginning(String),
}

/// The suffix as a query sees it, by what stands before the star.
pub(crate) enum Suffix {
    /// That of the table, behind these characters of it.
    Behind(usize),
    /// That of the table, with this before it.
    After(String),
    /// This text.
    Is(String),
}

/// Makes parts of a name whose quotes hold a path, and one name of a project with hyphens.
pub(super) fn split(tokens: &mut Vec<Token>, dialect: Dialect) {
    if !dialect.names().paths {
        return;
    }
    let mut out: Vec<Token> = Vec::with_capacity(tokens.len());
    let mut names_table = false;
    for token in tokens.drain(..) {
        match &token.kind {
            TokenKind::Quoted(path) if path.contains('.') => {
                for (i, part) in path.split('.').enumerate() {
                    let kind = TokenKind::Quoted(part.to_owned());
                    let dot = Token { kind: TokenKind::Symbol('.'), ..token.clone() };
                    out.extend((i > 0).then_some(dot));
                    out.push(Token { kind, ..token.clone() });
                }
            }
            // CREATE TABLE my-project.dataset.t
            TokenKind::Word(word) if names_table && follows_hyphen(&out, &token) => {
                out.pop();
                if let Some(Token { kind: TokenKind::Word(before), end, .. }) = out.last_mut() {
                    before.push('-');
                    before.push_str(word);
                    *end = token.end;
                }
                continue;
            }
            _ => out.push(token.clone()),
        }
        names_table = token.is_any(&["TABLE", "EXISTS", "REFERENCES"])
            || names_table && matches!(token.kind, TokenKind::Word(_) | TokenKind::Symbol('-' | '.'));
    }
    *tokens = out;
}

/// Whether a word stands directly behind a hyphen that stands directly behind a word.
fn follows_hyphen(before: &[Token], token: &Token) -> bool {
    match before {
        [.., word, hyphen] => {
            hyphen.is_symbol('-')
                && hyphen.end == token.start
                && word.end == hyphen.start
                && matches!(word.kind, TokenKind::Word(_))
        }
        _ => false,
    }
}

/// Whether a path, as it is stored, may be the one that stands before a name.
fn leads_to(stored: Option<&String>, before: &[NamePart]) -> bool {
    let Some(stored) = stored else {
        return true;
    };
    stored.rsplit('.').zip(before.iter().rev()).all(|(s, w)| same_name(false, s, &w.text, w.quoted))
}

impl Schema {
    /// The table that a path means; `None` where its last part is no table's name.
    pub(super) fn find_by_path(&self, parts: &[NamePart]) -> Option<Found> {
        let (table, before) = parts.split_last()?;
        let named: Vec<usize> = (0..self.tables.len())
            .filter(|&i| self.is_called(i, |name| name.eq_ignore_ascii_case(&table.text)))
            .collect();
        let there: Vec<usize> = named.iter().copied().filter(|&i| self.lies(i, before)).collect();
        let places =
            |all: &[usize]| all.iter().filter_map(|&i| Some(self.tables.get(i)?.full_name())).collect();
        match there.as_slice() {
            [] if named.is_empty() => None,
            [] => {
                let places: Vec<String> = places(&named);
                Some(Found::Unknown(Some(format!("the schema has {}", places.join(", ")))))
            }
            [only] => Some(Found::Table(*only)),
            several => Some(Found::Ambiguous(places(several))),
        }
    }

    fn is_called(&self, at: usize, name: impl Fn(&str) -> bool) -> bool {
        self.tables.get(at).is_some_and(|t| name(t.bare_name()))
    }

    fn lies(&self, at: usize, before: &[NamePart]) -> bool {
        // The database's own name may stand for its schema.
        let is_database = |part: &NamePart| part.text.eq_ignore_ascii_case(&self.db_id);
        self.tables
            .get(at)
            .is_some_and(|t| leads_to(t.schema.as_ref(), before) || before.last().is_some_and(is_database))
    }

    /// The tables that a name with a star stands for, or the one of `events_*` that a name without one does.
    pub(crate) fn parts_of_wildcard(&self, parts: &[NamePart]) -> Vec<Part> {
        let Some((name, before)) = parts.split_last() else {
            return Vec::new();
        };
        let wanted = name.text.to_ascii_lowercase();
        let mut out = Vec::new();
        for (table, stored) in self.tables.iter().enumerate().filter(|(i, _)| self.lies(*i, before)) {
            let known = stored.bare_name().to_ascii_lowercase();
            let found = match (wanted.strip_suffix('*'), known.strip_suffix('*')) {
                (Some(prefix), Some(stem)) => {
                    let further = prefix.strip_prefix(stem).map(|digits| match digits {
                        "" => (Rows::All, Suffix::Behind(0)),
                        _ => (Rows::Beginning(digits.to_owned()), Suffix::Behind(digits.chars().count())),
                    });
                    further.or_else(|| {
                        let rest = stem.strip_prefix(prefix)?;
                        Some((Rows::All, Suffix::After(rest.to_owned())))
                    })
                }
                (Some(prefix), None) => {
                    known.strip_prefix(prefix).map(|rest| (Rows::All, Suffix::Is(rest.to_owned())))
                }
                (None, Some(stem)) => wanted
                    .strip_prefix(stem)
                    .filter(|digits| stored.shards.iter().any(|s| s == digits))
                    .map(|digits| (Rows::Of(digits.to_owned()), Suffix::Is(digits.to_owned()))),
                (None, None) => None,
            };
            out.extend(found.map(|(rows, suffix)| Part { table, rows, suffix }));
        }
        out
    }

    /// Makes one table of those that differ in the digits at the end of their names alone, and have the same columns.
    pub(super) fn gather_shards(&mut self, dialect: Dialect) {
        if !dialect.names().wildcards || self.tables.iter().any(|t| !t.foreign_keys.is_empty()) {
            return;
        }
        let mut families: BTreeMap<(Option<String>, String), Vec<usize>> = BTreeMap::new();
        for (i, table) in self.tables.iter().enumerate() {
            if let Some((stem, _)) = shard(table) {
                families.entry((table.schema.clone(), stem.to_owned())).or_default().push(i);
            }
        }
        let mut gone = vec![false; self.tables.len()];
        let mut made = Vec::new();
        for ((_, stem), members) in families {
            let of = |i: &usize| self.tables.get(*i);
            let Some(last) = members.last().and_then(of) else { continue };
            let columns = |t: &Table| -> Vec<String> {
                t.columns.iter().map(|c| c.name.to_ascii_lowercase()).collect()
            };
            let alike = members.iter().filter_map(of).all(|t| columns(t) == columns(last));
            if members.len() < 2 || !alike || last.column_index(SUFFIX).is_some() {
                continue;
            }
            let mut table = last.clone();
            table.shards =
                members.iter().filter_map(of).filter_map(|t| Some(shard(t)?.1.to_owned())).collect();
            let before = table.name.strip_suffix(last.bare_name()).unwrap_or_default();
            table.name = format!("{before}{stem}*");
            table.columns.push(Column { not_null: true, ..Column::new(SUFFIX, "STRING", dialect) });
            for i in members {
                if let Some(flag) = gone.get_mut(i) {
                    *flag = true;
                }
            }
            made.push(table);
        }
        let mut gone = gone.into_iter();
        self.tables.retain(|_| !gone.next().unwrap_or(false));
        self.tables.append(&mut made);
    }
}

/// The name of a table without the digits at its end, and those.
fn shard(table: &Table) -> Option<(&str, &str)> {
    let name = table.bare_name();
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let digits = name.strip_prefix(stem)?;
    (digits.len() >= LEAST_DIGITS && !stem.is_empty()).then_some((stem, digits))
}
