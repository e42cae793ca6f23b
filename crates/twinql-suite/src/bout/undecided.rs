//! What becomes of a pair that no rearrangement has settled, and what that may cost.

use super::agree::Doubt;
use super::party::Party;
use super::samples::{Alignment, Comparison, Effort, Price, Sampled, sample};
use super::{Basis, Outcome};
use crate::compare::{Columns, Mode};
use crate::database::Database;
use crate::execute::Loader;

/// Databases on which samples may leave a pair undecided; on later ones none are taken.
const MAX_UNDECIDED: u32 = 6;
/// Steps of SQLite's machine that samples of one pair may take on all databases, a second or so. Most
/// need a tenth of it; joins without a condition, all of whose rows tie, would go on for a minute.
pub(crate) const MAX_STEPS: u64 = 100_000_000;

/// What samples of one pair may still cost.
#[derive(Debug, Clone, Copy)]
pub(super) struct Patience {
    /// Databases on which they left it undecided.
    undecided: u32,
    /// Those, and databases on which none were taken any more: what agreement there rests on nothing.
    open: u64,
    /// Steps that are left.
    steps: u64,
}

impl Patience {
    pub(super) fn new() -> Patience {
        Patience { undecided: 0, open: 0, steps: MAX_STEPS }
    }

    /// Why agreement on this many databases says nothing, if on none of them it was seen.
    pub(super) fn untested(self, agreed: u64) -> Option<String> {
        (agreed > 0 && self.open >= agreed).then(|| {
            format!(
                "what the queries leave open (ties, chance) could not be decided on any of {agreed} databases"
            )
        })
    }

    /// What they have cost so far, in steps.
    pub(super) fn used(self) -> u64 {
        MAX_STEPS.saturating_sub(self.steps)
    }
}

/// What is to be said of two queries whose doubt no rearrangement has settled. Where one of them has
/// several possible answers, many samples of both are taken; a difference needs an answer (or a row)
/// that one often gives and the other, all of whose answers seem to be known, never does. Leaves a
/// rearranged database behind.
pub(super) fn told_apart<'a>(
    (loader, database): (&mut Loader<'_>, &Database),
    [gold, pred]: [&mut Party<'a>; 2],
    (doubt, mode, columns): (Doubt, Mode, &Columns),
    (patience, effort): (&mut Patience, Effort),
) -> Outcome {
    // Both seem to have one answer each.
    if !doubt.varied {
        return Outcome::Differ;
    }
    if patience.undecided >= MAX_UNDECIDED || patience.steps == 0 {
        patience.open += 1;
        return Outcome::Agree(Basis::Undecided);
    }
    let order = columns.search(|_, _| true, |_| true);
    let alignment = match &order {
        Some(order) if columns.decided() => Alignment::Known(order),
        Some(_) => Alignment::Unknown,
        None => return Outcome::Differ,
    };
    let mode = Mode { as_list: mode.as_list && pred.ordering.ordered, ..mode };
    let unspecified = gold.unspecified() || pred.unspecified();
    let price = Price {
        effort,
        // Later databases may show more.
        steps: patience.steps / 2,
    };
    let before = gold.prepared.spent();
    let comparison = Comparison { mode, alignment, parts: true, price };
    let found = sample(loader, database, &mut gold.samples(), &mut pred.samples(), comparison);
    let cost = gold.prepared.spent() - before;
    patience.steps = patience.steps.saturating_sub(cost);
    match found {
        Ok(Sampled::Different) if !unspecified => Outcome::Differ,
        Ok(Sampled::Same) => Outcome::Agree(Basis::Sampled),
        _ => {
            patience.undecided += 1;
            patience.open += 1;
            Outcome::Agree(Basis::Undecided)
        }
    }
}
