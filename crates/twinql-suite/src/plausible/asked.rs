//! Tables that are as large as the gold asks for.

use crate::dice::Dice;
use crate::facts::Facts;
use crate::generate::bounds::AFFORDABLE;

/// Rows that a table may have where the gold counts beyond what tables hold anyway.
pub(super) const MOST_ASKED: usize = 640;

/// What a gold counts to, beyond what tables hold anyway: its tables grow to it, and the others stay as they are.
#[derive(Debug, Default)]
pub(super) struct Asked {
    pub(super) tables: Vec<usize>,
    /// Rows that a LIMIT reaches.
    limit: usize,
    /// Rows that a group is compared with.
    group: usize,
}

impl Asked {
    pub(super) fn of(gold: &Facts) -> Asked {
        let largest = |all: &mut dyn Iterator<Item = &i64>| {
            let large = all.copied().filter(|n| (13..=AFFORDABLE).contains(n)).max();
            large.map_or(0, |n| n as usize)
        };
        let limit = largest(&mut gold.limits.iter());
        let group = largest(&mut gold.counts.iter().filter(|n| !gold.limits.contains(n)));
        let tables = if limit.max(group) > 0 { gold.tables().into_iter().collect() } else { Vec::new() };
        Asked { tables, limit, group }
    }

    pub(super) fn grows(&self, table: usize) -> bool {
        self.tables.contains(&table)
    }

    /// Rows for a table with so many parents: more than a LIMIT takes, and groups on both sides of a bound, for which
    /// there are few parents.
    pub(super) fn rows(&self, parents: usize, has_children: bool, dice: &mut Dice) -> usize {
        let rows = match (self.group, parents) {
            (0, _) => 0,
            (_, 0) if has_children => return [3, 4, 5, 6][dice.below(4)].max(self.limit + self.limit / 4),
            (group, 0) => group * [2, 3, 4][dice.below(3)],
            (group, parents) => (group * parents * [5, 8, 11, 15][dice.below(4)] / 10).max(group + 4),
        };
        rows.max(self.limit + [6, 10, 16, 24][dice.below(4)]).min(MOST_ASKED - 40)
    }
}
