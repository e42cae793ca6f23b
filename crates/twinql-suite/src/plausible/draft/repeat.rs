//! What a new row repeats: columns of its parents, of its siblings, and of its own.

use twinql_sql::{ColumnRef, ForeignKey, Value};

use super::Draft;
use crate::database::Row;
use crate::dice::Dice;
use crate::plausible::regularity::Regularity;
use crate::plausible::supply::Supply;

impl Draft<'_> {
    /// The cells of a parent that the child, as far as it is known, repeats, where there are some.
    pub(super) fn repeated(
        &self,
        table: usize,
        reference: &ForeignKey,
        cells: &[Option<Value>],
    ) -> Option<Vec<(usize, Value)>> {
        if !self.mood.has(Regularity::CopiedColumns) {
            return None;
        }
        let known = cells.iter().enumerate().filter_map(|(column, value)| {
            let from = self.portraits.get(ColumnRef { table, column })?.copied?;
            (from.table == reference.target).then_some((from.column, value.clone()?))
        });
        Some(known.collect()).filter(|known: &Vec<_>| !known.is_empty())
    }

    /// Copies what a child repeats of its parents.
    pub(super) fn copy(&self, table: usize, parents: &[(usize, usize)], cells: &mut [Option<Value>]) {
        if !self.mood.has(Regularity::CopiedColumns) {
            return;
        }
        for (column, cell) in cells.iter_mut().enumerate().filter(|(_, cell)| cell.is_none()) {
            let from = self.portraits.get(ColumnRef { table, column }).and_then(|p| p.copied);
            let parent = from.and_then(|f| parents.iter().find(|(t, _)| *t == f.table));
            if let (Some(from), Some((_, row))) = (from, parent) {
                *cell = self.rows[from.table].get(*row).and_then(|r| r.get(from.column)).cloned();
            }
        }
    }

    /// Repeats columns of the row in those that mostly do.
    pub(super) fn echo(&self, table: usize, row: &mut Row, drawn: &[bool], dice: &mut Dice) {
        if !self.mood.has(Regularity::CopiedColumns) {
            return;
        }
        for column in (0..row.len()).filter(|c| drawn.get(*c) == Some(&true)) {
            let at = ColumnRef { table, column };
            let twin = self.portraits.get(at).and_then(|p| p.twin);
            if let Some(twin) = twin
                && !self.supplies.get(at).is_some_and(Supply::is_unique)
                && dice.chance(0.85)
                && let Some(value) = row.get(twin).filter(|v| **v != Value::Null).cloned()
            {
                row[column] = value;
            }
        }
    }

    /// Copies what all children of a parent share from an earlier one.
    pub(super) fn stick(&self, table: usize, cells: &mut [Option<Value>], dice: &mut Dice) {
        let Some(spread) = self.spreads.get(&table).filter(|s| !s.sticky.is_empty()) else { return };
        let Some(reference) = self.portraits.references(table).first() else { return };
        let key: Option<Vec<(usize, Value)>> =
            reference.columns.iter().map(|&c| Some((c, cells.get(c)?.clone()?))).collect();
        let Some(sibling) = key.and_then(|key| self.find(table, &key)).and_then(|i| self.rows[table].get(i))
        else {
            return;
        };
        for &(column, share) in &spread.sticky {
            if let (Some(cell @ None), Some(value)) = (cells.get_mut(column), sibling.get(column))
                && dice.chance(share)
            {
                *cell = Some(value.clone());
            }
        }
    }
}
