//! What is known of a schema's columns before any query: read off their names once for many pairs.

use std::collections::BTreeSet;

use twinql_sql::{ColumnRef, Schema};

use super::content::Content;
use super::implied;
use super::portrait::Portrait;
use super::words::words;
use crate::database::keys;

/// Notes on a schema.
#[derive(Debug, Clone)]
pub struct Notes {
    /// By table; none of tables that were left out.
    tables: Vec<Vec<Note>>,
    /// Columns that a foreign key leads to, alone.
    referred: BTreeSet<ColumnRef>,
}

/// What is known of a column.
#[derive(Debug, Clone)]
pub(super) struct Note {
    /// The words of its name.
    pub(super) words: Vec<String>,
    /// What it probably holds.
    pub(super) portrait: Portrait,
}

impl Notes {
    /// Notes on all tables.
    pub fn of(schema: &Schema) -> Notes {
        Notes::on(schema, &Vec::from_iter(0..schema.tables.len()))
    }

    /// Notes on some tables.
    pub(super) fn on(schema: &Schema, tables: &[usize]) -> Notes {
        let mut notes =
            Notes { tables: vec![Vec::new(); schema.tables.len()], referred: implied::referred(schema) };
        for &t in tables {
            let Some(table) = schema.tables.get(t) else { continue };
            let of_parent = notes.referred.iter().any(|r| r.table == t);
            let named: Vec<Vec<String>> = table.columns.iter().map(|c| words(&c.name)).collect();
            let note = |(c, column): (usize, &twinql_sql::Column)| {
                let key =
                    keys(table).any(|k| *k == [c]) || notes.referred.contains(&ColumnRef { table: t, column: c });
                let mut portrait = Portrait::of(column, &table.name, key);
                portrait.unique = key;
                portrait.of_parent = of_parent;
                portrait.own_name &= of_parent;
                if portrait.content == Content::Place && !key {
                    portrait.twin = implied::twin(table, &named, c);
                }
                Note { words: named.get(c).cloned().unwrap_or_default(), portrait }
            };
            let noted = table.columns.iter().enumerate().map(note).collect();
            if let Some(place) = notes.tables.get_mut(t) {
                *place = noted;
            }
        }
        notes
    }

    /// Those on the columns of a table.
    pub(super) fn table(&self, table: usize) -> &[Note] {
        self.tables.get(table).map_or(&[], Vec::as_slice)
    }

    /// The words of a column's name.
    pub(super) fn words(&self, at: ColumnRef) -> &[String] {
        self.table(at.table).get(at.column).map_or(&[], |note| &note.words)
    }
}
