//! Candidate databases for many gold queries of one schema.

use std::sync::Arc;

use twinql_sql::{Schema, Semantics};

use crate::database::Database;
use crate::dice::Dice;
use crate::facts::Facts;
use crate::generate::{Generator, Values};
use crate::plausible::Plausible;
use crate::profile::Bound;

/// Golds that a shared database is made for. More would crowd each other out of its tables.
const FOCUS: usize = 6;

/// Makes candidate databases of one schema. All its tables have rows (unless the semantics
/// allows empty ones): predictions may use tables that no gold query mentions.
#[derive(Clone)]
pub(crate) struct Candidates<'a> {
    pub(crate) schema: &'a Schema,
    pub(crate) semantics: &'a Semantics,
    pub(crate) seed: u64,
    pub(crate) values: Option<&'a Values>,
    /// Databases as people have them, each made for one gold among these, in place of those that tell most apart.
    pub(crate) plausible: Option<Arc<Facts>>,
    /// What plausible databases follow.
    pub(crate) profile: Option<Arc<Bound>>,
}

/// What makes candidates for some queries.
pub(crate) enum Maker<'f> {
    /// Databases that tell queries apart by whatever the assumptions leave open.
    Telling(Box<Generator<'f>>),
    /// Databases as people have them.
    Plausible(Box<Plausible<'f>>),
}

impl Maker<'_> {
    /// Database number `index`; none where no database meets the assumptions.
    pub(crate) fn database(&self, index: u64) -> Option<Database> {
        match self {
            Maker::Telling(generator) => generator.database(index),
            Maker::Plausible(plausible) => Some(plausible.database(index, index % 4 == 3)),
        }
    }
}

impl Candidates<'_> {
    /// Shared database number `index`, made for some of the gold queries of `facts`; `left`
    /// says how many rivals each of them has left, and those with none are not aimed at.
    pub(crate) fn shared(&self, facts: &[Facts], left: &[usize], index: u64) -> Option<Database> {
        let mut dice = Dice::new(self.seed, index);
        let mut open: Vec<usize> =
            (0..facts.len()).filter(|&i| left.get(i).is_some_and(|n| *n > 0)).collect();
        dice.shuffle(&mut open);
        // Plausible rows are planted for one gold.
        open.truncate(if self.plausible.is_some() { 1 } else { FOCUS });
        let chosen: Vec<Facts> = open.iter().filter_map(|&i| facts.get(i).cloned()).collect();
        // Low numbers make small databases; shared ones must have room for several queries.
        self.maker(&chosen, &self.others(&chosen))?.database(4 + index)
    }

    /// What plausible databases for these queries, the gold being the first, are to fit besides it: the other golds,
    /// too, so that what is ranked by one of them has clear extremes.
    pub(crate) fn others(&self, facts: &[Facts]) -> Facts {
        Facts::merged(facts.iter().skip(1).chain(self.plausible.as_deref()))
    }

    /// Makes databases for these queries alone; `others` are [those](Candidates::others) that they fit besides.
    pub(crate) fn maker<'f>(&'f self, facts: &'f [Facts], others: &'f Facts) -> Option<Maker<'f>> {
        let tables: Vec<usize> = (0..self.schema.tables.len()).collect();
        if self.plausible.is_some() {
            let (gold, profile) = (facts.first()?, self.profile.clone());
            let plausible = Plausible::following(self.schema, gold, others, &tables, self.seed, profile);
            return Some(Maker::Plausible(Box::new(plausible.tidy())));
        }
        let generator = Generator::new(self.schema, self.semantics, facts, &tables, self.seed);
        Some(Maker::Telling(Box::new(generator.thorough().with_values(self.values))))
    }
}
