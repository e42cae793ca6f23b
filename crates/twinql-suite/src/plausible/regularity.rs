//! What real databases have in common: an entry for each regularity, with what it says and in how many of the
//! databases made here it holds.
//!
//! Most probabilities are counted over Spider's training databases ([`measure`](super::measure()), which see); the
//! others were set by hand, with a look at the agreement with true executions there.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::dice::Dice;

/// A regularity of real data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs)] // the registry says what each of them is
pub enum Regularity {
    UniqueNames,
    UniqueEntries,
    ClearExtremes,
    NarrowExtremes,
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
    CopiedColumns,
    BareValues,
    NoBlanks,
    KnownKeys,
    FullDescriptions,
    AgreeingDates,
    OuterRows,
    KnownExtremes,
    RankedRows,
}

impl Regularity {
    /// Makes for fewer odd cases, and so has no place in a wild database.
    fn tidies(self) -> bool {
        {
            use Regularity::{CoherentTests, CopiedColumns, DenseIds, KnownExtremes, KnownKeys, OuterRows};
            !matches!(self, CoherentTests | DenseIds | CopiedColumns | KnownExtremes | KnownKeys | OuterRows)
        }
    }
}

/// Of so many places where a regularity could be broken, it holds in these.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Count {
    /// Where it holds.
    pub holds: u64,
    /// Where it could be broken.
    pub of: u64,
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
    /// In how many of the places where it could be broken it holds, where the probability is from real databases.
    pub counted: Option<Count>,
}

/// A regularity with what was counted over Spider's training databases (the example `regularities`): the probability
/// follows by the rule of succession.
const fn measured(
    regularity: Regularity,
    name: &'static str,
    (holds, of): (u64, u64),
    summary: &'static str,
) -> Entry {
    let probability = (holds + 1) as f64 / (of + 2) as f64;
    Entry { regularity, name, summary, probability, counted: Some(Count { holds, of }) }
}

/// A regularity of whole databases rather than places, or with too few places to count.
const fn by_hand(
    regularity: Regularity,
    name: &'static str,
    probability: f64,
    summary: &'static str,
) -> Entry {
    Entry { regularity, name, summary, probability, counted: None }
}

/// All regularities.
pub const REGULARITIES: [Entry; 23] = [
    measured(
        Regularity::UniqueNames,
        "unique-names",
        (80, 105),
        "the name that a table's rows go by belongs to one row, where others refer to the table",
    ),
    measured(
        Regularity::UniqueEntries,
        "unique-entries",
        (110, 190),
        "any other name, title or code belongs to one row",
    ),
    measured(
        Regularity::ClearExtremes,
        "clear-extremes",
        (433, 570),
        "one row alone has the largest number of a column that is ranked, and one the smallest",
    ),
    measured(
        Regularity::NarrowExtremes,
        "narrow-extremes",
        (21, 76),
        "the same of whole numbers that are less than half as many as the rows: scores that are capped tie at the top",
    ),
    measured(
        Regularity::ClearFavourites,
        "clear-favourites",
        (275, 430),
        "children are spread unevenly over their parents, so that the parent with the most is alone",
    ),
    measured(Regularity::NoOrphans, "no-orphans", (124, 456), "each parent has a child"),
    measured(
        Regularity::DistinctTwins,
        "distinct-twins",
        (27, 30),
        "two references of one row to one table lead to different rows: home team and away team",
    ),
    by_hand(
        Regularity::ClosedDiamonds,
        "closed-diamonds",
        0.8,
        "two ways to one table lead to the same row: a match is played in the country of its league",
    ),
    measured(
        Regularity::NaturalKeys,
        "natural-keys",
        (224, 346),
        "a parent has one child for each day, for each other parent, or for each kind: one translation a language",
    ),
    measured(
        Regularity::FewNulls,
        "few-nulls",
        (360, 429),
        "only columns that the gold tests for NULL hold any",
    ),
    measured(Regularity::CompleteReferences, "complete-references", (450, 456), "no reference is NULL"),
    by_hand(
        Regularity::CoherentTests,
        "coherent-tests",
        0.5,
        "what the prediction alone tests comes true on the gold's rows and on no others: it says the same in other words",
    ),
    measured(Regularity::DenseIds, "dense-ids", (219, 307), "ids run from 1 without gaps"),
    measured(
        Regularity::StickyValues,
        "sticky-values",
        (23, 353),
        "some values are the same for most children of a parent",
    ),
    by_hand(
        Regularity::CopiedColumns,
        "copied-columns",
        0.6,
        "a column that is called after one of its parent repeats it: country_name beside the name of the country",
    ),
    measured(
        Regularity::BareValues,
        "bare-values",
        (592, 716),
        "no value of a column stands within another one: LIKE '%Folk%' finds what = 'Folk' does",
    ),
    measured(
        Regularity::NoBlanks,
        "no-blanks",
        (987, 1039),
        "nothing stands for a missing value: no text is empty or says NULL, and no number is 0 that is taken to be more",
    ),
    by_hand(
        Regularity::KnownKeys,
        "known-keys",
        0.75,
        "a key in one query is that of the row that the other one names: somebody looked it up",
    ),
    measured(
        Regularity::FullDescriptions,
        "full-descriptions",
        (26, 31),
        "a first and a last name belong to one row, and so do a name and a year that are asked for together",
    ),
    by_hand(
        Regularity::AgreeingDates,
        "agreeing-dates",
        0.85,
        "a year that stands beside a date is that of the date",
    ),
    by_hand(
        Regularity::OuterRows,
        "outer-rows",
        0.7,
        "where the gold has an outer join, some rows have no partner",
    ),
    by_hand(
        Regularity::KnownExtremes,
        "known-extremes",
        0.6,
        "a constant in one query is what the other one asks for as the largest: somebody looked it up",
    ),
    by_hand(
        Regularity::RankedRows,
        "ranked-rows",
        0.8,
        "a rank follows the measure beside it that a query sorts by: whoever has the most points is first",
    ),
];

