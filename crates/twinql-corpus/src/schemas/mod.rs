//! Schema changes: the same two queries over a schema that says the same in another way.
//!
//! After the schema relations of MT-TEQL (Ma and Wang 2020, section 3.1.2). That paper
//! changes a schema under one question and asks whether the answer of a Text-to-SQL system
//! stays; here a schema changes under a *pair*, and both queries change with it. Each change
//! is one small unit with a name, its source, its preconditions and an entry in [`all`]. It
//! says whether the pair's label is *kept*: every database of the new schema, seen through the
//! change, is a database of the old one, and the other way round. Where keys or types change,
//! the databases are others, and the label has to be *judged* anew.
//!
//! Left out: flattening a table that a query reads (rows of the referenced table that nothing
//! refers to have no place in the flat one, and its dependencies can be declared nowhere, so
//! that no DISTINCT view of it is the old table), and moving key columns into a table of their
//! own (foreign keys into them would need two tables). Queries that read `rowid`, or that are
//! not one SELECT which plans over its schema, are left alone.

mod columns;
mod keys;
mod names;
mod queries;
mod tables;

#[cfg(test)]
mod tests;

use rand::RngExt as _;
use rand_chacha::ChaCha8Rng;
use sqlparser::ast::Query;
use twinql_sql::{Column, Schema, Table, parse, plan};

use crate::rewrites::ast::parse_query;

pub use columns::with_columns;
pub use names::parts;
pub use queries::{fresh, names, reads_unnamed, renamed, replaced, words};
pub use tables::with_tables;

/// What becomes of a pair's label.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Label {
    /// It stays: the databases are the same but for their description.
    Kept,
    /// A judge has to give it anew.
    Judged,
}

/// A schema with two queries over it.
#[derive(Debug, Clone)]
pub struct Given {
    pub(crate) schema: Schema,
    pub(crate) gold: Query,
    pub(crate) pred: Query,
}

/// What a change makes: none where its preconditions do not hold.
pub type Apply = fn(&Given, &mut ChaCha8Rng) -> Option<Given>;

/// One schema change.
#[derive(Debug, Clone, Copy)]
pub struct Change {
    /// Its name, as it stands in the `source` of pairs.
    pub name: &'static str,
    /// The relation of MT-TEQL that it follows, or what else.
    pub origin: &'static str,
    /// When it applies.
    pub precondition: &'static str,
    /// What becomes of the schema.
    pub schema: &'static str,
    /// What becomes of both queries.
    pub queries: &'static str,
    /// What becomes of the label.
    pub label: Label,
    /// How often it is drawn, compared with the others.
    pub weight: u32,
    /// The change itself.
    pub apply: Apply,
}

/// Every schema change, by family.
pub fn all() -> impl Iterator<Item = &'static Change> {
    [names::CHANGES, columns::CHANGES, tables::CHANGES, keys::CHANGES].into_iter().flatten()
}

/// A pair over a changed schema.
#[derive(Debug, Clone, PartialEq)]
pub struct Changed {
    /// The new schema; its DDL reads back as this schema.
    pub schema: Schema,
    /// The gold query over it.
    pub gold: String,
    /// The other query over it.
    pub pred: String,
    /// The names of the changes, in order of application.
    pub changes: Vec<&'static str>,
    /// What becomes of the label: kept where every change keeps it.
    pub label: Label,
}

impl Given {
    /// None for queries that no change can follow: not one SELECT, no plan over this schema, or
    /// `rowid` read; and for schemas whose views, CHECKs, enumerations or generated columns would
    /// have to follow.
    pub fn new(schema: &Schema, gold: &str, pred: &str) -> Option<Given> {
        let computed = |c: &Column| c.generated.is_some() || !c.values.is_empty();
        let bound = |t: &Table| !t.checks.is_empty() || t.columns.iter().any(computed);
        if !schema.views.is_empty() || schema.tables.iter().any(bound) {
            return None;
        }
        let given = Given { schema: schema.clone(), gold: parse_query(gold)?, pred: parse_query(pred)? };
        let words = queries::words(&given);
        let hidden = |name: &&str| words.contains(*name) && !has_column(schema, name);
        if ["rowid", "oid", "_rowid_"].iter().any(hidden) {
            return None;
        }
        (plans(schema, gold) && plans(schema, pred)).then_some(given)
    }

    /// The schema, and both queries as texts.
    pub fn parts(&self) -> (&Schema, String, String) {
        (&self.schema, self.gold.to_string(), self.pred.to_string())
    }

    /// The gold query.
    pub fn gold(&self) -> &Query {
        &self.gold
    }

    fn both(&self) -> [&Query; 2] {
        [&self.gold, &self.pred]
    }

    /// The same change of both queries.
    fn map(&self, schema: Schema, mut change: impl FnMut(&Query) -> Option<Query>) -> Option<Given> {
        Some(Given { schema, gold: change(&self.gold)?, pred: change(&self.pred)? })
    }
}

/// Whether some table has a column of this name.
fn has_column(schema: &Schema, name: &str) -> bool {
    schema.tables.iter().any(|t| t.column_index(name).is_some())
}

fn plans(schema: &Schema, sql: &str) -> bool {
    parse(sql).is_ok_and(|parsed| plan(schema, &parsed).is_ok())
}

/// Applies one change; none where it does not apply, or where the result is no schema that its
/// own DDL describes or no queries over it.
pub fn apply(change: &Change, given: &Given, rng: &mut ChaCha8Rng) -> Option<Given> {
    let new = (change.apply)(given, rng)?;
    let schema = Schema::from_ddl(&new.schema.db_id, &new.schema.to_ddl()).ok()?;
    let (gold, pred) = (new.gold.to_string(), new.pred.to_string());
    let sound = schema.tables == new.schema.tables
        && parse_query(&gold).is_some()
        && parse_query(&pred).is_some()
        && plans(&schema, &gold)
        && plans(&schema, &pred);
    sound.then_some(new)
}

/// The pair after one to `longest` changes that are drawn by their weights.
pub fn sample(
    schema: &Schema,
    gold: &str,
    pred: &str,
    longest: usize,
    rng: &mut ChaCha8Rng,
) -> Option<Changed> {
    let mut now = Given::new(schema, gold, pred)?;
    let steps = rng.random_range(1..=longest.max(1));
    let mut changes: Vec<&'static str> = Vec::new();
    let mut label = Label::Kept;
    for _ in 0..steps {
        let mut order: Vec<(f64, &Change)> = all()
            .filter(|c| !changes.contains(&c.name))
            .map(|c| {
                // Weighted order without replacement (Efraimidis and Spirakis, 2006).
                let u: f64 = rng.random_range(f64::EPSILON..1.0);
                (u.powf(1.0 / f64::from(c.weight.max(1))), c)
            })
            .collect();
        order.sort_by(|a, b| b.0.total_cmp(&a.0));
        let next = order.into_iter().find_map(|(_, change)| Some((change, apply(change, &now, rng)?)));
        let Some((change, new)) = next else { break };
        now = new;
        changes.push(change.name);
        if change.label == Label::Judged {
            label = Label::Judged;
        }
    }
    (!changes.is_empty()).then(|| Changed {
        gold: now.gold.to_string(),
        pred: now.pred.to_string(),
        schema: now.schema,
        changes,
        label,
    })
}
