//! What real databases have in common: an entry for each regularity, with what it says and in how many of the
//! databases made here it holds.
//!
//! The probabilities were set by hand, with a look at the agreement with true executions over Spider's training
//! databases; docs/plausible.md says how far that goes.

use crate::dice::Dice;

/// A regularity of real data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs)] // the registry says what each of them is
pub enum Regularity {
    UniqueNames,
    UniqueEntries,
    ClearExtremes,
    ClearFavourites,
    NoOrphans,
    DistinctTwins,
    ClosedDiamonds,
    NaturalKeys,
    FewNulls,
    CompleteReferences,
    CoherentTests,
    DenseIds,
    StickyValues,
}

/// A regularity, and the share of databases in which it holds.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// The regularity.
    pub regularity: Regularity,
    /// Its name in documents.
    pub name: &'static str,
    /// What it says.
    pub summary: &'static str,
    /// The probability that it holds in a database.
    pub probability: f64,
}

const fn entry(regularity: Regularity, name: &'static str, probability: f64, summary: &'static str) -> Entry {
    Entry { regularity, name, summary, probability }
}

/// All regularities.
pub const REGULARITIES: [Entry; 13] = [
    entry(
        Regularity::UniqueNames,
        "unique-names",
        0.92,
        "a name, title or code in a table that others refer to belongs to one row",
    ),
    entry(
        Regularity::UniqueEntries,
        "unique-entries",
        0.6,
        "a name, title or code in a table that nothing refers to belongs to one row",
    ),
    entry(
        Regularity::ClearExtremes,
        "clear-extremes",
        0.85,
        "one row alone has the largest number of a column that is ranked, and one the smallest",
    ),
    entry(
        Regularity::ClearFavourites,
        "clear-favourites",
        0.8,
        "children are spread unevenly over their parents, so that the parent with the most is alone",
    ),
    entry(Regularity::NoOrphans, "no-orphans", 0.35, "each parent has a child"),
    entry(
        Regularity::DistinctTwins,
        "distinct-twins",
        0.6,
        "two references of one row to one table lead to different rows: home team and away team",
    ),
    entry(
        Regularity::ClosedDiamonds,
        "closed-diamonds",
        0.8,
        "two ways to one table lead to the same row: a match is played in the country of its league",
    ),
    entry(
        Regularity::NaturalKeys,
        "natural-keys",
        0.6,
        "a parent has one child for each day, for each other parent, or for each kind: one translation a language",
    ),
    entry(Regularity::FewNulls, "few-nulls", 0.75, "only columns that the gold tests for NULL hold any"),
    entry(Regularity::CompleteReferences, "complete-references", 0.8, "no reference is NULL"),
    entry(
        Regularity::CoherentTests,
        "coherent-tests",
        0.5,
        "what the prediction alone tests comes true on the gold's rows and on no others: it says the same in other words",
    ),
    entry(Regularity::DenseIds, "dense-ids", 0.6, "ids run from 1 without gaps"),
    entry(
        Regularity::StickyValues,
        "sticky-values",
        0.3,
        "some values of a child depend on its parent alone",
    ),
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
