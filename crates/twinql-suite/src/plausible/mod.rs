//! Plausible databases: rows as people have them, around what the gold query asks for.
//!
//! The databases of [`generate`](crate::generate) are made to tell two queries apart by whatever the assumptions
//! leave open: two powers of one name, a tie for the maximum, a table without rows. Execution on a real database
//! seldom meets these. The databases made here keep the *regularities* of real data, each with a probability
//! ([`REGULARITIES`]), so that the share of them on which two queries agree estimates the chance that execution
//! on a real database would call the prediction right.
//!
//! The gold guides: rows are planted for its constants along its joins, so that it answers. What the prediction
//! tests besides holds of the gold's rows in some databases only, or its mistakes would come true.

mod draft;
mod expected;
mod form;
mod plant;
mod portrait;
mod regularity;
mod source;
mod words;

use twinql_sql::{ColumnRef, Schema};

use crate::database::Database;
use crate::dice::Dice;
use crate::facts::Facts;
use draft::Draft;
pub use expected::{Expected, ExpectedConfig};
use portrait::Portraits;
pub use regularity::{REGULARITIES, Regularity};
use regularity::Mood;

/// Makes the plausible databases of one pair of queries.
#[derive(Debug)]
pub struct Plausible<'a> {
    schema: &'a Schema,
    gold: &'a Facts,
    pred: &'a Facts,
    seed: u64,
    /// The tables that a query reads, parents first.
    tables: Vec<usize>,
    portraits: Portraits,
}

impl<'a> Plausible<'a> {
    /// For a pair with these facts. `more` are tables that a query reads without the facts knowing.
    pub fn new(
        schema: &'a Schema,
        gold: &'a Facts,
        pred: &'a Facts,
        more: &[usize],
        seed: u64,
    ) -> Plausible<'a> {
        let mut read: Vec<usize> = gold.tables().into_iter().chain(pred.tables()).collect();
        read.extend(more.iter().filter(|&&t| t < schema.tables.len()));
        read.sort_unstable();
        read.dedup();
        let portraits = Portraits::of(schema, gold, pred, &read);
        let tables = portraits.parents_first(schema, &read);
        Plausible { schema, gold, pred, seed, tables, portraits }
    }

    /// The tables that are filled.
    pub fn tables(&self) -> &[usize] {
        &self.tables
    }

    /// Database number `index`. `plenty` makes larger tables, for a gold that asks for many rows.
    pub fn database(&self, index: u64, plenty: bool) -> Database {
        let mut dice = Dice::new(self.seed, index);
        let mood = Mood::draw(&mut dice);
        let mut draft = Draft::new(self.schema, &self.tables, &self.portraits, mood, plenty, &mut dice);
        draft.settle(0.5, self.gold, &mut dice);
        let planted = plant::plant(self.gold, self.pred, &mut draft, &mut dice);
        draft.settle(1.0, self.gold, &mut dice);
        plant::align(self.gold, self.pred, &planted, &mut draft, &mut dice);
        draft.finish(&mut dice)
    }

    /// How a column is filled, in words: for tests and reports.
    pub fn describe(&self, column: ColumnRef) -> String {
        self.portraits.get(column).map_or_else(String::new, |p| format!("{:?}", p.kind))
    }
}