/// One database in so many is wild: it keeps next to none of the regularities, as the untidiest of real ones do. What
/// agrees there too agrees for good reason.
const WILD_EVERY: u64 = 16;

/// Whose square roots are the steps between databases: no two regularities then keep time.
const PRIMES: [u32; REGULARITIES.len()] =
    [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83];

/// Regularities that hold in all databases, whatever is drawn: what a question takes for granted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kept(u32);

impl Kept {
    /// True of a regularity that holds in all databases.
    pub fn has(self, regularity: Regularity) -> bool {
        self.0 >> regularity as u32 & 1 == 1
    }
}

/// A name that no regularity has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown regularity {name:?}; the regularities are {known}")]
pub struct UnknownRegularity {
    name: String,
    known: String,
}

impl FromStr for Kept {
    type Err = UnknownRegularity;

    /// From names with commas between them; an empty text is none.
    fn from_str(text: &str) -> Result<Kept, UnknownRegularity> {
        let mut kept = Kept::default();
        for name in text.split(',').map(str::trim).filter(|name| !name.is_empty()) {
            let entry = REGULARITIES.iter().find(|entry| entry.name == name);
            let entry = entry.ok_or_else(|| UnknownRegularity {
                name: name.to_owned(),
                known: REGULARITIES.map(|entry| entry.name).join(", "),
            })?;
            kept.0 |= 1 << entry.regularity as u32;
        }
        Ok(kept)
    }
}

impl fmt::Display for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = REGULARITIES.iter().filter(|entry| self.has(entry.regularity)).map(|entry| entry.name);
        f.write_str(&names.collect::<Vec<_>>().join(","))
    }
}

/// Which regularities hold in one database.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mood {
    held: [bool; REGULARITIES.len()],
    /// Next to none do: NULLs, ties and repeated names wherever the schema lets them be.
    pub(super) wild: bool,
    /// All do that hold more often than not.
    pub(super) tidy: bool,
}

impl Mood {
    /// The mood of database number `index`. Each regularity walks in steps of its own from a start that the seed gives
    /// (a Weyl sequence), so that few databases already hold it in nearly its share of them.
    pub(super) fn draw(seed: u64, index: u64, kept: Kept) -> Mood {
        let mut starts = Dice::new(seed, u64::MAX);
        let wild = index % WILD_EVERY == WILD_EVERY / 2 - 1;
        let held = REGULARITIES.map(|entry| {
            let step = f64::from(PRIMES[entry.regularity as usize]).sqrt();
            let held = (starts.unit() + index as f64 * step).fract() < entry.probability;
            held && !(wild && entry.regularity.tidies()) || kept.has(entry.regularity)
        });
        Mood { held, wild, tidy: false }
    }

    /// The mood of a tidy database: what holds more often than not holds.
    pub(super) fn tidy() -> Mood {
        // Rows without a partner are no more likely for being tidy.
        let held = |entry: Entry| entry.probability > 0.5 && entry.regularity != Regularity::OuterRows;
        Mood { held: REGULARITIES.map(held), wild: false, tidy: true }
    }

    pub(super) fn has(&self, regularity: Regularity) -> bool {
        // The registry has the order of the enumeration: a test holds the two together.
        self.held[regularity as usize]
    }
}
