//! What real databases have in common, one entry each: what it says, and in how many databases it holds.

use crate::dice::Dice;

/// A regularity of real data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Regularity {
    /// A name in a table that others refer to belongs to one row.
    UniqueNames,
    /// A name in a table that nothing refers to belongs to one row.
    UniqueEntries,
    /// No two rows share the largest or smallest value of a measure.
    ClearExtremes,
    /// Parents have children in numbers of their own: the one with the most is alone.
    ClearFavourites,
    /// Each parent has a child.
    NoOrphans,
    /// Two references of one row to one table differ.
    DistinctTwins,
    /// A reference to a table agrees with the one reached through another reference.
    ClosedDiamonds,
    /// A row is determined by its reference and its category together.
    NaturalKeys,
    /// Columns that may be NULL have none.
    FewNulls,
    /// Each reference leads to a row.
    CompleteReferences,
    /// Where only the prediction tests a column, the test comes true on the gold's rows and no others.
    CoherentTests,
    /// Ids run from one without gaps.
    DenseIds,
    /// Some values of a child depend on its parent alone.
    StickyValues,
}

/// A regularity and the share of databases in which it holds.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// The regularity.
    pub regularity: Regularity,
    /// Its name in reports.
    pub name: &'static str,
    /// The probability that it holds in a database.
    pub probability: f64,
}

/// All regularities.
pub const REGULARITIES: [Entry; 13] = [
    Entry { regularity: Regularity::UniqueNames, name: "unique-names", probability: 0.92 },
    Entry { regularity: Regularity::UniqueEntries, name: "unique-entries", probability: 0.6 },
    Entry { regularity: Regularity::ClearExtremes, name: "clear-extremes", probability: 0.85 },
    Entry { regularity: Regularity::ClearFavourites, name: "clear-favourites", probability: 0.8 },
    Entry { regularity: Regularity::NoOrphans, name: "no-orphans", probability: 0.35 },
    Entry { regularity: Regularity::DistinctTwins, name: "distinct-twins", probability: 0.6 },
    Entry { regularity: Regularity::ClosedDiamonds, name: "closed-diamonds", probability: 0.8 },
    Entry { regularity: Regularity::NaturalKeys, name: "natural-keys", probability: 0.6 },
    Entry { regularity: Regularity::FewNulls, name: "few-nulls", probability: 0.75 },
    Entry { regularity: Regularity::CompleteReferences, name: "complete-references", probability: 0.8 },
    Entry { regularity: Regularity::CoherentTests, name: "coherent-tests", probability: 0.5 },
    Entry { regularity: Regularity::DenseIds, name: "dense-ids", probability: 0.6 },
    Entry { regularity: Regularity::StickyValues, name: "sticky-values", probability: 0.3 },
];

/// Which regularities hold in one database.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mood([bool; REGULARITIES.len()]);

impl Mood {
    pub(super) fn draw(dice: &mut Dice) -> Mood {
        Mood(REGULARITIES.map(|entry| dice.chance(entry.probability)))
    }

    pub(super) fn has(&self, regularity: Regularity) -> bool {
        REGULARITIES.iter().zip(self.0).any(|(entry, holds)| entry.regularity == regularity && holds)
    }
}
