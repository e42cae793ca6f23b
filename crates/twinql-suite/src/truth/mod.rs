//! The truth about a pair by brute force: whether a tiny database tells two queries apart.
//!
//! The judge aims its databases at what two queries read, and what it does not think of it never sees. Nothing here is
//! aimed at anything: tables of a few rows, every value from one short list for its type, keys and references as the
//! semantics has them. What a proof, a rule or the judge says of a pair is held against thousands of these
//! ([`Finder::refutation`]). A pair that none of them tells apart may still differ; a pair that one tells apart does.

mod hunt;
mod tiny;
mod twists;

use twinql_sql::{Schema, Semantics, plan};

use crate::bout::{Effort, Outcome, Ring, Rules, Settling};
use crate::execute::{ExecError, Limits, Sandbox};
use crate::facts::Facts;
use crate::generate::Generator;
use crate::text::ready;
pub use hunt::{Hunt, Tally, Wrong};
use tiny::Pools;
pub use twists::{TWISTS, Twist, Twisted, twisted};

/// Looks for tiny databases over one schema; keep one for each thread and schema.
#[derive(Debug)]
pub struct Finder {
    schema: Schema,
    semantics: Semantics,
    sandbox: Sandbox,
}

/// A tiny database on which two queries differ.
#[derive(Debug, Clone, PartialEq)]
pub struct Refutation {
    /// The number of the database.
    pub index: u64,
    /// The database, as SQL.
    pub statements: String,
}

impl Finder {
    /// The sandbox in which queries run.
    pub fn sandbox(&self) -> &Sandbox {
        &self.sandbox
    }

    /// A finder for one schema.
    ///
    /// # Errors
    /// Where SQLite cannot create the schema's tables.
    pub fn new(schema: &Schema, semantics: &Semantics) -> Result<Finder, ExecError> {
        let sandbox = Sandbox::new(schema, Limits::default())?;
        Ok(Finder { schema: schema.clone(), semantics: semantics.clone(), sandbox })
    }

    /// The first of so many databases that tells the two apart, if one does. Which databases there are depends on the
    /// seed and on the constants of both queries.
    ///
    /// # Errors
    /// What SQLite says of a query that it refuses.
    pub fn refutation(
        &self,
        (gold, pred): (&str, &str),
        seed: u64,
        databases: u64,
    ) -> Result<Option<Refutation>, ExecError> {
        let sides = [ready(&self.sandbox, gold)?, ready(&self.sandbox, pred)?];
        let semantics = self.semantics.for_gold_text(&self.schema, &sides[0].sql);
        let facts: Vec<Facts> =
            sides.iter().filter_map(|s| s.ast.as_ref()).map(|ast| Facts::of(&self.schema, ast)).collect();
        let mut named: Vec<usize> = sides.iter().flat_map(|s| self.sandbox.tables_of(&s.sql)).collect();
        named.sort_unstable();
        named.dedup();
        let plans = [gold, pred].map(|sql| {
            let parsed = twinql_sql::parse(sql).ok()?;
            plan(&self.schema, &parsed).ok()
        });
        let pools = Pools::new(plans.iter().flatten());
        // It knows what the semantics and the schema ask of a database; what it would make of them is not used.
        let generator = Generator::new(&self.schema, &semantics, &facts, &named, seed);
        let mut ring = Ring::bare(&self.sandbox, &semantics, Rules::of(Settling::Rearranged(Effort::Full)));
        ring.load_into(&self.schema, generator.tables())?;
        let [gold, pred] = sides.map(|side| ring.enter_ready(side));
        let pair = ring.pair(gold, pred);
        for index in 0..databases {
            let Some(mut database) =
                tiny::database(&self.schema, &semantics, &generator, &pools, (seed, index))
            else {
                continue;
            };
            if !generator.admits(&mut database) {
                continue;
            }
            if let Outcome::Differ = ring.bout(pair, &database)? {
                return Ok(Some(Refutation { index, statements: database.to_sql(&self.schema) }));
            }
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests;
