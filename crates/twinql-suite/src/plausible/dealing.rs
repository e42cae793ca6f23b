//! How the rows of a table that a profile describes refer to their parents.

use twinql_sql::{ColumnRef, ForeignKey, Value};

use super::draft::Draft;
use super::profile::DEPENDENCIES;
use super::regularity::Regularity;
use crate::database::{Row, store};
use crate::dice::Dice;
use crate::profile::ColumnProfile;

impl Draft<'_> {
    /// Whether the profile says which keys of several columns there are.
    pub(super) fn knows_keys(&self, table: usize) -> bool {
        self.portraits.known_table(table).is_some_and(|known| known.keys.is_some())
    }

    /// The keys of which the profile knows.
    pub(super) fn known_keys(&self, table: usize) -> Vec<Vec<usize>> {
        let Some(known) = self.portraits.known_table(table) else { return Vec::new() };
        let alone = |(_, column): &(usize, &Option<ColumnProfile>)| {
            column.as_ref().is_some_and(|known| known.unique == Some(true))
        };
        let single = known.columns.iter().enumerate().filter(alone).map(|(c, _)| vec![c]);
        single.chain(known.keys.iter().flatten().cloned()).collect()
    }

    /// Whether each parent has a child.
    pub(super) fn leaves_no_orphans(&self, table: usize, reference: &ForeignKey) -> bool {
        match self.portraits.known_reference(table, reference).and_then(|r| r.fan_out.first()) {
            Some(&least) => least > 0,
            None => self.mood.has(Regularity::NoOrphans),
        }
    }

    /// How often a reference is NULL, where the profile knows.
    pub(super) fn known_absence(&self, table: usize, reference: &ForeignKey) -> Option<f64> {
        let shares = reference.columns.iter().map(|&column| {
            self.portraits.known_column(ColumnRef { table, column }).and_then(|known| known.null_share)
        });
        shares.flatten().reduce(f64::max)
    }

    /// Values that lead nowhere, for a row whose reference does not hold in the real database.
    pub(super) fn astray(
        &self,
        table: usize,
        reference: &ForeignKey,
        dice: &mut Dice,
    ) -> Option<Vec<(usize, Value)>> {
        let known = self.portraits.known_reference(table, reference)?;
        if known.holds >= 1.0 || !dice.chance(1.0 - known.holds) {
            return None;
        }
        let nowhere = |&column: &usize| {
            let affinity = self.schema.tables[table].columns[column].affinity;
            let number = 900_000 + dice.below(1_000) as i64;
            let value = match affinity {
                twinql_sql::Affinity::Text => Value::Text(format!("X{number}")),
                _ => Value::Integer(number),
            };
            (column, store(value, affinity))
        };
        Some(reference.columns.iter().map(nowhere).collect())
    }

    /// A parent for a new row, so that children are spread over parents as in the real database: the one that lacks
    /// most of its share. None where the profile does not know.
    pub(super) fn dealt(
        &mut self,
        (table, index): (usize, usize),
        reference: &ForeignKey,
        dice: &mut Dice,
    ) -> Option<usize> {
        let known = self.portraits.known_reference(table, reference).filter(|r| r.fan_out.len() > 1)?;
        let (count, most) = (self.rows[reference.target].len(), *known.fan_out.last()? as f64);
        let deal = self.deals.entry((table, index)).or_default();
        let began = deal.wanted.len();
        while deal.wanted.len() < count {
            // Favourites have the most, as many of them as there; all others less, if they can.
            let share = between_points(&known.fan_out, dice.unit());
            deal.wanted.push(share.min(most - 1.0).max(0.0));
            deal.given.push(0);
        }
        if began == 0 && count > 0 {
            let favourites = match known.favourites {
                Some(1) | None => 1,
                Some(n) => {
                    let parents =
                        self.portraits.known_table(reference.target).and_then(|t| t.rows).unwrap_or(n);
                    ((n as f64 / parents.max(1) as f64 * count as f64).round() as usize).max(2)
                }
            };
            for _ in 0..favourites.min(count) {
                let place = dice.below(count);
                deal.wanted[place] = most;
            }
        }
        let lack = |p: usize| deal.wanted[p] / (deal.given[p] as f64 + 1.0) * (1.0 + 0.05 * (p % 7) as f64);
        let parent = if dice.chance(0.85) {
            (0..count).max_by(|&a, &b| lack(a).total_cmp(&lack(b)))?
        } else {
            dice.weighted(&deal.wanted)?
        };
        deal.given[parent] += 1;
        Some(parent)
    }

    /// Copies what depends on another column from an earlier row that agrees on that.
    pub(super) fn depend(&self, table: usize, row: &mut Row, fixed: &dyn Fn(usize) -> bool) {
        let Some(known) = self.portraits.known_table(table) else { return };
        for &(from, to) in known.dependencies.iter().take(DEPENDENCIES) {
            if fixed(to) || row[from] == Value::Null {
                continue;
            }
            let sibling = self.rows[table].iter().find(|other| other.get(from) == row.get(from));
            if let Some(value) = sibling.and_then(|s| s.get(to)) {
                row[to] = value.clone();
            }
        }
    }

    /// Whether one row alone is to have a column's largest (or smallest) number. `narrow` numbers lie close together.
    pub(super) fn clear_extreme(&self, at: ColumnRef, largest: bool, narrow: bool) -> bool {
        let known = self.portraits.known_column(at).and_then(|known| known.extremes);
        let usual = if narrow { Regularity::NarrowExtremes } else { Regularity::ClearExtremes };
        match known.map(|e| if largest { e.largest } else { e.smallest }) {
            Some(rows) => rows <= 1,
            None => self.mood.tidy || self.mood.has(usual),
        }
    }

    /// Gives the largest (or smallest) number of a column, `extreme`, to a second row.
    pub(super) fn tie(&mut self, at: ColumnRef, extreme: f64) {
        let held = |row: &Row| row.get(at.column).and_then(Value::as_f64);
        let rows = &mut self.rows[at.table];
        let value = rows.iter().find(|r| held(r) == Some(extreme)).and_then(|r| r.get(at.column)).cloned();
        let alone = rows.iter().filter(|r| held(r) == Some(extreme)).count() == 1;
        let other = rows.iter_mut().find(|r| held(r).is_some_and(|n| n != extreme));
        if let (true, Some(value), Some(other)) = (alone, value, other) {
            other[at.column] = value;
        }
    }
}

/// A point of a spread, given by its values at even steps of rank.
fn between_points(points: &[u64], rank: f64) -> f64 {
    let points: Vec<f64> = points.iter().map(|p| *p as f64).collect();
    super::supply::between(&points, rank).round()
}
