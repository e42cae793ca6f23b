//! What the tables and columns of a query's scans are called, in place of their positions in the schema.
//!
//! A canonical form has to be the same whatever the order of a schema's tables and columns, and whatever else the
//! schema holds (MT-TEQL's shuffles, insertions and removals, 3.1.2). While a query is brought into order, its scans
//! name tables and columns by their place among those that the query itself reads, sorted by name: the order of these
//! places is all that is left to see. Colours take in the names themselves, so that two queries that read different
//! columns are ordered alike where they are alike.

use crate::hash::hash_of;
use crate::rel::{Query, Rel};
use crate::schema::{Schema, by_name};
use crate::tree::{Node, NodeMut, Tree};

/// The tables that a query scans, by name.
pub(super) struct ScanNames {
    tables: Vec<TableNames>,
}

/// A table and those of its columns that are read.
struct TableNames {
    /// Its position in the schema.
    position: usize,
    /// A hash of its name.
    name: u64,
    /// The columns by name: their positions in the table, with hashes of their names.
    columns: Vec<(usize, u64)>,
}

impl ScanNames {
    /// Those of a query whose scans name positions in the schema.
    pub(super) fn of(query: &Query, schema: &Schema) -> ScanNames {
        let mut read: Vec<(usize, usize)> = Vec::new();
        let mut tables: Vec<usize> = Vec::new();
        query.for_each_deep(|node| {
            if let Node::Rel(Rel::Scan { table, columns }) = node {
                tables.push(*table);
                read.extend(columns.iter().map(|(_, at)| (*table, *at)));
            }
        });
        let table_name = |t: usize| schema.tables.get(t).map_or("", |table| table.name.as_str());
        let column_name = |t: usize, at: usize| {
            schema.tables.get(t).and_then(|table| table.columns.get(at)).map_or("", |c| c.name.as_str())
        };
        tables.sort_unstable();
        tables.dedup();
        tables.sort_by(|a, b| by_name(table_name(*a), table_name(*b)));
        read.sort_unstable();
        read.dedup();
        let names = |position: usize| {
            let mut columns: Vec<(usize, u64)> = read
                .iter()
                .filter(|(table, _)| *table == position)
                .map(|(_, at)| (*at, hash_of(&column_name(position, *at).to_ascii_lowercase())))
                .collect();
            columns.sort_by(|(a, _), (b, _)| by_name(column_name(position, *a), column_name(position, *b)));
            let name = hash_of(&table_name(position).to_ascii_lowercase());
            TableNames { position, name, columns }
        };
        ScanNames { tables: tables.into_iter().map(names).collect() }
    }

    /// Turns positions in the schema into places in this list.
    pub(super) fn enter(&self, query: &mut Query) {
        let table_place = |position: usize| self.tables.iter().position(|t| t.position == position);
        map_scans(query, |table, columns| {
            let Some(place) = table_place(*table) else { return };
            for at in columns {
                if let Some(to) =
                    self.tables.get(place).and_then(|t| t.columns.iter().position(|(p, _)| p == at))
                {
                    *at = to;
                }
            }
            *table = place;
        });
    }

    /// Turns places in this list into positions in the schema.
    pub(super) fn leave(&self, query: &mut Query) {
        map_scans(query, |table, columns| {
            let Some(names) = self.tables.get(*table) else { return };
            for at in columns {
                if let Some((to, _)) = names.columns.get(*at) {
                    *at = *to;
                }
            }
            *table = names.position;
        });
    }

    /// A hash of the name of the table at this place.
    pub(super) fn table(&self, place: usize) -> u64 {
        self.tables.get(place).map_or(0, |t| t.name)
    }

    /// A hash of the name of a column at this place in its table.
    pub(super) fn column(&self, table: usize, place: usize) -> u64 {
        self.tables.get(table).and_then(|t| t.columns.get(place)).map_or(0, |(_, name)| *name)
    }
}

/// Changes the table and the column positions of each scan.
fn map_scans(query: &mut Query, change: impl Fn(&mut usize, &mut dyn Iterator<Item = &mut usize>)) {
    query.map_up_deep(|node| {
        if let NodeMut::Rel(Rel::Scan { table, columns }) = node {
            change(table, &mut columns.iter_mut().map(|(_, at)| at));
        }
    });
}
