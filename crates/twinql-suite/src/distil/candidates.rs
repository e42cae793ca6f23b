//! Candidate databases for many gold queries of one schema.

use twinql_sql::{Schema, Semantics};

use crate::database::Database;
use crate::dice::Dice;
use crate::facts::Facts;
use crate::generate::{Generator, Values};

/// Golds that a shared database is made for. More would crowd each other out of its tables.
const FOCUS: usize = 6;

/// Makes candidate databases of one schema. All its tables have rows (unless the semantics
/// allows empty ones): predictions may use tables that no gold query mentions.
#[derive(Clone, Copy)]
pub(crate) struct Candidates<'a> {
    pub(crate) schema: &'a Schema,
    pub(crate) semantics: &'a Semantics,
    pub(crate) seed: u64,
    pub(crate) values: Option<&'a Values>,
}

impl Candidates<'_> {
    /// Shared database number `index`, made for some of the gold queries of `facts`; `left`
    /// says how many rivals each of them has left, and those with none are not aimed at.
    pub(crate) fn shared(&self, facts: &[Facts], left: &[usize], index: u64) -> Option<Database> {
        let mut dice = Dice::new(self.seed, index);
        let mut open: Vec<usize> =
            (0..facts.len()).filter(|&i| left.get(i).is_some_and(|n| *n > 0)).collect();
        dice.shuffle(&mut open);
        open.truncate(FOCUS);
        let chosen: Vec<Facts> = open.iter().filter_map(|&i| facts.get(i).cloned()).collect();
        // Low numbers make small databases; shared ones must have room for several queries.
        self.generator(&chosen).database(4 + index)
    }

    /// Makes databases for these queries alone.
    pub(crate) fn generator<'f>(&'f self, facts: &'f [Facts]) -> Generator<'f> {
        let tables: Vec<usize> = (0..self.schema.tables.len()).collect();
        Generator::new(self.schema, self.semantics, facts, &tables, self.seed)
            .thorough()
            .with_values(self.values)
    }
}
