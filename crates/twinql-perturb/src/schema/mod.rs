//! Relations that change the schema under a question (MT-TEQL, 3.1.2).
//!
//! A relation lists the changes that it knows of a whole schema, once. Each says what a gold query must not read
//! for the change to leave its answer alone; those that fit a gold are then chosen from.

pub mod columns;
pub mod flattening;
pub mod keys;
pub mod normalization;
pub mod order;

use std::collections::{BTreeSet, HashSet};

use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};
use twinql_corpus::schemas::names;
use twinql_sql::{ColumnRef, Schema};

use crate::lexicon::Lexicon;
use crate::mapping::Mapping;
use crate::reads::Reads;

/// What becomes of the question's gold query as a label.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Label {
    /// It answers the transformed input on every database as it answered the original on the same database.
    Kept,
    /// It does so as long as the keys hold that the original schema declares: the new schema does not declare all
    /// of them, so a judge that relies on keys has to be asked anew.
    Judged,
}

/// The changes of a schema that a relation knows.
pub type SchemaRelation = fn(&Given<'_>, &mut ChaCha8Rng) -> Vec<Change>;

/// A schema with what its changes need.
#[derive(Debug, Clone, Copy)]
pub struct Given<'s> {
    /// The original schema.
    pub schema: &'s Schema,
    /// Words for other names and for attributes.
    pub lexicon: &'s Lexicon,
    /// How many orders are drawn where there are more than anybody wants.
    pub most: usize,
}

impl Given<'_> {
    /// Every name of the schema, in lower case.
    pub(crate) fn taken(&self) -> HashSet<String> {
        names(self.schema).collect()
    }
}

/// One change of a schema.
#[derive(Debug, Clone)]
pub struct Change {
    /// The new schema.
    pub schema: Schema,
    /// How it relates to the old one.
    pub mapping: Mapping,
    /// What a gold must not read.
    pub bars: Bars,
    /// Tables of the old schema that the change touches: such changes come first where a gold reads them.
    pub near: BTreeSet<usize>,
    /// Tables of the old schema that lose a key, or what refers to them.
    pub keyless: BTreeSet<usize>,
    /// What becomes of the gold.
    pub gold: GoldChange,
}

/// What becomes of a gold query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GoldChange {
    /// It stays as it is.
    Stays,
    /// It reads this old table, which is gone, through what the mapping has in its place; only where the two are
    /// proved equal as long as keys hold.
    Rewritten(usize),
}

/// What a gold must not read, by positions in the old schema.
#[derive(Debug, Clone, Default)]
pub struct Bars {
    /// Tables.
    pub tables: BTreeSet<usize>,
    /// Columns.
    pub columns: BTreeSet<ColumnRef>,
    /// Tables whose columns a star must not stand for.
    pub starred: BTreeSet<usize>,
    /// Words that must not stand in it: new names, in lower case.
    pub words: Vec<String>,
}

impl Change {
    /// A change under which nothing is barred and the gold stays.
    pub(crate) fn new(old: &Schema, schema: Schema) -> Change {
        Change {
            schema,
            mapping: Mapping::same(old.db_id.as_str()),
            bars: Bars::default(),
            near: BTreeSet::new(),
            keyless: BTreeSet::new(),
            gold: GoldChange::Stays,
        }
    }

    /// Whether a gold that reads this may stay, or be rewritten.
    pub fn fits(&self, reads: &Reads) -> bool {
        let bars = &self.bars;
        let rewritten = match self.gold {
            GoldChange::Stays => true,
            GoldChange::Rewritten(table) => reads.tables.contains(&table) && !reads.starred,
        };
        rewritten
            && bars.tables.is_disjoint(&reads.tables)
            && bars.columns.is_disjoint(&reads.columns)
            && (!reads.starred || bars.starred.is_disjoint(&reads.tables))
            && bars.words.iter().all(|w| !reads.words.contains(w))
    }

    /// What becomes of the label of a gold that reads this.
    pub fn label(&self, reads: &Reads) -> Label {
        let keys_stay = self.keyless.is_disjoint(&reads.tables);
        if keys_stay && self.gold == GoldChange::Stays { Label::Kept } else { Label::Judged }
    }

    /// Whether it touches a table that a gold reads.
    pub fn is_near(&self, reads: &Reads) -> bool {
        !self.near.is_disjoint(&reads.tables)
    }
}

/// The keys of a schema without those that hold a column, and the tables that lost one: the column's own table,
/// and those that refer to it or are referred to.
pub(crate) fn without_keys_of(schema: &Schema, at: ColumnRef) -> (Schema, BTreeSet<usize>) {
    let mut new = schema.clone();
    let mut lost = BTreeSet::new();
    let mut primary = false;
    if let Some(table) = new.tables.get_mut(at.table) {
        primary = table.primary_key.contains(&at.column);
        if primary {
            table.primary_key.clear();
        }
        let before = table.unique.len();
        table.unique.retain(|key| !key.contains(&at.column));
        if primary || table.unique.len() != before {
            lost.insert(at.table);
        }
    }
    for (i, table) in new.tables.iter_mut().enumerate() {
        table.foreign_keys.retain(|key| {
            let owns = i == at.table && key.columns.contains(&at.column);
            let refers = key.target == at.table && key.target_columns.contains(&at.column);
            // A foreign key refers to a key: without it there is nothing to refer to.
            let keyless =
                primary && key.target == at.table && key.target_columns == old_key(schema, at.table);
            if owns || refers || keyless {
                lost.extend([i, key.target]);
            }
            !(owns || refers || keyless)
        });
    }
    (new, lost)
}

fn old_key(schema: &Schema, table: usize) -> &[usize] {
    schema.tables.get(table).map_or(&[], |t| t.primary_key.as_slice())
}

/// Every column of a schema, by position.
pub(crate) fn all_columns(schema: &Schema) -> impl Iterator<Item = ColumnRef> + '_ {
    let tables = schema.tables.iter().enumerate();
    tables.flat_map(|(table, t)| (0..t.columns.len()).map(move |column| ColumnRef { table, column }))
}

#[cfg(test)]
pub(crate) mod tests {
    use rand::SeedableRng as _;

    use super::*;

    /// Three tables in a row, and one on its own.
    pub(crate) fn shop() -> Schema {
        Schema::from_ddl(
            "shop",
            "CREATE TABLE country (id INTEGER PRIMARY KEY, name TEXT, region TEXT);
             CREATE TABLE shop (id INTEGER PRIMARY KEY, name TEXT, country_id INTEGER REFERENCES country(id), rating INTEGER);
             CREATE TABLE car (car_id INTEGER PRIMARY KEY, price INTEGER, shop_id INTEGER REFERENCES shop(id));
             CREATE TABLE note (line TEXT, day TEXT);",
        )
        .unwrap()
    }

    /// All changes of a relation over a schema.
    pub(crate) fn changes(relation: SchemaRelation, schema: &Schema) -> Vec<Change> {
        let lexicon = Lexicon::bundled().unwrap();
        let given = Given { schema, lexicon: &lexicon, most: 10 };
        relation(&given, &mut ChaCha8Rng::seed_from_u64(1))
    }

    /// Those of them that fit a gold.
    pub(crate) fn fitting(relation: SchemaRelation, schema: &Schema, gold: &str) -> Vec<Change> {
        let reads = Reads::of(schema, gold).unwrap();
        changes(relation, schema).into_iter().filter(|c| c.fits(&reads)).collect()
    }
}
