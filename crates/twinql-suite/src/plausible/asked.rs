//! Tables that are as large as the queries ask for.

use crate::dice::Dice;
use crate::facts::Facts;
use crate::generate::bounds::AFFORDABLE;

/// Rows that a table may have where a query counts beyond what tables hold anyway.
pub(super) const MOST_ASKED: usize = 640;

/// What the queries count to, beyond what tables hold anyway: their tables grow to it, and the others stay as they are.
/// A bound that the prediction alone has counts too: one that never bites would be no mistake.
#[derive(Debug, Default)]
pub(super) struct Asked {
    pub(super) tables: Vec<usize>,
    /// Rows that a LIMIT reaches.
    limit: usize,
    /// Rows that a group is compared with.
    group: usize,
}

/// The largest of some bounds that small tables do not reach.
fn largest(all: impl Iterator<Item = i64>) -> usize {
    all.filter(|n| (13..=AFFORDABLE).contains(n)).max().map_or(0, |n| n as usize)
}

/// Numbers that groups are compared with.
pub(super) fn groups(facts: &Facts) -> impl Iterator<Item = i64> {
    facts.counts.iter().copied().filter(|n| !facts.limits.contains(n))
}

impl Asked {
    pub(super) fn of(gold: &Facts, pred: &Facts) -> Asked {
        let limit = largest(gold.limits.iter().chain(&pred.limits).copied());
        let group = largest(groups(gold).chain(groups(pred)));
        let tables = if limit.max(group) > 0 { gold.tables().into_iter().collect() } else { Vec::new() };
        Asked { tables, limit, group }
    }

    pub(super) fn grows(&self, table: usize) -> bool {
        self.tables.contains(&table)
    }

    /// Rows for a table with so many parents: more than a LIMIT takes, and groups on both sides of a bound, for which
    /// there are few parents. Where groups are limited, each parent is one, and some have no child.
    pub(super) fn rows(&self, parents: usize, has_children: bool, dice: &mut Dice) -> usize {
        let beyond = self.limit * [13, 16, 20, 26][dice.below(4)] / 10;
        let rows = match (self.group, parents) {
            (0, parents) => parents * [12, 18, 25, 35][dice.below(4)] / 10,
            (_, 0) if has_children => return [3, 4, 5, 6][dice.below(4)].max(beyond),
            (group, 0) => group * [2, 3, 4][dice.below(3)],
            (group, parents) => (group * parents * [5, 8, 11, 15][dice.below(4)] / 10).max(group + 4),
        };
        rows.max(beyond).min(MOST_ASKED - 40)
    }
}
