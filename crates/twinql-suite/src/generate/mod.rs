//! Random databases from a schema and the constants of two queries, no data needed.
//!
//! A database is made by [strategies](strategies::STRATEGIES) applied in turn to a draft that keeps
//! the assumptions of a [`Semantics`](twinql_sql::Semantics); which ones, and how strongly, is drawn from the
//! database's own random stream. Databases with small numbers are small.

pub(crate) mod bounds;
mod draft;
mod generator;
mod guided;
mod lone;
mod nearby;
pub(crate) mod scenario;
pub mod shapes;
pub mod strategies;
mod structured;
#[cfg(test)]
mod told_apart;
mod typed;
pub(crate) mod values;

use crate::database::Database;
use crate::dice::Dice;
use draft::Draft;
pub use generator::{Generator, Values};
use strategies::{Apply, STRATEGIES};

/// Rows that one table may have.
pub const MAX_ROWS: usize = 48;

impl Generator<'_> {
    /// Database number `index`. `None` where the assumptions cannot be met (a table that
    /// must not be empty but can have no row), which the check at the end finds out.
    pub fn database(&self, index: u64) -> Option<Database> {
        let mut dice = Dice::new(self.seed, index);
        for _ in 0..3 {
            let database = self.attempt(index, &mut dice);
            match database.check_under(self.schema, self.semantics, &self.constraints) {
                Ok(()) => return Some(database),
                Err(reason) => tracing::trace!(index, %reason, "database discarded"),
            }
        }
        None
    }

    /// One try at a database: pools, then the strategies stage by stage.
    fn attempt(&self, index: u64, dice: &mut Dice) -> Database {
        let pools = self.pools(index, dice);
        let mut draft = Draft::new(
            self.schema,
            self.semantics,
            &self.needed,
            &self.domains,
            pools,
            (&self.constraints, &self.referred),
            MAX_ROWS,
        );
        for strategy in STRATEGIES {
            match strategy.apply {
                Apply::Parameters(set) if strategy.drawn(self, index, dice) => set(&mut draft, dice),
                Apply::Rows(add) if strategy.drawn(self, index, dice) => {
                    add(self, index, &mut draft, dice);
                }
                _ => {}
            }
        }
        let mut database = draft.finish(dice);
        for strategy in STRATEGIES {
            if let Apply::Finished(change) = strategy.apply
                && strategy.drawn(self, index, dice)
            {
                change(self, &mut database, dice);
            }
        }
        database
    }
}
